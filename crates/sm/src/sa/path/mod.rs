//! PathRecord and MultiPathRecord.
//!
//! * [`query`]: what a client asks for, and which requests make no sense.
//! * [`ports`]: MTU, rate and lanes of each port, made once for each view.
//! * [`walk`]: the way through the forwarding tables, and what it can carry.
//! * [`choose`]: MTU, rate, life time, partition and SL of a path: of what the way can carry what
//!   policy, partition, routing engine and client agree on.
//! * [`ends`]: which ports and LIDs a query is about; [`lids`]: pairs of LIDs in their order.
//! * [`single`], [`multi`]: the two records; [`multicast`]: paths to groups.
//! * [`no_path`]: why a query found none.

mod choose;
mod ends;
mod lids;
mod multi;
mod multicast;
pub mod no_path;
mod ports;
mod query;
mod single;
mod walk;

use lk_wire::Status;
use lk_wire::method::{GET, GET_TABLE};
use lk_wire::sa::{sa_attr, sa_method};

use super::request::{Answer, Request};
use super::{Context, Effects};

pub use choose::{Chosen, NoPath, choose};
pub use ports::Ports;
pub use query::{Bound, Wanted};
pub use walk::{Broken, Way, walk};

/// Answers a query for paths: SubnAdmGet or SubnAdmGetTable of PathRecord, SubnAdmGetMulti of
/// MultiPathRecord. Where there is none, `effects` gets the reason.
#[must_use]
pub fn answer(context: &Context<'_>, request: &Request<'_>, effects: &mut Effects) -> Answer {
    let found = match (request.header.attr_id(), request.method()) {
        (sa_attr::PATH_RECORD, GET | GET_TABLE) => single::records(context, request, effects),
        (sa_attr::MULTI_PATH_RECORD, sa_method::GET_MULTI) => {
            multi::records(context, request, effects)
        }
        _ => Err(Status::METHOD_ATTR_UNSUPPORTED),
    };
    found.map_or_else(Answer::Refused, Answer::Records)
}
