//! Datagrams of QP1 (IBA 13.5): how they travel, and who takes them at their end.
//!
//! Unlike SMPs they are packets like any others: they go by LID and service level over links that
//! are ACTIVE, each switch picks their lane by its SL2VL table, and P_Key and Q_Key are checked
//! where they arrive. Ports count them. What is about performance goes to the node's own agent;
//! everything else to the client at the port.

use lk_fabric::PortId;
use lk_wire::{Gid, Guid, Lid, MadHeader, PKey, PKeyTable, PortNum, Sl, Status, Vl};
use lk_wire::{class, method};

use crate::sim_fabric::{Delivery, Due, SimFabric};
use crate::stats::Lost;
use crate::walk::{Arrival, MAX_SWITCHES};

/// Words of four bytes of a packet that carries a datagram, without and with a GRH: LRH, BTH,
/// DETH, datagram and ICRC (IBA 16.1.3.5: what lies between the start and the VCRC).
const WORDS: u32 = (8 + 12 + 8 + 256 + 4) / 4;
const GRH_WORDS: u32 = 10;

/// A global route header (IBA 8.3): what a datagram has that may cross routers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Grh {
    /// The other end's GID: where it goes when it is sent, where it comes from when it came.
    pub gid: Gid,
    /// The own GID's place in the port's table.
    pub gid_index: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// Traffic class.
    pub traffic_class: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
}

/// The other end of a datagram: where it goes when it is sent, where it comes from when it came.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Address {
    /// The LID.
    pub lid: Lid,
    /// The queue pair, 0 or 1.
    pub qp: u32,
    /// The Q_Key.
    pub q_key: u32,
    /// The service level.
    pub sl: Sl,
    /// The own LID's low bits, as far as the LMC goes.
    pub path_bits: u8,
    /// The P_Key's place in the own port's table.
    pub pkey_index: u16,
    /// The global route header, if there is one.
    pub grh: Option<Grh>,
}

impl Address {
    /// The Q_Key of QP1 (IBA 10.2.5).
    pub const GSI_Q_KEY: u32 = 0x8001_0000;

    /// QP1 of the port with this LID, with the first P_Key, by a service level.
    #[must_use]
    pub const fn gsi(lid: Lid, sl: Sl) -> Self {
        let q_key = Self::GSI_Q_KEY;
        Self { lid, qp: 1, q_key, sl, path_bits: 0, pkey_index: 0, grh: None }
    }

    /// QP0 of the port with this LID; the permissive one on a directed route.
    #[must_use]
    pub const fn smi(lid: Lid) -> Self {
        Self { lid, qp: 0, q_key: 0, sl: Sl(0), path_bits: 0, pkey_index: 0, grh: None }
    }
}

/// A datagram of QP1 under way.
#[derive(Clone, Debug)]
pub(crate) struct Gmp {
    /// Where it came out.
    port: PortId,
    /// Its sender, but for the P_Key's place at the receiver.
    from: Address,
    pkey: PKey,
    mad: [u8; 256],
}

impl SimFabric {
    /// A client sends a datagram of QP1. What arrives and is not for the node's own agents is a
    /// [`Delivery`] there.
    pub fn send_gmp(&mut self, now: u64, from: PortId, to: &Address, mad: &[u8; 256]) {
        self.advance(now);
        self.stats.sent += 1;
        let Some(from) = self.client_port(from) else {
            self.stats.count_lost(Lost::NoSuchPort);
            return;
        };
        self.clients.entry(from).or_default();
        self.launch(now, from, to, mad);
    }

    /// Sends a datagram from a port on its way, with all that can go wrong there.
    fn launch(&mut self, now: u64, from: PortId, to: &Address, mad: &[u8; 256]) {
        let gmp = match self.travel(from, to, mad) {
            Ok(gmp) => gmp,
            Err(why) => {
                self.stats.count_lost(why);
                return;
            }
        };
        // Faults are those of the node that is asked.
        let response = mad[3] & method::RESPONSE_BIT != 0;
        let node = self.fabric.owner(if response { from } else { gmp.port });
        let lost = if response {
            self.faults.loses_answer(node, &mut self.prng).then_some(Lost::FaultAnswer)
        } else {
            self.faults.loses_request(node, &mut self.prng).then_some(Lost::FaultRequest)
        };
        if let Some(why) = lost {
            self.stats.count_lost(why);
            return;
        }
        let copies = 1 + u8::from(response && self.faults.duplicates(node, &mut self.prng));
        for _ in 0..copies {
            match self.faults.delay(node, &mut self.prng) {
                0 => self.take_gmp(now, &gmp),
                delay => {
                    let at = now.saturating_add(delay);
                    self.due.push(at, Due::Gmp(Box::new(gmp.clone())));
                }
            }
        }
    }

    /// Carries a datagram to the port that it is for, and counts it on the way.
    fn travel(&mut self, from: PortId, to: &Address, mad: &[u8; 256]) -> Result<Gmp, Lost> {
        if !self.nodes[self.fabric.owner(from).index()].alive {
            return Err(Lost::NodeDead);
        }
        let pkey = self.pkey_at(from, to.pkey_index).filter(|key| key.is_valid());
        let pkey = pkey.ok_or(Lost::PKey)?;
        let own = &self.ports[from.index()];
        let bits = u16::from(to.path_bits) & ((1 << own.lmc()) - 1);
        let slid = Lid(own.lid() | bits);
        let own_gid = |grh: Grh| Grh { gid: self.gid_at(from, grh.gid_index), ..grh };
        let grh = to.grh.map(own_gid);
        let words = WORDS + if grh.is_some() { GRH_WORDS } else { 0 };
        let port = self.pass_lanes(from, to.lid, to.sl, words)?;
        let there = &self.ports[port.index()];
        let path_bits = (to.lid.0 & ((1 << there.lmc()) - 1)) as u8;
        let grh = grh.map(|grh| Grh { gid_index: 0, ..grh });
        let from = Address {
            lid: slid,
            qp: to.qp,
            q_key: to.q_key,
            sl: to.sl,
            path_bits,
            pkey_index: 0,
            grh,
        };
        Ok(Gmp { port, from, pkey, mad: *mad })
    }

    /// From port to port, each hop counted at both ends. Gives the client's port at the end.
    fn pass_lanes(&mut self, from: PortId, dlid: Lid, sl: Sl, words: u32) -> Result<PortId, Lost> {
        let mut here = from;
        if !self.wiring.on_switch(here) {
            if dlid == Lid(0) || self.roads().owns(here, dlid) {
                return Ok(here);
            }
            here = self.hop(here, here, sl, words)?;
        }
        for _ in 0..MAX_SWITCHES {
            if !self.wiring.on_switch(here) {
                let arrived = self.roads().owns(here, dlid);
                return if arrived { Ok(here) } else { Err(Lost::WrongLid) };
            }
            let zero = self.wiring.port_zero(here);
            if self.roads().owns(zero, dlid) {
                return Ok(zero);
            }
            let out = match self.roads().route(here, dlid) {
                0 => return Ok(zero),
                egress => self.wiring.sibling(here, egress),
            };
            let Some(out) = out else {
                self.counts.of_mut(here).not_relayed();
                return Err(Lost::NoRoute);
            };
            here = self.hop(here, out, sl, words)?;
        }
        Err(Lost::Loop)
    }

    /// In at `here`, out at `out`, over the link: gives the port at the far end.
    fn hop(&mut self, here: PortId, out: PortId, sl: Sl, words: u32) -> Result<PortId, Lost> {
        let passed = self.way(here, out, sl);
        match passed {
            Ok(there) => {
                self.counts.of_mut(out).sent(words, sl.0);
                self.counts.of_mut(there).received(words, sl.0);
            }
            Err(_) => self.counts.of_mut(out).discarded(),
        }
        passed
    }

    fn way(&self, here: PortId, out: PortId, sl: Sl) -> Result<PortId, Lost> {
        let there = self.wiring.far_end(out).ok_or(Lost::LinkDown)?;
        if !self.roads().is_active(out) || !self.roads().is_active(there) {
            return Err(Lost::LinkDown);
        }
        // An adapter has one table for each port; the input does not matter there.
        let input = PortNum(self.wiring.number(here));
        let table = self.sl2vl(self.fabric.owner(out), input, PortNum(self.wiring.number(out)));
        let lane = table.get(Sl(sl.0 & 15));
        let lanes = self.ports[out.index()].operational_vls().data_vls();
        if lane == Vl::DROP || lane.0 >= lanes { Err(Lost::Lane) } else { Ok(there) }
    }

    /// A datagram has come to the port that it is for.
    pub(crate) fn take_gmp(&mut self, now: u64, gmp: &Gmp) {
        if let Err(why) = self.try_take(now, gmp) {
            self.counts.of_mut(gmp.port).dropped_at_qp1();
            self.stats.count_lost(why);
        }
    }

    fn try_take(&mut self, now: u64, gmp: &Gmp) -> Result<(), Lost> {
        let node = self.fabric.owner(gmp.port);
        if !self.nodes[node.index()].alive {
            return Err(Lost::NodeDead);
        }
        // A Q_Key with its highest bit means the sender's own (IBA 10.2.5); QP1 has one only.
        if gmp.from.q_key != Address::GSI_Q_KEY && gmp.from.q_key >> 31 == 0 {
            let info = &mut self.ports[gmp.port.index()];
            info.set_q_key_violations(info.q_key_violations().saturating_add(1));
            return Err(Lost::QKey);
        }
        let Some(pkey_index) = self.pkey_place(gmp.port, gmp.pkey) else {
            let info = &mut self.ports[gmp.port.index()];
            info.set_p_key_violations(info.p_key_violations().saturating_add(1));
            return Err(Lost::PKey);
        };
        let from = Address { pkey_index, q_key: Address::GSI_Q_KEY, ..gmp.from };
        let header = MadHeader::parse(&gmp.mad).unwrap_or_default();
        let asks = matches!(header.method(), method::GET | method::SET);
        if header.mgmt_class() == class::PERF && asks {
            self.stats.answered += 1;
            let answer = self.pma(node, &gmp.mad);
            self.launch(now, gmp.port, &back(&from), &answer);
        } else if self.clients.contains_key(&gmp.port) {
            self.keep(now, Delivery { at: now, to: gmp.port, slid: from.lid, from, mad: gmp.mad });
        } else if asks {
            // The drivers of every machine refuse what nobody there has asked to have.
            self.stats.refused += 1;
            self.launch(now, gmp.port, &back(&from), &refusal(&gmp.mad));
        } else {
            return Err(Lost::NoClient);
        }
        Ok(())
    }

    /// A key of a port's table.
    fn pkey_at(&self, port: PortId, index: u16) -> Option<PKey> {
        let per_block = PKeyTable::ENTRIES as u16;
        let block = self.pkeys(port, index / per_block);
        block.iter().nth(usize::from(index % per_block))
    }

    /// Where a port has a key that lets a packet in: the same one, full at one end at least
    /// (IBA 10.9.1.1).
    fn pkey_place(&self, port: PortId, key: PKey) -> Option<u16> {
        let entries = PKeyTable::ENTRIES as u16;
        let number = self.wiring.number(port);
        let cap = self.plan(self.fabric.owner(port)).pkey_cap(number) as u16;
        let fits = |own: PKey| own.base() == key.base() && (own.is_full() || key.is_full());
        let mut blocks = (0..cap.div_ceil(entries)).map(|b| (b, self.pkeys(port, b)));
        blocks.find_map(|(b, table)| {
            let place = table.iter().position(fits)?;
            Some(b * entries + place as u16)
        })
    }

    /// A GID of a port; its first where it has none there.
    #[must_use]
    pub fn gid_at(&self, port: PortId, index: u8) -> Gid {
        let guid = self.guids(port, index / 8).get(usize::from(index % 8)).unwrap_or(Guid(0));
        let guid = if guid == Guid(0) {
            let node = self.fabric.owner(port);
            self.plan(node).port_guid(self.wiring.number(port))
        } else {
            guid
        };
        Gid { prefix: self.ports[port.index()].gid_prefix(), guid }
    }
}

/// The address that an answer goes to.
fn back(from: &Address) -> Address {
    *from
}

/// What the drivers answer to Get and Set of a class that nobody has registered for.
pub(crate) fn refusal(mad: &[u8; 256]) -> [u8; 256] {
    let mut answer = *mad;
    let mut header = MadHeader::parse(mad).unwrap_or_default();
    header.set_method(method::GET_RESP);
    header.set_status(Status::METHOD_ATTR_UNSUPPORTED.0);
    answer[..MadHeader::LEN].copy_from_slice(header.as_bytes());
    answer
}

impl Arrival {
    /// The sender of an SMP.
    pub(crate) fn sender(&self) -> Address {
        Address::smi(self.slid)
    }
}
