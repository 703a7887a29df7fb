//! The options in force: defaults, then the file, then the command line, then corrections.
//!
//! OpenSM reads the file again at each heavy sweep. A line takes effect then only if it differs
//! from what the file last said, so that the command line stays in force, and a line that is
//! removed does not bring the default back, except in the QoS sets. [`Effective`] keeps what is
//! needed for that, and where each value came from.

mod engines;
mod notices;
mod qos_lists;
mod verify;

use std::collections::BTreeMap;

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use crate::codes;
use crate::opensm_conf::{Entry, OpensmConf};
use crate::options::{self, OptionSpec, Options, QosSets, Value};

pub use engines::{Engine, EngineName, engine_list};
pub use qos_lists::{VlWeight, read_sl2vl, read_vlarb};

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// Nobody said anything.
    #[default]
    Default,
    /// A line of the file.
    File(SourceFile, Span),
    /// The command line, as a source of its own.
    CommandLine(SourceFile, Span),
}

impl Origin {
    /// The place, if there is one.
    #[must_use]
    pub const fn place(&self) -> Option<(&SourceFile, Span)> {
        match self {
            Self::Default => None,
            Self::File(source, span) | Self::CommandLine(source, span) => Some((source, *span)),
        }
    }
}

/// An option that a file or the command line changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The option.
    pub key: &'static str,
    /// Its new value as the file writes it.
    pub value: String,
}

/// The options in force and what is needed to keep them so.
#[derive(Clone, Debug, Default)]
pub struct Effective {
    options: Options,
    /// What the file was last seen to say; OpenSM's defaults where it said nothing.
    seen: Options,
    origins: BTreeMap<&'static str, Origin>,
    last: Option<OpensmConf>,
}

impl Effective {
    /// OpenSM's defaults, with the folder for dumps that the environment variable
    /// `OSM_TMP_DIR` names, if it is set.
    #[must_use]
    pub fn new(osm_tmp_dir: Option<&str>) -> Self {
        let mut new = Self::default();
        if let Some(folder) = osm_tmp_dir {
            new.options.dump_files_dir = Some(folder.to_owned());
            new.seen.dump_files_dir = Some(folder.to_owned());
        }
        new
    }

    /// The options.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Where an option's value came from.
    #[must_use]
    pub fn origin(&self, key: &str) -> &Origin {
        static DEFAULT: Origin = Origin::Default;
        self.origins.get(key).unwrap_or(&DEFAULT)
    }

    /// Takes over all lines of a file, at the start. The changes are those that OpenSM prints.
    pub fn load(&mut self, conf: &OpensmConf) -> Vec<Change> {
        let changes = conf.entries.iter().filter_map(|e| self.take_line(&conf.source, e)).collect();
        self.last = Some(conf.clone());
        changes
    }

    /// Sets an option from the command line: it then stands whatever the file says.
    pub(crate) fn set(
        &mut self,
        spec: &'static OptionSpec,
        value: &Value,
        source: &SourceFile,
        place: Span,
    ) {
        spec.set(&mut self.options, value);
        self.origins.insert(spec.key, Origin::CommandLine(source.clone(), place));
    }

    /// Sets options as lines would, whatever file and command line say: to see what they would do.
    pub fn suppose(&mut self, conf: &OpensmConf) {
        for entry in &conf.entries {
            entry.spec.set(&mut self.options, &entry.value);
            let place = Origin::File(conf.source.clone(), entry.key.cover(entry.text));
            self.origins.insert(entry.spec.key, place);
        }
    }

    /// Takes over the file again, as at each heavy sweep, and corrects the result. When the file
    /// is gone nothing changes, so there is nothing to call.
    ///
    /// The diagnostics say what a changed file does not do; a file of the same text gives none.
    pub fn reload(&mut self, conf: &OpensmConf) -> (Vec<Change>, Diagnostics) {
        let before = self.options.clone();
        let same_text = self.last.as_ref().is_some_and(|last| last.source == conf.source);
        let mut diagnostics = Diagnostics::new();

        self.options.qos_sets = QosSets::default();
        self.seen.qos_sets = QosSets::default();
        self.origins.retain(|key, _| !options::find(key).is_some_and(OptionSpec::is_qos_set));

        for entry in &conf.entries {
            if entry.spec.reload {
                self.take_line(&conf.source, entry);
            }
        }
        diagnostics.extend(self.needs_restart(conf));
        diagnostics.extend(self.removed_lines(conf));
        diagnostics.extend(self.verify());
        self.last = Some(conf.clone());

        let changes = options::all().filter_map(|spec| {
            let value = spec.get(&self.options);
            (value != spec.get(&before)).then(|| Change { key: spec.key, value: spec.show(&value) })
        });
        let changes = changes.collect();
        (changes, if same_text { Diagnostics::new() } else { diagnostics })
    }

    /// Applies a line if it says something else than the file said last.
    fn take_line(&mut self, source: &SourceFile, entry: &Entry) -> Option<Change> {
        let spec = entry.spec;
        let before = spec.get(&self.seen);
        spec.set(&mut self.seen, &entry.value);
        let differs = spec.get(&self.seen) != before;
        let by_command_line = matches!(self.origin(spec.key), Origin::CommandLine(..));
        if differs {
            spec.set(&mut self.options, &entry.value);
        }
        if differs || !by_command_line {
            self.origins
                .insert(spec.key, Origin::File(source.clone(), entry.key.cover(entry.text)));
        }
        differs.then(|| Change { key: spec.key, value: spec.show(&entry.value) })
    }

    /// Lines that changed in the file but are read at the start only.
    fn needs_restart(&self, conf: &OpensmConf) -> Vec<Diagnostic> {
        let mut now = self.seen.clone();
        let fixed = || conf.entries.iter().filter(|e| !e.spec.reload);
        for entry in fixed() {
            entry.spec.set(&mut now, &entry.value);
        }
        let counts = |e: &&Entry| conf.last(e.spec.key).is_some_and(|last| last == *e);
        fixed()
            .filter(counts)
            .filter(|e| e.spec.get(&now) != e.spec.get(&self.seen))
            .map(|e| {
                Diagnostic::warning(
                    codes::NEEDS_RESTART,
                    format!("`{}` is read at the start only; the change waits", e.spec.key),
                )
                .at(&conf.source, e.key.cover(e.text), "not in force")
            })
            .collect()
    }

    /// Options whose line was removed, which does not bring the default back.
    fn removed_lines(&self, conf: &OpensmConf) -> Vec<Diagnostic> {
        let Some(last) = &self.last else { return Vec::new() };
        options::all()
            .filter(|spec| !spec.is_qos_set())
            .filter(|spec| last.last(spec.key).is_some() && conf.last(spec.key).is_none())
            .filter(|spec| spec.get(&self.options) != spec.default_value())
            .map(|spec| {
                let value = spec.show(&spec.get(&self.options));
                Diagnostic::warning(
                    codes::LINE_REMOVED,
                    format!("the line of `{}` is gone; {value} stays in force", spec.key),
                )
                .help(format!(
                    "write `{} {}` to set the default, or restart",
                    spec.key,
                    spec.show(&spec.default_value())
                ))
            })
            .collect()
    }

    /// Points a diagnostic at the place that an option's value came from.
    fn at(&self, key: &str, text: &str, found: Diagnostic) -> Diagnostic {
        match self.origin(key).place() {
            Some((source, span)) => found.at(source, span, text),
            None => found,
        }
    }
}
