//! What the rules mean that found something.

use lk_diag::Diagnostics;

use super::findings::code;
use crate::picture::escaped;
use crate::rule::explain;

/// Whether there is a page of a rule.
pub(super) fn has_page(id: &str) -> bool {
    explain(id).is_some()
}

/// The codes that have a page, in order, each once.
fn codes(found: &Diagnostics) -> Vec<&'static str> {
    let mut codes: Vec<&'static str> = found.iter().map(|finding| finding.code.id).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.retain(|id| has_page(id));
    codes
}

/// Whether the section has anything in it.
pub(super) fn any(found: &Diagnostics) -> bool {
    !codes(found).is_empty()
}

/// The section.
pub(super) fn section(out: &mut String, found: &Diagnostics) {
    let codes = codes(found);
    if codes.is_empty() {
        return;
    }
    out.push_str("<section id=\"rules\">\n<h2>What the rules mean</h2>\n");
    for page in codes.into_iter().filter_map(explain) {
        out.push_str(&format!("<article class=\"rule\" id=\"rule-{}\">\n", escaped(page.code.id)));
        markdown(out, page.text);
        out.push_str("</article>\n");
    }
    out.push_str("</section>\n");
}

/// The little Markdown that pages have: two levels of headings, which stand two levels lower here,
/// and paragraphs with code in them.
fn markdown(out: &mut String, text: &str) {
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let words = block.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        if let Some(heading) = words.strip_prefix("## ") {
            out.push_str(&format!("<h4>{}</h4>\n", code(heading)));
        } else if let Some(heading) = words.strip_prefix("# ") {
            out.push_str(&format!("<h3>{}</h3>\n", code(heading)));
        } else {
            out.push_str(&format!("<p>{}</p>\n", code(&words)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::pages;

    #[test]
    fn every_page_is_headings_and_paragraphs() {
        for page in pages() {
            let mut out = String::new();
            markdown(&mut out, page.text);
            assert_eq!(out.matches("<h3>").count(), 1, "{}", page.code.id);
            let lines = page.text.lines();
            let other = lines.filter(|line| line.starts_with(['-', '*', '|', '>', '`', '#', '1']));
            let other = other.filter(|line| !line.starts_with("# ") && !line.starts_with("## "));
            let other = other.filter(|line| line.starts_with("- ") || line.starts_with("```"));
            assert_eq!(other.count(), 0, "{}: lists and fences have no form here", page.code.id);
        }
    }
}
