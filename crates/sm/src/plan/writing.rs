//! The order of writes in words.

use std::fmt;

use lk_routing::proof::change::{Order, Why};
use serde::Serialize;

use crate::event::Level;

/// How tables may be written, by all that the manager knows.
pub type WritingOrder = Order<NoOrder>;

/// Why no order is known to be safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoOrder {
    /// Because of the tables.
    Tables(Why),
    /// Packets that keep the SLs of the paths from before make a circle with the tables that are
    /// wanted, whatever the order.
    KeptSls,
    /// The SLs of the paths from before are not known. If they are those of the paths that are
    /// wanted, the tables in force have a circle already.
    UnknownSls,
}

/// How tables change under traffic. The JSON form of this is stable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Writing {
    /// `any`: in any order; `stages`; `unsafe`: there is no order that is known to be safe.
    pub order: &'static str,
    /// How many stages there are: 1 where the order does not matter.
    pub stages: u8,
    /// LIDs to which packets are dropped for a moment, since nothing else is safe.
    pub dropped_lids: usize,
    /// Why there is no order; empty if there is one.
    pub why: &'static str,
}

impl Writing {
    /// What there is to say; nothing where no table changes that packets go by.
    #[must_use]
    pub fn of(order: &WritingOrder) -> Option<Self> {
        let writing =
            |order, stages, dropped_lids, why| Some(Self { order, stages, dropped_lids, why });
        match order {
            Order::Nothing => None,
            Order::Any(_) => writing("any", 1, 0, ""),
            Order::Staged(stages) => writing("stages", stages.count, stages.dropped, ""),
            Order::Unsafe(why) => {
                let why = match why {
                    NoOrder::Tables(Why::Old) => "the tables in force can deadlock already",
                    NoOrder::Tables(Why::New) => {
                        "the tables that are wanted can deadlock themselves"
                    }
                    NoOrder::Tables(Why::Lanes) => {
                        "SL2VL tables change, and old and new ones can deadlock together on the \
                         ways that stay"
                    }
                    NoOrder::KeptSls => {
                        "packets that keep the SL of their path from before can deadlock on the \
                         tables that are wanted; programs that ask for their paths again are safe"
                    }
                    NoOrder::UnknownSls => {
                        "the SLs that an earlier manager gave to paths are not known, and with those \
                         of the paths that are wanted the tables in force can deadlock"
                    }
                };
                writing("unsafe", 1, 0, why)
            }
        }
    }

    /// How loud it is.
    #[must_use]
    pub(crate) fn level(&self) -> Level {
        if self.order == "unsafe" { Level::Error } else { Level::Info }
    }
}

impl fmt::Display for Writing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.order {
            "any" => f.write_str(
                "tables change under traffic, in any order: old and new ones together close no \
                 circle of waiting packets",
            ),
            "stages" => {
                write!(
                    f,
                    "tables change under traffic in {} stages, so that old and new ones close no \
                     circle of waiting packets at any time",
                    self.stages
                )?;
                if self.dropped_lids > 0 {
                    write!(
                        f,
                        "; packets to {} LIDs are dropped for a moment, since no order without that \
                         is safe",
                        self.dropped_lids
                    )?;
                }
                Ok(())
            }
            _ => write!(
                f,
                "tables change under traffic, and packets could deadlock meanwhile: {}",
                self.why
            ),
        }
    }
}
