//! MCMemberRecord: joining, leaving and looking at multicast groups.

use lk_wire::Status;

use super::request::{Answer, Request};
use super::{Aliases, Effects, Served};
use crate::multicast::Groups;

/// Answers a request about multicast groups. What has to be told to others, and what has to be
/// done to the fabric, goes into `effects`.
#[must_use]
pub fn answer(
    _served: &Served,
    _aliases: &Aliases,
    _groups: &mut Groups,
    _request: &Request<'_>,
    _effects: &mut Effects,
) -> Answer {
    Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED)
}
