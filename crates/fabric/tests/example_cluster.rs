//! The example cluster in the repository is the one that the example program makes, and is what
//! its description says.

#![allow(clippy::unwrap_used, reason = "what a test sets up may fail as the test does")]

#[path = "../examples/make_cluster/cluster.rs"]
mod cluster;

use lk_diag::SourceFile;
use lk_fabric::{LinkRate, read_fabric};

#[test]
fn the_file_is_what_the_program_prints() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cluster.ibnetdiscover");
    let file = std::fs::read_to_string(path).unwrap();
    assert!(
        file == cluster::text().unwrap(),
        "make it anew: cargo run -q -p lk-fabric --example make_cluster > \
         examples/cluster.ibnetdiscover"
    );
}

#[test]
fn it_is_a_cluster_of_some_size_with_a_few_oddities() {
    let (file, findings) = read_fabric(&SourceFile::new("cluster", cluster::text().unwrap()));
    assert!(findings.is_empty(), "{findings:?}");
    let file = file.unwrap();
    let fabric = &file.fabric;
    assert_eq!(fabric.switches().len(), 39);
    let hosts = fabric.nodes().iter().filter(|n| !n.description.contains("Aggregation"));
    assert_eq!(hosts.count() - 39, 396 + 96 + 2 + 2 + 24 + 4 + 10);
    let slow = LinkRate::parse("1xHDR").unwrap();
    assert_eq!(fabric.links().filter(|(a, _)| fabric.port(*a).rate == slow).count(), 1);
    let home = file.initiated_from.unwrap();
    assert_eq!(fabric.port_name(home), "mgmt01 mlx5_0/1");
    assert_eq!(fabric.port(home).lid.0, 1);
}
