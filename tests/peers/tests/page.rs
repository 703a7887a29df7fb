//! The pages of `lanekeeper check` and `lanekeeper explain` (`--format html`) in Debian's Chromium:
//! they ask nobody for anything, run nothing, and fit a telephone.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lk_peers::{Lanekeeper, Outcome, process};

/// A page with every part: findings of all severities, lanes that starve and are dropped, links.
/// Names are as long as they get, and one would be a script.
fn page(here: &Path) -> String {
    let tree = ["topo", "fattree", "16", "3", "--output", "tree"];
    assert_eq!(Lanekeeper::run(here, &tree).code, Some(0));
    let text = fs::read_to_string(here.join("tree")).expect("a file");
    let long = "x".repeat(40);
    let text = text.replace("host1 HCA-1", "<script>document.title='run'</script>");
    fs::write(here.join("tree"), text.replace("host0 HCA-1", &long)).expect("a file");
    let conf = format!(
        "qos TRUE\nmax_op_vls 3\nqos_high_limit 255\nqos_vlarb_high 0:255,1:30\nqos_vlarb_low \
         1:128,2:64,9:64\nqos_sl2vl 0,1,2,3,4,5,15,7\nunknown_{} 1\nlog_file /{}\n",
        "y".repeat(200),
        "z".repeat(300)
    );
    fs::write(here.join("opensm.conf"), conf).expect("a file");
    let check = ["check", "-F", "opensm.conf", "--fabric", "tree", "--format", "html"];
    Lanekeeper::run(here, &check).out
}

/// The page of `lanekeeper explain` on the same fabric: a way of several links.
fn explained(here: &Path) -> String {
    let explain = "explain host2 host9 -F opensm.conf --fabric tree --sl 5 --format html";
    let words: Vec<&str> = explain.split(' ').collect();
    let outcome = Lanekeeper::run(here, &words);
    assert!(outcome.out.contains("Link by link"), "{outcome:#?}");
    outcome.out
}

/// Opens a page in a window of this width and gives the document as it then is.
fn open(here: &Path, name: &str, width: u32, more: &[&str]) -> Outcome {
    let mut command = Command::new("chromium");
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions"]);
    command.args(["--no-first-run", "--disable-background-networking", "--disable-sync"]);
    command.arg(format!("--window-size={width},900"));
    command.arg(format!("--user-data-dir={}", here.join("profile").display()));
    command.args(more).arg("--dump-dom");
    command.arg(format!("file://{}", here.join(name).display()));
    process::run(command, "chromium", Duration::from_secs(120))
}

#[test]
fn the_pages_ask_nobody_and_run_nothing() {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    fs::write(here.path().join("page.html"), page(here.path())).expect("a file");
    let seen = asks_nobody(here.path());
    assert!(seen.contains("<title>lanekeeper check</title>"), "no script has run");
    assert!(
        seen.contains("id=\"links\"") && seen.contains("id=\"rules\""),
        "it is read to its end"
    );
    fs::write(here.path().join("page.html"), explained(here.path())).expect("a file");
    let seen = asks_nobody(here.path());
    assert!(seen.contains("<title>lanekeeper explain</title>") && seen.contains("id=\"back\""));
}

/// Opens `page.html`, sees that it asks for nothing, and gives the document as it then is.
fn asks_nobody(here: &Path) -> String {
    let log = format!("--log-net-log={}", here.join("net.json").display());
    let seen = open(here, "page.html", 1280, &[&log]).success();
    let log = fs::read_to_string(here.join("net.json")).expect("what the browser asked for");
    // What Chromium asks of its own maker has nothing to do with the page.
    let own = ["google", "gstatic", "gvt1", "chrome"];
    let asked = log.split("\"url\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let asked: Vec<&str> = asked
        .filter(|url| url.starts_with("http") || url.starts_with("ws"))
        .filter(|url| !own.iter().any(|host| url.contains(host)))
        .collect();
    assert!(asked.is_empty(), "{asked:?}");
    seen
}

#[test]
fn nothing_runs_over_the_edge_of_a_telephone() {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    // The page has no script; the copy that is measured has one. A window cannot be as narrow as
    // a telephone, a frame within it can.
    let measure = "<script>addEventListener('load',()=>{const d=document,w=d.documentElement;\
        const wide=[...d.querySelectorAll('body *')].filter(e=>!e.closest('.wide,pre,svg')&&\
        e.getBoundingClientRect().right>w.clientWidth+1).map(e=>e.tagName+'.'+e.className);\
        parent.postMessage([w.scrollWidth,w.clientWidth,wide.join(' ')],'*')})</script></body>";
    let check = page(here.path());
    let pages = [check, explained(here.path())];
    for (page, width) in pages.iter().flat_map(|page| [400, 1000].map(|width| (page, width))) {
        let measured = page.replace("</body>", measure);
        fs::write(here.path().join("measured.html"), measured).expect("a file");
        let frame = format!(
            "<!DOCTYPE html><body><script>addEventListener('message',e=>{{\
             document.body.dataset.seen=e.data.join('|')}})</script>\
             <iframe src=\"measured.html\" style=\"width:{width}px;height:900px;border:0\">\
             </iframe>"
        );
        fs::write(here.path().join("frame.html"), frame).expect("a file");
        let seen = open(here.path(), "frame.html", 1280, &["--virtual-time-budget=5000"]).success();
        let rest = seen.split("data-seen=\"").nth(1).expect("it was measured");
        let mut seen = rest.split('"').next().unwrap_or_default().split('|');
        let mut next = || seen.next().unwrap_or_default().to_owned();
        let (scroll, client, wide) = (next(), next(), next());
        // A scroll bar takes a part of the frame.
        let inside: u32 = client.parse().expect("a width");
        assert!(inside <= width && inside + 20 > width, "{inside}");
        assert_eq!((scroll, wide), (client, String::new()), "at {width}");
    }
}
