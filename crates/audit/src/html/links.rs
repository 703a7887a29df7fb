//! How full the links between switches are.

use crate::picture::heat::{self, Heat};
use crate::picture::{escaped, within};

/// Links that are listed.
const LISTED: usize = 10;

/// The section.
pub(super) fn section(out: &mut String, heat: &Heat) {
    let cells = heat.cells().count();
    if cells == 0 {
        return;
    }
    let (body, size) = heat::draw("Links between switches", std::slice::from_ref(heat));
    let most = heat.most();
    let text = format!("{cells} directions of links, {most} {} on the fullest", heat.unit);
    out.push_str("<section id=\"links\">\n<h2>Links</h2>\n");
    out.push_str(&format!(
        "<p>Each cell is a link between switches in one direction, a switch's links in a row; the \
         colour says how many {} go by it: {text}.</p>\n",
        heat.unit
    ));
    out.push_str(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Map of links\">\n",
    );
    out.push_str(&within(&body, size, "Links between switches", &text));
    out.push_str("</div>\n");
    let mut fullest: Vec<_> = heat.cells().collect();
    fullest.sort_by_key(|(row, cell)| (std::cmp::Reverse(cell.load), row.name.clone(), cell.port));
    out.push_str(&format!(
        "<table><caption>The fullest links</caption><thead><tr><th scope=\"col\">Switch and port\
         </th><th scope=\"col\">{}</th></tr></thead><tbody>\n",
        escaped(heat.unit)
    ));
    for (row, cell) in fullest.into_iter().take(LISTED) {
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}/{}</th><td>{}</td></tr>\n",
            escaped(&row.name),
            cell.port,
            cell.load
        ));
    }
    out.push_str("</tbody></table>\n</section>\n");
}
