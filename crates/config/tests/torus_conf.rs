//! torus-2QoS.conf: what the field's files say, what each fault is told, and that any text is read.

use lk_config::torus_conf::{TorusConf, parse, write};
use lk_diag::{Diagnostics, Severity, SourceFile};
use lk_wire::Guid;
use proptest::prelude::*;

const MANUAL: &str = "\
# Look for a 2D (since x radix is one) 4x5 torus.
torus 1 4 5

yp_link 0x200000 0x200005
ym_link 0x200000 0x20000f
zp_link 0x200000 0x200001

next_seed
yp_link 0x20000b 0x200010
ym_link 0x20000b 0x200006
zp_link 0x20000b 0x20000c
y_dateline -2
z_dateline -1
";

fn read(text: &str) -> (TorusConf, Diagnostics) {
    parse(&SourceFile::new("torus-2QoS.conf", text))
}

/// Codes with lines, in the order of the report.
fn found(text: &str) -> Vec<(&'static str, usize)> {
    let (_, found) = read(text);
    found
        .iter()
        .map(|d| (d.code.id, d.primary().expect("it has a place").position().line))
        .collect()
}

#[test]
fn the_manuals_example() {
    let (conf, found) = read(MANUAL);
    assert!(found.is_empty() && !conf.refused, "{found:?}");
    let shape = conf.shape.unwrap();
    assert_eq!((shape.value.radix, shape.value.open), ([1, 4, 5], [false; 3]));
    assert_eq!(conf.seeds.len(), 2);
    assert_eq!(conf.seeds[1].dateline(), [0, -2, -1]);
    let zp = conf.seeds[0].links[4].unwrap();
    assert_eq!((zp.value.from, zp.value.to), (Guid(0x20_0000), Guid(0x20_0001)));
    assert_eq!(&MANUAL[zp.place.range()], "zp_link 0x200000 0x200001");
    assert_eq!((conf.group_ports(), conf.changes()), (16, 32));
}

#[test]
fn what_is_not_used_is_told() {
    let seed = "xp_link 1 2\nyp_link 1 3\n";
    assert_eq!(found(&format!("torus 6 5 1\n{seed}")), []);
    let unused = "CF051";
    assert_eq!(found(&format!("torus 6 5 1\n{seed}zp_link 1 9\n")), [(unused, 4)]);
    assert_eq!(found(&format!("torus 6 5 1\n{seed}next_seed\n\n")), [(unused, 4)]);
    assert_eq!(found(&format!("torus 6 5 1\nnext_seed\n{seed}")), []);
    assert_eq!(found(&format!("torus 6 5 1\n{seed}next_seed\nx_dateline -1\n")), [(unused, 5)]);
}

#[test]
fn dos_line_ends_change_nothing() {
    let (unix, _) = read(MANUAL);
    let (dos, found) = read(&MANUAL.replace('\n', "\r\n"));
    assert_eq!(unix, dos);
    assert!(found.is_empty());
}

#[test]
fn both_spellings_of_a_half_open_torus_are_the_same() {
    let seed = "\nxp_link 1 2\nyp_link 1 3\nym_link 1 5\nzp_link 1 4\n";
    let (mesh, _) = read(&format!("mesh 3T 4 5{seed}"));
    let (torus, found) = read(&format!("torus 3 4M 5m{seed}"));
    assert_eq!(mesh, torus);
    assert!(found.is_empty());
    assert_eq!(mesh.shape.unwrap().value.open, [false, true, true]);
}

#[test]
fn each_fault_has_its_line() {
    let seed = "xp_link 1 2\nyp_link 1 3\n";
    let ok = |more: &str| format!("torus 6 5 1\n{seed}{more}");
    for (text, expected) in [
        (ok("wibble 3\n"), vec![("CF050", 4)]),
        (ok("torus 5 6 1\n"), vec![("CF013", 4)]),
        (ok("x_dateline 6\n"), vec![("CF050", 4)]),
        (ok("x_dateline -6\n"), vec![("CF050", 4)]),
        (ok("x_dateline -5\n"), vec![]),
        (ok("x_dateline\n"), vec![("CF050", 4)]),
        (ok("x_dateline two\n"), vec![("CF050", 4)]),
        (ok("xp_link 1 2 three # four\n"), vec![("CF051", 4), ("CF013", 4)]),
        (ok("xp_link 1\n"), vec![("CF050", 4)]),
        (ok("portgroup_max_ports -1\n"), vec![("CF050", 4)]),
        (ok("portgroup_max_ports 020\nportgroup_max_ports 9\n"), vec![("CF007", 4), ("CF013", 5)]),
        (ok("port_order 3 1 3 2\n"), vec![("CF051", 4)]),
        (ok("port_order 3 # spread\n"), vec![("CF007", 4)]),
        (ok("max_changes 5x\n"), vec![("CF007", 4)]),
        (ok("next_seed\n\nx_dateline 1\n"), vec![("CF051", 6)]),
        (ok("next_seed\nxp_link 2 7\nyp_link 2 8\n"), vec![("CF052", 5)]),
        (format!("x_dateline 1\ntorus 6 5 1\n{seed}"), vec![("CF050", 1)]),
        (format!("torus 6 five 1\n{seed}"), vec![("CF050", 1), ("CF050", 1)]),
        (format!("torus 6 0 1\n{seed}"), vec![("CF050", 1)]),
        ("torus 6 5\n".to_owned(), vec![("CF050", 1)]),
        (String::new(), vec![("CF050", 1)]),
        ("torus 6 5 1\n".to_owned(), vec![("CF050", 1)]),
        ("torus 6 5 1\nxp_link 1 2\n".to_owned(), vec![("CF050", 2)]),
        ("torus 6 4 1\nxp_link 1 2\nyp_link 1 3\n".to_owned(), vec![("CF050", 2)]),
        ("mesh 6 4 1\nxp_link 1 2\nyp_link 1 3\n".to_owned(), vec![]),
        ("torus 6 5 1\nxp_link 1 2\nyp_link 9 3\n".to_owned(), vec![("CF050", 3)]),
    ] {
        assert_eq!(found(&text), expected, "{text}");
    }
}

#[test]
fn what_opensm_refuses_is_refused() {
    let (conf, found) = read("torus 6 5 1\nxp_link 1 2\nyp_link 1 3\nxplink 1 2\n");
    assert!(conf.refused);
    let fault = found.iter().next().unwrap();
    assert_eq!(fault.severity, Severity::Error);
    assert!(format!("{fault:?}").contains("did you mean `xp_link`"), "{fault:?}");
    let (twice, _) = read("torus 6 5 1\nxp_link 1 2\nyp_link 1 3\nmesh 3 3 3\n");
    assert!(!twice.refused);
    assert_eq!(twice.shape.unwrap().value.radix, [6, 5, 1]);
}

fn any_line() -> impl Strategy<Value = String> {
    let keyword = prop::sample::select(vec![
        "torus",
        "mesh",
        "xp_link",
        "xm_link",
        "yp_link",
        "ym_link",
        "zp_link",
        "zm_link",
        "x_dateline",
        "y_dateline",
        "z_dateline",
        "next_seed",
        "portgroup_max_ports",
        "port_order",
        "max_changes",
        "#",
    ]);
    let argument = prop_oneof![
        6 => (-9_i64..9).prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| format!("{n:#x}")),
        1 => "[0-9a-z#é]{1,6}[mMtT]?",
    ];
    (keyword, prop::collection::vec(argument, 0..5))
        .prop_map(|(keyword, arguments)| format!("{keyword} {}", arguments.join("\t")))
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(lines in prop::collection::vec(any_line(), 0..12)) {
        let (conf, _) = read(&lines.join("\n"));
        if !conf.refused {
            let (again, found) = read(&write(&conf));
            prop_assert_eq!(again, conf);
            prop_assert!(!found.has_errors());
        }
    }

    #[test]
    fn seeds_and_limits_are_read_back(
        radix in prop::array::uniform3(2_u32..9),
        open in prop::array::uniform3(any::<bool>()),
        at in prop::array::uniform3(-1_i32..=1),
        ports in prop::collection::vec(0_u32..300, 0..6),
        limit in any::<u32>(),
    ) {
        let word = |(r, open): (&u32, bool)| format!("{r}{}", if open { "M" } else { "t" });
        let shape: Vec<String> = radix.iter().zip(open).map(word).collect();
        let ports: Vec<String> = ports.iter().map(u32::to_string).collect();
        let text = format!(
            "mesh {}\nxp_link 1 2\nxm_link 1 3\nyp_link 1 4\nym_link 1 5\nzp_link 1 6\nzm_link 1 7\n\
             x_dateline {}\ny_dateline {}\nz_dateline {}\nport_order {}\nmax_changes {limit}\n",
            shape.join(" "), at[0], at[1], at[2], ports.join(" ")
        );
        let (conf, _) = read(&text);
        prop_assert!(!conf.refused);
        prop_assert_eq!(conf.shape.unwrap().value.open, open);
        prop_assert_eq!(read(&write(&conf)).0, conf);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let source = SourceFile::new("f", bytes);
        let (conf, found) = parse(&source);
        prop_assert_eq!(conf.refused, found.has_errors());
    }
}
