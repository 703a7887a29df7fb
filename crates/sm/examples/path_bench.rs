//! How fast path queries are answered on a fat-tree of 5,832 hosts, without a QoS policy and with
//! one of 1,000 rules that name 10,000 GUIDs.
//!
//! Usage: `cargo run --release -p lk-sm --example path_bench [QUERIES]`, by default a million.
//! Each query is a SubnAdmGet(PathRecord) as a host sends it: by GIDs, with service ID and P_Key.

#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant as Clock;

use lk_config::{Options, qos_policy};
use lk_diag::SourceFile;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeKind, PortId};
use lk_qos::policy::{PathQuery, PolicyFile, Subnet, compile};
use lk_routing::{LidMap, RouteJob, RouteOptions};
use lk_sm::decide::PolicyInUse;
use lk_sm::io::GsiAddress;
use lk_sm::sa::{Effects, Sa};
use lk_sm::{Desired, Instant, Observed, Settings, SweepFigures, View};
use lk_wire::sa::{PathRecord, Record, SaHeader, path_mask, sa_attr};
use lk_wire::{Gid, Lid, PKeyTable, Sl, method};

const RULES: usize = 1000;
const GUIDS_OF_A_RULE: usize = 10;

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let spec = TopoSpec::new(Shape::FatTree(FatTree::new(36, 3)));
    let fabric = generate(&spec).expect("a tree").fabric;
    let is_host = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
    let hosts: Vec<PortId> = fabric.end_ports().filter(is_host).collect();
    let plain = view(&fabric, None);
    let policy = ready(&fabric, &hosts, &plain);
    lookups(&policy, &hosts, count);
    let queries = queries(&fabric, &hosts, count);
    println!("{} hosts, {count} queries", hosts.len());
    let without = answers(&plain, &queries);
    let with = answers(&view(&fabric, Some(policy)), &queries);
    println!("without a policy  {without:>9.0} answers a second");
    println!(
        "with {RULES} rules   {with:>9.0} answers a second, {:.2} times the cost",
        without / with
    );
}

/// The rules: every third names sources, every third destinations, every third service IDs too.
fn ready(fabric: &Fabric, hosts: &[PortId], view: &View) -> Arc<PolicyInUse> {
    let mut text = String::from("port-groups\n");
    let mut guids = Random(7);
    for rule in 0..RULES {
        let _ = writeln!(text, "port-group\nname: g{rule}");
        for _ in 0..GUIDS_OF_A_RULE {
            let host = hosts[guids.below(hosts.len())];
            let _ = writeln!(text, "port-guid: {}", fabric.port(host).guid);
        }
        text.push_str("end-port-group\n");
    }
    text.push_str("end-port-groups\nqos-match-rules\n");
    for rule in 0..RULES {
        let criterion = ["source", "destination", "destination"][rule % 3];
        let _ = writeln!(text, "qos-match-rule\n{criterion}: g{rule}");
        if rule % 3 == 2 {
            let _ = writeln!(text, "service-id: {}-{}", rule, rule + 50);
        }
        let _ = writeln!(text, "qos-level-name: L{}\nend-qos-match-rule", rule % 8);
    }
    text.push_str("end-qos-match-rules\nqos-levels\n");
    for level in 0..8 {
        let _ = writeln!(text, "qos-level\nname: L{level}\nsl: {level}\nend-qos-level");
    }
    text.push_str("end-qos-levels\nqos-ulps\ndefault : 0\nend-qos-ulps\n");
    let source = SourceFile::new("qos-policy.conf", text);
    let (policy, found) = qos_policy::parse(&source);
    assert!(!policy.refused, "{found:?}");
    let file = Arc::new(PolicyFile { source, policy });
    let name = |node| fabric.node(node).description.clone();
    let subnet = Subnet { fabric, node_name: &name, own: view.seen.sm_port, partitions: &[] };
    let start = Clock::now();
    let compiled = compile(&file, subnet).0.expect("a good policy");
    println!("made ready in {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    Arc::new(PolicyInUse { file, compiled })
}

fn view(fabric: &Fabric, policy: Option<Arc<PolicyInUse>>) -> Arc<View> {
    let mut lid = 0;
    let ranges = fabric.end_ports().map(|port| {
        lid += 1;
        (port, Lid(lid), 0)
    });
    let lids = LidMap::new(ranges.collect());
    let options = RouteOptions::default();
    let job = RouteJob { fabric, lids: &lids, options: &options, previous: None };
    let routes = lk_routing::route("updn", &job).routes.expect("routes");
    let ports = vec![None; fabric.ports().len()];
    let mut desired = Desired::routed(lids, ports.clone(), routes);
    let mut full = PKeyTable([0; 64]);
    full.0[..2].copy_from_slice(&[0xFF, 0xFF]);
    desired.pkeys = fabric.end_ports().map(|port| (port, vec![full])).collect();
    desired.policy = policy;
    let options = Options { qos: true, ..Options::default() };
    Arc::new(View {
        seen: Arc::new(Observed::from_graph(fabric.clone(), ports)),
        desired: Arc::new(desired),
        settings: Arc::new(Settings::new(options, Default::default())),
        figures: SweepFigures::default(),
    })
}

/// Lookups alone.
fn lookups(policy: &PolicyInUse, hosts: &[PortId], count: usize) {
    let mut random = Random(3);
    let queries: Vec<PathQuery> = (0..count)
        .map(|_| PathQuery {
            source: hosts[random.below(hosts.len())],
            destination: hosts[random.below(hosts.len())],
            qos_class: None,
            service_id: Some(random.below(2000) as u64),
            pkey: None,
        })
        .collect();
    let start = Clock::now();
    let matched = queries.iter().filter(|q| policy.compiled.first_match(q).is_some()).count();
    let seconds = start.elapsed().as_secs_f64();
    let each = seconds / count as f64 * 1e9;
    println!("{count} lookups in {:.0} ms, {each:.0} ns each; {matched} matched", seconds * 1e3);
}

/// Requests with the LID that sends them.
fn queries(fabric: &Fabric, hosts: &[PortId], count: usize) -> Vec<(PortId, Vec<u8>)> {
    let mut random = Random(5);
    let gid = |port: PortId| Gid { prefix: 0xfe80 << 48, guid: fabric.port(port).guid };
    let one = |number: usize| {
        let (from, to) = (hosts[random.below(hosts.len())], hosts[random.below(hosts.len())]);
        let mut header = SaHeader::request(method::GET, sa_attr::PATH_RECORD, number as u64);
        use path_mask as m;
        header.set_component_mask(
            m::SGID | m::DGID | m::NUMB_PATH | m::SERVICE_ID_MSB | m::SERVICE_ID_LSB,
        );
        let mut record = PathRecord::default();
        record.set_sgid(gid(from));
        record.set_dgid(gid(to));
        record.set_numb_path(1);
        record.set_service_id(random.below(2000) as u64);
        let mut bytes = header.0.to_vec();
        bytes.extend_from_slice(record.bytes());
        (from, bytes)
    };
    (0..count).map(one).collect()
}

/// Answers a second.
fn answers(view: &Arc<View>, queries: &[(PortId, Vec<u8>)]) -> f64 {
    let mut sa = Sa::default();
    sa.install(Instant(0), Arc::clone(view));
    let mut lid_of = vec![Lid(0); view.seen.fabric.ports().len()];
    for (port, lid, _) in view.desired.lids.ranges() {
        lid_of[port.index()] = *lid;
    }
    let mut effects = Effects::default();
    let start = Clock::now();
    let mut good = 0;
    for (from, bytes) in queries {
        let lid = lid_of[from.index()];
        let from = GsiAddress { lid, qp: 1, sl: Sl(0), pkey_index: 0, path_bits: 0, gid: None };
        assert!(sa.take(Instant(0), from, bytes).is_none(), "taken");
        let answer = sa.answer_next(Instant(0), &mut effects).expect("an answer");
        good += usize::from(answer.bytes.get(4..6) == Some(&[0, 0]));
    }
    assert_eq!(good, queries.len(), "every pair has a path");
    queries.len() as f64 / start.elapsed().as_secs_f64()
}

/// The same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}
