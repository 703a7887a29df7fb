//! The subnet management agent of one node: what it answers to SubnGet and SubnSet (IBA 14.2.5).
//!
//! An [`Agent`] borrows the state of its node for one request. It knows nothing of routes, time
//! or other nodes: a Set that does something to a link comes back as a [`LinkDown`], carried out
//! by the fabric once the answer is on its way. A request that is refused changes nothing.
//!
//! * [`m_key`]: whether a request is looked at at all
//! * `identity`: NodeInfo, NodeDescription, the vendor's extended port information
//! * `port_info` and `switch_info`
//! * `forwarding`: LFT and MFT
//! * `qos`: SL2VL and VLArb
//! * `keys`: P_Keys and GUIDs

mod forwarding;
mod identity;
mod keys;
pub(crate) mod m_key;
mod port_info;
mod qos;
mod switch_info;

use lk_fabric::Node;
use lk_wire::{MKey, PhysState, PortInfo, PortNum, Status, attr};

use crate::blueprint::Blueprint;
use crate::node::NodeState;

/// What a Set asks the fabric to do to a link: take it down. It comes up again by itself where
/// the physical states of both ends allow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LinkDown {
    /// The port.
    pub(crate) port: PortNum,
    /// The physical state that the port is in then: Sleep, Polling or Disabled.
    pub(crate) phys: PhysState,
}

/// What the agent puts in the attribute's 64 bytes of the answer.
pub(crate) type Data = [u8; 64];

/// A Set that was carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Done {
    pub(crate) data: Data,
    pub(crate) link_down: Option<LinkDown>,
}

impl From<Data> for Done {
    fn from(data: Data) -> Self {
        Self { data, link_down: None }
    }
}

/// One node's agent, for one request.
pub(crate) struct Agent<'a> {
    pub(crate) plan: Blueprint<'a>,
    pub(crate) state: &'a mut NodeState,
    /// The node's ports, port 0 first.
    pub(crate) ports: &'a mut [PortInfo],
    /// The port through which the request came in; 0 when it came from the switch itself.
    pub(crate) ingress: u8,
    /// The M_Key in the request.
    pub(crate) m_key: MKey,
}

impl<'a> Agent<'a> {
    /// SubnGet.
    ///
    /// # Errors
    /// The status of the answer where it is not 0.
    pub(crate) fn get(&self, attribute: u16, modifier: u32) -> Result<Data, Status> {
        match attribute {
            attr::NODE_INFO => Ok(self.get_node_info()),
            attr::NODE_DESCRIPTION => Ok(self.get_description()),
            attr::PORT_INFO => self.get_port_info(modifier),
            attr::SWITCH_INFO => self.get_switch_info(),
            attr::GUID_INFO => self.get_guids(modifier),
            attr::PKEY_TABLE => self.get_pkeys(modifier),
            attr::SL2VL => self.get_sl2vl(modifier),
            attr::VLARB => self.get_vlarb(modifier),
            attr::LFT => self.get_lft(modifier),
            attr::MFT => self.get_mft(modifier),
            // There is nothing to report, and no further page (IBA 14.2.5.14).
            attr::VENDOR_DIAG => Ok([0; 64]),
            attr::MLNX_EXT_PORT_INFO => self.get_mlnx(modifier),
            _ => Err(Status::METHOD_ATTR_UNSUPPORTED),
        }
    }

    /// SubnSet.
    ///
    /// # Errors
    /// The status of the answer where it is not 0; nothing was changed then.
    pub(crate) fn set(
        &mut self,
        attribute: u16,
        modifier: u32,
        data: &Data,
    ) -> Result<Done, Status> {
        match attribute {
            attr::PORT_INFO => self.set_port_info(modifier, data),
            attr::SWITCH_INFO => self.set_switch_info(data),
            attr::GUID_INFO => self.set_guids(modifier, data),
            attr::PKEY_TABLE => self.set_pkeys(modifier, data),
            attr::SL2VL => self.set_sl2vl(modifier, data),
            attr::VLARB => self.set_vlarb(modifier, data),
            attr::LFT => self.set_lft(modifier, data),
            attr::MFT => self.set_mft(modifier, data),
            attr::MLNX_EXT_PORT_INFO => self.set_mlnx(modifier, data),
            _ => Err(Status::METHOD_ATTR_UNSUPPORTED),
        }
    }

    fn node(&self) -> &'a Node {
        self.plan.node()
    }

    /// The number of the end port that the agent answers for: port 0 of a switch, else the port
    /// that the request came to.
    fn own(&self) -> u8 {
        if self.plan.is_switch() { 0 } else { self.ingress }
    }

    /// PortInfo of a port whose number was checked by [`Self::port_number`].
    fn port(&self, number: u8) -> &PortInfo {
        &self.ports[usize::from(number)]
    }

    /// A port number in a modifier: any of the node's ports; 0 stands for a switch's port 0, and
    /// on an adapter for the port that was asked.
    fn port_number(&self, number: u32) -> Result<u8, Status> {
        let number = u8::try_from(number).map_err(|_| Status::INVALID_VALUE)?;
        if number > self.node().num_ports {
            return Err(Status::INVALID_VALUE);
        }
        Ok(if number == 0 { self.own() } else { number })
    }
}
