//! The field's files hold what their index says.

#![allow(clippy::print_stderr, reason = "a test says what it skips")]

mod field;

use lk_diag::{Diagnostics, Severity, SourceFile};
use lk_fabric::text::findings;
use lk_fabric::{Fabric, FabricFile, Form, LinkRate, NodeKind, read_fabric};
use lk_wire::{Guid, Lid, PortNum};

fn read(folder: &std::path::Path, name: &str) -> (FabricFile, Diagnostics) {
    let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (file, findings) = read_fabric(&SourceFile::new(name, bytes));
    (file.unwrap_or_else(|| panic!("{name}: no fabric: {findings:?}")), findings)
}

/// Switches, adapters, cables between switches, cables to adapters.
fn sizes(fabric: &Fabric) -> [usize; 4] {
    let switches = fabric.switches().len();
    let is_switch = |p| fabric.as_switch(fabric.owner(p)).is_some();
    let between = fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b)).count();
    [switches, fabric.nodes().len() - switches, between, fabric.links().count() - between]
}

fn codes(list: &Diagnostics) -> Vec<&'static str> {
    list.iter().map(|d| d.code.id).collect()
}

#[test]
fn sizes_are_those_of_the_index() {
    let Some(folder) = field::folder("cases/topo") else { return };
    for (name, form, expected) in [
        ("t01-qdr-fdr10-8sw-144ca.ibnetdiscover", Form::Ibnetdiscover, [8, 144, 47, 145]),
        ("t02-ndr-railopt-40sw-582ca.ibnetdiscover", Form::Ibnetdiscover, [40, 582, 532, 582]),
        ("t03-single-ca-no-switch.ibnetdiscover", Form::Ibnetdiscover, [0, 1, 0, 0]),
        ("t04-kary-4-3-80sw-128ca.ibnetdiscover", Form::Ibnetdiscover, [80, 128, 256, 128]),
        ("t05-odd1.ibnetdiscover", Form::Ibnetdiscover, [2, 4, 2, 5]),
        ("t05-odd2.ibnetdiscover", Form::Ibnetdiscover, [1, 2, 0, 2]),
        ("t05-odd3.ibnetdiscover", Form::Ibnetdiscover, [2, 6, 4, 6]),
        ("t05-odd4.ibnetdiscover", Form::Ibnetdiscover, [1, 1, 0, 1]),
        ("t18-ibsim-net", Form::Ibsim, [2, 2, 2, 2]),
        ("t18-ibsim-net.1", Form::Ibsim, [1, 2, 0, 2]),
        ("t18-ibsim-net.2sw2path", Form::Ibsim, [2, 2, 2, 2]),
        ("t18-ibsim-net.2sw2path4hca", Form::Ibsim, [2, 4, 2, 4]),
        ("t18-ibsim-net.2sw2path4hca2port", Form::Ibsim, [2, 2, 2, 4]),
        ("t19-spineleaf-0x-guid-style.ibnetdiscover", Form::Ibnetdiscover, [4, 4, 4, 4]),
        ("t20-torus-4x5-generated.ibsim.net", Form::Ibsim, [20, 20, 40, 20]),
    ] {
        let (file, _) = read(&folder, name);
        assert_eq!((file.form, sizes(&file.fabric)), (form, expected), "{name}");
    }
}

#[test]
fn clean_files_have_no_findings() {
    let Some(folder) = field::folder("cases/topo") else { return };
    for name in [
        "t01-qdr-fdr10-8sw-144ca.ibnetdiscover",
        "t02-ndr-railopt-40sw-582ca.ibnetdiscover",
        "t04-kary-4-3-80sw-128ca.ibnetdiscover",
        "t05-odd2.ibnetdiscover",
        "t05-odd4.ibnetdiscover",
        "t18-ibsim-net",
        "t18-ibsim-net.1",
        "t18-ibsim-net.2sw2path",
        "t18-ibsim-net.2sw2path4hca",
        "t18-ibsim-net.2sw2path4hca2port",
        "t19-spineleaf-0x-guid-style.ibnetdiscover",
        "t20-torus-4x5-generated.ibsim.net",
    ] {
        let (_, findings) = read(&folder, name);
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
}

#[test]
fn ids_addresses_and_rates_are_kept() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let (file, _) = read(&folder, "t01-qdr-fdr10-8sw-144ca.ibnetdiscover");
    let fabric = &file.fabric;
    let id = fabric.node_by_guid(Guid(0xf452_1403_0011_65a0)).unwrap();
    let node = fabric.node(id);
    assert_eq!((node.vendor_id, node.device_id), (0x2c9, 0xc738));
    assert_eq!(node.description, "MF0;sw1:SX6036/U1");
    assert!(node.enhanced_port0);
    assert_eq!(fabric.port(node.first).lid, Lid(128));
    let host = fabric.peer(fabric.port_at(id, PortNum(1)).unwrap()).unwrap();
    assert_eq!(fabric.port(host).guid, Guid(0x24be_05ff_ff98_0031));
    assert_eq!(fabric.port(host).lid, Lid(105));
    let home = file.initiated_from.unwrap();
    assert_eq!(fabric.port(home).guid, Guid(0x24be_05ff_ff98_aba1));
    let ends = |text: &str| {
        let rate = LinkRate::parse(text).unwrap();
        fabric.ports().iter().filter(|p| p.peer.is_some() && p.rate == rate).count()
    };
    assert_eq!((ends("4xQDR"), ends("4xFDR10")), (290, 94));

    let (file, _) = read(&folder, "t02-ndr-railopt-40sw-582ca.ibnetdiscover");
    let ndr = file.fabric.ports().iter().filter(|p| p.rate == LinkRate::NDR_4X).count();
    assert_eq!(ndr, 2 * 1114);
    let aggregation = file
        .fabric
        .nodes()
        .iter()
        .filter(|n| n.description == "Mellanox Technologies Aggregation Node");
    assert_eq!(aggregation.count(), 40);
}

#[test]
fn a_host_that_sees_no_fabric() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let (_, findings) = read(&folder, "t03-single-ca-no-switch.ibnetdiscover");
    assert!(findings.has_errors());
    assert!(findings.find(findings::NO_SWITCH).unwrap().message.contains("nothing to route"));
}

#[test]
fn odd_files_are_read_and_their_oddities_named() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let (file, list) = read(&folder, "t05-odd1.ibnetdiscover");
    assert_eq!(codes(&list), ["FB030", "FB030"]);
    let slow = LinkRate::parse("1xSDR").unwrap();
    assert_eq!(file.fabric.ports().iter().filter(|p| p.rate == slow).count(), 2);
    let hca = file.fabric.node_by_guid(Guid(0x8_f104_0396_0984)).unwrap();
    assert_eq!(file.fabric.node(hca).system_guid, Guid(0));
    let port = file.fabric.port_at(hca, PortNum(1)).unwrap();
    assert_eq!((file.fabric.port(port).lid, file.fabric.port(port).lmc), (Lid(16), 1));

    let (file, _) = read(&folder, "t05-odd2.ibnetdiscover");
    let hca = file.fabric.node_by_guid(Guid(0x2_c903_0002_847c)).unwrap();
    assert!(file.fabric.peer(file.fabric.port_at(hca, PortNum(1)).unwrap()).is_none());
    assert!(file.fabric.peer(file.fabric.port_at(hca, PortNum(2)).unwrap()).is_some());

    let (_, list) = read(&folder, "t05-odd3.ibnetdiscover");
    assert_eq!(codes(&list), ["FB001", "FB024", "FB024", "FB024"]);
    assert_eq!(list.as_slice()[0].primary().unwrap().position().line, 1);
    assert_eq!(list.count(Severity::Error), 0);
}

#[test]
fn a_missing_speed_is_not_known() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let (file, _) = read(&folder, "t19-spineleaf-0x-guid-style.ibnetdiscover");
    assert!(file.fabric.ports().iter().all(|p| p.rate.is_unknown()));
    let leaf = file.fabric.node_by_guid(Guid(0x2_c902_0030_0003)).unwrap();
    assert_eq!(file.fabric.node(leaf).description, "Leaf-1");
}

#[test]
fn default_guids_are_ibsims() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let (file, _) = read(&folder, "t18-ibsim-net");
    let mut named: Vec<_> = file
        .fabric
        .nodes()
        .iter()
        .map(|n| (n.description.as_str(), n.guid.0, n.kind == NodeKind::Switch))
        .collect();
    named.sort_unstable();
    assert_eq!(
        named,
        [
            ("Hca1", 0x10_0000, false),
            ("Hca2", 0x10_0003, false),
            ("Switch1", 0x20_0000, true),
            ("Switch2", 0x20_0001, true)
        ]
    );
    assert_eq!(file.fabric.node(file.first).description, "Switch1");
}

#[test]
fn golden_fabrics_are_read() {
    let Some(folder) = field::folder("golden") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !folder.join(&name).join("fabric.net").is_file() {
            continue;
        }
        seen += 1;
        let (file, list) = read(&folder.join(&name), "fabric.net");
        let expected = match name.as_str() {
            "torus-manpage" => [20, 20, 40, 20],
            "torus-mesh3Tx4x5" => [60, 60, 153, 60],
            "torus-t2x4x5" => [40, 40, 100, 40],
            "torus-t3x3x3" => [27, 27, 81, 27],
            "torus-t4x4x5" => [80, 80, 240, 80],
            "torus-t4x4x5-sw" => [79, 79, 234, 79],
            "torus-t6x5" => [30, 30, 60, 30],
            "torus-t6x5-link" => [30, 30, 59, 30],
            "torus-t6x5-split-ring" => [30, 30, 58, 30],
            "torus-t6x5-T" | "torus-t6x5-seedgone" => [29, 29, 56, 29],
            "torus-t6x6-OT" | "torus-t6x6-TR" => [34, 34, 65, 34],
            _ if name.starts_with("r24-") => [24, 48, 59, 48],
            _ if name.starts_with("ft4x3-broken") => [11, 8, 11, 8],
            _ if name.starts_with("ft4x3-") => [12, 8, 16, 8],
            other => panic!("a golden fabric that this test does not know: {other}"),
        };
        assert_eq!(sizes(&file.fabric), expected, "{name}");
        let in_parts = name.starts_with("ft4x3-broken");
        assert_eq!(codes(&list), if in_parts { vec!["FB040"] } else { vec![] }, "{name}");
    }
    assert!(seen >= 30, "{seen} golden fabrics");
}
