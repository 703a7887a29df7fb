//! Asks subnet administration for the SL of each path between the LIDs in a file, one a line, and
//! prints `FROM TO SL` for each; `FROM TO status 0xNNNN` where there is none.
//!
//! Runs as a client of a simulated fabric, as saquery does, but asks for all of them in one
//! process.

#![allow(clippy::print_stdout)]

use std::fmt::Write as _;

use lk_peers::sa_client::{Answer, SaClient};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("give a file with LIDs")?;
    let text = std::fs::read_to_string(file)?;
    let lids: Vec<u16> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let pairs: Vec<(u16, u16)> =
        lids.iter().flat_map(|from| lids.iter().map(|to| (*from, *to))).collect();
    let answers = SaClient::open()?.path_sls(&pairs)?;
    let mut out = String::new();
    for ((from, to), answer) in pairs.iter().zip(answers) {
        let _ = match answer {
            Answer::Sl(sl) => writeln!(out, "{from} {to} {sl}"),
            Answer::Status(status) => writeln!(out, "{from} {to} status {status:#06x}"),
        };
    }
    print!("{out}");
    Ok(())
}
