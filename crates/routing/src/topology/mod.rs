//! Which well-known topology the switches of a fabric form.
//!
//! * [`product`]: tori, meshes, hypercubes and HyperX are products of rings, lines and cliques.
//! * `tree`: fat-trees, and groups of them (dragonfly+).
//!
//! Names are for whole topologies. A fat-tree may lack links and switches as long as each leaf
//! reaches each other one up and down; a product that lacks a link is irregular.

mod product;
mod tree;

use std::fmt;

use crate::graph::Graph;

/// A dimension of a torus or mesh.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Dimension {
    /// How many switches stand in a row.
    pub size: usize,
    /// Whether the last is linked with the first.
    pub ring: bool,
}

/// A well-known topology with its sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topology {
    /// One switch, or none.
    Single,
    /// Layers of switches; end ports on the lowest, and each of its switches reaches each other one
    /// by links that lead up and then down.
    FatTree {
        /// How many layers.
        levels: u32,
        /// The most links and end ports on one switch.
        radix: usize,
        /// Switches of the lowest layer.
        leaves: usize,
        /// Switches of the highest layer.
        tops: usize,
    },
    /// Rings in at least one dimension.
    Torus(Vec<Dimension>),
    /// Lines in all dimensions.
    Mesh(Vec<Dimension>),
    /// Two in each of so many dimensions.
    Hypercube(usize),
    /// All linked with all in each dimension.
    HyperX(Vec<usize>),
    /// Groups of leaf and spine switches, whose spines are linked with those of other groups.
    DragonflyPlus {
        /// How many groups.
        groups: usize,
        /// The most leaf switches of a group.
        leaves: usize,
        /// The most spine switches of a group.
        spines: usize,
    },
    /// None of these.
    Irregular,
}

impl Topology {
    /// Looks at the switches of a fabric.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        if graph.len() < 2 {
            return Self::Single;
        }
        tree::fat_tree(graph)
            .or_else(|| product::factors(graph).and_then(|factors| product::name(&factors)))
            .or_else(|| tree::dragonfly_plus(graph))
            .unwrap_or(Self::Irregular)
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = |all: &mut dyn Iterator<Item = usize>| {
            all.map(|size| size.to_string()).collect::<Vec<_>>().join(" x ")
        };
        match self {
            Self::Single => f.write_str("one switch"),
            Self::FatTree { levels, radix, leaves, tops } => write!(
                f,
                "fat-tree of {levels} levels and radix {radix}, {leaves} leaf and {tops} top switches"
            ),
            Self::Torus(all) => {
                write!(f, "torus {}", sizes(&mut all.iter().map(|d| d.size)))?;
                let lines = all.iter().filter(|d| !d.ring).count();
                if lines > 0 { write!(f, ", {lines} of the dimensions a line") } else { Ok(()) }
            }
            Self::Mesh(all) => write!(f, "mesh {}", sizes(&mut all.iter().map(|d| d.size))),
            Self::Hypercube(n) => write!(f, "hypercube of {n} dimensions"),
            Self::HyperX(all) => write!(f, "HyperX {}", sizes(&mut all.iter().copied())),
            Self::DragonflyPlus { groups, leaves, spines } => write!(
                f,
                "dragonfly+ of {groups} groups with {leaves} leaf and {spines} spine switches each"
            ),
            Self::Irregular => f.write_str("irregular topology"),
        }
    }
}
