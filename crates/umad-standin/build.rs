//! Builds the stand-in itself: this crate's own source, compiled by itself with `standin` set, and
//! linked to a shared library with the names and versions of the real one's symbols.
//!
//! A `cdylib` of cargo's would not do: rustc gives the linker a list of symbols of its own, which
//! cannot be joined with one that has versions.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(standin)");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=libibumad.map");
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let archive = out.join("libstandin.a");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition", "2024", "--crate-type", "staticlib", "--crate-name", "standin"]);
    rustc.args(["--cfg", "standin", "--check-cfg", "cfg(standin)", "--cap-lints", "allow"]);
    rustc.args(["-C", "opt-level=2", "-C", "panic=abort", "-C", "codegen-units=1"]);
    rustc.args(["-C", "relocation-model=pic", "-C", "debuginfo=0"]);
    rustc.arg("--target").arg(variable("TARGET"));
    rustc.arg("-o").arg(&archive).arg("src/lib.rs");
    run(rustc, "rustc");
    link(&archive, &out.join("libibumad.so.3"));
}

fn link(archive: &Path, library: &Path) {
    // The linker that rustc itself uses for this target.
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let mut cc = Command::new(linker);
    cc.args(["-shared", "-static-libgcc", "-Wl,-soname,libibumad.so.3"]);
    cc.args(["-Wl,--version-script,libibumad.map", "-Wl,--gc-sections", "-Wl,-s"]);
    cc.args(["-Wl,-u,umad_init", "-Wl,-z,defs"]);
    cc.arg("-o").arg(library).arg(archive);
    cc.args(["-lpthread", "-ldl", "-lm", "-lc"]);
    run(cc, "the linker");
}

fn run(mut command: Command, name: &str) {
    let status = command.status().unwrap_or_else(|e| panic!("cannot run {name}: {e}"));
    assert!(status.success(), "{name} has failed: {command:?}");
}
