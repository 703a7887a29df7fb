//! Diagnostics as text, as one line each, as JSON and as SARIF.

mod json;
mod line;
mod sarif;
mod text;

pub use json::to_json;
pub use line::line;
pub use sarif::{Tool, to_sarif};
pub use text::{Style, report, text};

/// Any of our reports as indented JSON.
fn pretty(report: &impl serde::Serialize) -> String {
    // Maps with string keys and plain fields only: serialising those cannot fail.
    serde_json::to_string_pretty(report).unwrap_or_default()
}
