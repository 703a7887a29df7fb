//! The node name map: names that stand in for NodeDescriptions.

use std::collections::BTreeMap;

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use lk_wire::Guid;

use crate::codes;
use crate::guid_map;

/// Names of nodes by their node GUID.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeNames {
    names: BTreeMap<Guid, (String, Span)>,
}

impl NodeNames {
    /// The name of a node.
    #[must_use]
    pub fn get(&self, node: Guid) -> Option<&str> {
        self.names.get(&node).map(|(name, _)| name.as_str())
    }

    /// All names in the order of their GUIDs, with the place of each GUID in the file.
    pub fn iter(&self) -> impl Iterator<Item = (Guid, &str, Span)> {
        self.names.iter().map(|(guid, (name, place))| (*guid, name.as_str(), *place))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// Reads a node name map: a GUID and a name on a line, the name best in `"`.
///
/// A bad line is reported and skipped. (OpenSM throws the whole map away at the first one.) Of
/// two lines for a node the first counts, as in OpenSM.
#[must_use]
pub fn parse(source: &SourceFile) -> (NodeNames, Diagnostics) {
    let (map, mut out) = guid_map::parse(source);
    if let Some(stop) = map.stop {
        out.push(
            Diagnostic::info(
                codes::GUID_LINE,
                format!(
                    "the other {} lines are used; OpenSM drops the whole map",
                    map.entries.len()
                ),
            )
            .at(source, stop, ""),
        );
    }
    let mut names = NodeNames::default();
    for entry in &map.entries {
        let name = name(&entry.rest);
        if name.is_empty() {
            out.push(
                Diagnostic::warning(codes::GUID_REST, format!("{} has no name", entry.guid)).at(
                    source,
                    entry.place,
                    "not used",
                ),
            );
            continue;
        }
        if let Some((_, before)) = names.names.get(&entry.guid) {
            let message = format!("{} is named twice; the first counts", entry.guid);
            out.push(
                Diagnostic::warning(codes::GUID_TWICE, message)
                    .at(source, entry.place, "not used")
                    .also(source, *before, "named before"),
            );
            continue;
        }
        names.names.insert(entry.guid, (name.to_owned(), entry.place));
    }
    (names, out)
}

/// The name ends at the first `"` or `#`; one without quotes keeps blanks at its end.
fn name(rest: &str) -> &str {
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    rest.split(['"', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_quotes() {
        let text = "0x1 \"spine 1\" # c\n0x2 leaf 2 \n0x3 a#b\n0x1 again\n0x4\n";
        let (names, found) = parse(&SourceFile::new("f", text));
        let all: Vec<_> = names.iter().map(|(g, n, _)| (g.0, n)).collect();
        assert_eq!(all, [(1, "spine 1"), (2, "leaf 2 "), (3, "a")]);
        assert_eq!(found.len(), 2);
        assert_eq!((names.get(Guid(3)), names.get(Guid(9))), (Some("a"), None));
    }

    #[test]
    fn bad_lines_are_told_and_the_map_still_loads() {
        let (names, found) =
            parse(&SourceFile::new("f", "<guid> \"a\"\n0x2 \"b\"\n<guid> \"c\"\n"));
        assert_eq!(names.len(), 1);
        let lines: Vec<_> = found.iter().map(|d| d.primary().unwrap().position().line).collect();
        assert_eq!(lines, [1, 3, 1]);
    }
}
