//! Whatever sizes are asked for, a generator refuses them or gives a sound fabric.

use lk_fabric::components::components;
use lk_fabric::topo::{
    Amount, DragonflyPlus, FatTree, Faults, HyperX, RandomRegular, Shape, TopoSpec, Torus, generate,
};
use lk_fabric::{Fabric, NodeKind};
use proptest::prelude::*;

fn radix() -> impl Strategy<Value = Option<u8>> {
    prop::option::of(any::<u8>())
}

/// Mostly sizes that fit, now and then any at all.
fn shape() -> impl Strategy<Value = Shape> {
    let tree = (2_u8..12, 1_u8..4, prop::option::of(0_u8..6), (1_u8..4, 1_u8..4), any::<bool>())
        .prop_map(|(radix, levels, hosts, oversubscription, full_roots)| {
            Shape::FatTree(FatTree { radix, levels, hosts, oversubscription, full_roots })
        });
    let torus = (prop::collection::vec(0_u32..6, 0..4), any::<bool>(), 0_u8..4, radix()).prop_map(
        |(dims, open, hosts, radix)| Shape::Torus(Torus { dims, mesh: vec![open], hosts, radix }),
    );
    let dragonfly = (0_u32..7, 0_u32..5, 0_u32..5, 0_u8..4, prop::option::of(0_u32..9), radix())
        .prop_map(|(groups, leaves, spines, hosts, global, radix)| {
            Shape::DragonflyPlus(DragonflyPlus { groups, leaves, spines, hosts, global, radix })
        });
    let hyperx = (prop::collection::vec(0_u32..6, 0..4), 0_u8..4, 0_u8..4, radix()).prop_map(
        |(dims, hosts, trunk, radix)| Shape::HyperX(HyperX { dims, hosts, trunk, radix }),
    );
    let random = (0_u32..40, 0_u8..8, 0_u8..3, any::<u64>(), radix()).prop_map(
        |(switches, degree, hosts, seed, radix)| {
            Shape::Random(RandomRegular { switches, degree, hosts, seed, radix })
        },
    );
    let huge =
        (any::<u32>(), any::<u32>(), any::<u8>(), any::<u8>()).prop_flat_map(|(x, y, h, t)| {
            prop::sample::select(vec![
                Shape::Torus(Torus { hosts: h, ..Torus::new(&[x, y, u32::MAX]) }),
                Shape::HyperX(HyperX { trunk: t, ..HyperX::new(&[x, y], h) }),
                Shape::FatTree(FatTree::new(h, t)),
                Shape::DragonflyPlus(DragonflyPlus {
                    groups: x | 1 << 30,
                    leaves: y,
                    spines: x,
                    hosts: h,
                    global: None,
                    radix: Some(t),
                }),
                Shape::Random(RandomRegular {
                    switches: x | 1 << 24,
                    degree: h,
                    hosts: t,
                    seed: 1,
                    radix: None,
                }),
            ])
        });
    prop_oneof![4 => tree, 4 => torus, 4 => dragonfly, 4 => hyperx, 4 => random, 1 => huge]
}

/// Every host has its one cable and its own GUID; every end of a cable has the other one.
fn is_sound(fabric: &Fabric) -> bool {
    let adapters = fabric.nodes().iter().filter(|n| n.kind == NodeKind::Ca).count();
    let host_cables = fabric
        .links()
        .filter(|(a, b)| [a, b].iter().any(|p| fabric.as_switch(fabric.owner(**p)).is_none()))
        .count();
    let mut guids: Vec<_> = fabric.end_ports().map(|p| fabric.port(p).guid).collect();
    guids.sort_unstable();
    guids.dedup();
    adapters == host_cables
        && guids.len() == fabric.end_ports().count()
        && fabric
            .links()
            .all(|(a, b)| fabric.peer(b) == Some(a) && fabric.owner(a) != fabric.owner(b))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whole_topologies_are_sound_and_connected(shape in shape()) {
        if let Ok(made) = generate(&TopoSpec::new(shape)) {
            prop_assert!(is_sound(&made.fabric));
            prop_assert_eq!(components(&made.fabric).len(), 1);
        }
    }

    #[test]
    fn broken_topologies_are_sound_and_say_what_is_broken(
        shape in shape(),
        links in 0.0..0.2_f64,
        switches in 0_u32..3,
        seed in any::<u64>(),
    ) {
        let (links, gone) = (Amount::Share(links), Amount::Count(switches));
        let faults = Faults { links, switches: gone, seed };
        let spec = TopoSpec { faults, ..TopoSpec::new(shape) };
        if let Ok(made) = generate(&spec) {
            prop_assert!(is_sound(&made.fabric));
            let taken = format!("{switches} switches were taken out");
            prop_assert_eq!(switches > 0, made.notes.iter().any(|n| n.starts_with(&taken)));
            let parts = components(&made.fabric).len();
            prop_assert_eq!(parts > 1, made.notes.iter().any(|n| n.contains("parts")));
            prop_assert_eq!(generate(&spec), Ok(made));
        }
    }
}
