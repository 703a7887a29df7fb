//! The options of opensm.conf: one table, and the values in force.
//!
//! `fields` and `qos_table` are the table's rows, `table` says what a row holds, `value` reads
//! and writes values, `field` ties them to Rust types, `meaning` says codes in words. [`foreign`]
//! names what is not ours: options of NVIDIA's OpenSM, and names that are no options any more or
//! never were.

mod congestion;
mod field;
mod fields;
pub mod foreign;
mod meaning;
pub(crate) mod number;
mod qos_sets;
mod qos_table;
mod table;
mod value;

pub use congestion::{CctEntry, CctTable, PerSl, PortMask};
pub use fields::Options;
pub use meaning::{lanes, meaning};
pub use qos_sets::{QosSetName, QosSetStrings, QosSets};
pub use table::{Class, Group, OptionSpec, Status};
pub use value::{Kind, NULL, Value, ValueError};

/// All options, in the order of the file that `-c` writes.
pub fn all() -> impl Iterator<Item = &'static OptionSpec> {
    let (before, after): (Vec<_>, Vec<_>) =
        fields::FIELDS.iter().partition(|spec| spec.group <= Group::Qos);
    before.into_iter().chain(qos_table::SETS.iter().flatten()).chain(after)
}

/// Old names: what is given under one sets the option behind it. They are read, never written.
pub const ALIASES: &[(&str, &str)] = &[("dimn_ports_file", "port_search_ordering_file")];

/// The option of this name or old name, exactly as written.
#[must_use]
pub fn find(key: &str) -> Option<&'static OptionSpec> {
    let key = ALIASES.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| new);
    fields::FIELDS.iter().chain(qos_table::SETS.iter().flatten()).find(|spec| spec.key == key)
}
