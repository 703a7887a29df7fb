//! All rules. Each file has those of one subject.

mod dropped;
mod ends;
mod lanes;
mod limits;
mod lists;
mod weights;

use crate::rule::Rule;

/// All rules, in the order of their codes.
pub static RULES: &[&Rule] = &[
    &lanes::FEWER_LANES,
    &dropped::DROPPED,
    &weights::NO_WEIGHT,
    &weights::PART_OF_A_PACKET,
    &lists::FOLDED_ENTRY,
    &lists::CUT,
    &limits::STARVED,
    &limits::ONE_PACKET,
    &lists::TWICE,
    &ends::ENDS_DIFFER,
    &weights::NOTHING_SENT,
];

/// Numbers with commas, and `and` before the last.
fn numbers(of: &str, numbers: &[u8]) -> String {
    let words: Vec<String> = numbers.iter().map(|n| format!("{of}{n}")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
