//! `opensm-torus.dump`: the coordinates of the switches of a torus.
//!
//! ```text
//! switch 0,0,0 GUID 0x200000 (sw-0-0-0)
//! switch 1,0,0 GUID 0x200005 (sw-1-0-0)
//! ```
//!
//! One line for each switch that has a place, x running fastest.

use std::fmt::{self, Write};

use crate::graph::{Fabric, SwitchId};

/// Writes the file. `place` gives the coordinates of a switch, none where it is not part of the
/// torus.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    place: impl Fn(SwitchId) -> Option<[u32; 3]>,
) -> fmt::Result {
    let with_place = |s| place(s).map(|[x, y, z]| ([z, y, x], s));
    let mut placed: Vec<([u32; 3], SwitchId)> =
        fabric.switch_ids().filter_map(with_place).collect();
    placed.sort_unstable();
    for ([z, y, x], switch) in placed {
        let node = fabric.node(fabric.switch_node(switch));
        writeln!(out, "switch {x},{y},{z} GUID {:#06x} ({})", node.guid.0, node.description)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lk_wire::Guid;

    use super::*;
    use crate::{FabricBuilder, NodeKind, NodeSpec};

    #[test]
    fn x_runs_fastest_and_guids_have_four_digits_at_least() {
        let mut builder = FabricBuilder::new();
        for (guid, name) in [(0x12, "a"), (0x20_0001, "b"), (0x20_0002, "c"), (0x20_0003, "d")] {
            builder.add_node(NodeSpec::new(Guid(guid), NodeKind::Switch, name, 8)).unwrap();
        }
        let fabric = builder.build();
        let mut text = String::new();
        write(&mut text, &fabric, |switch| {
            match fabric.node(fabric.switch_node(switch)).description.as_str() {
                "a" => Some([1, 0, 0]),
                "b" => Some([0, 1, 0]),
                "c" => Some([0, 0, 0]),
                _ => None,
            }
        })
        .unwrap();
        let expected = "switch 0,0,0 GUID 0x200002 (c)\nswitch 1,0,0 GUID 0x0012 (a)\n\
                        switch 0,1,0 GUID 0x200001 (b)\n";
        assert_eq!(text, expected);
    }
}
