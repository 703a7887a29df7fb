//! All tables that ports and switches have, for a snapshot.
//!
//! SL2VL and VLArb tables are read where a link is up: elsewhere nothing goes by them.

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_wire::{MulticastForwardingTable, PhysState, PortInfo, VlArbTable, cap_mask};

use super::{BlockSet, MftBlock, Observed, Table};
use crate::plan::TableRun;

/// The first multicast LID.
const FIRST_MLID: u16 = 0xC000;
/// After so many blocks without an entry, a table that does not say its top is taken to be over.
const EMPTY_BLOCKS: u16 = 2;

/// The blocks of all tables that are not known yet, but for further blocks of multicast forwarding
/// tables of switches that do not say how far theirs go: see [`further_mfts`].
#[must_use]
pub fn everything(seen: &Observed) -> Vec<TableRun> {
    let fabric = &seen.fabric;
    let mut runs = Vec::new();
    for node in fabric.node_ids() {
        if let Some(switch) = fabric.as_switch(node) {
            forwarding(seen, switch, &mut runs);
        }
        let first = fabric.node(node).first.0;
        for port in (first..=first + u32::from(fabric.node(node).num_ports)).map(PortId) {
            port_tables(seen, port, &mut runs);
        }
    }
    runs.retain(|run| !run.blocks.is_empty());
    runs
}

fn add(seen: &Observed, runs: &mut Vec<TableRun>, table: Table, blocks: impl Iterator<Item = u16>) {
    let mut set = BlockSet::default();
    blocks.filter(|b| seen.tables.block(table, *b).is_none()).for_each(|b| set.insert(b));
    runs.push(TableRun { table, blocks: set });
}

fn forwarding(seen: &Observed, switch: SwitchId, runs: &mut Vec<TableRun>) {
    let Some(info) = seen.switch_info(switch) else { return };
    // A top of 0 is that of a switch that nobody has set up.
    let lids = match info.linear_fdb_top() {
        0 => 0..0,
        top => 0..top / 64 + 1,
    };
    add(seen, runs, Table::Lft(switch), lids);
    let blocks = match mft_top(seen, switch) {
        Some(top) => (top + 1).saturating_sub(FIRST_MLID).div_ceil(32),
        None => mft_cap(seen, switch).min(1),
    };
    let codes = (0..blocks).flat_map(|block| codes(&seen.fabric, switch, block));
    add(seen, runs, Table::Mft(switch), codes);
}

/// MulticastFDBTop; `None` where the switch has no such thing.
fn mft_top(seen: &Observed, switch: SwitchId) -> Option<u16> {
    let top = seen.switch_info(switch)?.multicast_fdb_top();
    let port0 = seen.fabric.node(seen.fabric.switch_node(switch)).first;
    let has = seen.port_info(port0)?.capability_mask() & cap_mask::MULTICAST_FDB_TOP != 0;
    (has && top != 0).then(|| top.min(0xFFFE))
}

/// How many blocks the multicast forwarding table can have.
fn mft_cap(seen: &Observed, switch: SwitchId) -> u16 {
    let cap = seen.switch_info(switch).map_or(0, |info| info.multicast_fdb_cap());
    cap.div_ceil(MulticastForwardingTable::ENTRIES as u16).min(512)
}

fn codes(fabric: &Fabric, switch: SwitchId, block: u16) -> impl Iterator<Item = u16> + use<> {
    let ports = fabric.node(fabric.switch_node(switch)).num_ports;
    let positions = ports / MulticastForwardingTable::PORTS + 1;
    (0..positions).map(move |position| MftBlock { block, position }.code())
}

/// The next blocks of multicast forwarding tables that do not say how far they go, as long as the
/// last ones held entries.
#[must_use]
pub fn further_mfts(seen: &Observed) -> Vec<TableRun> {
    let mut runs = Vec::new();
    for switch in seen.fabric.switch_ids() {
        if seen.switch_info(switch).is_none() || mft_top(seen, switch).is_some() {
            continue;
        }
        let table = Table::Mft(switch);
        let held = |block| {
            codes(&seen.fabric, switch, block)
                .map(|code| seen.tables.block(table, code))
                .try_fold(false, |any, bytes| Some(any | (bytes? != [0; 64])))
        };
        // Where a block was asked for and did not come, nobody asks for more.
        let Some(next) = (0..mft_cap(seen, switch)).find(|block| held(*block).is_none()) else {
            continue;
        };
        let last = next.saturating_sub(EMPTY_BLOCKS)..next;
        let asked = codes(&seen.fabric, switch, next)
            .any(|code| seen.unread.iter().any(|u| u.is_of(table.address(code, &seen.fabric))));
        if !asked && last.into_iter().any(|block| held(block) == Some(true)) {
            add(seen, &mut runs, table, codes(&seen.fabric, switch, next));
        }
    }
    runs
}

fn port_tables(seen: &Observed, port: PortId, runs: &mut Vec<TableRun>) {
    let fabric = &seen.fabric;
    let node = fabric.owner(port);
    let is_switch = fabric.node(node).kind == NodeKind::Switch;
    let external = is_switch && fabric.port_num(port).0 != 0;
    let Some(info) = seen.port_info(port) else { return };
    let up = PhysState(info.port_physical_state()) == PhysState::LINK_UP;
    let keys = match fabric.as_switch(node).and_then(|switch| seen.switch_info(switch)) {
        Some(switch) if external => switch.partition_enforcement_cap(),
        _ => seen.partition_cap[node.index()],
    };
    if up || !external {
        add(seen, runs, Table::PKeys(port), 0..keys.div_ceil(32).min(2048));
    }
    let caps = seen.node_port_info(port).map_or(0, PortInfo::capability_mask);
    let lanes = up && (external || !is_switch || fabric.node(node).enhanced_port0);
    if !lanes || info.vl_cap() == 0 {
        return;
    }
    if caps & cap_mask::SL_MAPPING != 0 {
        let ingress = if is_switch { ingress(seen, port) } else { vec![0] };
        add(seen, runs, Table::Sl2vl(port), ingress.into_iter());
    }
    let (low, high) = (info.vl_arb_low_cap(), info.vl_arb_high_cap());
    let half = VlArbTable::ENTRIES as u8;
    let blocks = [(1, low, 0), (2, low, half), (3, high, 0), (4, high, half)];
    let held = blocks.into_iter().filter(|(_, cap, above)| cap > above).map(|(block, ..)| block);
    add(seen, runs, Table::VlArb(port), held);
}

/// The ports that something can come in by: port 0 and those whose link is up.
fn ingress(seen: &Observed, egress: PortId) -> Vec<u16> {
    let node = seen.fabric.node(seen.fabric.owner(egress));
    let up = |number: &u16| {
        let info = seen.port_info(PortId(node.first.0 + u32::from(*number)));
        info.is_some_and(|info| PhysState(info.port_physical_state()) == PhysState::LINK_UP)
    };
    (0..=u16::from(node.num_ports)).filter(|number| *number == 0 || up(number)).collect()
}
