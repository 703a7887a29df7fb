//! Diagnostics: what is wrong with a file, where, and what to do about it.
//!
//! A parser takes a [`SourceFile`], keeps a [`Span`] with every value, and says what it found as
//! [`Diagnostic`]s: a [`Code`] that never changes its meaning, a [`Severity`], a message, places
//! in files, notes and help. Nothing here knows a rule; the codes belong to the crates that
//! report them.
//!
//! Where to look next: [`render`] turns diagnostics into text for a person, one line for an
//! editor, JSON for a script or SARIF for a code host; [`nearest`] finds the word that was
//! probably meant.

#![forbid(unsafe_code)]

mod diagnostic;
mod nearest;
pub mod render;
mod source;

pub use diagnostic::{Code, Diagnostic, Diagnostics, Label, Severity};
pub use nearest::nearest;
pub use source::{Position, SourceFile, Span};
