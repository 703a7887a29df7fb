//! The same calls with the same seed give the same bytes.

use lk_sim::{Chance, Delivery, Fault, Filter, Prng, Scope, SimOptions, Spoil};
use lk_wire::{MKey, Smp, Tid, attr, method};

use crate::lab::*;

/// A run with every kind of fault; all that came back, as one number.
fn run(seed: u64) -> (u64, u64) {
    let mut lab = Lab::with(&SimOptions { seed, link_retrain: 700, ..SimOptions::default() });
    lab.bring_up();
    let (scope, tenth) = (Scope::All, Chance::percent(10));
    let (filter, spoil) = (Filter::default(), Spoil::Noise);
    for fault in [
        Fault::LoseRequests { scope, chance: tenth },
        Fault::LoseAnswers { scope, chance: tenth },
        Fault::Duplicate { scope, chance: tenth },
        Fault::Delay { scope, min: 1, max: 500 },
        Fault::Answer { scope, filter, spoil, chance: tenth },
    ] {
        lab.sim.apply(0, fault);
    }
    // What is asked does not depend on the seed.
    let mut script = Prng::new(99);
    let routes = [TO_A, TO_LEAF, TO_SPINE, TO_B1, TO_B2, TO_ROUTER];
    let attributes = [attr::NODE_INFO, attr::PORT_INFO, attr::SWITCH_INFO, attr::SL2VL, attr::LFT];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut count = 0;
    let mut note = |d: &Delivery| {
        for byte in d.at.to_be_bytes().iter().chain(&d.to.0.to_be_bytes()).chain(&d.mad) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        count += 1;
    };
    for step in 0..3000 {
        let now = step * 20;
        let to = routes[script.below(6) as usize];
        let what = attributes[script.below(5) as usize];
        let smp = Smp::directed(method::GET, what, 0, Tid(step), MKey(0), &path(to));
        lab.sim.send(now, lab.a, &smp.0);
        if step % 100 == 50 {
            lab.sim.apply(now, Fault::LinkFlap(lab.port(LEAF, 6)));
        }
        while let Some(delivery) = lab.sim.receive(now) {
            note(&delivery);
        }
    }
    (hash, count)
}

#[test]
fn a_seed_gives_one_stream() {
    let first = run(7);
    assert_eq!(first, run(7));
    assert!(first.1 > 2000, "{} deliveries", first.1);
    assert_ne!(first.0, run(8).0);
}
