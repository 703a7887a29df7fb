//! How many data VLs an engine can have everywhere.

use lk_fabric::PortId;
use lk_routing::DataVls;
use lk_wire::VlCode;

use super::role::Role;
use crate::observe::Observed;

/// The least numbers of data VLs that ports can operate, by VLCap and `max_op_vls`, not by the
/// OperVLs that they hold now: those are about to be set.
pub(super) fn everywhere(seen: &Observed, max_op_vls: u8) -> DataVls {
    let mut least = [VlCode(5); 2];
    for at in 0..seen.ports.len() {
        let port = PortId(at as u32);
        let Some(info) = seen.port_info(port).filter(|_| seen.fabric.peer(port).is_some()) else {
            continue;
        };
        let which = match Role::of(seen, port) {
            Some(Role::Trunk) => 0,
            Some(Role::Ca | Role::Router) => 1,
            _ => continue,
        };
        least[which] = least[which].min(VlCode(info.vl_cap().min(max_op_vls)));
    }
    let [switches, end_ports] = least.map(|code| code.data_vls().max(1));
    DataVls { switches, end_ports }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::two_switches;

    #[test]
    fn the_smallest_port_and_the_option_count() {
        let mut seen = two_switches(&[], false);
        let of = |seen: &Observed, most| {
            let vls = everywhere(seen, most);
            (vls.switches, vls.end_ports)
        };
        assert_eq!(of(&seen, 5), (4, 4));
        assert_eq!(of(&seen, 2), (2, 2));
        let host = seen.sm_port;
        seen.ports[host.index()].as_mut().unwrap().set_vl_cap(1);
        assert_eq!(of(&seen, 5), (4, 1));
    }
}
