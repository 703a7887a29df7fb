//! A heavy sweep: discover, decide, read what has to be compared, compare, apply, and around
//! again while something was left undone.

use super::*;
use crate::decide::{PartEnforce, concerns_traffic};
use crate::multicast::Memberships;
use crate::observe::DiscoveryOptions;
use crate::plan::Writing;
use crate::window::Patience;
use lk_wire::{MKey, PhysState, PortInfo, Tid, attr, method};

/// How often a bounced link is asked whether it is back.
const SETTLE_STEP: Duration = Duration::millis(20);
/// How long bounced links may take.
const SETTLE_LIMIT: Duration = Duration::secs(5);

impl Sm {
    /// Asks for a heavy sweep: now if nothing is going on, else after the one that is.
    pub(super) fn want(&mut self, reason: Reason) {
        if matches!(self.stage, Stage::Over) {
            return;
        }
        if matches!(self.stage, Stage::Idle { .. } | Stage::Light(_)) {
            self.window.clear();
            self.guids_lost();
            self.start_sweep(reason);
        } else {
            self.wanted.get_or_insert(reason);
        }
    }

    pub(super) fn start_sweep(&mut self, reason: Reason) {
        self.wanted = None;
        self.round = 0;
        self.figures = SweepFigures::default();
        self.sweep_start = self.now;
        self.event(Event::HeavySweep(reason));
        self.start_round();
    }

    fn start_round(&mut self) {
        self.round += 1;
        self.failed = 0;
        self.tolerated = 0;
        self.figures.rounds = self.round;
        let o = self.options();
        let reads = self.mode == Mode::Read;
        let options = DiscoveryOptions {
            m_key: o.m_key,
            // Read with all the rest where all is read.
            switch_pkeys: !reads && PartEnforce::of(o) != PartEnforce::Off,
            other_sms: reads || !o.ignore_other_sm,
            own_sm: reads,
            names: Arc::clone(&self.settings.names),
        };
        self.stage = Stage::Discover(Box::new(Discovery::new(options)));
    }

    pub(super) fn next_request(&mut self) -> Option<(Smp, Purpose, Patience)> {
        let in_flight = self.window.in_flight();
        let (smp, purpose, patience) = match &mut self.stage {
            Stage::Discover(walk) => {
                let (smp, query) = walk.next(in_flight)?;
                (smp, Purpose::Discover(query), Patience::Normal)
            }
            Stage::Stand(queue) | Stage::Read(queue) => {
                let (table, block) = queue.take()?;
                let seen = self.seen.as_ref()?;
                let smp = ask(seen, table, block, self.settings.options.m_key);
                (smp, Purpose::Read(table, block), Patience::Normal)
            }
            Stage::Everything(reading) => {
                let seen = self.seen.as_mut()?;
                let (table, block) = reading.next(Arc::make_mut(seen))?;
                let smp = ask(seen, table, block, self.settings.options.m_key);
                (smp, Purpose::Read(table, block), Patience::Normal)
            }
            Stage::Apply(apply) => {
                if apply.not_before().is_some_and(|at| self.now < at) {
                    return None;
                }
                let (smp, write, patience) = apply.next(self.seen.as_ref()?)?;
                (smp, Purpose::Apply(write), patience)
            }
            Stage::Settle { down, ask_at, .. } => {
                if self.now < *ask_at || in_flight > 0 {
                    return None;
                }
                let port = *down.front()?;
                (self.ask_port(port)?, Purpose::Settle(port), Patience::Normal)
            }
            Stage::Light(_) => self.next_light()?,
            Stage::Standby(_) => self.next_standby()?,
            Stage::Idle { .. } => self.next_guids()?,
            Stage::Decide | Stage::Over => return None,
        };
        if smp.method() == method::SET {
            self.figures.sets += 1;
        } else {
            self.figures.gets += 1;
        }
        Some((smp, purpose, patience))
    }

    fn ask_port(&self, port: PortId) -> Option<Smp> {
        let seen = self.seen.as_ref()?;
        let modifier = u32::from(seen.fabric.port_num(port).0);
        let path = seen.path(port);
        let m_key = self.settings.options.m_key;
        Some(Smp::directed(method::GET, attr::PORT_INFO, modifier, Tid(0), m_key, path))
    }

    pub(super) fn answered(&mut self, purpose: Purpose, response: &Smp) {
        let mut events = Vec::new();
        match (purpose, &mut self.stage) {
            (Purpose::Discover(query), Stage::Discover(walk)) => {
                walk.answered(query, response, &mut events);
            }
            (Purpose::Read(table, block), Stage::Stand(_) | Stage::Read(_)) => {
                if let Some(seen) = &mut self.seen {
                    Arc::make_mut(seen).tables.learn(table, block, response.data());
                }
            }
            (Purpose::Read(table, block), Stage::Everything(reading)) => {
                if let Some(seen) = &mut self.seen {
                    reading.answered(table, block, response.data(), Arc::make_mut(seen));
                }
            }
            (Purpose::Apply(write), Stage::Apply(apply)) => {
                if let Some(seen) = &mut self.seen {
                    apply.answered(write, response, Arc::make_mut(seen));
                }
            }
            (Purpose::Settle(port), Stage::Settle { down, ask_at, .. }) => {
                let info: PortInfo = response.attribute();
                let up = PhysState(info.port_physical_state()) == PhysState::LINK_UP;
                if up {
                    down.retain(|p| *p != port);
                } else {
                    *ask_at = self.now + SETTLE_STEP;
                }
            }
            (Purpose::Light(switch), Stage::Light(_)) => self.light_answered(switch, response),
            (Purpose::Master, Stage::Standby(_)) => self.master_answered(response),
            (Purpose::Guids(guid, block), _) => self.guids_written(guid, block, None),
            // A stage clears the window before it gives way to another, so no answer can
            // belong to a stage that is over.
            _ => {}
        }
        self.events(events);
    }

    pub(super) fn failed(&mut self, purpose: Purpose, why: Failure) {
        let mut events = Vec::new();
        match (purpose, &mut self.stage) {
            (Purpose::Discover(query), Stage::Discover(walk)) => {
                walk.failed(query, why, &mut events);
            }
            (Purpose::Read(table, block), Stage::Stand(_) | Stage::Read(_)) => {
                let event = self.read_failed(table, block, why);
                if matches!(event, Event::RefusalSuppressed(..)) {
                    self.tolerated += 1;
                } else {
                    self.failed += 1;
                }
                events.push(event);
            }
            (Purpose::Read(table, block), Stage::Everything(reading)) => {
                if let Some(seen) = &mut self.seen {
                    reading.failed(table, block, why, Arc::make_mut(seen));
                }
            }
            (Purpose::Apply(write), Stage::Apply(apply)) => {
                if let Some(seen) = &mut self.seen {
                    apply.failed(write, why, Arc::make_mut(seen), &mut events);
                }
            }
            (Purpose::Settle(_), Stage::Settle { ask_at, .. }) => {
                *ask_at = self.now + SETTLE_STEP;
            }
            (Purpose::Light(switch), Stage::Light(_)) => self.light_failed(switch),
            (Purpose::Master, Stage::Standby(_)) => self.master_silent(),
            (Purpose::Guids(guid, block), _) => self.guids_written(guid, block, Some(why)),
            _ => {}
        }
        self.events(events);
    }

    fn read_failed(&self, table: Table, block: u16, why: Failure) -> Event {
        let name = self
            .seen
            .as_ref()
            .map(|seen| seen.request_name(method::GET, table.address(block, &seen.fabric)));
        match (name, why) {
            (Some(name), Failure::NoAnswer) => Event::NoAnswer(name),
            (Some(name), Failure::Status(s)) => {
                name.refused(lk_wire::Status(s), self.options().suppress_sl2vl_mad_status_errors)
            }
            (None, _) => Event::Refusal("a table was read before the fabric was known".to_owned()),
        }
    }

    /// Called when nothing is on the wire and the stage has nothing to ask: goes on to the next.
    /// `false`: nothing to do but wait.
    pub(super) fn advance(&mut self) -> bool {
        match &mut self.stage {
            Stage::Discover(walk) => {
                // The ends of cables are known now; that may raise more questions.
                if walk.ask_about_leaves() {
                    return true;
                }
                let Stage::Discover(walk) = std::mem::replace(&mut self.stage, Stage::Over) else {
                    return false;
                };
                self.discovered(*walk);
                true
            }
            Stage::Stand(_) => {
                self.decide();
                true
            }
            Stage::Read(_) => {
                self.compare();
                true
            }
            Stage::Everything(_) => {
                self.read_on();
                true
            }
            Stage::Apply(apply) => {
                if apply.not_before().is_some_and(|at| self.now < at) {
                    return false;
                }
                if let Some(seen) = &self.seen
                    && apply.advance(seen, self.now)
                {
                    return true;
                }
                self.applied();
                true
            }
            Stage::Settle { down, until, .. } => {
                let done = down.is_empty() || self.now >= *until;
                if done {
                    self.start_round();
                }
                done
            }
            Stage::Idle { sweep_at } => {
                let due = sweep_at.is_some_and(|at| at <= self.now);
                if due {
                    self.next_sweep();
                }
                due || self.start_trees()
            }
            Stage::Light(_) => {
                self.light_done();
                true
            }
            Stage::Standby(_) | Stage::Decide | Stage::Over => false,
        }
    }

    fn discovered(&mut self, walk: Discovery) {
        self.failed += walk.failures();
        if walk.has_duplicates() && self.options().exit_on_fatal && self.mode != Mode::Read {
            let why = "two nodes have one GUID; with stay_on_fatal (-y) the SM goes on and leaves \
                       the second one alone";
            self.refuse(why.to_owned());
            return;
        }
        let Some(mut seen) = walk.finish() else {
            let why = "the SM's own port does not answer. If an M_Key protects it, m_key has to be \
                       that key";
            self.refuse(why.to_owned());
            return;
        };
        if seen.fabric.links().next().is_none() {
            let own = match seen.port_info(seen.sm_port) {
                Some(_) => format!("its link is {}", seen.state(seen.sm_port)),
                None => "it did not say how its link is".to_owned(),
            };
            let why = format!(
                "no switch and no other node can be reached from {} ({own}): there is nothing to \
                 route. Check the cable, or choose another port with -g",
                seen.fabric.port_name(seen.sm_port)
            );
            self.refuse(why);
            return;
        }
        self.event(Event::Discovered {
            nodes: seen.fabric.nodes().len(),
            switches: seen.fabric.switches().len(),
            links: seen.fabric.links().count(),
        });
        if self.mode == Mode::Read {
            self.read_everything(seen);
            return;
        }
        if let Some(old) = &self.seen {
            seen.carry_over(old, self.round > 1);
            let changes = lk_fabric::diff(&old.fabric, &seen.fabric);
            self.out
                .extend(changes.nodes_removed.into_iter().map(Event::Vanished).map(Output::Event));
            self.out
                .extend(changes.nodes_added.into_iter().map(Event::Appeared).map(Output::Event));
        }
        if self.gives_way(&seen) {
            return;
        }
        self.set_state(SmState::Master);
        let standing = match self.options().adopt_routes {
            true => standing(&seen),
            false => Vec::new(),
        };
        let queue = BlockQueue::new(standing, &seen.fabric);
        self.seen = Some(Arc::new(seen));
        self.stage = Stage::Stand(queue);
    }

    /// Hands out the decision, all that it needs being read.
    fn decide(&mut self) {
        let Some(seen) = self.seen.as_ref().map(Arc::clone) else { return };
        let groups = self.settle_groups(&seen);
        self.stage = Stage::Decide;
        self.job += 1;
        self.out.push_back(Output::Job(Job {
            number: self.job,
            seen,
            settings: Arc::clone(&self.settings),
            previous: self.desired.clone(),
            groups,
            compared: None,
        }));
    }

    pub(super) fn decided(&mut self, mut desired: Desired) {
        let events = match self.mode {
            // The report of the plan says how the engine was found.
            Mode::Plan => desired.events.clone(),
            _ => std::mem::take(&mut desired.events),
        };
        let exhausted = |e: &Event| matches!(e, Event::LidsExhausted { .. });
        self.failed += events.iter().filter(|e| exhausted(e)).count();
        self.events(events);
        if desired.routes.is_none() {
            self.failed += 1;
            match self.mode {
                Mode::Plan => self.nothing_planned(&desired),
                _ => self.sweep_over(),
            }
            return;
        }
        if self.mode != Mode::Plan && desired.guid2lid != self.settings.guid2lid {
            Arc::make_mut(&mut self.settings).guid2lid = desired.guid2lid.clone();
            self.out.push_back(Output::Store(desired.guid2lid.clone()));
        }
        let Some(seen) = &self.seen else { return };
        let runs = match self.quick {
            Some(_) => tables_to_read(seen, &desired, is_mft),
            None => to_be_read(seen, &desired),
        };
        self.stage = Stage::Read(BlockQueue::new(runs, &seen.fabric));
        self.before = self.desired.replace(Arc::new(desired));
    }

    /// Ends a plan where no engine routes: nothing would be written.
    fn nothing_planned(&mut self, desired: &Desired) {
        if let Some(seen) = &self.seen {
            let report = Report::of(&Plan::default(), seen, desired);
            self.out.push_back(Output::Plan(Box::new(report)));
        }
        self.finish(Outcome::Incomplete);
    }

    fn compare(&mut self) {
        let (Some(seen), Some(desired)) = (&self.seen, &self.desired) else { return };
        let plan = match self.quick {
            Some(_) => Plan::of_trees(seen, desired),
            None => Plan::compare(seen, desired),
        };
        if !concerns_traffic(&plan, seen) {
            self.compared(plan);
            return;
        }
        let job = Job {
            number: self.job + 1,
            seen: Arc::clone(seen),
            settings: Arc::clone(&self.settings),
            previous: self.before.clone(),
            groups: Memberships::default(),
            compared: Some((Arc::clone(desired), plan)),
        };
        self.stage = Stage::Decide;
        self.job += 1;
        self.out.push_back(Output::Job(job));
    }

    /// Goes on with a plan whose order is known.
    pub(super) fn compared(&mut self, plan: Plan) {
        let (Some(seen), Some(desired)) = (&self.seen, &self.desired) else { return };
        let writing = Writing::of(&plan.order);
        self.failed += plan.unread.saturating_sub(self.tolerated);
        if self.mode == Mode::Plan {
            let report = Report::of(&plan, seen, desired);
            self.out.push_back(Output::Plan(Box::new(report)));
            let outcome = match (self.failed, plan.is_empty()) {
                (1.., _) => Outcome::Incomplete,
                (0, true) => Outcome::NothingToChange,
                (0, false) => Outcome::WouldChange,
            };
            self.finish(outcome);
            return;
        }
        let counts = crate::plan::count(&plan, seen, desired);
        let decision = Decision { desired: Arc::clone(desired), plan: Arc::new(plan) };
        let apply = Apply::new(decision, &self.settings.options, seen);
        self.stage = Stage::Apply(Box::new(apply));
        self.event(Event::Planned(counts));
        self.events(writing.map(Event::Writing).into_iter().collect());
    }

    fn applied(&mut self) {
        let Stage::Apply(mut apply) = std::mem::replace(&mut self.stage, Stage::Over) else {
            return;
        };
        // What is held otherwise is said once, not at each sweep.
        let differences = apply.differences();
        if differences != self.differences {
            self.differences.clone_from(&differences);
            self.events(differences);
        }
        self.failed += apply.failures();
        if self.quick.is_some() {
            return self.trees_over();
        }
        let down: VecDeque<PortId> = apply.bounced().collect();
        if !down.is_empty() && self.round < MAX_ROUNDS {
            let (ask_at, until) = (self.now + SETTLE_STEP, self.now + SETTLE_LIMIT);
            self.stage = Stage::Settle { down, ask_at, until };
        } else if self.failed > 0 && self.round < MAX_ROUNDS {
            self.start_round();
        } else {
            self.sweep_over();
        }
    }

    fn sweep_over(&mut self) {
        self.figures.nanos = self.now.since(self.sweep_start).0;
        let settings = Arc::make_mut(&mut self.settings);
        (settings.first_sweep, settings.register_all) = (false, false);
        self.unfinished = self.failed > 0;
        let (failed, figures) = (self.failed, self.figures.clone());
        if let (Some(seen), Some(desired)) = (&self.seen, &self.desired) {
            let (seen, desired) = (Arc::clone(seen), Arc::clone(desired));
            let settings = Arc::clone(&self.settings);
            let view = View { seen, desired, settings, figures: figures.clone() };
            let view = Arc::new(view);
            self.serve(Arc::clone(&view));
            self.out.push_back(Output::View(view));
            self.keep_database(true);
        }
        self.event(match failed {
            0 => Event::SubnetUp(figures),
            _ => Event::InitErrors { failed, figures },
        });
        if self.mode == Mode::Once {
            self.finish(if failed == 0 { Outcome::Configured } else { Outcome::Incomplete });
        } else if let Some(reason) = self.wanted.take() {
            self.start_sweep(reason);
        } else {
            self.idle();
        }
    }

    /// Waits for the next sweep.
    pub(super) fn idle(&mut self) {
        let interval = u64::from(self.options().sweep_interval);
        let sweep_at = (interval > 0).then(|| self.now + Duration::secs(interval));
        self.stage = Stage::Idle { sweep_at };
    }

    fn next_sweep(&mut self) {
        if self.unfinished {
            self.start_sweep(Reason::Unfinished);
        } else if self.options().force_heavy_sweep {
            self.start_sweep(Reason::Forced);
        } else {
            self.start_light();
        }
    }

    fn refuse(&mut self, why: String) {
        self.event(Event::Refusal(why));
        if self.mode == Mode::Daemon {
            self.unfinished = true;
            self.idle();
        } else {
            self.finish(Outcome::Refused);
        }
    }
}

/// A Get of a block of a table.
fn ask(seen: &Observed, table: Table, block: u16, m_key: MKey) -> Smp {
    let at = table.address(block, &seen.fabric);
    Smp::directed(method::GET, at.attribute, at.modifier, Tid(0), m_key, seen.path(at.port))
}
