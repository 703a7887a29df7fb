//! Topology files of ibdm (`.topo`, ibdm-topo-file(1)), with the definitions of systems that they
//! name (`.ibnl`, ibdm-ibnl-file(1)).
//!
//! ```text
//! MTS14400 director CFG: leaf3=R,leaf4=R
//!    L1/P1 -4x-5G-> MTS2400 edge P13
//! ```
//!
//! Such a file says how the plugs on the panels of systems are cabled. What is inside a system,
//! boards and chips and the lines between them, stands in the definition of its type. [`ibnl`]
//! reads definitions, [`topo`] the topology, [`expand`] makes nodes of a system, and [`build`]
//! puts cables between them.
//!
//! * A chip is named `system/board/chip`, as ibdm names it. GUIDs are given out in the order of the
//!   file, as ibsim does; all chips of a system share its system image GUID.
//! * A plug whose board has no such port (another flavour of the board is in its place) is left
//!   out, as the manual has it. `CFG: board=R` takes a board out, `board=X` puts in the flavour
//!   `TYPE:X`.
//! * Width and speed of a port are those that the innermost line states.
//! * A type without a definition whose plugs are all called `P` and a number is taken as one chip
//!   with these ports, and that is said.

mod build;
mod expand;
mod ibnl;
mod topo;
mod words;

use lk_diag::SourceFile;

use super::draft::Draft;
use super::findings::Findings;

/// Collects the nodes and cables of a topology file. `systems` are the files with definitions;
/// where two define one type, the first counts.
pub(super) fn read(source: &SourceFile, systems: &[SourceFile], findings: &mut Findings) -> Draft {
    let mut draft = Draft::of(source);
    draft.files.extend(systems.iter().cloned());
    let library = ibnl::Library::read(&draft, systems);
    let topology = topo::read(source, &draft, findings);
    build::Builder::new(draft, &library, findings).build(&topology)
}

/// Whether a line is one that cables a plug: `PORT -> TYPE NAME PORT`.
pub(super) fn is_cable(line: &str) -> bool {
    words::is_topology_cable(line)
}
