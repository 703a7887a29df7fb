//! The subnet manager as a state machine without clocks, threads or sockets.
//!
//! [`Sm::handle`] takes an input; [`Sm::poll`] gives the outputs one by one. The core pulls: the
//! next request is made only when the window has room for it, so its memory does not grow with
//! the fabric's tables. What it does is one line: observe, decide, compare, apply, and again
//! until nothing is left to do.

mod agent;
mod groups;
mod light;
mod quiet;
mod reading;
mod services;
mod stages;
mod standby;

use std::collections::VecDeque;
use std::sync::Arc;

use lk_config::Options;
use lk_fabric::{PortId, SwitchId};
use lk_wire::{Guid, Lid, Smp};

use crate::apply::{Apply, Write};
use crate::decide::{Desired, Settings};
use crate::event::{Event, Reason, SmState, SweepFigures};
use crate::io::{Command, Decision, Input, Job, JobOutcome, Outcome, Output, View};
use crate::multicast::NotMade;
use crate::observe::{Discovery, Observed, Query, Table};
use crate::plan::{Plan, Report, TableRun, is_mft, standing, tables_to_read, to_be_read};
use crate::sa::Sa;
use crate::time::{Duration, Instant};
use crate::window::{Answer, Failure, Limits, Window};
use crate::work::BlockQueue;
use light::Light;
pub use reading::Progress;
use reading::Reading;
use standby::Standby;

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Configure the subnet and keep watch.
    Daemon,
    /// Configure the subnet once (`-o`).
    Once,
    /// Say what would change; write nothing.
    Plan,
    /// Read all that ports and switches hold, for a snapshot; write nothing, and be no manager.
    Read,
}

/// How often a sweep observes again before it ends with something undone.
const MAX_ROUNDS: u32 = 6;

/// Why a request is on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    Discover(Query),
    Read(Table, u16),
    Apply(Write),
    /// Is the bounced link back?
    Settle(PortId),
    Light(SwitchId),
    /// Is the master SM alive?
    Master,
    /// A block of alias GUIDs of a port.
    Guids(Guid, u8),
}

enum Stage {
    Discover(Box<Discovery>),
    /// Forwarding tables that are in force are read, so that their entries may stay.
    Stand(BlockQueue),
    /// The decision is being made elsewhere.
    Decide,
    Read(BlockQueue),
    /// All tables are read, for a snapshot.
    Everything(Box<Reading>),
    Apply(Box<Apply>),
    /// Bounced links come back.
    Settle {
        down: VecDeque<PortId>,
        ask_at: Instant,
        until: Instant,
    },
    /// Until the next sweep.
    Idle {
        sweep_at: Option<Instant>,
    },
    Light(Light),
    Standby(Standby),
    Over,
}

/// The subnet manager.
pub struct Sm {
    settings: Arc<Settings>,
    mode: Mode,
    state: SmState,
    stage: Stage,
    window: Window<Purpose>,
    out: VecDeque<Output>,
    now: Instant,
    seen: Option<Arc<Observed>>,
    desired: Option<Arc<Desired>>,
    /// What was decided before that.
    before: Option<Arc<Desired>>,
    job: u64,
    round: u32,
    /// Requests of this round that came to nothing.
    failed: usize,
    /// Reads of this round that were refused where the site wants to hear nothing of it.
    tolerated: usize,
    figures: SweepFigures,
    sweep_start: Instant,
    /// A heavy sweep that is to follow.
    wanted: Option<Reason>,
    /// The last sweep left something undone.
    unfinished: bool,
    /// What ports were last found to hold otherwise than they were told.
    differences: Vec<Event>,
    sa: Sa,
    /// A block of alias GUIDs that is on its way.
    guids: Option<(Guid, u8)>,
    /// Measures out what is logged of queries without an answer.
    quiet: quiet::Quiet,
    /// Changes of multicast groups that wait for their trees.
    groups_due: Option<groups::Due>,
    /// Trees are being changed between heavy sweeps.
    quick: Option<groups::Quick>,
    /// Groups of partitions that could not be made, as they were last told.
    groups_not_made: Vec<NotMade>,
    /// How many requests to the subnet administration may be answered before more input is taken.
    turns: u32,
}

impl Sm {
    /// A manager that starts its first sweep at once.
    #[must_use]
    pub fn new(settings: Settings, mode: Mode, now: Instant) -> Self {
        let window = Window::new(limits(&settings));
        let settings = Settings { register_all: mode == Mode::Daemon, ..settings };
        let mut sm = Self {
            settings: Arc::new(settings),
            mode,
            state: SmState::NotActive,
            stage: Stage::Idle { sweep_at: None },
            window,
            out: VecDeque::new(),
            now,
            seen: None,
            desired: None,
            before: None,
            job: 0,
            round: 0,
            failed: 0,
            tolerated: 0,
            figures: SweepFigures::default(),
            sweep_start: now,
            wanted: None,
            unfinished: false,
            differences: Vec::new(),
            sa: Sa::default(),
            guids: None,
            quiet: quiet::Quiet::default(),
            groups_due: None,
            quick: None,
            groups_not_made: Vec::new(),
            turns: 0,
        };
        if sm.settings.options.sm_inactive && mode == Mode::Daemon {
            sm.event(Event::State(SmState::NotActive));
        } else {
            sm.set_state(SmState::Discovering);
            sm.start_sweep(Reason::Start);
        }
        sm
    }

    /// What the SM is at the moment.
    #[must_use]
    pub fn state(&self) -> SmState {
        self.state
    }

    /// Takes an input.
    pub fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = self.now.max(now);
        self.turns = services::TURNS;
        match input {
            Input::Gmp { from, bytes } => self.message(from, bytes),
            Input::GmpFailed { token } => self.sa.not_sent(self.now, token),
            Input::Tick => {}
            Input::Mad { from, bytes } => match Smp::parse(bytes) {
                Ok(smp) => self.mad(from, &smp),
                Err(_) => self.event(Event::UnexpectedMad {
                    method: bytes.get(3).copied().unwrap_or(0),
                    attribute: 0,
                    why: "it is shorter than a MAD",
                }),
            },
            Input::SendFailed { token } => {
                if let Some(purpose) = self.window.send_failed(token) {
                    self.failed(purpose, Failure::NoAnswer);
                }
            }
            Input::JobDone(result) => {
                if result.number == self.job && matches!(self.stage, Stage::Decide) {
                    match result.outcome {
                        JobOutcome::Decided(desired) => self.decided(*desired),
                        JobOutcome::Ordered(plan) => self.compared(*plan),
                    }
                }
            }
            Input::Command(command) => self.command(command),
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::HeavySweep => self.want(Reason::Command),
            Command::Reload(settings) => {
                self.take(*settings);
                self.want(Reason::Command);
            }
            Command::Settings(settings) => self.take(*settings),
            Command::Stop => self.finish(Outcome::Stopped),
        }
    }

    fn take(&mut self, settings: Settings) {
        self.window.set_limits(limits(&settings));
        let guid2lid = self.settings.guid2lid.clone();
        let Settings { first_sweep, register_all, started, .. } = *self.settings;
        let sa_db = self.settings.sa_db.clone();
        let in_use = self.desired.as_ref().and_then(|d| d.policy.as_ref());
        let good_policy =
            in_use.map(|p| Arc::clone(&p.file)).or_else(|| self.settings.good_policy.clone());
        let prefix_routes =
            settings.prefix_routes.clone().or_else(|| self.settings.prefix_routes.clone());
        let kept = Settings {
            guid2lid,
            first_sweep,
            register_all,
            sa_db,
            started,
            good_policy,
            prefix_routes,
            ..settings
        };
        self.settings = Arc::new(kept);
    }

    /// The next output.
    pub fn poll(&mut self) -> Output {
        loop {
            if let Some(output) = self.out.pop_front() {
                return output;
            }
            if let Some(message) = self.next_message() {
                return Output::Gmp(Box::new(message));
            }
            while let Some(purpose) = self.window.expire(self.now) {
                self.failed(purpose, Failure::NoAnswer);
            }
            if !self.out.is_empty() {
                continue;
            }
            if let Some(transmit) = self.window.resend(self.now) {
                self.figures.retries += 1;
                return Output::Transmit(Box::new(transmit));
            }
            if self.window.has_room(self.now)
                && let Some((smp, purpose, patience)) = self.next_request()
            {
                let transmit = self.window.open(self.now, smp, purpose, patience);
                return Output::Transmit(Box::new(transmit));
            }
            if self.window.in_flight() == 0 && self.advance() {
                continue;
            }
            if !self.out.is_empty() {
                continue;
            }
            return Output::Wait(self.wake_up());
        }
    }

    fn wake_up(&mut self) -> Option<Instant> {
        let stage = match &self.stage {
            Stage::Idle { sweep_at } => [*sweep_at, self.groups_at()].into_iter().flatten().min(),
            Stage::Settle { ask_at, .. } => Some(*ask_at),
            Stage::Standby(standby) => Some(standby.ask_at),
            Stage::Apply(apply) => apply.not_before().filter(|at| *at > self.now),
            _ => None,
        };
        let waiting = self.sa.has_work().then_some(self.now).or_else(|| self.sa.deadline());
        [stage, self.window.deadline(), waiting]
            .into_iter()
            .flatten()
            .min()
            .map(|at| at.max(self.now))
    }

    fn mad(&mut self, from: Lid, smp: &Smp) {
        if !smp.is_response() {
            self.request_from_outside(from, smp);
            return;
        }
        let unexpected =
            |why| Event::UnexpectedMad { method: smp.method(), attribute: smp.attr_id(), why };
        match self.window.answer(self.now, smp) {
            Answer::To(purpose) => match smp.status().0 {
                0 => self.answered(purpose, smp),
                status => self.failed(purpose, Failure::Status(status)),
            },
            Answer::Mismatch => self.event(unexpected("it answers another question")),
            Answer::Stale => self.event(unexpected("nobody waits for it")),
        }
    }

    fn event(&mut self, event: Event) {
        self.out.push_back(Output::Event(event));
    }

    fn events(&mut self, events: Vec<Event>) {
        self.out.extend(events.into_iter().map(Output::Event));
    }

    fn set_state(&mut self, state: SmState) {
        if self.state != state {
            self.state = state;
            self.event(Event::State(state));
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        self.window.clear();
        self.stage = Stage::Over;
        if outcome == Outcome::Stopped {
            if self.state == SmState::Master {
                self.keep_database(false);
            }
            self.event(Event::Exit);
        }
        self.out.push_back(Output::Finished(outcome));
    }

    fn options(&self) -> &Options {
        &self.settings.options
    }
}

/// How far the window grows where nobody has set `max_wire_smps`.
const TUNED_WINDOW: usize = 32;

fn limits(settings: &Settings) -> Limits {
    let o = &settings.options;
    let unlimited = |n: u32| if n == 0 { usize::MAX } else { n as usize };
    let outstanding = unlimited(o.max_wire_smps);
    Limits {
        outstanding,
        grow_to: if settings.tune_window { outstanding.max(TUNED_WINDOW) } else { outstanding },
        outstanding_late: unlimited(o.max_wire_smps2),
        late_after: Duration::micros(u64::from(o.max_smps_timeout)),
        timeout: Duration::millis(u64::from(o.transaction_timeout.max(1))),
        long_timeout: Duration::millis(u64::from(o.long_transaction_timeout.max(1))),
        retries: o.transaction_retries,
    }
}
