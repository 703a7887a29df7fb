//! What is written is read again as it was, and no input makes a reader fall over.

#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![allow(clippy::unwrap_used, reason = "what a test sets up may fail as the test does")]

mod field;

use lk_diag::SourceFile;
use lk_fabric::text::{write_ibnetdiscover, write_ibsim};
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, FabricBuilder, Form, LinkRate, NodeKind, NodeSpec, read_fabric};
use lk_wire::{Guid, Lid};
use proptest::prelude::*;

/// A node as numbers: kind, ports, name, vendor, device, whether the system GUID is known.
type NodeSeed = (u8, u8, String, u32, u16, bool, u8);

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 _.;:/-]{0,20}[a-zA-Z0-9]",
        "[ -~]{0,30}[!-~]",
        "\\PC{1,12}[a-z]",
        Just("same name".to_owned()),
    ]
}

fn rate() -> impl Strategy<Value = LinkRate> {
    let width = prop::sample::select(vec!["1x", "4x", "8x", "12x", "2x", "??"]);
    let speed = prop::sample::select(vec![
        "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR", "???",
    ]);
    (width, speed).prop_map(|(w, s)| LinkRate::parse(&format!("{w}{s}")).unwrap())
}

fn fabric() -> impl Strategy<Value = Fabric> {
    let node = (0_u8..3, 1_u8..40, name(), 0_u32..1 << 24, any::<u16>(), any::<bool>(), 0_u8..8);
    let cable = (any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>(), rate(), rate());
    (prop::collection::vec(node, 1..12), prop::collection::vec(cable, 0..40))
        .prop_map(|(nodes, cables)| build(&nodes, &cables))
}

fn build(nodes: &[NodeSeed], cables: &[(u16, u16, u16, u16, LinkRate, LinkRate)]) -> Fabric {
    let mut b = FabricBuilder::new();
    let mut added = Vec::new();
    for (i, (kind, ports, name, vendor, device, system, lmc)) in nodes.iter().enumerate() {
        let kind = [NodeKind::Ca, NodeKind::Switch, NodeKind::Router][usize::from(*kind)];
        // GUIDs with the high bits set, so that no short form of them will do.
        let guid = Guid(0x8000_0001_0000_0000 + 0x1000 * i as u64);
        let node = b
            .add_node(NodeSpec {
                system_guid: if *system { Guid(guid.0 + 3) } else { Guid(0) },
                vendor_id: *vendor,
                device_id: *device,
                enhanced_port0: kind == NodeKind::Switch && *system,
                ..NodeSpec::new(guid, kind, name.trim_end(), *ports)
            })
            .unwrap();
        if kind == NodeKind::Switch {
            let port_guid = Guid(guid.0 + u64::from(*lmc));
            let lid = Lid(i as u16 * 256 + 1);
            b.set_port(node, 0, port_guid, lid, *lmc).unwrap();
            for port in 1..=*ports {
                b.set_port(node, port, port_guid, Lid(0), 0).unwrap();
            }
        }
        added.push((node, kind, *ports, guid, *lmc));
    }
    for (x, xp, y, yp, near, far) in cables {
        let [(a, ap), (c, cp)] = [(x, xp), (y, yp)].map(|(n, p)| {
            let n = added[usize::from(*n) % added.len()];
            (n, (p % u16::from(n.2)) as u8 + 1)
        });
        if (a.0, ap) == (c.0, cp) || b.connect((a.0, ap), (c.0, cp)).is_err() {
            continue;
        }
        // An end that says nothing would be given the other's rate.
        let both = !near.is_unknown() && !far.is_unknown();
        for ((node, kind, _, guid, lmc), port, rate) in [(a, ap, near), (c, cp, far)] {
            b.set_rate(node, port, if both { *rate } else { LinkRate::default() }).unwrap();
            if kind != NodeKind::Switch {
                let lid = Lid(0x4000 + u16::from(port) * 128 + (guid.0 >> 12 & 0x7f) as u16);
                b.set_port(node, port, Guid(guid.0 + 16 + u64::from(port)), lid, lmc).unwrap();
            }
        }
    }
    b.build()
}

fn written(fabric: &Fabric, form: Form) -> String {
    let mut text = String::new();
    match form {
        Form::Ibnetdiscover => write_ibnetdiscover(&mut text, fabric, None).unwrap(),
        Form::Ibsim => write_ibsim(&mut text, fabric).unwrap(),
        Form::Ibdm | Form::DbCsv => unreachable!("these are only read"),
    }
    text
}

fn read(text: &str) -> Fabric {
    let (file, findings) = read_fabric(&SourceFile::new("written", text));
    file.unwrap_or_else(|| panic!("{findings:?}\n{text}")).fabric
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_forms_are_read_back(fabric in fabric()) {
        for form in [Form::Ibnetdiscover, Form::Ibsim] {
            let text = written(&fabric, form);
            prop_assert_eq!(&read(&text), &fabric, "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_fabric(&SourceFile::new("bytes", bytes));
    }

    #[test]
    fn pieces_of_the_grammar_in_any_order_are_read_to_the_end(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60)
    ) {
        let _ = read_fabric(&SourceFile::new("pieces", pieces.concat()));
    }

    #[test]
    fn a_damaged_file_is_read_to_the_end(
        fabric in fabric(),
        ibsim in any::<bool>(),
        damage in prop::collection::vec((any::<u32>(), any::<u8>(), 0_u8..4), 1..12),
    ) {
        let form = if ibsim { Form::Ibsim } else { Form::Ibnetdiscover };
        let mut bytes = written(&fabric, form).into_bytes();
        for (at, byte, how) in damage {
            let at = at as usize % bytes.len().max(1);
            match how {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                2 => drop(bytes.splice(at..(at + 9).min(bytes.len()), [])),
                _ => if let Some(b) = bytes.get_mut(at) { *b = byte },
            }
        }
        let _ = read_fabric(&SourceFile::new("damaged", bytes));
    }
}

const PIECES: &[&str] = &[
    "Switch\t8 \"a\"\n",
    "Hca 2 \"b\"\n",
    "Rt 2 \"R-0000000000000001\"",
    "Ca",
    " 255 ",
    "\n",
    "\n\n",
    "[1] \"b\"[1]\n",
    "[1] \"a\"[1]\n",
    "[2](1f) \"a\"[8] w=1\n",
    "@[3] \"p\"\n",
    "[4] \"@p\"\n",
    "do link \"a\"[5] \"b\"[2]\n",
    "do unlink \"a\"\n",
    "do relink \"a\"[5]\n",
    "do guid \"a\" 7\n",
    "do clear \"b\"[2]\n",
    "do baselid \"b\"[2] 9 3\n",
    "module=\"m\"\n",
    "include \"x\"\n",
    "switchguid=0x10(10)\n",
    "switchguid+3\n",
    "hcaguids=5\n",
    "width=1\n",
    "speed=9\n",
    "vendid=",
    "devid=0xfffff\n",
    "sysimgguid=0\n",
    "# \"n\" lid 70000 lmc 9 4xQDR\n",
    "\"",
    "[",
    "]",
    "=",
    "é",
    "\0",
    "\r\n",
    "do",
    "S-0000000000000001",
    "[1]",
    "lid",
    "w=",
    "Chassis 1\n",
];

#[test]
fn damaged_field_files_are_read_to_the_end() {
    let Some(folder) = field::folder("cases/topo") else { return };
    for name in ["t05-odd1.ibnetdiscover", "t05-odd3.ibnetdiscover", "t18-ibsim-net"] {
        let whole = std::fs::read(folder.join(name)).unwrap();
        for cut in 0..whole.len() {
            let _ = read_fabric(&SourceFile::new(name, &whole[..cut]));
            let mut odd = whole.clone();
            odd[cut] = b"\"[]#=\n\xff9"[cut % 8];
            let _ = read_fabric(&SourceFile::new(name, odd));
        }
    }
}

#[test]
fn a_generated_fabric_is_read_back_without_a_finding() {
    let spec = TopoSpec::new(Shape::FatTree(FatTree::new(16, 3)));
    let fabric = generate(&spec).unwrap().fabric;
    for form in [Form::Ibnetdiscover, Form::Ibsim] {
        let (file, findings) = read_fabric(&SourceFile::new("tree", written(&fabric, form)));
        let file = file.unwrap();
        assert_eq!(file.form, form);
        assert!(findings.is_empty(), "{findings:?}");
        // Revisions have no place in either form.
        assert_eq!(file.fabric.nodes().len(), fabric.nodes().len());
        assert_eq!(file.fabric.ports(), fabric.ports());
    }
}
