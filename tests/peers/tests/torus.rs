//! torus-2QoS against opensm on the same torus with the same file: coordinates, SL2VL tables of
//! all ports, and the SL of each path. `examples/torus_matrix.rs` tries many more.

use std::path::Path;

use lk_peers::Torus;
use lk_peers::torus_run::{Both, compare};

const ASKER: &str = env!("CARGO_BIN_EXE_path-sls");

fn judge(torus: &Torus) -> Both {
    compare(torus, Path::new(ASKER)).unwrap_or_else(|why| panic!("{torus:?}: {why}"))
}

const SEEDS_6X5: [[u32; 3]; 2] = [[0, 0, 0], [3, 3, 0]];

#[test]
fn a_torus_of_two_dimensions_and_one_without_its_first_seed() {
    let torus = Torus::new([6, 5, 1], [false; 3], &SEEDS_6X5);
    assert_eq!(judge(&torus), Both::Route(900));
    assert_eq!(judge(&torus.without_switch([0, 0, 0])), Both::Route(29 * 29));
}

#[test]
fn a_link_and_a_switch_gone_in_three_dimensions() {
    let torus = Torus::new([4, 4, 5], [false; 3], &[[0, 0, 0], [2, 2, 2]]);
    assert_eq!(judge(&torus.clone().without_link([1, 1, 1], 2)), Both::Route(6400));
    assert_eq!(judge(&torus.without_switch([1, 2, 3])), Both::Route(79 * 79));
}

#[test]
fn a_mesh_and_what_both_refuse() {
    let mesh = Torus::new([3, 4, 5], [false, true, true], &[[0, 0, 0], [1, 1, 1]]);
    assert_eq!(judge(&mesh), Both::Route(3600));
    assert_eq!(judge(&mesh.without_link([1, 1, 1], 1)), Both::Refuse);
}
