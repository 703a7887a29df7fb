//! The page of `lanekeeper check --format html` as a shell sees it. `tests/peers` shows it to a
//! browser.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// The page, whatever the exit code.
fn page(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(["check", "--format", "html"]).args(line.split(' ')).current_dir(folder);
    let output = command.output().expect("the binary was built for this test");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A fabric and options whose names and values would be marks of a page.
fn hostile() -> TempDir {
    let here = TempDir::new().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(["topo", "fattree", "8", "2", "--hosts", "2", "--output", "tree"]);
    assert!(command.current_dir(here.path()).status().expect("a run").success());
    let text = fs::read_to_string(here.path().join("tree")).expect("a file");
    let text = text.replace("host0 HCA-1", "<script>alert(1)</script>");
    let text = text.replace("L1-0", "<img src=x onerror=alert(2)>&'");
    fs::write(here.path().join("tree"), text).expect("a file");
    let conf = "qos TRUE\nmax_op_vls 3\nqos_high_limit 255\nqos_vlarb_high 0:255,1:30\n\
                qos_vlarb_low 1:128,2:64,9:64\nqos_sl2vl 0,1,2,3,4,5,15,7\n\
                <script>alert(3)</script> 1\n";
    fs::write(here.path().join("a<b>.conf"), conf).expect("a file");
    here
}

#[test]
fn names_and_lines_are_text_whatever_they_hold() {
    let here = hostile();
    let page = page(here.path(), "-F a<b>.conf --fabric tree");
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("a<b>"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;/1"), "the host is named");
    assert!(page.contains("&lt;img src=x onerror=alert(2)&gt;&amp;&#39;"), "so is the switch");
    assert!(page.contains("&lt;script&gt;alert(3)&lt;/script&gt;"), "the line is shown");
    assert!(page.contains("a&lt;b&gt;.conf:6:1"));
}

#[test]
fn the_page_is_complete_in_itself() {
    let here = hostile();
    let page = page(here.path(), "-F a<b>.conf --fabric tree");
    for word in ["http:", "https:", "//", "src=\"", "@import", "url(", "<iframe", "<object"] {
        assert!(!page.contains(word), "{word}");
    }
    // The only address beside those within the page is that of an empty picture.
    let outside = page.split("href=\"").skip(1).filter(|link| !link.starts_with('#'));
    assert_eq!(outside.filter(|link| !link.starts_with("data:,\"")).count(), 0);
    for id in ["findings", "lanes", "links", "rules", "rule-QO001", "rule-QO003"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
}

#[test]
fn pictures_say_in_words_what_they_show() {
    let here = hostile();
    let page = page(here.path(), "-F a<b>.conf --fabric tree");
    assert!(page.contains("SL 2 on VL 2, starves"), "without a limit the low table waits");
    assert!(page.contains("SL 3, 7 on VL 3, no weight") && page.contains("SL 6 dropped"));
    assert!(page.contains("on VL 0, 80.0 %") && page.contains("on VL 1, 20.0 %"));
    for open in ["<table>", "<svg ", "<figure"] {
        assert!(page.contains(open), "{open}");
    }
    assert_eq!(page.matches("<table>").count(), page.matches("<caption>").count());
    assert_eq!(page.matches("<svg ").count(), page.matches("role=\"img\"").count());
    assert_eq!(page.matches("<h1>").count(), 1);
}

#[test]
fn the_page_is_the_same_each_time_and_says_when_there_is_nothing() {
    let here = hostile();
    let line = "-F a<b>.conf --fabric tree";
    assert_eq!(page(here.path(), line), page(here.path(), line));
    fs::write(here.path().join("off.conf"), "").expect("a file");
    let off = page(here.path(), "-F off.conf");
    assert!(off.contains("off: no tables are written to ports") && !off.contains("id=\"lanes\""));
}
