//! The order of compute nodes in which shift permutations do not share links.

use std::fmt::{self, Write};

use lk_fabric::{Fabric, PortId};
use lk_wire::Lid;

/// Compute nodes in the order of the leaf switches, as `opensm-ftree-ca-order.dump` has it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CaOrder {
    /// Their ports; `None` where a leaf switch has fewer than the fullest one.
    pub ports: Vec<Option<PortId>>,
}

impl CaOrder {
    /// Writes the file: a LID and a description on each line, or 0xFFFF and DUMMY.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(
        &self,
        out: &mut impl Write,
        fabric: &Fabric,
        lid: impl Fn(PortId) -> Lid,
    ) -> fmt::Result {
        for port in &self.ports {
            match port {
                Some(port) => {
                    let name = &fabric.node(fabric.owner(*port)).description;
                    writeln!(out, "0x{:04x}\t{name}", lid(*port).0)?;
                }
                None => writeln!(out, "0xFFFF\tDUMMY")?,
            }
        }
        Ok(())
    }
}
