//! The cables in ibdiagnet's `ibdiagnet2.db_csv`: sections NODES, PORTS and LINKS.
//!
//! ```text
//! START_LINKS
//! NodeGuid1,PortNum1,NodeGuid2,PortNum2
//! 0x0002c90300a0b0c0,1,0x0002c90200400001,33
//! END_LINKS
//! ```
//!
//! Columns are found by their names, for versions differ in what else they write. A table of links
//! alone, without the lines around it, is read too; of nodes that no section describes those with
//! one cable are taken as adapters and all others as switches. GUIDs that are no numbers (files
//! are made anonymous before they are handed on) get numbers here.

use lk_diag::{Diagnostic, SourceFile, Span};
use lk_wire::Guid;
use rustc_hash::FxHashMap;

use super::draft::{Draft, DraftEnd, DraftNode, DraftPort, NameId, Place};
use super::findings::{BAD_NUMBER, Findings, MALFORMED, NO_LINKS, NODE_TWICE, PORT_RANGE};
use super::record;
use crate::graph::{LinkRate, NodeKind, NodeSpec};

/// The first columns of the table of links.
const LINK_COLUMNS: &str = "nodeguid1,portnum1,nodeguid2,portnum2";

/// Whether a line shows that the file is one of these.
pub(super) fn is_own(line: &str) -> bool {
    let section = line.strip_prefix("START_");
    section.is_some_and(|name| {
        !name.trim_end().is_empty()
            && name.trim_end().bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    }) || is_link_head(line)
}

fn is_link_head(line: &str) -> bool {
    line.trim().to_ascii_lowercase().starts_with(LINK_COLUMNS)
}

/// One row of a table.
struct Row<'t> {
    place: Place,
    fields: Vec<&'t str>,
}

/// A section: names of columns in small letters, and rows.
#[derive(Default)]
struct Table<'t> {
    columns: Vec<String>,
    rows: Vec<Row<'t>>,
}

impl Table<'_> {
    fn column(&self, names: &[&str]) -> Option<usize> {
        self.columns.iter().position(|column| names.contains(&column.as_str()))
    }
}

impl<'t> Row<'t> {
    fn text(&self, column: Option<usize>) -> Option<&'t str> {
        self.fields.get(column?).copied().filter(|field| !field.is_empty() && *field != "N/A")
    }

    fn number(&self, column: Option<usize>) -> Option<u32> {
        self.text(column).and_then(record::number)
    }
}

/// Collects nodes and cables; nothing where the file has no table of links.
pub(super) fn read(source: &SourceFile, findings: &mut Findings) -> Option<Draft> {
    let tables = tables(source);
    let Some(links) = tables.get("LINKS") else {
        let message = format!("{} has no section LINKS: no cable is known", source.name());
        findings.push(Diagnostic::error(NO_LINKS, message).help(
            "without cables there is nothing to route; the output of ibnetdiscover has them",
        ));
        return None;
    };
    let mut reader = Reader {
        source,
        findings,
        draft: Draft::of(source),
        made_up: 0,
        guids: FxHashMap::default(),
        ports: FxHashMap::default(),
        taken: FxHashMap::default(),
    };
    if let Some(nodes) = tables.get("NODES") {
        reader.nodes(nodes);
    } else {
        reader.nodes_by_links(links);
    }
    if let Some(ports) = tables.get("PORTS") {
        reader.ports(ports);
    }
    reader.links(links);
    Some(reader.draft)
}

/// Cuts the file into its sections. Of two sections of one name the first counts.
fn tables(source: &SourceFile) -> FxHashMap<&str, Table<'_>> {
    let mut tables: FxHashMap<&str, Table<'_>> = FxHashMap::default();
    let mut open: Option<(&str, Table<'_>)> = None;
    for (_, span, text) in source.lines() {
        let text = text.trim_end();
        if let Some(name) = text.strip_prefix("START_") {
            if let Some((name, table)) = open.replace((name, Table::default())) {
                tables.entry(name).or_insert(table);
            }
        } else if text.starts_with("END_") {
            if let Some((name, table)) = open.take() {
                tables.entry(name).or_insert(table);
            }
        } else if let Some((_, table)) = &mut open {
            if text.is_empty() {
            } else if table.columns.is_empty() {
                let columns = fields(text).into_iter().map(str::to_ascii_lowercase);
                table.columns = columns.collect();
            } else {
                let place = Place { file: 0, span };
                table.rows.push(Row { place, fields: fields(text) });
            }
        } else if is_link_head(text) {
            let columns = fields(text).into_iter().map(str::to_ascii_lowercase).collect();
            open = Some(("LINKS", Table { columns, rows: Vec::new() }));
        }
    }
    if let Some((name, table)) = open {
        tables.entry(name).or_insert(table);
    }
    tables
}

/// The fields of a row. Names stand in quotes and may hold commas.
fn fields(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut quoted = false;
    let mut start = 0;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                out.push(unquoted(&line[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(unquoted(&line[start..]));
    out
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|f| f.strip_suffix('"')).unwrap_or(field)
}

struct Reader<'a> {
    source: &'a SourceFile,
    findings: &'a mut Findings,
    draft: Draft,
    /// How many GUIDs were given out here.
    made_up: u64,
    guids: FxHashMap<String, Guid>,
    /// What is said of ports, by node and number.
    ports: FxHashMap<(u32, u8), (DraftPort, LinkRate)>,
    /// The far end of each port by its first link.
    taken: FxHashMap<(u32, u8), (NameId, u8)>,
}

impl Reader<'_> {
    fn say(&mut self, finding: Diagnostic, place: Place, text: &str) {
        self.findings.push(finding.at(self.source, place.span, text));
    }

    /// The GUID that a text stands for.
    fn guid(&mut self, text: &str, place: Place) -> Guid {
        if let Some(guid) = record::hex(text) {
            return guid;
        }
        if let Some(guid) = self.guids.get(text) {
            return *guid;
        }
        if self.made_up == 0 {
            let message = format!("`{text}` is no GUID; such GUIDs are replaced by numbers");
            self.say(Diagnostic::warning(BAD_NUMBER, message), place, "the first one");
        }
        self.made_up += 1;
        let guid = Guid(0x0F00_0000_0000_0000 + (self.made_up << 8));
        self.guids.insert(text.to_owned(), guid);
        guid
    }

    fn id(&mut self, text: &str) -> NameId {
        let name = text.to_ascii_lowercase();
        // The same GUID may be written with and without its leading zeros.
        match record::hex(text) {
            Some(guid) => self.draft.name(&format!("{guid}")),
            None => self.draft.name(&name),
        }
    }

    fn node(&mut self, text: &str, kind: NodeKind, ports: u8, place: Place) -> Option<u32> {
        let guid = self.guid(text, place);
        let name = self.id(text);
        let spec = NodeSpec::new(guid, kind, "", ports);
        let node = DraftNode { name, place, spec, port0: DraftPort::default() };
        match self.draft.add(node) {
            Ok(index) => Some(index),
            Err(first) => {
                let message = format!("the node {text} is described twice");
                let first = self.draft.nodes[first as usize].place.span;
                let finding = Diagnostic::error(NODE_TWICE, message);
                let finding = finding.at(self.source, place.span, "this one is left out");
                self.findings.push(finding.also(self.source, first, "the first one"));
                None
            }
        }
    }

    fn nodes(&mut self, table: &Table<'_>) {
        let [description, ports, kind, guid, system, device, vendor, revision] = [
            &["nodedesc"][..],
            &["numports"],
            &["nodetype"],
            &["nodeguid"],
            &["systemimageguid"],
            &["deviceid"],
            &["vendorid"],
            &["revision"],
        ]
        .map(|names| table.column(names));
        for row in &table.rows {
            let kind = match row.number(kind) {
                Some(1) => NodeKind::Ca,
                Some(2) => NodeKind::Switch,
                Some(3) => NodeKind::Router,
                _ => {
                    self.malformed(row.place, "a node's type, 1 to 3, in the column NodeType");
                    continue;
                }
            };
            let count = row.number(ports).and_then(|n| u8::try_from(n).ok());
            let Some(count) = count.filter(|n| (1..=254).contains(n)) else {
                self.malformed(row.place, "a number of ports, 1 to 254, in the column NumPorts");
                continue;
            };
            let Some(guid) = row.text(guid) else {
                self.malformed(row.place, "a GUID in the column NodeGUID");
                continue;
            };
            let Some(node) = self.node(guid, kind, count, row.place) else { continue };
            let system = row.text(system).map(|text| self.guid(text, row.place));
            let spec = &mut self.draft.nodes[node as usize].spec;
            spec.description = row.text(description).unwrap_or_default().to_owned();
            spec.system_guid = system.unwrap_or(spec.guid);
            spec.device_id = row.number(device).and_then(|n| u16::try_from(n).ok()).unwrap_or(0);
            spec.vendor_id = row.number(vendor).filter(|n| *n <= 0xFF_FFFF).unwrap_or(0);
            spec.revision = row.number(revision).unwrap_or(0);
        }
    }

    /// Nodes that only links name.
    fn nodes_by_links(&mut self, links: &Table<'_>) {
        let mut seen: FxHashMap<NameId, usize> = FxHashMap::default();
        let mut nodes: Vec<(&str, u8, u32, Place)> = Vec::new();
        for row in &links.rows {
            for [guid, port] in link_columns(links) {
                let (Some(guid), Some(port)) = (row.text(guid), small(row, port)) else { continue };
                let at = *seen.entry(self.id(guid)).or_insert(nodes.len());
                if at == nodes.len() {
                    nodes.push((guid, port, 0, row.place));
                }
                let (_, most, cables, _) = &mut nodes[at];
                *most = port.max(*most);
                *cables += 1;
            }
        }
        for (guid, ports, cables, place) in nodes {
            let kind = if cables == 1 { NodeKind::Ca } else { NodeKind::Switch };
            self.node(guid, kind, ports, place);
        }
        let message = "no section NODES: nodes with one cable are taken as adapters, all others \
                       as switches";
        self.findings.push(Diagnostic::warning(NO_LINKS, message));
    }

    fn ports(&mut self, table: &Table<'_>) {
        let [node, guid, number, lid, lmc, width, speed] = [
            &["nodeguid"][..],
            &["portguid"],
            &["portnum"],
            &["lid"],
            &["lmc"],
            &["linkwidthactv"],
            &["linkspeedactv"],
        ]
        .map(|names| table.column(names));
        for row in &table.rows {
            let name = row.text(node).map(|text| self.id(text));
            let node = name.and_then(|name| self.draft.node_named(name));
            let (Some(node), Some(number)) = (node, small(row, number)) else { continue };
            let guid = row.text(guid).map(|text| self.guid(text, row.place));
            let lid = row.number(lid).filter(|lid| (1..=0xBFFF).contains(lid));
            let lmc = row.number(lmc).filter(|lmc| *lmc <= 7).unwrap_or(0) as u8;
            let port = DraftPort { guid, lid: lid.map(|lid| lid as u16), lmc };
            let is_switch = self.draft.nodes[node as usize].spec.kind == NodeKind::Switch;
            if is_switch && number == 0 {
                self.draft.nodes[node as usize].port0 = port;
                continue;
            }
            // External ports of a switch have no address of their own.
            let port = if is_switch { DraftPort::default() } else { port };
            let width = row.number(width).unwrap_or(0);
            let rate = rate(width, row.number(speed).unwrap_or(0));
            self.ports.entry((node, number)).or_insert((port, rate));
        }
    }

    fn links(&mut self, table: &Table<'_>) {
        for row in &table.rows {
            let ends = link_columns(table).map(|[guid, port]| {
                let name = row.text(guid).map(|text| self.id(text));
                name.zip(small(row, port))
            });
            let [Some(a), Some(b)] = ends else {
                self.malformed(row.place, "two GUIDs and two port numbers");
                continue;
            };
            for (near, far) in [(a, b), (b, a)] {
                self.end(near, far, row.place);
            }
        }
    }

    fn end(&mut self, (name, port): (NameId, u8), (far, far_port): (NameId, u8), place: Place) {
        // A far end that is described nowhere is reported where the ends are paired.
        let Some(node) = self.draft.node_named(name) else { return };
        let spec = &self.draft.nodes[node as usize].spec;
        if !(1..=spec.num_ports).contains(&port) {
            let message =
                format!("`{}` has ports 1 to {}, not {port}", spec.description, spec.num_ports);
            return self.say(Diagnostic::error(PORT_RANGE, message), place, "left out");
        }
        // A version that writes each cable from both ends says the same twice.
        if self.taken.get(&(node, port)) == Some(&(far, far_port)) {
            return;
        }
        self.taken.entry((node, port)).or_insert((far, far_port));
        let (this, rate) = self.ports.get(&(node, port)).copied().unwrap_or_default();
        self.draft.ends.push(DraftEnd {
            node,
            port,
            place,
            this,
            far,
            far_port: u32::from(far_port),
            far_guid: None,
            far_lid: None,
            rate,
            enabled: None,
            by_alias: false,
        });
    }

    fn malformed(&mut self, place: Place, expected: &str) {
        let message = format!("expected {expected}; the row is left out");
        let start = Span::new(place.span.start, place.span.end);
        self.say(Diagnostic::error(MALFORMED, message), Place { span: start, ..place }, "");
    }
}

/// GUID and port of both ends of a link.
fn link_columns(table: &Table<'_>) -> [[Option<usize>; 2]; 2] {
    [["nodeguid1", "portnum1"], ["nodeguid2", "portnum2"]]
        .map(|names| names.map(|name| table.column(&[name])))
}

fn small(row: &Row<'_>, column: Option<usize>) -> Option<u8> {
    row.number(column).and_then(|n| u8::try_from(n).ok()).filter(|n| *n <= 254)
}

/// ibdiagnet's one number for both speeds of PortInfo: the extended ones begin at bit 8.
fn rate(width: u32, speed: u32) -> LinkRate {
    let width = [1, 2, 4, 8, 16].into_iter().find(|code| u32::from(*code) == width).unwrap_or(0);
    let extended = (speed >> 8) as u8 & 0x1F;
    let speed_ext = if extended == 0 { 0 } else { 1 << extended.ilog2() };
    let plain = speed as u8 & 7;
    let speed_plain = match (speed_ext, plain) {
        (0, 0) => 0,
        (0, n) => 1 << n.ilog2(),
        _ => 4,
    };
    LinkRate { width, speed: speed_plain, speed_ext, fdr10: false }
}
