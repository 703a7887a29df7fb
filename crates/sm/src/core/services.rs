//! The subnet administration's part in the core's turns.

use lk_wire::{Guid, Notice, Tid, attr, method};

use super::*;
use crate::io::{GsiAddress, Outgoing};
use crate::observe::Address;
use crate::sa::Effects;
use crate::window::Patience;

/// How many requests are answered before more input is taken. Fewer than a driver takes in at
/// once, so that who asks too much is told so before it fills what lies below.
pub(super) const TURNS: u32 = 16;
/// So many pairs of ports that a query for paths looks at cost a turn.
const PAIRS: usize = 64;

/// OpenSM's log flag for details, with which it dumps what the subnet administration holds.
const VERBOSE: u8 = 0x04;

impl Sm {
    /// Answers from this view from now on.
    pub(super) fn serve(&mut self, view: Arc<View>) {
        if self.state == SmState::Master && self.mode == Mode::Daemon {
            self.sa.install(self.now, view);
            if self.sa.groups().has_changed() {
                self.groups_changed();
            }
        }
    }

    /// A message of a general services class came in.
    pub(super) fn message(&mut self, from: GsiAddress, bytes: &[u8]) {
        if self.state == SmState::Master
            && let Some(refusal) = self.sa.take(self.now, from, bytes)
        {
            self.out.push_back(Output::Gmp(Box::new(refusal)));
        }
    }

    /// The next message that goes out, if it is time for one.
    pub(super) fn next_message(&mut self) -> Option<Outgoing> {
        if let Some(report) = self.sa.next_report(self.now) {
            return Some(report);
        }
        self.sa.expire(self.now);
        while self.turns > 0 && self.sa.has_work() {
            let mut effects = Effects::default();
            let answer = self.sa.answer_next(self.now, &mut effects);
            let cost = u32::try_from(1 + effects.pairs / PAIRS).unwrap_or(u32::MAX);
            self.turns = self.turns.saturating_sub(cost);
            self.carry_out(effects);
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    /// Does what requests have caused.
    fn carry_out(&mut self, effects: Effects) {
        if effects.groups_changed {
            self.groups_changed();
        }
        if let Some(refused) = effects.no_path
            && let Some(held) = self.quiet.pass(self.now)
            && let Some(view) = self.sa.view()
        {
            let (from, to) = refused.names(view);
            let (back, why) = (refused.back, refused.why);
            self.event(Event::NoPath { from, to, back, why, held });
        }
        for trap in effects.notices {
            self.sa.tell(&trap);
        }
    }

    /// Tells subscribers of a trap that has come in.
    pub(super) fn hear(&mut self, notice: &Notice) {
        self.sa.hear(notice);
    }

    /// The next block of alias GUIDs that a port has to be told. Clients have asked for it, so
    /// that it waits for no sweep.
    pub(super) fn next_guids(&mut self) -> Option<(Smp, Purpose, Patience)> {
        if self.guids.is_some() {
            return None;
        }
        let (guid, block, info) = self.sa.next_guids()?;
        let view = self.sa.view()?;
        let at = self.guids_address(guid, block)?;
        let m_key = self.settings.options.m_key;
        let path = view.seen.path(at.port);
        let mut smp = Smp::directed(method::SET, at.attribute, at.modifier, Tid(0), m_key, path);
        smp.set_attribute(&info);
        self.guids = Some((guid, block));
        Some((smp, Purpose::Guids(guid, block), Patience::Normal))
    }

    /// Where a block of a port's GUIDs is on the wire (IBA 14.2.5.5).
    fn guids_address(&self, guid: Guid, block: u8) -> Option<Address> {
        let port = self.sa.port_by_guid(guid)?;
        Some(Address { port, attribute: attr::GUID_INFO, modifier: u32::from(block) })
    }

    /// A block of alias GUIDs is written, or could not be.
    pub(super) fn guids_written(&mut self, guid: Guid, block: u8, failure: Option<Failure>) {
        self.guids = None;
        let Some(failure) = failure else { return };
        let name = self
            .guids_address(guid, block)
            .and_then(|at| self.sa.view().map(|view| view.seen.request_name(method::SET, at)));
        if let Some(name) = name {
            self.event(match failure {
                Failure::NoAnswer => Event::NoAnswer(name),
                Failure::Status(s) => Event::Refused(name, lk_wire::Status(s)),
            });
        }
    }

    /// A block that is on its way may be lost: it is sent again later.
    pub(super) fn guids_lost(&mut self) {
        if let Some((guid, block)) = self.guids.take() {
            self.sa.write_again(guid, block);
        }
    }

    /// Gives out what clients have stored, if it has changed and somebody wants it kept.
    pub(super) fn keep_database(&mut self, heavy: bool) {
        let wanted =
            self.options().sa_db_dump || (heavy && self.options().log_flags & VERBOSE != 0);
        if wanted && let Some(database) = self.sa.changed_database(self.now) {
            self.out.push_back(Output::SaDatabase(Box::new(database)));
        }
    }
}
