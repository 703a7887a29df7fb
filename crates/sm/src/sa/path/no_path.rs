//! Queries that found no path, and why, in words for the log.

use std::fmt;

use lk_fabric::PortId;

use super::choose::NoPath;
use super::walk::Broken;
use crate::io::View;

/// The first pair of ports of a query that gave no path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Where the path would begin.
    pub from: PortId,
    /// Where it would end.
    pub to: PortId,
    /// Whether there is a path and only the way back, which the client wants, too, is missing.
    pub back: bool,
    /// Why there is none.
    pub why: NoPath,
}

impl Refused {
    /// The two ports by the names of their nodes.
    #[must_use]
    pub fn names(&self, view: &View) -> (String, String) {
        let name = |port: PortId| {
            let fabric = &view.seen.fabric;
            let node = fabric.node(fabric.owner(port));
            format!("{}/{}", node.description, fabric.port_num(port).0)
        };
        (name(self.from), name(self.to))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRoute => "a switch on the way has no entry for the LID",
            Self::NoPeer => "an entry on the way leads to a port without a cable",
            Self::ElsewhereEnds => "the entries lead to another port",
            Self::TooLong => "the way has more than 64 hops",
        })
    }
}

impl fmt::Display for NoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Way(broken) => broken.fmt(f),
            Self::NoSl => f.write_str("every SL is dropped somewhere on the way"),
            Self::LevelSl(sl) if *sl > 15 => write!(f, "SL {sl} of the QoS level cannot be"),
            Self::LevelSl(sl) => write!(f, "SL {sl} of the QoS level is dropped on the way"),
            Self::Mtu => f.write_str("no path has the MTU that is asked for"),
            Self::Rate => f.write_str("no path has the rate that is asked for"),
            Self::Life => f.write_str("no path has the packet life time that is asked for"),
            Self::Partition(Some(key)) => {
                write!(f, "the two ports do not share partition {key}, one of them a full member")
            }
            Self::Partition(None) => f.write_str("the two ports share no partition"),
            Self::LevelPartition(Some(key)) => {
                write!(f, "the QoS level does not allow partition {key}")
            }
            Self::LevelPartition(None) => {
                f.write_str("the QoS level allows only partitions that the two ports do not share")
            }
            Self::OtherSl(sl) => write!(f, "the QoS level has another SL than the {sl} asked for"),
            Self::Dropped(sl) => write!(f, "SL {sl} is dropped on the way"),
            Self::EngineSl(sl) => write!(
                f,
                "the routing engine has SL {sl} for this path, and another one is asked for"
            ),
        }
    }
}
