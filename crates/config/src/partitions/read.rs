//! Lines, statements and what ends them.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use super::findings::Findings;
use super::words::Word;
use super::{PartitionsConf, Statement, header, items};
use crate::codes;
use crate::lines::pieces;
use crate::options::number::c_space;

/// The longest line that OpenSM reads in one piece, in bytes.
const LINE: usize = 4094;

pub(super) fn read(source: &SourceFile) -> (PartitionsConf, Diagnostics) {
    let findings = Findings { source, list: Diagnostics::new(), refused: false };
    let mut reader = Reader {
        findings,
        conf: PartitionsConf::default(),
        open: None,
        skipping: false,
        seen: false,
    };
    if let Some((_, first)) = source.undecodable() {
        let message = "the file has bytes that are not UTF-8";
        let found = Diagnostic::warning(codes::NOT_UTF8, message).at(source, first, "");
        reader.findings.list.push(found);
    }
    if let Some(at) = source.text().find("\r\n") {
        let message = "the file has DOS line ends";
        let found = Diagnostic::warning(codes::PARTITIONS_OPENSM_REFUSES, message)
            .at(source, Span::new(at, at + 2), "")
            .note("OpenSM throws the whole file away for them; here they make no difference");
        reader.findings.list.push(found.help("convert it with dos2unix"));
    }
    for piece in pieces(source.text().as_bytes(), LINE) {
        if piece.continues {
            let message = "the line is longer than 4094 bytes: from here on OpenSM takes it for \
                           another line";
            let found = Diagnostic::warning(codes::LONG_LINE, message).at(source, piece.span, "");
            reader.findings.list.push(found);
        }
        let text = source.text().get(piece.span.range()).unwrap_or_default();
        let text = text.split('#').next().unwrap_or_default();
        reader.line(Word::new(text, piece.span.start));
    }
    reader.end_of_file()
}

struct Reader<'a> {
    findings: Findings<'a>,
    conf: PartitionsConf,
    /// The statement that is not at its end yet.
    open: Option<Statement>,
    /// What follows belongs to a statement whose header is faulty.
    skipping: bool,
    /// Whether there was any statement.
    seen: bool,
}

impl Reader<'_> {
    /// A line without its comment.
    fn line(&mut self, line: Word<'_>) {
        let mut rest = Some(line);
        while let Some(here) = rest {
            let (part, after) = here.split(';');
            if after.is_none() && part.text.trim_matches(c_space).is_empty() {
                return;
            }
            self.part(part, after.is_some());
            rest = after;
        }
    }

    /// What stands before a `;` or the end of a line.
    fn part(&mut self, part: Word<'_>, ends: bool) {
        if part.text.trim_matches(c_space).is_empty() {
            self.empty(part, ends);
        } else if self.skipping {
            // Its header is faulty; that was said.
        } else if let Some(mut statement) = self.open.take() {
            items::read(part, &mut statement, &mut self.findings);
            self.open = Some(statement);
        } else {
            self.begin(part);
        }
        if ends {
            self.skipping = false;
            self.conf.statements.extend(self.open.take());
        }
    }

    fn empty(&mut self, part: Word<'_>, ends: bool) {
        if ends {
            let place = Span::new(part.place.end, part.place.end + 1);
            let help = if self.open.is_some() {
                "put the `;` on the line of the last port or group"
            } else {
                "take the `;` away"
            };
            let message = "nothing stands before this `;` on its line";
            self.findings.refuse(place, message, help);
        }
    }

    fn begin(&mut self, part: Word<'_>) {
        self.seen = true;
        let (head, list) = part.split(':');
        let Some(list) = list else {
            let message = "there is no `:`: a partition is `NAME=P_KEY : PORTS ;`, up to `:` on \
                           one line";
            let help = if self.conf.statements.is_empty() {
                ""
            } else {
                "where this is a list of ports of the statement before, that statement ended too \
                 early by a `;`"
            };
            self.findings.refuse(part.trimmed().place, message, help);
            self.skipping = true;
            return;
        };
        match header::read(head, &mut self.findings) {
            Some(mut statement) => {
                items::read(list, &mut statement, &mut self.findings);
                self.open = Some(statement);
            }
            None => self.skipping = true,
        }
    }

    /// Nothing says who is in the default partition: all are, as limited members.
    fn no_default_rule(&mut self) {
        let statements = &self.conf.statements;
        let is_default = |s: &Statement| match s.pkey {
            Some(key) if key.value != 0 => key.value == 0x7FFF,
            _ => s.name.as_ref().is_some_and(|n| n.value == "Default"),
        };
        let Some(first) = statements.first().filter(|_| !self.conf.refused) else { return };
        if statements.iter().any(is_default) {
            return;
        }
        let message = "there is no rule for the default partition: ports are limited members of it";
        self.findings.list.push(
            Diagnostic::warning(codes::PARTITIONS_EFFECT, message)
                .at(self.findings.source, first.place.0, "the first rule is for another one")
                .note(
                    "limited members cannot talk to each other, only to the subnet manager's port; \
                     there is no IPoIB in the default partition",
                )
                .help("for the usual one add `Default=0x7fff, ipoib : ALL=full ;`"),
        );
    }

    fn end_of_file(mut self) -> (PartitionsConf, Diagnostics) {
        self.conf.statements.extend(self.open.take());
        if !self.seen && !self.findings.refused {
            let end = Span::point(self.findings.source.text().len());
            let help = "write `Default=0x7fff, ipoib : ALL=full ;`";
            self.findings.refuse(end, "there is no partition in the file", help);
        }
        self.conf.refused = self.findings.refused;
        self.no_default_rule();
        (self.conf, self.findings.list)
    }
}
