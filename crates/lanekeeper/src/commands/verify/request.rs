//! The command line of `lanekeeper verify`.

use std::ffi::OsString;
use std::path::PathBuf;

use lk_config::command_line::{Argument, CommandLineOption, Effect, REQUIRE_LOOP_FREE};
use lk_routing::proof::SlSet;
use lk_sm::Settings;
use lk_wire::Sl;

use crate::commands::route::request::{IBNL_PATH, Words, one_fabric, understand, usage};
use crate::commands::snapshot::source::Source as Held;
use crate::failure::Failure;

const fn own(
    name: &'static [&'static str],
    argument: Argument,
    doc: &'static str,
) -> CommandLineOption {
    CommandLineOption { long: name, short: &[], argument, effect: Effect::Extra, doc }
}

/// What this command knows beside opensm's options.
static OWN: &[CommandLineOption] = &[
    own(
        &["live"],
        Argument::None,
        "Judge the tables that the ports and switches hold of the fabric that a port of this machine \
         is on; -g names the port. Nothing is written.",
    ),
    own(
        &["snapshot"],
        Argument::Required("FILE"),
        "Judge the tables in a snapshot, which `lanekeeper snapshot` has written.",
    ),
    own(
        &["dumps"],
        Argument::Required("DIR"),
        "Judge the tables in opensm's dump files there, in place of a fabric's file: \
         opensm-subnet.lst, opensm.fdbs or opensm-lfts.dump, and opensm.mcfdbs and \
         opensm-sl2vl.dump if they are there. \
         -l says the LMC that was in force.",
    ),
    own(
        &["tables"],
        Argument::Required("FILE"),
        "Judge these tables on the fabric of the other file, in place of an engine: an opensm.fdbs, \
         an opensm-lfts.dump, or what dump_fts or ibroute prints.",
    ),
    IBNL_PATH,
    REQUIRE_LOOP_FREE,
    own(
        &["path-sls"],
        Argument::Required("FILE"),
        "With --live, --snapshot, --dumps or --tables: the SLs of paths, one line each as ibdmchk -c takes them: GUID of the \
         sending node or port, LID, SL. Without it all paths have SL 0.",
    ),
    own(
        &["group-sls"],
        Argument::Required("SLS"),
        "With --live, --snapshot or --dumps: the SLs of packets to multicast groups: an SL, a list \
         with commas, or all. Without it they have SL 0.",
    ),
    own(
        &["fixed-sl"],
        Argument::Required("SLS"),
        "Also judge programs that send on one SL without asking the SA: an SL, a list with commas, \
         or all.",
    ),
    own(&["json"], Argument::None, "Print the verdict as JSON."),
];

/// How the command is called.
const USAGE: &str = "lanekeeper verify FABRIC";

/// Where the routes come from.
pub(super) enum Source {
    /// What a live fabric or a snapshot holds.
    Held(Held),
    /// Dump files in a folder.
    Dumps(PathBuf),
    /// A fabric's file, and one with tables.
    Tables(PathBuf, PathBuf),
    /// An engine, on the fabric of a file.
    Engine(PathBuf),
}

/// What is asked for.
pub(super) struct Request {
    /// Where the routes come from.
    pub(super) source: Source,
    /// Engines, roots and the like.
    pub(super) settings: Settings,
    /// Where definitions of systems are.
    pub(super) ibnl: Option<String>,
    /// The LMC, if one was asked for.
    pub(super) lmc: Option<u8>,
    /// The file with SLs of paths.
    pub(super) path_sls: Option<PathBuf>,
    /// The SLs of multicast packets, if they are said.
    pub(super) group_sls: Option<SlSet>,
    /// SLs that programs may use without asking.
    pub(super) fixed: Option<SlSet>,
    /// Whether the verdict is printed as JSON.
    pub(super) json: bool,
}

/// Understands the command line; nothing if help was all that was asked for.
///
/// # Errors
/// Options that opensm would refuse or that do not go together; a file that cannot be read.
pub(super) fn read(words: &[OsString]) -> Result<Option<Request>, Failure> {
    let Some(words) = understand(words, USAGE, OWN)? else { return Ok(None) };
    let Words { line, operands, mut settings, lmc } = words;
    let tables = line.extra("tables").map(PathBuf::from);
    let live = line.extra("live").map(|_| Held::Live);
    let file = || line.extra("snapshot").map(|file| Held::File(PathBuf::from(file)));
    let held = live.or_else(file);
    let source = match (line.extra("dumps"), operands.as_slice()) {
        (dumps, given) if held.is_some() => {
            let both = line.extra("live").is_some() && line.extra("snapshot").is_some();
            if both || dumps.is_some() || tables.is_some() || !given.is_empty() {
                let why = "--live and --snapshot hold all that is judged: no other fabric, no \
                           dumps and no tables go with them";
                return Err(usage(USAGE, why));
            }
            settings.tune_window = true;
            Source::Held(held.unwrap_or(Held::Live))
        }
        (Some(_), _) if tables.is_some() => {
            return Err(usage(USAGE, "--dumps holds tables already; what is --tables for?"));
        }
        (Some(folder), []) => Source::Dumps(PathBuf::from(folder)),
        (Some(_), [fabric, ..]) => {
            let why = format!("--dumps holds a fabric already; what is {fabric} for?");
            return Err(usage(USAGE, &why));
        }
        (None, _) => match (one_fabric(USAGE, &operands)?, tables) {
            (fabric, Some(tables)) => Source::Tables(fabric, tables),
            (fabric, None) => Source::Engine(fabric),
        },
    };
    let path_sls = line.extra("path-sls").map(PathBuf::from);
    if path_sls.is_some() && matches!(source, Source::Engine(_)) {
        return Err(usage(
            USAGE,
            "--path-sls goes with --live, --snapshot, --dumps or --tables: an engine knows its own SLs",
        ));
    }
    let list = |name: &str| {
        let list = line.extra(name).map(|text| sls(name, text)).transpose();
        list.map_err(|why| usage(USAGE, &why))
    };
    let (fixed, group_sls) = (list("fixed-sl")?, list("group-sls")?);
    if group_sls.is_some() && !matches!(source, Source::Dumps(_) | Source::Held(_)) {
        let why = "--group-sls goes with --live, --snapshot or --dumps, which hold groups' tables";
        return Err(usage(USAGE, why));
    }
    let json = line.extra("json").is_some();
    let ibnl = line.extra("ibnl-path").map(str::to_owned);
    Ok(Some(Request { ibnl, source, settings, lmc, path_sls, group_sls, fixed, json }))
}

/// `all`, or SLs with commas between them.
fn sls(option: &str, text: &str) -> Result<SlSet, String> {
    if text == "all" {
        return Ok(SlSet::ALL);
    }
    text.split(',').try_fold(SlSet::EMPTY, |set, word| {
        let number = word.trim().parse::<u8>().ok().filter(|sl| *sl < 16);
        number
            .map(|sl| set.with(Sl(sl)))
            .ok_or_else(|| format!("--{option} {text}: {word:?} is no SL (0 to 15)"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_sls() {
        assert_eq!(sls("fixed-sl", "all"), Ok(SlSet::ALL));
        assert_eq!(sls("fixed-sl", "0"), Ok(SlSet::one(Sl(0))));
        assert_eq!(sls("fixed-sl", "3, 15"), Ok(SlSet::one(Sl(3)).with(Sl(15))));
        for wrong in ["", "16", "0,,1", "any", "-1"] {
            assert!(sls("fixed-sl", wrong).is_err(), "{wrong}");
        }
    }
}
