//! The state of one node besides its ports' PortInfo: tables, and what a switch has.
//!
//! [`crate::blueprint`] says which block is in which row.

use lk_fabric::NodeKind;
use lk_wire::SwitchInfo;

use crate::blueprint::Blueprint;
use crate::power_on;
use crate::rows::{ForwardingTable, Rows};

/// What a node holds. Gone when it is switched off.
#[derive(Clone, Default, Debug)]
pub(crate) struct NodeState {
    /// Whether the node has power.
    pub(crate) alive: bool,
    /// A description that was given to it after the fabric was read.
    pub(crate) renamed: Option<Box<str>>,
    /// GUIDInfo blocks.
    pub(crate) guids: Rows<64>,
    /// P_Key blocks.
    pub(crate) pkeys: Rows<64>,
    /// SL2VL tables.
    pub(crate) sl2vl: Rows<8>,
    /// VLArb blocks.
    pub(crate) vlarb: Rows<64>,
    /// MlnxExtPortInfo by port number.
    pub(crate) mlnx: Rows<64>,
    /// What only a switch has.
    pub(crate) switch: Option<Box<SwitchState>>,
}

/// What only a switch holds.
#[derive(Clone, Debug)]
pub(crate) struct SwitchState {
    pub(crate) info: SwitchInfo,
    pub(crate) lft: ForwardingTable,
    /// MFT blocks.
    pub(crate) mft: Rows<64>,
}

impl NodeState {
    /// A node as it is right after power-on.
    pub(crate) fn new(plan: Blueprint<'_>) -> Self {
        let switch = (plan.kind() == NodeKind::Switch).then(|| {
            Box::new(SwitchState {
                info: power_on::switch_info(plan.node(), &plan.caps.switch),
                lft: ForwardingTable::default(),
                mft: Rows::default(),
            })
        });
        Self { alive: true, switch, ..Self::default() }
    }
}
