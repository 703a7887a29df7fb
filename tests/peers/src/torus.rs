//! Tori and meshes as fabric files, whole or with things missing, and the torus-2QoS.conf that
//! goes with them. Nothing of the product's own generator is in here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Coordinates of a switch.
pub type At = [u32; 3];

/// A torus with one host on each switch.
#[derive(Clone, Debug)]
pub struct Torus {
    /// Switches in each dimension; 1 where it is absent.
    pub radix: At,
    /// Dimensions without the cable from the last switch to the first.
    pub open: [bool; 3],
    /// The switches that the seeds of the file start at.
    pub seeds: Vec<At>,
    /// Switches that are missing, with their hosts.
    pub no_switch: BTreeSet<At>,
    /// Cables that are missing, by both ends; the second is one step up.
    pub no_link: BTreeSet<(At, At)>,
}

impl Torus {
    /// A whole torus, with seeds at these switches.
    #[must_use]
    pub fn new(radix: At, open: [bool; 3], seeds: &[At]) -> Self {
        let seeds = seeds.to_vec();
        Self { radix, open, seeds, no_switch: BTreeSet::new(), no_link: BTreeSet::new() }
    }

    /// The same without a switch.
    #[must_use]
    pub fn without_switch(mut self, at: At) -> Self {
        self.no_switch.insert(at);
        self
    }

    /// The same without the cable that leads one step up from a switch.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn without_link(mut self, at: At, dimension: usize) -> Self {
        let next = self.up(at, dimension).expect("there is a cable");
        self.no_link.insert((at, next));
        self
    }

    /// The switches of the whole torus.
    #[must_use]
    pub fn places(&self) -> Vec<At> {
        let [rx, ry, rz] = self.radix;
        let row = |x, y| (0..rz).map(move |z| [x, y, z]);
        (0..rx).flat_map(|x| (0..ry).flat_map(move |y| row(x, y))).collect()
    }

    /// One step up from a place, if there is a cable in the whole torus.
    #[must_use]
    pub fn up(&self, at: At, dimension: usize) -> Option<At> {
        let (radix, mut next) = (self.radix[dimension], at);
        next[dimension] += 1;
        if next[dimension] == radix {
            if self.open[dimension] || radix <= 2 {
                return None;
            }
            next[dimension] = 0;
        }
        Some(next)
    }

    fn number(&self, [x, y, z]: At) -> u64 {
        u64::from((x * self.radix[1] + y) * self.radix[2] + z)
    }

    /// The node GUID of a switch.
    #[must_use]
    pub fn switch_guid(&self, at: At) -> u64 {
        0x20_0000 + self.number(at)
    }

    /// The port GUID of the host on a switch.
    #[must_use]
    pub fn host_guid(&self, at: At) -> u64 {
        0x10_0011 + 16 * self.number(at)
    }

    /// The fabric in ibnetdiscover's form, without LIDs.
    #[must_use]
    pub fn net(&self) -> String {
        self.net_with(&BTreeMap::new())
    }

    /// The fabric with these LIDs, by port GUID.
    #[must_use]
    pub fn net_with(&self, lids: &BTreeMap<u64, u16>) -> String {
        let lid = |guid: u64| lids.get(&guid).copied().unwrap_or(0);
        let cables = self.cables();
        let mut out = String::new();
        for at in cables.keys() {
            let (port, sw) = (self.host_guid(*at), self.switch_guid(*at));
            let (ca, lid) = (port - 1, lid(port));
            let _ = write!(
                out,
                "vendid=0x2c9\ndevid=0x1003\nsysimgguid=0x{ca:x}\ncaguid=0x{ca:x}\nCa\t1 \
                 \"H-{ca:016x}\"\t# \"host-{ca:x}\"\n[1]({port:x})\t\"S-{sw:016x}\"[7]\t\t# lid \
                 {lid} lmc 0 \"switch\" 4xQDR\n\n"
            );
        }
        for (at, cables) in &cables {
            let (ca, sw) = (self.host_guid(*at) - 1, self.switch_guid(*at));
            let ([x, y, z], lid) = (at, lid(sw));
            let _ = write!(
                out,
                "vendid=0x2c9\ndevid=0x1003\nsysimgguid=0x{sw:x}\nswitchguid=0x{sw:x}({sw:x})\n\
                 Switch\t8 \"S-{sw:016x}\"\t# \"sw-{x}-{y}-{z}\" enhanced port 0 lid {lid} lmc 0\n"
            );
            for (port, (far, far_port)) in cables {
                let far = self.switch_guid(*far);
                let _ = writeln!(out, "[{port}]\t\"S-{far:016x}\"[{far_port}]");
            }
            let _ = write!(out, "[7]\t\"H-{ca:016x}\"[1]\n\n");
        }
        out
    }

    /// The cables between switches as each switch that is there sees them: port, and the switch
    /// and port at the other end.
    fn cables(&self) -> BTreeMap<At, BTreeMap<u8, (At, u8)>> {
        let there = self.places().into_iter().filter(|at| !self.no_switch.contains(at));
        let mut cables: BTreeMap<At, BTreeMap<u8, (At, u8)>> =
            there.map(|at| (at, BTreeMap::new())).collect();
        for at in cables.keys().copied().collect::<Vec<_>>() {
            for d in 0..3 {
                let next = self.up(at, d).filter(|next| !self.no_link.contains(&(at, *next)));
                let Some(next) = next.filter(|next| cables.contains_key(next)) else { continue };
                // Ports 1, 3 and 5 lead up, 2, 4 and 6 down, 7 to the host.
                let (up, down) = (2 * d as u8 + 1, 2 * d as u8 + 2);
                cables.entry(at).or_default().insert(up, (next, down));
                cables.entry(next).or_default().insert(down, (at, up));
            }
        }
        cables
    }

    /// The torus-2QoS.conf: where a seed needs both directions (radix 4), it has both.
    #[must_use]
    pub fn conf(&self) -> String {
        let suffix = |d: usize| if self.open[d] { "M" } else { "" };
        let sizes: Vec<String> =
            (0..3).map(|d| format!("{}{}", self.radix[d], suffix(d))).collect();
        let mut out = format!("torus {}\n", sizes.join(" "));
        for (n, seed) in self.seeds.iter().enumerate() {
            if n > 0 {
                out += "next_seed\n";
            }
            for (d, name) in ["x", "y", "z"].into_iter().enumerate() {
                let radix = self.radix[d];
                if radix == 1 {
                    continue;
                }
                let [mut up, mut down] = [*seed; 2];
                up[d] = (seed[d] + 1) % radix;
                down[d] = (seed[d] + radix - 1) % radix;
                let last = seed[d] + 1 == radix && (self.open[d] || radix == 2);
                let mut link = |sign: &str, to: At| {
                    let (from, to) = (self.switch_guid(*seed), self.switch_guid(to));
                    let _ = writeln!(out, "{name}{sign}_link 0x{from:x} 0x{to:x}");
                };
                if !last {
                    link("p", up);
                }
                if last || (radix == 4 && !self.open[d]) {
                    link("m", down);
                }
                if seed[d] != 0 {
                    let _ = writeln!(out, "{name}_dateline -{}", seed[d]);
                }
            }
        }
        out
    }
}
