//! PathRecord and MultiPathRecord.

use lk_wire::Status;

use super::Context;
use super::request::{Answer, Request};

/// Answers a query for paths: SubnAdmGet or SubnAdmGetTable of PathRecord, SubnAdmGetMulti of
/// MultiPathRecord.
#[must_use]
pub fn answer(_context: &Context<'_>, _request: &Request<'_>) -> Answer {
    Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED)
}
