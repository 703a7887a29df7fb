//! Shares of a link: against known cases, and against an arbiter that sends packet by packet.

use lk_config::QosSets;
use lk_qos::{ArbTables, Busy, EgressPort, PortClass, PortTables, ResolvedSets, shares};
use lk_wire::{Vl, VlArbEntry, VlCode};

const MTU: u32 = 4096;

fn list(entries: &[(u8, u8)]) -> Vec<VlArbEntry> {
    entries.iter().map(|(vl, weight)| VlArbEntry { vl: Vl(*vl), weight: *weight }).collect()
}

fn tables(high: &[(u8, u8)], low: &[(u8, u8)], high_limit: u8) -> ArbTables {
    ArbTables { high: list(high), low: list(low), high_limit }
}

fn busy(vls: &[u8]) -> Vec<Busy> {
    vls.iter().map(|vl| Busy { vl: Vl(*vl), packet: MTU }).collect()
}

/// Shares in percent.
fn percent(tables: &ArbTables, vls: &[u8]) -> Vec<f64> {
    let found = shares(tables, &busy(vls));
    vls.iter().map(|vl| (found.of(Vl(*vl)) * 1e4).round() / 1e2).collect()
}

#[test]
fn weights_that_are_whole_packets_share_in_their_proportion() {
    let tables = tables(&[], &[(0, 64), (1, 128), (2, 192), (3, 0)], 0);
    assert_eq!(percent(&tables, &[0, 1, 2]), [16.67, 33.33, 50.0]);
    assert_eq!(percent(&tables, &[0, 2]), [25.0, 75.0]);
}

#[test]
fn weights_below_a_packet_all_count_as_one() {
    let tables = tables(&[], &[(0, 1), (1, 4), (2, 63), (3, 64), (4, 65)], 0);
    assert_eq!(percent(&tables, &[0, 1, 2, 3]), [25.0; 4]);
    // One unit more than a packet is a second packet.
    assert_eq!(percent(&tables, &[3, 4]), [33.33, 66.67]);
}

#[test]
fn a_lane_without_weight_stands_still() {
    let tables = tables(&[(0, 64)], &[(1, 64), (2, 0)], 0);
    let found = shares(&tables, &busy(&[0, 1, 2, 3]));
    assert_eq!(found.starved().collect::<Vec<_>>(), [Vl(2), Vl(3)]);
    assert_eq!(found.lanes[2].wait, None);
}

#[test]
fn no_limit_starves_the_low_list_and_a_limit_lets_one_packet_in() {
    let mut tables = tables(&[(0, 255)], &[(1, 64)], 255);
    assert_eq!(percent(&tables, &[0, 1]), [100.0, 0.0]);
    assert_eq!(shares(&tables, &busy(&[0, 1])).burst, None);
    tables.high_limit = 0;
    assert_eq!(percent(&tables, &[0, 1]), [50.0, 50.0]);
    tables.high_limit = 6;
    let found = shares(&tables, &busy(&[0, 1]));
    assert_eq!(found.burst, Some(24 * 1024));
    assert_eq!(percent(&tables, &[0, 1]), [85.71, 14.29]);
    assert_eq!(found.lanes[0].wait, Some(u64::from(MTU)));
    assert_eq!(found.lanes[1].wait, Some(24 * 1024));
}

#[test]
fn the_low_list_has_the_link_to_itself_while_the_high_one_is_idle() {
    let tables = tables(&[(0, 255)], &[(1, 64), (2, 64)], 255);
    assert_eq!(percent(&tables, &[1, 2]), [50.0, 50.0]);
    assert_eq!(shares(&tables, &[]).period, 0);
}

#[test]
fn opensm_defaults_serve_vl0_by_single_packets() {
    let port = EgressPort {
        class: PortClass::Ca,
        vl_cap: VlCode(4),
        oper_vls: VlCode(4),
        vlarb_low_cap: 8,
        vlarb_high_cap: 8,
        sl_mapping: true,
    };
    let port = PortTables::new(&ResolvedSets::new(&QosSets::default()), &port);
    let tables = ArbTables::of_port(&port).expect("the port has eight lanes");
    assert_eq!(percent(&tables, &[0, 1]), [50.0, 50.0]);
    assert_eq!(percent(&tables, &[0, 1, 2]), [50.0, 25.0, 25.0]);
}

#[test]
fn a_port_with_one_lane_has_no_tables() {
    let port = EgressPort {
        class: PortClass::Ca,
        vl_cap: VlCode(1),
        oper_vls: VlCode(1),
        vlarb_low_cap: 8,
        vlarb_high_cap: 8,
        sl_mapping: true,
    };
    let port = PortTables::new(&ResolvedSets::new(&QosSets::default()), &port);
    assert_eq!(ArbTables::of_port(&port), None);
}

/// Random numbers (xorshift), the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn list(&mut self) -> Vec<(u8, u8)> {
        let weight = |r: &mut Self| match r.below(4) {
            0 => 0,
            1 => r.below(256) as u8,
            _ => (r.below(4) * 64).min(255) as u8,
        };
        (0..self.below(7)).map(|_| (self.below(5) as u8, weight(self))).collect()
    }
}

/// One list as the arbiter keeps it: the entry whose turn it is, and what is left of its weight.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Pointer {
    entry: usize,
    left: i64,
}

impl Pointer {
    /// The lane that may send next, and what it costs there.
    fn next(&mut self, list: &[VlArbEntry], busy: &[Busy]) -> Option<Busy> {
        let can = |entry: &VlArbEntry| {
            busy.iter().find(|b| b.vl == entry.vl).filter(|_| entry.weight > 0).copied()
        };
        if self.left > 0 {
            return can(&list[self.entry]);
        }
        for step in 1..=list.len() {
            let at = (self.entry + step) % list.len();
            if let Some(lane) = can(&list[at]) {
                *self = Self { entry: at, left: i64::from(list[at].weight) };
                return Some(lane);
            }
        }
        None
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Arbiter {
    high: Pointer,
    low: Pointer,
    /// Bytes that the high list sent since the low one last did.
    in_a_row: i64,
}

impl Arbiter {
    /// Sends one packet.
    fn send(&mut self, tables: &ArbTables, busy: &[Busy]) -> Option<Busy> {
        let limit = i64::from(tables.high_limit) * 4096;
        let has_low = self.low.clone().next(&tables.low, busy).is_some();
        let over = tables.high_limit != 255 && self.in_a_row > 0 && self.in_a_row >= limit;
        if !(over && has_low)
            && let Some(lane) = self.high.next(&tables.high, busy)
        {
            let units = i64::from(lane.packet.div_ceil(64));
            self.high.left -= units;
            self.in_a_row += units * 64;
            if !has_low {
                self.in_a_row = 0;
            }
            return Some(lane);
        }
        let lane = self.low.next(&tables.low, busy)?;
        self.low.left -= i64::from(lane.packet.div_ceil(64));
        self.in_a_row = 0;
        Some(lane)
    }
}

/// What each lane sends from one state of the arbiter to where the same comes back, and the longest
/// stretch of other lanes' bytes before a packet of each.
///
/// The state to come back to is taken anew after 1, 2, 4, 8 ... packets (Brent's way to find a
/// period). Where none is found in five million packets, what was sent since the last is given:
/// half of them at least.
fn run(tables: &ArbTables, busy: &[Busy]) -> (Vec<u64>, Vec<u64>) {
    let mut arbiter = Arbiter::default();
    let mut sent = vec![0_u64; busy.len()];
    let mut since = vec![0_u64; busy.len()];
    let mut longest = vec![0_u64; busy.len()];
    let mut kept = (arbiter.clone(), sent.clone());
    for step in 1..5_000_000_u32 {
        let Some(lane) = arbiter.send(tables, busy) else { break };
        if tables.high_limit == 255 {
            arbiter.in_a_row = 0;
        }
        for (at, other) in busy.iter().enumerate() {
            if other.vl == lane.vl {
                sent[at] += u64::from(lane.packet);
                longest[at] = longest[at].max(since[at]);
                since[at] = 0;
            } else {
                since[at] += u64::from(lane.packet);
            }
        }
        if arbiter == kept.0 {
            break;
        }
        if step.is_power_of_two() {
            kept = (arbiter.clone(), sent.clone());
        }
    }
    (sent.iter().zip(kept.1).map(|(now, before)| now - before).collect(), longest)
}

#[test]
fn shares_are_those_of_an_arbiter_that_sends_packet_by_packet() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut with_both = 0;
    for case in 0..10_000 {
        let limit = [0, 1, 2, 5, 17, 255][random.below(6) as usize];
        let tables = tables(&random.list(), &random.list(), limit);
        let mut lanes: Vec<Busy> = (0..5)
            .map(|vl| {
                let packet = [282, 1058, 2082, 4130, 4096, 4096][random.below(6) as usize];
                Busy { vl: Vl(vl), packet }
            })
            .collect();
        lanes.retain(|_| random.below(3) > 0);
        let found = shares(&tables, &lanes);
        let (sent, longest) = run(&tables, &lanes);
        let all: u64 = sent.iter().sum();
        for (at, lane) in found.lanes.iter().enumerate() {
            let model = if all == 0 { 0.0 } else { sent[at] as f64 / all as f64 };
            let ours = found.of(lane.vl);
            assert!((ours - model).abs() < 1e-3, "case {case}: {ours} for {model} of {lane:?}");
            match lane.wait {
                Some(wait) => assert!(
                    longest[at] <= wait,
                    "case {case}: {lane:?} waited for {} bytes: {tables:?}",
                    longest[at]
                ),
                None => assert_eq!(sent[at], 0, "case {case}: {lane:?} sends"),
            }
        }
        with_both += u32::from(found.burst.is_some_and(|burst| burst > 0));
    }
    assert!(with_both > 3_000, "only {with_both} cases had both lists at work");
}
