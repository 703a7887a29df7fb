//! The compiled policy against a plain scan of its rules, and what it says of itself.

use lk_config::qos_policy::{QosPolicy, Range, parse};
use lk_diag::{Diagnostics, SourceFile};
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeId, PortId};
use lk_qos::policy::{
    CompiledPolicy, Criterion, PartitionPorts, PathQuery, PolicyFile, Reason, Subnet, compile,
};
use lk_wire::{PKey, Sl};
use proptest::prelude::*;

fn fabric() -> Fabric {
    generate(&TopoSpec::new(Shape::FatTree(FatTree::new(4, 3)))).expect("a tree").fabric
}

fn hosts(fabric: &Fabric) -> Vec<PortId> {
    fabric.end_ports().collect()
}

/// Three partitions: all are full in the default one, even ports in 2, one port only is full in 9.
fn partitions(fabric: &Fabric) -> Vec<PartitionPorts> {
    let all = hosts(fabric);
    let even = all.iter().copied().filter(|p| p.0 % 2 == 0).collect();
    let part = |key, name: &str, sl, full, limited| PartitionPorts {
        key,
        name: name.to_owned(),
        sl: Sl(sl),
        full,
        limited,
    };
    vec![
        part(0x7fff, "Default", 0, all.clone(), Vec::new()),
        part(2, "even", 5, even, Vec::new()),
        part(9, "lone", 0, all[..1].to_vec(), all[1..3].to_vec()),
    ]
}

fn try_compile(fabric: &Fabric, text: &str) -> (Option<CompiledPolicy>, Diagnostics) {
    let source = SourceFile::new("qos-policy.conf", text);
    let (policy, found) = parse(&source);
    assert!(!policy.refused, "{text}\n{found:#?}");
    let partitions = partitions(fabric);
    let name = |n: NodeId| fabric.node(n).description.clone();
    let own = hosts(fabric)[0];
    let subnet = Subnet { fabric, node_name: &name, own, partitions: &partitions };
    compile(&PolicyFile { source, policy }, subnet)
}

fn compiled(fabric: &Fabric, text: &str) -> CompiledPolicy {
    let (policy, found) = try_compile(fabric, text);
    policy.unwrap_or_else(|| panic!("{text}\n{found:#?}"))
}

fn query(source: PortId, destination: PortId) -> PathQuery {
    PathQuery { source, destination, qos_class: None, service_id: None, pkey: None }
}

#[test]
fn protocols_are_the_service_ids_of_the_documents() {
    let fabric = fabric();
    let guid = |p: PortId| fabric.port(p).guid;
    let all = hosts(&fabric);
    let (a, b, c) = (all[0], all[1], all[2]);
    let policy = compiled(
        &fabric,
        &format!(
            "qos-ulps default : 0\n sdp, port-num 10-20 : 1\n sdp : 2\n rds : 3\n iser : 4\n \
             iser, port-num 7 : 5\n rds, port-num 7 : 6\n ipoib : 7\n ipoib, pkey 0x8002 : 8\n \
             any, service-id 0x99 : 9\n srp, target-port-guid {} : 10\n \
             any, source-target-port-guid {},{} : 11\n any, source-port-guid {} : 12\n \
             end-qos-ulps\n",
            guid(c),
            guid(a),
            guid(b),
            guid(b)
        ),
    );
    let sl = |q: PathQuery| policy.level(&q).sl;
    let service = |id| sl(PathQuery { service_id: Some(id), ..query(a, all[4]) });
    assert_eq!([0x1000a, 0x10014, 0x10015, 0x1ffff, 0x20000].map(service), [1, 1, 2, 2, 0]);
    assert_eq!([0x10648ca, 0x1060cbc, 0x1060007, 0x99].map(service), [3, 4, 5, 9]);
    let key = |k| sl(PathQuery { pkey: Some(PKey(k)), ..query(a, all[4]) });
    assert_eq!([0xffff, 0x7fff, 2, 0x8002, 3].map(key), [7, 7, 8, 8, 0]);
    assert_eq!(sl(query(b, c)), 10);
    assert_eq!((sl(query(a, b)), sl(query(b, a)), sl(query(a, all[4]))), (11, 11, 0));
    assert_eq!(sl(query(b, all[4])), 12);
}

#[test]
fn groups_take_ports_by_every_kind_of_member() {
    let fabric = fabric();
    let all = hosts(&fabric);
    let switch = fabric.node(fabric.switch_node(lk_fabric::SwitchId(0))).clone();
    let host = fabric.node(fabric.owner(*all.last().unwrap())).clone();
    let members = |content: &str| -> Vec<PortId> {
        let policy = compiled(
            &fabric,
            &format!(
                "port-groups port-group name: g\n {content}\n end-port-group end-port-groups\n\
                 qos-match-rules qos-match-rule\n source: G\n qos-level-name: X\n \
                 end-qos-match-rule end-qos-match-rules\n\
                 qos-levels qos-level name: x\n sl: 3\n end-qos-level end-qos-levels\n\
                 qos-ulps default: 0 end-qos-ulps"
            ),
        );
        let in_group = |p: &PortId| policy.level(&query(*p, all[0])).sl == 3;
        all.iter().copied().filter(in_group).collect()
    };
    let kind = |switches: bool| -> Vec<PortId> {
        let is = |p: &&PortId| fabric.as_switch(fabric.owner(**p)).is_some() == switches;
        all.iter().filter(is).copied().collect()
    };
    assert_eq!(members("node-type: SWITCH"), kind(true));
    assert_eq!(members("node-type: ca, router"), kind(false));
    assert_eq!(members("node-type: all"), all);
    assert_eq!(members("node-type: self"), all[..1]);
    let even: Vec<PortId> = all.iter().copied().filter(|p| p.0 % 2 == 0).collect();
    assert_eq!(members("partition: even"), even);
    assert_eq!(members("pkey: 0x8009"), all[..3]);
    assert_eq!(members(&format!("port-name: \"{}/P3\"", switch.description)), [switch.first]);
    let first = PortId(host.first.0 + 1);
    assert_eq!(members(&format!("port-name: \"{}/p1\"", host.description)), [first]);
    assert_eq!(members(&format!("port-guid: {}", fabric.port(first).guid)), [first]);
    assert_eq!(members("port-guid: 0-0xffffffffffffffff").len(), all.len());
}

#[test]
fn what_the_subnet_does_not_have_is_told() {
    let fabric = fabric();
    let group = |content: &str| {
        format!(
            "port-groups port-group name: g\n {content}\n end-port-group end-port-groups\n\
             qos-ulps default: 0 end-qos-ulps"
        )
    };
    for (text, expected) in [
        (group("port-guid: 0xdead"), 2),
        (group("port-name: nobody/P1"), 2),
        (group("pkey: 7"), 2),
        (group("partition: Even"), 2),
        ("qos-ulps default: 0\n any, pkey 7 : 3 end-qos-ulps".to_owned(), 1),
        ("qos-ulps default: 0\n any, target-port-guid 7 : 3 end-qos-ulps".to_owned(), 1),
        ("qos-ulps default: 0\n any, pkey 2 : 3 end-qos-ulps".to_owned(), 1),
        ("qos-ulps default: 0\n any, pkey 2 : 5 end-qos-ulps".to_owned(), 0),
    ] {
        let (policy, found) = try_compile(&fabric, &text);
        assert!(policy.is_some() && !found.has_errors(), "{text}");
        assert_eq!(found.len(), expected, "{text}\n{found:#?}");
    }
}

#[test]
fn what_opensm_refuses_for_this_subnet_is_refused() {
    let fabric = fabric();
    let name = &fabric.node(NodeId(0)).description;
    for text in [
        "qos-ulps default: 0\n ipoib, pkey 7 : 3 end-qos-ulps".to_owned(),
        "qos-ulps default: 0\n ipoib, pkey 9 : 3 end-qos-ulps".to_owned(),
        format!(
            "port-groups port-group name: g\n port-name: \"{name}/P77\"\n end-port-group \
             end-port-groups\nqos-ulps default: 0 end-qos-ulps"
        ),
    ] {
        let (policy, found) = try_compile(&fabric, &text);
        assert!(policy.is_none() && found.has_errors(), "{text}");
        assert_eq!(found.iter().filter(|d| d.code.id == "CF060").count(), 1, "{found:#?}");
    }
}

#[test]
fn it_is_told_which_rule_counts_and_why_not_those_before_it() {
    let fabric = fabric();
    let all = hosts(&fabric);
    let policy = compiled(
        &fabric,
        &format!(
            "qos-levels qos-level name: DEFAULT\n sl: 1\n pkey: 5, 1-3, 2-4\n end-qos-level \
             end-qos-levels\n\
             qos-match-rules\n qos-match-rule\n qos-class: 3\n service-id: 1\n \
             qos-level-name: DEFAULT\n end-qos-match-rule\n end-qos-match-rules\n\
             qos-ulps\n any, target-port-guid {} : 4\n any, pkey 2 : 5\n end-qos-ulps\n",
            fabric.port(all[3]).guid
        ),
    );
    let asked = PathQuery { qos_class: Some(4), pkey: Some(PKey(0x8002)), ..query(all[0], all[1]) };
    let why = policy.explain(&asked);
    assert_eq!((why.rule.map(|r| r.0), why.level.sl, why.missed.len()), (Some(2), 5, 2));
    assert_eq!(policy.rule_text(why.rule.unwrap()), "any, pkey 2 : 5");
    assert_eq!(policy.rule_place(why.rule.unwrap()).line, 14);
    assert_eq!(
        why.missed[0].because,
        [(Criterion::QosClass, Reason::Other), (Criterion::ServiceId, Reason::NotAsked)]
    );
    let text = why.missed[0].to_string();
    assert_eq!(text, "the QoS class is another, the service ID is not in the query");
    assert_eq!(policy.rule_place(why.missed[0].rule).line, 6);
    assert_eq!(why.missed[1].because, [(Criterion::Destination, Reason::Other)]);
    let none = policy.explain(&query(all[0], all[1]));
    assert_eq!((none.rule, none.level.name.as_str(), none.missed.len()), (None, "DEFAULT", 3));
    assert_eq!(none.level.pkeys, [(1, 5)]);
    assert!(none.level.allows(PKey(0x8005)) && !none.level.allows(PKey(6)));
}

fn any_index() -> impl Strategy<Value = prop::sample::Index> {
    any::<prop::sample::Index>()
}

/// Rules as text, and queries that often hit their edges.
fn any_rules() -> impl Strategy<Value = Vec<String>> {
    let number = 0_u64..6;
    let range = (number.clone(), number).prop_map(|(a, b)| format!("{a}-{b}"));
    let group = (0_u32..4).prop_map(|g| format!("g{g}"));
    let line = prop_oneof![
        group.clone().prop_map(|g| format!("source: {g}")),
        group.prop_map(|g| format!("destination: {g}")),
        range.clone().prop_map(|r| format!("qos-class: {r}")),
        range
            .clone()
            .prop_map(|r| format!("service-id: {r}, 0xfffffffffffffffe-0xffffffffffffffff")),
        range.prop_map(|r| format!("pkey: {r}")),
    ];
    let rule = prop::collection::vec(line, 0..5).prop_map(|lines| lines.join("\n"));
    prop::collection::vec(rule, 0..90)
}

/// The number of the first rule that fits, by looking at one after the other.
fn scan(policy: &QosPolicy, groups: &[Vec<PortId>], q: &PathQuery) -> Option<u32> {
    let holds = |ranges: &[lk_config::Placed<Range>], asked: Option<u64>| {
        ranges.is_empty() || asked.is_some_and(|n| ranges.iter().any(|r| r.value.holds(n)))
    };
    let member = |names: &[lk_config::Placed<String>], port: PortId| {
        let number = |name: &str| name[1..].parse::<usize>().expect("a group");
        names.is_empty() || names.iter().any(|n| groups[number(&n.value)].contains(&port))
    };
    let fits = |rule: &lk_config::qos_policy::MatchRule| {
        member(&rule.source, q.source)
            && member(&rule.destination, q.destination)
            && holds(&rule.qos_class, q.qos_class.map(u64::from))
            && holds(&rule.service_id, q.service_id)
            && holds(&rule.pkeys, q.pkey.map(|k| u64::from(k.0 & 0x7fff)))
    };
    policy.rules.iter().position(|rule| fits(&rule.value)).map(|at| at as u32)
}

proptest! {
    #[test]
    fn lookups_agree_with_a_scan_of_the_rules(
        rules in any_rules(),
        chosen in prop::collection::vec(prop::collection::vec(any_index(), 0..5), 4),
        queries in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(),
             prop::option::of(0_u16..7),
             prop::option::of(prop_oneof![0_u64..7, Just(u64::MAX), Just(u64::MAX - 2)]),
             prop::option::of(prop_oneof![0_u16..7, 0x8000_u16..0x8007])),
            1..40
        ),
    ) {
        let fabric = fabric();
        let all = hosts(&fabric);
        let groups: Vec<Vec<PortId>> =
            chosen.iter().map(|g| g.iter().map(|i| *i.get(&all)).collect()).collect();
        let mut text = "port-groups\n".to_owned();
        for (number, ports) in groups.iter().enumerate() {
            text += &format!("port-group\nname: g{number}\n");
            for port in ports {
                text += &format!("port-guid: {}\n", fabric.port(*port).guid);
            }
            text += "end-port-group\n";
        }
        text += "end-port-groups\nqos-match-rules\n";
        for rule in &rules {
            text += &format!("qos-match-rule\n{rule}\nqos-level-name: L\nend-qos-match-rule\n");
        }
        text += "end-qos-match-rules\nqos-levels qos-level name: L\n sl: 1\n end-qos-level \
                 end-qos-levels\nqos-ulps default: 0 end-qos-ulps\n";
        let (policy, _) = parse(&SourceFile::new("f", text.clone()));
        let ready = compiled(&fabric, &text);
        prop_assert_eq!(ready.rule_count(), rules.len());
        for (source, destination, qos_class, service_id, pkey) in queries {
            let (source, destination) = (*source.get(&all), *destination.get(&all));
            let q = PathQuery { source, destination, qos_class, service_id, pkey: pkey.map(PKey) };
            let expected = scan(&policy, &groups, &q);
            prop_assert_eq!(ready.first_match(&q).map(|r| r.0), expected);
            let why = ready.explain(&q);
            prop_assert_eq!(why.missed.len(), expected.map_or(rules.len(), |r| r as usize));
            prop_assert!(why.missed.iter().all(|m| !m.because.is_empty()));
        }
    }
}
