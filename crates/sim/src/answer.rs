//! What a node makes of a datagram that has come to it: which of its parts is responsible, whether
//! the M_Key allows it, and what the answer is.

use lk_fabric::{NodeId, PortId};
use lk_wire::{Attribute, MKey, Notice, Smp, Status, attr, cap_mask, method};

use crate::blueprint::Blueprint;
use crate::faults::Spoil;
use crate::sim_fabric::{Due, SimFabric};
use crate::sma::m_key::{self, Verdict};
use crate::sma::{Agent, Data, Done, LinkDown};
use crate::stats::Lost;
use crate::walk::Arrival;

const SECOND: u64 = 1_000_000_000;

/// An answer at the node that gives it.
pub(crate) struct Answer {
    pub(crate) smp: Smp,
    /// How it is spoilt on the way.
    pub(crate) spoil: Option<Spoil>,
    /// What happens to a link once the answer is on its way.
    pub(crate) link_down: Option<LinkDown>,
}

impl SimFabric {
    /// Gives the datagram to the agent or to the client. `None`: there is no answer of the
    /// agent's.
    pub(crate) fn react(&mut self, now: u64, arrival: Arrival, smp: &Smp) -> Option<Answer> {
        if !self.nodes[self.fabric.owner(arrival.port).index()].alive {
            self.stats.count_lost(Lost::NodeDead);
            return None;
        }
        match smp.method() {
            m if m & method::RESPONSE_BIT != 0 || m == method::TRAP => {
                self.keep_for_client(now, arrival, &smp.0);
                None
            }
            method::GET | method::SET => self.request(now, arrival, smp),
            method::TRAP_REPRESS => {
                if self.allows(now, arrival, smp) {
                    self.repress(self.fabric.owner(arrival.port), smp.tid());
                }
                None
            }
            method::SEND | method::REPORT => {
                self.stats.count_lost(Lost::NotARequest);
                None
            }
            _ => Some(plain(smp.response(Status::METHOD_UNSUPPORTED))),
        }
    }

    fn request(&mut self, now: u64, arrival: Arrival, smp: &Smp) -> Option<Answer> {
        let node = self.fabric.owner(arrival.port);
        self.stats.count_request(smp.method(), smp.attr_id());
        if smp.base_version() != 1 || smp.class_version() != 1 {
            return Some(plain(smp.response(Status::BAD_VERSION)));
        }
        if smp.attr_id() == attr::SM_INFO {
            // SMInfo is a matter between subnet managers, protected by SM_Keys.
            let client = self.client_port(arrival.port).and_then(|p| self.clients.get(&p));
            if client.is_some_and(|c| c.is_sm) {
                self.keep_for_client(now, arrival, &smp.0);
                return None;
            }
            return Some(plain(smp.response(Status::METHOD_ATTR_UNSUPPORTED)));
        }
        if !self.allows(now, arrival, smp) {
            return None;
        }
        let spoil = self.faults.spoil(node, smp, &mut self.prng);
        if let Some(Spoil::Status(status)) = spoil {
            return Some(plain(smp.response(status)));
        }
        let result = match smp.attr_id() {
            attr::NOTICE => self.notice(arrival, smp).map(Done::from),
            _ => self.ask_agent(arrival, smp),
        };
        let answer = match result {
            Ok(done) => {
                let mut answer = smp.response(Status::OK);
                *answer.data_mut() = done.data;
                Answer { smp: answer, spoil, link_down: done.link_down }
            }
            Err(status) => Answer { spoil, ..plain(smp.response(status)) },
        };
        Some(answer)
    }

    fn ask_agent(&mut self, arrival: Arrival, smp: &Smp) -> Result<Done, Status> {
        let ingress = self.wiring.number(arrival.port);
        let mut agent = self.agent(self.fabric.owner(arrival.port), ingress, smp.m_key());
        match smp.method() {
            method::SET => agent.set(smp.attr_id(), smp.attr_modifier(), smp.data()),
            _ => agent.get(smp.attr_id(), smp.attr_modifier()).map(Done::from),
        }
    }

    /// The agent of a node, for a request that came in through port `ingress`.
    pub(crate) fn agent(&mut self, id: NodeId, ingress: u8, m_key: MKey) -> Agent<'_> {
        let node = self.fabric.node(id);
        let (first, count) = (node.first.index(), usize::from(node.num_ports) + 1);
        Agent {
            plan: Blueprint { fabric: &self.fabric, id, caps: self.caps.of(id, node.kind) },
            state: &mut self.nodes[id.index()],
            ports: &mut self.ports[first..first + count],
            ingress,
            m_key,
        }
    }

    /// Notice (IBA 13.4.8.2): what the node keeps for those who ask instead of waiting for traps.
    fn notice(&mut self, arrival: Arrival, smp: &Smp) -> Result<Data, Status> {
        let node = self.fabric.owner(arrival.port);
        let port = self.client_port(arrival.port).ok_or(Status::METHOD_ATTR_UNSUPPORTED)?;
        if !self.ports[port.index()].has_capability(cap_mask::NOTICE) {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        }
        if smp.method() == method::SET {
            self.traps.clear_notice(node, &Notice::from_data(smp.data()));
        }
        Ok(self.traps.notice(node).to_data())
    }

    /// Whether the M_Keys of the ports that a request is about allow it. Keeps account of
    /// violations.
    fn allows(&mut self, now: u64, arrival: Arrival, smp: &Smp) -> bool {
        let Some(own) = self.client_port(arrival.port) else { return false };
        let about_other = (!self.wiring.on_switch(own) && smp.attr_id() == attr::PORT_INFO)
            .then(|| self.wiring.sibling(own, smp.attr_modifier() as u8))
            .flatten()
            .filter(|p| *p != own);
        [Some(own), about_other].into_iter().flatten().all(|p| self.judge(now, arrival, p, smp))
    }

    fn judge(&mut self, now: u64, arrival: Arrival, port: PortId, smp: &Smp) -> bool {
        let info = &mut self.ports[port.index()];
        match m_key::judge(info, smp.method(), smp.m_key()) {
            Verdict::Valid => {
                if !self.leases.is_empty() {
                    self.leases.remove(&port);
                }
                true
            }
            Verdict::Tolerated => true,
            Verdict::Violation => {
                info.set_m_key_violations(info.m_key_violations().saturating_add(1));
                let period = u64::from(info.m_key_lease_period()) * SECOND;
                if period != 0 && !self.leases.contains_key(&port) {
                    let at = now.saturating_add(period);
                    self.leases.insert(port, at);
                    self.due.push(at, Due::Lease(port));
                }
                self.stats.count_lost(Lost::MKey);
                self.tell_bad_m_key(now, port, arrival, smp);
                false
            }
        }
    }

    /// The lease has run out and nobody who knows the key was heard: the protection lapses.
    pub(crate) fn end_lease(&mut self, at: u64, port: PortId) {
        // A lease that was stopped, and maybe started anew, does not end now.
        if self.leases.get(&port) == Some(&at) {
            self.leases.remove(&port);
            self.ports[port.index()].set_m_key_protect(0);
        }
    }
}

fn plain(smp: Smp) -> Answer {
    Answer { smp, spoil: None, link_down: None }
}
