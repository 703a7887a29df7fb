//! Net files of ibsim.
//!
//! ```text
//! switchguid=0x200000
//! Switch  8 "leaf"
//! [1]     "host1"[1]      w=1
//!
//! Hca     2 "host1"
//! [1]     "leaf"[1]
//! ```
//!
//! The grammar is ibsim's (`ibsim -s -n FILE`; examples in /usr/share/doc/ibsim-utils):
//! * A node's id is any text in quotes and unique. Its GUID is the one of the last `switchguid=`,
//!   `hcaguids=`, `caguid=` or `rtguid=` line, counted up from there: one number for a switch,
//!   one for each port and one for the node itself for an adapter or router. Without such a line
//!   the count starts at 0x100000 for adapters and 0x200000 for switches. `switchguids+N` starts
//!   N above the last absolute base.
//! * `vendid=` and `sysimgguid=` hold for the next node, `devid=` until the next `devid=`.
//! * `[PORT] "id"[PORT]`: without a port number, or with blanks before it, the far port is 1.
//!   `w=`, `s=` and `e=` enable widths and speeds as masks; `width=`, `speed=` and `extspeed=` do
//!   so for all nodes that follow. A link runs at the highest that both ends enable.
//! * `@[PORT] "alias"` gives a port a name by which other nodes can cable to it, as `"@alias"` or
//!   `"module@alias"`.
//! * `module="m"` puts `m#` before all ids that follow, `include "file"` reads another file,
//!   `do COMMAND` runs a command of ibsim's console ([`commands`]).
//! * A record ends at the first line that is no port line, and that line is skipped.
//!
//! Where ibsim gives up at an error, this reader reports it and goes on.

mod commands;
mod modifiers;
mod records;

use lk_diag::{Diagnostic, SourceFile, Span};
use lk_wire::Guid;
use rustc_hash::FxHashMap;

use super::draft::{Draft, Enabled, Place};
use super::findings::{
    BAD_NUMBER, Findings, IBSIM_DIFFERS, INCLUDE, MALFORMED, ORPHAN_PORT, STRAY_LINE,
};
use super::record::{self, Cursor};
use crate::graph::NodeKind;

/// Fetches a file that is included: its content, or why there is none.
pub(super) type Load<'l> = &'l mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// How deep files may include each other, as in ibsim.
const DEEPEST: usize = 9;

/// The longest line that ibsim reads at once.
const LONGEST_LINE: usize = 254;

/// Collects the records of a file and of those that it includes.
pub(super) fn read(source: &SourceFile, load: Load<'_>, findings: &mut Findings) -> Draft {
    let mut reader = Reader {
        draft: Draft::default(),
        findings,
        load,
        bases: [0x10_0000, 0x20_0000, u64::MAX],
        next: [0x10_0000, 0x20_0000, u64::MAX],
        vendor: 0,
        device: 0,
        system: None,
        port0: None,
        enabled: Enabled::default(),
        prefix: String::new(),
        aliases: FxHashMap::default(),
        ends: FxHashMap::default(),
        joined: FxHashMap::default(),
        unlinked: FxHashMap::default(),
    };
    reader.file(source, 1);
    reader.finish()
}

struct Reader<'f> {
    draft: Draft,
    findings: &'f mut Findings,
    load: Load<'f>,
    /// The last absolute GUID base of adapters, switches, routers.
    bases: [u64; 3],
    /// The next node's GUID.
    next: [u64; 3],
    vendor: u32,
    device: u16,
    system: Option<Guid>,
    /// The GUID in parentheses behind `switchguid=`: port 0's of the next switch. ibsim skips it.
    port0: Option<Guid>,
    /// What `width=`, `speed=` and `extspeed=` enable on the nodes that follow.
    enabled: Enabled,
    /// The module's name.
    prefix: String,
    /// Ports by their alias, `module@alias`.
    aliases: FxHashMap<String, (u32, u8)>,
    /// The line of each port, as index of [`Draft::ends`].
    ends: FxHashMap<(u32, u8), usize>,
    /// Ports that a command has cabled.
    joined: FxHashMap<(u32, u8), (u32, u8)>,
    /// Ports whose cable a command has taken away, with the far end it had.
    unlinked: FxHashMap<(u32, u8), (u32, u8)>,
}

/// The record that lines belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Record {
    /// None: lines are statements.
    Outside,
    /// This node's, which has so many ports that no line has described yet.
    Node(u32, u8),
    /// One that is left out; that was said already.
    LeftOut,
}

const fn kind_index(kind: NodeKind) -> usize {
    match kind {
        NodeKind::Ca => 0,
        NodeKind::Switch => 1,
        NodeKind::Router => 2,
    }
}

impl Reader<'_> {
    fn file(&mut self, source: &SourceFile, depth: usize) {
        let file = self.draft.files.len();
        self.draft.files.push(source.clone());
        let mut record = Record::Outside;
        for (_, span, text) in source.lines() {
            let place = Place { file, span };
            if text.len() > LONGEST_LINE {
                let message =
                    format!("ibsim reads a line of more than {LONGEST_LINE} bytes as two lines");
                self.say(Diagnostic::warning(IBSIM_DIFFERS, message), place, "read as one line");
            }
            let in_record = record != Record::Outside;
            if in_record && text.starts_with('#') {
                continue;
            }
            if in_record && text.starts_with(['[', '@']) {
                if let Record::Node(node, left) = &mut record
                    && self.port(place, *node, text)
                {
                    *left -= 1;
                    if *left == 0 {
                        record = Record::Outside;
                    }
                }
                continue;
            }
            record = Record::Outside;
            let what = self.statement(place, text, depth, &mut record);
            if in_record && what == Statement::Taken {
                let message = "ibsim skips the line that ends a record";
                let finding =
                    Diagnostic::warning(IBSIM_DIFFERS, message).help("put a blank line before it");
                self.say(finding, place, "not skipped");
            }
        }
    }

    fn say(&mut self, finding: Diagnostic, place: Place, text: &str) {
        self.findings.push(self.draft.at(finding, place, text));
    }

    fn statement(
        &mut self,
        place: Place,
        text: &str,
        depth: usize,
        record: &mut Record,
    ) -> Statement {
        // The order and the comparison by prefix are ibsim's.
        let kinds = [
            ("Switch", NodeKind::Switch),
            ("Hca", NodeKind::Ca),
            ("Ca", NodeKind::Ca),
            ("Rt", NodeKind::Router),
            ("Router", NodeKind::Router),
        ];
        if let Some((word, kind)) = kinds.iter().find(|(word, _)| text.starts_with(word)) {
            if *word == "Router" {
                let finding = Diagnostic::warning(IBSIM_DIFFERS, "ibsim's word for a router is Rt");
                self.say(finding, place, "read as Rt");
            }
            *record = self.header(place, *kind, word.len(), text);
            return Statement::Taken;
        }
        let bases = [
            ("switchguid", NodeKind::Switch),
            ("hcaguids", NodeKind::Ca),
            ("caguid", NodeKind::Ca),
            ("rtguid", NodeKind::Router),
        ];
        if let Some((_, kind)) = bases.iter().find(|(word, _)| text.starts_with(word)) {
            self.guid_base(place, *kind, text);
            return Statement::Taken;
        }
        if let Some(what) = self.setting(place, text) {
            return what;
        }
        if text.starts_with("module") {
            self.module(place, text);
        } else if text.starts_with("include") {
            self.include(place, text, depth);
        } else if let Some(command) = text.strip_prefix("do") {
            self.command(place, command);
        } else {
            return self.skipped(place, text);
        }
        Statement::Taken
    }

    fn skipped(&mut self, place: Place, text: &str) -> Statement {
        let start = text.trim_start();
        if start.is_empty() || start.starts_with('#') {
            return Statement::Blank;
        }
        if text.starts_with(['[', '@']) {
            let message = "no node's header line stands before this port line; it is left out";
            self.say(Diagnostic::error(ORPHAN_PORT, message), place, "");
        } else {
            let message = "this is no statement of ibsim's, which skips it";
            self.say(Diagnostic::warning(STRAY_LINE, message), place, "left out");
        }
        Statement::Skipped
    }

    fn guid_base(&mut self, place: Place, kind: NodeKind, text: &str) {
        let Some((at, sign)) = text
            .char_indices()
            .find(|(_, c)| *c == '=')
            .or(text.char_indices().find(|(_, c)| *c == '+'))
        else {
            return self.malformed(place, text.len(), "`=` or `+`");
        };
        let Some(value) = modifiers::number(&text[at + 1..]) else {
            return self.bad_number(place, text);
        };
        let i = kind_index(kind);
        if sign == '+' {
            self.next[i] = self.bases[i].wrapping_add(value);
        } else {
            self.bases[i] = value;
            self.next[i] = value;
            if kind == NodeKind::Switch {
                let inner = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
                self.port0 = inner.and_then(|(guid, _)| record::hex(guid.trim()));
            }
        }
    }

    /// Takes a line `name=number`; `None` where it is none.
    fn setting(&mut self, place: Place, text: &str) -> Option<Statement> {
        let names = ["vendid", "devid", "sysimgguid", "width", "speed", "extspeed", "pdebug"];
        let name = names.into_iter().find(|n| text.starts_with(n))?;
        let Some((_, value)) = text.split_once('=') else {
            self.malformed(place, text.len(), "`=`");
            return Some(Statement::Taken);
        };
        let number = modifiers::number(value);
        let small = |most: u64| number.filter(|n| *n <= most);
        let known = match name {
            "vendid" => {
                self.vendor = small(0xFF_FFFF).unwrap_or(0) as u32;
                small(0xFF_FFFF)
            }
            "devid" => {
                self.device = small(0xFFFF).unwrap_or(0) as u16;
                small(0xFFFF)
            }
            "sysimgguid" => {
                self.system = number.map(Guid);
                number
            }
            "width" => modifiers::in_range(number, 1, 31, &mut self.enabled.width),
            "speed" => modifiers::in_range(number, 1, 7, &mut self.enabled.speed),
            "extspeed" => modifiers::in_range(number, 0, 15, &mut self.enabled.speed_ext),
            _ => number,
        };
        if known.is_none() {
            self.bad_number(place, text);
        }
        Some(Statement::Taken)
    }

    fn module(&mut self, place: Place, text: &str) {
        let name = text.split_once('=').and_then(|(_, rest)| rest.split('"').nth(1));
        match name {
            Some(name) if name.len() <= 20 => name.clone_into(&mut self.prefix),
            Some(_) => {
                let message = "a module's name has at most 20 bytes";
                self.say(Diagnostic::error(MALFORMED, message), place, "left out");
            }
            None => self.malformed(place, text.len(), "`=` and a name in quotes"),
        }
    }

    fn include(&mut self, place: Place, text: &str, depth: usize) {
        let Some(name) = text.split('"').nth(1) else {
            return self.malformed(place, text.len(), "a file's name in quotes");
        };
        if depth >= DEEPEST {
            let message = format!("files include each other more than {DEEPEST} deep");
            return self.say(Diagnostic::error(INCLUDE, message), place, "left out");
        }
        match (self.load)(name) {
            Ok(bytes) => self.file(&SourceFile::new(name, bytes), depth + 1),
            Err(why) => {
                let message = format!("`{name}` cannot be included: {why}");
                self.say(Diagnostic::error(INCLUDE, message), place, "left out");
            }
        }
    }

    fn malformed(&mut self, place: Place, at: usize, expected: &str) {
        let at = (place.span.start + at).min(place.span.end);
        let here = Place { span: Span::new(at, place.span.end.min(at + 1)), ..place };
        let message = format!("expected {expected}; the line is left out");
        self.say(Diagnostic::error(MALFORMED, message), here, expected);
    }

    fn bad_number(&mut self, place: Place, text: &str) {
        let value = text.split_once(['=', '+']).map_or("", |(_, value)| value.trim());
        let message = format!("`{value}` is no number, or one out of range");
        self.say(Diagnostic::error(BAD_NUMBER, message), place, "");
    }

    /// The full id of a node that is named in the file, as ibsim expands it.
    fn expand(&self, id: &str) -> String {
        if self.prefix.is_empty() || id.contains('#') {
            id.to_owned()
        } else {
            format!("{}#{id}", self.prefix)
        }
    }

    /// Drops the lines of ports whose cable was taken away by a command.
    fn finish(mut self) -> Draft {
        if !self.unlinked.is_empty() {
            let gone = std::mem::take(&mut self.unlinked);
            self.draft.ends.retain(|end| !gone.contains_key(&(end.node, end.port)));
        }
        self.draft
    }

    /// A cursor behind the keyword of a line.
    fn behind(text: &str, keyword: usize) -> Cursor<'_> {
        let mut cursor = Cursor::new(text);
        cursor.skip(keyword);
        cursor
    }
}

/// What became of a line outside of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Statement {
    /// It was one of ibsim's.
    Taken,
    /// It is blank or a comment.
    Blank,
    /// It is something else, which was reported.
    Skipped,
}
