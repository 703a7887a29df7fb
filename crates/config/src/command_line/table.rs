//! The options of the command line.

use Argument::{None as Nothing, Required};

/// Whether an option has an argument, and what it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// It has none.
    None,
    /// It always has one.
    Required(&'static str),
    /// It may have one, behind `=` or directly behind its letter.
    Optional(&'static str),
}

/// What an option does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Print the version and exit.
    Version,
    /// Print help and exit.
    Help,
    /// Read this configuration file.
    Config,
    /// Write the options in force to a file and exit.
    CreateConfig,
    /// One sweep, then exit.
    Once,
    /// Write the process id to a file.
    PidFile,
    /// Set an option of the file to the argument.
    Set(&'static str),
    /// The same; the argument is hexadecimal with or without `0x`.
    SetHex(&'static str),
    /// Set an option of the file to this value.
    Fixed(&'static str, &'static str),
    /// One more log level.
    Verbose,
    /// All log levels, and flush.
    VeryVerbose,
    /// A debug option by number.
    Debug,
    /// An option of the program itself, asked for by [`super::CommandLine::extra`].
    Extra,
}

/// An option of the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandLineOption {
    /// Its long names.
    pub long: &'static [&'static str],
    /// Its letters.
    pub short: &'static [char],
    /// Its argument.
    pub argument: Argument,
    /// What it does.
    pub effect: Effect,
    /// What it means. Empty for one whose option of the file says it.
    pub doc: &'static str,
}

impl CommandLineOption {
    /// The option of the file that it sets, if it sets just one.
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        match self.effect {
            Effect::Set(key) | Effect::SetHex(key) | Effect::Fixed(key, _) => Some(key),
            _ => None,
        }
    }

    /// How it may be written, as in `-s, --sweep SECONDS`.
    #[must_use]
    pub fn forms(&self) -> String {
        let short = self.short.iter().map(|letter| format!("-{letter}"));
        let long = self.long.iter().map(|name| format!("--{name}"));
        let names = short.chain(long).collect::<Vec<_>>().join(", ");
        match self.argument {
            Nothing => names,
            Required(what) => format!("{names} {what}"),
            Argument::Optional(what) => format!("{names}[={what}]"),
        }
    }
}

const fn option(
    long: &'static [&'static str],
    short: &'static [char],
    argument: Argument,
    effect: Effect,
    doc: &'static str,
) -> CommandLineOption {
    CommandLineOption { long, short, argument, effect, doc }
}

/// Sets an option of the file to the argument.
const fn set(
    long: &'static [&'static str],
    short: &'static [char],
    argument: &'static str,
    key: &'static str,
) -> CommandLineOption {
    option(long, short, Required(argument), Effect::Set(key), "")
}

/// Turns an option of the file on.
const fn on(
    long: &'static [&'static str],
    short: &'static [char],
    key: &'static str,
) -> CommandLineOption {
    option(long, short, Nothing, Effect::Fixed(key, "TRUE"), "")
}

/// OpenSM's options, in the order of its help.
pub static OPTIONS: &[CommandLineOption] = &[
    option(&["version"], &[], Nothing, Effect::Version, "Print the version and exit."),
    option(
        &["config"],
        &['F'],
        Required("FILE"),
        Effect::Config,
        "Read options from this file instead of /etc/opensm/opensm.conf.",
    ),
    option(
        &["create-config"],
        &['c'],
        Required("FILE"),
        Effect::CreateConfig,
        "Write the options in force to this file, with comments, and exit.",
    ),
    option(
        &["guid"],
        &['g'],
        Required("GUID"),
        Effect::SetHex("guid"),
        "Bind to the local port with this GUID, in hexadecimal. 0 lists the ports and asks.",
    ),
    set(&["lmc"], &['l'], "LMC", "lmc"),
    set(&["priority"], &['p'], "PRIORITY", "sm_priority"),
    option(
        &["subnet_prefix"],
        &[],
        Required("PREFIX"),
        Effect::SetHex("subnet_prefix"),
        "Subnet prefix of all GIDs, in hexadecimal.",
    ),
    option(
        &["smkey"],
        &['k'],
        Required("SM_KEY"),
        Effect::SetHex("sm_key"),
        "Key that proves SMs of this subnet to each other, in hexadecimal.",
    ),
    on(&["reassign_lids"], &['r'], "reassign_lids"),
    set(&["routing_engine"], &['R'], "ENGINES", "routing_engine"),
    on(&["do_mesh_analysis"], &[], "do_mesh_analysis"),
    set(&["lash_start_vl"], &[], "VL", "lash_start_vl"),
    set(&["sm_sl"], &[], "SL", "sm_sl"),
    set(&["nue_max_num_vls"], &[], "VLS", "nue_max_num_vls"),
    on(&["connect_roots"], &['z'], "connect_roots"),
    on(&["ucast_cache"], &['A'], "use_ucast_cache"),
    set(&["lid_matrix_file"], &['M'], "FILE", "lid_matrix_dump_file"),
    set(&["lfts_file"], &['U'], "FILE", "lfts_file"),
    set(&["sadb_file"], &['S'], "FILE", "sa_db_file"),
    set(&["root_guid_file"], &['a'], "FILE", "root_guid_file"),
    set(&["cn_guid_file"], &['u'], "FILE", "cn_guid_file"),
    set(&["io_guid_file"], &['G'], "FILE", "io_guid_file"),
    on(&["port-shifting"], &[], "port_shifting"),
    set(&["scatter-ports"], &[], "SEED", "scatter_ports"),
    set(&["max_reverse_hops"], &['H'], "HOPS", "max_reverse_hops"),
    set(&["ids_guid_file"], &['m'], "FILE", "ids_guid_file"),
    set(&["guid_routing_order_file"], &['X'], "FILE", "guid_routing_order_file"),
    set(&["torus_config"], &[], "FILE", "torus_config"),
    option(
        &["once"],
        &['o'],
        Nothing,
        Effect::Once,
        "Set the subnet up once, then exit. Ports stay active.",
    ),
    set(&["sweep"], &['s'], "SECONDS", "sweep_interval"),
    set(&["timeout"], &['t'], "MILLISECONDS", "transaction_timeout"),
    set(&["retries"], &[], "NUMBER", "transaction_retries"),
    set(&["maxsmps"], &['n'], "NUMBER", "max_wire_smps"),
    set(&["console"], &['q'], "off|local|loopback|socket", "console"),
    set(&["console-port"], &['C'], "PORT", "console_port"),
    set(&["ignore_guids"], &['i'], "FILE", "port_prof_ignore_file"),
    set(&["hop_weights_file"], &['w'], "FILE", "hop_weights_file"),
    set(&["port_search_ordering_file"], &['O'], "FILE", "port_search_ordering_file"),
    option(
        &["dimn_ports_file"],
        &[],
        Required("FILE"),
        Effect::Set("port_search_ordering_file"),
        "Old name of --port_search_ordering_file.",
    ),
    on(&["honor_guid2lid"], &['x'], "honor_guid2lid_file"),
    set(&["dump_files_dir"], &[], "FOLDER", "dump_files_dir"),
    set(&["log_file"], &['f'], "FILE", "log_file"),
    set(&["log_limit"], &['L'], "MB", "log_max_size"),
    option(
        &["erase_log_file"],
        &['e'],
        Nothing,
        Effect::Fixed("accum_log_file", "FALSE"),
        "Start with an empty log file.",
    ),
    set(&["Pconfig"], &['P'], "FILE", "partition_config_file"),
    option(
        &["no_part_enforce"],
        &['N'],
        Nothing,
        Effect::Fixed("no_partition_enforcement", "TRUE"),
        "Old form of --part_enforce off.",
    ),
    set(&["part_enforce"], &['Z'], "both|in|out|off", "part_enforce"),
    on(&["allow_both_pkeys"], &['W'], "allow_both_pkeys"),
    on(&["qos"], &['Q'], "qos"),
    set(&["qos_policy_file"], &['Y'], "FILE", "qos_policy_file"),
    on(&["congestion_control"], &[], "congestion_control"),
    set(&["cc_key"], &[], "KEY", "cc_key"),
    option(
        &["stay_on_fatal"],
        &['y'],
        Nothing,
        Effect::Fixed("exit_on_fatal", "FALSE"),
        "Go on when GUIDs are duplicate and the like.",
    ),
    on(&["daemon"], &['B'], "daemon"),
    option(
        &["pidfile"],
        &['J'],
        Required("FILE"),
        Effect::PidFile,
        "Write the process id to this file when run in the background.",
    ),
    on(&["inactive"], &['I'], "sm_inactive"),
    on(&["perfmgr"], &[], "perfmgr"),
    set(&["perfmgr_sweep_time_s"], &[], "SECONDS", "perfmgr_sweep_time_s"),
    set(&["prefix_routes_file"], &[], "FILE", "prefix_routes_file"),
    on(&["consolidate_ipv6_snm_req"], &[], "consolidate_ipv6_snm_req"),
    on(&["guid_routing_order_no_scatter"], &[], "guid_routing_order_no_scatter"),
    set(&["log_prefix"], &[], "TEXT", "log_prefix"),
    option(
        &["verbose"],
        &['v'],
        Nothing,
        Effect::Verbose,
        "Log one level more: first verbose, then debug and so on. May be repeated.",
    ),
    option(
        &["V"],
        &['V'],
        Nothing,
        Effect::VeryVerbose,
        "Log everything and flush after each message: as -D 0xFF -d 2.",
    ),
    set(&["D"], &['D'], "FLAGS", "log_flags"),
    option(
        &["debug"],
        &['d'],
        Required("NUMBER"),
        Effect::Debug,
        "0 ignores other SMs, 1 forces a single thread, 2 flushes the log after each message, \
         3 disables multicast.",
    ),
    option(&["help"], &['h', '?'], Nothing, Effect::Help, "Print this text and exit."),
];
