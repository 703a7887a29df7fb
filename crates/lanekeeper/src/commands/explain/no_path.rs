//! Why the subnet administration has no path, in words.

use std::sync::Arc;

use lk_audit::explain::{Question, Spot};
use lk_sm::View;
use lk_sm::multicast::Groups;
use lk_sm::sa::path::{Wanted, choose};
use lk_sm::sa::{Aliases, Context, Served};

/// Why there is no path between two ports for a question. It is asked of the same function that
/// answers requests.
pub(super) fn why(view: &Arc<View>, question: &Question, (from, to): (Spot, Spot)) -> String {
    let served = Served::new(Arc::clone(view));
    let (aliases, groups) = (Aliases::default(), Groups::default());
    let context = Context { served: &served, aliases: &aliases, groups: &groups, activity: 0 };
    if !served.index.partitions().share(from.port, to.port) {
        return "the two ports share no partition in which one of them is a full member".to_owned();
    }
    let wanted = Wanted {
        service_id: question.service_id,
        qos_class: question.qos_class,
        pkey: question.pkey,
        sl: question.sl,
        ..Wanted::default()
    };
    match choose(&context, &wanted, (from.port, to.port), (from.lid, to.lid)) {
        Ok(_) => "the subnet administration keeps it to itself".to_owned(),
        Err(why) => why.to_string(),
    }
}
