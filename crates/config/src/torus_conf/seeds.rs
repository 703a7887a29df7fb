//! Whether the seeds say enough, as far as the file alone shows it. OpenSM checks all of them,
//! also those that it does not come to use.

use lk_wire::Guid;

use lk_diag::Diagnostic;

use super::line::Findings;
use super::{Placed, Seed, Shape};
use crate::codes;

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Reports what is missing or contradictory in each seed, and switches that two seeds share.
pub(super) fn check(findings: &mut Findings<'_>, shape: Placed<Shape>, seeds: &[Seed]) {
    if seeds.is_empty() {
        let help = "name the neighbours of one switch by xp_link, yp_link and zp_link";
        return findings.refuse(shape.place, "no link line seeds the torus", help);
    }
    for seed in seeds {
        one(findings, shape.value, seed);
    }
    shared(findings, seeds);
}

fn one(findings: &mut Findings<'_>, shape: Shape, seed: &Seed) {
    let Some(first) = seed.links.iter().flatten().next() else { return };
    for (dimension, name) in NAMES.into_iter().enumerate() {
        let (Some(radix), Some(open)) = (shape.radix.get(dimension), shape.open.get(dimension))
        else {
            continue;
        };
        let link = |minus| seed.links.get(2 * dimension + minus).copied().flatten();
        let (plus, minus) = (link(0), link(1));
        if *radix == 4 && !open && (plus.is_none() || minus.is_none()) {
            let message =
                format!("a ring of four switches in {name} needs {name}p_link and {name}m_link");
            let help = "with one of them, two ways to place the switches look alike";
            findings.refuse(first.place, message, help);
        } else if *radix > 1 && plus.is_none() && minus.is_none() {
            let message = format!("the seed does not say where {name} goes");
            let help = format!("add {name}p_link or {name}m_link");
            findings.refuse(first.place, message, &help);
        }
        for link in [plus, minus].into_iter().flatten() {
            if *radix == 1 {
                let message = format!("there is one switch in {name}: nothing lies that way");
                let found = Diagnostic::warning(codes::TORUS_UNUSED, message);
                findings.list.push(
                    found.at(findings.source, link.place, "not used").note(
                        "OpenSM looks for the switch and does not route where it is not there",
                    ),
                );
            }
            if link.value.from != first.value.from {
                let message = format!(
                    "the links of a seed start at {} and at {}",
                    first.value.from, link.value.from
                );
                let help = "all link lines of a seed start at the same switch";
                findings.refuse(link.place, message, help);
            }
        }
    }
}

/// A switch that several seeds need makes them useless together when it fails.
fn shared(findings: &mut Findings<'_>, seeds: &[Seed]) {
    let guids = |seed: &Seed| -> Vec<Guid> {
        seed.links.iter().flatten().flat_map(|l| [l.value.from, l.value.to]).collect()
    };
    for (at, seed) in seeds.iter().enumerate() {
        let own = guids(seed);
        for earlier in seeds.iter().take(at) {
            let Some(guid) = guids(earlier).into_iter().find(|g| own.contains(g)) else { continue };
            let places = [seed, earlier].map(|s| s.links.iter().flatten().next().map(|l| l.place));
            let [Some(here), Some(there)] = places else { continue };
            let message = format!("two seeds need the switch {guid}");
            findings.list.push(
                Diagnostic::warning(codes::TORUS_SEED_SHARED, message)
                    .at(findings.source, here, "this seed")
                    .also(findings.source, there, "and this one")
                    .note("when that switch fails, neither seed can be used"),
            );
        }
    }
}
