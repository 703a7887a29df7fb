//! Path SLs in the form that `ibdmchk -c` and `verify --path-sls` read: GUID of the sending node,
//! LID, SL.

use std::fmt::{self, Write};

use lk_fabric::Fabric;
use lk_routing::{LidMap, Routes};
use lk_wire::{Lid, Sl};

/// Writes one line for each end port with a LID and each LID, where nothing asks for an SL.
///
/// # Errors
/// Those of `out`.
pub(super) fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    lids: &LidMap,
    routes: &Routes,
) -> fmt::Result {
    for (from, _, _) in lids.ranges() {
        let guid = fabric.node(fabric.owner(*from)).guid;
        for (to, first, lmc) in lids.ranges() {
            for lid in first.0..=first.0 + ((1 << lmc) - 1) {
                let sl = routes.sl.sl(*from, *to, Lid(lid), Sl(0)).0;
                writeln!(out, "{guid} {lid} {sl}")?;
            }
        }
    }
    Ok(())
}
