//! The face of the core: what goes in and what comes out.
//!
//! After each [`crate::Sm::handle`], [`crate::Sm::poll`] is called until it says
//! [`Output::Wait`]. The same inputs at the same times give the same outputs, byte for byte.

use std::sync::Arc;

use lk_config::guid2lid::Guid2Lid;
use lk_config::sa_db::SaDb;
use lk_snapshot::Snapshot;
use lk_wire::{Gid, Lid, Sl, Smp};

use crate::decide::{Desired, Settings, decide_trees, decide_with, writing_order};
use crate::event::{Event, SweepFigures};
use crate::multicast::Memberships;
use crate::observe::Observed;
use crate::plan::{Plan, Report};
use crate::time::{Duration, Instant};
use crate::window::Transmit;

/// Where a message of a general services class comes from or goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GsiAddress {
    /// The LID of the other end.
    pub lid: Lid,
    /// Its queue pair; 1 unless it redirects.
    pub qp: u32,
    /// The service level.
    pub sl: Sl,
    /// The index of the message's P_Key in the table of the SM's port.
    pub pkey_index: u16,
    /// The low bits of the LID of the SM's port that it went to or comes from.
    pub path_bits: u8,
    /// The GID of the other end, where the message has a GRH.
    pub gid: Option<Gid>,
}

/// A message that goes out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// Where it goes.
    pub to: GsiAddress,
    /// The whole message.
    pub bytes: Arc<[u8]>,
    /// How long its answer is waited for; `None`: it has none.
    pub timeout: Option<Duration>,
}

/// What goes in.
#[derive(Debug)]
pub enum Input<'a> {
    /// A datagram came in on the SM's port.
    Mad {
        /// The LID that sent it; the permissive LID along a directed route.
        from: Lid,
        /// The datagram.
        bytes: &'a [u8],
    },
    /// A whole message of a general services class came in on the SM's port: a request to the
    /// subnet administration, or the answer to one of its reports.
    Gmp {
        /// Where it comes from.
        from: GsiAddress,
        /// The message: class 3, version 2, joined from its segments.
        bytes: &'a [u8],
    },
    /// A message that awaited an answer could not be sent, or nobody has answered in time.
    GmpFailed {
        /// The low half of its TID.
        token: u32,
    },
    /// The request with this token could not be sent, or the sender below gave up waiting.
    SendFailed {
        /// The low half of its TID.
        token: u32,
    },
    /// Somebody wants something.
    Command(Command),
    /// A job is done.
    JobDone(Box<JobResult>),
    /// The time of the last [`Output::Wait`] has come.
    Tick,
}

/// What somebody may want.
#[derive(Clone, Debug)]
pub enum Command {
    /// A heavy sweep now (SIGHUP).
    HeavySweep,
    /// Other settings, and a heavy sweep with them.
    Reload(Box<Settings>),
    /// Other settings, from the next decision on: a file has changed that each heavy sweep reads.
    Settings(Box<Settings>),
    /// Stop.
    Stop,
}

/// What comes out.
#[derive(Debug)]
pub enum Output {
    /// A request, to be sent from the SM's port. Its answer, or the failure, is awaited.
    Transmit(Box<Transmit>),
    /// A datagram that nothing is awaited for: an answer to somebody, a TrapRepress.
    Reply {
        /// Where it goes; the permissive LID along a directed route.
        to: Lid,
        /// The datagram.
        smp: Box<Smp>,
    },
    /// A whole message of a general services class, to be cut into segments where its RMPP header
    /// says so.
    Gmp(Box<Outgoing>),
    /// Something happened.
    Event(Event),
    /// A pure function to be run somewhere; its result comes back as [`Input::JobDone`].
    Job(Job),
    /// LIDs to be kept over restarts.
    Store(Guid2Lid),
    /// What clients have stored in the subnet administration, to be kept over restarts.
    SaDatabase(Box<SaDb>),
    /// What would be changed, in plan mode, or what is about to be changed.
    Plan(Box<Report>),
    /// What ports and switches hold, where it was only read, and what reading it took.
    Snapshot(Box<Snapshot>, SweepFigures),
    /// The state after a sweep.
    View(Arc<View>),
    /// The same after multicast trees have changed, and nothing else.
    Groups(Arc<View>),
    /// The run is over, and whether all that was to be done is done.
    Finished(Outcome),
    /// Nothing to do before this time, or before the next input.
    Wait(Option<Instant>),
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All is as it should be.
    Configured,
    /// Plan mode: nothing would change.
    NothingToChange,
    /// Plan mode: something would change.
    WouldChange,
    /// Some requests failed.
    Incomplete,
    /// All was read.
    Read,
    /// The fabric was refused; an event says why.
    Refused,
    /// It was told to stop.
    Stopped,
}

/// The state of the subnet after a sweep, for dumps and questions. It does not change.
#[derive(Clone, Debug)]
pub struct View {
    /// What the ports and switches hold.
    pub seen: Arc<Observed>,
    /// What they should hold.
    pub desired: Arc<Desired>,
    /// What was decided by.
    pub settings: Arc<Settings>,
    /// Figures of the sweep.
    pub figures: SweepFigures,
}

/// The decision as a job: it may take long on a large fabric, and needs no state of the core.
#[derive(Clone, Debug)]
pub struct Job {
    pub(crate) number: u64,
    pub(crate) seen: Arc<Observed>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) previous: Option<Arc<Desired>>,
    /// All multicast groups, or those for which alone something is to be decided.
    pub(crate) groups: Memberships,
    /// Nothing: what the fabric should hold is to be decided. Else that is decided, and in which
    /// order this plan may be carried out is to be found.
    pub(crate) compared: Option<(Arc<Desired>, Plan)>,
}

/// A decision, on its way back into the core.
#[derive(Debug)]
pub struct JobResult {
    pub(crate) number: u64,
    pub(crate) outcome: JobOutcome,
}

/// What a job found.
#[derive(Debug)]
pub(crate) enum JobOutcome {
    /// What the fabric should hold.
    Decided(Box<Desired>),
    /// The plan, with its order.
    Ordered(Box<Plan>),
}

impl Job {
    /// Does the work.
    #[must_use]
    pub fn run(self) -> JobResult {
        let Self { number, seen, settings, previous, groups, compared } = self;
        let before = previous.as_deref();
        if let Some((desired, mut plan)) = compared {
            plan.order = writing_order(&plan, &seen, &desired, before);
            return JobResult { number, outcome: JobOutcome::Ordered(Box::new(plan)) };
        }
        let desired = match before.filter(|_| !groups.all) {
            Some(before) => decide_trees(&seen, &settings, &groups, before),
            None => decide_with(&seen, &settings, &groups, before),
        };
        JobResult { number, outcome: JobOutcome::Decided(Box::new(desired)) }
    }
}

/// What a plan consists of, kept together while it is applied.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) desired: Arc<Desired>,
    pub(crate) plan: Arc<Plan>,
}
