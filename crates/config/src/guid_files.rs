//! What the lines of the GUID files mean: lists, ids, ignored ports, hop weights, port orders.
//!
//! Whether a GUID is in the fabric is not known here; who uses a file looks it up. The place of
//! each entry is kept for that.

use std::collections::BTreeMap;

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use lk_wire::{Guid, PortNum};

use crate::codes;
use crate::guid_map::{self, GuidEntry};
use crate::options::number::{base0_unsigned, c_space, leading_digits};

/// A value with its place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Span,
}

/// A list of GUIDs: root_guid_file, cn_guid_file, io_guid_file, guid_routing_order_file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuidList {
    /// The GUIDs that OpenSM reads, in the file's order, each once.
    pub guids: Vec<Placed<Guid>>,
    /// Whether a bad line ended the reading. updn then looks for roots by itself, ftree fails.
    pub broken: bool,
}

/// Reads a list of GUIDs. What follows a GUID on its line is not looked at.
#[must_use]
pub fn guid_list(source: &SourceFile) -> (GuidList, Diagnostics) {
    let (map, mut out) = guid_map::parse(source);
    let mut first: BTreeMap<Guid, Span> = BTreeMap::new();
    let mut guids = Vec::new();
    for entry in map.before_stop() {
        if let Some(before) = first.get(&entry.guid) {
            out.push(twice(source, entry, *before));
            continue;
        }
        first.insert(entry.guid, entry.place);
        guids.push(Placed { value: entry.guid, place: entry.place });
        if !entry.rest.is_empty() && !entry.rest.starts_with('#') {
            out.push(Diagnostic::info(codes::GUID_REST, "what follows a GUID is not read").at(
                source,
                entry.rest_place,
                "",
            ));
        }
    }
    (GuidList { guids, broken: map.stop.is_some() }, out)
}

/// Reads ids_guid_file: a switch and the id that updn uses in place of its GUID. A bad id ends
/// the reading.
#[must_use]
pub fn ids(source: &SourceFile) -> (Vec<(Placed<Guid>, u64)>, Diagnostics) {
    let (map, mut out) = guid_map::parse(source);
    let mut ids = Vec::new();
    for entry in map.before_stop() {
        let word = entry.rest.split(|c| c == '#' || c_space(c)).next().unwrap_or_default();
        match base0_unsigned(word) {
            Ok(id) => ids.push((placed(entry), id)),
            Err(_) => {
                out.push(bad(source, entry, "OpenSM wants a number as id and stops reading here"));
                break;
            }
        }
    }
    (ids, out)
}

/// Reads port_prof_ignore_file: a switch and one of its ports.
#[must_use]
pub fn ignored_ports(source: &SourceFile) -> (Vec<(Placed<Guid>, PortNum)>, Diagnostics) {
    let (map, mut out) = guid_map::parse(source);
    let mut ports = Vec::new();
    for entry in map.before_stop() {
        match port(leading(&entry.rest).0) {
            Some(port) => ports.push((placed(entry), port)),
            None => out.push(bad(source, entry, "a port number from 1 to 254 must follow")),
        }
    }
    (ports, out)
}

/// The weight of a hop that leaves a switch by a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HopWeight {
    /// The switch.
    pub switch: Placed<Guid>,
    /// Its port.
    pub port: PortNum,
    /// What the hop costs, 1 to 255; without the file each costs 1.
    pub weight: u8,
}

/// Reads hop_weights_file: a switch, a port, one character between, a weight.
#[must_use]
pub fn hop_weights(source: &SourceFile) -> (Vec<HopWeight>, Diagnostics) {
    let (map, mut out) = guid_map::parse(source);
    let mut weights = Vec::new();
    for entry in map.before_stop() {
        let (first, rest) = leading(&entry.rest);
        let mut behind = rest.chars();
        behind.next();
        let (second, _) = leading(behind.as_str());
        let weight = second.and_then(|w| u8::try_from(w).ok()).filter(|w| *w > 0);
        match (port(first), weight) {
            (Some(port), Some(weight)) => {
                weights.push(HopWeight { switch: placed(entry), port, weight });
            }
            _ => out.push(bad(source, entry, "a port from 1 to 254 and a weight from 1 to 255")),
        }
    }
    (weights, out)
}

/// The order in which a switch's ports are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortOrder {
    /// The switch.
    pub switch: Placed<Guid>,
    /// The ports that come first.
    pub ports: Vec<PortNum>,
}

/// Reads port_search_ordering_file: a switch and its ports in the order in which they are tried.
/// Ports that are not named follow in ascending order. A line with a bad port is not used, and
/// of two lines for a switch the first counts.
#[must_use]
pub fn port_orders(source: &SourceFile) -> (Vec<PortOrder>, Diagnostics) {
    let (map, mut out) = guid_map::parse(source);
    let mut orders: Vec<PortOrder> = Vec::new();
    for entry in map.before_stop() {
        if let Some(before) = orders.iter().find(|order| order.switch.value == entry.guid) {
            out.push(twice(source, entry, before.switch.place));
            continue;
        }
        match port_order(&entry.rest) {
            Ok(ports) => orders.push(PortOrder { switch: placed(entry), ports }),
            Err(word) => out.push(bad(
                source,
                entry,
                &format!("`{word}` is no port or named before; the whole line is not used"),
            )),
        }
    }
    (orders, out)
}

fn port_order(rest: &str) -> Result<Vec<PortNum>, &str> {
    let list = rest.split('#').next().unwrap_or_default();
    let mut ports = Vec::new();
    for word in list.split(c_space).filter(|word| !word.is_empty()) {
        let number = base0_unsigned(word).ok();
        let port = port(number).filter(|p| !ports.contains(p)).ok_or(word)?;
        ports.push(port);
    }
    Ok(ports)
}

/// The number at the start of a text, and what follows it.
fn leading(text: &str) -> (Option<u64>, &str) {
    match leading_digits(text) {
        Some(digits) if !digits.negative => (digits.value, digits.rest),
        Some(digits) => (None, digits.rest),
        None => (None, text),
    }
}

fn port(number: Option<u64>) -> Option<PortNum> {
    number.and_then(|n| u8::try_from(n).ok()).filter(|n| (1..=254).contains(n)).map(PortNum)
}

const fn placed(entry: &GuidEntry) -> Placed<Guid> {
    Placed { value: entry.guid, place: entry.place }
}

fn bad(source: &SourceFile, entry: &GuidEntry, why: &str) -> Diagnostic {
    let place = entry.place.cover(entry.rest_place);
    Diagnostic::error(codes::GUID_REST, format!("the line of {} is not used", entry.guid))
        .at(source, place, "")
        .note(why)
}

fn twice(source: &SourceFile, entry: &GuidEntry, before: Span) -> Diagnostic {
    Diagnostic::info(codes::GUID_TWICE, format!("{} is given twice; the first counts", entry.guid))
        .at(source, entry.place, "not used")
        .also(source, before, "given before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(text: &str) -> SourceFile {
        SourceFile::new("f", text)
    }

    #[test]
    fn a_list_of_guids() {
        let (list, found) = guid_list(&file("0x1\n0x2 x\n0x1\nbad\n0x3\n"));
        assert_eq!(list.guids.iter().map(|g| g.value.0).collect::<Vec<_>>(), [1, 2]);
        assert!(list.broken);
        let told: Vec<_> = found.iter().map(|d| d.code).collect();
        assert_eq!(told, [codes::GUID_LINE, codes::GUID_REST, codes::GUID_TWICE]);
    }

    #[test]
    fn ids_end_at_a_bad_one() {
        let (ids, found) = ids(&file("0x1 5\n0x2 0x10#c\n0x3 x\n0x4 1\n"));
        assert_eq!(
            ids.iter().map(|(g, id)| (g.value.0, *id)).collect::<Vec<_>>(),
            [(1, 5), (2, 16)]
        );
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn ports_and_weights() {
        let (ports, found) = ignored_ports(&file("0x1 3\n0x2 0\n0x3 255\n0x4\n0x5 7 # c\n"));
        let ports: Vec<_> = ports.iter().map(|(g, p)| (g.value.0, p.0)).collect();
        assert_eq!(ports, [(1, 3), (5, 7)]);
        assert_eq!(found.len(), 3);
        let (weights, found) = hop_weights(&file("0x1 3 5\n0x1 4,6\n0x2 1 0\n0x2 1 256\n0x2 1\n"));
        let weights: Vec<_> = weights.iter().map(|w| (w.port.0, w.weight)).collect();
        assert_eq!(weights, [(3, 5), (4, 6)]);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn orders_are_whole_or_not_used() {
        let text = "0x1 3 1 2 # c\n0x2 1 1\n0x3 1 x\n0x4 0\n0x1 2\n0x5\n";
        let (orders, found) = port_orders(&file(text));
        let orders: Vec<_> = orders
            .iter()
            .map(|o| (o.switch.value.0, o.ports.iter().map(|p| p.0).collect::<Vec<_>>()))
            .collect();
        assert_eq!(orders, [(1, vec![3, 1, 2]), (5, vec![])]);
        assert_eq!(found.len(), 4);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(0x[0-9a-f]{1,3}[ \t]?[0-9a-fx# -]{0,12}\n?){0,20}") {
            let source = file(&text);
            let _ = (guid_list(&source), ids(&source), ignored_ports(&source));
            let _ = (hop_weights(&source), port_orders(&source));
        }
    }
}
