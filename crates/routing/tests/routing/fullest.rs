//! What the fullest link carries where links have failed, held against what opensm puts on it.

use lk_fabric::Fabric;
use lk_fabric::topo::{
    DragonflyPlus, FatTree, Faults, RandomRegular, Shape, TopoSpec, Torus, generate,
};
use lk_routing::quality;

use crate::fabrics::Case;

const FIGURES: &str = include_str!("../golden/fullest-links.txt");

/// The shape that a line names as `lanekeeper topo` does.
fn shape(words: &str, seed: u64) -> Shape {
    let all: Vec<&str> = words.split(' ').collect();
    let number = |at: usize| all[at].parse::<u8>().expect("a number");
    match all[0] {
        "fattree" => Shape::FatTree(FatTree::new(number(1), number(2))),
        "torus" => {
            let sizes = [number(1).into(), number(2).into()];
            Shape::Torus(Torus { hosts: number(4), ..Torus::new(&sizes) })
        }
        "random" => Shape::Random(RandomRegular {
            switches: number(1).into(),
            degree: number(2),
            hosts: number(4),
            seed,
            radix: None,
        }),
        "dragonfly" => Shape::DragonflyPlus(DragonflyPlus {
            groups: number(1).into(),
            leaves: number(2).into(),
            spines: number(3).into(),
            hosts: number(4),
            global: None,
            radix: None,
        }),
        other => panic!("no such shape: {other}"),
    }
}

fn fabric(words: &str, seed: u64, failed: &str) -> Fabric {
    let mut spec = TopoSpec::new(shape(words, seed));
    let links = failed.parse().expect("a share");
    spec.faults = Faults { links, seed, ..Faults::default() };
    generate(&spec).expect("it fits").fabric
}

#[test]
fn where_links_have_failed_no_link_carries_more_than_with_opensm() {
    let lines = FIGURES.lines().filter(|line| !line.starts_with('#'));
    let mut judged = 0;
    for line in lines {
        let fields: Vec<&str> = line.split(" | ").collect();
        let [words, seed, failed, engine, theirs] = fields[..] else { panic!("{line}") };
        let case = Case::new(fabric(words, seed.parse().expect("a seed"), failed), 0);
        let q = quality(&case.fabric, &case.lids, &case.routes(engine).lfts);
        let (ours, theirs) = (q.max_routes_per_link(), theirs.parse().expect("a number"));
        assert!(q.broken == 0 && ours <= theirs, "{line}: {ours}");
        judged += 1;
    }
    assert!(judged >= 48, "{judged}");
}
