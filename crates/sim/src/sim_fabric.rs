//! [`SimFabric`]: the fabric as its clients see it, and the way of a datagram from a client to an
//! agent and back.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::{Fabric, NodeId, NodeKind, PortId};
use lk_wire::{Lid, PhysState, PortInfo, Sl, Smp, cap_mask, class};

use crate::answer::Answer;
use crate::blueprint::Blueprint;
use crate::faults::{Fault, Faults};
use crate::gsi::{Address, Gmp};
use crate::node::NodeState;
use crate::options::{Capabilities, SimOptions};
use crate::pma::counts::AllCounts;
use crate::power_on;
use crate::prng::Prng;
use crate::queue::Queue;
use crate::stats::{Lost, Stats};
use crate::traps::Traps;
use crate::walk::{Arrival, Roads};
use crate::wiring::Wiring;

/// A datagram that has come to a port where a client is attached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// When, in nanoseconds.
    pub at: u64,
    /// The client's port: port 0 of a switch, a port of an adapter or router.
    pub to: PortId,
    /// The LID of the sender; permissive on a directed route.
    pub slid: Lid,
    /// The sender; its queue pair is 0 for an SMP and 1 for all others.
    pub from: Address,
    /// The datagram.
    pub mad: [u8; 256],
}

/// Things that happen by themselves at a time.
#[derive(Clone, Debug)]
pub(crate) enum Due {
    /// A delayed SMP comes to the node it is for.
    Arrive(Arrival, Box<Smp>),
    /// A delayed datagram of QP1 comes to the port it is for.
    Gmp(Box<Gmp>),
    /// A link has been trained.
    Train(PortId),
    /// A trap was not repressed.
    RepeatTrap(u64),
    /// The lease of a port's M_Key runs out.
    Lease(PortId),
}

/// A client at a port.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Client {
    /// It is a subnet manager: SMInfo is for it.
    pub(crate) is_sm: bool,
}

/// A simulated fabric.
///
/// Four kinds of calls: clients send ([`Self::send`], [`Self::exchange`] and the same by LID) and
/// receive ([`Self::next_delivery`], [`Self::receive`]); something happens to the fabric
/// ([`Self::apply`]); state goes to and comes from a file ([`Self::save`], [`Self::load`]); and
/// tests look at what the nodes hold ([`Self::port_info`] and the others).
///
/// Time is in nanoseconds, given by the caller, and never goes back from one call to the next.
/// The same calls with the same seed give the same bytes.
#[derive(Clone, Debug)]
pub struct SimFabric {
    pub(crate) fabric: Fabric,
    pub(crate) wiring: Wiring,
    pub(crate) ports: Vec<PortInfo>,
    pub(crate) nodes: Vec<NodeState>,
    pub(crate) caps: Capabilities,
    /// Ports whose cable is pulled.
    pub(crate) cut: BTreeSet<PortId>,
    pub(crate) faults: Faults,
    pub(crate) traps: Traps,
    pub(crate) clients: BTreeMap<PortId, Client>,
    /// When the M_Key protection of a port lapses.
    pub(crate) leases: BTreeMap<PortId, u64>,
    /// What the ports have counted.
    pub(crate) counts: AllCounts,
    pub(crate) prng: Prng,
    pub(crate) stats: Stats,
    pub(crate) due: Queue<Due>,
    deliveries: Queue<Delivery>,
}

impl SimFabric {
    /// The fabric right after power-on: links in INIT, no LIDs, tables as the hardware has them.
    /// LIDs in `fabric` are not taken over.
    #[must_use]
    pub fn new(fabric: &Fabric, options: &SimOptions) -> Self {
        let mut sim = Self {
            wiring: Wiring::new(fabric),
            ports: vec![PortInfo::default(); fabric.ports().len()],
            nodes: vec![NodeState::default(); fabric.nodes().len()],
            caps: Capabilities::new(options, fabric),
            cut: BTreeSet::new(),
            faults: Faults::default(),
            traps: Traps::default(),
            clients: BTreeMap::new(),
            leases: BTreeMap::new(),
            counts: AllCounts::default(),
            prng: Prng::new(options.seed),
            stats: Stats::default(),
            due: Queue::default(),
            deliveries: Queue::default(),
            fabric: fabric.clone(),
        };
        for node in fabric.node_ids() {
            sim.reset_node(node);
        }
        for (end, _) in fabric.links() {
            sim.try_up(0, end);
        }
        sim
    }

    /// The graph that is simulated. It does not change: nodes without power and links that are
    /// down are still in it.
    #[must_use]
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// The options that the fabric was made with.
    #[must_use]
    pub fn options(&self) -> &SimOptions {
        self.caps.options()
    }

    /// What was counted so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Attaches a client to a port (port 0 of a switch, whichever of its ports is given), so that
    /// what comes there is kept for it. Sending attaches, too.
    pub fn attach(&mut self, port: PortId) {
        if let Some(port) = self.client_port(port) {
            self.clients.entry(port).or_default();
        }
    }

    /// Takes a client away. What comes to its port is lost from now on.
    pub fn detach(&mut self, now: u64, port: PortId) {
        self.set_is_sm(now, port, false);
        if let Some(port) = self.client_port(port) {
            self.clients.remove(&port);
        }
    }

    /// Whether the client at a port is a subnet manager.
    pub(crate) fn is_sm_at(&self, port: PortId) -> bool {
        self.clients.get(&port).is_some_and(|client| client.is_sm)
    }

    /// Says whether the client at a port is a subnet manager: the port's IsSM bit, where SMInfo
    /// requests go, and trap 144 where the bit has changed.
    pub fn set_is_sm(&mut self, now: u64, port: PortId, is_sm: bool) {
        self.advance(now);
        let Some(port) = self.client_port(port) else { return };
        self.clients.entry(port).or_default().is_sm = is_sm;
        let info = &mut self.ports[port.index()];
        let before = info.capability_mask();
        let bit = if is_sm { cap_mask::IS_SM } else { 0 };
        info.set_capability_mask(before & !cap_mask::IS_SM | bit);
        if info.capability_mask() != before {
            self.tell_local_change(now, port, false);
        }
    }

    /// A client sends a datagram that needs no LID: a directed-route SMP, or an SMP to its own
    /// port's agent.
    pub fn send(&mut self, now: u64, from: PortId, mad: &[u8; 256]) {
        self.send_to(now, from, self.own_lid(from), mad);
    }

    /// A client sends a datagram to a LID. The answer, if there is one, is a [`Delivery`]. One of
    /// QP1 goes by service level 0; [`Self::send_gmp`] knows more.
    pub fn send_to(&mut self, now: u64, from: PortId, dlid: Lid, mad: &[u8; 256]) {
        if !is_smp(mad) {
            self.send_gmp(now, from, &Address::gsi(dlid, Sl(0)), mad);
            return;
        }
        self.advance(now);
        let mut smp = Smp(*mad);
        let Some(arrival) = self.enter(from, dlid, &mut smp) else { return };
        match self.faults.delay(self.fabric.owner(arrival.port), &mut self.prng) {
            0 => self.serve(now, arrival, &smp),
            delay => {
                let at = now.saturating_add(delay);
                self.due.push(at, Due::Arrive(arrival, Box::new(smp)));
            }
        }
    }

    /// Sends an SMP and gives the answer back at once, or `None` where none comes to this client.
    /// Delays are left out; what goes to other clients, and copies, are deliveries, and so are
    /// the answers to datagrams of QP1.
    pub fn exchange(&mut self, now: u64, from: PortId, mad: &[u8; 256]) -> Option<[u8; 256]> {
        self.exchange_with(now, from, self.own_lid(from), mad)
    }

    /// [`Self::exchange`] with a LID.
    pub fn exchange_with(
        &mut self,
        now: u64,
        from: PortId,
        dlid: Lid,
        mad: &[u8; 256],
    ) -> Option<[u8; 256]> {
        if !is_smp(mad) {
            self.send_to(now, from, dlid, mad);
            return None;
        }
        self.advance(now);
        let mut smp = Smp(*mad);
        let arrival = self.enter(from, dlid, &mut smp)?;
        let answer = self.react(now, arrival, &smp)?;
        let (back, smp, twice) = self.bring_back(now, arrival, answer)?;
        if twice {
            self.keep_for_client(now, back, &smp.0);
        }
        if self.client_port(back.port) == self.client_port(from) {
            return Some(smp.0);
        }
        self.keep_for_client(now, back, &smp.0);
        None
    }

    /// When something can next be due: the earliest delivery, or the earliest thing that happens
    /// by itself and may lead to one.
    #[must_use]
    pub fn next_delivery(&self) -> Option<u64> {
        let times = [self.deliveries.next_time(), self.due.next_time()];
        times.into_iter().flatten().min()
    }

    /// The earliest delivery that is due by `now`.
    pub fn receive(&mut self, now: u64) -> Option<Delivery> {
        self.advance(now);
        self.deliveries.pop(now).map(|(_, delivery)| delivery)
    }

    /// Something happens to the fabric.
    pub fn apply(&mut self, now: u64, fault: Fault) {
        self.advance(now);
        match self.faults.set(fault) {
            None => {}
            Some(Fault::PowerOff(node)) => self.power_off(now, node),
            Some(Fault::PowerOn(node)) => {
                self.power_off(now, node);
                self.power_on(now, node);
            }
            Some(Fault::LinkDown(port)) => {
                self.cut.insert(port);
                self.drop_link(now, port);
            }
            Some(Fault::LinkUp(port)) => {
                self.cut.remove(&port);
                if let Some(far_end) = self.fabric.peer(port) {
                    self.cut.remove(&far_end);
                }
                self.retrain(now, port);
            }
            Some(Fault::LinkFlap(port)) => {
                self.drop_link(now, port);
                self.retrain(now, port);
            }
            Some(Fault::Trap { port, notice }) => {
                if let Some(port) = self.client_port(port) {
                    self.raise(now, port, notice);
                }
            }
            Some(Fault::Rename { node, description }) => {
                self.nodes[node.index()].renamed = Some(description.into());
                for port in self.own_ports(node) {
                    self.tell_local_change(now, port, true);
                }
            }
            // The others are faults of datagrams, which were taken in above.
            Some(_) => {}
        }
    }
}

/// The way of a datagram.
impl SimFabric {
    pub(crate) fn roads(&self) -> Roads<'_> {
        Roads { fabric: &self.fabric, wiring: &self.wiring, ports: &self.ports, nodes: &self.nodes }
    }

    /// The port that a client of this port's node is attached to; `None` for a slot that no port
    /// stands behind.
    pub(crate) fn client_port(&self, port: PortId) -> Option<PortId> {
        if port.index() >= self.ports.len() {
            None
        } else if self.wiring.on_switch(port) {
            Some(self.wiring.port_zero(port))
        } else {
            (self.wiring.number(port) != 0).then_some(port)
        }
    }

    fn own_lid(&self, port: PortId) -> Lid {
        self.client_port(port).map_or(Lid(0), |p| self.ports[p.index()].base_lid())
    }

    /// Carries a client's datagram to the node it is for. What is not for an agent goes to the
    /// client there.
    fn enter(&mut self, from: PortId, dlid: Lid, smp: &mut Smp) -> Option<Arrival> {
        self.stats.sent += 1;
        let Some(from) = self.client_port(from) else {
            self.stats.count_lost(Lost::NoSuchPort);
            return None;
        };
        self.clients.entry(from).or_default();
        let carried = if self.nodes[self.fabric.owner(from).index()].alive {
            self.carry(from, dlid, smp)
        } else {
            Err(Lost::NodeDead)
        };
        let arrival = match carried {
            Ok(arrival) => arrival,
            Err(why) => {
                self.stats.count_lost(why);
                return None;
            }
        };
        let node = self.fabric.owner(arrival.port);
        if self.faults.loses_request(node, &mut self.prng) {
            self.stats.count_lost(Lost::FaultRequest);
            return None;
        }
        Some(arrival)
    }

    fn carry(&self, from: PortId, dlid: Lid, smp: &mut Smp) -> Result<Arrival, Lost> {
        let to_itself = !smp.is_directed() && dlid == Lid(0);
        if to_itself {
            return Ok(Arrival { port: from, slid: Lid(0) });
        }
        self.roads().carry(from, dlid, smp)
    }

    /// A datagram has come to a node; the answer goes back.
    fn serve(&mut self, now: u64, arrival: Arrival, smp: &Smp) {
        let Some(answer) = self.react(now, arrival, smp) else { return };
        let node = self.fabric.owner(arrival.port);
        let Some((back, smp, twice)) = self.bring_back(now, arrival, answer) else { return };
        for _ in 0..=u8::from(twice) {
            let at = now.saturating_add(self.faults.delay(node, &mut self.prng));
            self.keep_for_client(at, back, &smp.0);
        }
    }

    /// Carries an answer back to where its request came from, then does to the link what the
    /// request asked for. Says where it came out, and whether it arrives twice.
    fn bring_back(
        &mut self,
        now: u64,
        arrival: Arrival,
        mut answer: Answer,
    ) -> Option<(Arrival, Smp, bool)> {
        let node = self.fabric.owner(arrival.port);
        self.stats.answered += 1;
        self.stats.refused += u64::from(!answer.smp.status().is_ok());
        let from = self.client_port(arrival.port)?;
        let carried = self.carry(from, arrival.slid, &mut answer.smp);
        if let Some(down) = answer.link_down
            && let Some(port) = self.fabric.port_at(node, down.port)
        {
            self.take_down(now, port, down.phys);
            if down.phys != PhysState::DISABLED {
                self.retrain(now, port);
            }
        }
        let carried = match carried {
            Ok(_) if self.faults.loses_answer(node, &mut self.prng) => Err(Lost::FaultAnswer),
            other => other,
        };
        match carried {
            Ok(back) => {
                if let Some(spoil) = answer.spoil {
                    spoil.apply(&mut answer.smp, &mut self.prng);
                }
                let twice = self.faults.duplicates(node, &mut self.prng);
                Some((back, answer.smp, twice))
            }
            Err(why) => {
                self.stats.count_lost(why);
                None
            }
        }
    }

    /// Keeps a datagram for the client at the port that it came to.
    pub(crate) fn keep_for_client(&mut self, at: u64, arrival: Arrival, mad: &[u8; 256]) {
        let client = self.client_port(arrival.port).filter(|p| self.clients.contains_key(p));
        let Some(to) = client else {
            self.stats.count_lost(Lost::NoClient);
            return;
        };
        let (slid, from) = (arrival.slid, arrival.sender());
        self.keep(at, Delivery { at, to, slid, from, mad: *mad });
    }

    /// Keeps what has come to a client.
    pub(crate) fn keep(&mut self, at: u64, delivery: Delivery) {
        self.deliveries.push(at, delivery);
    }

    /// Lets everything happen that is due by `now`.
    pub(crate) fn advance(&mut self, now: u64) {
        while let Some((at, due)) = self.due.pop(now) {
            match due {
                Due::Arrive(arrival, smp) => self.serve(at, arrival, &smp),
                Due::Gmp(gmp) => self.take_gmp(at, &gmp),
                Due::Train(port) => self.try_up(at, port),
                Due::RepeatTrap(tid) => self.repeat_trap(at, tid),
                Due::Lease(port) => self.end_lease(at, port),
            }
        }
    }
}

/// Whether a datagram is for QP0.
pub(crate) fn is_smp(mad: &[u8; 256]) -> bool {
    matches!(mad[1], class::SUBN_DR | class::SUBN_LID)
}

/// Nodes and their power.
impl SimFabric {
    pub(crate) fn plan(&self, node: NodeId) -> Blueprint<'_> {
        let caps = self.caps.of(node, self.fabric.node(node).kind);
        Blueprint { fabric: &self.fabric, id: node, caps }
    }

    /// The ports with a subnet manager of their own: port 0 of a switch, all ports of an adapter.
    pub(crate) fn own_ports(&self, node: NodeId) -> Vec<PortId> {
        match self.fabric.node(node).kind {
            NodeKind::Switch => vec![self.fabric.node(node).first],
            _ => self.fabric.external_ports(node).collect(),
        }
    }

    /// Gives a node the state it has at power-on, all links down.
    fn reset_node(&mut self, node: NodeId) {
        let plan = self.plan(node);
        let hardware = plan.hardware();
        let (kind, first) = (plan.kind(), plan.node().first);
        let infos: Vec<_> = (0..=plan.node().num_ports)
            .map(|number| match (kind, number) {
                // No port stands behind slot 0 of an adapter.
                (NodeKind::Ca | NodeKind::Router, 0) => PortInfo::default(),
                _ => power_on::port_info(kind, number, plan.port_caps(number), &hardware),
            })
            .collect();
        let state = NodeState::new(plan);
        self.nodes[node.index()] = state;
        self.ports[first.index()..][..infos.len()].copy_from_slice(&infos);
    }

    fn power_off(&mut self, now: u64, node: NodeId) {
        if !self.nodes[node.index()].alive {
            return;
        }
        self.nodes[node.index()].alive = false;
        for port in self.fabric.external_ports(node) {
            self.drop_link(now, port);
        }
        self.traps.forget(node);
        let first = self.fabric.node(node).first;
        for number in 0..=u32::from(self.fabric.node(node).num_ports) {
            self.counts.forget(PortId(first.0 + number));
        }
        for port in self.own_ports(node) {
            self.leases.remove(&port);
            if let Some(client) = self.clients.get_mut(&port) {
                client.is_sm = false;
            }
        }
    }

    fn power_on(&mut self, now: u64, node: NodeId) {
        self.reset_node(node);
        for port in self.fabric.external_ports(node) {
            self.retrain(now, port);
        }
    }
}
