//! How much load the subnet administration stands.
//!
//! `cargo run --release -p lk-sim --example sa_load -- 36 3` is the reference fabric of 972
//! switches and 5,832 hosts. Nothing is between the clients and the server: what is measured is
//! the server alone, in processor time. The storm at the end has every host ask a hundred
//! questions at one instant, and send them again as the Linux kernel does; nobody may give up.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::Instant as Clock;

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeKind};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::sa::{Effects, Sa};
use lk_sm::{GsiAddress, Instant, Mode, Output, Settings, View};
use lk_wire::sa::*;
use lk_wire::{Gid, Guid, Lid, Status, method};

/// Requests of each kind.
const COUNT: usize = 200_000;
/// Questions of each host in the storm, and how often one is sent before its client gives up: three
/// times again, as clients in the Linux kernel do.
const STORM: usize = 100;
const SENDS: u32 = 4;
/// Answers between two looks at what has come in, and how many datagrams one look takes: as the
/// core and the program that carries its datagrams have it.
const TURNS: usize = 16;
const BATCH: usize = 64;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: u32| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let fabric = fabric(number(0, 8) as u8, number(1, 3) as u8);
    let settings = Settings::new(lk_config::Options::default(), Default::default());
    let view = bring_up(&fabric, settings);
    let hosts = hosts(&view);
    // The first ones take memory that the bring-up has left; of as many more each counts.
    let mut others: Vec<Sa> = (0..300).map(|_| server(&view)).collect();
    let before = memory();
    others.extend((0..300).map(|_| server(&view)));
    let each = memory().saturating_sub(before) as f64 / 300.0 / hosts.len() as f64;
    drop(others);
    let mut sa = Sa::default();
    let start = Clock::now();
    sa.install(Instant(0), Arc::clone(&view));
    println!("{} hosts; index made in {:.1} ms", hosts.len(), millis(start));
    println!("memory of the server for each idle host: {each:.0} bytes");
    assert!(each < 1024.0);
    let rate = single(&mut sa, &hosts);
    tables(&mut sa, &hosts);
    with_policy(&fabric, &hosts);
    // A server with half of this machine's speed.
    storm(&mut sa, &hosts, (rate / 2.0) as u64);
}

fn server(view: &Arc<View>) -> Sa {
    let mut sa = Sa::default();
    sa.install(Instant(0), Arc::clone(view));
    sa
}

fn fabric(radix: u8, levels: u8) -> Fabric {
    let shape = Shape::FatTree(FatTree::new(radix, levels));
    generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric
}

/// The view after the first sweep of a simulated fabric.
fn bring_up(fabric: &Fabric, settings: Settings) -> Arc<View> {
    let is_host = |p| fabric.node(fabric.owner(p)).kind == NodeKind::Ca;
    let host = fabric.end_ports().find(|p| is_host(*p)).expect("a host");
    let sim = SimFabric::new(fabric, &SimOptions::default());
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

/// A query for one reversible path, by GIDs, as RDMA CM makes it.
fn path((_, guid): (Lid, Guid), (_, other): (Lid, Guid), service: Option<u64>) -> Vec<u8> {
    let prefix = 0xFE80 << 48;
    let mut record = PathRecord::default();
    record.set_sgid(Gid { prefix, guid });
    record.set_dgid(Gid { prefix, guid: other });
    record.set_numb_path(1);
    record.set_reversible(1);
    let mut mask = path_mask::SGID | path_mask::DGID | path_mask::NUMB_PATH | path_mask::REVERSIBLE;
    if let Some(service) = service {
        record.set_service_id(service);
        mask |= path_mask::SERVICE_ID_MSB | path_mask::SERVICE_ID_LSB;
    }
    request(method::GET, mask, &record)
}

/// Two hosts that are far from each other, another pair for each number.
fn pair(hosts: &[(Lid, Guid)], n: usize) -> ((Lid, Guid), (Lid, Guid)) {
    (hosts[n % hosts.len()], hosts[(n * 7919 + 1) % hosts.len()])
}

/// A policy of a thousand rules whose groups name ten thousand GUIDs, a hundred each; those of the
/// fabric's hosts come first.
fn policy(hosts: &[(Lid, Guid)]) -> String {
    let mut text = String::from("port-groups\n");
    for group in 0..100 {
        text += &format!("port-group\nname: g{group}\nport-guid:");
        for n in 0..100 {
            let at = group * 100 + n;
            let guid = hosts.get(at).map_or(0xABC0_0000 + at as u64, |host| host.1.0);
            text += &format!("{} {guid:#x}", if n == 0 { "" } else { "," });
        }
        text += "\nend-port-group\n";
    }
    text += "end-port-groups\nqos-levels\n";
    for level in 0..15 {
        let name = if level == 0 { "DEFAULT".to_owned() } else { format!("l{level}") };
        text += &format!("qos-level\nname: {name}\nsl: {level}\nend-qos-level\n");
    }
    text += "end-qos-levels\nqos-match-rules\n";
    for rule in 0..1000 {
        let (source, destination) = (rule % 100, rule * 7 % 100);
        text += &format!(
            "qos-match-rule\nsource: g{source}\ndestination: g{destination}\nservice-id: \
             {}-{}\nqos-level-name: l{}\nend-qos-match-rule\n",
            rule * 10,
            rule * 10 + 500,
            rule % 14 + 1
        );
    }
    text + "end-qos-match-rules\n"
}

/// How much a policy costs: the same queries with QoS on, without and with it, in turn.
fn with_policy(fabric: &Fabric, hosts: &[(Lid, Guid)]) {
    let options = lk_config::Options { qos: true, ..lk_config::Options::default() };
    let plain = Settings::new(options, Default::default());
    let mut settings = plain.clone();
    let source = lk_diag::SourceFile::new("qos-policy.conf", policy(hosts));
    let (policy, found) = lk_config::qos_policy::parse(&source);
    assert!(!found.has_errors(), "{found:?}");
    settings.policy = Some(Arc::new(lk_qos::policy::PolicyFile { source, policy }));
    let mut servers = [plain, settings].map(|settings| {
        let mut sa = Sa::default();
        let view = bring_up(fabric, settings);
        let rules = view.desired.policy.as_ref().map_or(0, |p| p.compiled.rule_count());
        sa.install(Instant(0), view);
        (sa, rules)
    });
    let all: Vec<(Lid, Vec<u8>)> = (0..COUNT)
        .map(|n| (pair(hosts, n), n as u64 * 31 % 12_000))
        .map(|((from, to), service)| (from.0, path(from, to, Some(service))))
        .collect();
    let mut best = [f64::MAX; 2];
    for _ in 0..3 {
        for ((sa, _), best) in servers.iter_mut().zip(&mut best) {
            let start = processor_seconds();
            let bytes: usize = all.iter().map(|(client, bytes)| ask(sa, *client, bytes)).sum();
            assert!(bytes >= COUNT * 256);
            *best = best.min((processor_seconds() - start).max(0.01));
        }
    }
    let rate = |seconds: f64| COUNT as f64 / seconds;
    println!("PathRecord without policy  {:10.0} a second", rate(best[0]));
    println!(
        "     with {} rules      {:10.0} a second, {:.2} times the cost",
        servers[1].1,
        rate(best[1]),
        best[1] / best[0]
    );
    assert!(best[1] < 2.0 * best[0], "a policy costs too much");
}

/// Queries for one record. How many paths a second.
fn single(sa: &mut Sa, hosts: &[(Lid, Guid)]) -> f64 {
    let one_path = |from: (Lid, Guid), to: (Lid, Guid)| path(from, to, None);
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
        ("PathRecord by GIDs", &one_path),
    ];
    let mut rate = 0.0;
    for (name, make) in kinds {
        let all: Vec<(Lid, Vec<u8>)> =
            (0..COUNT).map(|n| pair(hosts, n)).map(|(from, to)| (from.0, make(from, to))).collect();
        let start = processor_seconds();
        let bytes: usize = all.iter().map(|(client, bytes)| ask(sa, *client, bytes)).sum();
        rate = COUNT as f64 / (processor_seconds() - start).max(0.01);
        println!("{name:26} {rate:10.0} a second ({} bytes each)", bytes / COUNT);
    }
    rate
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

/// What became of a question of the storm.
#[derive(Clone, Copy, Default)]
struct Asked {
    sends: u32,
    answered: bool,
}

/// How the storm went.
#[derive(Default)]
struct Storm {
    asked: Vec<Asked>,
    /// When somebody sends again: microseconds, the question, in their order.
    timers: BinaryHeap<Reverse<(u64, usize)>>,
    /// What the server has not looked at yet.
    incoming: VecDeque<usize>,
    busy: usize,
    again: usize,
    failed: usize,
    most: usize,
}

impl Storm {
    /// A client in the Linux kernel sends a question again while no answer comes, as it stands.
    fn send(&mut self, now: u64, question: usize) {
        let asked = &mut self.asked[question];
        if asked.sends == SENDS {
            self.failed += 1;
            return;
        }
        asked.sends += 1;
        // Some wait for one second, some for two.
        let wait = 1_000_000 * (1 + question as u64 / STORM as u64 % 2);
        self.timers.push(Reverse((now + wait, question)));
        self.incoming.push_back(question);
    }

    fn send_again(&mut self, now: u64) {
        while let Some(Reverse((at, question))) = self.timers.peek().copied() {
            if at > now {
                break;
            }
            self.timers.pop();
            if !self.asked[question].answered {
                self.again += 1;
                self.send(at, question);
            }
        }
    }
}

/// Every host asks [`STORM`] questions at one instant, and asks again as the kernel does. The
/// server answers `rate` a second: time is simulated, so that the outcome does not depend on what
/// else the machine does.
fn storm(sa: &mut Sa, hosts: &[(Lid, Guid)], rate: u64) {
    // One host after the other: the worst order for those that come last.
    let messages: Vec<Vec<u8>> = (0..hosts.len() * STORM)
        .map(|question| {
            let (at, n) = (question / STORM, question % STORM + 1);
            let mut bytes = path(hosts[at], hosts[(at + n * 97) % hosts.len()], None);
            bytes[8..16].copy_from_slice(&(question as u64).to_be_bytes());
            bytes
        })
        .collect();
    let mut storm = Storm { asked: vec![Asked::default(); messages.len()], ..Storm::default() };
    let (before, start) = (memory(), processor_seconds());
    (0..messages.len()).for_each(|question| storm.send(0, question));
    // Nanoseconds; an answer takes `turn` of them.
    let (turn, mut now) = (1_000_000_000 / rate, 0_u64);
    let (mut waits, mut first, mut held) = (Vec::new(), vec![u64::MAX; hosts.len()], 0);
    loop {
        let instant = Instant(now);
        storm.send_again(now / 1000);
        for question in (0..BATCH).map_while(|_| storm.incoming.pop_front()).collect::<Vec<_>>() {
            let client = hosts[question / STORM].0;
            if let Some(refusal) = sa.take(instant, from(client), &messages[question]) {
                let header = SaHeader::parse(&refusal.bytes).expect("a whole message");
                assert_eq!(header.status(), Status::BUSY.0);
                storm.busy += 1;
            }
        }
        storm.most = storm.most.max(sa.waiting());
        if storm.incoming.is_empty() && held == 0 {
            held = memory();
        }
        for _ in 0..TURNS {
            let mut effects = Effects::default();
            let Some(answer) = sa.answer_next(instant, &mut effects) else { break };
            now += turn;
            let header = SaHeader::parse(&answer.bytes).expect("a whole message");
            assert_eq!(header.status(), 0);
            let question = header.tid() as usize;
            let asked = &mut storm.asked[question];
            if !asked.answered {
                asked.answered = true;
                waits.push(now);
                first[question / STORM] = first[question / STORM].min(now);
            }
        }
        if storm.incoming.is_empty() && sa.waiting() == 0 {
            match storm.timers.peek() {
                Some(Reverse((at, _))) => now = now.max(at * 1000),
                None => break,
            }
        }
    }
    let (seconds, total) = (processor_seconds() - start, storm.asked.len());
    let at = |part: usize| waits[(waits.len() - 1) * part / 100] as f64 / 1e9;
    println!(
        "storm: {} of {total} questions of {} hosts at one instant answered, {} failed",
        waits.len(),
        hosts.len(),
        storm.failed
    );
    println!(
        "       {seconds:.2} s of processor; below in seconds of a server that answers {rate} a second"
    );
    println!("       half answered after {:.2}, all after {:.2}", at(50), at(100));
    println!("       every host had an answer after {:.2}", {
        first.iter().max().map_or(0.0, |last| *last as f64 / 1e9)
    });
    println!(
        "       {} sent again by clients that had no answer yet, {} told busy, at most {} waiting in {} MB",
        storm.again,
        storm.busy,
        storm.most,
        held.saturating_sub(before) >> 20
    );
    assert_eq!((storm.failed, waits.len()), (0, total), "somebody has given up");
}

/// Seconds that this process has had a processor for: other work on the machine does not count.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    // Hundredths on every machine of today (`getconf CLK_TCK`).
    ticks.sum::<f64>() / 100.0
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
