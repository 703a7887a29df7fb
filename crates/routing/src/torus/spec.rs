//! What torus-2QoS.conf says, as plain data, and where it puts the first switches.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Guid, Lid};

use super::lattice::{DIMENSIONS, Lattice, Way};

/// The content of torus-2QoS.conf (torus-2QoS.conf(5)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TorusSpec {
    /// Switches in x, y and z; 1 where the dimension is absent.
    pub radix: [u32; 3],
    /// Dimensions that are open (mesh). One of two switches is open in any case.
    pub open: [bool; 3],
    /// The seeds. The first whose switches are all there is used.
    pub seeds: Vec<TorusSeed>,
    /// `portgroup_max_ports`: the most parallel links to a neighbour, and the most host ports of
    /// a switch, port 0 included.
    pub group_ports: u32,
    /// `port_order`: the ports of a destination switch that come first when its LIDs are spread
    /// over parallel links.
    pub port_order: Vec<u32>,
    /// `max_changes`: the most changes of the torus that are told from one sweep to the next.
    pub max_changes: u32,
}

impl TorusSpec {
    /// Ports of a group where `portgroup_max_ports` says nothing else.
    pub const GROUP_PORTS: u32 = 16;
    /// Changes that are told where `max_changes` says nothing else.
    pub const MAX_CHANGES: u32 = 32;

    /// A torus with these sizes and seeds, with the defaults for everything else.
    #[must_use]
    pub fn new(radix: [u32; 3], seeds: Vec<TorusSeed>) -> Self {
        Self {
            radix,
            open: [false; 3],
            seeds,
            group_ports: Self::GROUP_PORTS,
            port_order: vec![],
            max_changes: Self::MAX_CHANGES,
        }
    }
}

/// One seed: a switch, its neighbours, and where the datelines run past it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TorusSeed {
    /// Node GUIDs of the switch and of its neighbour, for +x, -x, +y, -y, +z, -z.
    pub links: [Option<(Guid, Guid)>; 6],
    /// `x_dateline`, `y_dateline` and `z_dateline`: how far the dateline lies from the switch.
    pub dateline: [i32; 3],
}

/// No torus has more places than this: a subnet cannot have more switches than unicast LIDs.
const MOST_PLACES: u64 = Lid::MAX_UNICAST.0 as u64;

/// The switches that a seed names, at their places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Start {
    /// Which seed, from 0.
    pub(crate) seed: usize,
    /// Places and switches, the common switch first.
    pub(crate) placed: Vec<(usize, SwitchId)>,
}

/// The lattice of a specification.
///
/// # Errors
/// A sentence that says what is missing or contradictory. All seeds are checked, also those that
/// would not be used.
pub(crate) fn lattice(spec: &TorusSpec) -> Result<Lattice, String> {
    if let Some(d) = (0..3).find(|d| spec.radix[*d] == 0) {
        return Err(format!("torus-2QoS.conf gives no size for {}", DIMENSIONS[d]));
    }
    let places = spec.radix.iter().fold(1_u64, |all, r| all.saturating_mul(u64::from(*r)));
    if places > MOST_PLACES {
        let [x, y, z] = spec.radix;
        return Err(format!("a torus of {x} x {y} x {z} is larger than any subnet"));
    }
    let lattice = Lattice::new(spec.radix, spec.open);
    if spec.seeds.is_empty() {
        return Err("torus-2QoS.conf has no seed: a switch and its neighbours".to_owned());
    }
    for (at, seed) in spec.seeds.iter().enumerate() {
        complete(&lattice, seed).map_err(|why| format!("{} {why}", seed_name(at)))?;
    }
    Ok(lattice)
}

/// Which seed, for a sentence.
pub(crate) fn seed_name(at: usize) -> String {
    if at == 0 { "the first seed".to_owned() } else { format!("backup seed {at}") }
}

/// Whether a seed says enough.
fn complete(lattice: &Lattice, seed: &TorusSeed) -> Result<(), String> {
    let mut common = None;
    for (d, name) in DIMENSIONS.iter().enumerate() {
        let radix = lattice.radix[d];
        if seed.dateline[d].unsigned_abs() >= radix {
            let at = seed.dateline[d];
            return Err(format!("has its {name} dateline at {at}, and {name} has size {radix}"));
        }
        if radix == 1 {
            continue;
        }
        let [plus, minus] = [seed.links[2 * d], seed.links[2 * d + 1]];
        if plus.is_none() && minus.is_none() {
            return Err(format!("needs {name}p_link or {name}m_link"));
        }
        if radix == 4 && !lattice.open[d] && (plus.is_none() || minus.is_none()) {
            return Err(format!(
                "needs both {name}p_link and {name}m_link, because {name} is a ring of four"
            ));
        }
        for (from, _) in [plus, minus].into_iter().flatten() {
            let common = *common.get_or_insert(from);
            if common != from {
                return Err(format!("has links that start at {common} and at {from}"));
            }
        }
    }
    // Where all sizes are 1, any link line tells which switch is meant.
    if common.is_none() && seed.links.iter().all(Option::is_none) {
        return Err("names no switch".to_owned());
    }
    Ok(())
}

/// Places the switches of the first seed that is there as a whole.
///
/// # Errors
/// A sentence: a switch of every seed is missing, or the seed contradicts itself.
pub(crate) fn start(fabric: &Fabric, lattice: &Lattice, spec: &TorusSpec) -> Result<Start, String> {
    let mut missing = Vec::new();
    for (at, seed) in spec.seeds.iter().enumerate() {
        match named(fabric, lattice, seed) {
            Ok(placed) => {
                check_places(fabric, &placed).map_err(|why| format!("{} {why}", seed_name(at)))?;
                return Ok(Start { seed: at, placed });
            }
            Err(Unusable::Missing(guid)) => missing.push(guid.to_string()),
            Err(Unusable::Wrong(why)) => return Err(format!("{} {why}", seed_name(at))),
        }
    }
    Err(format!(
        "every seed of torus-2QoS.conf needs a switch that is not in the fabric: {}",
        missing.join(", ")
    ))
}

/// Says which of the other seeds would give their switches other coordinates than they have: with
/// the seed in use, `start`, the SLs of paths would change. Switches that are missing say nothing.
pub(crate) fn disagreements(
    fabric: &Fabric,
    lattice: &Lattice,
    spec: &TorusSpec,
    start: &Start,
    places: &[Option<u32>],
) -> Vec<String> {
    let others = spec.seeds.iter().enumerate().filter(|(at, _)| *at != start.seed);
    let moved = others.filter_map(|(at, seed)| {
        let (place, switch) = *named(fabric, lattice, seed).ok()?.first()?;
        let has = places[switch.index()]? as usize;
        let node = fabric.node(fabric.switch_node(switch));
        (has != place).then(|| {
            format!(
                "{} puts \"{}\" ({}) at {}, and {} at {}: the SLs of paths will change when one \
                 comes into use in place of the other; the datelines of torus-2QoS.conf have to \
                 give each switch the same coordinates by every seed",
                seed_name(at),
                node.description,
                node.guid,
                lattice.show(place),
                seed_name(start.seed),
                lattice.show(has)
            )
        })
    });
    moved.collect()
}

/// Why a seed cannot be used.
enum Unusable {
    /// A switch is not in the fabric.
    Missing(Guid),
    /// The seed is wrong in itself.
    Wrong(String),
}

/// The places of a seed's switches.
fn named(
    fabric: &Fabric,
    lattice: &Lattice,
    seed: &TorusSeed,
) -> Result<Vec<(usize, SwitchId)>, Unusable> {
    let find = |guid: Guid| {
        let node = fabric.node_by_guid(guid);
        node.and_then(|n| fabric.as_switch(n)).ok_or(Unusable::Missing(guid))
    };
    let origin = lattice.index([0, 1, 2].map(|d| {
        let radix = i64::from(lattice.radix[d]);
        // Less than the radix, which fits.
        (-i64::from(seed.dateline[d])).rem_euclid(radix) as u32
    }));
    let mut placed = Vec::new();
    for way in Way::all() {
        let Some((from, to)) = seed.links[way.index()] else { continue };
        if placed.is_empty() {
            placed.push((origin, find(from)?));
        }
        if lattice.radix[way.dimension()] == 1 {
            continue;
        }
        // Of two switches each is both the next and the one before the other.
        let two = lattice.radix[way.dimension()] == 2;
        let place = lattice
            .step(origin, way)
            .or_else(|| two.then(|| lattice.step(origin, way.back())).flatten());
        let Some(place) = place else {
            return Err(Unusable::Wrong(format!(
                "says that {} goes on beyond its end, {}: move the dateline",
                DIMENSIONS[way.dimension()],
                lattice.show(origin)
            )));
        };
        placed.push((place, find(to)?));
    }
    placed.dedup();
    Ok(placed)
}

/// Whether each place has one switch and each switch one place.
fn check_places(fabric: &Fabric, placed: &[(usize, SwitchId)]) -> Result<(), String> {
    for (at, (place, switch)) in placed.iter().enumerate() {
        for (other_place, other) in &placed[..at] {
            if (place == other_place) != (switch == other) {
                let guid = |s: SwitchId| fabric.node(fabric.switch_node(s)).guid;
                return Err(if switch == other {
                    format!("names the switch {} in two directions", guid(*switch))
                } else {
                    format!("puts {} and {} in one place", guid(*switch), guid(*other))
                });
            }
        }
    }
    Ok(())
}
