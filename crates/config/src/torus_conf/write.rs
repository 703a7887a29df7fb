//! From the model to text.

use std::fmt::Write as _;

use super::{DATELINES, DIRECTIONS, TorusConf};

/// Writes a torus-2QoS.conf. [`super::parse`] reads the same model back, unless the model was
/// refused.
#[must_use]
pub fn write(conf: &TorusConf) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail, so the results are dropped.
    if let Some(shape) = &conf.shape {
        out.push_str("torus");
        for (radix, open) in shape.value.radix.iter().zip(shape.value.open) {
            let _ = write!(out, " {radix}{}", if open { "M" } else { "" });
        }
        out.push('\n');
    }
    if let Some(n) = conf.portgroup_max_ports {
        let _ = writeln!(out, "portgroup_max_ports {}", n.value);
    }
    if let Some(n) = conf.max_changes {
        let _ = writeln!(out, "max_changes {}", n.value);
    }
    if !conf.port_order.is_empty() {
        out.push_str("port_order");
        for port in &conf.port_order {
            let _ = write!(out, " {}", port.value);
        }
        out.push('\n');
    }
    for (at, seed) in conf.seeds.iter().enumerate() {
        if at > 0 {
            out.push_str("next_seed\n");
        }
        for (keyword, link) in DIRECTIONS.iter().zip(seed.links) {
            if let Some(link) = link {
                let _ = writeln!(out, "{keyword} {} {}", link.value.from, link.value.to);
            }
        }
        for (keyword, dateline) in DATELINES.iter().zip(seed.datelines) {
            if let Some(dateline) = dateline {
                let _ = writeln!(out, "{keyword} {}", dateline.value);
            }
        }
    }
    out
}
