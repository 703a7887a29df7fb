//! From the command line and the files that it names to the settings of a run.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use lk_config::command_line::{Actions, SM_OPTIONS, UsageError, help_text};
use lk_config::{CommandLine, Effective, Options, PartitionsConf, opensm_conf};
use lk_diag::{Diagnostics, SourceFile};
use lk_sm::{Guid2Lid, Mode, Settings};

use super::{USAGE, background, files, partitions, policy, routing, sa_file, torus_qos};
use crate::failure::Failure;
use crate::terminal;

/// What the command line asks for.
pub(super) enum Request {
    /// Print this and end with this code.
    Print { text: String, code: u8 },
    /// All is done.
    Done,
    /// Start once more, in the background.
    Background,
    /// Run.
    Run(Box<Setup>),
}

/// A simulated fabric to run on.
pub(super) struct Simulate {
    pub(super) fabric: PathBuf,
    /// Where definitions of systems are.
    pub(super) ibnl: Option<String>,
    pub(super) state: Option<PathBuf>,
    pub(super) seed: u64,
}

/// Everything that a run needs.
pub(super) struct Setup {
    pub(super) effective: Effective,
    /// The file that was read, to be read again at SIGHUP.
    pub(super) config: Option<PathBuf>,
    pub(super) actions: Actions,
    pub(super) settings: Settings,
    pub(super) mode: Mode,
    pub(super) simulate: Option<Simulate>,
    /// Where guid2lid is kept; none: it is not.
    pub(super) cache: Option<PathBuf>,
    /// Where dumps go; none: there are none.
    pub(super) dumps: Option<PathBuf>,
    /// Where the log goes; none: to standard output.
    pub(super) log: Option<PathBuf>,
    pub(super) json: bool,
    pub(super) all: bool,
    /// What was to be said of the command line and the files; it has been shown.
    pub(super) said: Diagnostics,
}

/// Refuses options of ours that mean nothing without another one, and a file that belongs to no
/// option: who forgets a word must not find the real fabric configured.
fn belong_together(line: &CommandLine) -> Result<(), Failure> {
    let needs = [
        ("sim-state", "sim"),
        ("sim-seed", "sim"),
        ("ibnl-path", "sim"),
        ("json", "plan"),
        ("all", "plan"),
    ];
    for (option, other) in needs {
        if line.extra(option).is_some() && line.extra(other).is_none() {
            return Err(anyhow!("--{option} means nothing without --{other}").into());
        }
    }
    match line.operands.iter().find(|o| Path::new(&o.text).exists()) {
        Some(file) => Err(anyhow!(
            "the file {} belongs to no option. A fabric to simulate is given by --sim",
            file.text
        )
        .into()),
        None => Ok(()),
    }
}

fn usage(error: &UsageError) -> Failure {
    Failure::Unusable(anyhow!("{error}. `lanekeeper sm --help` lists the options"))
}

/// The arguments as text.
///
/// # Errors
/// One that is not valid UTF-8.
pub(in crate::commands) fn utf8(words: &[OsString]) -> Result<Vec<String>, Failure> {
    let text = |word: &OsString| {
        let text = word.to_str().map(str::to_owned);
        text.ok_or_else(|| anyhow!("the argument {word:?} is not valid UTF-8").into())
    };
    words.iter().map(text).collect()
}

/// Understands the command line and reads what it names.
pub(super) fn read(words: &[OsString]) -> Result<Request, Failure> {
    let words = utf8(words)?;
    let line = CommandLine::parse(&words, SM_OPTIONS).map_err(|e| usage(&e))?;
    belong_together(&line)?;
    let environment = |name| std::env::var(name).ok();
    let mut effective = Effective::new(environment("OSM_TMP_DIR").as_deref());
    let mut said = Diagnostics::new();
    let config = load_config(&line, &mut effective, &mut said)?;
    let (actions, from_line) = line.apply(&mut effective).map_err(|e| usage(&e))?;
    said.extend(from_line);
    if actions.help {
        return Ok(Request::Print { text: help_text("lanekeeper sm", SM_OPTIONS), code: USAGE });
    }
    if actions.version {
        let text = format!("lanekeeper {}\n", env!("CARGO_PKG_VERSION"));
        return Ok(Request::Print { text, code: 0 });
    }
    if let Some(path) = &actions.create_config {
        let (text, notes) = opensm_conf::write(effective.options());
        fs::write(path, text).with_context(|| format!("cannot write {path}"))?;
        said.extend(notes);
        terminal::show(&said);
        return Ok(Request::Done);
    }
    let plan = line.extra("plan").is_some();
    if effective.options().daemon && !plan && !background::is_started() {
        // What is to be said is said by the one that runs there.
        return Ok(Request::Background);
    }
    said.extend(effective.verify());
    said.extend(effective.notices());
    let simulate = simulate(&line)?;
    let (cache, dumps, log) = places(&effective, simulate.is_some());
    let guid2lid = known_lids(effective.options(), cache.as_deref(), &mut said)?;
    let mut settings = settings(&effective, simulate.is_some(), guid2lid, None, &mut said);
    sa_file::read(&effective, &mut settings, &mut said);
    settings.started = today();
    terminal::show(&said);
    let mode = match (plan, actions.once) {
        (true, _) => Mode::Plan,
        (false, true) => Mode::Once,
        (false, false) => Mode::Daemon,
    };
    Ok(Request::Run(Box::new(Setup {
        effective,
        config,
        actions,
        settings,
        mode,
        simulate,
        cache,
        dumps,
        log,
        json: line.extra("json").is_some(),
        all: line.extra("all").is_some(),
        said,
    })))
}

/// The time in seconds since 1970.
fn today() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

/// The LIDs of earlier runs, which count for nothing with `reassign_lids`: the file is not even
/// read then.
fn known_lids(
    options: &Options,
    cache: Option<&Path>,
    said: &mut Diagnostics,
) -> Result<Guid2Lid, Failure> {
    match cache.filter(|_| !options.reassign_lids) {
        Some(folder) => files::read_guid2lid(folder, options.lmc, said),
        None => Ok(Guid2Lid::new()),
    }
}

/// The settings of a run: the options in force and what the files hold that they name. `last` are
/// the partitions that were in force until now.
pub(in crate::commands) fn settings(
    effective: &Effective,
    simulated: bool,
    guid2lid: Guid2Lid,
    last: Option<&Arc<PartitionsConf>>,
    said: &mut Diagnostics,
) -> Settings {
    let mut settings = Settings::new(effective.options().clone(), guid2lid);
    settings.tune_window = effective.origin("max_wire_smps").place().is_none();
    routing::read(effective, &mut settings, said);
    files::node_names(effective, &mut settings, said);
    settings.partitions = partitions::read(effective, simulated, last, said);
    policy::read(effective, simulated, &mut settings, said);
    torus_qos::look(effective, settings.policy.as_deref(), said);
    settings
}

/// Reads the configuration file. Without `-F` it need not exist.
pub(in crate::commands) fn load_config(
    line: &CommandLine,
    effective: &mut Effective,
    said: &mut Diagnostics,
) -> Result<Option<PathBuf>, Failure> {
    let named = line.config_file().map_err(|e| usage(&e))?;
    // On a simulated fabric the site's own file counts only if it is named.
    if named.is_none() && line.extra("sim").is_some() {
        return Ok(None);
    }
    let path = Path::new(named.unwrap_or(opensm_conf::DEFAULT_PATH));
    let source = match fs::read(path) {
        Ok(bytes) => SourceFile::new(path.display().to_string(), bytes),
        Err(e) if e.kind() == ErrorKind::NotFound && named.is_none() => return Ok(None),
        Err(e) => return Err(anyhow!(e).context(format!("cannot read {}", path.display())).into()),
    };
    let (conf, found) = opensm_conf::parse(&source);
    said.extend(found);
    effective.load(&conf);
    Ok(Some(path.to_owned()))
}

fn simulate(line: &CommandLine) -> Result<Option<Simulate>, Failure> {
    let Some(fabric) = line.extra("sim") else { return Ok(None) };
    let seed = match line.extra("sim-seed") {
        Some(text) => text.parse().with_context(|| format!("--sim-seed {text}: not a number"))?,
        None => 1,
    };
    Ok(Some(Simulate {
        fabric: PathBuf::from(fabric),
        ibnl: line.extra("ibnl-path").map(str::to_owned),
        state: line.extra("sim-state").map(PathBuf::from),
        seed,
    }))
}

/// Where cache, dumps and log go. A simulated fabric leaves the system's own folders alone.
fn places(
    effective: &Effective,
    simulated: bool,
) -> (Option<PathBuf>, Option<PathBuf>, Option<PathBuf>) {
    let options = effective.options();
    let named = |key: &str| effective.origin(key).place().is_some();
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("OSM_CACHE_DIR")
        .or_else(|| (!simulated).then(|| PathBuf::from("/var/cache/opensm")));
    let dumps_named = named("dump_files_dir") || variable("OSM_TMP_DIR").is_some();
    let dumps = options.dump_files_dir.as_ref().filter(|_| !simulated || dumps_named);
    let log = options.log_file.as_ref().filter(|f| f.as_str() != "stdout" && f.as_str() != "-");
    let log = log.filter(|_| !simulated || named("log_file"));
    (cache, dumps.map(PathBuf::from), log.map(PathBuf::from))
}
