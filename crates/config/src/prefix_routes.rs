//! prefix-routes.conf: which router leads to which other subnet.
//!
//! A line is a subnet prefix and the port GUID of a router, each a hexadecimal number or `*` for
//! any. The first line whose prefix fits is the one that counts, also where its router is not
//! there.

use std::fmt::Write as _;

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use lk_wire::Guid;

use crate::kind::{self, FileKind};
use crate::lines::pieces;
use crate::{Placed, codes};

/// A prefix-routes.conf.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PrefixRoutes {
    /// The lines in the order of the file.
    pub routes: Vec<Placed<PrefixRoute>>,
}

/// One line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefixRoute {
    /// The subnet prefix; `None` for any.
    pub prefix: Option<u64>,
    /// The router's port; `None` for the first router there is.
    pub router: Option<Guid>,
}

impl PrefixRoutes {
    /// The line that counts for a prefix.
    #[must_use]
    pub fn find(&self, prefix: u64) -> Option<&Placed<PrefixRoute>> {
        self.routes.iter().find(|r| r.value.prefix.is_none_or(|p| p == prefix))
    }
}

/// OpenSM's buffer for a line.
const LINE: usize = 1023;
/// After so many faulty lines OpenSM reads no further.
const FAULTS: usize = 11;

/// Reads a prefix-routes.conf. A faulty line is left out.
#[must_use]
pub fn parse(source: &SourceFile) -> (PrefixRoutes, Diagnostics) {
    let mut reader = Reader { source, found: Diagnostics::new(), routes: Vec::new(), faults: 0 };
    for piece in pieces(source.text().as_bytes(), LINE) {
        reader.line(piece.span);
        if reader.faults >= FAULTS {
            let rest = Span::new(piece.span.end, source.text().len());
            let message = "what follows is not read";
            reader.found.push(
                Diagnostic::error(codes::PREFIX_LINE, message)
                    .at(source, rest, "")
                    .note(format!("reading ends after {FAULTS} faulty lines, as in OpenSM")),
            );
            break;
        }
    }
    let Reader { mut found, routes, .. } = reader;
    // A list of GUIDs has lines without routers, as a faulty file of routes may have.
    let another = |kind| kind != FileKind::Guids;
    if routes.is_empty()
        && kind::kind_of(source).is_some_and(another)
        && let Some(wrong) = kind::wrong(source, FileKind::PrefixRoutes, true)
    {
        return (PrefixRoutes { routes }, wrong);
    }
    for (at, route) in routes.iter().enumerate() {
        if route.value.prefix.is_some_and(|p| p >> 54 == 0xfe80 >> 6) {
            found.push(
                Diagnostic::warning(codes::PREFIX_UNUSED, "this line is never used")
                    .at(source, route.place, "")
                    .note("prefixes that start with fe8 to feb are those of the subnet itself"),
            );
        }
        let earlier = routes.iter().take(at).find(|e: &&Placed<PrefixRoute>| {
            e.value.prefix.is_none() || e.value.prefix == route.value.prefix
        });
        if let Some(earlier) = earlier {
            found.push(
                Diagnostic::warning(codes::PREFIX_UNUSED, "this line is never reached")
                    .at(source, route.place, "")
                    .also(source, earlier.place, "this one fits first")
                    .note("the first line whose prefix fits counts, also if its router is absent"),
            );
        }
    }
    (PrefixRoutes { routes }, found)
}

struct Reader<'a> {
    source: &'a SourceFile,
    found: Diagnostics,
    routes: Vec<Placed<PrefixRoute>>,
    faults: usize,
}

impl Reader<'_> {
    fn line(&mut self, line: Span) {
        let words = self.words(line);
        let mut words = words.into_iter();
        let Some(prefix_at) = words.next().filter(|w| !self.source.slice(*w).starts_with('#'))
        else {
            return;
        };
        let Some(prefix) = self.number(prefix_at, "prefix") else { return };
        let Some(router_at) = words.next().filter(|w| !self.source.slice(*w).starts_with('#'))
        else {
            let help = "write PREFIX GUID, with * for any";
            return self.fault(prefix_at, "there is no GUID of a router", help);
        };
        // A comment may follow the GUID directly.
        let text = self.source.slice(router_at);
        let hash = text.find('#');
        let guid_at = hash.map_or(router_at, |h| Span::new(router_at.start, router_at.start + h));
        let Some(router) = self.number(guid_at, "GUID") else { return };
        if hash.is_none()
            && let Some(extra) = words.next().filter(|w| !self.source.slice(*w).starts_with('#'))
        {
            let message = "what follows the GUID is not used";
            self.found.push(Diagnostic::warning(codes::PREFIX_UNUSED, message).at(
                self.source,
                Span::new(extra.start, line.end),
                "",
            ));
        }
        let any = |n: u64| (n != 0).then_some(n);
        let route = PrefixRoute { prefix: any(prefix), router: any(router).map(Guid) };
        self.routes.push(Placed::new(route, prefix_at.cover(guid_at)));
    }

    fn words(&self, line: Span) -> Vec<Span> {
        let mut words = Vec::new();
        let mut at = line.start;
        for piece in self.source.slice(line).split([' ', '\t', '\r']) {
            if !piece.is_empty() {
                words.push(Span::new(at, at + piece.len()));
            }
            // What separates is one byte long.
            at += piece.len() + 1;
        }
        words
    }

    /// A hexadecimal number with or without 0x; 0 for `*`.
    fn number(&mut self, place: Span, what: &str) -> Option<u64> {
        let text = self.source.slice(place);
        if text == "*" {
            return Some(0);
        }
        let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
        let signed = digits.starts_with(['+', '-']);
        match u64::from_str_radix(digits, 16) {
            Ok(number) if !signed => {
                if number == 0 {
                    let message = format!("a {what} of 0 stands for any");
                    self.found.push(Diagnostic::warning(codes::READ_OTHERWISE, message).at(
                        self.source,
                        place,
                        "",
                    ));
                }
                Some(number)
            }
            _ => {
                let help = match text.contains(':') {
                    true => "write its 64 bits as one hexadecimal number, without colons",
                    false => "write 64 bits as a hexadecimal number, or * for any",
                };
                self.fault(place, &format!("`{text}` is no {what}"), help);
                None
            }
        }
    }

    fn fault(&mut self, place: Span, message: &str, help: &str) {
        self.faults += 1;
        self.found.push(
            Diagnostic::error(codes::PREFIX_LINE, message)
                .at(self.source, place, "")
                .note("the line is left out")
                .help(help),
        );
    }
}

/// Writes a prefix-routes.conf. [`parse`] reads the same model back.
#[must_use]
pub fn write(routes: &PrefixRoutes) -> String {
    let mut out = String::new();
    let number = |n: Option<u64>| n.map_or("*".to_owned(), |n| format!("{n:#018x}"));
    for route in &routes.routes {
        // Writing to a String cannot fail.
        let PrefixRoute { prefix, router } = route.value;
        let _ = writeln!(out, "{} {}", number(prefix), number(router.map(|g| g.0)));
    }
    out
}
