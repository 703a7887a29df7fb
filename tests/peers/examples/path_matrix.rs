//! Asks opensm every query of a table of policies, and writes its answers into the table.
//!
//! Usage: `cargo run -p lk-peers --example path_matrix [TABLE]` after `cargo build -p lk-peers`.
//! Each case runs on a fresh ibsim; an opensm brings the fabric up and stays for the queries.

use std::fs;
use std::path::PathBuf;

use lk_peers::path_client::{Master, ask, files};
use lk_peers::path_matrix::{Case, read, write};
use lk_peers::{Ibsim, Opensm};

const FABRIC: &str = include_str!("../fabrics/paths.net");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/paths/matrix.txt");
    let table = std::env::args().nth(1).map_or_else(|| PathBuf::from(table), PathBuf::from);
    let client = std::env::current_exe()?;
    let client = client.parent().and_then(|p| p.parent()).ok_or("no folder")?.join("sa-raw");
    let (head, mut cases) = read(&fs::read_to_string(&table)?);
    for case in &mut cases {
        let answers = opensm(case, &client);
        for (query, answer) in case.queries.iter_mut().zip(answers) {
            query.1 = answer;
        }
    }
    fs::write(&table, write(&head, &cases))?;
    Ok(())
}

/// What opensm answers to the queries of a case.
fn opensm(case: &Case, client: &std::path::Path) -> Vec<Vec<String>> {
    let ibsim = Ibsim::start(FABRIC);
    let conf = files(&ibsim, case);
    Opensm { conf: &conf, arguments: &[] }.settle(&ibsim);
    let log = ibsim.folder().join("daemon.log");
    let mut command = ibsim.command("opensm");
    command.args(["-d", "2", "-F"]).arg(ibsim.folder().join("opensm.conf")).arg("-f").arg(&log);
    let _master = Master::start(command, &log);
    ask(&ibsim, client, case)
}
