//! `docs/rules.md`, the rules of `lanekeeper check` with their pages, made from the rules.

use std::fmt::Write;

use lk_audit::rows::Live;
use lk_audit::{PARSERS, ROWS, RULES, pages};

use crate::generated::Generated;

/// The document.
pub(crate) const PAGE: Generated =
    Generated { place: "docs/rules.md", command: "rules", text: document };

fn document() -> String {
    let mut out = String::from(
        "# The rules of `lanekeeper check`\n\n\
         This page is made from the rules (`cargo xtask rules`). `lanekeeper check --explain-rule\n\
         CODE` prints what stands here of a code. Codes that begin with CF are those of the\n\
         readers of files, and the manager reports them too; the others look at files, options\n\
         and a fabric together.\n\n\
         | code | at its worst | what is found |\n|---|---|---|\n",
    );
    let parsers = PARSERS.iter().map(|parser| (parser.code, parser.severity));
    for (code, severity) in parsers.chain(RULES.iter().map(|rule| (rule.code, rule.severity))) {
        let _ =
            writeln!(out, "| [{}](#{}) | {severity} | {} |", code.id, anchor(code.id), code.title);
    }
    traps(&mut out);
    for page in pages() {
        // One title a document: those of the pages go a step down.
        let _ = writeln!(out, "\n<a id=\"{}\"></a>\n", anchor(page.code.id));
        for line in page.text.lines() {
            let deeper = if line.starts_with('#') { "#" } else { "" };
            let _ = writeln!(out, "{deeper}{line}");
        }
    }
    out
}

fn anchor(code: &str) -> String {
    code.to_lowercase()
}

/// The table of known traps.
fn traps(out: &mut String) {
    out.push_str(
        "\n## Known traps\n\n\
         Where OpenSM drops, cuts, ignores or changes what a site wants of QoS, and what\n\
         shows it: in files before they are applied, and on a live fabric that opensm has\n\
         brought up with them. Where a code stands in the last column, that was tried with\n\
         opensm on a simulated fabric. QO101, QO124, QO018 and QO001 compare the fabric with\n\
         files: those that say what was meant. The others need nothing but the fabric.\n\n\
         | | about | what happens | shown by | on a live fabric |\n|---|---|---|---|---|\n",
    );
    for row in ROWS {
        let shown = match row.codes {
            [] => format!("not by files: {}", row.not_shown),
            codes => codes.join(", "),
        };
        let live = match row.live {
            Live::Tried(codes) => codes.join(", "),
            Live::Untried(codes, why) => format!("not tried, for {why}: {}", codes.join(", ")),
            Live::Nothing(why) => format!("not seen: {why}"),
        };
        let (number, area, trap) = (row.number, row.area.name(), row.trap);
        let _ = writeln!(out, "| {number} | {area} | {trap} | {shown} | {live} |");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_rules_is_up_to_date() {
        assert_eq!(PAGE.check().unwrap(), []);
    }
}
