//! What the core says, as log lines, plans and files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use lk_config::{Effective, PartitionsConf, opensm_conf};
use lk_diag::Diagnostics;
use lk_sm::{Command, Output, Report, Settings, View};

use super::log::Log;
use super::setup::{self, Setup};
use super::syslog::{SOCKET, Syslog};
use super::watched::Watched;
use super::{files, sa_file};
use crate::{input, terminal};

/// Shows and keeps what the core says.
pub(super) struct Presenter {
    log: Log,
    cache: Option<PathBuf>,
    dumps: Option<PathBuf>,
    log_flags: u8,
    fsync: bool,
    plan_only: bool,
    once: bool,
    json: bool,
    all: bool,
    watched: Watched,
    /// The partitions in force.
    partitions: Option<Arc<PartitionsConf>>,
    /// The first thing that could not be written; the run goes on without it.
    trouble: Option<anyhow::Error>,
}

impl Presenter {
    /// Opens the log.
    pub(super) fn new(setup: &Setup) -> Result<Self> {
        let o = &setup.settings.options;
        let plan_only = setup.mode == lk_sm::Mode::Plan;
        // A plan is read by people and programs: nothing else belongs on standard output.
        let flags = if plan_only { 0 } else { o.log_flags };
        let mut log = Log::open(setup.log.as_deref(), o.accum_log_file, flags, o.log_max_size)?;
        if setup.simulate.is_none() && !plan_only {
            log.also_to(Syslog::open(Path::new(SOCKET), o.log_prefix.as_deref()));
        }
        log.findings(&setup.said);
        Ok(Self {
            log,
            cache: setup.cache.clone(),
            dumps: setup.dumps.clone(),
            log_flags: o.log_flags,
            fsync: o.fsync_high_avail_files,
            plan_only,
            once: setup.mode == lk_sm::Mode::Once,
            json: setup.json,
            all: setup.all,
            watched: Watched::new(setup.config.as_deref(), o),
            partitions: setup.settings.partitions.clone(),
            trouble: None,
        })
    }

    /// Takes an output of the core.
    pub(super) fn output(&mut self, output: Output) {
        match output {
            Output::Event(event) if self.plan_only && event.level() == lk_sm::Level::Error => {
                terminal::complain(&format!("lanekeeper: {event}"));
            }
            Output::Event(_) if self.plan_only => {}
            Output::Event(event) => {
                self.log.event(&event);
                // Who runs it once looks at the terminal, not at the log.
                if self.once && self.log.is_file() && event.level() == lk_sm::Level::Error {
                    terminal::complain(&format!("lanekeeper: {event}"));
                }
            }
            Output::Plan(report) => {
                let shown = self.show(&report);
                self.note(shown);
            }
            Output::Store(guid2lid) => {
                if let Some(folder) = &self.cache {
                    let kept = files::write_guid2lid(folder, &guid2lid, self.fsync);
                    self.note(kept);
                }
            }
            Output::View(view) => self.dump(&view),
            Output::SaDatabase(database) => {
                if let Some(folder) = &self.dumps {
                    let kept = sa_file::write(folder, &database, self.fsync);
                    self.note(kept);
                }
            }
            Output::Groups(view) => {
                if let Some(folder) = &self.dumps {
                    let written = files::write_groups(folder, &view, self.log_flags);
                    self.note(written);
                }
            }
            _ => {}
        }
    }

    fn show(&self, report: &Report) -> Result<()> {
        if self.json {
            let text = serde_json::to_string_pretty(report)?;
            return terminal::print(&format!("{text}\n"));
        }
        terminal::print(&report.text(self.all))
    }

    fn dump(&mut self, view: &View) {
        if let Some(folder) = &self.dumps {
            let written = files::write_dumps(folder, view, self.log_flags);
            self.note(written);
        }
    }

    fn note(&mut self, result: Result<()>) {
        if let Err(error) = result {
            terminal::complain(&format!("lanekeeper: {error:#}"));
            self.trouble.get_or_insert(error);
        }
    }

    /// Opens the log again.
    pub(super) fn rotate(&mut self) {
        let opened = self.log.reopen(true);
        self.note(opened);
    }

    /// Reads the configuration and all that it names again, and asks for a heavy sweep.
    pub(super) fn reload(&mut self, effective: &mut Effective, setup: &Setup) -> Command {
        Command::Reload(Box::new(self.read_again(effective, setup)))
    }

    /// Reads them again if one of them has changed, for the next heavy sweep.
    pub(super) fn changed(&mut self, effective: &mut Effective, setup: &Setup) -> Option<Command> {
        let changed = self.watched.changed();
        changed.then(|| Command::Settings(Box::new(self.read_again(effective, setup))))
    }

    fn read_again(&mut self, effective: &mut Effective, setup: &Setup) -> Settings {
        let mut said = Diagnostics::new();
        match setup.config.as_deref().map(input::source) {
            Some(Ok(source)) => {
                let (conf, found) = opensm_conf::parse(&source);
                said.extend(found);
                said.extend(effective.reload(&conf).1);
            }
            Some(Err(failure)) => {
                failure.report();
                self.log.trouble(&format!("{failure}; the options stay as they are"));
            }
            None => {}
        }
        let guid2lid = setup.settings.guid2lid.clone();
        let simulated = setup.simulate.is_some();
        let last = self.partitions.as_ref();
        let settings = setup::settings(effective, simulated, guid2lid, last, &mut said);
        self.partitions.clone_from(&settings.partitions);
        let o = effective.options();
        self.log.set_limits(o.log_flags, o.log_max_size);
        self.log_flags = o.log_flags;
        self.fsync = o.fsync_high_avail_files;
        terminal::show(&said);
        self.log.findings(&said);
        settings
    }

    /// Ends; gives what went wrong on the way.
    pub(super) fn finish(self) -> Result<()> {
        self.trouble.map_or(Ok(()), Err)
    }
}
