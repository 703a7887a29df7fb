//! Reads files that hold a fabric and prints what is in them, how long that took and what there
//! is to say: `cargo run --release -p lk-fabric --example read_fabric -- FILE…`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::time::Instant;

use lk_diag::SourceFile;

fn main() -> std::io::Result<()> {
    for name in std::env::args().skip(1) {
        let bytes = std::fs::read(&name)?;
        let start = Instant::now();
        let source = SourceFile::new(name.as_str(), bytes);
        let (file, findings) = lk_fabric::read_fabric(&source);
        let took = start.elapsed();
        match file {
            Some(file) => {
                let fabric = &file.fabric;
                println!(
                    "{name}: {:?} form, {} nodes, {} switches, {} cables; read in {took:?}",
                    file.form,
                    fabric.nodes().len(),
                    fabric.switches().len(),
                    fabric.links().count(),
                );
            }
            None => println!("{name}: no fabric"),
        }
        for finding in &findings {
            let place =
                finding.primary().map_or_else(String::new, |l| format!("{}: ", l.position()));
            println!("  {place}{}[{}]: {}", finding.severity, finding.code, finding.message);
        }
    }
    Ok(())
}
