//! SwitchInfo (IBA 14.2.5.4).

use lk_wire::{Attribute, Status, SwitchInfo, cap_mask};

use super::{Agent, Data, Done};

impl Agent<'_> {
    pub(super) fn get_switch_info(&self) -> Result<Data, Status> {
        match &self.state.switch {
            Some(switch) => Ok(switch.info.to_data()),
            None => Err(Status::METHOD_ATTR_UNSUPPORTED),
        }
    }

    /// Stores what can be written: tops, default ports, lifetime. A 1 in PortStateChange clears
    /// it; 0 leaves it.
    pub(super) fn set_switch_info(&mut self, data: &Data) -> Result<Done, Status> {
        let has_multicast_top = self.ports[0].has_capability(cap_mask::MULTICAST_FDB_TOP);
        let num_ports = self.node().num_ports;
        let Some(switch) = &mut self.state.switch else {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        };
        let wanted = SwitchInfo::from_data(data);
        let info = &mut switch.info;
        // Port 255 stands for "none", as in the forwarding tables.
        let is_port = |port: u8| port <= num_ports || port == u8::MAX;
        let allowed = wanted.linear_fdb_top() < info.linear_fdb_cap().max(1)
            && is_port(wanted.default_port())
            && is_port(wanted.default_multicast_primary_port())
            && is_port(wanted.default_multicast_not_primary_port());
        if !allowed {
            return Err(Status::INVALID_VALUE);
        }
        info.set_linear_fdb_top(wanted.linear_fdb_top());
        info.set_default_port(wanted.default_port());
        info.set_default_multicast_primary_port(wanted.default_multicast_primary_port());
        info.set_default_multicast_not_primary_port(wanted.default_multicast_not_primary_port());
        info.set_life_time_value(wanted.life_time_value());
        if has_multicast_top {
            info.set_multicast_fdb_top(wanted.multicast_fdb_top());
        }
        if wanted.port_state_change() != 0 {
            info.set_port_state_change(0);
        }
        Ok(info.to_data().into())
    }
}
