//! What happens to traffic from one port to another, and why.
//!
//! [`explain`] makes a [`Report`] of a [`Subject`]: a snapshot of what the fabric holds, the
//! site's design where its files are known, a question, and what subnet administration answers to
//! it. Nothing here decides an SL: who had the last word is concluded from the answer. The report
//! speaks of what ports hold, not of what files wish.
//!
//! Where to look: [`spot`] for which port a word means, `way` for the links, `held` for what a
//! port holds, `hop` for the lane on a link and its share of it, `choice` for who set the SL;
//! [`text`] and [`change`] for how a report, and the difference of two, is printed.

pub mod change;
mod choice;
mod held;
mod hop;
pub mod question;
pub mod report;
pub mod spot;
pub mod text;
mod way;
mod words;

use lk_fabric::PortId;
use lk_wire::{Lid, Sl, VlCode};

pub use question::{Answer, Answered, Design, Group, Question, Subject};
pub use report::Report;
pub use spot::{NoSpot, Spot, spot};

use hop::Traffic;
use report::{Bottleneck, End, Hop, Multicast, SlRow, Way};
use way::Steps;

/// What happens to the traffic.
#[must_use]
pub fn explain(subject: &Subject<'_>) -> Report {
    let (from, to) = subject.ends;
    let steps_there = way::unicast(subject.snapshot, from.port, (to.port, to.lid));
    let steps_back = way::unicast(subject.snapshot, to.port, (from.port, from.lid));
    let there = one_way(subject, (from.port, to.port), subject.answers.0, &steps_there);
    let back = one_way(subject, (to.port, from.port), subject.answers.1, &steps_back);
    let sl = |way: &Way| way.choice.as_ref().filter(|_| way.no_path.is_none()).and_then(|c| c.sl);
    let symmetric_sl = sl(&there).zip(sl(&back)).map(|(a, b)| a == b);
    let links = |steps: &Steps| steps.steps.iter().map(|s| (s.egress, s.peer)).collect::<Vec<_>>();
    let mut mirrored: Vec<(PortId, PortId)> =
        links(&steps_back).into_iter().map(|(egress, peer)| (peer, egress)).collect();
    mirrored.reverse();
    Report {
        version: 1,
        settings: subject.design.as_ref().map(settings),
        from: end(subject, from),
        to: end(subject, to),
        busy: subject.question.busy.as_ref().map(|sls| sls.iter().map(|sl| sl.0).collect()),
        symmetric_sl,
        same_links: links(&steps_there) == mirrored,
        multicast: subject.group.map(|group| multicast(subject, group)),
        there,
        back,
    }
}

fn settings(design: &Design<'_>) -> report::Settings {
    let options = design.config.options();
    let from = |key: &str| match design.config.origin(key).place() {
        None => "built in".to_owned(),
        Some((file, span)) => format!("{}:{}", file.name(), file.position(span.start).line),
    };
    let code = VlCode(options.max_op_vls);
    report::Settings {
        qos: options.qos,
        qos_from: from("qos"),
        max_op_vls: code.0,
        lanes: if code.is_defined() { code.data_vls() } else { 0 },
        max_op_vls_from: from("max_op_vls"),
        engine: design.engine.to_owned(),
    }
}

fn end(subject: &Subject<'_>, spot: Spot) -> End {
    let fabric = &subject.snapshot.fabric;
    let keys = held::keys(subject.snapshot, spot.port);
    End {
        name: fabric.port_name(spot.port),
        lid: spot.lid.0,
        guid: fabric.port(spot.port).guid.to_string(),
        pkeys: keys.iter().map(ToString::to_string).collect(),
    }
}

fn one_way(subject: &Subject<'_>, ends: (PortId, PortId), answer: &Answer, steps: &Steps) -> Way {
    let choice = choice::choice(subject, ends, answer);
    let sl = choice.as_ref().and_then(|choice| choice.sl).map(Sl);
    let mtu = choice.as_ref().and_then(|choice| Some(choice.path.as_ref()?.mtu));
    let traffic = Traffic { sl, mtu };
    let hops: Vec<Hop> = steps.steps.iter().map(|step| hop::hop(subject, step, traffic)).collect();
    let by_sl = if sl.is_none() { by_sl(subject, steps) } else { Vec::new() };
    let no_path = match answer {
        Answer::NoPath(why) => Some(why.clone()),
        Answer::NotAsked | Answer::Path(_) => None,
    };
    Way {
        choice,
        no_path,
        broken: steps.broken.clone(),
        bottleneck: bottleneck(&hops),
        hops,
        by_sl,
    }
}

/// The lane of each SL on each link.
fn by_sl(subject: &Subject<'_>, steps: &Steps) -> Vec<SlRow> {
    let row = |sl: u8| {
        let traffic = Traffic { sl: Some(Sl(sl)), mtu: None };
        let hops: Vec<Hop> =
            steps.steps.iter().map(|step| hop::hop(subject, step, traffic)).collect();
        let lanes = hops.iter().map(|hop| hop.lane.as_ref());
        let vl = |lane: &report::Lane| if lane.dropped.is_some() { 15 } else { lane.vl };
        let vls: Vec<Option<u8>> = lanes.clone().map(|lane| lane.map(vl)).collect();
        let guaranteed: Option<Vec<f64>> = lanes
            .map(|lane| {
                let lane = lane?;
                if lane.dropped.is_some() {
                    Some(0.0)
                } else {
                    Some(lane.share.as_ref()?.guaranteed)
                }
            })
            .collect();
        let least = guaranteed.filter(|all| !all.is_empty());
        let least = least.map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
        SlRow { sl, vls, guaranteed: least }
    };
    (0..16).map(row).collect()
}

/// The first of the links with the least bandwidth that is guaranteed.
fn bottleneck(hops: &[Hop]) -> Option<Bottleneck> {
    let rate = |hop: &Hop| {
        let lane = hop.lane.as_ref()?;
        if lane.dropped.is_some() {
            return Some((0.0, 0.0));
        }
        lane.share.as_ref().map(|share| (share.guaranteed_gigabits, share.guaranteed))
    };
    let rates: Option<Vec<(f64, f64)>> = hops.iter().map(rate).collect();
    let rates = rates?;
    let least = rates.iter().map(|(gigabits, _)| *gigabits).fold(f64::INFINITY, f64::min);
    let narrow = |at: &(usize, &(f64, f64))| at.1.0 <= least;
    let (first, (gigabits, share)) = rates.iter().enumerate().find(narrow)?;
    let same = rates[first..].iter().take_while(|(gigabits, _)| *gigabits <= least).count();
    let (hop, last) = (first + 1, first + same);
    Some(Bottleneck { hop, gigabits: *gigabits, share: *share, last })
}

fn multicast(subject: &Subject<'_>, group: &Group) -> Multicast {
    let (from, to) = subject.ends;
    let sl = group.params.map(|(_, sl, _, _)| sl).or(subject.question.sl);
    let steps = match (group.mlid, &group.refused) {
        (_, Some(why)) => Steps { steps: Vec::new(), broken: Some(why.clone()) },
        (None, None) => {
            let why = "there is no such group".to_owned();
            Steps { steps: Vec::new(), broken: Some(why) }
        }
        (Some(mlid), None) => way::multicast(subject.snapshot, from.port, to.port, mlid),
    };
    let mtu = group.params.and_then(|(_, _, mtu, _)| mtu.bytes()).map(u32::from);
    let traffic = Traffic { sl, mtu };
    Multicast {
        mgid: group.mgid.map(|gid| gid.to_string()),
        mlid: group.mlid.unwrap_or(Lid(0)).0,
        pkey: group.params.map(|(key, ..)| key.to_string()),
        sl: sl.map(|sl| sl.0),
        mtu,
        rate: group.params.map(|(_, _, _, rate)| rate.to_string()),
        hops: steps.steps.iter().map(|step| hop::hop(subject, step, traffic)).collect(),
        broken: steps.broken,
    }
}
