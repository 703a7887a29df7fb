use lk_diag::SourceFile;
use lk_fabric::{Fabric, FabricBuilder, LinkRate, NodeKind, NodeSpec, PortId, SwitchId};
use lk_wire::{Guid, Lid, MlnxExtPortInfo, PortInfo, SmInfo, SwitchInfo, attr};
use proptest::prelude::*;

use super::{read, write};
use crate::{Duplicate, Snapshot, Table, Unread, Why, codes};

/// Random numbers from a seed: the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        self.0 ^ self.0 >> 29
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 7) % n
    }

    fn block(&mut self) -> [u8; 64] {
        // A few contents only, so that tables are shared, and blocks of one byte come.
        match self.below(4) {
            0 => [0; 64],
            1 => [0xff; 64],
            n => std::array::from_fn(|i| (i as u8).wrapping_mul(n as u8)),
        }
    }
}

fn fabric(numbers: &mut Numbers) -> Fabric {
    let mut builder = FabricBuilder::new();
    let names = ["leaf", "a \"quoted\" name", "line\nbreak", "é", ""];
    let count = 2 + numbers.below(6);
    let mut nodes = Vec::new();
    for n in 0..count {
        let kind = [NodeKind::Switch, NodeKind::Ca, NodeKind::Router][numbers.below(3) as usize];
        let name = names[numbers.below(5) as usize];
        let mut spec = NodeSpec::new(Guid(numbers.next() | n), kind, name, 1 + n as u8);
        spec.system_guid = Guid(numbers.below(2) * 77 + spec.guid.0);
        spec.vendor_id = numbers.below(3) as u32;
        spec.enhanced_port0 = kind == NodeKind::Switch && numbers.below(2) == 0;
        let ports = spec.num_ports;
        if let Ok(added) = builder.add_node(spec) {
            nodes.push((added, ports));
        }
    }
    for (added, ports) in &nodes {
        for port in 0..=*ports {
            let (far, far_ports) = nodes[numbers.below(nodes.len() as u64) as usize];
            let far_port = 1 + numbers.below(u64::from(far_ports)) as u8;
            if port > 0 && builder.peer(far, far_port).is_none() {
                let _ = builder.connect((*added, port), (far, far_port));
            }
            let guid = Guid(numbers.below(3));
            let lid = Lid(numbers.below(50) as u16);
            builder.set_port(*added, port, guid, lid, numbers.below(8) as u8).unwrap();
            let rate = LinkRate { width: 2, speed: 4, speed_ext: 0, fdr10: numbers.below(2) == 0 };
            builder.set_rate(*added, port, rate).unwrap();
        }
    }
    builder.build()
}

fn random(seed: u64) -> Snapshot {
    let mut numbers = Numbers(seed);
    let mut snapshot = Snapshot::of_graph(fabric(&mut numbers));
    let ports = snapshot.ports.len() as u64;
    for at in 0..ports as usize {
        let port = PortId(at as u32);
        if numbers.below(4) > 0 {
            snapshot.ports[at] = Some(PortInfo::random(|| numbers.next()));
        }
        if numbers.below(9) == 0 {
            snapshot.vendor_ports.insert(port, MlnxExtPortInfo(numbers.block()));
        }
        for block in 0..numbers.below(5) as u16 {
            let bytes = numbers.block();
            snapshot.tables.learn(Table::VlArb(port), block, &bytes);
            let (bytes, at) = (numbers.block(), numbers.below(6) as u16);
            snapshot.tables.learn(Table::PKeys(port), at, &bytes);
        }
        for ingress in 0..numbers.below(8) as u16 {
            let bytes = numbers.block();
            snapshot.tables.learn(Table::Sl2vl(port), ingress, &bytes);
        }
    }
    for at in 0..snapshot.switches.len() {
        let switch = SwitchId(at as u32);
        if numbers.below(4) > 0 {
            snapshot.switches[at] = Some(SwitchInfo::random(|| numbers.next()));
        }
        for _ in 0..numbers.below(6) {
            let (block, bytes) = (numbers.below(768) as u16, numbers.block());
            snapshot.tables.learn(Table::Lft(switch), block, &bytes);
            let (block, bytes) = (numbers.below(8192) as u16, numbers.block());
            snapshot.tables.learn(Table::Mft(switch), block, &bytes);
        }
    }
    let port = |numbers: &mut Numbers| PortId(numbers.below(ports) as u32);
    for _ in 0..numbers.below(3) {
        let at = port(&mut numbers);
        snapshot.managers.push((at, SmInfo::random(|| numbers.next())));
        let why = [Why::NoAnswer, Why::Unusable, Why::Status(0x1c)][numbers.below(3) as usize];
        let behind = port(&mut numbers);
        snapshot.duplicates.push(Duplicate { guid: Guid(numbers.next()), behind });
        let at = port(&mut numbers);
        let modifier = numbers.next() as u32;
        snapshot.unread.push(Unread { port: at, attribute: attr::VLARB, modifier, why });
    }
    snapshot.read_at = (numbers.below(2) == 0).then(|| port(&mut numbers));
    snapshot.anonymous = numbers.below(2) == 0;
    snapshot.partition_cap.iter_mut().for_each(|cap| *cap = numbers.below(3) as u16 * 64);
    snapshot
}

fn source(text: &str) -> SourceFile {
    SourceFile::new("f.snapshot", text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_comes_back(seed in any::<u64>()) {
        let snapshot = random(seed);
        let text = write(&snapshot);
        let (back, found) = read(&source(&text));
        prop_assert!(found.is_empty(), "{:?}\n{}", found, text);
        prop_assert!(back.as_ref() == Some(&snapshot), "{text}");
        prop_assert_eq!(write(&snapshot), text, "the same snapshot, the same bytes");
    }

    #[test]
    fn a_file_cut_anywhere_is_refused(seed in any::<u64>(), at in 0.0..1.0_f64) {
        let text = write(&random(seed));
        // Only the last newline may be missing.
        let cut = (at * (text.len() - 1) as f64) as usize;
        let (back, found) = read(&SourceFile::new("f", &text.as_bytes()[..cut]));
        prop_assert!(back.is_none() && found.has_errors());
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        crate::fuzzing::snapshot(&bytes);
        let mut with_head = b"lanekeeper-snapshot 1\n".to_vec();
        with_head.extend(bytes);
        crate::fuzzing::snapshot(&with_head);
    }

    #[test]
    fn mangled_snapshots_are_read_without_a_panic(
        seed in any::<u64>(),
        edits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = write(&random(seed)).into_bytes();
        for (at, byte) in edits {
            let at = at % bytes.len();
            // A digit for a digit keeps most lines legal.
            bytes[at] = if bytes[at].is_ascii_digit() { b'0' + byte % 10 } else { byte };
        }
        crate::fuzzing::snapshot(&bytes);
    }
}

/// Two adapters on a switch, and what a manager gave them.
const SMALL: &str = r#"lanekeeper-snapshot 1
# words for people
read-at 0x0000000000000010/1
sl2vl 0 0123456701234567 # eight lanes
vlarb 0 00x64
pkeys 0 80x64
switch 0x0000000000000001 "edge # 1" ports 2 # a comment
port 0 lid 3 pkeys 0
port 1 link 0x0000000000000010/1 rate 2,4,0 sl2vl 0 vlarb 0,-,0
port 2 link 0x0000000000000020/1 sl2vl 0:0,2:0
lft 0 ffx64
ca 0x0000000000000010 "host one" ports 1 partition-cap 32
port 1 guid 0x0000000000000011 lid 1 link 0x0000000000000001/1
ca 0x0000000000000020 "host two" ports 1
port 1 guid 0x0000000000000021 lid 2
unread 0x0000000000000020/1 0x0015 0x00000001 no-answer
end nodes 3 ports 5 lines 16
"#;

#[test]
fn lines_mean_what_the_documents_say() {
    let (snapshot, found) = read(&source(SMALL));
    let snapshot = snapshot.unwrap_or_else(|| panic!("{found:?}"));
    let fabric = &snapshot.fabric;
    let switch = fabric.node_by_guid(Guid(1)).unwrap();
    assert_eq!(fabric.node(switch).description, "edge # 1");
    let port = |n: u32| PortId(fabric.node(switch).first.0 + n);
    assert_eq!(fabric.port_name(fabric.peer(port(2)).unwrap()), "host two/1");
    assert_eq!(fabric.port(port(0)).lid, Lid(3));
    assert_eq!(snapshot.sl2vl(port(1), 2).map(|t| t.0[1]), Some(0x23));
    assert_eq!(snapshot.sl2vl(port(2), 1), None, "it was not read");
    assert!(snapshot.sl2vl(port(2), 2).is_some());
    let known = snapshot.tables.vlarb_blocks(port(1)).map(|block| block.is_some());
    assert_eq!(known, [true, false, true, false]);
    assert_eq!(snapshot.partition_cap.iter().sum::<u16>(), 32);
    assert_eq!(snapshot.read_at.map(|p| fabric.port_name(p)).as_deref(), Some("host one/1"));
    let unread = snapshot.unread[0];
    assert_eq!((unread.what().as_str(), unread.why), ("PortInfo", Why::NoAnswer));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases = [
        ("lanekeeper-snapshot 1", "# Topology file", codes::NO_SNAPSHOT, 0),
        ("lanekeeper-snapshot 1", "lanekeeper-snapshot 2", codes::VERSION, 0),
        ("vlarb 0 00x64", "vlarb 0 00", codes::BAD_LINE, 5),
        ("vlarb 0 00x64", "vlarb 1 00x64", codes::BAD_LINE, 5),
        ("lid 3 pkeys 0", "lid 3 pkeys 9", codes::CONTRADICTION, 8),
        ("lid 3 pkeys 0", "lid 3 pkeys", codes::BAD_LINE, 8),
        ("lid 3 pkeys 0", "lid 3 keys 0", codes::BAD_LINE, 8),
        ("port 2 link", "port 3 link", codes::CONTRADICTION, 10),
        ("port 2 link 0x0000000000000020/1", "port 2 link 0x21/1", codes::CONTRADICTION, 10),
        ("sl2vl 0:0,2:0", "sl2vl 0:0,3:0", codes::CONTRADICTION, 10),
        ("ca 0x0000000000000020 \"host two\"", "ca 0x10 \"x\"", codes::CONTRADICTION, 14),
        ("\"host two\"", "\"host two", codes::BAD_LINE, 14),
        ("lft 0", "lft 768", codes::BAD_LINE, 11),
        ("end nodes 3", "end nodes 4", codes::CUT_SHORT, 17),
        ("end nodes 3 ports 5 lines 16\n", "", codes::CUT_SHORT, 16),
        ("lines 16\n", "lines 16\nanonymous\n", codes::BAD_LINE, 18),
    ];
    for (from, to, code, line) in cases {
        assert!(SMALL.contains(from), "{from}");
        let (snapshot, found) = read(&source(&SMALL.replacen(from, to, 1)));
        assert!(snapshot.is_none(), "{to}");
        let first = &found.as_slice()[0];
        let place = first.primary().map_or(0, |label| label.position().line);
        assert_eq!((first.code, place), (code, line), "{to}: {first:?}");
    }
}

#[test]
fn equal_tables_stand_in_the_file_once() {
    let mut snapshot = random(7);
    for at in 0..snapshot.ports.len() as u32 {
        (1..5).for_each(|block| snapshot.tables.learn(Table::VlArb(PortId(at)), block, &[3; 64]));
    }
    let text = write(&snapshot);
    assert_eq!(text.lines().filter(|line| line.starts_with("vlarb ")).count(), 1);
}
