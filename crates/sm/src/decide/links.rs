//! PortInfo and SwitchInfo: which field of which port gets what.
//!
//! Each port's own PortInfo is the starting point; only what the SM is responsible for changes.
//! A port without a link is left alone.

use lk_config::Options;
use lk_fabric::{Fabric, PortId};
use lk_routing::LidMap;
use lk_wire::{Lid, PortInfo, PortState, SwitchInfo, cap_mask, cap_mask2};

use super::pkeys::{self, PartEnforce};
use super::role::Role;
use crate::observe::Observed;
use crate::plan::settled;

pub(super) struct LinkSetup<'a> {
    seen: &'a Observed,
    fabric: &'a Fabric,
    options: &'a Options,
    lid_of: Vec<Option<(Lid, u8)>>,
    sm_lid: Lid,
}

impl<'a> LinkSetup<'a> {
    pub(super) fn new(seen: &'a Observed, options: &'a Options, lids: &LidMap) -> Self {
        let mut lid_of = vec![None; seen.fabric.ports().len()];
        for (port, lid, lmc) in lids.ranges() {
            lid_of[port.index()] = Some((*lid, *lmc));
        }
        let sm_lid = lid_of[seen.sm_port.index()].map_or(Lid(0), |(lid, _)| lid);
        Self { seen, fabric: &seen.fabric, options, lid_of, sm_lid }
    }

    /// PortInfo by port; `None` where nothing is to be managed.
    pub(super) fn ports(&self) -> Vec<Option<PortInfo>> {
        (0..self.fabric.ports().len() as u32).map(|p| self.port(PortId(p))).collect()
    }

    fn port(&self, port: PortId) -> Option<PortInfo> {
        let have = self.seen.port_info(port)?;
        let role = Role::of(self.seen, port)?;
        let is_end = !matches!(role, Role::Leaf | Role::Trunk);
        if is_end && self.lid_of[port.index()].is_none() {
            return None;
        }
        let mut want = settled(have);
        match role {
            Role::Ca | Role::Router => {
                self.identity(port, have, &mut want);
                self.lanes_and_mtu(port, have, &mut want);
                self.thresholds(&mut want);
                self.speeds(port, have, &mut want);
                if role == Role::Router {
                    want.set_hoq_life(self.options.leaf_head_of_queue_lifetime);
                }
            }
            Role::BasePort0 => self.identity(port, have, &mut want),
            Role::EnhancedPort0 => {
                self.identity(port, have, &mut want);
                self.thresholds(&mut want);
                self.speeds(port, have, &mut want);
                want.set_neighbor_mtu(have.mtu_cap().max(1));
                want.set_oper_vls(have.oper_vls().max(1));
            }
            Role::Leaf | Role::Trunk => {
                self.lanes_and_mtu(port, have, &mut want);
                self.thresholds(&mut want);
                self.speeds(port, have, &mut want);
                self.enforcement(port, role, &mut want);
                let o = self.options;
                let (stall, hoq) = match role {
                    Role::Leaf => (o.leaf_vl_stall_count, o.leaf_head_of_queue_lifetime),
                    _ => (o.vl_stall_count, o.head_of_queue_lifetime),
                };
                want.set_vl_stall_count(stall);
                want.set_hoq_life(hoq);
            }
        }
        Some(want)
    }

    /// Keys, prefix and LIDs of an end port.
    fn identity(&self, port: PortId, have: &PortInfo, want: &mut PortInfo) {
        let o = self.options;
        let (lid, lmc) = self.lid_of[port.index()].unwrap_or((Lid(0), 0));
        want.set_m_key(o.m_key.0);
        want.set_m_key_protect(o.m_key_protection_level);
        want.set_m_key_lease_period(o.m_key_lease_period);
        want.set_gid_prefix(o.subnet_prefix);
        want.set_lid(lid.0);
        want.set_lmc(lmc);
        want.set_sm_lid(self.sm_lid.0);
        want.set_master_sm_sl(o.sm_sl & 0xF);
        want.set_subnet_timeout(o.subnet_timeout & 0x1F);
        let can = have.capability_mask() & cap_mask::CLIENT_REREGISTER != 0;
        let moved = want.lid() != have.lid() || want.sm_lid() != have.sm_lid();
        let new = moved || self.seen.state(port) == PortState::INIT;
        want.set_client_reregister(u8::from(can && new && !o.no_clients_rereg));
    }

    /// NeighborMTU and OperVLs: what both ends of the link can do, and no more than is allowed.
    fn lanes_and_mtu(&self, port: PortId, have: &PortInfo, want: &mut PortInfo) {
        let peer = self.fabric.peer(port).and_then(|p| self.seen.port_info(p));
        if let Some(peer) = peer {
            want.set_neighbor_mtu(have.mtu_cap().min(peer.mtu_cap()).max(1));
        }
        let both = peer.map_or(have.oper_vls(), |peer| have.vl_cap().min(peer.vl_cap()));
        want.set_oper_vls(both.max(1).min(self.options.max_op_vls));
    }

    fn thresholds(&self, want: &mut PortInfo) {
        want.set_local_phy_errors(self.options.local_phy_errors_threshold & 0xF);
        want.set_overrun_errors(self.options.overrun_errors_threshold & 0xF);
    }

    /// `force_link_width`, `force_link_speed` and `force_link_speed_ext`. A code for "all that
    /// is supported" is written only where less is enabled.
    fn speeds(&self, port: PortId, have: &PortInfo, want: &mut PortInfo) {
        let o = self.options;
        let width = o.force_link_width;
        let two_x = width & 0x10 != 0;
        let knows_2x = have.capability_mask2() & cap_mask2::LINK_WIDTH_2X != 0;
        if width != 0 && (!two_x || knows_2x) {
            want.set_link_width_enabled(force(
                width,
                255,
                have.link_width_enabled(),
                have.link_width_supported(),
            ));
        }
        if o.force_link_speed != 0 {
            want.set_link_speed_enabled(force(
                o.force_link_speed,
                15,
                have.link_speed_enabled(),
                have.link_speed_supported(),
            ));
        }
        if o.force_link_speed_ext != 0 && self.extended(port) {
            want.set_link_speed_ext_enabled(force(
                o.force_link_speed_ext,
                31,
                have.link_speed_ext_enabled(),
                have.link_speed_ext_supported(),
            ));
        }
    }

    fn extended(&self, port: PortId) -> bool {
        self.seen
            .node_port_info(port)
            .is_some_and(|i| i.capability_mask() & cap_mask::EXTENDED_SPEEDS != 0)
    }

    /// P_Key enforcement bits of a switch's external port.
    fn enforcement(&self, port: PortId, role: Role, want: &mut PortInfo) {
        let capable = match role {
            Role::Leaf => {
                self.fabric.peer(port).and_then(|p| pkeys::enforcement_cap(self.seen, p)).is_some()
            }
            _ => true,
        };
        if !capable {
            return;
        }
        let (inbound, outbound) = match (role, PartEnforce::of(self.options)) {
            (Role::Leaf, PartEnforce::Both) => (1, 1),
            (Role::Leaf, PartEnforce::In) => (1, 0),
            (Role::Leaf, PartEnforce::Out) => (0, 1),
            _ => (0, 0),
        };
        want.set_partition_enforcement_inbound(inbound);
        want.set_partition_enforcement_outbound(outbound);
    }

    /// SwitchInfo by switch. `top` is the highest LID that is routed.
    pub(super) fn switches(&self, top: Option<Lid>) -> Vec<Option<SwitchInfo>> {
        let managed = |have: &SwitchInfo| {
            let mut want = *have;
            want.set_life_time_value(self.options.packet_life_time & 0x1F);
            want.set_port_state_change(0);
            if let Some(top) = top {
                want.set_linear_fdb_top(top.0);
            }
            want
        };
        self.seen.switches.iter().map(|s| s.as_ref().map(managed)).collect()
    }
}

/// What to enable: a set of bits as it is; the code for "all" only where not all is enabled.
fn force(wanted: u8, all: u8, enabled: u8, supported: u8) -> u8 {
    if wanted != all {
        wanted
    } else if enabled == supported || enabled == all {
        enabled
    } else {
        all
    }
}
