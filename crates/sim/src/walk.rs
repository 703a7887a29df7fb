//! How a datagram travels: directed routes hop by hop, LIDs through the forwarding tables.
//!
//! A directed route has up to three parts (IBA 14.2.2): by LID to the node where the directed
//! part starts, along the path, and by LID on to the destination. The parts by LID are there only
//! where DrSLID or DrDLID is not permissive. On the way out each node writes the port through
//! which the SMP came in into the return path; on the way back the same parts come in reverse.
//! Whatever is wrong on the way, the datagram is dropped without a word: [`Lost`] says why.

use lk_fabric::{Fabric, PortId};
use lk_wire::{Lid, PortInfo, PortState, Smp};

use crate::node::NodeState;
use crate::rows::NO_PORT;
use crate::stats::Lost;
use crate::wiring::Wiring;

/// The most hops of a directed route (IBA 14.2.2.1).
const MAX_HOPS: u8 = 63;
/// Switches that a LID-routed datagram may pass before it counts as lost in a loop. On a real
/// fabric the packet lifetime limits it.
pub(crate) const MAX_SWITCHES: u32 = 64;

/// Where a datagram came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrival {
    /// The port through which it came in; port 0 of a switch when it started there.
    pub(crate) port: PortId,
    /// The LID of the sender of the last part by LID, permissive on a purely directed route.
    pub(crate) slid: Lid,
}

/// What a walk reads.
#[derive(Clone, Copy)]
pub(crate) struct Roads<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) wiring: &'a Wiring,
    pub(crate) ports: &'a [PortInfo],
    pub(crate) nodes: &'a [NodeState],
}

impl Roads<'_> {
    /// Carries an SMP from a client or agent at `from`. `dlid` is the destination of the first
    /// part by LID; it is not looked at on a purely directed route. Hop pointer and return path
    /// are left as the receiver sees them.
    #[inline]
    pub(crate) fn carry(&self, from: PortId, dlid: Lid, smp: &mut Smp) -> Result<Arrival, Lost> {
        if !smp.is_directed() {
            self.by_lid(from, dlid)
        } else if smp.direction() {
            self.homeward(from, dlid, smp)
        } else {
            self.outward(from, dlid, smp)
        }
    }

    /// The way out, IBA 14.2.2.2 (C14-9).
    fn outward(&self, from: PortId, dlid: Lid, smp: &mut Smp) -> Result<Arrival, Lost> {
        let hops = smp.hop_count();
        if hops > MAX_HOPS || smp.hop_pointer() != 0 {
            return Err(Lost::HopPointer);
        }
        let mut here = Arrival { port: from, slid: Lid::PERMISSIVE };
        let mut sending = true;
        if smp.dr_slid() != Lid::PERMISSIVE.0 {
            here = self.by_lid(from, dlid)?;
            sending = false;
        }
        for hop in 1..=usize::from(hops) {
            here.port = self.cross(here.port, smp.initial_path()[hop], sending)?;
            here.slid = Lid::PERMISSIVE;
            sending = false;
            smp.return_path_mut()[hop] = self.wiring.number(here.port);
        }
        smp.set_hop_pointer(hops + 1);
        self.last_part(here, Lid(smp.dr_dlid()))
    }

    /// The way back, IBA 14.2.2.4 (C14-13).
    fn homeward(&self, from: PortId, dlid: Lid, smp: &mut Smp) -> Result<Arrival, Lost> {
        let hops = smp.hop_count();
        if hops > MAX_HOPS || smp.hop_pointer() != hops + 1 {
            return Err(Lost::HopPointer);
        }
        let mut here = Arrival { port: from, slid: Lid::PERMISSIVE };
        let mut sending = true;
        if smp.dr_dlid() != Lid::PERMISSIVE.0 {
            here = self.by_lid(from, dlid)?;
            sending = false;
        }
        for hop in (1..=usize::from(hops)).rev() {
            here.port = self.cross(here.port, smp.return_path()[hop], sending)?;
            here.slid = Lid::PERMISSIVE;
            sending = false;
        }
        smp.set_hop_pointer(0);
        self.last_part(here, Lid(smp.dr_slid()))
    }

    /// Out of port `egress` of the node and into the next. Only a switch passes a datagram on; an
    /// adapter or router sends its own, out of the port that the sender is attached to.
    #[inline]
    fn cross(&self, here: PortId, egress: u8, sending: bool) -> Result<PortId, Lost> {
        let own = sending && egress == self.wiring.number(here);
        if !own && !self.wiring.on_switch(here) {
            return Err(Lost::HopPointer);
        }
        let out = self.wiring.sibling(here, egress).ok_or(Lost::NoSuchPort)?;
        self.wiring.far_end(out).ok_or(Lost::LinkDown)
    }

    /// What follows the directed part: nothing, or a part by LID that starts at a switch.
    #[inline]
    fn last_part(&self, here: Arrival, dlid: Lid) -> Result<Arrival, Lost> {
        if dlid == Lid::PERMISSIVE {
            return Ok(here);
        }
        if !self.wiring.on_switch(here.port) {
            return Err(Lost::HopPointer);
        }
        self.by_lid(self.wiring.port_zero(here.port), dlid)
    }

    /// By LID from a client or agent at `from` (port 0 for a switch). SMPs travel on VL15 and
    /// pass any link that is up (IBA 7.2.7); other datagrams: [`crate::gsi`].
    pub(crate) fn by_lid(&self, from: PortId, dlid: Lid) -> Result<Arrival, Lost> {
        let slid = Lid(self.ports[from.index()].lid());
        let mut here = from;
        if !self.wiring.on_switch(here) {
            if self.owns(here, dlid) {
                return Ok(Arrival { port: here, slid });
            }
            here = self.pass(here)?;
        }
        for _ in 0..MAX_SWITCHES {
            if !self.wiring.on_switch(here) {
                return if self.owns(here, dlid) {
                    Ok(Arrival { port: here, slid })
                } else {
                    Err(Lost::WrongLid)
                };
            }
            if self.owns(self.wiring.port_zero(here), dlid) {
                return Ok(Arrival { port: here, slid });
            }
            match self.route(here, dlid) {
                0 => return Ok(Arrival { port: here, slid }),
                NO_PORT => return Err(Lost::NoRoute),
                egress => {
                    let out = self.wiring.sibling(here, egress).ok_or(Lost::NoRoute)?;
                    here = self.pass(out)?;
                }
            }
        }
        Err(Lost::Loop)
    }

    fn pass(&self, out: PortId) -> Result<PortId, Lost> {
        self.wiring.far_end(out).ok_or(Lost::LinkDown)
    }

    /// Whether a port lets data pass.
    pub(crate) fn is_active(&self, port: PortId) -> bool {
        self.ports[port.index()].state() == PortState::ACTIVE
    }

    /// The forwarding table's port for a LID; LIDs above LinearFDBTop have none.
    pub(crate) fn route(&self, here: PortId, dlid: Lid) -> u8 {
        match &self.nodes[self.fabric.owner(here).index()].switch {
            Some(s) if dlid.is_unicast() && dlid.0 <= s.info.linear_fdb_top() => s.lft.port(dlid.0),
            _ => NO_PORT,
        }
    }

    /// Whether a port answers to a LID: its base LID, but for the LMC's path bits.
    pub(crate) fn owns(&self, port: PortId, lid: Lid) -> bool {
        let info = &self.ports[port.index()];
        let (base, lmc) = (info.lid(), info.lmc());
        base != 0 && lid.is_unicast() && base >> lmc == lid.0 >> lmc
    }
}
