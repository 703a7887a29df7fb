//! The topologies by name, with their sizes.

use clap::{Args, Subcommand};
use lk_fabric::topo::{self, DragonflyPlus, FatTree, HyperX, RandomRegular};

/// A topology and its sizes.
#[derive(Subcommand)]
pub(super) enum Shape {
    /// A fat-tree: the k-ary n-tree of a radix, k being half of it.
    Fattree(FatTreeSizes),
    /// A torus, or a mesh where dimensions are left open.
    Torus(TorusSizes),
    /// A Dragonfly+: groups of leaves and spines.
    Dragonfly(DragonflySizes),
    /// A HyperX: full meshes in each dimension.
    Hyperx(HyperXSizes),
    /// A random regular graph.
    Random(RandomSizes),
}

/// Sizes of a fat-tree.
#[derive(Args)]
pub(super) struct FatTreeSizes {
    /// Ports of a switch, 2 to 254.
    radix: u8,
    /// Levels of switches.
    levels: u8,
    /// Hosts on each leaf [default: as many as ports down].
    #[arg(long, value_name = "N")]
    hosts: Option<u8>,
    /// Ports down to ports up at the leaves.
    #[arg(long, value_name = "DOWN:UP", default_value = "1:1", value_parser = ratio)]
    oversubscription: (u8, u8),
    /// Use all ports of the roots: twice as many hosts under the same roots.
    #[arg(long)]
    full_roots: bool,
}

/// Sizes of a torus.
#[derive(Args)]
pub(super) struct TorusSizes {
    /// Switches in each dimension.
    #[arg(required = true, value_name = "SIZE")]
    sizes: Vec<u32>,
    /// Hosts on each switch.
    #[arg(long, value_name = "N", default_value_t = 1)]
    hosts: u8,
    /// Dimensions left open, counted from 1: "--mesh 2,3".
    #[arg(long, value_name = "DIMENSION", value_delimiter = ',', value_parser = dimension)]
    mesh: Vec<u8>,
    /// Ports of a switch [default: as many as are needed].
    #[arg(long, value_name = "PORTS")]
    radix: Option<u8>,
}

/// Sizes of a Dragonfly+.
#[derive(Args)]
pub(super) struct DragonflySizes {
    /// Groups.
    groups: u32,
    /// Leaves in each group.
    leaves: u32,
    /// Spines in each group.
    spines: u32,
    /// Hosts on each leaf.
    hosts: u8,
    /// Cables between each two groups [default: one for each spine, or what the radix allows].
    #[arg(long, value_name = "N")]
    global: Option<u32>,
    /// Ports of a switch [default: as many as are needed].
    #[arg(long, value_name = "PORTS")]
    radix: Option<u8>,
}

/// Sizes of a HyperX.
#[derive(Args)]
pub(super) struct HyperXSizes {
    /// Switches in each dimension.
    #[arg(required = true, value_name = "SIZE")]
    sizes: Vec<u32>,
    /// Hosts on each switch.
    #[arg(long, value_name = "N", default_value_t = 1)]
    hosts: u8,
    /// Parallel cables between two neighbours.
    #[arg(long, value_name = "N", default_value_t = 1)]
    trunk: u8,
    /// Ports of a switch [default: as many as are needed].
    #[arg(long, value_name = "PORTS")]
    radix: Option<u8>,
}

/// Sizes of a random regular graph; --seed chooses the graph.
#[derive(Args)]
pub(super) struct RandomSizes {
    /// Switches.
    switches: u32,
    /// Cables from each switch to others.
    degree: u8,
    /// Hosts on each switch.
    #[arg(long, value_name = "N", default_value_t = 1)]
    hosts: u8,
    /// Ports of a switch [default: as many as are needed].
    #[arg(long, value_name = "PORTS")]
    radix: Option<u8>,
}

fn ratio(text: &str) -> Result<(u8, u8), String> {
    let read = |part: &str| part.trim().parse().ok();
    let parts = text.split_once(':').and_then(|(down, up)| Some((read(down)?, read(up)?)));
    parts.ok_or_else(|| "write ports down and ports up as in 2:1".to_owned())
}

fn dimension(text: &str) -> Result<u8, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=8).contains(number));
    number.ok_or_else(|| "dimensions are counted from 1 to 8".to_owned())
}

impl Shape {
    /// The generator's form of it.
    pub(super) fn spec(&self, seed: u64) -> topo::Shape {
        match self {
            Self::Fattree(s) => topo::Shape::FatTree(FatTree {
                radix: s.radix,
                levels: s.levels,
                hosts: s.hosts,
                oversubscription: s.oversubscription,
                full_roots: s.full_roots,
            }),
            Self::Torus(s) => topo::Shape::Torus(topo::Torus {
                dims: s.sizes.clone(),
                mesh: open_dimensions(&s.mesh),
                hosts: s.hosts,
                radix: s.radix,
            }),
            Self::Dragonfly(s) => topo::Shape::DragonflyPlus(DragonflyPlus {
                groups: s.groups,
                leaves: s.leaves,
                spines: s.spines,
                hosts: s.hosts,
                global: s.global,
                radix: s.radix,
            }),
            Self::Hyperx(s) => topo::Shape::HyperX(HyperX {
                dims: s.sizes.clone(),
                hosts: s.hosts,
                trunk: s.trunk,
                radix: s.radix,
            }),
            Self::Random(s) => topo::Shape::Random(RandomRegular {
                switches: s.switches,
                degree: s.degree,
                hosts: s.hosts,
                seed,
                radix: s.radix,
            }),
        }
    }
}

/// Flags by dimension from numbers that count from 1; the generator refuses what is too high.
fn open_dimensions(numbers: &[u8]) -> Vec<bool> {
    let last = numbers.iter().copied().max().unwrap_or(0);
    (1..=last).map(|number| numbers.contains(&number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_count_from_one() {
        assert_eq!(open_dimensions(&[3, 1]), [true, false, true]);
        assert!(open_dimensions(&[]).is_empty());
    }

    #[test]
    fn ratios_need_both_sides() {
        assert_eq!(ratio("2:1"), Ok((2, 1)));
        assert!(ratio("2").is_err());
        assert!(ratio("2:x").is_err());
        assert!(ratio("300:1").is_err());
    }
}
