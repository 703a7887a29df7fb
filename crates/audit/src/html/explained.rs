//! What happens to the traffic between two ports, as a page of the same make as that of findings.

use super::findings::code;
use super::{PAGE_STYLE, begin, end};
use crate::explain::report::{Hop, Multicast, Report, SlRow, Way};
use crate::explain::text;
use crate::picture::escaped;

/// Pixels of a bar that stands for the whole link.
const BAR: f64 = 120.0;

/// The page. `below` is what other options would change, or a hint, in lines.
#[must_use]
pub fn explained(report: &Report, below: Option<&str>) -> String {
    let mut out = begin("lanekeeper explain", PAGE_STYLE);
    head(&mut out, report);
    out.push_str("<main>\n");
    let mut reasons = String::new();
    way(&mut out, ("there", "There"), &report.there, &mut reasons);
    way(&mut out, ("back", "Back"), &report.back, &mut reasons);
    if report.same_links && !report.back.hops.is_empty() {
        out.push_str("<p>The way back passes the same links the other way round.</p>\n");
    }
    if report.symmetric_sl == Some(false) {
        out.push_str("<p>The two ways have different SLs.</p>\n");
    }
    if let Some(group) = &report.multicast {
        multicast(&mut out, group);
    }
    if let Some(below) = below {
        out.push_str("<section id=\"other\">\n<h2>With other options</h2>\n");
        out.push_str(&format!("<pre class=\"lines\">{}</pre>\n</section>\n", lines(below)));
    }
    out.push_str("</main>\n");
    end(&mut out, "<code>lanekeeper explain --help</code> says what else can be asked.");
    out
}

/// Lines of text, each free of marks, without the margin that all of them have.
fn lines(text: &str) -> String {
    let margin = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let least = text.trim_end().lines().map(margin).min().unwrap_or(0);
    let line = |line: &str| escaped(line.get(least..).unwrap_or_default());
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

fn head(out: &mut String, report: &Report) {
    let (from, to) = (escaped(&report.from.name), escaped(&report.to.name));
    out.push_str(&format!("<header>\n<h1>{from} to {to}</h1>\n"));
    let stops = report.there.stops() || report.back.stops();
    let verdict = match stops {
        true => "<span class=\"badge error\">traffic does not get through</span>",
        false => "<span class=\"badge good\">traffic gets through</span>",
    };
    out.push_str(&format!("<p class=\"verdict\">{verdict}</p>\n<dl>\n"));
    let mut row = |word: &str, value: &str| {
        let (word, value) = (escaped(word), escaped(value));
        out.push_str(&format!("<div><dt>{word}</dt><dd>{value}</dd></div>\n"));
    };
    for (word, end) in [("From", &report.from), ("To", &report.to)] {
        row(word, &format!("{}, LID {}, {}", end.name, end.lid, end.guid));
    }
    if let Some(busy) = &report.busy {
        let sls: Vec<String> = busy.iter().map(ToString::to_string).collect();
        row("Busy", &format!("SL {}", sls.join(", ")));
    }
    if let Some(set) = &report.settings {
        let qos = if set.qos { "on" } else { "off" };
        row("QoS", &format!("{qos} ({})", set.qos_from));
        row("max_op_vls", &format!("{} ({})", set.max_op_vls, set.max_op_vls_from));
        row("Engine", &set.engine);
    }
    out.push_str(
        "</dl>\n<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#there\">There</a></li>\n<li><a \
         href=\"#back\">Back</a></li>\n</ul></nav>\n</header>\n",
    );
}

/// One direction. `reasons` is what was said already of who set the SL.
fn way(out: &mut String, (id, name): (&str, &str), way: &Way, reasons: &mut String) {
    out.push_str(&format!("<section id=\"{id}\">\n<h2>{name}</h2>\n"));
    out.push_str(&format!("<p class=\"verdict\">{}</p>\n", code(&text::summary(way))));
    if let Some(choice) = &way.choice {
        let words = lines(&text::choice_lines(choice));
        if words == *reasons {
            out.push_str("<p>The SL is set for the same reasons.</p>\n");
        } else {
            out.push_str(&format!("<pre class=\"lines\">{words}</pre>\n"));
            *reasons = words;
        }
    }
    hops(out, name, &way.hops);
    by_sl(out, name, &way.by_sl);
    if let Some(why) = &way.broken {
        out.push_str(&format!("<p class=\"help\"><b>The way ends here:</b> {}</p>\n", code(why)));
    }
    out.push_str("</section>\n");
}

fn multicast(out: &mut String, group: &Multicast) {
    out.push_str("<section id=\"multicast\">\n<h2>Multicast</h2>\n");
    let name = group.mgid.clone().unwrap_or_else(|| "the group".to_owned());
    out.push_str(&format!("<p>{}, LID {:#06x}</p>\n", escaped(&name), group.mlid));
    match &group.broken {
        Some(why) => out.push_str(&format!("<p><b>No way:</b> {}</p>\n", code(why))),
        None => hops(out, "Multicast", &group.hops),
    }
    out.push_str("</section>\n");
}

/// The table of links, and beneath it what there is to say of each.
fn hops(out: &mut String, name: &str, hops: &[Hop]) {
    if hops.is_empty() {
        return;
    }
    out.push_str(&format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Links, {name}\">\n<table>\
         <caption>Link by link</caption><thead><tr>"
    ));
    for head in ["Hop", "Link", "Rate of data", "Lanes", "VL", "Share when all SLs send", "Alone"] {
        out.push_str(&format!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead><tbody>\n");
    for (at, hop) in hops.iter().enumerate() {
        row(out, at + 1, hop);
    }
    out.push_str("</tbody></table>\n</div>\n");
    let mut told: Vec<(usize, String)> = Vec::new();
    for (at, hop) in hops.iter().enumerate() {
        let words = text::hop_lines(hop);
        match told.iter().find(|(_, earlier)| *earlier == words) {
            Some((like, _)) => out.push_str(&format!("<p>Hop {}: as hop {like}.</p>\n", at + 1)),
            None => {
                out.push_str(&format!(
                    "<details open><summary>Hop {}: {} to {}</summary>\n<pre class=\"lines\">{}</pre>\
                     </details>\n",
                    at + 1,
                    escaped(&hop.from),
                    escaped(&hop.to),
                    lines(&words)
                ));
                told.push((at + 1, words));
            }
        }
    }
}

fn row(out: &mut String, number: usize, hop: &Hop) {
    let lane = hop.lane.as_ref();
    let share = lane.and_then(|lane| lane.share.as_ref());
    let stands = lane.is_some_and(|lane| lane.dropped.is_some())
        || share.is_some_and(|share| share.alone <= 0.0);
    let class = if stands { " class=\"bad\"" } else { "" };
    out.push_str(&format!(
        "<tr{class}><th scope=\"row\">{number}</th><td>{} to {}</td><td>{:.0} Gb/s, {}</td><td>{} of \
         {}</td>",
        escaped(&hop.from),
        escaped(&hop.to),
        hop.gigabits,
        escaped(&hop.link),
        hop.lanes,
        hop.lanes_supported
    ));
    let vl = match lane {
        None => "not known".to_owned(),
        Some(lane) if lane.dropped.is_some() => format!("{}, dropped", lane.vl),
        Some(lane) => lane.vl.to_string(),
    };
    out.push_str(&format!("<td>{vl}</td>"));
    match share {
        Some(share) => out.push_str(&format!(
            "<td>{} {:.1} %, {:.1} Gb/s</td><td>{:.1} %</td>",
            bar(share.guaranteed),
            share.guaranteed * 100.0,
            share.guaranteed_gigabits,
            share.alone * 100.0
        )),
        None if stands => out.push_str("<td>none</td><td>none</td>"),
        None => out.push_str("<td>not known</td><td>not known</td>"),
    }
    out.push_str("</tr>\n");
}

/// A share as a bar; the number stands beside it.
fn bar(share: f64) -> String {
    format!(
        "<svg class=\"lk\" aria-hidden=\"true\" width=\"{BAR:.0}\" height=\"10\"><rect class=\"rail\" \
         width=\"{BAR:.0}\" height=\"10\"/><rect class=\"high\" \
         width=\"{:.1}\" height=\"10\"/></svg>",
        share.clamp(0.0, 1.0) * BAR
    )
}

/// The lanes of all SLs, where the SL is not known.
fn by_sl(out: &mut String, name: &str, rows: &[SlRow]) {
    let Some(first) = rows.first() else { return };
    out.push_str(&format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"SLs, {name}\">\n<table>\
         <caption>VL of each SL on each hop</caption><thead><tr><th scope=\"col\">SL</th>"
    ));
    for hop in 1..=first.vls.len() {
        out.push_str(&format!("<th scope=\"col\">{hop}</th>"));
    }
    out.push_str("<th scope=\"col\">Guaranteed</th></tr></thead><tbody>\n");
    for row in rows {
        out.push_str(&format!("<tr><th scope=\"row\">{}</th>", row.sl));
        for vl in &row.vls {
            let word = match vl {
                None => "?".to_owned(),
                Some(15) => "drop".to_owned(),
                Some(vl) => vl.to_string(),
            };
            out.push_str(&format!("<td>{word}</td>"));
        }
        let least =
            row.guaranteed.map_or_else(|| "?".to_owned(), |s| format!("{:.1} %", s * 100.0));
        out.push_str(&format!("<td>{least}</td></tr>\n"));
    }
    out.push_str("</tbody></table>\n</div>\n");
}
