//! prefix-routes.conf: what its lines mean, and that any text is read.

use lk_config::prefix_routes::{PrefixRoutes, parse, write};
use lk_diag::SourceFile;
use lk_wire::Guid;
use proptest::prelude::*;

fn read(text: &str) -> (PrefixRoutes, Vec<(&'static str, usize)>) {
    let (routes, found) = parse(&SourceFile::new("prefix-routes.conf", text));
    let line = |d: &lk_diag::Diagnostic| d.primary().expect("it has a place").position().line;
    (routes, found.iter().map(|d| (d.code.id, line(d))).collect())
}

#[test]
fn the_first_line_that_fits_counts() {
    let (routes, found) = read(
        "# prefix router\nfec0000000000006 0x0002c90300a1b2c3\r\n0xfec0000000000001 *\n* 11#any\n\
         fe80000000000007 0x5  # never\n",
    );
    let router = |prefix: u64| routes.find(prefix).and_then(|r| r.value.router);
    assert_eq!(router(0xfec0_0000_0000_0006), Some(Guid(0x0002_c903_00a1_b2c3)));
    assert_eq!(router(0xfec0_0000_0000_0001), None);
    assert!(routes.find(0xfec0_0000_0000_0001).is_some());
    assert_eq!(router(0xfe80_0000_0000_0007), Some(Guid(0x11)));
    assert_eq!(found, [("CF071", 5), ("CF071", 5)]);
}

#[test]
fn faulty_lines_are_left_out_and_told() {
    let (routes, found) = read("fe80:: 1\n7\n1 z\n 2 3 4\n2x 1\n5 6 # 7\n0 8\n9 -1\n");
    assert_eq!(routes.routes.len(), 3);
    let expected = [
        ("CF070", 1),
        ("CF070", 2),
        ("CF070", 3),
        ("CF071", 4),
        ("CF070", 5),
        ("CF007", 7),
        ("CF070", 8),
    ];
    assert_eq!(found, expected);
    let (routes, found) = read(&("x\n".repeat(11) + "1 2\n"));
    assert!(routes.routes.is_empty());
    assert_eq!(found.len(), 12);
    assert_eq!(read("").0, PrefixRoutes::default());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        lines in prop::collection::vec("([0-9a-f]{1,16}|\\*) (0x[0-9A-F]{1,16}|\\*)( #.*)?", 0..9)
    ) {
        let (routes, _) = read(&lines.join("\n"));
        prop_assert_eq!(routes.routes.len(), lines.len());
        prop_assert_eq!(read(&write(&routes)).0, routes);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&SourceFile::new("f", bytes));
    }
}
