//! What changed in a torus since it was last routed.

use lk_routing::{PairSls, Routes, SlPlan};

use super::{Desired, Settings};
use crate::event::{Event, TorusChange};

fn torus(routes: Option<&Routes>) -> Option<&PairSls> {
    match &routes?.sl {
        SlPlan::PerPair(sls) => Some(sls),
        _ => None,
    }
}

/// Tells what is different from `before`, at most `max_changes` of it.
pub(super) fn changes(
    settings: &Settings,
    before: Option<&Desired>,
    routes: Option<&Routes>,
    events: &mut Vec<Event>,
) {
    let was = torus(before.and_then(|desired| desired.routes.as_ref()));
    let (Some(was), Some(now), Some(spec)) = (was, torus(routes), &settings.routing.torus) else {
        return;
    };
    let mut changes = was.changes(now);
    let most = spec.max_changes as usize;
    let more = changes.len().saturating_sub(most);
    changes.truncate(most);
    events.extend(changes.into_iter().map(TorusChange::One).map(Event::TorusChange));
    if more > 0 {
        events.push(Event::TorusChange(TorusChange::More(more)));
    }
}
