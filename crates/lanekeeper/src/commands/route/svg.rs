//! A picture of how full the links are: one cell for each direction of a link.
//!
//! Each switch is a row of cells, one for each of its links to other switches by ascending port;
//! where the switches form a tree they stand by levels. The colour says how many routes leave by
//! that link, on one scale for all engines of the picture.

use std::fmt::Write as _;

use lk_fabric::Fabric;
use lk_routing::Quality;

/// Pixels of the picture's width, about.
const WIDTH: usize = 1100;
/// Pixels around everything.
const MARGIN: usize = 16;
/// Up to so many cells are drawn by themselves, with a text that a browser shows.
const WITH_TEXT: usize = 6_000;

/// From an idle link to the fullest one.
const COLOURS: [&str; 12] = [
    "#eceff1", "#fff7cd", "#ffe9a3", "#fed976", "#febf5a", "#fda34a", "#fc843c", "#f7602f",
    "#ea3a22", "#d0191f", "#a80c24", "#6d0720",
];

/// Draws the links of one or more routings of a fabric.
pub(super) fn draw(fabric: &Fabric, routings: &[(&str, &Quality)]) -> String {
    let most = routings.iter().map(|(_, q)| q.max_routes_per_link()).max().unwrap_or(0);
    let mut body = String::new();
    let mut y = MARGIN + 14;
    text(&mut body, MARGIN, y, 15, "Routes on links between switches");
    y += 12;
    legend(&mut body, y, most);
    y += 44;
    for (engine, quality) in routings {
        let title = format!(
            "{engine}: {} at most, {:.1} on average",
            quality.max_routes_per_link(),
            quality.mean_routes_per_link()
        );
        text(&mut body, MARGIN, y, 14, &title);
        y += 10;
        for (name, switches) in levels(quality) {
            text(&mut body, MARGIN, y + 12, 11, &name);
            y += 18;
            y = Band { fabric, quality, most, switches: &switches, top: y }.draw(&mut body);
            y += 8;
        }
        y += 16;
    }
    let (width, height) = (WIDTH + 2 * MARGIN, y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" fill=\"#263238\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

fn legend(out: &mut String, y: usize, most: u64) {
    let step = 36;
    for (at, colour) in COLOURS.iter().enumerate() {
        let x = MARGIN + at * step;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{step}\" height=\"12\" fill=\"{colour}\"/>"
        );
    }
    text(out, MARGIN, y + 25, 11, "0");
    text(out, MARGIN + COLOURS.len() * step - 8, y + 25, 11, &most.to_string());
}

/// The switches that have links, by number of links first on, in bands with a name each.
fn levels(quality: &Quality) -> Vec<(String, Vec<u32>)> {
    let mut switches: Vec<u32> = quality.links.iter().map(|link| link.switch.0).collect();
    switches.dedup();
    if quality.levels.is_empty() {
        return vec![("all switches".to_owned(), switches)];
    }
    let height = |s: &u32| quality.heights.get(*s as usize).copied().unwrap_or(0);
    let top = switches.iter().map(height).max().unwrap_or(0);
    let band = |level: u32| {
        let name = match level {
            0 => "level 0, leaf switches".to_owned(),
            n if n == top => format!("level {n}, top"),
            n => format!("level {n}"),
        };
        (name, switches.iter().copied().filter(|s| height(s) == level).collect())
    };
    (0..=top).rev().map(band).collect()
}

/// Switches that stand together.
struct Band<'a> {
    fabric: &'a Fabric,
    quality: &'a Quality,
    most: u64,
    switches: &'a [u32],
    top: usize,
}

impl Band<'_> {
    /// Draws the cells and gives the line below them.
    fn draw(&self, out: &mut String) -> usize {
        let links = &self.quality.links;
        let row = |s: u32| {
            let start = links.partition_point(|link| link.switch.0 < s);
            let end = links.partition_point(|link| link.switch.0 <= s);
            &links[start..end]
        };
        let longest = self.switches.iter().map(|s| row(*s).len()).max().unwrap_or(1).max(1);
        let cells: usize = links.len();
        let size = if cells <= WITH_TEXT {
            9
        } else if cells <= 40_000 {
            5
        } else {
            3
        };
        let gap = if size > 3 { 1 } else { 0 };
        let wide = longest * size + 2 * size;
        let columns = (WIDTH / wide).clamp(1, self.switches.len().max(1));
        let rows = self.switches.len().div_ceil(columns).max(1);
        let mut paths = vec![String::new(); COLOURS.len()];
        for (at, s) in self.switches.iter().enumerate() {
            let x = MARGIN + at / rows * wide;
            let y = self.top + at % rows * (size + gap);
            for (place, link) in row(*s).iter().enumerate() {
                let colour = self.colour(link.routes);
                let (x, side) = (x + place * size, size - gap);
                if cells <= WITH_TEXT {
                    let node = self.fabric.switch_node(link.switch);
                    let name = escaped(&self.fabric.node(node).description);
                    let _ = writeln!(
                        out,
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" \
                         fill=\"{}\"><title>{name}/{}: {} routes</title></rect>",
                        COLOURS[colour], link.port, link.routes
                    );
                } else {
                    let _ = write!(paths[colour], "M{x} {y}h{side}v{side}h-{side}z");
                }
            }
        }
        for (path, colour) in paths.iter().zip(COLOURS).filter(|(path, _)| !path.is_empty()) {
            let _ = writeln!(out, "<path d=\"{path}\" fill=\"{colour}\"/>");
        }
        self.top + rows * (size + gap)
    }

    /// Idle links have a colour to themselves.
    fn colour(&self, routes: u64) -> usize {
        if routes == 0 || self.most == 0 {
            return 0;
        }
        let steps = COLOURS.len() as u64 - 1;
        (routes * steps).div_ceil(self.most).clamp(1, steps) as usize
    }
}

fn text(out: &mut String, x: usize, y: usize, size: usize, words: &str) {
    let words = escaped(words);
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{words}</text>");
}

/// Text as XML has it. Control characters have no place there.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_break_the_picture() {
        assert_eq!(escaped("a<b>&\"c\"\u{1}"), "a&lt;b&gt;&amp;&quot;c&quot;?");
    }
}
