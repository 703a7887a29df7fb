//! How much load the subnet administration stands.
//!
//! `cargo run --release -p lk-sim --example sa_load -- 36 3` is the reference fabric of 972
//! switches and 5,832 hosts. Nothing is between the clients and the server: what is measured is
//! the server alone, in processor time. The storm at the end has every host ask a hundred
//! questions at once, and ask again where it is told that the server is busy.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant as Clock;

use lk_fabric::NodeKind;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::sa::{Effects, Sa};
use lk_sm::{GsiAddress, Instant, Mode, Output, Settings, View};
use lk_wire::sa::*;
use lk_wire::{Gid, Guid, Lid, Status, method};

/// Requests of each kind.
const COUNT: usize = 200_000;
/// Questions of each host in the storm.
const STORM: usize = 100;
/// Answers between two looks at what has come in, and how many datagrams one look takes: as the
/// core and the program that carries its datagrams have it.
const TURNS: usize = 16;
const BATCH: usize = 64;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: u32| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let view = bring_up(number(0, 8) as u8, number(1, 3) as u8);
    let hosts = hosts(&view);
    let before = memory();
    let mut sa = Sa::default();
    let start = Clock::now();
    sa.install(Instant(0), Arc::clone(&view));
    println!("{} hosts; index made in {:.1} ms", hosts.len(), millis(start));
    let each = (memory().saturating_sub(before)) as f64 / hosts.len() as f64;
    println!("memory of the server without clients: {each:.0} bytes for each host");
    single(&mut sa, &hosts);
    tables(&mut sa, &hosts);
    storm(&mut sa, &hosts);
}

/// The view after the first sweep of a simulated fat-tree.
fn bring_up(radix: u8, levels: u8) -> Arc<View> {
    let shape = Shape::FatTree(FatTree::new(radix, levels));
    let fabric = generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric;
    let is_host = |p| fabric.node(fabric.owner(p)).kind == NodeKind::Ca;
    let host = fabric.end_ports().find(|p| is_host(*p)).expect("a host");
    let settings = Settings::new(lk_config::Options::default(), Default::default());
    let sim = SimFabric::new(&fabric, &SimOptions::default());
    let mut world = World::new(sim, host, settings, Mode::Once);
    let mut view = None;
    world.drive(u64::MAX, &mut |output| {
        if let Output::View(v) = output {
            view = Some(v);
        }
    });
    view.expect("a view after the sweep")
}

/// Each host's LID and GUID.
fn hosts(view: &View) -> Vec<(Lid, Guid)> {
    let fabric = &view.seen.fabric;
    let ranges = view.desired.lids.ranges().iter();
    let ports = ranges.filter(|(p, ..)| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca);
    ports.map(|(p, lid, _)| (*lid, fabric.port(*p).guid)).collect()
}

fn request<R: Record>(method: u8, mask: u64, record: &R) -> Vec<u8> {
    let mut header = SaHeader::request(method, R::ID, 7);
    header.set_component_mask(mask);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(record.bytes());
    bytes.resize(256, 0);
    bytes
}

fn from(lid: Lid) -> GsiAddress {
    GsiAddress { lid, qp: 1, ..GsiAddress::default() }
}

/// Asks, and takes the answer.
fn ask(sa: &mut Sa, client: Lid, bytes: &[u8]) -> usize {
    let mut effects = Effects::default();
    assert!(sa.take(Instant(0), from(client), bytes).is_none(), "one at a time is never busy");
    sa.answer_next(Instant(0), &mut effects).map_or(0, |answer| answer.bytes.len())
}

fn single(sa: &mut Sa, hosts: &[(Lid, Guid)]) {
    let prefix = 0xFE80 << 48;
    let path = |(lid, guid): (Lid, Guid), (to, other): (Lid, Guid)| {
        let mut record = PathRecord::default();
        record.set_sgid(Gid { prefix, guid });
        record.set_dgid(Gid { prefix, guid: other });
        let _ = (lid, to);
        record.set_numb_path(1);
        record.set_reversible(1);
        let mask = path_mask::SGID | path_mask::DGID | path_mask::NUMB_PATH;
        request(method::GET, mask | path_mask::REVERSIBLE, &record)
    };
    let node = |_: (Lid, Guid), (lid, _): (Lid, Guid)| {
        let mut record = NodeRecord::default();
        record.set_lid(lid.0);
        request(method::GET, node_mask::LID, &record)
    };
    let by_guid = |_: (Lid, Guid), (_, guid): (Lid, Guid)| {
        let mut record = NodeRecord::default();
        let mut info = record.info();
        info.set_port_guid(guid.0);
        record.set_info(&info);
        request(method::GET, node_mask::PORT_GUID, &record)
    };
    let port = |_: (Lid, Guid), (lid, _): (Lid, Guid)| {
        let mut record = PortInfoRecord::default();
        record.set_lid(lid.0);
        request(method::GET, port_info_mask::LID, &record)
    };
    let link = |_: (Lid, Guid), (lid, _): (Lid, Guid)| {
        let mut record = LinkRecord::default();
        record.set_to_lid(lid.0);
        request(method::GET, link_mask::TO_LID, &record)
    };
    let info = |_: (Lid, Guid), _: (Lid, Guid)| request(method::GET, 0, &ClassPortInfo::default());
    type Make<'a> = &'a dyn Fn((Lid, Guid), (Lid, Guid)) -> Vec<u8>;
    let kinds: [(&str, Make<'_>); 6] = [
        ("ClassPortInfo", &info),
        ("NodeRecord by LID", &node),
        ("NodeRecord by port GUID", &by_guid),
        ("PortInfoRecord by LID", &port),
        ("LinkRecord by far LID", &link),
        ("PathRecord by GIDs", &path),
    ];
    for (name, make) in kinds {
        let pair = |n: usize| (hosts[n % hosts.len()], hosts[(n * 7919 + 1) % hosts.len()]);
        let all: Vec<(Lid, Vec<u8>)> =
            (0..COUNT).map(|n| (pair(n).0.0, make(pair(n).0, pair(n).1))).collect();
        let start = Clock::now();
        let bytes: usize = all.iter().map(|(client, bytes)| ask(sa, *client, bytes)).sum();
        let rate = COUNT as f64 / start.elapsed().as_secs_f64();
        println!("{name:26} {rate:10.0} a second ({} bytes each)", bytes / COUNT);
    }
}

fn tables(sa: &mut Sa, hosts: &[(Lid, Guid)]) {
    let kinds = [
        ("all NodeRecords", request(method::GET_TABLE, 0, &NodeRecord::default())),
        ("all LinkRecords", request(method::GET_TABLE, 0, &LinkRecord::default())),
        ("all PortInfoRecords", request(method::GET_TABLE, 0, &PortInfoRecord::default())),
        ("all forwarding tables", request(method::GET_TABLE, 0, &LftRecord::default())),
    ];
    for (name, bytes) in kinds {
        let start = Clock::now();
        let length = ask(sa, hosts[0].0, &bytes);
        println!("{name:26} {:10.2} ms, {} KB", millis(start), length / 1024);
    }
}

/// Every host asks [`STORM`] questions at once. What is told to be busy is asked again after all
/// others have had their say, as a client does that waits. Says how long it takes, and how far
/// apart the first and the last host are done.
fn storm(sa: &mut Sa, hosts: &[(Lid, Guid)]) {
    let mut record = NodeRecord::default();
    let mut incoming: VecDeque<(Lid, Vec<u8>)> = VecDeque::new();
    // One host after the other: the worst order for those that come last.
    for (at, (client, _)) in hosts.iter().enumerate() {
        for n in 0..STORM {
            record.set_lid(hosts[(at + n) % hosts.len()].0.0);
            incoming.push_back((*client, request(method::GET, node_mask::LID, &record)));
        }
    }
    let total = incoming.len();
    let (mut busy, mut answered, mut most, mut now) = (0, 0, 0, 0_u64);
    let mut first_answer = vec![0; 1 << 16];
    let start = Clock::now();
    while answered < total {
        now += 1;
        for _ in 0..BATCH {
            let Some((client, bytes)) = incoming.pop_front() else { break };
            if let Some(refusal) = sa.take(Instant(0), from(client), &bytes) {
                let header = SaHeader::parse(&refusal.bytes).expect("a whole message");
                assert_eq!(header.status(), Status::BUSY.0);
                busy += 1;
                incoming.push_back((client, bytes));
            }
            most = most.max(sa.waiting());
        }
        for _ in 0..TURNS {
            let mut effects = Effects::default();
            let Some(answer) = sa.answer_next(Instant(0), &mut effects) else { break };
            let client = usize::from(answer.to.lid.0);
            if first_answer[client] == 0 {
                first_answer[client] = now;
            }
            answered += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("storm: {total} questions of {} hosts answered in {seconds:.2} s", hosts.len());
    println!("       {busy} times told busy, at most {most} waiting");
    let last = hosts.iter().map(|(lid, _)| first_answer[usize::from(lid.0)]).max();
    println!("       everybody had a first answer after {:.1} % of it", {
        last.unwrap_or(0) as f64 * 100.0 / now as f64
    });
}

fn millis(start: Clock) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// Bytes of memory that the process holds.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|w| w.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}
