//! Which channel waits for which, kept free of circles lane by lane.
//!
//! A packet that came by one link and leaves by the next makes a *turn*: it holds the first link
//! while it waits for the second. [`turns`] numbers all turns of a fabric. A [`lane`] is a set of
//! turns that close no circle, and says of each further turn whether it may join: it keeps the
//! links in a [`sequence`], and has [`circles`] say it of all turns at once. [`assign`] gives the
//! paths of finished tables to as few lanes as it can, and a few of them that find no lane other
//! ways ([`settle`]); [`escape`] is a spanning tree whose turns close no circle.

pub(crate) mod assign;
mod circles;
pub(crate) mod escape;
pub(crate) mod lane;
pub(crate) mod order;
mod sequence;
pub(crate) mod settle;
pub(crate) mod spare;
pub(crate) mod turn_set;
pub(crate) mod turns;
pub(crate) mod walk;
