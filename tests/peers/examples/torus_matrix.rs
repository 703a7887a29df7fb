//! torus-2QoS against opensm on many tori: each whole, without a link of each dimension, without a
//! switch, and without the switch of the first seed.
//!
//! `cargo run -p lk-peers --example torus_matrix [-- NAME]`; the program `path-sls` is built first
//! (`cargo build -p lk-peers`). Prints one line a case and ends with 1 if something differs.

#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::process::ExitCode;

use lk_peers::Torus;
use lk_peers::torus::At;
use lk_peers::torus_run::{Both, compare};

fn tori() -> Vec<(&'static str, Torus)> {
    let closed = [false; 3];
    let torus = |radix: At, open, seeds: &[At]| Torus::new(radix, open, seeds);
    vec![
        ("6x5", torus([6, 5, 1], closed, &[[0, 0, 0], [3, 3, 0]])),
        ("4x4x5", torus([4, 4, 5], closed, &[[0, 0, 0], [2, 2, 2]])),
        ("3x3x3", torus([3, 3, 3], closed, &[[0, 0, 0], [1, 1, 1]])),
        ("2x4x5", torus([2, 4, 5], closed, &[[0, 0, 0], [1, 2, 2]])),
        ("mesh 3Tx4x5", torus([3, 4, 5], [false, true, true], &[[0, 0, 0], [1, 1, 1]])),
        ("the manual's 1x4x5", torus([1, 4, 5], closed, &[[0, 0, 0], [0, 2, 1]])),
        ("8x8x8", torus([8, 8, 8], closed, &[[0, 0, 0], [4, 4, 4]])),
    ]
}

/// The whole torus and those that lack something.
fn variants(torus: &Torus) -> Vec<(String, Torus)> {
    let mut all = vec![("whole".to_owned(), torus.clone())];
    let middle = torus.radix.map(|radix| radix / 2);
    for (d, name) in ["x", "y", "z"].into_iter().enumerate() {
        if torus.up(middle, d).is_some() {
            all.push((
                format!("no {name} link at {middle:?}"),
                torus.clone().without_link(middle, d),
            ));
        }
    }
    let mut other = middle;
    other[2] = (middle[2] + 1) % torus.radix[2];
    other[1] = (middle[1] + 1) % torus.radix[1];
    all.push((format!("no switch {other:?}"), torus.clone().without_switch(other)));
    for seed in &torus.seeds {
        all.push((format!("no seed {seed:?}"), torus.clone().without_switch(*seed)));
    }
    all
}

fn main() -> ExitCode {
    let only = std::env::args().nth(1);
    let here = std::env::current_exe().expect("the program's own path");
    let asker: PathBuf =
        here.ancestors().nth(2).expect("it lies two folders deep").join("path-sls");
    let mut differ = 0;
    for (name, torus) in tori() {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        for (variant, torus) in variants(&torus) {
            let found = compare(&torus, &asker);
            differ += usize::from(found.is_err());
            let text = match found {
                Ok(Both::Route(paths)) => format!("same coordinates, SL2VL and {paths} path SLs"),
                Ok(Both::Refuse) => "refused by both".to_owned(),
                Ok(Both::OnlyOurs) => "routed here, refused by opensm".to_owned(),
                Ok(Both::OnlyTheirs) => "refused here, routed by opensm".to_owned(),
                Err(why) => format!("DIFFERS: {why}"),
            };
            println!("{name}, {variant}: {text}");
        }
    }
    ExitCode::from(u8::from(differ > 0))
}
