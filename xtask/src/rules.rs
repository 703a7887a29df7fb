//! `docs/rules.md`, the rules of `lanekeeper check` with their pages, made from the rules.

use std::fmt::Write;

use lk_audit::{RULES, pages};

use crate::generated::Generated;

/// The document.
pub(crate) const PAGE: Generated =
    Generated { place: "docs/rules.md", command: "rules", text: document };

fn document() -> String {
    let mut out = String::from(
        "# The rules of `lanekeeper check`\n\n\
         This page is made from the rules (`cargo xtask rules`). Findings about the form of files\n\
         have codes that begin with CF; their messages say all there is to say.\n\n\
         | code | at its worst | what is found |\n|---|---|---|\n",
    );
    for rule in RULES {
        let (code, title) = (rule.code.id, rule.code.title);
        let _ = writeln!(out, "| {code} | {} | {title} |", rule.severity);
    }
    for page in pages() {
        // One title a document: those of the pages go a step down.
        out.push('\n');
        for line in page.text.lines() {
            let deeper = if line.starts_with('#') { "#" } else { "" };
            let _ = writeln!(out, "{deeper}{line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_rules_is_up_to_date() {
        assert_eq!(PAGE.check().unwrap(), []);
    }
}
