//! The sans-I/O subnet manager: observe, decide, compare, apply.
//!
//! The way of the data is the order of the modules: [`observe`] holds what the ports and
//! switches hold; [`decide`] makes of it, of the configuration and of what is kept over restarts
//! what they should hold; [`plan`] is the difference; [`apply`] writes it. [`core`] drives them
//! as a state machine behind [`Sm::handle`] and [`Sm::poll`]. [`sa`] answers what ports ask,
//! [`multicast`] keeps their groups. [`dumps`] writes the result down
//! in OpenSM's forms.

#![forbid(unsafe_code)]

pub mod apply;
pub mod core;
pub mod counts;
pub mod decide;
pub mod dumps;
pub mod event;
pub mod io;
mod level;
pub mod multicast;
pub mod observe;
pub mod plan;
pub mod sa;
#[cfg(test)]
mod testing;
pub mod time;
pub mod verdict;
pub mod window;
pub mod work;

pub use self::core::{Mode, Progress, Sm};
pub use counts::Counts;
pub use decide::{Desired, Settings, decide};
pub use event::{Event, Level, Reason, SmState, SweepFigures, TorusChange};
pub use io::{Command, GsiAddress, Input, Job, JobResult, Outcome, Outgoing, Output, View};
pub use lk_config::guid2lid::Guid2Lid;
pub use observe::Observed;
pub use plan::{NoOrder, Plan, Report, WritingOrder};
pub use time::{Duration, Instant};
pub use verdict::Verdict;
pub use window::Transmit;
