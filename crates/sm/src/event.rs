//! All that the core has to say, as one closed enum: the log line, the metric and the test's
//! oracle are made from the same value.

mod words;

use std::fmt;

use lk_fabric::diff::NodeRef;
use lk_wire::{DirPath, Gid, Guid, Lid, PKey, Sl, Status, attr, method};

use crate::counts::Counts;
use crate::plan::Writing;
use crate::sa::path::NoPath;
use crate::verdict::{Lost, Round, Step};

pub use crate::level::Level;

/// What a subnet manager is at the moment (IBA 14.4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SmState {
    /// Switched off by configuration.
    NotActive,
    /// Looking for other subnet managers.
    Discovering,
    /// Another one is master.
    Standby,
    /// This one configures the subnet.
    Master,
}

impl SmState {
    /// SMInfo.SMState.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::NotActive => 0,
            Self::Discovering => 1,
            Self::Standby => 2,
            Self::Master => 3,
        }
    }
}

impl fmt::Display for SmState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotActive => "NOT-ACTIVE",
            Self::Discovering => "DISCOVERING",
            Self::Standby => "STANDBY",
            Self::Master => "MASTER",
        })
    }
}

/// Why a heavy sweep was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The first one.
    Start,
    /// A command asked for it (SIGHUP, console).
    Command,
    /// `force_heavy_sweep` is set.
    Forced,
    /// The last sweep left something undone.
    Unfinished,
    /// A switch reported that one of its ports changed.
    PortStateChange(Guid),
    /// A switch did not answer the light sweep.
    SwitchSilent(Guid),
    /// A trap came in.
    Trap(u16),
    /// The master SM is gone.
    MasterGone,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::Command => f.write_str("asked for"),
            Self::Forced => f.write_str("force_heavy_sweep is set"),
            Self::Unfinished => f.write_str("the last sweep left something undone"),
            Self::PortStateChange(g) => write!(f, "switch {g} reports a port state change"),
            Self::SwitchSilent(g) => write!(f, "switch {g} does not answer"),
            Self::Trap(n) => write!(f, "trap {n}"),
            Self::MasterGone => f.write_str("the master SM does not answer"),
        }
    }
}

/// A request in words: what was asked of which node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestName {
    /// The method.
    pub method: u8,
    /// The attribute.
    pub attribute: u16,
    /// The attribute modifier.
    pub modifier: u32,
    /// The directed route it took.
    pub path: DirPath,
    /// The node's description, where it is known.
    pub node: Option<String>,
}

impl RequestName {
    /// What a refusal of this request is: no error where it concerns an SL2VL table and those are
    /// suppressed.
    pub(crate) fn refused(self, status: Status, suppress_sl2vl: bool) -> Event {
        if suppress_sl2vl && self.attribute == attr::SL2VL {
            Event::RefusalSuppressed(self, status)
        } else {
            Event::Refused(self, status)
        }
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match self.method {
            method::GET => "Get",
            method::SET => "Set",
            _ => "Send",
        };
        write!(f, "{method}({}) modifier 0x{:x}", Attr(self.attribute), self.modifier)?;
        match &self.node {
            Some(node) => write!(f, " to {node:?} on path {}", self.path),
            None => write!(f, " on path {}", self.path),
        }
    }
}

/// An attribute by its name, or by its number where it has none.
struct Attr(u16);

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match attr::name(self.0) {
            Some(name) => f.write_str(name),
            None => write!(f, "attribute 0x{:x}", self.0),
        }
    }
}

/// Figures of a finished sweep.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SweepFigures {
    /// Requests sent, first tries only.
    pub gets: u64,
    /// Set requests sent, first tries only.
    pub sets: u64,
    /// Requests that went out again.
    pub retries: u64,
    /// Rounds of observing and comparing that it took.
    pub rounds: u32,
    /// Nanoseconds from start to end.
    pub nanos: u64,
}

impl fmt::Display for SweepFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gets, sets, retries, rounds, .. } = self;
        write!(f, "{gets} Gets, {sets} Sets, {retries} retries, {rounds} rounds")
    }
}

/// A change of the torus that torus-2QoS routes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TorusChange {
    /// A switch or links came or went, by coordinates.
    One(String),
    /// More changed than `max_changes` allows to be told: how many more.
    More(usize),
}

impl fmt::Display for TorusChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(change) => write!(f, "torus: {change}"),
            Self::More(count) => {
                write!(f, "torus: {count} more changes (max_changes in torus-2QoS.conf)")
            }
        }
    }
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The SM went from one state to another.
    State(SmState),
    /// A heavy sweep began.
    HeavySweep(Reason),
    /// A light sweep began.
    LightSweep,
    /// The fabric as it was found.
    Discovered {
        /// Nodes of all kinds.
        nodes: usize,
        /// Switches among them.
        switches: usize,
        /// Cables.
        links: usize,
    },
    /// No answer after all retries.
    NoAnswer(RequestName),
    /// An answer with an error status.
    Refused(RequestName, Status),
    /// An SL2VL table was refused and `suppress_sl2vl_mad_status_errors` is set: the port does not
    /// hold the table, but that counts as no error.
    RefusalSuppressed(RequestName, Status),
    /// A datagram came that answers nothing that was asked.
    UnexpectedMad {
        /// Its method.
        method: u8,
        /// Its attribute.
        attribute: u16,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Ports took a Set but hold something else than they were told to.
    HoldsOther {
        /// The first of the requests.
        request: RequestName,
        /// How many requests ended so.
        count: usize,
        /// The fields that differ: what was asked for and what they hold.
        fields: String,
    },
    /// Two nodes answer with one GUID, or a cable moved while it was looked at.
    DuplicateGuid {
        /// The GUID.
        guid: Guid,
        /// The port of it that is reached by two cables.
        port: u8,
        /// The path that reached it first.
        first: DirPath,
        /// The path that reached it now.
        second: DirPath,
    },
    /// The path to a node would be longer than 63 hops.
    TooFar(DirPath),
    /// A node or port that is left alone, and why.
    LeftAlone {
        /// Its name.
        what: String,
        /// Why.
        why: String,
    },
    /// A port had no LID of its own, or one that could not stay.
    LidAssigned {
        /// The port's GUID.
        guid: Guid,
        /// The LID it had, 0 for none.
        was: Lid,
        /// The LID it gets.
        lid: Lid,
    },
    /// There are not enough LIDs.
    LidsExhausted {
        /// How many ports got none.
        ports: usize,
    },
    /// A port cannot hold all keys of its partitions.
    PKeysLeftOut {
        /// The port.
        port: String,
        /// How many keys it can hold.
        capacity: u16,
        /// The keys that it does not get.
        keys: Vec<PKey>,
    },
    /// A switch port cannot hold the keys of the end port, so it lets all packets through.
    NotEnforced {
        /// The switch's port.
        port: String,
        /// How many keys there are.
        keys: usize,
        /// How many it can hold.
        capacity: u16,
    },
    /// A multicast group of a partition cannot be.
    GroupNotMade {
        /// Its MGID.
        mgid: Gid,
        /// Why.
        why: String,
    },
    /// A multicast tree does not reach all members.
    GroupCut {
        /// The LID.
        mlid: Lid,
        /// How many switches with members it does not reach.
        switches: usize,
        /// The first of them.
        first: String,
    },
    /// Groups on a torus use an SL that may deadlock.
    GroupSl {
        /// The LID.
        mlid: Lid,
        /// The SL.
        sl: Sl,
    },
    /// A routing engine gave up.
    EngineDeclined {
        /// The engine.
        engine: String,
        /// Why.
        reason: String,
    },
    /// A routing engine did its work.
    Routed {
        /// The engine in use.
        engine: &'static str,
        /// The engine that was asked for first.
        asked: String,
        /// Remarks of the engine.
        notes: Vec<String>,
    },
    /// The torus is not as it was in the last sweep.
    TorusChange(TorusChange),
    /// Something about the QoS policy: a fault in it, or what the subnet does not have.
    PolicyFinding {
        /// Whether the policy cannot be used because of it.
        wrong: bool,
        /// File, line and what it is.
        text: String,
    },
    /// The QoS policy cannot be used.
    PolicyRefused {
        /// Its file.
        file: String,
        /// Whether the last one that could be used still counts; else there is none.
        kept: bool,
    },
    /// SL2VL tables put SLs of the routing engine on one lane, or drop them.
    LaneFault {
        /// Whether nothing comes of it.
        harmless: bool,
        /// Which tables by which option, and what to write instead.
        text: String,
    },
    /// No engine could route the fabric and `no_fallback` is set.
    NotRouted,
    /// How tables change under traffic.
    Writing(Writing),
    /// The routes reach what they should and cannot deadlock.
    Proved {
        /// Pairs of links, with their lanes, of which a packet can hold one and wait for the other.
        waits: u64,
        /// Lanes in use.
        lanes: usize,
    },
    /// The routes can deadlock.
    CreditLoop {
        /// The engine that made them.
        engine: &'static str,
        /// A shortest circle of packets that wait for each other.
        circle: Vec<Step>,
    },
    /// For some LIDs the routes go round in a circle.
    ForwardingLoops {
        /// The engine that made them.
        engine: &'static str,
        /// How many LIDs.
        lids: usize,
        /// The first of them.
        first: Round,
    },
    /// Some end ports do not reach some LIDs.
    NotReached {
        /// The engine.
        engine: &'static str,
        /// How many LIDs.
        lids: usize,
        /// The first of them.
        first: Lost,
    },
    /// The difference between what is and what should be.
    Planned(Counts),
    /// A node that was not there in the last heavy sweep.
    Appeared(NodeRef),
    /// A node that was there in the last heavy sweep and is not now.
    Vanished(NodeRef),
    /// Another SM would be master: what is planned would not be carried out.
    WouldStandBy(String),
    /// Another SM is on the subnet.
    OtherSm {
        /// Its port's GUID.
        guid: Guid,
        /// Its priority.
        priority: u8,
        /// Its state's code (IBA 14.4.1).
        state: u8,
    },
    /// A trap came in.
    Trap {
        /// Its number.
        number: u16,
        /// The LID that sent it.
        lid: Lid,
        /// The trap in words.
        text: String,
    },
    /// A client has asked for paths and got none.
    NoPath {
        /// Where the path would begin.
        from: String,
        /// Where it would end.
        to: String,
        /// Whether only the way back is missing.
        back: bool,
        /// Why there is none.
        why: NoPath,
        /// How many such queries were not told of before this one.
        held: u64,
    },
    /// The subnet is configured.
    SubnetUp(SweepFigures),
    /// The sweep ended with something undone.
    InitErrors {
        /// How many requests failed.
        failed: usize,
        /// Figures of the sweep.
        figures: SweepFigures,
    },
    /// The sweep was given up, and why.
    Refusal(String),
    /// The SM ends.
    Exit,
}

impl Event {
    /// How loud it is.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Self::State(_) | Self::SubnetUp(_) | Self::InitErrors { .. } | Self::Exit => Level::Sys,
            Self::NoAnswer(_)
            | Self::Refused(..)
            | Self::DuplicateGuid { .. }
            | Self::TooFar(_)
            | Self::LidsExhausted { .. }
            | Self::PKeysLeftOut { .. }
            | Self::NotEnforced { .. }
            | Self::GroupNotMade { .. }
            | Self::GroupCut { .. }
            | Self::GroupSl { .. }
            | Self::EngineDeclined { .. }
            | Self::LaneFault { harmless: false, .. }
            | Self::NotRouted
            | Self::PolicyFinding { wrong: true, .. }
            | Self::PolicyRefused { .. }
            | Self::WouldStandBy(_)
            | Self::CreditLoop { .. }
            | Self::ForwardingLoops { .. }
            | Self::NotReached { .. }
            | Self::NoPath { .. }
            | Self::Refusal(_) => Level::Error,
            Self::Writing(writing) => writing.level(),
            Self::HeavySweep(_)
            | Self::Discovered { .. }
            | Self::Appeared(_)
            | Self::Vanished(_)
            | Self::LeftAlone { .. }
            | Self::HoldsOther { .. }
            | Self::RefusalSuppressed(..)
            | Self::Routed { .. }
            | Self::LaneFault { harmless: true, .. }
            | Self::TorusChange(_)
            | Self::Proved { .. }
            | Self::Planned(_)
            | Self::OtherSm { .. }
            | Self::Trap { .. } => Level::Info,
            Self::LightSweep
            | Self::PolicyFinding { wrong: false, .. }
            | Self::LidAssigned { .. }
            | Self::UnexpectedMad { .. } => Level::Verbose,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(s) => write!(f, "Entering {s} state"),
            Self::HeavySweep(r) => write!(f, "heavy sweep: {r}"),
            Self::Discovered { nodes, switches, links } => {
                write!(f, "found {nodes} nodes, {switches} of them switches, and {links} links")
            }
            Self::NoAnswer(r) => write!(f, "no answer to {r}"),
            Self::Refused(r, status) => write!(f, "{r} was refused: {status}"),
            Self::RefusalSuppressed(r, status) => write!(
                f,
                "{r} was refused: {status}; no error, since suppress_sl2vl_mad_status_errors is set, \
                 but the table is not in force"
            ),
            Self::UnexpectedMad { method, attribute, why } => {
                write!(f, "dropped a MAD, method 0x{method:x}, {}: {why}", Attr(*attribute))
            }
            Self::HoldsOther { request, count, fields } => write!(
                f,
                "{count} writes were accepted, but something else is held: {fields} (the first: \
                 {request})"
            ),
            Self::DuplicateGuid { guid, port, first, second } => write!(
                f,
                "two cables lead to port {port} of the node with GUID {guid}, by the paths {first} \
                 and {second}: two nodes have one GUID, or the cabling changes. Give each node a \
                 GUID of its own"
            ),
            Self::TooFar(path) => {
                write!(f, "nothing behind path {path} can be reached: a route has at most 63 hops")
            }
            Self::LeftAlone { what, why } => write!(f, "{what} is left as it is: {why}"),
            Self::LidAssigned { guid, was, lid } => {
                write!(f, "port {guid} gets LID {lid} (had {was})")
            }
            Self::LidsExhausted { .. }
            | Self::PKeysLeftOut { .. }
            | Self::NotEnforced { .. }
            | Self::GroupNotMade { .. }
            | Self::GroupCut { .. }
            | Self::GroupSl { .. }
            | Self::WouldStandBy(_)
            | Self::NoPath { .. }
            | Self::NotRouted
            | Self::PolicyRefused { .. } => f.write_str(&self.lack()),
            Self::EngineDeclined { engine, reason } => {
                write!(f, "routing engine {engine} gave up: {reason}")
            }
            Self::Routed { engine, asked, notes } => {
                write!(f, "routed by {engine}")?;
                if engine != asked {
                    write!(f, " (asked for: {asked})")?;
                }
                notes.iter().try_for_each(|n| write!(f, "; {n}"))
            }
            Self::TorusChange(change) => change.fmt(f),
            Self::LightSweep => f.write_str("light sweep"),
            Self::PolicyFinding { text, .. } | Self::LaneFault { text, .. } => f.write_str(text),
            Self::Proved { .. }
            | Self::CreditLoop { .. }
            | Self::ForwardingLoops { .. }
            | Self::NotReached { .. } => f.write_str(&self.verdict()),
            Self::Writing(writing) => writing.fmt(f),
            Self::Planned(counts) => write!(f, "to change: {counts}"),
            Self::Appeared(n) => write!(f, "new: {} {} {:?}", n.kind, n.guid, n.description),
            Self::Vanished(n) => write!(f, "gone: {} {} {:?}", n.kind, n.guid, n.description),
            Self::OtherSm { guid, priority, state } => {
                write!(f, "another SM at port {guid}, priority {priority}, state {state}")
            }
            Self::Trap { number, lid, text } => write!(f, "trap {number} from LID {lid}: {text}"),
            Self::SubnetUp(s) => write!(f, "SUBNET UP ({s})"),
            Self::InitErrors { failed, .. } => {
                write!(f, "Errors during initialization: {failed} requests failed")
            }
            Self::Refusal(why) => write!(f, "the sweep was given up: {why}"),
            Self::Exit => f.write_str("Exiting SM"),
        }
    }
}
