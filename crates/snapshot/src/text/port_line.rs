//! The line of a port, and what it says.

use std::fmt::Write;

use lk_fabric::{LinkRate, NodeKind, Port, PortId};
use lk_wire::{Guid, PortNum, SlToVlTable};

use super::place;
use super::write::Pools;
use crate::snapshot::Snapshot;

/// Writes the line of a port; whether there is anything to say of it.
pub(super) fn push_port(
    to: &mut String,
    snapshot: &Snapshot,
    id: PortId,
    pools: &mut Pools,
) -> bool {
    let fabric = &snapshot.fabric;
    let node = fabric.node(fabric.owner(id));
    let port = fabric.port(id);
    let start = to.len();
    let _ = write!(to, "port {}", fabric.port_num(id));
    let bare = to.len();
    let usual = if node.kind == NodeKind::Switch { node.guid } else { Guid(0) };
    push_graph(to, snapshot, port, usual);
    if let Some(info) = snapshot.port_info(id) {
        let _ = write!(to, " info {}", pools.info(*info));
        if info.lid() != port.lid.0 {
            let _ = write!(to, " info-lid {}", info.lid());
        }
        if info.local_port_num() != 0 {
            let _ = write!(to, " local {}", info.local_port_num());
        }
    }
    if let Some(info) = snapshot.vendor_ports.get(&id) {
        let _ = write!(to, " extinfo {}", pools.vendor(*info));
    }
    push_sl2vl(to, snapshot, id, pools);
    let vlarb = snapshot.tables.vlarb_blocks(id);
    if vlarb.iter().any(Option::is_some) {
        to.push_str(" vlarb ");
        push_list(to, vlarb.iter().map(|block| block.map(|table| pools.vlarb(table))));
    }
    let pkeys = snapshot.tables.pkey_blocks(id);
    if !pkeys.is_empty() {
        to.push_str(" pkeys ");
        push_list(to, pkeys.iter().map(|block| block.map(|table| pools.pkeys(table))));
    }
    if to.len() == bare {
        to.truncate(start);
        return false;
    }
    to.push('\n');
    true
}

fn push_graph(to: &mut String, snapshot: &Snapshot, port: &Port, usual: Guid) {
    if port.guid != usual {
        let _ = write!(to, " guid {}", port.guid);
    }
    if port.lid.0 != 0 {
        let _ = write!(to, " lid {}", port.lid);
    }
    if port.lmc != 0 {
        let _ = write!(to, " lmc {}", port.lmc);
    }
    if let Some(peer) = port.peer {
        to.push_str(" link ");
        place::push(to, &snapshot.fabric, peer);
    }
    let rate = port.rate;
    if rate != LinkRate::default() {
        let fdr10 = if rate.fdr10 { ",fdr10" } else { "" };
        let _ = write!(to, " rate {},{},{}{fdr10}", rate.width, rate.speed, rate.speed_ext);
    }
}

fn push_list(to: &mut String, numbers: impl Iterator<Item = Option<usize>>) {
    for (at, number) in numbers.enumerate() {
        if at > 0 {
            to.push(',');
        }
        match number {
            Some(number) => {
                let _ = write!(to, "{number}");
            }
            None => to.push('-'),
        }
    }
}

/// Mappings of one number for all ingress ports, or for stretches of them: `0-3:1,4:2`.
fn push_sl2vl(to: &mut String, snapshot: &Snapshot, egress: PortId, pools: &mut Pools) {
    let tables = &snapshot.tables;
    let all = tables.ingress_ports(egress);
    let row = |ingress| tables.sl2vl(egress, ingress);
    if let Some(table) = row(0).filter(|first| (1..all).all(|i| row(i) == Some(*first))) {
        let _ = write!(to, " sl2vl {}", pools.sl2vl(table));
        return;
    }
    let mut separator = " sl2vl ";
    let mut from = 0;
    while from < all {
        let table: Option<SlToVlTable> = row(from);
        let to_excl = (from + 1..all).find(|i| row(*i) != table).unwrap_or(all);
        if let Some(table) = table {
            let number = pools.sl2vl(table);
            let _ = match to_excl - from {
                1 => write!(to, "{separator}{from}:{number}"),
                _ => write!(to, "{separator}{from}-{}:{number}", to_excl - 1),
            };
            separator = ",";
        }
        from = to_excl;
    }
}

/// What the line of a port says.
#[derive(Clone, Default, Debug)]
pub(super) struct PortLine {
    pub(super) guid: Option<Guid>,
    pub(super) lid: u16,
    pub(super) lmc: u8,
    pub(super) link: Option<(Guid, PortNum)>,
    pub(super) rate: LinkRate,
    pub(super) info: Option<usize>,
    pub(super) info_lid: Option<u16>,
    pub(super) local: u8,
    pub(super) extinfo: Option<usize>,
    pub(super) sl2vl: Vec<(IngressRange, usize)>,
    pub(super) vlarb: Vec<Option<usize>>,
    pub(super) pkeys: Vec<Option<usize>>,
}

/// The ingress ports that a mapping is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IngressRange {
    All,
    Some(u16, u16),
}

impl PortLine {
    /// Takes a word and its value; `None` if they are not understood.
    pub(super) fn take(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "guid" => self.guid = Some(place::guid_of(value)?),
            "lid" => self.lid = value.parse().ok()?,
            "lmc" => self.lmc = value.parse().ok().filter(|lmc| *lmc < 8)?,
            "link" => self.link = Some(place::parse(value)?),
            "rate" => self.rate = rate(value)?,
            "info" => self.info = Some(value.parse().ok()?),
            "info-lid" => self.info_lid = Some(value.parse().ok()?),
            "local" => self.local = value.parse().ok()?,
            "extinfo" => self.extinfo = Some(value.parse().ok()?),
            "sl2vl" => self.sl2vl = sl2vl(value)?,
            "vlarb" => self.vlarb = list(value).filter(|blocks| blocks.len() <= 4)?,
            "pkeys" => self.pkeys = list(value).filter(|blocks| blocks.len() <= 2048)?,
            _ => return None,
        }
        Some(())
    }
}

fn rate(value: &str) -> Option<LinkRate> {
    let mut parts = value.split(',');
    let mut number = || parts.next()?.parse().ok();
    let (width, speed, speed_ext) = (number()?, number()?, number()?);
    let fdr10 = match parts.next() {
        None => false,
        Some("fdr10") => parts.next().is_none(),
        Some(_) => return None,
    };
    Some(LinkRate { width, speed, speed_ext, fdr10 })
}

fn list(value: &str) -> Option<Vec<Option<usize>>> {
    let one = |word: &str| match word {
        "-" => Some(None),
        number => number.parse().ok().map(Some),
    };
    value.split(',').map(one).collect()
}

fn sl2vl(value: &str) -> Option<Vec<(IngressRange, usize)>> {
    if let Ok(number) = value.parse() {
        return Some(vec![(IngressRange::All, number)]);
    }
    let one = |part: &str| {
        let (ports, number) = part.split_once(':')?;
        let (from, to) = ports.split_once('-').unwrap_or((ports, ports));
        let range = IngressRange::Some(from.parse().ok()?, to.parse().ok()?);
        Some((range, number.parse().ok()?))
    };
    value.split(',').map(one).collect()
}
