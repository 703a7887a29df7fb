//! A picture of how full the links are, for one engine or for several beside each other.

use std::collections::BTreeMap;

use lk_audit::picture::alone;
use lk_audit::picture::heat::{self, Band, Cell, Heat, Row};
use lk_fabric::Fabric;
use lk_routing::Quality;

/// Draws the links of one or more routings of a fabric.
pub(super) fn draw(fabric: &Fabric, routings: &[(&str, &Quality)]) -> String {
    let heats: Vec<Heat> =
        routings.iter().map(|(engine, quality)| of(fabric, engine, quality)).collect();
    let (body, size) = heat::draw("Routes on links between switches", &heats);
    alone(&body, size)
}

/// The routes on each link.
pub(in crate::commands) fn of(fabric: &Fabric, engine: &str, quality: &Quality) -> Heat {
    let title = format!(
        "{engine}: {} at most, {:.1} on average",
        quality.max_routes_per_link(),
        quality.mean_routes_per_link()
    );
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    for link in &quality.links {
        let row = rows.entry(link.switch.0).or_insert_with(|| Row {
            name: fabric.node(fabric.switch_node(link.switch)).description.clone(),
            cells: Vec::new(),
        });
        row.cells.push(Cell { port: link.port.0, load: link.routes });
    }
    Heat { title, unit: "routes", bands: bands(quality, rows) }
}

/// The switches by their height above the leaves, the highest first; all together where they form
/// no tree.
fn bands(quality: &Quality, rows: BTreeMap<u32, Row>) -> Vec<Band> {
    if quality.levels.is_empty() {
        let rows = rows.into_values().collect();
        return vec![Band { name: "all switches".to_owned(), rows }];
    }
    let height = |switch: u32| quality.heights.get(switch as usize).copied().unwrap_or(0);
    let mut bands: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for (switch, row) in rows {
        bands.entry(height(switch)).or_default().push(row);
    }
    let top = bands.keys().last().copied().unwrap_or(0);
    let band = |(level, rows): (u32, Vec<Row>)| {
        let name = match level {
            0 => "level 0, leaf switches".to_owned(),
            n if n == top => format!("level {n}, top"),
            n => format!("level {n}"),
        };
        Band { name, rows }
    };
    bands.into_iter().rev().map(band).collect()
}
