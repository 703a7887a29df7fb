//! Reads files that hold a fabric and prints what is in them, how long that took and what there
//! is to say: `cargo run --release -p lk-fabric --example read_fabric -- FILE…`
//!
//! Without a file it does so with the largest fat-tree that a subnet has LIDs for.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::time::Instant;

use lk_diag::SourceFile;
use lk_fabric::text::write_ibnetdiscover;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for name in &names {
        read(name, std::fs::read(name)?);
    }
    if names.is_empty() {
        let start = Instant::now();
        let made = generate(&TopoSpec::new(Shape::FatTree(FatTree::new(64, 3))))?;
        println!("generated in {:?}", start.elapsed());
        let start = Instant::now();
        let mut text = String::new();
        write_ibnetdiscover(&mut text, &made.fabric, None)?;
        println!("written in {:?}: {} bytes", start.elapsed(), text.len());
        read("fattree 64 3", text.into_bytes());
    }
    Ok(())
}

fn read(name: &str, bytes: Vec<u8>) {
    let start = Instant::now();
    let source = SourceFile::new(name, bytes);
    let (file, findings) = lk_fabric::read_fabric(&source);
    let took = start.elapsed();
    match file {
        Some(file) => println!(
            "{name}: {:?} form, {} nodes, {} switches, {} cables; read in {took:?}",
            file.form,
            file.fabric.nodes().len(),
            file.fabric.switches().len(),
            file.fabric.links().count(),
        ),
        None => println!("{name}: no fabric"),
    }
    for finding in &findings {
        let place = finding.primary().map_or_else(String::new, |l| format!("{}: ", l.position()));
        println!("  {place}{}[{}]: {}", finding.severity, finding.code, finding.message);
    }
}
