//! Asks a few nodes who they are, along directed routes from the port that opensm would take.
//!
//! Usage: `node_info [PATH…]`, each path as the field's tools write it, for example `0,1`;
//! default `0` and `0,1`. With ibsim: `ibsim-run target/debug/examples/node_info 0 0,1`.
//! First it says what the port's IsSM bit does when it is set and cleared.

use std::error::Error;
use std::process::ExitCode;

use lk_umad::{Address, Library, Port, Received, Registration, choose};
use lk_wire::{Attribute, DirPath, MKey, NodeInfo, PortInfo, Smp, Tid, cap_mask, method};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("node_info: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout)]
fn run() -> Result<(), Box<dyn Error>> {
    let library = Library::load()?;
    let ports = library.ports()?;
    let port = choose(&ports, None)?;
    println!("port {port}");
    let port = Port::open(&library, port, &Registration::SUBNET_MANAGER)?;

    let before = is_sm(&port)?;
    port.set_is_sm(true)?;
    let set = is_sm(&port)?;
    port.set_is_sm(false)?;
    println!("IsSM before {before}, while set {set}, after {}", is_sm(&port)?);

    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        paths = vec!["0".to_owned(), "0,1".to_owned()];
    }
    for (tid, path) in (1..).zip(&paths) {
        match get::<NodeInfo>(&port, &path.parse()?, tid) {
            Ok(info) => {
                println!("path {path}: {} {} ports {}", info.kind(), info.guid(), info.num_ports());
            }
            Err(error) => println!("path {path}: {error}"),
        }
    }
    Ok(())
}

/// Whether the fabric sees a subnet manager at this port.
fn is_sm(port: &Port) -> Result<bool, Box<dyn Error>> {
    let info: PortInfo = get(port, &DirPath::LOCAL, 100)?;
    Ok(info.has_capability(cap_mask::IS_SM))
}

/// Reads an attribute of the node at the end of `path`.
fn get<A: Attribute>(port: &Port, path: &DirPath, tid: u64) -> Result<A, Box<dyn Error>> {
    let smp = Smp::directed(method::GET, A::ID, 0, Tid(tid), MKey(0), path);
    port.send(Address::DIRECTED, smp.as_bytes(), 200)?;
    match port.recv(2000)? {
        Received::Mad { bytes, .. } => Ok(Smp::parse(&bytes)?.attribute()),
        Received::SendFailed { token, errno, .. } => {
            Err(format!("request {token} failed: error {errno}").into())
        }
        Received::Nothing => Err("nothing".into()),
    }
}
