//! Takes links and switches out of a topology at random.

use std::str::FromStr;

use super::TopoError;
use super::prng::Prng;
use super::sketch::{Place, Sketch};

/// How many of something.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// A number.
    Count(u32),
    /// A share of all, 0 to 1, rounded up to whole things.
    Share(f64),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Count(0)
    }
}

impl FromStr for Amount {
    type Err = String;

    /// Reads `12` or `1.5%`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is neither a number nor a percentage such as 1.5%");
        match text.trim().strip_suffix('%') {
            Some(share) => {
                let share: f64 = share.trim().parse().map_err(|_| wrong())?;
                if (0.0..=100.0).contains(&share) {
                    Ok(Self::Share(share / 100.0))
                } else {
                    Err(wrong())
                }
            }
            None => text.trim().parse().map(Self::Count).map_err(|_| wrong()),
        }
    }
}

impl Amount {
    fn of(self, all: usize, what: &'static str) -> Result<usize, TopoError> {
        let wanted = match self {
            Self::Count(n) => n as usize,
            Self::Share(share) if (0.0..=1.0).contains(&share) => {
                (share * all as f64 - 1e-9).ceil().max(0.0) as usize
            }
            Self::Share(share) => {
                return Err(TopoError::Unfit(format!("{share} is no share between 0 and 1")));
            }
        };
        if wanted > all {
            return Err(TopoError::Unfit(format!("{wanted} {what} are to fail; there are {all}")));
        }
        Ok(wanted)
    }
}

/// What is broken in a topology.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Faults {
    /// Cables between switches that are taken out.
    pub links: Amount,
    /// Switches that are taken out, with the hosts that have no other cable.
    pub switches: Amount,
    /// Chooses which.
    pub seed: u64,
}

/// Takes the switches out first, then the links from those that are left.
pub(super) fn apply(
    sketch: &mut Sketch,
    faults: &Faults,
    notes: &mut Vec<String>,
) -> Result<(), TopoError> {
    let mut prng = Prng::new(faults.seed);
    let gone = faults.switches.of(sketch.switches.len(), "switches")?;
    if gone > 0 {
        take_switches(sketch, gone, &mut prng, notes);
    }
    let between: Vec<usize> = (0..sketch.cables.len())
        .filter(|i| {
            let cable = sketch.cables[*i];
            matches!((cable.a.0, cable.b.0), (Place::Switch(_), Place::Switch(_)))
        })
        .collect();
    let cut = faults.links.of(between.len(), "links between switches")?;
    if cut > 0 {
        let mut order = between;
        prng.shuffle(&mut order);
        let mut keep = vec![true; sketch.cables.len()];
        for i in order.into_iter().take(cut) {
            keep[i] = false;
        }
        let mut kept = keep.into_iter();
        sketch.cables.retain(|_| kept.next().unwrap_or(true));
        notes.push(format!("{cut} cables between switches were taken out"));
    }
    Ok(())
}

fn take_switches(sketch: &mut Sketch, gone: usize, prng: &mut Prng, notes: &mut Vec<String>) {
    let mut order: Vec<usize> = (0..sketch.switches.len()).collect();
    prng.shuffle(&mut order);
    let mut names: Vec<String> =
        order.into_iter().take(gone).filter_map(|i| sketch.switches[i].take()).collect();
    names.sort_unstable();
    let cables = std::mem::take(&mut sketch.cables);
    let mut cabled = vec![false; sketch.hosts.len()];
    for cable in cables {
        if !(sketch.is_there(cable.a.0) && sketch.is_there(cable.b.0)) {
            continue;
        }
        for (place, _) in [cable.a, cable.b] {
            if let Place::Host(h) = place {
                cabled[h as usize] = true;
            }
        }
        sketch.cables.push(cable);
    }
    let before = sketch.hosts.iter().flatten().count();
    for (host, has_cable) in sketch.hosts.iter_mut().zip(cabled) {
        if !has_cable {
            *host = None;
        }
    }
    let lost = before - sketch.hosts.iter().flatten().count();
    let shown = if names.len() > 10 {
        format!("{} and {} more", names[..10].join(", "), names.len() - 10)
    } else {
        names.join(", ")
    };
    notes.push(format!("{gone} switches were taken out ({shown}), and {lost} hosts with them"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topo::{FatTree, Generated, Shape, TopoSpec, generate};

    fn broken(links: &str, switches: &str, seed: u64) -> Result<Generated, TopoError> {
        let faults =
            Faults { links: links.parse().unwrap(), switches: switches.parse().unwrap(), seed };
        generate(&TopoSpec { faults, ..TopoSpec::new(Shape::FatTree(FatTree::new(8, 3))) })
    }

    #[test]
    fn amounts_are_read() {
        assert_eq!("12".parse(), Ok(Amount::Count(12)));
        assert_eq!("1%".parse(), Ok(Amount::Share(0.01)));
        for bad in ["", "x", "-1", "101%", "%", "nan%"] {
            assert!(bad.parse::<Amount>().is_err(), "{bad}");
        }
    }

    #[test]
    fn links_fail_and_hosts_keep_theirs() {
        // 128 cables between switches; 5 % of them is 6.4.
        let made = broken("5%", "0", 1).unwrap();
        assert_eq!(made.fabric.links().count(), 64 * 3 - 7);
        let host_links = made.fabric.links().filter(|(a, b)| {
            [a, b].iter().any(|p| made.fabric.as_switch(made.fabric.owner(**p)).is_none())
        });
        assert_eq!(host_links.count(), 64);
    }

    #[test]
    fn the_seed_chooses() {
        assert_eq!(broken("5%", "2", 1), broken("5%", "2", 1));
        assert_ne!(broken("5%", "2", 1).unwrap().fabric, broken("5%", "2", 2).unwrap().fabric);
    }

    #[test]
    fn switches_take_their_hosts_with_them() {
        let made = broken("0", "48", 9).unwrap();
        assert!(made.fabric.nodes().is_empty());
        let one = broken("0", "1", 9).unwrap();
        assert_eq!(one.fabric.switches().len(), 47);
        let hosts = one.fabric.nodes().len() - 47;
        assert!(hosts == 64 || hosts == 60);
        assert!(broken("0", "49", 9).is_err());
        assert!(broken("200", "0", 9).is_err());
    }
}
