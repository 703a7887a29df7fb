//! Reads the file of a snapshot.
//!
//! Lines are taken in order. Tables of ports are kept aside until the graph is whole, because
//! ports are numbered in its order.

use lk_diag::{Code, Diagnostic, Diagnostics, SourceFile, Span};
use lk_fabric::{Added, FabricBuilder, NodeKind, NodeSpec};
use lk_wire::{Guid, MlnxExtPortInfo, PortInfo, PortNum, SlToVlTable, SmInfo, SwitchInfo};

use super::port_line::PortLine;
use super::words::{Word, Words, unquoted};
use super::{MAGIC, VERSION, hex, place};
use crate::codes::{BAD_LINE, CONTRADICTION, CUT_SHORT, NO_SNAPSHOT, VERSION as OTHER_VERSION};
use crate::snapshot::{Snapshot, Why};

mod settle;

/// After so many errors the rest is not looked at: the file is something else, or mangled.
const MOST_ERRORS: usize = 20;

type Found<T> = Result<T, Box<Diagnostic>>;

/// Reads the file of a snapshot. With an error there is no snapshot: a part of one would be
/// judged as if it were all.
#[must_use]
pub fn read(source: &SourceFile) -> (Option<Snapshot>, Diagnostics) {
    let mut reader = Reader::new(source);
    let mut found = Diagnostics::new();
    if let Err(refused) = reader.head() {
        found.push(*refused);
        return (None, found);
    }
    for (number, span, line) in source.lines().skip(1) {
        if let Err(error) = reader.line(number, Words::new(line, span.start)) {
            found.push(*error);
            if found.len() == MOST_ERRORS {
                return (None, found);
            }
        }
    }
    if found.is_empty() {
        match reader.finish() {
            Ok(snapshot) => return (Some(snapshot), found),
            Err(error) => found.push(*error),
        }
    }
    (None, found)
}

/// The lines of one node.
struct NodeLines {
    added: Added,
    guid: Guid,
    kind: NodeKind,
    switch_info: Option<SwitchInfo>,
    partition_cap: u16,
    ports: Vec<(u8, Span, PortLine)>,
    forwarding: Vec<(bool, u16, [u8; 64])>,
}

/// A line about something that was not read.
struct UnreadLine {
    span: Span,
    place: (Guid, PortNum),
    attribute: u16,
    modifier: u32,
    why: Why,
}

struct Reader<'a> {
    source: &'a SourceFile,
    builder: FabricBuilder,
    nodes: Vec<NodeLines>,
    sl2vl: Vec<SlToVlTable>,
    vlarb: Vec<[u8; 64]>,
    pkeys: Vec<[u8; 64]>,
    infos: Vec<PortInfo>,
    vendor: Vec<MlnxExtPortInfo>,
    read_at: Option<(Span, (Guid, PortNum))>,
    anonymous: bool,
    managers: Vec<(Span, (Guid, PortNum), SmInfo)>,
    unread: Vec<UnreadLine>,
    duplicates: Vec<(Span, (Guid, PortNum), Guid)>,
    ports: usize,
    ended: bool,
}

impl<'a> Reader<'a> {
    fn new(source: &'a SourceFile) -> Self {
        Self {
            source,
            builder: FabricBuilder::new(),
            nodes: Vec::new(),
            sl2vl: Vec::new(),
            vlarb: Vec::new(),
            pkeys: Vec::new(),
            infos: Vec::new(),
            vendor: Vec::new(),
            read_at: None,
            anonymous: false,
            managers: Vec::new(),
            unread: Vec::new(),
            duplicates: Vec::new(),
            ports: 0,
            ended: false,
        }
    }

    fn error(&self, code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, message).at(self.source, span, ""))
    }

    fn bad(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        self.error(BAD_LINE, span, message)
    }

    /// The first line says what the file is.
    fn head(&self) -> Found<()> {
        let span = self.source.line_span(1);
        let mut words = Words::new(self.source.slice(span), span.start);
        let name = self.source.name();
        if words.next().is_none_or(|word| word.text != MAGIC) {
            let message = format!("{name} is no snapshot: its first word is not `{MAGIC}`");
            let found = Diagnostic::error(NO_SNAPSHOT, message);
            return Err(Box::new(found.help("`lanekeeper snapshot` writes one from a fabric")));
        }
        let version = self.number::<u32>(&mut words, "the version of the form")?;
        if version != VERSION {
            let message =
                format!("{name} has version {version} of the form; this program reads {VERSION}");
            return Err(Box::new(Diagnostic::error(OTHER_VERSION, message)));
        }
        Ok(())
    }

    fn line(&mut self, number: usize, mut words: Words<'a>) -> Found<()> {
        let Some(first) = words.next() else { return Ok(()) };
        if self.ended {
            return Err(self.bad(first.span, "nothing may follow the line `end`"));
        }
        match first.text {
            "sl2vl" => {
                let bytes = self.pooled(&mut words, self.sl2vl.len())?;
                self.sl2vl.push(SlToVlTable(bytes));
            }
            "vlarb" => {
                let bytes = self.pooled(&mut words, self.vlarb.len())?;
                self.vlarb.push(bytes);
            }
            "pkeys" => {
                let bytes = self.pooled(&mut words, self.pkeys.len())?;
                self.pkeys.push(bytes);
            }
            "portinfo" => {
                let bytes = self.pooled(&mut words, self.infos.len())?;
                self.infos.push(PortInfo(bytes));
            }
            "extportinfo" => {
                let bytes = self.pooled(&mut words, self.vendor.len())?;
                self.vendor.push(MlnxExtPortInfo(bytes));
            }
            "ca" => self.node(NodeKind::Ca, &mut words)?,
            "switch" => self.node(NodeKind::Switch, &mut words)?,
            "router" => self.node(NodeKind::Router, &mut words)?,
            "port" => self.port(&mut words)?,
            "lft" => self.forwarding(first, &mut words, true)?,
            "mft" => self.forwarding(first, &mut words, false)?,
            "manager" => {
                let (span, place) = self.place(&mut words)?;
                let info = SmInfo(self.bytes(&mut words)?);
                self.managers.push((span, place, info));
            }
            "unread" => self.unread(&mut words)?,
            "duplicate" => {
                let word = self.word(&mut words, "a GUID")?;
                let guid = place::guid_of(word.text)
                    .ok_or_else(|| self.bad(word.span, "this is not a GUID"))?;
                let (span, place) = self.place(&mut words)?;
                self.duplicates.push((span, place, guid));
            }
            "read-at" => {
                self.read_at = Some(self.place(&mut words)?);
            }
            "anonymous" => self.anonymous = true,
            "end" => self.end(number, first, &mut words)?,
            other => {
                let other = other.escape_debug();
                return Err(self.bad(first.span, format!("`{other}` begins no line of a snapshot")));
            }
        }
        match words.next() {
            Some(word) => Err(self.bad(word.span, "the line is longer than it can be")),
            None => Ok(()),
        }
    }

    fn word(&self, words: &mut Words<'a>, what: &str) -> Found<Word<'a>> {
        let here = words.here();
        words.next().ok_or_else(|| self.bad(here, format!("{what} is missing")))
    }

    fn number<T: std::str::FromStr>(&self, words: &mut Words<'a>, what: &str) -> Found<T> {
        let word = self.word(words, what)?;
        word.text.parse().map_err(|_| self.bad(word.span, format!("this is not {what}")))
    }

    fn bytes<const N: usize>(&self, words: &mut Words<'a>) -> Found<[u8; N]> {
        let word = self.word(words, "the content")?;
        let message = || format!("these are not {N} bytes in hexadecimal digits");
        hex::parse(word.text).ok_or_else(|| self.bad(word.span, message()))
    }

    /// The content of a numbered table, whose number must be the next one.
    fn pooled<const N: usize>(&self, words: &mut Words<'a>, next: usize) -> Found<[u8; N]> {
        let word = self.word(words, "the table's number")?;
        if word.text.parse() != Ok(next) {
            return Err(self.bad(word.span, format!("the number of this table should be {next}")));
        }
        self.bytes(words)
    }

    fn place(&self, words: &mut Words<'a>) -> Found<(Span, (Guid, PortNum))> {
        let word = self.word(words, "a port")?;
        let place = place::parse(word.text)
            .ok_or_else(|| self.bad(word.span, "this is not a port, as 0x0002c90300001234/1"))?;
        Ok((word.span, place))
    }

    fn node(&mut self, kind: NodeKind, words: &mut Words<'a>) -> Found<()> {
        let guid_word = self.word(words, "the node's GUID")?;
        let guid = place::guid_of(guid_word.text)
            .ok_or_else(|| self.bad(guid_word.span, "this is not a GUID"))?;
        let name = self.word(words, "the node's description in quotes")?;
        let description = unquoted(name.text)
            .ok_or_else(|| self.bad(name.span, "this is not a text in quotes"))?;
        let mut spec = NodeSpec::new(guid, kind, &description, 0);
        let (mut switch_info, mut partition_cap) = (None, 0);
        while let Some(key) = words.next() {
            let value = self.word(words, "a value")?;
            let taken = match key.text {
                "switchinfo" if kind == NodeKind::Switch => {
                    hex::parse(value.text).map(|bytes| switch_info = Some(SwitchInfo(bytes)))
                }
                "partition-cap" => value.text.parse().ok().map(|cap| partition_cap = cap),
                other => take_spec(&mut spec, other, value.text),
            };
            taken.ok_or_else(|| self.not_understood(key, value))?;
        }
        let added = self
            .builder
            .add_node(spec)
            .map_err(|error| self.error(CONTRADICTION, guid_word.span, error.to_string()))?;
        let (ports, forwarding) = (Vec::new(), Vec::new());
        self.nodes.push(NodeLines {
            added,
            guid,
            kind,
            switch_info,
            partition_cap,
            ports,
            forwarding,
        });
        Ok(())
    }

    fn not_understood(&self, key: Word<'_>, value: Word<'_>) -> Box<Diagnostic> {
        let (word, text) = (key.text.escape_debug(), value.text.escape_debug());
        self.bad(key.span.cover(value.span), format!("`{word} {text}` is not understood"))
    }

    fn port(&mut self, words: &mut Words<'a>) -> Found<()> {
        let here = words.here();
        let number = self.number(words, "a port's number")?;
        let mut line = PortLine::default();
        while let Some(key) = words.next() {
            let value = self.word(words, "a value")?;
            line.take(key.text, value.text).ok_or_else(|| self.not_understood(key, value))?;
        }
        let Some(node) = self.nodes.last_mut() else {
            return Err(self.bad(here, "a port before any node"));
        };
        node.ports.push((number, here.cover(words.here()), line));
        self.ports += 1;
        Ok(())
    }

    fn forwarding(&mut self, first: Word<'_>, words: &mut Words<'a>, lft: bool) -> Found<()> {
        // Unicast LIDs are 768 blocks, multicast ones 512 of 16 positions each.
        let most = if lft { 768 } else { 512 * 16 };
        let block = self.number::<u16>(words, "the number of a block")?;
        let bytes = self.bytes(words)?;
        match self.nodes.last_mut().filter(|node| node.kind == NodeKind::Switch) {
            Some(node) if block < most => node.forwarding.push((lft, block, bytes)),
            Some(_) => return Err(self.bad(first.span, "a table has no such block")),
            None => return Err(self.bad(first.span, "a forwarding table without a switch")),
        }
        Ok(())
    }

    fn unread(&mut self, words: &mut Words<'a>) -> Found<()> {
        let (span, place) = self.place(words)?;
        let attribute = self.hex_number(words)?;
        let modifier = self.hex_number(words)?;
        let word = self.word(words, "the reason")?;
        let why = match word.text {
            "no-answer" => Why::NoAnswer,
            "unusable" => Why::Unusable,
            _ => Why::Status(self.hex_number(&mut Words::new(word.text, word.span.start))? as u16),
        };
        let attribute = attribute as u16;
        self.unread.push(UnreadLine { span, place, attribute, modifier, why });
        Ok(())
    }

    fn hex_number(&self, words: &mut Words<'a>) -> Found<u32> {
        let word = self.word(words, "a number")?;
        let digits = word.text.strip_prefix("0x");
        digits
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.bad(word.span, "this is not a number in hexadecimal digits"))
    }

    fn end(&mut self, number: usize, first: Word<'_>, words: &mut Words<'a>) -> Found<()> {
        let here = [("nodes", self.nodes.len()), ("ports", self.ports), ("lines", number - 1)];
        for (what, have) in here {
            let key = self.word(words, what)?;
            let count = self.number::<usize>(words, "a count")?;
            if key.text != what || count != have {
                let message = format!("the snapshot should have {count} {what}, and has {have}");
                return Err(self.error(CUT_SHORT, first.span, message));
            }
        }
        self.ended = true;
        Ok(())
    }
}

fn take_spec(spec: &mut NodeSpec, key: &str, value: &str) -> Option<()> {
    match key {
        "ports" => spec.num_ports = value.parse().ok()?,
        "system" => spec.system_guid = place::guid_of(value)?,
        "vendor" => spec.vendor_id = value.parse().ok()?,
        "device" => spec.device_id = value.parse().ok()?,
        "revision" => spec.revision = value.parse().ok()?,
        "enhanced-port0" => spec.enhanced_port0 = value == "yes",
        _ => return None,
    }
    Some(())
}

/// A snapshot without its end.
fn cut_short(source: &SourceFile) -> Diagnostic {
    let span = source.line_span(source.line_count());
    Diagnostic::error(CUT_SHORT, "the snapshot has no line `end`: it was cut short")
        .at(source, span, "")
        .help("copy the file again, whole")
}

impl Reader<'_> {
    fn finish(self) -> Found<Snapshot> {
        if !self.ended {
            return Err(Box::new(cut_short(self.source)));
        }
        settle::settle(self)
    }
}
