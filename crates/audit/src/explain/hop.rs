//! One link of a way: the lane, and what it gets.

use std::collections::BTreeSet;

use lk_qos::tables::masked_sl2vl;
use lk_qos::{ArbTables, Busy, QosSet, Shares, shares};
use lk_wire::{Sl, SlToVlTable, Vl, VlArbEntry, VlCode};

use super::held::Egress;
use super::question::{Design, Subject};
use super::report::{Asked, Hop, Lane, Share, Weight};
use super::way::Step;
use crate::kinds::OVERHEAD;

/// The packets that are followed.
#[derive(Clone, Copy, Default)]
pub(super) struct Traffic {
    /// Their SL, where it is known.
    pub(super) sl: Option<Sl>,
    /// Their largest payload in bytes; `None`: what links can carry.
    pub(super) mtu: Option<u32>,
}

/// A link, with what becomes of packets on it.
pub(super) fn hop(subject: &Subject<'_>, step: &Step, traffic: Traffic) -> Hop {
    let fabric = &subject.snapshot.fabric;
    let egress = Egress { snapshot: subject.snapshot, port: step.egress };
    let rate = egress.rate();
    let lanes = egress.lanes();
    let mut notes = Vec::new();
    let table = egress.sl2vl(step.ingress);
    if traffic.sl.is_some() && table.is_none() {
        notes.push("its SL2VL table was not read".to_owned());
    }
    let lane = traffic.sl.zip(table);
    let mtu = traffic.mtu.unwrap_or(u32::MAX).min(egress.mtu());
    let lane = lane.map(|(sl, table)| lane_of(subject, &egress, (sl, &table), mtu, &mut notes));
    Hop {
        from: fabric.port_name(step.egress),
        to: fabric.port_name(step.peer),
        ingress: step.ingress,
        link: rate.to_string(),
        gigabits: f64::from(rate.data_megabits()) / 1000.0,
        mtu: egress.mtu(),
        lanes: lanes.map_or(0, |(operate, _)| operate.data_vls()),
        lanes_supported: lanes.map_or(0, |(_, supported)| supported.data_vls()),
        copies: step.copies,
        lane,
        notes,
    }
}

fn lane_of(
    subject: &Subject<'_>,
    egress: &Egress<'_>,
    (sl, table): (Sl, &SlToVlTable),
    mtu: u32,
    notes: &mut Vec<String>,
) -> Lane {
    let vl = table.get(sl);
    let operate = egress.lanes().map(|(operate, _)| operate);
    let asked = subject.design.and_then(|design| asked(&design, egress, (sl, vl), operate));
    let dropped = dropped(vl, operate);
    let shared_with: Vec<u8> =
        (0..16).filter(|other| *other != sl.0 && table.get(Sl(*other)) == vl).collect();
    let wish =
        subject.design.filter(|d| d.config.options().qos).map(|d| d.sets.get(egress.class()));
    let meant_apart = match (wish, &dropped) {
        (Some(wish), None) => {
            let apart = |other: &u8| wish.sl2vl.get(Sl(*other)) != wish.sl2vl.get(sl);
            shared_with.iter().copied().filter(apart).collect()
        }
        _ => Vec::new(),
    };
    let tables = egress.arbitration();
    if tables.is_none() {
        notes.push("its arbitration tables were not read".to_owned());
    }
    let arbitrates = operate.is_none_or(|code| code.data_vls() > 1);
    let share = match (&tables, &dropped) {
        (Some(tables), None) => {
            Some(share(subject, egress, (vl, mtu + OVERHEAD), tables, arbitrates))
        }
        _ => None,
    };
    let entries = |list: fn(&ArbTables) -> &Vec<VlArbEntry>| {
        tables.as_ref().filter(|_| arbitrates).map_or_else(Vec::new, |t| weights(list(t), vl))
    };
    let high = entries(|t| &t.high);
    let limit = tables.as_ref().filter(|_| arbitrates).map(|t| high_limit(t.high_limit));
    Lane {
        sl: sl.0,
        vl: vl.0,
        dropped,
        asked,
        shared_with,
        meant_apart,
        high,
        low: entries(|t| &t.low),
        high_limit: limit,
        share,
    }
}

/// Why packets on a lane go no further.
fn dropped(vl: Vl, operate: Option<VlCode>) -> Option<String> {
    if vl == Vl::DROP {
        return Some("VL 15 in an SL2VL table means that packets are dropped".to_owned());
    }
    let lanes = operate.filter(|code| code.is_defined() && vl.0 >= code.data_vls())?;
    Some(format!("the lane does not operate, {lanes} do, so packets are dropped"))
}

/// What the options ask for, where the port holds another lane.
fn asked(
    design: &Design<'_>,
    egress: &Egress<'_>,
    (sl, vl): (Sl, Vl),
    operate: Option<VlCode>,
) -> Option<Asked> {
    if !design.config.options().qos {
        return None;
    }
    let wish: &QosSet = design.sets.get(egress.class());
    let wanted = wish.sl2vl.get(sl);
    if wanted == vl {
        return None;
    }
    let folded = operate.is_some_and(|code| masked_sl2vl(&wish.sl2vl, code).get(sl) == vl);
    let why = match operate {
        Some(code) if folded => format!("folded, for only {code} operate"),
        _ => format!("the routing engine {} has tables of its own", design.engine),
    };
    let option = match wish.origins.sl2vl {
        None => "the built-in sl2vl".to_owned(),
        Some(set) => {
            let key = format!("{}sl2vl", set.prefix());
            match design.config.origin(&key).place() {
                Some((file, span)) => {
                    format!("{key}, {}:{}", file.name(), file.position(span.start).line)
                }
                None => key,
            }
        }
    };
    Some(Asked { vl: wanted.0, why, folded, option })
}

fn weights(list: &[VlArbEntry], vl: Vl) -> Vec<Weight> {
    let entries = list.iter().enumerate().filter(|(_, entry)| entry.vl == vl && entry.weight > 0);
    let weight = |(place, entry): (usize, &VlArbEntry)| Weight {
        place,
        weight: entry.weight,
        bytes: u32::from(entry.weight) * 64,
    };
    entries.map(weight).collect()
}

fn high_limit(limit: u8) -> String {
    match limit {
        0 => "0, one packet of the high table before a turn of the low one".to_owned(),
        255 => "255, no limit: the low table waits while the high one has packets".to_owned(),
        n => format!("{n}, {} bytes of the high table in a row", u32::from(n) * 4096),
    }
}

fn share(
    subject: &Subject<'_>,
    egress: &Egress<'_>,
    (vl, own): (Vl, u32),
    tables: &ArbTables,
    arbitrates: bool,
) -> Share {
    let full = egress.mtu() + OVERHEAD;
    let megabits = f64::from(egress.rate().data_megabits());
    let mut all = egress.lanes_of(|_| true);
    all.insert(vl);
    let of = |lanes: &BTreeSet<Vl>| -> (f64, Option<u64>) {
        if !arbitrates {
            return (1.0, Some(0));
        }
        let packet = |lane: Vl| if lane == vl { own } else { full };
        let busy: Vec<Busy> =
            lanes.iter().map(|vl| Busy { vl: *vl, packet: packet(*vl) }).collect();
        let got: Shares = shares(tables, &busy);
        let wait = got.lanes.iter().find(|lane| lane.vl == vl).and_then(|lane| lane.wait);
        (got.of(vl), wait)
    };
    let (guaranteed, wait_bytes) = of(&all);
    let busy = subject.question.busy.as_ref().map(|sls| {
        let mut lanes = egress.lanes_of(|sl| sls.contains(&sl));
        lanes.insert(vl);
        of(&lanes).0
    });
    let microseconds = |bytes: u64| bytes as f64 * 8.0 / megabits;
    all.remove(&vl);
    Share {
        guaranteed,
        guaranteed_gigabits: guaranteed * megabits / 1000.0,
        busy,
        alone: of(&BTreeSet::from([vl])).0,
        wait_bytes,
        wait_microseconds: wait_bytes.filter(|_| megabits > 0.0).map(microseconds),
        packet: own,
        against: if arbitrates { all.into_iter().map(|vl| vl.0).collect() } else { Vec::new() },
    }
}
