//! P_Key tables: which key is at which index of which end port, and the copies that switch ports
//! in front of end ports enforce.
//!
//! An index is what programs hold on to, so a key that a port has keeps its own. Index 0 belongs to
//! the default partition, or to that of an `indx0` statement.

use std::collections::{BTreeMap, BTreeSet};

use lk_config::Options;
use lk_fabric::{NodeKind, PortId};
use lk_wire::{PKey, PKeyTable};

use super::partitions::{DEFAULT_KEY, Partitions};
use crate::event::Event;
use crate::observe::{Observed, Table};

/// Which packets a switch port in front of an end port checks (`part_enforce`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartEnforce {
    /// Those that come in and those that go out.
    Both,
    /// Those that come in from the end port.
    In,
    /// Those that go out to the end port.
    Out,
    /// None.
    Off,
}

impl PartEnforce {
    /// What the options say; a word that is none of the four means both, as in OpenSM.
    pub(crate) fn of(options: &Options) -> Self {
        match options.part_enforce.as_deref() {
            _ if options.no_partition_enforcement => Self::Off,
            Some("in") => Self::In,
            Some("out") => Self::Out,
            Some("off") => Self::Off,
            _ => Self::Both,
        }
    }
}

/// P_Key tables as they should be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct PKeyTables {
    /// The tables by port, ascending.
    pub(super) tables: Vec<(PortId, Vec<PKeyTable>)>,
    /// Switch ports that cannot hold the keys of the end port, and so cannot enforce them.
    pub(super) too_small: BTreeSet<PortId>,
}

/// Works out all tables.
pub(super) fn tables(
    seen: &Observed,
    partitions: &Partitions,
    options: &Options,
    events: &mut Vec<Event>,
) -> PKeyTables {
    let fabric = &seen.fabric;
    let mut made = PKeyTables::default();
    for (port, want) in wanted(partitions) {
        let cap = seen.partition_cap[fabric.owner(port).index()];
        let have = if options.keep_pkey_indexes { held(seen, port, cap) } else { Vec::new() };
        let index0 = partitions.index0.get(&port).copied();
        let order = Order { index0, both: options.allow_both_pkeys };
        let (keys, left_out) = order.lay_out(&have, &want, usize::from(cap));
        if !left_out.is_empty() {
            events.push(Event::PKeysLeftOut {
                port: fabric.port_name(port),
                capacity: cap,
                keys: left_out,
            });
        }
        if let Some(cap) =
            enforcement_cap(seen, port).filter(|_| PartEnforce::of(options) != PartEnforce::Off)
            && let Some(peer) = fabric.peer(port)
        {
            let copy = enforced(&keys);
            if copy.len() > usize::from(cap) {
                made.too_small.insert(peer);
                events.push(Event::NotEnforced {
                    port: fabric.port_name(peer),
                    keys: copy.len(),
                    capacity: cap,
                });
            } else {
                made.tables.push((peer, blocks(&copy, cap)));
            }
        }
        made.tables.push((port, blocks(&keys, cap)));
    }
    made.tables.sort_unstable_by_key(|(p, _)| *p);
    made
}

/// The keys of each port in OpenSM's order: by partition, the limited one first.
fn wanted(partitions: &Partitions) -> BTreeMap<PortId, Vec<PKey>> {
    let mut wanted: BTreeMap<PortId, Vec<PKey>> = BTreeMap::new();
    for partition in &partitions.list {
        for (port, member) in &partition.members {
            let keys = wanted.entry(*port).or_default();
            keys.extend(member.limited.then_some(PKey(partition.key)));
            keys.extend(member.full.then_some(PKey(partition.key | 0x8000)));
        }
    }
    wanted
}

/// The keys that a port holds now, as far as they are known.
fn held(seen: &Observed, port: PortId, cap: u16) -> Vec<PKey> {
    let mut keys = Vec::with_capacity(usize::from(cap));
    for block in 0..cap.div_ceil(PKeyTable::ENTRIES as u16) {
        let bytes = seen.tables.block(Table::PKeys(port), block).unwrap_or([0; 64]);
        keys.extend(PKeyTable(bytes).iter());
    }
    keys.truncate(usize::from(cap));
    keys
}

/// How the keys of a port are ordered.
#[derive(Clone, Copy, Debug)]
struct Order {
    /// The base of the key for index 0 where that is not the default partition's.
    index0: Option<u16>,
    /// `allow_both_pkeys`: the full and the limited key of a partition are two keys.
    both: bool,
}

impl Order {
    fn is_first(self, key: PKey) -> bool {
        match self.index0 {
            Some(base) => key.base() == base,
            None if self.both => key == PKey::DEFAULT_FULL,
            None => key.base() == DEFAULT_KEY,
        }
    }

    fn is_same(self, one: PKey, other: PKey) -> bool {
        if self.both { one == other } else { one.base() == other.base() && one.is_valid() }
    }

    /// The table, and the keys for which there is no room.
    fn lay_out(self, have: &[PKey], want: &[PKey], cap: usize) -> (Vec<PKey>, Vec<PKey>) {
        let mut table = vec![PKey(0); cap];
        let mut new = Vec::new();
        let mut highest = 0;
        for key in want {
            let known = have.iter().skip(1).position(|k| self.is_same(*k, *key)).map(|i| i + 1);
            match known {
                _ if cap > 0 && table[0] == PKey(0) && self.is_first(*key) => table[0] = *key,
                Some(at) if at < cap && table[at] == PKey(0) => {
                    table[at] = *key;
                    highest = highest.max(at);
                }
                _ => new.push(*key),
            }
        }
        let mut left_out = Vec::new();
        for key in new {
            let next = highest + 1;
            let free = || (1..cap).find(|at| table[*at] == PKey(0));
            match if next < cap { Some(next) } else { free() } {
                Some(at) => {
                    table[at] = key;
                    highest = highest.max(at);
                }
                None => left_out.push(key),
            }
        }
        (table, left_out)
    }
}

/// What a switch port holds in front of an end port: its keys without gaps, and without a limited
/// one where the full one is there.
fn enforced(keys: &[PKey]) -> Vec<PKey> {
    let full: BTreeSet<u16> = keys.iter().filter(|k| k.is_full()).map(|k| k.base()).collect();
    let counts = |k: &PKey| k.is_valid() && (k.is_full() || !full.contains(&k.base()));
    keys.iter().copied().filter(counts).collect()
}

fn blocks(keys: &[PKey], cap: u16) -> Vec<PKeyTable> {
    let count = usize::from(cap).div_ceil(PKeyTable::ENTRIES);
    let mut blocks: Vec<PKeyTable> =
        keys.chunks(PKeyTable::ENTRIES).map(|c| c.iter().copied().collect()).collect();
    blocks.resize(count, PKeyTable::default());
    blocks
}

/// The number of P_Keys that the switch port in front of an end port can enforce; `None` where
/// the port is no adapter's or router's, or the switch cannot.
pub(super) fn enforcement_cap(seen: &Observed, end_port: PortId) -> Option<u16> {
    let fabric = &seen.fabric;
    if fabric.node(fabric.owner(end_port)).kind == NodeKind::Switch {
        return None;
    }
    let switch = fabric.as_switch(fabric.owner(fabric.peer(end_port)?))?;
    let cap = seen.switch_info(switch)?.partition_enforcement_cap();
    (cap > 0).then_some(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[u16]) -> Vec<PKey> {
        keys.iter().map(|k| PKey(*k)).collect()
    }

    fn lay_out(order: Order, have: &[u16], want: &[u16]) -> Vec<u16> {
        let (table, left_out) = order.lay_out(&keys(have), &keys(want), 8);
        assert!(left_out.is_empty());
        let end = table.iter().rposition(|k| k.0 != 0).map_or(0, |at| at + 1);
        table[..end].iter().map(|k| k.0).collect()
    }

    const PLAIN: Order = Order { index0: None, both: false };
    const BOTH: Order = Order { index0: None, both: true };

    /// Each line was seen with opensm on ibsim.
    #[test]
    fn known_keys_keep_their_index_and_new_ones_follow() {
        let have = [0xffff, 0x8001, 0x8002, 0x8003];
        assert_eq!(
            lay_out(PLAIN, &have, &[0x8003, 0x8004, 0xffff]),
            [0xffff, 0, 0, 0x8003, 0x8004]
        );
        let have = [0xffff, 0, 0, 0x8003, 0x8004];
        assert_eq!(lay_out(PLAIN, &have, &[2, 4, 0x8005, 0xffff]), [0xffff, 0, 0, 0, 4, 2, 0x8005]);
        let have = [0xffff, 0, 0, 0, 4, 2, 0x8005];
        let index0 = Order { index0: Some(4), both: false };
        assert_eq!(lay_out(index0, &have, &[4, 0xffff]), [4, 0xffff]);
        assert_eq!(lay_out(PLAIN, &[4, 0xffff], &[6, 0xffff]), [0xffff, 6]);
        assert_eq!(lay_out(PLAIN, &[], &[1, 0x8002, 0xffff]), [0xffff, 1, 0x8002]);
    }

    #[test]
    fn with_both_keys_only_the_full_default_key_goes_to_index_0() {
        let want = [1, 0x8001, 0x8002, 0x7fff, 0xffff];
        assert_eq!(lay_out(BOTH, &[], &want), [0xffff, 1, 0x8001, 0x8002, 0x7fff]);
        let have = [0xffff, 2, 0x8002, 0x7fff];
        assert_eq!(lay_out(BOTH, &have, &[3, 0x7fff]), [0, 0, 0, 0x7fff, 3]);
        let have = [0xffff, 0x8001, 0x8002, 0x8003];
        assert_eq!(lay_out(BOTH, &have, &[1, 0x8001, 3, 0xffff]), [0xffff, 0x8001, 1, 3]);
    }

    #[test]
    fn a_full_table_fills_its_gaps_first_and_then_leaves_keys_out() {
        let have = keys(&[0xffff, 0, 0, 0x8003]);
        let want = keys(&[0x8001, 0x8002, 0x8003, 0x8004, 0xffff]);
        let (table, left_out) = PLAIN.lay_out(&have, &want, 4);
        assert_eq!(table, keys(&[0xffff, 0x8001, 0x8002, 0x8003]));
        assert_eq!(left_out, keys(&[0x8004]));
        assert_eq!(PLAIN.lay_out(&have, &want, 0), (Vec::new(), want));
    }

    #[test]
    fn switches_enforce_the_full_key_where_a_port_has_both() {
        assert_eq!(enforced(&keys(&[0, 1, 0x8001, 0, 2])), keys(&[0x8001, 2]));
    }
}
