//! Paths that keep to an order of ports.
//!
//! Where cables follow a plan, as on a torus, a mesh or a HyperX, ports with low numbers lead along
//! the first dimension and those with high numbers along the last. A packet that always takes the
//! lowest port that brings it nearer goes through one dimension after the other and makes few
//! turns, so few lanes are enough; and since all places look alike, the load is even.

use super::columns::NO_LINK;
use super::fill::Filled;
use super::slope::Slope;
use crate::graph::Graph;

/// What happens where two neighbouring ports lead nearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ties {
    /// The lower one is taken.
    Lowest,
    /// LIDs take turns between ports 2k-1 and 2k: those are the two ways round a ring, and half a
    /// ring is as far either way.
    Shared,
}

/// Routes all LIDs by the order of ports. Parallel cables are shared.
pub(crate) fn straight(graph: &Graph, filled: &mut Filled, ties: Ties) {
    filled.set(graph, |slope, number, column| path(graph, slope, number, column, ties));
}

fn path(graph: &Graph, slope: &Slope, number: usize, column: &mut [u8], ties: Ties) {
    column.fill(NO_LINK);
    for (at, s) in slope.order.iter().map(|s| *s as usize).enumerate().skip(1) {
        let steps = slope.first[at] as usize..slope.first[at + 1] as usize;
        let row = graph.first_link(s);
        let port = |step: usize| graph.links(s)[slope.links[step] as usize - row].port.0;
        let lowest = steps.start;
        let alike = |step: &usize| {
            let pair = ties == Ties::Shared && port(*step).div_ceil(2) == port(lowest).div_ceil(2);
            pair || slope.next[*step] == slope.next[lowest]
        };
        let choices = steps.clone().filter(alike).count().max(1);
        let step = steps.clone().filter(alike).nth(number % choices).unwrap_or(lowest);
        column[s] = (slope.links[step] as usize - row) as u8;
    }
}
