//! torus-2QoS.conf: the shape of a torus, the links that seed its discovery, and a few limits.
//!
//! [`parse`] reads a file as torus-2QoS.conf(5) and OpenSM's behaviour say: the first word of a
//! line is a keyword, further words are its arguments, what follows is ignored. A bad line makes
//! the whole file unusable ([`TorusConf::refused`]), but all lines are read, so that all faults
//! are told at once. Seeds are checked for completeness in `seeds`; whether they fit a fabric
//! only the routing engine can say. [`write`] gives the text of a model.

mod line;
mod read;
mod seeds;
mod write;

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::Guid;

use crate::kind::{self, FileKind};

pub use crate::Placed;
pub use write::write;

/// A torus-2QoS.conf.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TorusConf {
    /// The `torus` or `mesh` line: the first, if there are several.
    pub shape: Option<Placed<Shape>>,
    /// The seeds in the order of the file. Those without any link line are left out.
    pub seeds: Vec<Seed>,
    /// `portgroup_max_ports`, where given.
    pub portgroup_max_ports: Option<Placed<u32>>,
    /// `port_order`, without repeated ports. A port is here as written, also one that no switch
    /// has.
    pub port_order: Vec<Placed<u32>>,
    /// `max_changes`, where given.
    pub max_changes: Option<Placed<u32>>,
    /// Whether a line is so bad that the engine must not route by this file.
    pub refused: bool,
}

impl TorusConf {
    /// Parallel links to a neighbour, or host ports of a switch and its port 0, where
    /// `portgroup_max_ports` does not say otherwise.
    pub const PORTGROUP_MAX_PORTS: u32 = 16;
    /// Changes of the torus that are logged, where `max_changes` does not say otherwise.
    pub const MAX_CHANGES: u32 = 32;

    /// The most ports of a group, by the file or by default.
    #[must_use]
    pub fn group_ports(&self) -> u32 {
        self.portgroup_max_ports.map_or(Self::PORTGROUP_MAX_PORTS, |n| n.value)
    }

    /// The most changes that are logged, by the file or by default.
    #[must_use]
    pub fn changes(&self) -> u32 {
        self.max_changes.map_or(Self::MAX_CHANGES, |n| n.value)
    }
}

/// What the fabric is to look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Switches in x, y and z; 1 where the dimension is absent.
    pub radix: [u32; 3],
    /// Dimensions that are open (mesh) and not closed to rings, as the file says. OpenSM takes a
    /// dimension of two switches for open whatever it says.
    pub open: [bool; 3],
}

/// A link line: the cable from one switch to its neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeedLink {
    /// Node GUID of the switch that the seed is about.
    pub from: Guid,
    /// Node GUID of its neighbour in the keyword's direction.
    pub to: Guid,
}

/// The lines from one `next_seed` to the next.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seed {
    /// The link lines in the order of [`DIRECTIONS`].
    pub links: [Option<Placed<SeedLink>>; 6],
    /// `x_dateline`, `y_dateline` and `z_dateline`.
    pub datelines: [Option<Placed<i32>>; 3],
}

impl Seed {
    /// The position of the dateline in each dimension; 0 where no line says it.
    #[must_use]
    pub fn dateline(&self) -> [i32; 3] {
        self.datelines.map(|d| d.map_or(0, |d| d.value))
    }
}

/// The link keywords: up and down in each dimension.
pub const DIRECTIONS: [&str; 6] =
    ["xp_link", "xm_link", "yp_link", "ym_link", "zp_link", "zm_link"];

/// The dateline keywords.
pub const DATELINES: [&str; 3] = ["x_dateline", "y_dateline", "z_dateline"];

/// Reads a torus-2QoS.conf.
///
/// What OpenSM refuses is an error and sets [`TorusConf::refused`], with one exception: a second
/// `torus` or `mesh` line is ignored with a warning, as the first one says all that is needed.
#[must_use]
pub fn parse(source: &SourceFile) -> (TorusConf, Diagnostics) {
    let (conf, found) = read::read(source);
    let nothing = conf.shape.is_none() && conf.seeds.is_empty();
    match kind::wrong(source, FileKind::Torus, nothing).filter(|_| conf.refused) {
        Some(wrong) => (conf, wrong),
        None => (conf, found),
    }
}
