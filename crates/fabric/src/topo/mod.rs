//! Generators of well-known topologies, for trials, tests and benchmarks.
//!
//! Each shape is a struct of sizes in a file of its own. A shape draws a `Sketch` (switches,
//! hosts and cables by number); the sketch loses what [`Faults`] takes from it and then becomes a
//! [`Fabric`]. The same specification gives the same fabric, byte for byte.
//!
//! Numbering, the same for every shape: switch `i` has the GUID `0x200000 + i`; host `i` has the
//! node GUID `0x100000 + 16 i` and a port GUID one higher, or starts at `0x1_0000_0000` where
//! that many hosts would run into the switches. No LIDs are assigned.

mod dragonfly;
mod fattree;
mod faults;
mod hyperx;
mod prng;
mod random;
mod sketch;
mod torus;

pub use dragonfly::DragonflyPlus;
pub use fattree::FatTree;
pub use faults::{Amount, Faults};
pub use hyperx::HyperX;
pub use random::RandomRegular;
pub use torus::Torus;

use crate::graph::{Fabric, LinkRate};
use sketch::Sketch;

/// The largest number of unicast LIDs that a subnet has (IBA 4.1.3).
pub const MAX_LIDS: u64 = 0xBFFF;

/// No generator makes more nodes than this.
pub const MAX_NODES: u64 = 1 << 20;

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct TopoSpec {
    /// The topology and its sizes.
    pub shape: Shape,
    /// What is broken in it.
    pub faults: Faults,
    /// Width and speed of every link.
    pub rate: LinkRate,
}

impl TopoSpec {
    /// A whole fabric of this shape with 4x HDR links.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self { shape, faults: Faults::default(), rate: LinkRate::HDR_4X }
    }
}

/// A topology.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Fat-tree.
    FatTree(FatTree),
    /// Torus or mesh.
    Torus(Torus),
    /// Dragonfly+.
    DragonflyPlus(DragonflyPlus),
    /// HyperX.
    HyperX(HyperX),
    /// Random regular graph.
    Random(RandomRegular),
}

impl Shape {
    fn sketch(&self) -> Result<Sketch, TopoError> {
        match self {
            Self::FatTree(s) => s.sketch(),
            Self::Torus(s) => s.sketch(),
            Self::DragonflyPlus(s) => s.sketch(),
            Self::HyperX(s) => s.sketch(),
            Self::Random(s) => s.sketch(),
        }
    }
}

/// A generated fabric and what is to be said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The fabric.
    pub fabric: Fabric,
    /// Remarks for the person who asked: more nodes than LIDs, what was taken out, parts that
    /// are cut off.
    pub notes: Vec<String>,
}

/// Why a topology cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TopoError {
    /// A size is out of its range.
    #[error("{what} is {value}; it must be {range}")]
    Size {
        /// Which size.
        what: &'static str,
        /// What was asked for.
        value: u64,
        /// What is possible.
        range: String,
    },
    /// A switch would need more ports than it has.
    #[error("{what} needs {needed} ports and has {radix}")]
    Ports {
        /// Which switches.
        what: &'static str,
        /// How many ports they would need.
        needed: u64,
        /// How many they have.
        radix: u64,
    },
    /// More nodes than [`MAX_NODES`].
    #[error("that is {nodes} nodes or more; at most {MAX_NODES} are generated")]
    TooLarge {
        /// How many nodes the sizes ask for, at least.
        nodes: u64,
    },
    /// Sizes that do not fit each other.
    #[error("{0}")]
    Unfit(String),
}

/// Builds the fabric that a specification describes.
///
/// # Errors
/// [`TopoError`] where no such fabric exists. A fabric with more nodes than a subnet has LIDs is
/// built; a note says so.
pub fn generate(spec: &TopoSpec) -> Result<Generated, TopoError> {
    let mut sketch = spec.shape.sketch()?;
    let mut notes = Vec::new();
    faults::apply(&mut sketch, &spec.faults, &mut notes)?;
    let nodes = sketch.node_count();
    if nodes > MAX_LIDS {
        notes.push(format!(
            "{nodes} nodes need as many LIDs; a subnet has {MAX_LIDS}, so that it cannot be \
             brought up whole"
        ));
    }
    let fabric = sketch.into_fabric(spec.rate)?;
    let parts = crate::components::components(&fabric);
    if parts.len() > 1 {
        notes.push(format!(
            "the fabric is in {} parts; the largest has {} nodes",
            parts.len(),
            parts.iter().map(|p| p.nodes.len()).max().unwrap_or(0)
        ));
    }
    Ok(Generated { fabric, notes })
}

/// The product of sizes, refused where it passes [`MAX_NODES`].
fn count(factors: impl IntoIterator<Item = u64>) -> Result<u64, TopoError> {
    let product = factors.into_iter().fold(1_u64, u64::saturating_mul);
    if product > MAX_NODES { Err(TopoError::TooLarge { nodes: product }) } else { Ok(product) }
}

/// Refuses a size out of its range.
fn within(what: &'static str, value: u64, low: u64, high: u64) -> Result<(), TopoError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let range =
        if high == u64::MAX { format!("{low} or more") } else { format!("{low} to {high}") };
    Err(TopoError::Size { what, value, range })
}

/// The radix to use: the one asked for if the ports suffice, else as many as are needed.
fn fit_radix(what: &'static str, asked: Option<u8>, needed: u64) -> Result<u8, TopoError> {
    let radix = asked.map_or(needed.max(1), u64::from);
    within("the number of ports of a switch", radix, 1, 254)?;
    if needed > radix {
        return Err(TopoError::Ports { what, needed, radix });
    }
    Ok(radix as u8)
}
