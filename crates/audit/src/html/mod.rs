//! One page of all that was found, complete in itself: no script, no other file, no other host.
//!
//! [`page`] makes it of a [`Page`]. `findings` has the findings with the lines that they are
//! about, `lanes` the picture of each kind of ports with the same as tables, `links` how full the
//! links are, `rules` what the rules mean. [`explained()`] makes another page, of what happens
//! between two ports. All text that comes from files and fabrics goes through
//! [`crate::picture::escaped`].

mod explained;
mod findings;
mod lanes;
mod links;
mod rules;

use lk_diag::{Diagnostics, Severity};

use crate::picture::heat::Heat;
use crate::picture::{STYLE, escaped};

pub use explained::explained;
pub use lanes::PortClassPicture;

/// The look of the page.
const PAGE_STYLE: &str = include_str!("page.css");

/// What the page is made of.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// What was looked at, line by line: a word and what it stands for.
    pub about: Vec<(String, String)>,
    /// The findings.
    pub found: &'a Diagnostics,
    /// How many more are accepted and not shown.
    pub silenced: usize,
    /// The kinds of ports.
    pub kinds: Vec<PortClassPicture>,
    /// How full the links are, where there are routes.
    pub heat: Option<Heat>,
}

/// The page.
#[must_use]
pub fn page(page: &Page<'_>) -> String {
    let mut out = begin("lanekeeper check", PAGE_STYLE);
    head(&mut out, page);
    out.push_str("<main>\n");
    findings::section(&mut out, page.found);
    lanes::section(&mut out, &page.kinds);
    if let Some(heat) = &page.heat {
        links::section(&mut out, heat);
    }
    rules::section(&mut out, page.found);
    out.push_str("</main>\n");
    let more = "<code>lanekeeper check --explain-rule CODE</code> prints what a rule means.";
    end(&mut out, more);
    out
}

/// The beginning of a page, up to its body.
fn begin(title: &str, style: &str) -> String {
    let mut out = String::new();
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    // Not even a picture for the tab is asked for.
    out.push_str(&format!("<link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n"));
    out.push_str(&format!("<style>\n{STYLE}{style}</style>\n</head>\n<body>\n"));
    out
}

/// Its end, with where there is more to read.
fn end(out: &mut String, more: &str) {
    out.push_str(&format!(
        "<footer><p>Written by lanekeeper {}. {more}</p></footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    ));
}

fn head(out: &mut String, page: &Page<'_>) {
    out.push_str("<header>\n<h1>QoS check</h1>\n");
    out.push_str(&format!("<p class=\"verdict\">{}</p>\n", counts(page)));
    if !page.about.is_empty() {
        out.push_str("<dl>\n");
        for (word, value) in &page.about {
            let (word, value) = (escaped(word), escaped(value));
            out.push_str(&format!("<div><dt>{word}</dt><dd>{value}</dd></div>\n"));
        }
        out.push_str("</dl>\n");
    }
    out.push_str(
        "<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#findings\">Findings</a></li>\n",
    );
    if !page.kinds.is_empty() {
        out.push_str("<li><a href=\"#lanes\">Lanes and shares</a></li>\n");
    }
    if page.heat.is_some() {
        out.push_str("<li><a href=\"#links\">Links</a></li>\n");
    }
    if rules::any(page.found) {
        out.push_str("<li><a href=\"#rules\">What the rules mean</a></li>\n");
    }
    out.push_str("</ul></nav>\n</header>\n");
}

/// How many findings of each severity there are, each as a badge.
fn counts(page: &Page<'_>) -> String {
    let mut parts = Vec::new();
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Info, "note", "notes"),
    ] {
        let count = page.found.count(severity);
        if count > 0 {
            let word = if count == 1 { one } else { many };
            let class = class(severity);
            parts.push(format!("<span class=\"badge {class}\">{count} {word}</span>"));
        }
    }
    if parts.is_empty() {
        parts.push("<span class=\"badge good\">nothing found</span>".to_owned());
    }
    if page.silenced > 0 {
        parts.push(format!("<span class=\"soft\">{} accepted and not shown</span>", page.silenced));
    }
    parts.join(" ")
}

/// The class and the word of a severity.
const fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}
