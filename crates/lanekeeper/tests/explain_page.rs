//! The page of `lanekeeper explain --format html` as a shell sees it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Eight classes on two lanes: the field guide's example.
const EIGHT: &str = "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7\n\
                     qos_high_limit 4\nqos_vlarb_high 0:64\n\
                     qos_vlarb_low 0:64,1:64,2:64,3:64,4:64,5:64,6:64,7:64\n";

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(words).current_dir(folder);
    command.output().expect("the binary was built for this test")
}

fn here() -> TempDir {
    let here = TempDir::new().expect("a temporary folder");
    let made = run(here.path(), &["topo", "fattree", "8", "2", "--hosts", "2", "--output", "tree"]);
    assert!(made.status.success(), "{made:?}");
    let text = fs::read_to_string(here.path().join("tree")).expect("a file");
    let text = text.replace("L1-0", "<img src=x onerror=alert(2)>&'");
    fs::write(here.path().join("tree"), text).expect("a file");
    fs::write(here.path().join("eight.conf"), EIGHT).expect("a file");
    here
}

fn page(folder: &Path, more: &[&str], code: i32) -> String {
    let start = ["explain", "host0", "host7", "-F", "eight.conf", "--fabric", "tree"];
    let words: Vec<&str> =
        start.into_iter().chain(["--format", "html"]).chain(more.iter().copied()).collect();
    let output = run(folder, &words);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_page_has_the_way_hop_by_hop_with_lanes_and_shares() {
    let here = here();
    let page = page(here.path(), &["--sl", "3"], 0);
    assert!(page.contains("traffic gets through"), "{page}");
    for heading in ["id=\"there\"", "id=\"back\"", "Link by link", "Share when all SLs send"] {
        assert!(page.contains(heading), "{heading}");
    }
    assert!(page.contains("folded, for only VL0-1 operate") && page.contains("eight.conf:3"));
    // The eight classes are two: every link gives this one the same part of two lanes.
    let rows = page.matches("<th scope=\"row\">").count();
    assert!(rows >= 8, "{rows}");
    assert_eq!(page.matches("<h1>").count(), 1);
    assert_eq!(page.matches("<table>").count(), page.matches("<caption>").count());
    assert!(page.contains("--what-if max_op_vls=4"), "the hint is there");
}

#[test]
fn the_page_is_complete_in_itself_and_names_are_text() {
    let here = here();
    let page = page(here.path(), &["--sl", "3", "--what-if", "max_op_vls=4"], 0);
    for word in ["http:", "https:", "//", "src=\"", "@import", "url(", "<script", "<img", "<iframe"]
    {
        assert!(!page.contains(word), "{word}");
    }
    let outside = page.split("href=\"").skip(1).filter(|link| !link.starts_with('#'));
    assert_eq!(outside.filter(|link| !link.starts_with("data:,\"")).count(), 0);
    assert!(
        page.contains("&lt;img src=x onerror=alert(2)&gt;&amp;&#39;") || !page.contains("onerror")
    );
    assert!(page.contains("With max_op_vls=4:"), "{page}");
}

#[test]
fn traffic_that_stops_is_said_first_and_formats_are_known() {
    let here = here();
    let dropped = EIGHT.replace("0,1,2,3,4,5,6,7,0", "0,1,2,15,4,5,6,7,0");
    fs::write(here.path().join("eight.conf"), dropped).expect("a file");
    let page = page(here.path(), &["--sl", "3"], 1);
    assert!(page.contains("traffic does not get through"), "{page}");
    let start = ["explain", "host0", "host7", "-F", "eight.conf", "--fabric", "tree"];
    let words: Vec<&str> = start.into_iter().chain(["--format", "pdf"]).collect();
    let output = run(here.path(), &words);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there are text, json and html"), "{said}");
}
