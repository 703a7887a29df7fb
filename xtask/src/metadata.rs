//! What cargo knows about the workspace's packages.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::tree;

/// A package with the parts of its manifest that the checks look at.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// The folder of the manifest below the repository's root; of no use for foreign packages.
    pub(crate) folder: String,
    /// Names of the packages that it uses, of every kind (normal, build, dev).
    pub(crate) dependencies: Vec<String>,
}

/// The packages of this workspace alone.
pub(crate) fn workspace() -> Result<Vec<Package>> {
    read(&["--no-deps"])
}

/// The packages of this workspace and everything that they use, on every platform.
pub(crate) fn everything() -> Result<Vec<Package>> {
    read(&["--locked"])
}

fn read(extra: &[&str]) -> Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .args(extra)
        .current_dir(tree::root())
        .output()
        .context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let value: Value = serde_json::from_slice(&output.stdout).context("cargo metadata's answer")?;
    let packages = value["packages"].as_array().context("cargo metadata lists no packages")?;
    packages.iter().map(package).collect()
}

fn package(value: &Value) -> Result<Package> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let manifest = text("manifest_path").context("a package without a manifest")?;
    let root = format!("{}/", tree::root().display());
    let folder = manifest.strip_prefix(&root).unwrap_or(&manifest).trim_end_matches("Cargo.toml");
    let dependencies = value["dependencies"].as_array().context("a package without a list")?;
    Ok(Package {
        name: text("name").context("a package without a name")?,
        version: text("version").context("a package without a version")?,
        licence: text("license"),
        folder: folder.trim_end_matches('/').to_owned(),
        dependencies: dependencies
            .iter()
            .filter_map(|d| d["name"].as_str().map(str::to_owned))
            .collect(),
    })
}
