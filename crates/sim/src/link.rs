//! Links: going down, coming up, and who hears of it (IBA 7.2).
//!
//! A link is up when it has a cable, both nodes have power, the physical states of both ends
//! allow it and there is a width and a speed that both have enabled. It then is in INIT at both
//! ends. Tables and settings of the ports outlive the loss of a link.

use lk_fabric::{LinkRate, PortId};
use lk_wire::{Attribute, MlnxExtPortInfo, PhysState, PortInfo, PortState};

use crate::rate::{Ceiling, Hardware};
use crate::sim_fabric::{Due, SimFabric};

impl SimFabric {
    /// Takes the link of a port down. The port is in `phys` then, its far end in its own
    /// LinkDownDefaultState.
    pub(crate) fn take_down(&mut self, now: u64, port: PortId, phys: PhysState) {
        let far_end = self.wiring.far_end(port);
        self.wiring.part(port);
        lower(&mut self.ports[port.index()], phys);
        let Some(far_end) = far_end else { return };
        self.stats.links_lost += 1;
        for end in [port, far_end] {
            self.counts.of_mut(end).went_down();
        }
        if far_end != port {
            let rest = down_default(&self.ports[far_end.index()]);
            lower(&mut self.ports[far_end.index()], rest);
        }
        self.note_change(now, port);
        self.note_change(now, far_end);
    }

    /// Takes the link of a port down where it is up, with both ends in their own
    /// LinkDownDefaultState.
    pub(crate) fn drop_link(&mut self, now: u64, port: PortId) {
        if self.wiring.far_end(port).is_some() {
            let rest = down_default(&self.ports[port.index()]);
            self.take_down(now, port, rest);
        }
    }

    /// Lets the link of a port come up again, at once or after the time that training takes.
    pub(crate) fn retrain(&mut self, now: u64, port: PortId) {
        if self.options().link_retrain == 0 {
            self.try_up(now, port);
        } else {
            let at = now.saturating_add(self.options().link_retrain);
            self.due.push(at, Due::Train(port));
        }
    }

    /// Brings the link of a port up where it can be.
    pub(crate) fn try_up(&mut self, now: u64, port: PortId) {
        let Some(far_end) = self.fabric.peer(port) else { return };
        if self.wiring.far_end(port).is_some() || !self.can_train(port, far_end) {
            return;
        }
        let Some(rate) = self.negotiate(port, far_end) else { return };
        self.wiring.join(port, far_end);
        for end in [port, far_end] {
            let info = &mut self.ports[end.index()];
            info.set_port_state(PortState::INIT.0);
            info.set_port_physical_state(PhysState::LINK_UP.0);
            info.set_link_width_active(rate.width);
            info.set_link_speed_active(rate.speed);
            info.set_link_speed_ext_active(rate.speed_ext);
            self.show_fdr10(end, rate.fdr10);
            self.note_change(now, end);
        }
    }

    /// Whether two ends of a cable find each other: both look, or one looks and wakes the other.
    fn can_train(&self, a: PortId, b: PortId) -> bool {
        let phys = |p: PortId| self.ports[p.index()].phys_state();
        let powered = |p: PortId| self.nodes[self.fabric.owner(p).index()].alive;
        let looks = |p: PortId| phys(p) == PhysState::POLLING;
        let wakes = |p: PortId| looks(p) || phys(p) == PhysState::SLEEP;
        let cut = self.cut.contains(&a) || self.cut.contains(&b);
        !cut && powered(a) && powered(b) && wakes(a) && wakes(b) && (looks(a) || looks(b))
    }

    fn negotiate(&self, a: PortId, b: PortId) -> Option<LinkRate> {
        let ceiling = Ceiling::of_link(self.fabric.port(a).rate, self.fabric.port(b).rate);
        let enabled = |p: PortId| {
            let mlnx = ceiling.fdr10().then(|| self.mlnx(p)).flatten();
            Hardware::enabled(&self.ports[p.index()], mlnx.as_ref())
        };
        enabled(a).negotiate(&enabled(b), &ceiling)
    }

    /// MlnxExtPortInfo of a port whose node has it.
    fn mlnx(&self, port: PortId) -> Option<MlnxExtPortInfo> {
        let plan = self.plan(self.fabric.owner(port));
        let row = self.nodes[plan.id.index()].mlnx.get(usize::from(self.wiring.number(port)));
        plan.has_mlnx()
            .then(|| MlnxExtPortInfo::from_data(&row.copied().unwrap_or_else(|| plan.fresh_mlnx())))
    }

    /// Writes into MlnxExtPortInfo whether the link runs at FDR10.
    fn show_fdr10(&mut self, port: PortId, fdr10: bool) {
        let node = self.fabric.owner(port);
        let written = self.nodes[node.index()].mlnx.all().is_some();
        if !fdr10 && !written {
            return;
        }
        let Some(mut info) = self.mlnx(port) else { return };
        info.set_link_speed_active(if fdr10 { MlnxExtPortInfo::FDR10 } else { 0 });
        let plan = self.plan(node);
        let (slots, fresh) = (plan.slots(), plan.fresh_mlnx());
        let number = usize::from(self.wiring.number(port));
        if let Some(row) = self.nodes[node.index()].mlnx.get_mut(number, slots, |_| fresh) {
            *row = info.to_data();
        }
    }

    /// A switch notes in PortStateChange that a port of it has gone or come, and tells its subnet
    /// manager.
    fn note_change(&mut self, now: u64, port: PortId) {
        let node = self.fabric.owner(port);
        let state = &mut self.nodes[node.index()];
        if !state.alive {
            return;
        }
        if let Some(switch) = &mut state.switch {
            switch.info.set_port_state_change(1);
            self.tell_link_change(now, node);
        }
    }
}

fn lower(info: &mut PortInfo, phys: PhysState) {
    info.set_port_state(PortState::DOWN.0);
    info.set_port_physical_state(phys.0);
}

/// The codes of LinkDownDefaultState are those of the physical states Sleep and Polling.
fn down_default(info: &PortInfo) -> PhysState {
    PhysState(info.link_down_default_state())
}
