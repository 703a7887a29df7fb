//! The torus that was found: switches at places, and the ports that lead from each to the next.

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_wire::PortNum;

use super::lattice::{DIMENSIONS, Lattice, Way};
use super::place::Places;
use crate::graph::Graph;

/// A torus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Torus {
    pub(crate) lattice: Lattice,
    pub(crate) places: Places,
    /// For each place the ports to the next switch in each direction. The links to one neighbour
    /// stand in the same order at both ends.
    pub(crate) groups: Vec<[Vec<PortNum>; 6]>,
    /// Cables between switches that are no part of the torus: the lower port of each.
    pub(crate) strange: Vec<PortId>,
}

impl Torus {
    /// Finds the links between switches that have places.
    pub(crate) fn new(fabric: &Fabric, graph: &Graph, lattice: Lattice, places: Places) -> Self {
        let mut groups = vec![<[Vec<PortNum>; 6]>::default(); lattice.len()];
        let mut fits = vec![false; fabric.ports().len()];
        for way in Way::all().filter(|w| w.up()) {
            for (place, switch) in places.at.iter().enumerate() {
                let next = lattice.step(place, way);
                let peer = next.and_then(|p| Some((p, places.at[p]?)));
                let (Some(switch), Some((next, peer))) = (*switch, peer) else { continue };
                for link in graph.links(switch.index()).iter().filter(|l| l.peer == peer) {
                    groups[place][way.index()].push(link.port);
                    groups[next][way.back().index()].push(link.peer_port);
                    for (s, port) in [(switch, link.port), (peer, link.peer_port)] {
                        fits[port_id(fabric, s, port).index()] = true;
                    }
                }
            }
        }
        let strange = (0..graph.len())
            .flat_map(|s| graph.links(s).iter().map(move |l| (SwitchId(s as u32), l)))
            .filter(|(s, l)| s.0 < l.peer.0)
            .map(|(s, l)| port_id(fabric, s, l.port))
            .filter(|p| !fits[p.index()])
            .collect();
        Self { lattice, places, groups, strange }
    }

    /// The ports from a place in a direction.
    pub(crate) fn group(&self, place: usize, way: Way) -> &[PortNum] {
        &self.groups[place][way.index()]
    }

    /// The neighbour in a direction, if it is there and linked.
    pub(crate) fn next(&self, place: usize, way: Way) -> Option<usize> {
        if self.group(place, way).is_empty() { None } else { self.lattice.step(place, way) }
    }

    /// Places without a switch.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.lattice.len()).filter(|p| self.places.at[*p].is_none()).collect()
    }

    /// Switches without a place.
    pub(crate) fn left_over(&self) -> Vec<SwitchId> {
        let of = self.places.of.iter().enumerate();
        of.filter(|(_, p)| p.is_none()).map(|(s, _)| SwitchId(s as u32)).collect()
    }

    /// Whether each switch that is cabled to the torus has a place in it.
    ///
    /// # Errors
    /// A sentence that names those which have none.
    pub(crate) fn check_left_over(&self, fabric: &Fabric, graph: &Graph) -> Result<(), String> {
        let cabled = |s: &SwitchId| {
            let mut links = graph.links(s.index()).iter();
            links.any(|link| self.places.of[link.peer.index()].is_some())
        };
        let left: Vec<SwitchId> = self.left_over().into_iter().filter(cabled).collect();
        let names = listed("no place in the torus for", &left, |s| switch_name(fabric, *s));
        names.map_or(Ok(()), |names| {
            Err(format!(
                "{names}: too many of the cables there are missing or lead elsewhere, and nothing \
                 would reach it; plug them in, or take the switch out"
            ))
        })
    }

    /// Whether the cables that a seed names are there. One may have failed; but where cables of its
    /// switches lead where no torus has any, the file means other switches than it names.
    ///
    /// # Errors
    /// A sentence that names both switches.
    pub(crate) fn check_seed(
        &self,
        fabric: &Fabric,
        graph: &Graph,
        placed: &[(usize, SwitchId)],
    ) -> Result<Vec<String>, String> {
        let mut notes = Vec::new();
        let Some(((_, first), others)) = placed.split_first() else { return Ok(notes) };
        let strange = |s: SwitchId| {
            let node = fabric.switch_node(s);
            let at = |port: PortId| fabric.owner(port) == node;
            self.strange.iter().any(|p| at(*p) || fabric.peer(*p).is_some_and(at))
        };
        for (_, other) in others {
            if graph.links(first.index()).iter().any(|link| link.peer == *other) {
                continue;
            }
            let [a, b] = [*first, *other].map(|s| switch_name(fabric, s));
            let what = format!("names a link from {a} to {b}, and no cable leads there");
            if strange(*first) || strange(*other) {
                return Err(format!("{what}, while others of theirs do not fit the torus"));
            }
            notes.push(format!("the seed {what}: it may have failed"));
        }
        Ok(notes)
    }

    /// Whether each group of ports has at most so many.
    ///
    /// # Errors
    /// A sentence that names a switch with more.
    pub(crate) fn check_groups(
        &self,
        fabric: &Fabric,
        graph: &Graph,
        most: u32,
    ) -> Result<(), String> {
        let help = "raise portgroup_max_ports in torus-2QoS.conf";
        for (place, switch) in self.places.at.iter().enumerate() {
            let Some(switch) = *switch else { continue };
            let name = self.name(fabric, place);
            for way in Way::all() {
                let links = self.group(place, way).len();
                if links > most as usize {
                    let (sign, d) = signed(way);
                    return Err(format!(
                        "{name} has {links} links in {sign}{d}, more than {most}: {help}"
                    ));
                }
            }
            let ports = graph.hosts(switch.index()).len() + 1;
            if ports > most as usize {
                return Err(format!(
                    "{name} has {ports} host ports, port 0 included, more than {most}: {help}"
                ));
            }
        }
        Ok(())
    }

    /// What a person should know of the torus: missing switches and links, and what did not fit.
    pub(crate) fn notes(&self, fabric: &Fabric) -> Vec<String> {
        let mut notes = Vec::new();
        let missing = self.missing();
        notes.extend(listed("no switch at", &missing, |p| self.lattice.show(*p)));
        notes.extend(self.list_gaps(fabric));
        let left = self.left_over();
        notes.extend(listed("without a cable to the torus, and not routed:", &left, |s| {
            switch_name(fabric, *s)
        }));
        notes.extend(listed("links that are not part of the torus:", &self.strange, |p| {
            let far = fabric.peer(*p).map(|far| fabric.port_name(far)).unwrap_or_default();
            format!("{} to {far}", fabric.port_name(*p))
        }));
        notes
    }

    /// Neighbours that are both there, without a link between them.
    pub(crate) fn gaps(&self) -> Vec<(usize, usize)> {
        let up = |place: usize| Way::all().filter(|w| w.up()).map(move |way| (place, way));
        (0..self.lattice.len())
            .filter(|place| self.places.at[*place].is_some())
            .flat_map(up)
            .filter(|(place, way)| self.group(*place, *way).is_empty())
            .filter_map(|(place, way)| Some((place, self.lattice.step(place, way)?)))
            .filter(|(_, next)| self.places.at[*next].is_some())
            .collect()
    }

    /// The gaps in a sentence, if there are any.
    pub(crate) fn list_gaps(&self, fabric: &Fabric) -> Option<String> {
        listed("no link between", &self.gaps(), |(a, b)| {
            format!("{} and {}", self.name(fabric, *a), self.name(fabric, *b))
        })
    }

    /// A switch for people: its place and its description.
    pub(crate) fn name(&self, fabric: &Fabric, place: usize) -> String {
        let at = self.lattice.show(place);
        match self.places.at[place] {
            Some(s) => format!("{at} {}", switch_name(fabric, s)),
            None => at,
        }
    }
}

/// A direction as a sign and a dimension.
pub(crate) const fn signed(way: Way) -> (char, &'static str) {
    (if way.up() { '+' } else { '-' }, DIMENSIONS[way.dimension()])
}

/// A switch for people: description and GUID.
pub(crate) fn switch_name(fabric: &Fabric, switch: SwitchId) -> String {
    let node = fabric.node(fabric.switch_node(switch));
    format!("\"{}\" ({})", node.description, node.guid)
}

/// A port of a switch.
pub(crate) fn port_id(fabric: &Fabric, switch: SwitchId, port: PortNum) -> PortId {
    let first = fabric.node(fabric.switch_node(switch)).first;
    PortId(first.0 + u32::from(port.0))
}

/// Things of one kind in a sentence: all, or the first few and how many more there are.
pub(crate) fn listed<T>(what: &str, all: &[T], show: impl Fn(&T) -> String) -> Option<String> {
    const MOST: usize = 8;
    let shown: Vec<String> = all.iter().take(MOST).map(show).collect();
    let more = all.len().saturating_sub(MOST);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!all.is_empty()).then(|| format!("{what} {}{tail}", shown.join(", ")))
}
