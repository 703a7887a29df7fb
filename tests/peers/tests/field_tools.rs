//! What the field's own tools say of a fabric that lanekeeper has brought up on ibsim.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use lk_peers::{Ibsim, Kind, Lanekeeper, Node, Reading, discovery, process};

const SMALL: &str = include_str!("../fabrics/small.net");

/// A fat-tree with more than a hundred pairs of hosts, up.
fn tree() -> Ibsim {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    let outcome = Lanekeeper::run(here.path(), &["topo", "fattree", "8", "2", "--format", "ibsim"]);
    let ibsim = Ibsim::start(&outcome.success());
    bring_up(&ibsim);
    ibsim
}

fn bring_up(ibsim: &Ibsim) {
    let outcome = Lanekeeper::on(ibsim, &["-o", "-Q", "-D", "0x43"]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
}

/// What a tool printed, after the checks that it ended well and complained of nothing.
fn clean(ibsim: &Ibsim, program: &str, arguments: &[&str]) -> String {
    let outcome = ibsim.client(program, arguments);
    let complaints: Vec<&str> =
        outcome.err.lines().filter(|line| !line.contains("sim_connect: attached")).collect();
    assert!(complaints.is_empty(), "{outcome:#?}");
    outcome.success()
}

#[test]
fn every_link_is_active_for_iblinkinfo() {
    let ibsim = tree();
    let text = clean(&ibsim, "iblinkinfo", &["-l"]);
    let cables: usize = discovery::discover(&ibsim).iter().map(|node| node.cables.len()).sum();
    let active = text.lines().filter(|line| line.contains("Active/  LinkUp)==>")).count();
    assert_eq!(active, cables, "{text}");
}

#[test]
fn every_port_answers_smpquery() {
    let ibsim = tree();
    let reading = Reading::of(&ibsim);
    for node in &reading.nodes {
        let lid = node.end_ports[0].lid.to_string();
        let info = lk_peers::smpquery::fields(&clean(&ibsim, "smpquery", &["nodeinfo", &lid]));
        assert_eq!(info["Guid"], format!("{:#018x}", node.guid));
    }
    for ((guid, number), port) in &reading.ports {
        let rows = port.sl2vl.len();
        assert!(rows > 0 && !port.pkeys.is_empty(), "{guid:#x} port {number}: {port:?}");
        assert_eq!(port.vlarb[0].len(), 8, "{guid:#x} port {number}: {port:?}");
    }
}

/// End ports of the hosts.
fn hosts(nodes: &[Node]) -> Vec<u16> {
    let hosts = nodes.iter().filter(|node| node.kind == Kind::Ca);
    hosts.flat_map(|node| node.end_ports.iter().map(|port| port.lid)).collect()
}

#[test]
fn ibtracert_finds_a_way_between_a_hundred_pairs() {
    let ibsim = tree();
    let hosts = hosts(&discovery::discover(&ibsim));
    let pairs = hosts.iter().flat_map(|a| hosts.iter().map(move |b| (a, b)));
    let pairs: Vec<_> = pairs.filter(|(a, b)| a != b).step_by(2).take(100).collect();
    assert_eq!(pairs.len(), 100);
    for (from, to) in pairs {
        let text = clean(&ibsim, "ibtracert", &[&from.to_string(), &to.to_string()]);
        assert!(text.contains(&format!("lid {to}-{to} ")), "{text}");
    }
}

#[test]
fn ibroute_and_dump_fts_show_a_way_to_every_lid() {
    let ibsim = tree();
    let nodes = discovery::discover(&ibsim);
    let lids = nodes.iter().map(|node| node.end_ports.len()).sum::<usize>();
    let switches: Vec<&Node> = nodes.iter().filter(|node| node.kind == Kind::Switch).collect();
    for switch in &switches {
        let text = clean(&ibsim, "ibroute", &[&switch.end_ports[0].lid.to_string()]);
        assert!(text.contains(&format!("{lids} valid lids dumped")), "{text}");
    }
    let text = clean(&ibsim, "dump_fts", &[]);
    let whole = text.matches(&format!("{lids} valid lids dumped")).count();
    assert_eq!(whole, switches.len(), "{text}");
}

#[test]
fn ibdmchk_takes_the_dumps_and_finds_no_fault() {
    let ibsim = tree();
    let nodes = discovery::discover(&ibsim);
    // A file of multicast tables is asked for; there are no groups yet.
    let groups = ibsim.folder().join("opensm.mcfdbs");
    if !groups.exists() {
        fs::write(&groups, "").expect("an empty file");
    }
    let arguments = ["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"];
    let mut command = std::process::Command::new("ibdmchk");
    command.args(arguments).current_dir(ibsim.folder());
    // ibdmchk crashes after its verdict, so the exit code says nothing.
    let outcome = process::run(command, "ibutils", Duration::from_secs(60));
    let text = &outcome.out;
    assert!(text.contains(&format!("-I- Defined {0}/{0} systems/nodes", nodes.len())), "{text}");
    let hosts = hosts(&nodes).len();
    assert!(
        text.contains(&format!("-I- Scanned:{} CA to CA paths", hosts * (hosts - 1))),
        "{text}"
    );
    assert!(text.contains("-I- no credit loops found"), "{text}");
    assert!(!text.contains("-E-"), "{text}");
}

#[test]
fn the_dumps_for_people_are_written() {
    let ibsim = tree();
    for name in [
        "opensm-subnet.lst",
        "opensm.fdbs",
        "opensm-lfts.dump",
        "opensm-sl2vl.dump",
        "opensm-lid-matrix.dump",
        "guid2lid",
    ] {
        let text = fs::read_to_string(ibsim.folder().join(name));
        assert!(text.as_ref().is_ok_and(|text| text.len() > 100), "{name}: {text:?}");
    }
}

/// Managed switches run subnet managers; here it sits on a switch, which comes first in the file.
#[test]
fn a_manager_on_a_switch_brings_the_fabric_up() {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    let fabric = Lanekeeper::run(here.path(), &["topo", "fattree", "4", "2"]).success();
    let ibsim = Ibsim::start(&fabric);
    bring_up(&ibsim);
    let text = clean(&ibsim, "iblinkinfo", &["-l"]);
    assert!(text.contains("Active/  LinkUp)==>") && !text.contains("Initialize"), "{text}");
}

/// Without `-o` the manager stays, answers sminfo as master and ends on SIGTERM with code 0.
#[test]
fn a_running_manager_answers_sminfo_and_ends_on_request() {
    let ibsim = Ibsim::start(SMALL);
    let mut command = Lanekeeper::command(&ibsim);
    command.args(["-Q", "-d", "2"]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().expect("ibsim-run is there");
    let end = Instant::now() + Duration::from_secs(30);
    let text = loop {
        // sminfo sends to the SM LID of its own port, which is set in the first sweep.
        let outcome = ibsim.client("sminfo", &[]);
        if outcome.code == Some(0) && outcome.out.contains("SMINFO_MASTER") {
            break outcome.out;
        }
        assert!(Instant::now() < end, "{outcome:#?}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(text.contains("guid 0x100011"), "{text}");
    let kill = std::process::Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.expect("kill is part of every system").success());
    assert_eq!(child.wait().expect("a child can be waited for").code(), Some(0));
}
