//! Sends datagrams to subnet administration, one a line in hexadecimal from standard input, and
//! prints each answer so, or `none`. A client of a simulated fabric, as saquery is.

#![allow(clippy::print_stdout)]

use std::io::BufRead as _;

use lk_umad::{Address, Library, Port, Received, Registration};
use lk_wire::Sl;

const CLASS: u8 = 3;
const Q_KEY: u32 = 0x8001_0000;
/// How long an answer may take, in milliseconds.
const TIMEOUT: u32 = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = Library::load()?;
    let ports = library.ports()?;
    let description = lk_umad::choose(&ports, None)?;
    let class = Registration { class: CLASS, version: 2, rmpp_version: 0, methods: &[] };
    let port = Port::open(&library, description, &[class])?;
    let to = Address {
        lid: description.sm_lid,
        qp: 1,
        sl: Sl(0),
        q_key: Q_KEY,
        pkey_index: 0,
        path_bits: 0,
        gid: None,
    };
    for line in std::io::stdin().lock().lines() {
        let mad = lk_peers::path_matrix::from_hex(line?.trim()).ok_or("not hexadecimal")?;
        println!("{}", ask(&port, to, &mad)?);
    }
    Ok(())
}

/// The answer to a datagram: that with its token.
fn ask(port: &Port, to: Address, mad: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    port.send(to, mad, TIMEOUT)?;
    loop {
        match port.recv(TIMEOUT)? {
            Received::Mad { bytes, .. } if bytes.get(12..16) == mad.get(12..16) => {
                return Ok(lk_peers::path_matrix::to_hex(&bytes));
            }
            Received::Mad { .. } => {}
            Received::SendFailed { .. } | Received::Nothing => return Ok("none".to_owned()),
        }
    }
}
