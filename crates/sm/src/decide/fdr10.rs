//! FDR10: a speed of the vendor's own between QDR and FDR, enabled in the vendor's extended port
//! information (attribute 0xFF90).
//!
//! Option `fdr10`: 0 leaves it alone; 1 enables it where both ends of a link can do it; 2 disables
//! it where it is enabled. What is enabled counts when the link next comes up.

use std::collections::BTreeMap;

use lk_fabric::PortId;
use lk_wire::MlnxExtPortInfo;

use crate::observe::Observed;

/// The vendor's extended port information that each port which has it should hold.
pub(super) fn vendor_ports(seen: &Observed, fdr10: u8) -> BTreeMap<PortId, MlnxExtPortInfo> {
    let can = |port: PortId| {
        seen.vendor_ports
            .get(&port)
            .is_some_and(|i| i.link_speed_supported() & MlnxExtPortInfo::FDR10 != 0)
    };
    let want = |(port, have): (&PortId, &MlnxExtPortInfo)| {
        let mut want = *have;
        let enabled = have.link_speed_enabled();
        let both = can(*port) && seen.fabric.peer(*port).is_some_and(can);
        match fdr10 {
            1 if both => want.set_link_speed_enabled(enabled | MlnxExtPortInfo::FDR10),
            2 => want.set_link_speed_enabled(enabled & !MlnxExtPortInfo::FDR10),
            _ => {}
        }
        (*port, want)
    };
    seen.vendor_ports.iter().map(want).collect()
}

#[cfg(test)]
mod tests {
    use lk_wire::{Guid, PortNum};

    use super::*;
    use crate::testing::two_switches;

    /// What is wanted of both ends of the link between the switches, of which each can and has
    /// enabled what is given; with bit 1 of the enabled speeds set too.
    fn enabled(fdr10: u8, ends: [(bool, bool); 2]) -> [u8; 2] {
        let mut seen = two_switches(&[], false);
        let port = |guid| {
            let node = seen.fabric.node_by_guid(Guid(guid)).unwrap();
            seen.fabric.port_at(node, PortNum(8)).unwrap()
        };
        let ports = [port(0x20_0000), port(0x20_0001)];
        for (port, (can, enabled)) in ports.into_iter().zip(ends) {
            let mut info = MlnxExtPortInfo::default();
            info.set_link_speed_supported(u8::from(can));
            info.set_link_speed_enabled(2 | u8::from(enabled));
            seen.vendor_ports.insert(port, info);
        }
        let want = vendor_ports(&seen, fdr10);
        ports.map(|p| want[&p].link_speed_enabled())
    }

    #[test]
    fn it_is_enabled_where_both_ends_can() {
        assert_eq!(enabled(1, [(true, false), (true, true)]), [3, 3]);
        assert_eq!(enabled(1, [(true, false), (false, false)]), [2, 2]);
    }

    #[test]
    fn it_is_disabled_and_left_alone_as_asked() {
        assert_eq!(enabled(2, [(true, true), (true, false)]), [2, 2]);
        assert_eq!(enabled(0, [(true, true), (true, false)]), [3, 2]);
    }

    #[test]
    fn ports_without_the_attribute_are_left_alone() {
        assert!(vendor_ports(&two_switches(&[], false), 1).is_empty());
    }
}
