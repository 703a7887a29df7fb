//! The known traps: where OpenSM drops, cuts, ignores or changes what a site wants of QoS, and the
//! codes that show each. A trap that neither a file nor a fabric can show says why.

/// What a trap has to do with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Area {
    /// Options.
    Options,
    /// Tables of ports.
    Tables,
    /// The QoS policy.
    Policy,
    /// Answers of the subnet administration.
    Answers,
    /// Partitions.
    Partitions,
}

impl Area {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Options => "options",
            Self::Tables => "tables",
            Self::Policy => "policy",
            Self::Answers => "answers",
            Self::Partitions => "partitions",
        }
    }
}

/// A trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its number, from 1.
    pub number: u8,
    /// What it has to do with.
    pub area: Area,
    /// What happens.
    pub trap: &'static str,
    /// The codes that show it.
    pub codes: &'static [&'static str],
    /// Why there is none.
    pub not_shown: &'static str,
    /// What of it is seen on a live fabric.
    pub live: Live,
}

/// What of a trap is seen on a fabric that a manager brought up which had fallen into it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Live {
    /// These codes are found. That was tried with opensm itself.
    Tried(&'static [&'static str]),
    /// These codes would be found; why it was not tried with opensm.
    Untried(&'static [&'static str], &'static str),
    /// Nothing, and why.
    Nothing(&'static str),
}

const fn by(number: u8, area: Area, trap: &'static str, codes: &'static [&'static str]) -> Row {
    Row { number, area, trap, codes, not_shown: "", live: live(number) }
}

const fn not(number: u8, area: Area, trap: &'static str, not_shown: &'static str) -> Row {
    Row { number, area, trap, codes: &[], not_shown, live: live(number) }
}

/// What ports and switches hold says nothing of what the subnet administration answers.
const ANSWERS: Live = Live::Nothing("only answers of the subnet administration differ");

/// What is seen of each trap on a live fabric.
const fn live(number: u8) -> Live {
    use Live::{Nothing, Tried, Untried};
    match number {
        1 | 2 | 6 | 10 | 13 | 27 | 29 => Tried(&["QO101"]),
        3 | 7 => Tried(&["QO104"]),
        4 | 8 | 20 => Tried(&["QO106"]),
        5 => Tried(&["QO103", "QO104"]),
        9 | 55 => Tried(&["QO114"]),
        11 => Nothing("ports hold what they would hold without the line"),
        12 | 18 => Tried(&["QO123"]),
        14 => Tried(&["QO018"]),
        16 => Nothing("SMSL says a number, and not which one was meant"),
        17 => Tried(&["QO105"]),
        19 => Nothing("the zeros are what the list is read as"),
        21 => Nothing("ports hold the built-in tables as they should; `explain` has the shares"),
        22 => Untried(&["QO101", "QO105"], "simulators have no such switches"),
        23 => Nothing("port 0 holds the list; who meets it is no state of a port"),
        24 => Untried(&["QO016"], "ibsim's ports all map SLs"),
        25 | 26 => Untried(&["QO101"], "ibsim's ports refuse no table"),
        28 => Tried(&["QO001"]),
        57 => Tried(&["QO122"]),
        62 | 63 | 71 => Tried(&["QO124"]),
        64 => Nothing("the full key that a port holds is what a `both` member talks with"),
        67 => Tried(&["QO055"]),
        68 => Nothing("one look at the fabric shows one of the keys"),
        72 => Tried(&["QO125"]),
        73 => Nothing("it is about how long the manager waits"),
        74 => Nothing("keys of congestion control are not read"),
        75 => Nothing("it is about the time that a sweep takes"),
        _ => ANSWERS,
    }
}

/// All traps.
pub static ROWS: &[Row] = &[
    by(1, Area::Options, "`qos true`, `yes` and `1` mean off", &["CF005"]),
    by(2, Area::Options, "`key=value` lines are unknown words", &["CF008"]),
    by(3, Area::Options, "lines of more than 1,022 characters are cut", &["CF009"]),
    by(4, Area::Options, "a mangled `qos_` list is programmed all the same", &["CF017", "CF018"]),
    by(5, Area::Options, "an empty value is not the default", &["CF006", "QO011"]),
    by(6, Area::Options, "a stray blank or letter inserts zeros into a list", &["CF018"]),
    by(7, Area::Options, "what a short SL2VL list leaves out goes to VL0", &["CF018"]),
    by(8, Area::Options, "VLs wrap modulo 15 and weights modulo 256", &["CF017"]),
    by(9, Area::Options, "SL2VL values wrap modulo 16", &["CF018"]),
    by(
        10,
        Area::Options,
        "a high_limit out of range, or one that is no number",
        &["CF016", "CF007"],
    ),
    by(11, Area::Options, "`max_vls` has no effect", &["CF015"]),
    by(12, Area::Options, "`max_op_vls` is a code", &["CF020", "QO012"]),
    by(
        13,
        Area::Options,
        "a line that is taken out stays in force until a restart",
        &["CF024", "CF023"],
    ),
    by(14, Area::Options, "turning QoS off leaves tables and VLHighLimit", &["QO018"]),
    by(15, Area::Options, "prefix routes are not read without an opensm.conf", &["QO019"]),
    by(16, Area::Options, "`sm_sl` and `lash_start_vl` are not checked", &["CF007"]),
    by(17, Area::Tables, "the first sweep masks by the OperVLs that it finds", &["QO101"]),
    by(
        18,
        Area::Tables,
        "VLs above OperVLs fold, so that classes share a lane",
        &["QO001", "QO005", "QO022"],
    ),
    by(19, Area::Tables, "the second half of a table of 64 entries is zeros", &["QO013"]),
    by(20, Area::Tables, "entries beyond a port's capacity are cut", &["QO006"]),
    by(21, Area::Tables, "the built-in lists serve VL0 by single packets", &["QO014"]),
    by(
        22,
        Area::Tables,
        "optimised SL2VL programming overwrites ports with other OperVLs",
        &["QO101", "QO105"],
    ),
    by(23, Area::Tables, "`qos_sw0_sl2vl` reaches only port 0's own packets", &["QO015"]),
    by(24, Area::Tables, "devices without SL mapping are passed over", &["QO016"]),
    by(25, Area::Tables, "a refused table does not fail the sweep", &["QO101"]),
    by(
        26,
        Area::Tables,
        "`suppress_sl2vl_mad_status_errors` takes refused tables as set",
        &["QO017"],
    ),
    by(27, Area::Tables, "tables are never read back", &["QO101"]),
    by(28, Area::Tables, "ports with one lane have no arbitration", &["QO001"]),
    by(29, Area::Tables, "torus-2QoS has SL2VL tables of its own", &["CF095"]),
    by(30, Area::Policy, "any error loses the whole policy", &["CF060"]),
    by(
        31,
        Area::Policy,
        "DOS line ends, a last comment, capitals, empty sections",
        &["CF062", "CF060"],
    ),
    by(
        32,
        Area::Policy,
        "an `ipoib` rule while the default partition lacks full members",
        &["QO030", "CF060"],
    ),
    by(33, Area::Policy, "unquoted names with blanks never match", &["CF064"]),
    by(34, Area::Policy, "unknown GUIDs, names and keys vanish", &["CF066", "QO031"]),
    by(35, Area::Policy, "the node name map changes the names of `port-name`", &["QO032"]),
    by(36, Area::Policy, "qos-setup is never applied", &["CF065"]),
    by(37, Area::Policy, "path-bits are not used", &["CF061"]),
    by(38, Area::Policy, "an SL of 16 or more makes all its queries fail", &["CF063"]),
    by(39, Area::Policy, "numbers with a leading 0 are octal", &["CF007"]),
    by(40, Area::Policy, "P_Key ranges are masked bound by bound", &["CF007"]),
    by(41, Area::Policy, "`source-target-port-guid` wants both ends", &["CF064"]),
    by(
        42,
        Area::Policy,
        "`srp` takes all traffic to the port, rds and iser share numbers",
        &["CF064", "QO033", "QO039"],
    ),
    by(43, Area::Policy, "a `default` in qos-ulps beside a DEFAULT level, or twice", &["CF061"]),
    by(44, Area::Policy, "of two levels or groups of a name the first counts", &["CF061"]),
    not(
        45,
        Area::Policy,
        "rules of a broken file come back in the next good one",
        "OpenSM's state between two reads; the broken file itself is CF060, and Lanekeeper forgets it",
    ),
    by(46, Area::Policy, "a packet-life above 63 corrupts the answer", &["CF007"]),
    by(47, Area::Policy, "rules on fields that clients leave out", &["QO034"]),
    by(48, Area::Answers, "any policy overrides the SL of partitions for unicast", &["QO035"]),
    by(49, Area::Answers, "a level with a P_Key answers without the membership bit", &["QO037"]),
    by(50, Area::Answers, "the partition is the first by reversed bytes", &["QO056"]),
    not(
        51,
        Area::Answers,
        "a client that asks for another SL than its level's gets no path",
        "depends on the query: `lanekeeper explain` answers it",
    ),
    by(52, Area::Answers, "lash, dfsssp, nue and torus-2QoS replace SLs", &["QO036"]),
    not(
        53,
        Area::Answers,
        "dfsssp draws the SL at random for each query",
        "depends on chance in OpenSM; Lanekeeper's SL of a path is always the same",
    ),
    not(
        54,
        Area::Answers,
        "MultiPathRecord ignores the engine's SL",
        "shows in answers of OpenSM's SA only; Lanekeeper's has the engine's SL",
    ),
    by(55, Area::Answers, "an SL that some port drops has no path", &["QO002"]),
    by(56, Area::Answers, "the engine's SL is not checked against drops", &["QO002"]),
    by(
        57,
        Area::Answers,
        "the policy reaches neither the SM's SL nor multicast joins",
        &["QO002", "QO035"],
    ),
    by(58, Area::Answers, "limits only lower", &["QO041"]),
    by(59, Area::Partitions, "`sl=` is dropped while QoS is off", &["QO050"]),
    by(60, Area::Partitions, "of two statements for a key the later resets the SL", &["QO051"]),
    not(
        61,
        Area::Partitions,
        "the default partition's SL outlives its line",
        "OpenSM's state between two reads; Lanekeeper's partitions come from the file as it is",
    ),
    by(62, Area::Partitions, "one bad word, and all partitions vanish", &["CF080"]),
    by(63, Area::Partitions, "words are matched by their beginning", &["CF081"]),
    by(64, Area::Partitions, "`both` without -W is full", &["QO052"]),
    by(65, Area::Partitions, "`mtu=2048`: no broadcast group", &["CF081", "QO053"]),
    by(66, Area::Partitions, "`scope=` does not reach the broadcast group", &["QO054"]),
    by(67, Area::Partitions, "with -W limited default members have nothing at index 0", &["QO055"]),
    by(68, Area::Partitions, "a statement without name and key changes its key", &["CF081"]),
    not(
        69,
        Area::Partitions,
        "groups keep their attributes until a restart",
        "the state of a running OpenSM; Lanekeeper changes a group once nobody is in it",
    ),
    by(70, Area::Partitions, "comment text becomes a group's flags", &["QO063"]),
    by(71, Area::Partitions, "a file with DOS line ends is thrown away", &["CF084"]),
    by(72, Area::Options, "words at which OpenSM crashes", &["CF022", "CF016"]),
    by(73, Area::Options, "`-t 0` is said to be ignored and stored", &["CF004"]),
    by(74, Area::Options, "`--cc_key` is stored in the other order of bytes", &["CF028"]),
    by(75, Area::Policy, "huge ranges of GUIDs are walked one by one", &["QO038"]),
];
