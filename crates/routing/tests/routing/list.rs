//! The list of engines.

use lk_fabric::topo::{FatTree, Shape, Torus};
use lk_routing::{ENGINES, find, route};

use crate::fabrics::{Case, tree, whole};

fn small_tree() -> Case {
    Case::new(tree(FatTree::new(4, 2), 0.0, 0), 0)
}

fn ring() -> Case {
    Case::new(whole(Shape::Torus(Torus::new(&[6]))), 0)
}

#[test]
fn the_first_engine_that_takes_the_fabric_routes_it() {
    for (list, engine) in [
        ("updn", "updn"),
        ("minhop, updn", "minhop"),
        ("updn\tminhop\r\n", "updn"),
        ("no_fallback updn", "updn"),
    ] {
        let outcome = route(list, &small_tree().job());
        assert_eq!(outcome.routes.map(|r| r.engine), Some(engine), "{list}");
        assert!(outcome.declined.is_empty() && outcome.unknown.is_empty() && !outcome.fell_back);
    }
}

#[test]
fn an_empty_list_is_minhop() {
    for list in ["", " ,\n", "none", "null", "(null)"] {
        let outcome = route(list, &ring().job());
        assert_eq!(outcome.routes.map(|r| r.engine), Some("minhop"), "{list:?}");
        assert!(!outcome.fell_back && outcome.declined.is_empty() && outcome.unknown.is_empty());
    }
}

#[test]
fn a_refusal_falls_back_to_the_next_and_then_to_minhop() {
    let outcome = route("updn,minhop", &ring().job());
    assert_eq!(outcome.routes.map(|r| r.engine), Some("minhop"));
    assert_eq!((outcome.declined.len(), outcome.fell_back), (1, false));

    let outcome = route("updn", &ring().job());
    assert_eq!(outcome.routes.map(|r| r.engine), Some("minhop"));
    assert_eq!((outcome.declined[0].engine, outcome.fell_back), ("updn", true));
}

#[test]
fn no_fallback_forbids_minhop() {
    for list in ["updn,no_fallback", "no_fallback,updn", "torus-2QoS,no_fallback"] {
        let outcome = route(list, &ring().job());
        assert_eq!(outcome.routes, None, "{list}");
        assert_eq!(outcome.declined.len(), 1, "{list}");
    }
}

/// All names, for a sentence.
fn names() -> String {
    let names: Vec<&str> = ENGINES.iter().map(|e| e.name()).collect();
    let (last, others) = names.split_last().expect("there are engines");
    format!("{} and {last}", others.join(", "))
}

#[test]
fn an_engine_of_nvidias_says_so_and_is_not_silent() {
    let outcome = route("ar_updn", &small_tree().job());
    assert_eq!(outcome.declined[0].engine, "ar_updn");
    assert!(outcome.declined[0].reason.contains("NVIDIA"), "{:?}", outcome.declined);
    assert!(outcome.fell_back && outcome.routes.is_some());
}

#[test]
fn a_wrong_name_is_an_error_with_the_nearest() {
    let outcome = route("Updn,minhop", &small_tree().job());
    assert_eq!(outcome.routes.map(|r| r.engine), Some("minhop"), "the next in the list routes");
    let outcome = route("Updn,minhpo", &small_tree().job());
    assert_eq!(outcome.routes.map(|r| r.engine), None, "minhop does not stand in");
    let text: Vec<String> = outcome.unknown.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "there is no routing engine `Updn`; did you mean `updn`?",
            "there is no routing engine `minhpo`; did you mean `minhop`?",
        ]
    );
    assert!(outcome.declined.is_empty() && !outcome.fell_back);
    let outcome = route("quantum", &small_tree().job());
    assert_eq!(
        outcome.unknown[0].to_string(),
        format!("there is no routing engine `quantum`; this version has {}", names())
    );
}

#[test]
fn names_find_their_engines_and_case_matters() {
    for engine in ENGINES {
        assert_eq!(find(engine.name()).map(|e| e.name()), Some(engine.name()));
    }
    assert!(find("MinHop").is_none());
}
