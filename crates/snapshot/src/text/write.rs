//! Writes a snapshot down.

use std::fmt::Write;
use std::hash::Hash;

use lk_fabric::{NodeId, NodeKind, PortId};
use lk_wire::{MlnxExtPortInfo, Mtu, PKeyTable, PortInfo, SlToVlTable, VlArbTable};
use rustc_hash::FxHashMap;

use super::port_line::push_port;
use super::{MAGIC, VERSION, hex, place, words};
use crate::snapshot::{Duplicate, Snapshot, Why};

/// What every file begins with, after the line that says what it is.
const ABOUT: &str = "\
# What the ports and switches of an InfiniBand fabric hold. `lanekeeper check`, `verify` and
# `explain` take this file. Equal tables stand first, each once and with a number; ports name it.
# Bytes are as on the wire. What follows a `#` is for people and is not read.
";

/// Tables of equal content, each with a number.
pub(super) struct Pool<T> {
    keyword: &'static str,
    numbers: FxHashMap<T, usize>,
    lines: String,
}

impl<T: Copy + Eq + Hash> Pool<T> {
    fn new(keyword: &'static str) -> Self {
        Self { keyword, numbers: FxHashMap::default(), lines: String::new() }
    }

    /// The number of a table; one that is new gets its line.
    fn number(&mut self, table: T, bytes: &[u8], comment: impl FnOnce() -> String) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(table).or_insert(next);
        if number == next {
            let _ = write!(self.lines, "{} {number} ", self.keyword);
            hex::push(&mut self.lines, bytes);
            let _ = writeln!(self.lines, " # {}", comment());
        }
        number
    }
}

/// All tables that ports name by a number.
pub(super) struct Pools {
    sl2vl: Pool<SlToVlTable>,
    vlarb: Pool<VlArbTable>,
    pkeys: Pool<[u8; 64]>,
    infos: Pool<PortInfo>,
    vendor: Pool<MlnxExtPortInfo>,
}

impl Pools {
    pub(super) fn sl2vl(&mut self, table: SlToVlTable) -> usize {
        self.sl2vl.number(table, &table.0, || format!("SL0.. {table}"))
    }

    pub(super) fn vlarb(&mut self, table: VlArbTable) -> usize {
        self.vlarb.number(table, &table.0, || {
            let used = table.iter().filter(|entry| entry.weight > 0);
            let words: Vec<String> = used.map(|e| format!("{}:{}", e.vl, e.weight)).collect();
            format!("VL:weight {}", if words.is_empty() { "none".into() } else { words.join(",") })
        })
    }

    pub(super) fn pkeys(&mut self, table: [u8; 64]) -> usize {
        self.pkeys.number(table, &table, || {
            let keys = PKeyTable(table);
            let valid = keys.iter().filter(|key| key.is_valid());
            let words: Vec<String> = valid.map(|key| key.to_string()).collect();
            if words.is_empty() { "no key".to_owned() } else { words.join(",") }
        })
    }

    /// PortInfo without the fields that differ from port to port, which stand in the port's line.
    pub(super) fn info(&mut self, mut info: PortInfo) -> usize {
        info.set_lid(0);
        info.set_local_port_num(0);
        self.infos.number(info, &info.0, || in_words(&info))
    }

    pub(super) fn vendor(&mut self, info: MlnxExtPortInfo) -> usize {
        self.vendor.number(info, &info.0, || {
            let (can, runs) = (info.link_speed_supported(), info.link_speed_active());
            format!("LinkSpeedSupported {can}, LinkSpeedActive {runs}")
        })
    }
}

/// The fields that people look for.
fn in_words(info: &PortInfo) -> String {
    let mtu = |code| Mtu(code).bytes().map_or_else(|| format!("code {code}"), |b| b.to_string());
    format!(
        "{} {}, SMLid {}, OperVLs {} of VLCap {}, MTU {} of {}, width {} of {}, speed {} of {}, \
         extended {} of {}, VLHighLimit {}, VLArbCap {}/{}",
        info.state(),
        info.phys_state(),
        info.sm_lid(),
        info.oper_vls(),
        info.vl_cap(),
        mtu(info.neighbor_mtu()),
        mtu(info.mtu_cap()),
        info.link_width_active(),
        info.link_width_supported(),
        info.link_speed_active(),
        info.link_speed_supported(),
        info.link_speed_ext_active(),
        info.link_speed_ext_supported(),
        info.vl_high_limit(),
        info.vl_arb_low_cap(),
        info.vl_arb_high_cap(),
    )
}

/// The file of a snapshot. [`super::read()`] makes an equal snapshot of it.
#[must_use]
pub fn write(snapshot: &Snapshot) -> String {
    let fabric = &snapshot.fabric;
    let mut pools = Pools {
        sl2vl: Pool::new("sl2vl"),
        vlarb: Pool::new("vlarb"),
        pkeys: Pool::new("pkeys"),
        infos: Pool::new("portinfo"),
        vendor: Pool::new("extportinfo"),
    };
    let mut body = String::new();
    let mut ports = 0;
    for node in fabric.node_ids() {
        push_node(&mut body, snapshot, node);
        let first = fabric.node(node).first.0;
        for port in (first..=first + u32::from(fabric.node(node).num_ports)).map(PortId) {
            ports += usize::from(push_port(&mut body, snapshot, port, &mut pools));
        }
        push_forwarding(&mut body, snapshot, node);
    }
    push_managers(&mut body, snapshot);

    let mut text = format!("{MAGIC} {VERSION}\n{ABOUT}");
    if snapshot.anonymous {
        text.push_str("anonymous\n");
    }
    if let Some(port) = snapshot.read_at {
        text.push_str("read-at ");
        place::push(&mut text, fabric, port);
        text.push('\n');
    }
    let tables = [
        &pools.sl2vl.lines,
        &pools.vlarb.lines,
        &pools.pkeys.lines,
        &pools.infos.lines,
        &pools.vendor.lines,
        &body,
    ];
    tables.iter().for_each(|lines| text.push_str(lines));
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    let _ = writeln!(text, "end nodes {} ports {ports} lines {lines}", fabric.nodes().len());
    text
}

fn push_node(to: &mut String, snapshot: &Snapshot, id: NodeId) {
    let node = snapshot.fabric.node(id);
    let kind = match node.kind {
        NodeKind::Ca => "ca",
        NodeKind::Switch => "switch",
        NodeKind::Router => "router",
    };
    let _ = write!(to, "{kind} {} ", node.guid);
    words::push_quoted(to, &node.description);
    let _ = write!(to, " ports {}", node.num_ports);
    if node.system_guid != node.guid {
        let _ = write!(to, " system {}", node.system_guid);
    }
    if node.vendor_id != 0 {
        let _ = write!(to, " vendor {}", node.vendor_id);
    }
    if node.device_id != 0 {
        let _ = write!(to, " device {}", node.device_id);
    }
    if node.revision != 0 {
        let _ = write!(to, " revision {}", node.revision);
    }
    let cap = snapshot.partition_cap[id.index()];
    if cap != 0 {
        let _ = write!(to, " partition-cap {cap}");
    }
    if node.enhanced_port0 {
        to.push_str(" enhanced-port0 yes");
    }
    let info = snapshot.fabric.as_switch(id).and_then(|switch| snapshot.switch_info(switch));
    if let Some(info) = info {
        to.push_str(" switchinfo ");
        hex::push(to, &info.0);
        let _ = write!(to, " # LinearFDBTop {}", info.linear_fdb_top());
    }
    to.push('\n');
}

fn push_forwarding(to: &mut String, snapshot: &Snapshot, node: NodeId) {
    let Some(switch) = snapshot.fabric.as_switch(node) else { return };
    let blocks = snapshot.tables.lft_blocks(switch).map(|block| ("lft", block));
    for (keyword, (block, bytes)) in
        blocks.chain(snapshot.tables.mft_blocks(switch).map(|block| ("mft", block)))
    {
        let _ = write!(to, "{keyword} {block} ");
        hex::push(to, bytes);
        to.push('\n');
    }
}

fn push_managers(to: &mut String, snapshot: &Snapshot) {
    for (port, info) in &snapshot.managers {
        to.push_str("manager ");
        place::push(to, &snapshot.fabric, *port);
        to.push(' ');
        hex::push(to, &info.0);
        let _ = writeln!(to, " # {}, priority {}", info.state(), info.priority());
    }
    for Duplicate { guid, behind } in &snapshot.duplicates {
        let _ = write!(to, "duplicate {guid} ");
        place::push(to, &snapshot.fabric, *behind);
        to.push('\n');
    }
    for unread in &snapshot.unread {
        to.push_str("unread ");
        place::push(to, &snapshot.fabric, unread.port);
        let _ = write!(to, " 0x{:04x} 0x{:08x} ", unread.attribute, unread.modifier);
        match unread.why {
            Why::NoAnswer => to.push_str("no-answer"),
            Why::Unusable => to.push_str("unusable"),
            Why::Status(status) => {
                let _ = write!(to, "0x{status:04x}");
            }
        }
        let _ = writeln!(to, " # {}", unread.what());
    }
}
