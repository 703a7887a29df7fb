//! Shortest paths, weighted by what the links already carry.
//!
//! Destinations are routed one after the other. Among the paths with the fewest hops each takes
//! the one whose links carry the fewest routes so far, summed over the whole path; then all that
//! use it are added to its links. So every choice sees the load of the whole fabric.
//!
//! All LIDs on a switch share their shortest steps, so these are found once for a *group* of them
//! ([`slope`]). [`groups`] says in which order groups come, [`columns`] keeps what was chosen, and
//! [`mod@round`] does the work: a few groups at a time side by side, always the same ones, so that
//! the result does not depend on the number of threads. [`fill`] decides how often, [`flow`] counts
//! what links carry. [`straight`] is another way to choose, which makes fewer turns.

pub(crate) mod columns;
pub(crate) mod fill;
pub(crate) mod flow;
pub(crate) mod groups;
pub(crate) mod round;
pub(crate) mod slope;
pub(crate) mod straight;
