//! The path queries of the table, asked over ibsim by a client that runs on libibumad. All of them
//! are asked in the process in `crates/sim/tests/paths.rs`; here a few show that the way from a
//! client to the answer is there, and that opensm still answers what the table says.

use lk_peers::path_client::{Master, ask, files};
use lk_peers::path_matrix::{Case, read};
use lk_peers::{Ibsim, Lanekeeper, Opensm};

const FABRIC: &str = include_str!("../fabrics/paths.net");
const TABLE: &str = include_str!("../paths/matrix.txt");

fn case(name: &str) -> Case {
    let (_, cases) = read(TABLE);
    cases.into_iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no case {name}"))
}

fn expected(case: &Case) -> Vec<Vec<String>> {
    case.queries.iter().map(|q| q.1.clone()).collect()
}

/// A table of several records goes by RMPP, which ibsim does not carry to its end: who sends it
/// goes on trying, so that such queries are left out.
fn without_tables(mut case: Case) -> Case {
    case.queries.retain(|q| q.0.starts_with("get"));
    case
}

fn client() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_BIN_EXE_sa-raw"))
}

#[test]
fn clients_get_the_paths_that_opensm_gives() {
    for name in
        ["all criteria", "partition SLs without a policy", "ulps by service", "prefix routes"]
    {
        let case = without_tables(case(name));
        let ibsim = Ibsim::start(FABRIC);
        let _ = files(&ibsim, &case);
        let mut command = Lanekeeper::command(&ibsim);
        command.arg("-F").arg(ibsim.folder().join("opensm.conf"));
        let _master = Master::start(command, &ibsim.folder().join("sm.log"));
        assert_eq!(ask(&ibsim, client(), &case), expected(&case), "{name}");
    }
}

#[test]
fn opensm_answers_what_the_table_says() {
    for name in ["level with a partition", "ulps by GUID"] {
        let case = without_tables(case(name));
        let ibsim = Ibsim::start(FABRIC);
        let conf = files(&ibsim, &case);
        Opensm { conf: &conf, arguments: &[] }.settle(&ibsim);
        let log = ibsim.folder().join("daemon.log");
        let mut command = ibsim.command("opensm");
        command.args(["-d", "2", "-F"]).arg(ibsim.folder().join("opensm.conf")).arg("-f").arg(&log);
        let _master = Master::start(command, &log);
        assert_eq!(ask(&ibsim, client(), &case), expected(&case), "{name}");
    }
}
