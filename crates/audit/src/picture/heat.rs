//! How full the links between switches are: one cell for each direction of a link.
//!
//! Each switch is a row of cells by ascending port; where the switches form a tree they stand by
//! levels. The colour says how much goes by the link, on one scale for the whole picture.

use super::{escaped, text};

/// Pixels of the picture's width, about.
const WIDTH: usize = 1060;
/// Pixels around everything.
const MARGIN: usize = 16;
/// Up to so many cells are drawn by themselves, with a text that a browser shows.
const WITH_TEXT: usize = 6_000;
/// How many colours there are, the one of idle links included.
const COLOURS: u64 = 12;
/// Up to so many cells the switches' names stand beside them, cut to this many letters.
const WITH_NAMES: usize = 400;
const LETTERS: usize = 20;
/// Pixels of a letter, about.
const LETTER: usize = 7;
/// Pixels of a step of the legend.
const STEP: usize = 26;

/// A direction of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The number of the sending port.
    pub port: u8,
    /// How much goes by it.
    pub load: u64,
}

/// A switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its links, by ascending port.
    pub cells: Vec<Cell>,
}

/// Switches that stand together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Band {
    /// What they are.
    pub name: String,
    /// The switches.
    pub rows: Vec<Row>,
}

/// One set of loads on the links of a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heat {
    /// What it is of.
    pub title: String,
    /// What is counted, as in `routes`.
    pub unit: &'static str,
    /// The switches.
    pub bands: Vec<Band>,
}

impl Heat {
    /// The most on one link.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.cells().map(|(_, cell)| cell.load).max().unwrap_or(0)
    }

    /// All links with their switches.
    pub fn cells(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        let rows = self.bands.iter().flat_map(|band| &band.rows);
        rows.flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
    }
}

/// Draws one or more, on one scale; gives the size in pixels with it.
#[must_use]
pub fn draw(heading: &str, heats: &[Heat]) -> (String, (usize, usize)) {
    let most = heats.iter().map(Heat::most).max().unwrap_or(0);
    let unit = heats.first().map_or("", |heat| heat.unit);
    let mut out = String::new();
    let mut y = MARGIN + 14;
    text(&mut out, (MARGIN, y), "title", heading);
    y += 12;
    legend(&mut out, y, most, unit);
    y += 50;
    let mut right = MARGIN + COLOURS as usize * STEP + 80;
    for heat in heats {
        text(&mut out, (MARGIN, y), "head", &heat.title);
        y += 10;
        for band in &heat.bands {
            text(&mut out, (MARGIN, y + 12), "soft", &band.name);
            y += 18;
            let (below, edge) = draw_band(&mut out, heat, band, most, y);
            y = below + 8;
            right = right.max(edge);
        }
        y += 16;
    }
    (out, (right + MARGIN, y))
}

fn legend(out: &mut String, y: usize, most: u64, unit: &str) {
    for at in 0..COLOURS as usize {
        let x = MARGIN + at * STEP;
        out.push_str(&format!(
            "<rect class=\"c{at}\" x=\"{x}\" y=\"{y}\" width=\"{STEP}\" height=\"12\"/>\n"
        ));
    }
    text(out, (MARGIN, y + 26), "soft", "0");
    let right = MARGIN + COLOURS as usize * STEP;
    text(out, (right, y + 26), "soft end", &format!("{most} {unit}"));
}

/// Draws the cells of a band; gives the line below them and their right edge.
fn draw_band(out: &mut String, heat: &Heat, band: &Band, most: u64, top: usize) -> (usize, usize) {
    let cells = heat.cells().count();
    let size = match cells {
        0..=WITH_NAMES => 16,
        _ if cells <= WITH_TEXT => 9,
        _ if cells <= 40_000 => 5,
        _ => 3,
    };
    let gap = usize::from(size > 3);
    let longest = band.rows.iter().map(|row| row.cells.len()).max().unwrap_or(1).max(1);
    let names = band.rows.iter().map(|row| row.name.chars().count().min(LETTERS)).max();
    let label = if cells <= WITH_NAMES { names.unwrap_or(0) * LETTER + 8 } else { 0 };
    let wide = label + longest * size + 2 * size;
    let columns = (WIDTH / wide).clamp(1, band.rows.len().max(1));
    let rows = band.rows.len().div_ceil(columns).max(1);
    let mut paths = vec![String::new(); COLOURS as usize];
    let mut right = 0;
    for (at, row) in band.rows.iter().enumerate() {
        let (x, y) = (MARGIN + at / rows * wide, top + at % rows * (size + gap));
        if label > 0 {
            text(out, (x, y + 12), "", &shortened(&row.name));
        }
        let x = x + label;
        for (place, cell) in row.cells.iter().enumerate() {
            let colour = colour(cell.load, most);
            let (x, side) = (x + place * size, size - gap);
            right = right.max(x + size);
            if cells <= WITH_TEXT {
                out.push_str(&format!(
                    "<rect class=\"c{colour}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" \
                     height=\"{side}\"><title>{}/{}: {} {}</title></rect>\n",
                    escaped(&row.name),
                    cell.port,
                    cell.load,
                    heat.unit
                ));
            } else {
                paths[colour as usize].push_str(&format!("M{x} {y}h{side}v{side}h-{side}z"));
            }
        }
    }
    for (at, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        out.push_str(&format!("<path class=\"c{at}\" d=\"{path}\"/>\n"));
    }
    (top + rows * (size + gap), right)
}

/// A name of at most so many letters.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        None => name.to_owned(),
        Some(_) => name.chars().take(LETTERS - 1).chain(['…']).collect(),
    }
}

/// Idle links have a colour to themselves.
fn colour(load: u64, most: u64) -> u64 {
    if load == 0 || most == 0 {
        return 0;
    }
    (load * (COLOURS - 1)).div_ceil(most).clamp(1, COLOURS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_link_has_the_last_colour_and_idle_ones_the_first() {
        assert_eq!([colour(0, 9), colour(1, 9), colour(9, 9), colour(5, 0)], [0, 2, 11, 0]);
    }

    #[test]
    fn names_do_not_break_the_picture() {
        let row = Row { name: "<script>".to_owned(), cells: vec![Cell { port: 1, load: 2 }] };
        let band = Band { name: "a & b".to_owned(), rows: vec![row] };
        let heat = Heat { title: "t".to_owned(), unit: "routes", bands: vec![band] };
        let (body, (width, height)) = draw("Links", &[heat]);
        assert!(body.contains("&lt;script&gt;/1: 2 routes") && body.contains("a &amp; b"));
        assert!(!body.contains("<script") && width > 100 && height > 100);
    }
}
