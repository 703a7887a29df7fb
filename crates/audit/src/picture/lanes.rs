//! From SL to lane to share of the link, for one kind of ports.

use lk_qos::{ArbTables, Busy, PortTables, shares};
use lk_wire::{Sl, Vl, VlCode};

use super::text;

/// What is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Lanes {
    /// The lane of each SL; 15 drops its packets.
    pub sls: [u8; 16],
    /// The lanes that some SL maps to, ascending.
    pub lanes: Vec<LaneBar>,
    /// Whether the port arbitrates at all: it has more than one lane.
    pub arbitrates: bool,
}

/// A lane and its part of the link, with all of these lanes busy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaneBar {
    /// The lane.
    pub vl: u8,
    /// What it gets by the high-priority table, from 0 to 1.
    pub high: f64,
    /// What it gets by the low-priority table.
    pub low: f64,
    /// Whether it has weight in any table.
    pub has_weight: bool,
}

impl LaneBar {
    /// The share in words.
    #[must_use]
    pub fn words(&self) -> String {
        let share = self.high + self.low;
        if !self.has_weight {
            "no weight".to_owned()
        } else if share <= 0.0 {
            "starves".to_owned()
        } else {
            format!("{:.1} %", share * 100.0)
        }
    }

    /// Whether nothing is sent on it.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.high + self.low <= 0.0
    }
}

impl Lanes {
    /// The lanes of a port that holds these tables, operates these lanes and sends packets of
    /// `packet` bytes.
    #[must_use]
    pub fn new(held: &PortTables, operate: VlCode, packet: u32) -> Self {
        let vl = |sl: u8| held.sl2vl.map_or(0, |table| table.get(Sl(sl)).0);
        let sls: [u8; 16] = std::array::from_fn(|sl| vl(sl as u8));
        let mut used: Vec<u8> = sls.iter().copied().filter(|vl| *vl < 15).collect();
        used.sort_unstable();
        used.dedup();
        let tables = ArbTables::of_port(held).filter(|_| operate.data_vls() > 1);
        let bar = |vl: u8| match &tables {
            None => LaneBar { vl, high: 0.0, low: 1.0, has_weight: true },
            Some(tables) => {
                let busy: Vec<Busy> = used.iter().map(|vl| Busy { vl: Vl(*vl), packet }).collect();
                let got = shares(tables, &busy);
                let mut all = tables.high.iter().chain(&tables.low);
                let has_weight = all.any(|entry| entry.vl == Vl(vl) && entry.weight > 0);
                let high = got.by_high(Vl(vl));
                LaneBar { vl, high, low: got.of(Vl(vl)) - high, has_weight }
            }
        };
        Self { sls, lanes: used.iter().map(|vl| bar(*vl)).collect(), arbitrates: tables.is_some() }
    }

    /// Whether packets of some SL are dropped.
    #[must_use]
    pub fn drops(&self) -> bool {
        self.sls.contains(&15)
    }

    /// What the picture shows, in one sentence each lane.
    #[must_use]
    pub fn words(&self) -> String {
        let on = |vl: u8| {
            let sls: Vec<String> =
                (0..16).filter(|sl| self.sls[*sl] == vl).map(|sl| sl.to_string()).collect();
            format!("SL {}", sls.join(", "))
        };
        let mut parts: Vec<String> = self
            .lanes
            .iter()
            .map(|bar| format!("{} on VL {}, {}", on(bar.vl), bar.vl, bar.words()))
            .collect();
        if self.drops() {
            parts.push(format!("{} dropped", on(15)));
        }
        parts.join("; ")
    }
}

/// The size of the picture, in pixels.
pub const SIZE: (usize, usize) = (368, 404);
/// Pixels from one SL to the next.
const STEP: usize = 22;
/// Where the first line of SLs is.
const TOP: usize = 44;
/// Where lanes begin and end.
const LANES: (usize, usize) = (128, 172);
/// Where bars begin, and how long one of the whole link is.
const BARS: (usize, usize) = (180, 110);

/// Draws the picture.
#[must_use]
pub fn draw(lanes: &Lanes) -> String {
    let mut out = String::new();
    text(&mut out, (8, 18), "head", "SL");
    text(&mut out, (LANES.0, 18), "head", "VL");
    text(&mut out, (BARS.0, 18), "head", "share when all send");
    let rows = lanes.lanes.len() + usize::from(lanes.drops());
    let height = 16 * STEP;
    let middle = |row: usize| TOP + (2 * row + 1) * height / (2 * rows.max(1)) - STEP / 2;
    for (sl, vl) in lanes.sls.iter().enumerate() {
        let row = lanes.lanes.iter().position(|bar| bar.vl == *vl);
        let y = TOP + sl * STEP;
        let to = middle(row.unwrap_or(lanes.lanes.len()));
        let class = if row.is_some() { "way" } else { "badway" };
        let (from, end) = (34, LANES.0);
        let half = (from + end) / 2;
        out.push_str(&format!(
            "<path class=\"{class}\" d=\"M{from} {y}C{half} {y} {half} {to} {end} {to}\"/>\n"
        ));
        text(&mut out, (26, y + 4), "end", &sl.to_string());
    }
    for (row, bar) in lanes.lanes.iter().enumerate() {
        lane(&mut out, bar, middle(row));
    }
    if lanes.drops() {
        let y = middle(lanes.lanes.len());
        out.push_str(&format!(
            "<rect class=\"badbox\" x=\"{}\" y=\"{}\" width=\"72\" height=\"20\" rx=\"3\"/>\n",
            LANES.0,
            y - 10
        ));
        text(&mut out, (LANES.0 + 36, y + 4), "bad mid", "dropped");
    }
    out
}

fn lane(out: &mut String, bar: &LaneBar, y: usize) {
    let class = if bar.stands() { "badbox" } else { "box" };
    out.push_str(&format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\" rx=\"3\"/>\n",
        LANES.0,
        y - 10,
        LANES.1 - LANES.0
    ));
    text(out, ((LANES.0 + LANES.1) / 2, y + 4), "mid", &format!("VL {}", bar.vl));
    let length = |share: f64| (share * BARS.1 as f64 * 10.0).round() / 10.0;
    let (high, low) = (length(bar.high), length(bar.low));
    let mut rect = |class: &str, x: f64, width: f64| {
        out.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"12\"/>\n",
            y - 6
        ));
    };
    let start = BARS.0 as f64;
    rect("rail", start, BARS.1 as f64);
    if high > 0.0 {
        rect("high", start, high);
    }
    if low > 0.0 {
        rect("low", start + high, low);
    }
    let class = if bar.stands() { "bad" } else { "" };
    text(out, (BARS.0 + BARS.1 + 6, y + 4), class, &bar.words());
}
