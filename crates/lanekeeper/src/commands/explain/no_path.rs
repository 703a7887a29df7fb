//! Why the subnet administration has no path, in words.

use std::sync::Arc;

use lk_audit::explain::{Question, Spot};
use lk_sm::View;
use lk_sm::multicast::Groups;
use lk_sm::sa::path::{Broken, NoPath, Wanted, choose};
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
        with_engine: true,
        ..Wanted::default()
    };
    match choose(&context, &wanted, (from.port, to.port), (from.lid, to.lid)) {
        Ok(_) => "the subnet administration keeps it to itself".to_owned(),
        Err(why) => words(why),
    }
}

fn words(why: NoPath) -> String {
    match why {
        NoPath::Way(broken) => match broken {
            Broken::NoRoute => "a switch on the way has no entry for the LID".to_owned(),
            Broken::NoPeer => "an entry on the way leads to a port without a cable".to_owned(),
            Broken::ElsewhereEnds => "the entries lead to another port".to_owned(),
            Broken::TooLong => "the way has more than 64 hops".to_owned(),
        },
        NoPath::NoSl => "every SL is dropped somewhere on the way".to_owned(),
        NoPath::LevelSl(sl) if sl > 15 => format!("SL {sl} of the QoS level cannot be"),
        NoPath::LevelSl(sl) => format!("SL {sl} of the QoS level is dropped on the way"),
        NoPath::Mtu => "no path has the MTU that is asked for".to_owned(),
        NoPath::Rate => "no path has the rate that is asked for".to_owned(),
        NoPath::Life => "no path has the packet life time that is asked for".to_owned(),
        NoPath::Partition(Some(key)) => {
            format!("the two ports do not share partition {key}, one of them a full member")
        }
        NoPath::Partition(None) => "the two ports share no partition".to_owned(),
        NoPath::LevelPartition(Some(key)) => {
            format!("the QoS level does not allow partition {key}")
        }
        NoPath::LevelPartition(None) => {
            "the QoS level allows only partitions that the two ports do not share".to_owned()
        }
        NoPath::OtherSl(sl) => format!("the QoS level has another SL than the {sl} asked for"),
        NoPath::Dropped(sl) => format!("SL {sl} is dropped on the way"),
        NoPath::EngineSl(sl) => {
            format!("the routing engine has SL {sl} for this path, and another one is asked for")
        }
    }
}
