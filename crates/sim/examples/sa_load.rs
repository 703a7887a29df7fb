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

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeKind};
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
    single(&mut sa, &hosts);
    tables(&mut sa, &hosts);
    with_policy(&fabric, &hosts);
    storm(&mut sa, &hosts);
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

fn single(sa: &mut Sa, hosts: &[(Lid, Guid)]) {
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
    for (name, make) in kinds {
        let all: Vec<(Lid, Vec<u8>)> =
            (0..COUNT).map(|n| pair(hosts, n)).map(|(from, to)| (from.0, make(from, to))).collect();
        let start = processor_seconds();
        let bytes: usize = all.iter().map(|(client, bytes)| ask(sa, *client, bytes)).sum();
        let rate = COUNT as f64 / (processor_seconds() - start).max(0.01);
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
    let mut incoming: VecDeque<(Lid, Vec<u8>)> = VecDeque::new();
    // One host after the other: the worst order for those that come last.
    for (at, host) in hosts.iter().enumerate() {
        for n in 1..=STORM {
            let other = hosts[(at + n * 97) % hosts.len()];
            incoming.push_back((host.0, path(*host, other, None)));
        }
    }
    let total = incoming.len();
    let (mut busy, mut answered, mut most, mut now) = (0, 0, 0, 0_u64);
    let mut first_answer = vec![0; 1 << 16];
    // When each client's requests that wait were taken: they are answered in their order.
    let mut taken: Vec<VecDeque<u64>> = vec![VecDeque::new(); 1 << 16];
    let mut longest = 0;
    let start = processor_seconds();
    while answered < total {
        now += 1;
        for _ in 0..BATCH {
            let Some((client, bytes)) = incoming.pop_front() else { break };
            if let Some(refusal) = sa.take(Instant(0), from(client), &bytes) {
                let header = SaHeader::parse(&refusal.bytes).expect("a whole message");
                assert_eq!(header.status(), Status::BUSY.0);
                busy += 1;
                incoming.push_back((client, bytes));
            } else {
                taken[usize::from(client.0)].push_back(now);
            }
            most = most.max(sa.waiting());
        }
        for _ in 0..TURNS {
            let mut effects = Effects::default();
            let Some(answer) = sa.answer_next(Instant(0), &mut effects) else { break };
            let client = usize::from(answer.to.lid.0);
            if let Some(since) = taken[client].pop_front() {
                longest = longest.max(now - since);
            }
            if first_answer[client] == 0 {
                first_answer[client] = now;
            }
            answered += 1;
        }
    }
    let seconds = processor_seconds() - start;
    println!("storm: {total} questions of {} hosts answered in {seconds:.2} s", hosts.len());
    println!("       {busy} times told busy, at most {most} waiting");
    let share = longest as f64 / now as f64;
    println!(
        "       the longest wait of a request that was taken: {:.2} s, {:.1} % of it",
        share * seconds,
        share * 100.0
    );
    let last = hosts.iter().map(|(lid, _)| first_answer[usize::from(lid.0)]).max();
    println!("       everybody had a first answer after {:.1} % of it", {
        last.unwrap_or(0) as f64 * 100.0 / now as f64
    });
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
