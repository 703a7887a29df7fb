//! From the lines of a file to the snapshot: the graph first, then what hangs on its ports.

use lk_diag::{Diagnostic, Span};
use lk_fabric::{NodeKind, PortId};
use lk_wire::{Guid, Lid, PortNum};

use super::{Found, NodeLines, Reader};
use crate::blocks::Table;
use crate::codes::CONTRADICTION;
use crate::snapshot::{Duplicate, Snapshot, Unread};
use crate::text::place;
use crate::text::port_line::{IngressRange, PortLine};

/// Makes the snapshot, now that all lines are there.
pub(super) fn settle(mut reader: Reader<'_>) -> Found<Snapshot> {
    build_graph(&mut reader)?;
    let (fabric, map) = std::mem::take(&mut reader.builder).build_with_map();
    let mut snapshot = Snapshot::of_graph(fabric);
    snapshot.anonymous = reader.anonymous;
    for node in &reader.nodes {
        let id = map[node.added.index()];
        snapshot.partition_cap[id.index()] = node.partition_cap;
        let first = snapshot.fabric.node(id).first;
        for (number, span, line) in &node.ports {
            let port = PortId(first.0 + u32::from(*number));
            fill_port(&mut snapshot, &reader, port, *span, line)?;
        }
        if let Some(switch) = snapshot.fabric.as_switch(id) {
            snapshot.switches[switch.index()] = node.switch_info;
            for (lft, block, bytes) in &node.forwarding {
                let table = if *lft { Table::Lft(switch) } else { Table::Mft(switch) };
                snapshot.tables.learn(table, *block, bytes);
            }
        }
    }
    let find = |span: Span, (guid, number): (Guid, PortNum)| {
        place::find(&snapshot.fabric, (guid, number)).ok_or_else(|| {
            let message = format!("there is no port {guid}/{number} in the snapshot");
            reader.error(CONTRADICTION, span, message)
        })
    };
    let read_at = reader.read_at.map(|(span, place)| find(span, place)).transpose()?;
    let managers: Found<Vec<_>> = reader
        .managers
        .iter()
        .map(|(span, place, info)| Ok((find(*span, *place)?, *info)))
        .collect();
    let unread: Found<Vec<_>> = reader
        .unread
        .iter()
        .map(|line| {
            let (attribute, modifier, why) = (line.attribute, line.modifier, line.why);
            Ok(Unread { port: find(line.span, line.place)?, attribute, modifier, why })
        })
        .collect();
    let duplicates: Found<Vec<_>> = reader
        .duplicates
        .iter()
        .map(|(span, place, guid)| Ok(Duplicate { guid: *guid, behind: find(*span, *place)? }))
        .collect();
    let (managers, unread, duplicates) = (managers?, unread?, duplicates?);
    Ok(Snapshot { read_at, managers, unread, duplicates, ..snapshot })
}

fn build_graph(reader: &mut Reader<'_>) -> Found<()> {
    let contradiction = |source, span, error: &dyn std::fmt::Display| {
        Box::new(Diagnostic::error(CONTRADICTION, error.to_string()).at(source, span, ""))
    };
    let source = reader.source;
    let builder = &mut reader.builder;
    for node in &reader.nodes {
        for (number, span, line) in &node.ports {
            let guid = line.guid.unwrap_or_else(|| usual_guid(node));
            builder
                .set_port(node.added, *number, guid, Lid(line.lid), line.lmc)
                .and_then(|()| builder.set_rate(node.added, *number, line.rate))
                .map_err(|error| contradiction(source, *span, &error))?;
        }
    }
    for node in &reader.nodes {
        for (number, span, line) in &node.ports {
            let Some((guid, far)) = line.link else { continue };
            let Some(peer) = builder.find(guid) else {
                let message = format!("the link leads to {guid}, and there is no such node");
                return Err(contradiction(source, *span, &message));
            };
            builder
                .connect((node.added, *number), (peer, far.0))
                .map_err(|error| contradiction(source, *span, &error))?;
        }
    }
    Ok(())
}

/// The GUID of a port whose line names none.
fn usual_guid(node: &NodeLines) -> Guid {
    if node.kind == NodeKind::Switch { node.guid } else { Guid(0) }
}

fn fill_port(
    snapshot: &mut Snapshot,
    reader: &Reader<'_>,
    port: PortId,
    span: Span,
    line: &PortLine,
) -> Found<()> {
    let missing = |what: &str, number: usize| {
        let message = format!("there is no {what} {number} in the snapshot");
        reader.error(CONTRADICTION, span, message)
    };
    if let Some(number) = line.info {
        let mut info = *reader.infos.get(number).ok_or_else(|| missing("portinfo", number))?;
        info.set_lid(line.info_lid.unwrap_or(line.lid));
        info.set_local_port_num(line.local);
        snapshot.ports[port.index()] = Some(info);
    }
    if let Some(number) = line.extinfo {
        let info = *reader.vendor.get(number).ok_or_else(|| missing("extportinfo", number))?;
        snapshot.vendor_ports.insert(port, info);
    }
    let tables = &mut snapshot.tables;
    for (range, number) in &line.sl2vl {
        let table = *reader.sl2vl.get(*number).ok_or_else(|| missing("sl2vl", *number))?;
        match *range {
            IngressRange::All => tables.learn_all_ingress(port, table),
            IngressRange::Some(from, to) => {
                if to >= tables.ingress_ports(port) {
                    let message = format!("nothing comes in by port {to} of this node");
                    return Err(reader.error(CONTRADICTION, span, message));
                }
                let mut bytes = [0; 64];
                bytes[..8].copy_from_slice(&table.0);
                (from..=to).for_each(|at| tables.learn(Table::Sl2vl(port), at, &bytes));
            }
        }
    }
    for (block, number) in line.vlarb.iter().enumerate() {
        let Some(number) = *number else { continue };
        let bytes = reader.vlarb.get(number).ok_or_else(|| missing("vlarb", number))?;
        tables.learn(Table::VlArb(port), block as u16 + 1, bytes);
    }
    for (block, number) in line.pkeys.iter().enumerate() {
        let Some(number) = *number else { continue };
        let bytes = reader.pkeys.get(number).ok_or_else(|| missing("pkeys", number))?;
        tables.learn(Table::PKeys(port), block as u16, bytes);
    }
    Ok(())
}
