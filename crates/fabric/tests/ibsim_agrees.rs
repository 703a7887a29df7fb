//! ibsim itself and this crate make the same of the same net file.

#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![allow(clippy::unwrap_used, reason = "what a test sets up may fail as the test does")]

mod field;
mod ibsim;

use std::path::Path;

use lk_diag::SourceFile;
use lk_fabric::text::{Files, read_fabric_with, write_ibnetdiscover, write_ibsim};
use lk_fabric::topo::{FatTree, HyperX, RandomRegular, Shape, TopoSpec, Torus, generate};
use lk_fabric::{Fabric, LinkRate, NodeKind};

/// The files in a folder.
struct Beside<'a>(&'a Path);

impl Files for Beside<'_> {
    fn include(&mut self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(name)).map_err(|e| e.to_string())
    }

    fn systems(&mut self) -> Vec<SourceFile> {
        Vec::new()
    }
}

fn read(file: &Path) -> (Fabric, bool) {
    let source = SourceFile::new(file.display().to_string(), std::fs::read(file).unwrap());
    let folder = file.parent().unwrap();
    let (read, findings) = read_fabric_with(&source, &mut Beside(folder));
    (read.unwrap_or_else(|| panic!("{findings:?}")).fabric, findings.has_errors())
}

/// Holds a fabric against what ibsim shows of the same file.
fn compare(fabric: &Fabric, seen: &std::collections::BTreeMap<String, ibsim::SeenNode>) {
    assert_eq!(fabric.nodes().len(), seen.len());
    for (id, node) in seen {
        let here = fabric.node_by_guid(node.guid.into());
        let here = here.unwrap_or_else(|| panic!("ibsim's {id} with {:#x}", node.guid));
        let ours = fabric.node(here);
        let kind = match ours.kind {
            NodeKind::Switch => "Switch",
            NodeKind::Ca => "Ca",
            NodeKind::Router => "Router",
        };
        assert_eq!((kind, ours.num_ports), (node.kind.as_str(), node.num_ports), "{id}");
        for (number, port) in &node.ports {
            let at = fabric.port_at(here, (*number).into()).unwrap();
            let ours = fabric.port(at);
            if *number == 0 || (node.kind != "Switch" && ours.peer.is_some()) {
                assert_eq!(port.lid, Some((ours.lid.0, ours.lmc)), "{id} {number}");
                assert_eq!(port.guid, ours.guid.0, "{id} {number}");
            }
            if *number == 0 {
                continue;
            }
            let far = fabric
                .peer(at)
                .map(|p| (fabric.node(fabric.owner(p)).guid.0, fabric.port_num(p).0));
            let theirs = port.far.as_ref().map(|(id, n)| (seen[id].guid, *n));
            assert_eq!(far, theirs, "{id} {number}");
            if far.is_some() && !ours.rate.is_unknown() && ours.rate.speed_ext == 0 {
                let gigabits = match ours.rate.speed {
                    2 => "5.0G",
                    4 => "10.0G",
                    _ => "2.5G",
                };
                let lanes = if ours.rate.width == 0 { 4 } else { ours.rate.lanes() };
                assert_eq!(port.rate, format!("{lanes}x {gigabits}"), "{id} {number}");
            }
        }
    }
}

fn agrees(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net");
    std::fs::write(&file, text).unwrap();
    std::fs::write(folder.path().join("part.net"), PART).unwrap();
    let (fabric, errors) = read(&file);
    match ibsim::dump(&file) {
        Ok(seen) => {
            assert!(!errors, "ibsim takes it and we report an error:\n{text}");
            compare(&fabric, &seen);
        }
        Err(said) => assert!(errors, "ibsim refuses it and we do not:\n{text}\n{said}"),
    }
}

const PART: &str = "module=\"part\"\nSwitch 4 \"s\"\n[1] \"h\"[1]\n\nHca 1 \"h\"\n[1] \"s\"[1]\n\n";

#[test]
fn on_each_part_of_the_grammar() {
    for text in [
        // Default GUIDs, counted on; comments; a missing far port.
        "# x\nSwitch\t8 \"a\"\n[1]\t\"h\"[1]\n# y\n[2]\t\"i\"\n\nHca 2 \"h\"\n[1] \"a\"[1]\n\nCa 1 \"i\"\n[1] \"a\"[2]\n",
        // Absolute and relative GUIDs, decimal and hexadecimal.
        "switchguid=0x5000\nSwitch 2 \"a\"\n[1] \"b\"[1]\n\nSwitch 2 \"b\"\n[1] \"a\"[1]\n\n\
         switchguids+16\nSwitch 2 \"c\"\n\nhcaguids=4096\nHca 2 \"h\"\n\nrtguid=0x90\nRt 2 \"r\"\n",
        // Descriptions with and without quotes, port 0, LIDs.
        "Switch 8 \"a\" # \"the first\" enhanced port 0 lid 3 lmc 2\n[1] \"b\"[1]\n[2] \"h\"[1] # \"h\" lid 9 4xQDR\n\n\
         Switch 8 \"b\" # the second base port 0 lid 7 lmc 0\n[1] \"a\"[1]\n\n\
         Hca 2 \"h\"\n[1] \"a\"[2] # lid 9 lmc 1 \"a\" lid 3 4xQDR\n",
        // Modifiers: masks of both ends meet.
        "Switch 8 \"a\"\n[1] \"b\"[1] w=3 s=7\n[2] \"b\"[2] w=1\n[3] \"b\"[3] w=8 s=6\n[4] \"b\"[4] s=2\n\n\
         Switch 8 \"b\"\n[1] \"a\"[1] w=11 s=3\n[2] \"a\"[2] w=15\n\
         [3] \"a\"[3] w=8 s=4\n[4] \"a\"[4] s=7\n",
        "width=1\nspeed=7\nSwitch 8 \"a\"\n[1] \"b\"[1]\n\nSwitch 8 \"b\"\n[1] \"a\"[1] s=3\n",
        // No common width; out of range.
        "Switch 8 \"a\"\n[1] \"b\"[1] w=4\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n",
        "Switch 8 \"a\"\n[1] \"b\"[1] w=32\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n",
        // A blank before the far port's bracket means port 1.
        "Switch 8 \"a\"\n[1] \"b\" [1]\n\nSwitch 8 \"b\"\n[1] \"a\" [1]\n",
        "Switch 8 \"a\"\n[2] \"b\" [2]\n\nSwitch 8 \"b\"\n[2] \"a\" [2]\n",
        "Switch 8 \"a\"\n[2] \"b\" [2]\n\nSwitch 8 \"b\"\n[1] \"a\"[2]\n",
        // Modules, an included file, names of other modules.
        "include \"part.net\"\nmodule=\"top\"\nSwitch 4 \"s\"\n[1] \"part#s\"[2]\n",
        "module=\"top\"\nSwitch 4 \"s\"\n\ninclude \"part.net\"\nmodule=\"top\"\nSwitch 4 \"t\"\n[1] \"u\"[1]\n\n\
         Switch 4 \"u\"\n[1] \"t\"[1]\n",
        "include \"none.net\"\nSwitch 4 \"s\"\n",
        // Aliases.
        "Switch 8 \"a\"\n@[3] \"plug\"\n\nSwitch 8 \"b\"\n[1] \"@plug\"\n",
        "Switch 8 \"a\"\n[3] \"b\"[2]\n@[4] \"plug\"\n\nSwitch 8 \"b\"\n[1] \"@other\"\n[2] \"a\"[3]\n",
        // Commands.
        "Switch 8 \"a\"\n[1] \"b\"[1]\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n\ndo link \"a\"[5] \"b\"[6]\n\
         do Link \"a\"[7] \"b\"[7]\ndo unlink \"a\"[7]\n",
        "Switch 8 \"a\"\n[1] \"b\"[1]\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n\ndo unlink \"a\"[1]\n",
        "Switch 8 \"a\"\n\nSwitch 8 \"b\"\n\ndo link \"a\"[5] \"b\"[6]\ndo link \"a\"[5] \"b\"[7]\n",
        "Switch 8 \"a\"\n\nSwitch 8 \"b\"\n\ndo LINK \"a\"[5] \"b\"[6]\ndo unlink \"b\"\ndo relink \"a\"[5]\n",
        "Switch 8 \"a\"\n[1] \"h\"[1]\n\nHca 2 \"h\"\n[1] \"a\"[1]\n\ndo baselid \"h\"[1] 9 1\n\
         do baselid \"a\"[0] 0x11\ndo guid \"h\"[1] 0x123\ndo guid \"h\" 0x456\n\
         do guid \"a\" 0x777\ndo verbose 0\n",
        "Switch 8 \"a\"\n\ndo link \"a\"[1] \"nobody\"[1]\n",
        // What ibsim refuses.
        "Switch 8 \"a\"\n[9] \"b\"[1]\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n",
        "Switch 8 \"a\"\n[1] \"b\"[9]\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n",
        "Switch 8 \"a\"\n[1] \"b\"[3]\n\nSwitch 8 \"b\"\n[3] \"a\"[4]\n",
        "Switch 8 \"a\"\n[1] \"nobody\"[1]\n",
        "Switch 8 \"a\"\n\nSwitch 8 \"a\"\n",
        "switchguid=0x10\nSwitch 8 \"a\"\n\nswitchguid=0x10\nSwitch 8 \"b\"\n",
        "Switch 8 \"a\"\n[x] \"b\"[1]\n",
        "Switch 8 \"c\"\n\nSwitch 8 \"a@b\"\n",
        // Lines that ibsim skips.
        "vendid=0x2c9\ndevid=5\nhello\n\n [1] \"a\"[1]\nSwitch 8 \"a\"\n",
    ] {
        agrees(text);
    }
}

#[test]
fn on_the_field_files() {
    let Some(folder) = field::folder("cases/topo") else { return };
    for name in [
        "t04-kary-4-3-80sw-128ca.ibnetdiscover",
        "t05-odd2.ibnetdiscover",
        "t18-ibsim-net",
        "t18-ibsim-net.1",
        "t18-ibsim-net.2sw2path",
        "t18-ibsim-net.2sw2path4hca",
        "t18-ibsim-net.2sw2path4hca2port",
        "t20-torus-4x5-generated.ibsim.net",
    ] {
        let file = folder.join(name);
        let (fabric, _) = read(&file);
        compare(&fabric, &ibsim::dump(&file).unwrap_or_else(|e| panic!("{name}: {e}")));
    }
}

fn samples() -> Vec<Fabric> {
    let rate = |text| LinkRate::parse(text).unwrap();
    let random = RandomRegular { switches: 20, degree: 5, hosts: 2, seed: 3, radix: None };
    [
        (Shape::FatTree(FatTree::new(6, 3)), rate("4xQDR")),
        (Shape::Torus(Torus::new(&[3, 4])), rate("1xDDR")),
        (Shape::HyperX(HyperX::new(&[3, 3], 2)), rate("12xSDR")),
        (Shape::Random(random), LinkRate::HDR_4X),
    ]
    .into_iter()
    .map(|(shape, rate)| generate(&TopoSpec { rate, ..TopoSpec::new(shape) }).unwrap().fabric)
    .collect()
}

#[test]
fn on_what_we_write() {
    for fabric in samples() {
        let folder = tempfile::tempdir().unwrap();
        for ibsim_form in [true, false] {
            let mut text = String::new();
            if ibsim_form {
                write_ibsim(&mut text, &fabric).unwrap();
            } else {
                write_ibnetdiscover(&mut text, &fabric, None).unwrap();
            }
            let file = folder.path().join("net");
            std::fs::write(&file, &text).unwrap();
            let seen = ibsim::dump(&file).unwrap_or_else(|e| panic!("{e}\n{text}"));
            compare(&fabric, &seen);
        }
    }
}

#[test]
fn what_ibnetdiscover_prints_of_it_is_the_same_fabric() {
    for fabric in samples() {
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::new();
        write_ibsim(&mut text, &fabric).unwrap();
        let net = folder.path().join("net");
        std::fs::write(&net, &text).unwrap();
        let server = ibsim::Server::start(&net);
        for arguments in [&[][..], &["-f"], &["-g"]] {
            let printed = server.run("ibnetdiscover", arguments);
            let printed_file = folder.path().join("printed");
            std::fs::write(&printed_file, &printed).unwrap();
            let (seen, errors) = read(&printed_file);
            assert!(!errors, "{printed}");
            // ibsim makes up revisions, and base port 0s are not told apart here.
            let plain = |f: &Fabric| -> Vec<_> {
                let of = |n: &lk_fabric::Node| {
                    (
                        n.guid,
                        n.system_guid,
                        n.description.clone(),
                        n.num_ports,
                        n.vendor_id,
                        n.device_id,
                    )
                };
                f.nodes().iter().map(of).collect()
            };
            assert_eq!(plain(&seen), plain(&fabric));
            assert_eq!(seen.ports(), fabric.ports());
        }
    }
}
