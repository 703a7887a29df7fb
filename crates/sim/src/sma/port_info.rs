//! PortInfo (IBA 14.2.5.6) and the commands of the port state machine (IBA 7.2).
//!
//! A Set is checked whole before anything of it is stored. Which fields count depends on the port:
//! LIDs and keys on end ports, link fields on ports with a link, and on switch port 0 no link
//! fields at all. A field that does not count is left alone, whatever the request has there.

use lk_wire::{Attribute, Lid, Mtu, PhysState, PortInfo, PortNum, PortState, Status, VlCode};

use super::{Agent, Data, Done, LinkDown, m_key};
use crate::power_on;
use crate::rate::EXT_DISABLED;

/// LinkWidthEnabled: all supported widths.
const ALL_WIDTHS: u8 = 255;
/// LinkSpeedEnabled: all supported speeds.
const ALL_SPEEDS: u8 = 15;
/// LinkSpeedExtEnabled: all supported extended speeds.
const ALL_EXT_SPEEDS: u8 = 31;
/// Bits of the modifier that have a meaning: the port, and [`PortInfo::EXTENDED_SPEEDS`].
const MODIFIER_BITS: u32 = 0xFF | PortInfo::EXTENDED_SPEEDS;

/// What kind of port a Set is for.
#[derive(Clone, Copy)]
struct Role {
    /// It has a LID, keys and a subnet manager.
    end_port: bool,
    /// It has a link.
    link: bool,
    /// It takes packets on data lanes: all but a base port 0.
    data: bool,
}

impl Agent<'_> {
    pub(super) fn get_port_info(&self, modifier: u32) -> Result<Data, Status> {
        let number = self.port_info_number(modifier)?;
        Ok(self.shown(*self.port(number)))
    }

    pub(super) fn set_port_info(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let number = self.port_info_number(modifier)?;
        let mut wanted = PortInfo::from_data(data);
        if modifier & PortInfo::EXTENDED_SPEEDS == 0 {
            wanted.set_link_speed_ext_enabled(0);
        }
        let role = self.role(number);
        let mut port = *self.port(number);
        check(&port, &wanted, role)?;
        if role.end_port {
            store_end_port(&mut port, &wanted);
        }
        if role.data {
            store_lanes(&mut port, &wanted);
            store_rates(&mut port, &wanted);
        }
        let mut link_down = None;
        if role.link {
            store_link(&mut port, &wanted);
            link_down = self.command(number, &mut port, &wanted);
        }
        self.ports[usize::from(number)] = port;
        // A link that is to go down does so when the answer is on its way. OpenSM leaves a port
        // alone that calls itself down in the answer to the Set that gave it its LID.
        let mut answer = port;
        answer.set_client_reregister(wanted.client_reregister());
        Ok(Done { data: self.shown(answer), link_down })
    }

    /// PortInfo as this request may see it.
    fn shown(&self, mut port: PortInfo) -> Data {
        port.set_local_port_num(self.ingress);
        if !m_key::shows_key(self.port(self.own()), self.m_key)
            || !m_key::shows_key(&port, self.m_key)
        {
            port.set_m_key(0);
        }
        port.to_data()
    }

    fn port_info_number(&self, modifier: u32) -> Result<u8, Status> {
        if modifier & !MODIFIER_BITS != 0 {
            return Err(Status::INVALID_VALUE);
        }
        self.port_number(modifier & 0xFF)
    }

    fn role(&self, number: u8) -> Role {
        match &self.state.switch {
            None => Role { end_port: true, link: true, data: true },
            Some(_) if number != 0 => Role { end_port: false, link: true, data: true },
            Some(switch) => {
                Role { end_port: true, link: false, data: switch.info.enhanced_port0() != 0 }
            }
        }
    }

    /// Carries out PortState and PortPhysicalState of a Set that was found to be legal. Arming
    /// and activating happen here; what takes the link down is left to the fabric.
    fn command(&self, number: u8, port: &mut PortInfo, wanted: &PortInfo) -> Option<LinkDown> {
        let state = wanted.state();
        if state == PortState::ARMED || state == PortState::ACTIVE {
            port.set_port_state(state.0);
            return None;
        }
        let phys = match wanted.phys_state() {
            PhysState::NO_CHANGE => {
                // A port that is down already, disabled or not, has nothing to lose.
                let up = port.phys_state() == PhysState::LINK_UP;
                if state != PortState::DOWN || !up {
                    return None;
                }
                // Its codes are those of the physical states Sleep and Polling.
                PhysState(port.link_down_default_state())
            }
            phys => phys,
        };
        Some(LinkDown { port: PortNum(number), phys })
    }
}

/// Whether a Set of PortState is legal: INIT to ARMED, ARMED to ACTIVE, and anything to DOWN. To
/// name the state that the port is in is no error: a Set whose answer was lost is sent again.
fn legal(from: PortState, to: PortState) -> bool {
    match to {
        PortState::NO_CHANGE | PortState::DOWN => true,
        PortState::ARMED => from == PortState::INIT || from == PortState::ARMED,
        PortState::ACTIVE => from == PortState::ARMED || from == PortState::ACTIVE,
        _ => false,
    }
}

fn check(port: &PortInfo, wanted: &PortInfo, role: Role) -> Result<(), Status> {
    let end_port = || {
        let is_lid = |lid: u16| lid <= Lid::MAX_UNICAST.0;
        is_lid(wanted.lid()) && is_lid(wanted.sm_lid()) && (role.data || wanted.lmc() == 0)
    };
    let data = || {
        let (mtu, vls) = (wanted.active_mtu(), wanted.operational_vls());
        (Mtu::M256..=port.max_mtu()).contains(&mtu)
            && (vls == VlCode::NO_CHANGE || (vls.is_defined() && vls <= port.supported_vls()))
            && rates_exist(port, wanted)
    };
    let link = || {
        let (state, phys) = (wanted.state(), wanted.phys_state());
        let moves = phys != PhysState::NO_CHANGE;
        let takes_down = state == PortState::NO_CHANGE || state == PortState::DOWN;
        legal(port.state(), state)
            && phys <= PhysState::DISABLED
            && (!moves || takes_down)
            && wanted.link_down_default_state() <= power_on::POLLING
    };
    let fine = (!role.end_port || end_port()) && (!role.data || data()) && (!role.link || link());
    if fine { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

/// Whether all widths and speeds that are to be enabled are supported.
fn rates_exist(port: &PortInfo, wanted: &PortInfo) -> bool {
    let part = |some: u8, all: u8| some & !all == 0;
    let (width, speed) = (wanted.link_width_enabled(), wanted.link_speed_enabled());
    let ext = wanted.link_speed_ext_enabled();
    (width == ALL_WIDTHS || part(width, port.link_width_supported()))
        && (speed == ALL_SPEEDS || part(speed, port.link_speed_supported()))
        && (ext >= EXT_DISABLED || part(ext, port.link_speed_ext_supported()))
}

fn store_end_port(port: &mut PortInfo, wanted: &PortInfo) {
    port.set_m_key(wanted.m_key());
    port.set_gid_prefix(wanted.gid_prefix());
    port.set_lid(wanted.lid());
    port.set_sm_lid(wanted.sm_lid());
    port.set_m_key_lease_period(wanted.m_key_lease_period());
    port.set_m_key_protect(wanted.m_key_protect());
    port.set_lmc(wanted.lmc());
    port.set_master_sm_sl(wanted.master_sm_sl());
    port.set_init_type_reply(wanted.init_type_reply());
    port.set_subnet_timeout(wanted.subnet_timeout());
    port.set_multicast_pkey_trap_suppression(wanted.multicast_pkey_trap_suppression());
    // The counters of violations can only be put back to 0.
    if wanted.m_key_violations() == 0 {
        port.set_m_key_violations(0);
    }
    if wanted.p_key_violations() == 0 {
        port.set_p_key_violations(0);
    }
    if wanted.q_key_violations() == 0 {
        port.set_q_key_violations(0);
    }
}

fn store_lanes(port: &mut PortInfo, wanted: &PortInfo) {
    port.set_neighbor_mtu(wanted.neighbor_mtu());
    port.set_vl_high_limit(wanted.vl_high_limit());
    if wanted.operational_vls() != VlCode::NO_CHANGE {
        port.set_oper_vls(wanted.oper_vls());
    }
}

/// Widths and speeds that may be used; an enhanced port 0 holds them too, though it has no link.
fn store_rates(port: &mut PortInfo, wanted: &PortInfo) {
    match wanted.link_width_enabled() {
        0 => {}
        ALL_WIDTHS => port.set_link_width_enabled(port.link_width_supported()),
        widths => port.set_link_width_enabled(widths),
    }
    match wanted.link_speed_enabled() {
        0 => {}
        ALL_SPEEDS => port.set_link_speed_enabled(port.link_speed_supported()),
        speeds => port.set_link_speed_enabled(speeds),
    }
    match wanted.link_speed_ext_enabled() {
        0 => {}
        ALL_EXT_SPEEDS => port.set_link_speed_ext_enabled(port.link_speed_ext_supported()),
        speeds => port.set_link_speed_ext_enabled(speeds),
    }
}

fn store_link(port: &mut PortInfo, wanted: &PortInfo) {
    if wanted.link_down_default_state() != 0 {
        port.set_link_down_default_state(wanted.link_down_default_state());
    }
    port.set_vl_stall_count(wanted.vl_stall_count());
    port.set_hoq_life(wanted.hoq_life());
    port.set_partition_enforcement_inbound(wanted.partition_enforcement_inbound());
    port.set_partition_enforcement_outbound(wanted.partition_enforcement_outbound());
    port.set_filter_raw_inbound(wanted.filter_raw_inbound());
    port.set_filter_raw_outbound(wanted.filter_raw_outbound());
    port.set_local_phy_errors(wanted.local_phy_errors());
    port.set_overrun_errors(wanted.overrun_errors());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_port_states() {
        use PortState as S;
        let states = [S::DOWN, S::INIT, S::ARMED, S::ACTIVE];
        // Rows: the state before. Columns: a Set of NoLinkDown, DOWN, INIT, ARMED, ACTIVE, 5.
        let table = [
            [true, true, false, false, false, false],
            [true, true, false, true, false, false],
            [true, true, false, true, true, false],
            [true, true, false, false, true, false],
        ];
        for (from, row) in states.into_iter().zip(table) {
            for (to, expected) in (0..6).map(S).zip(row) {
                assert_eq!(legal(from, to), expected, "{from} to {to}");
            }
        }
    }
}
