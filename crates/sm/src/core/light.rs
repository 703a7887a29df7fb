//! The light sweep: every switch is asked whether one of its ports changed. If one says so, or
//! does not answer, a heavy sweep follows.

use lk_wire::{SwitchInfo, Tid, attr, method};

use super::*;
use crate::window::Patience;

/// A light sweep under way.
pub(super) struct Light {
    next: u32,
    found: Option<Reason>,
}

impl Sm {
    pub(super) fn start_light(&mut self) {
        self.event(Event::LightSweep);
        self.stage = Stage::Light(Light { next: 0, found: None });
    }

    pub(super) fn next_light(&mut self) -> Option<(Smp, Purpose, Patience)> {
        let Stage::Light(light) = &mut self.stage else { return None };
        let seen = self.seen.as_ref()?;
        let switch = SwitchId(light.next);
        if switch.index() >= seen.fabric.switches().len() {
            return None;
        }
        light.next += 1;
        let path = seen.switch_path(switch);
        let m_key = self.settings.options.m_key;
        let smp = Smp::directed(method::GET, attr::SWITCH_INFO, 0, Tid(0), m_key, path);
        Some((smp, Purpose::Light(switch), Patience::Normal))
    }

    fn switch_guid(&self, switch: SwitchId) -> Option<Guid> {
        let fabric = &self.seen.as_ref()?.fabric;
        Some(fabric.node(fabric.switch_node(switch)).guid)
    }

    pub(super) fn light_answered(&mut self, switch: SwitchId, response: &Smp) {
        let Some(guid) = self.switch_guid(switch) else { return };
        let known = self.seen.as_ref().and_then(|s| s.switch_info(switch).copied());
        let info: SwitchInfo = response.attribute();
        // A switch that was reset has lost its tables and says so by its LinearFDBTop.
        let reset = known.is_some_and(|k| k.linear_fdb_top() != info.linear_fdb_top());
        if info.port_state_change() != 0 || reset {
            self.light_found(Reason::PortStateChange(guid));
        }
    }

    pub(super) fn light_failed(&mut self, switch: SwitchId) {
        if let Some(guid) = self.switch_guid(switch) {
            self.light_found(Reason::SwitchSilent(guid));
        }
    }

    fn light_found(&mut self, reason: Reason) {
        if let Stage::Light(light) = &mut self.stage {
            light.found.get_or_insert(reason);
        }
    }

    pub(super) fn light_done(&mut self) {
        let Stage::Light(light) = &mut self.stage else { return };
        match light.found.take() {
            Some(reason) => self.start_sweep(reason),
            None => {
                self.keep_database(false);
                self.idle();
            }
        }
    }
}
