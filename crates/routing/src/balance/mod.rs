//! Spreads destinations over the ports that a [`PathRule`](crate::paths::PathRule) allows.
//!
//! On a tree there is one thing to get right: all switches must agree. If each leaf switch
//! spreads its destinations over its uplinks without looking at the others, the traffic for one
//! destination arrives everywhere, and if each level repeats the same round robin, what arrives
//! at a switch all leaves by one port. So it is done in two steps.
//!
//! * [`trunk`] gives each LID a *summit*: a switch at the top of the tree, found by climbing from
//!   the LID's own switch and taking at each step the link that carries the fewest LIDs down so
//!   far. This is cheap (a few steps for each LID), so it can be done in order, one LID after the
//!   other, and it sees the whole load. Second choices for switches that failed links cut off
//!   from the summit are found in the same way.
//! * [`spread`] fills the tables. Of the ports that the rule allows, a switch takes one that also
//!   lies on a shortest path to the LID's summit. All traffic for one LID so flows together into
//!   one tree whose branches were balanced before. Where that leaves a choice, or none, the port
//!   with the least load is taken. What counts as load is only what really arrives: switches
//!   choose in the order of their distance from the destination, the farthest first, and each
//!   hands the weight of its sources to the next.
//!
//! [`turns`] has the order in which LIDs come, [`ties`] what happens where links are equal.
//!
//! Where there is no up and down (tori, random graphs, all switches with hosts) LIDs have no
//! summit and the load alone decides.

pub(crate) mod climbs;
pub(crate) mod desk;
pub(crate) mod forecast;
pub(crate) mod height;
pub(crate) mod link_set;
pub(crate) mod load;
pub(crate) mod spread;
pub(crate) mod ties;
pub(crate) mod trunk;
pub(crate) mod turns;
pub(crate) mod wave;
