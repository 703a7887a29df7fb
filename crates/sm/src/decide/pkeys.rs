//! P_Key tables of the default partition: every end port is a full member, and a switch port
//! that faces an end port enforces what that port holds.

use lk_config::Options;
use lk_fabric::{NodeKind, PortId};
use lk_wire::{PKey, PKeyTable};

use crate::observe::Observed;

/// Keys in one block of the table (IBA 14.2.5.7).
const BLOCK: u16 = 32;

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

/// The tables by port, ascending.
pub(super) fn default_partition(
    seen: &Observed,
    options: &Options,
) -> Vec<(PortId, Vec<PKeyTable>)> {
    let fabric = &seen.fabric;
    let mut tables = Vec::new();
    for port in fabric.end_ports().filter(|p| seen.port_info(*p).is_some()) {
        let cap = seen.partition_cap[fabric.owner(port).index()];
        tables.push((port, one_key(cap)));
        if PartEnforce::of(options) == PartEnforce::Off {
            continue;
        }
        if let Some(cap) = enforcement_cap(seen, port)
            && let Some(peer) = fabric.peer(port)
        {
            tables.push((peer, one_key(cap)));
        }
    }
    tables.sort_unstable_by_key(|(p, _)| *p);
    tables
}

/// A table of that many keys with full membership of the default partition at index 0 and
/// nothing else.
fn one_key(cap: u16) -> Vec<PKeyTable> {
    let mut blocks = vec![PKeyTable::default(); usize::from(cap.div_ceil(BLOCK))];
    if let Some(first) = blocks.first_mut() {
        first.set(0, PKey::DEFAULT_FULL);
    }
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
