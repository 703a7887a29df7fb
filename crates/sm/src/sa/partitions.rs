//! Which ports share a partition, and so may hear of each other.
//!
//! Most ports of a fabric hold the same keys. Each different set of keys is kept once, and which
//! pairs of sets have a key in common is worked out once, so that a query costs one look.

use lk_fabric::PortId;
use lk_wire::PKey;
use rustc_hash::FxHashMap;

use crate::io::View;
use crate::observe::Table;

/// The partitions of all ports.
#[derive(Debug)]
pub struct Partitions {
    /// Which set each port has.
    set_of: Vec<u32>,
    sets: Vec<Vec<PKey>>,
    /// Whether two sets have a partition in common, row by row.
    common: Vec<bool>,
}

impl Partitions {
    /// The partitions of a view: what the ports should hold, else what they were seen to hold.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let count = view.seen.fabric.ports().len();
        let mut set_of = vec![0; count];
        let mut sets: Vec<Vec<PKey>> = vec![Vec::new()];
        let mut known: FxHashMap<Vec<PKey>, u32> = FxHashMap::default();
        known.insert(Vec::new(), 0);
        for (number, of) in set_of.iter_mut().enumerate() {
            let keys = keys(view, PortId(number as u32));
            *of = *known.entry(keys).or_insert_with_key(|keys| {
                sets.push(keys.clone());
                (sets.len() - 1) as u32
            });
        }
        let mut common = Vec::with_capacity(sets.len() * sets.len());
        for a in &sets {
            common.extend(sets.iter().map(|b| have_common(a, b)));
        }
        Self { set_of, sets, common }
    }

    /// Whether two ports share a partition in which at least one of them is a full member. A port
    /// of which no keys are known shares one with everybody, as in OpenSM.
    #[must_use]
    pub fn share(&self, a: PortId, b: PortId) -> bool {
        let (a, b) = (self.set_of[a.index()] as usize, self.set_of[b.index()] as usize);
        self.common[a * self.sets.len() + b]
    }

    /// The keys of the first port's table that it shares with the second, at least one of the two
    /// being a full member.
    pub fn common(&self, a: PortId, b: PortId) -> impl Iterator<Item = PKey> + '_ {
        let theirs = self.keys(b);
        let shared = |key: &&PKey| {
            theirs.iter().any(|k| k.base() == key.base() && (k.is_full() || key.is_full()))
        };
        self.keys(a).iter().filter(shared).copied()
    }

    /// The first of [`Self::common`] in OpenSM's order of keys: by their bytes, the last first.
    #[must_use]
    pub fn first_common(&self, a: PortId, b: PortId) -> Option<PKey> {
        self.common(a, b).min_by_key(|key| (key.base().swap_bytes(), key.is_full()))
    }

    /// Whether two ports share this partition, its membership bit not counting.
    #[must_use]
    pub fn share_key(&self, a: PortId, b: PortId, key: PKey) -> bool {
        self.common(a, b).any(|k| k.base() == key.base())
    }

    /// The keys of a port, ascending by base key, limited before full.
    #[must_use]
    pub fn keys(&self, port: PortId) -> &[PKey] {
        &self.sets[self.set_of[port.index()] as usize]
    }
}

/// The keys in a port's table, sorted and without holes.
fn keys(view: &View, port: PortId) -> Vec<PKey> {
    let table = Table::PKeys(port);
    let mut keys = Vec::new();
    for block in 0.. {
        let bytes =
            view.desired.block(table, block).or_else(|| view.seen.tables.block(table, block));
        let Some(bytes) = bytes else { break };
        let entries = lk_wire::PKeyTable(bytes);
        keys.extend(entries.iter().filter(|k| k.is_valid()));
    }
    keys.sort_unstable_by_key(|k| (k.base(), k.is_full()));
    keys.dedup();
    keys
}

fn have_common(a: &[PKey], b: &[PKey]) -> bool {
    if a.is_empty() || b.is_empty() {
        return true;
    }
    let full = |keys: &[PKey], base: u16| keys.iter().any(|k| k.base() == base && k.is_full());
    let bases = |keys: &[PKey], base: u16| keys.iter().any(|k| k.base() == base);
    a.iter().any(|k| bases(b, k.base()) && (k.is_full() || full(b, k.base())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_limited_members_have_nothing_in_common() {
        let keys = |all: &[u16]| all.iter().map(|k| PKey(*k)).collect::<Vec<_>>();
        let (full, limited) = (keys(&[0xFFFF]), keys(&[0x7FFF]));
        assert!(have_common(&full, &limited) && have_common(&limited, &full));
        assert!(have_common(&full, &full) && !have_common(&limited, &limited));
        assert!(!have_common(&full, &keys(&[0x8001])));
        assert!(have_common(&keys(&[0x7FFF, 0x8001]), &keys(&[0x7FFF, 0x0001])));
        assert!(have_common(&[], &limited), "nothing is known of the first");
    }
}
