//! Other subnet managers: who gives way, and how a standby notices that the master is gone
//! (IBA 14.4).

use lk_wire::{DirPath, Guid, SmInfo, Tid, attr, method};

use super::*;
use crate::window::Patience;

/// Another SM is master; it is asked from time to time whether it still is.
pub(super) struct Standby {
    path: DirPath,
    pub(super) ask_at: Instant,
    misses: u32,
}

impl Sm {
    /// Looks at the SMs that were found. `true`: this one does not become master now.
    pub(super) fn gives_way(&mut self, seen: &Observed) -> bool {
        let own_guid = seen.fabric.port(seen.sm_port).guid;
        let own_priority = self.options().sm_priority;
        let mut master = None;
        for (port, info) in &seen.other_sms {
            let guid = Guid(info.guid());
            let (priority, state) = (info.priority(), info.sm_state());
            self.event(Event::OtherSm { guid, priority, state });
            let higher =
                (priority, std::cmp::Reverse(guid)) > (own_priority, std::cmp::Reverse(own_guid));
            let active = state != SmState::NotActive.code();
            let holds = state == SmState::Master.code() && self.state != SmState::Master;
            if holds || (active && higher) {
                master = Some(*port);
            }
        }
        let Some(port) = master else { return false };
        match self.mode {
            // Who only reads is no manager.
            Mode::Read => return false,
            Mode::Plan => {
                self.event(Event::WouldStandBy(seen.fabric.port_name(port)));
                return false;
            }
            Mode::Once => {
                let name = seen.fabric.port_name(port);
                self.event(Event::Refusal(format!(
                    "another SM is, or will be, master at {name}: a single sweep would undo its \
                     work. Stop it, give this one a higher priority (-p), or set ignore_other_sm"
                )));
                self.finish(Outcome::Refused);
            }
            Mode::Daemon => {
                let path = *seen.path(port);
                self.set_state(SmState::Standby);
                self.sa.withdraw();
                self.stage = Stage::Standby(Standby { path, ask_at: self.poll_time(), misses: 0 });
            }
        }
        true
    }

    fn poll_time(&self) -> Instant {
        let millis = u64::from(self.options().sminfo_polling_timeout.max(100));
        self.now + Duration::millis(millis)
    }

    pub(super) fn next_standby(&mut self) -> Option<(Smp, Purpose, Patience)> {
        let Stage::Standby(standby) = &self.stage else { return None };
        if self.now < standby.ask_at || self.window.in_flight() > 0 {
            return None;
        }
        let m_key = self.settings.options.m_key;
        let smp = Smp::directed(method::GET, attr::SM_INFO, 0, Tid(0), m_key, &standby.path);
        Some((smp, Purpose::Master, Patience::Normal))
    }

    pub(super) fn master_answered(&mut self, response: &Smp) {
        let info: SmInfo = response.attribute();
        let alive = info.sm_state() != SmState::NotActive.code();
        if !alive {
            self.master_silent();
            return;
        }
        let ask_at = self.poll_time();
        if let Stage::Standby(standby) = &mut self.stage {
            standby.misses = 0;
            standby.ask_at = ask_at;
        }
    }

    pub(super) fn master_silent(&mut self) {
        let (most, ask_at) = (self.options().polling_retry_number, self.poll_time());
        let Stage::Standby(standby) = &mut self.stage else { return };
        standby.misses += 1;
        standby.ask_at = ask_at;
        if standby.misses >= most.max(1) {
            // The master may have moved LIDs since the file was read: what ports hold counts.
            if !self.options().honor_guid2lid_file {
                Arc::make_mut(&mut self.settings).guid2lid = Default::default();
            }
            self.set_state(SmState::Discovering);
            self.start_sweep(Reason::MasterGone);
        }
    }
}

#[cfg(test)]
mod tests {
    use lk_config::guid2lid::LidRange;

    use super::*;

    /// What a manager knows of LIDs when the master has gone.
    fn known_after_standby(honor: bool) -> usize {
        let options = Options { honor_guid2lid_file: honor, ..Options::default() };
        let range = LidRange { first: Lid(7), last: Lid(7) };
        let settings = Settings::new(options, [(Guid(1), range)].into());
        let mut sm = Sm::new(settings, Mode::Daemon, Instant(0));
        sm.state = SmState::Standby;
        sm.stage = Stage::Standby(Standby { path: DirPath::LOCAL, ask_at: sm.now, misses: 0 });
        for _ in 1..sm.options().polling_retry_number {
            sm.master_silent();
        }
        assert_eq!((sm.state, sm.settings.guid2lid.len()), (SmState::Standby, 1));
        sm.master_silent();
        assert_eq!(sm.state, SmState::Discovering);
        sm.settings.guid2lid.len()
    }

    #[test]
    fn after_standby_the_file_counts_only_where_it_is_honoured() {
        assert_eq!(known_after_standby(false), 0);
        assert_eq!(known_after_standby(true), 1);
    }
}
