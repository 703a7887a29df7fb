//! Measures how many SMPs a second go through a port, for several sizes of the window.
//!
//! Usage: `rate [COUNT [PATH]]`; default 20000 requests of NodeInfo along `0,1`. With ibsim:
//! `ibsim-run target/release/examples/rate`. Two threads, as in the subnet manager: one receives,
//! the other keeps `window` requests under way.

use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

use lk_umad::{Address, Library, Port, Received, Registration, UmadError, choose};
use lk_wire::{DirPath, MKey, Smp, Tid, attr, method};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("rate: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout)]
fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let count: u64 = args.next().map_or(Ok(20_000), |text| text.parse())?;
    let path: DirPath = args.next().as_deref().unwrap_or("0,1").parse()?;
    let library = Library::load()?;
    let ports = library.ports()?;
    let port = Port::open(&library, choose(&ports, None)?, &Registration::SUBNET_MANAGER)?;
    for window in [1, 4, 16, 64] {
        let start = Instant::now();
        let failed = measure(&port, &path, count, window)?;
        let seconds = start.elapsed().as_secs_f64();
        let rate = count as f64 / seconds;
        println!("window {window:2}: {rate:8.0} MADs/s, {failed} failed");
    }
    Ok(())
}

/// Sends `count` requests, `window` of them at a time. Returns how many have failed.
fn measure(port: &Port, path: &DirPath, count: u64, window: u64) -> Result<u64, UmadError> {
    let (done, answers) = mpsc::channel();
    std::thread::scope(|scope| {
        let receiver = scope.spawn(move || receive(port, count, &done));
        let (mut sent, mut under_way) = (0, 0);
        while sent < count {
            let tid = Tid(sent);
            let smp = Smp::directed(method::GET, attr::NODE_INFO, 0, tid, MKey(0), path);
            port.send(Address::DIRECTED, smp.as_bytes(), 200)?;
            sent += 1;
            under_way += 1;
            while under_way >= window && sent < count {
                // An error means that the receiver has ended with one of its own.
                if answers.recv().is_err() {
                    break;
                }
                under_way -= 1;
            }
        }
        receiver.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Receives `count` answers and tells of each.
fn receive(port: &Port, count: u64, done: &mpsc::Sender<()>) -> Result<u64, UmadError> {
    let (mut got, mut failed) = (0, 0);
    while got < count {
        match port.recv(1000)? {
            Received::Mad { .. } => got += 1,
            Received::SendFailed { .. } => (got, failed) = (got + 1, failed + 1),
            Received::Nothing => continue,
        }
        // The other end is gone only when everything has been sent.
        let _ = done.send(());
    }
    Ok(failed)
}
