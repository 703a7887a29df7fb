//! Rules that can never be the first that fits, against looking at all queries.

use lk_config::qos_policy::parse;
use lk_diag::SourceFile;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeId, PortId};
use lk_qos::policy::{
    CompiledPolicy, Criterion, PathQuery, PolicyFile, Reach, Subnet, compile, extents_of_file,
    reach,
};
use lk_wire::PKey;
use proptest::prelude::*;

fn file(text: &str) -> PolicyFile {
    let source = SourceFile::new("qos-policy.conf", text);
    let (policy, found) = parse(&source);
    assert!(!policy.refused, "{text}\n{found:#?}");
    PolicyFile { source, policy }
}

fn of_file(text: &str) -> Vec<Reach> {
    let rules = extents_of_file(&file(text).policy);
    reach(&rules.into_iter().map(|rule| rule.extent).collect::<Vec<_>>())
}

const LEVELS: &str = "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n \
                      name: a\n sl: 1\n end-qos-level\nend-qos-levels\n";

fn with_rules(rules: &[&str]) -> String {
    let rules: String = rules
        .iter()
        .map(|r| format!(" qos-match-rule\n qos-level-name: a\n {r}\n end-qos-match-rule\n"))
        .collect();
    format!("{LEVELS}qos-match-rules\n{rules}end-qos-match-rules\n")
}

#[test]
fn a_rule_behind_one_that_takes_all_is_dead() {
    use Reach::{Covered, Reached};
    let text = with_rules(&["qos-class: 1-5", "", "service-id: 7"]);
    assert_eq!(of_file(&text), [Reached, Reached, Covered(vec![1])]);
    let text = with_rules(&["qos-class: 1-3", "qos-class: 4-6", "qos-class: 2-5", "qos-class: 7"]);
    assert_eq!(of_file(&text), [Reached, Reached, Covered(vec![0, 1]), Reached]);
    // A query without a class still gets to the second rule.
    let text = with_rules(&["qos-class: 0-4095", "service-id: 7"]);
    assert_eq!(of_file(&text), [Reached, Reached]);
    let ulps = "qos-ulps\n default : 0\n sdp : 1\n sdp, port-num 5 : 2\n srp, target-port-guid \
                0x10-0x20 : 3\n any, target-port-guid 0x12 : 4\n rds, port-num 0x48ca : 5\n rds : \
                6\nend-qos-ulps\n";
    let expected =
        [Reached, Covered(vec![0]), Reached, Covered(vec![2]), Reached, Covered(vec![4])];
    assert_eq!(of_file(ulps), expected);
}

#[test]
fn groups_are_compared_by_what_they_name() {
    let groups = "port-groups\n port-group\n name: all\n node-type: ALL\n end-port-group\n \
        port-group\n name: few\n port-guid: 0x10-0x20\n port-name: \"x/P1\"\n end-port-group\n \
        port-group\n name: one\n port-guid: 0x11\n end-port-group\n port-group\n name: cas\n \
        node-type: CA\n end-port-group\nend-port-groups\n";
    let dead = |rules: &[&str]| {
        let found = of_file(&format!("{groups}{}", with_rules(rules)));
        found.last() != Some(&Reach::Reached)
    };
    assert!(dead(&["source: few", "source: one"]));
    assert!(dead(&["source: all", "source: cas"]));
    assert!(dead(&["source: few", "source: one\n destination: all\n service-id: 3"]));
    assert!(!dead(&["source: cas", "source: one"]), "nobody knows whether it is an adapter");
    assert!(!dead(&["source: few\n destination: one", "source: one"]));
}

fn fabric() -> Fabric {
    generate(&TopoSpec::new(Shape::FatTree(FatTree::new(4, 2)))).expect("a tree").fabric
}

fn compiled(fabric: &Fabric, file: &PolicyFile) -> CompiledPolicy {
    let name = |n: NodeId| fabric.node(n).description.clone();
    let own = fabric.end_ports().next().expect("a port");
    let subnet = Subnet { fabric, node_name: &name, own, partitions: &[] };
    let (policy, found) = compile(file, subnet);
    policy.unwrap_or_else(|| panic!("{found:#?}"))
}

/// Rules that are the first for some query, by asking all queries that can differ.
fn first_for_some(policy: &CompiledPolicy, ports: &[PortId]) -> Vec<bool> {
    let mut seen = vec![false; policy.rule_count()];
    let numbers = || (0..8u64).map(Some).chain([None]);
    for source in ports {
        for destination in ports {
            for class in numbers() {
                for service_id in numbers() {
                    for key in numbers() {
                        let found = policy.first_match(&PathQuery {
                            source: *source,
                            destination: *destination,
                            qos_class: class.map(|n| n as u16),
                            service_id,
                            pkey: key.map(|n| PKey(n as u16)),
                        });
                        if let Some(rule) = found {
                            seen[rule.0 as usize] = true;
                        }
                    }
                }
            }
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Numbers from 0 to 7 only, so that all queries can be asked.
    #[test]
    fn the_compiled_policy_is_judged_exactly(
        rules in proptest::collection::vec(
            (0u8..6, 0u8..4, 0u64..6, 0u64..3, 0u8..3), 1..9),
    ) {
        let fabric = fabric();
        let ports: Vec<PortId> = fabric.end_ports().collect();
        let guid = |n: usize| fabric.port(ports[n % ports.len()]).guid;
        let groups: String = (0..3)
            .map(|n| format!(" port-group\n name: g{n}\n port-guid: {},{}\n end-port-group\n",
                guid(n), guid(n + 1)))
            .collect();
        let lines: Vec<String> = rules.iter().map(|(ends, kind, low, width, group)| {
            let (high, group) = ((low + width).min(7), group);
            let end = match ends { 0 => format!("source: g{group}"),
                1 => format!("destination: g{group}"), _ => String::new() };
            let number = match kind { 0 => format!("qos-class: {low}-{high}"),
                1 => format!("service-id: {low}-{high}"), 2 => format!("pkey: {low}-{high}"),
                _ => String::new() };
            format!("{end}\n {number}")
        }).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let file = file(&format!("port-groups\n{groups}end-port-groups\n{}", with_rules(&lines)));
        let policy = compiled(&fabric, &file);
        let seen = first_for_some(&policy, &ports);
        let found = reach(&policy.extents(&fabric));
        for (seen, found) in seen.iter().zip(&found) {
            prop_assert_eq!(*seen, *found == Reach::Reached);
        }
        // The file alone calls nothing dead that a subnet may show to be alive.
        let alone = reach(&extents_of_file(&file.policy).into_iter().map(|r| r.extent)
            .collect::<Vec<_>>());
        for (seen, alone) in seen.iter().zip(&alone) {
            prop_assert!(!*seen || *alone == Reach::Reached);
        }
    }
}

#[test]
fn a_group_without_ports_is_named_as_the_reason() {
    let fabric = fabric();
    let groups = "port-groups\n port-group\n name: g\n port-guid: 0x7777\n end-port-group\n\
                  end-port-groups\n";
    let file = file(&format!("{groups}{}", with_rules(&["destination: g"])));
    let found = reach(&compiled(&fabric, &file).extents(&fabric));
    assert_eq!(found, [Reach::Nothing(Criterion::Destination)]);
}
