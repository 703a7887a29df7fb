//! Links between switches that are slower than what both of their ends have enabled.

use lk_fabric::PortId;
use lk_wire::{Guid, PortInfo, PortNum};

use super::role::Role;
use crate::observe::Observed;

/// The switches and ports at both ends of such links, for `avoid_throttled_links`.
pub(super) fn ends(seen: &Observed) -> Vec<(Guid, PortNum)> {
    let fabric = &seen.fabric;
    let trunk = |port: &PortId| Role::of(seen, *port) == Some(Role::Trunk);
    let slow = |port: &PortId| {
        let far = fabric.peer(*port).and_then(|far| seen.port_info(far));
        matches!((seen.port_info(*port), far), (Some(a), Some(b)) if is_throttled(a, b))
    };
    (0..seen.ports.len())
        .map(|at| PortId(at as u32))
        .filter(|port| trunk(port) && slow(port))
        .map(|port| (fabric.node(fabric.owner(port)).guid, fabric.port_num(port)))
        .collect()
}

/// Whether the link between two ports could be wider or faster by what both have enabled.
fn is_throttled(a: &PortInfo, b: &PortInfo) -> bool {
    let width = widest(enabled_widths(a) & enabled_widths(b));
    let speed = fastest(enabled_speeds(a) & enabled_speeds(b));
    let active = u16::from(a.link_speed_active()) | u16::from(a.link_speed_ext_active()) << 4;
    widest(a.link_width_active()) < width || (active != 0 && fastest(active) < speed)
}

fn enabled_widths(info: &PortInfo) -> u8 {
    info.link_width_enabled() & info.link_width_supported()
}

/// Lanes of the widest width of a mask (IBA 14.2.5.6): bit 4 is 2x.
fn widest(mask: u8) -> u8 {
    let widths = [(1, 1), (16, 2), (2, 4), (4, 8), (8, 12)];
    widths.into_iter().filter(|(bit, _)| mask & bit != 0).map(|(_, lanes)| lanes).max().unwrap_or(0)
}

/// Speeds that may be used: the first four bits those of LinkSpeed, then the extended ones.
fn enabled_speeds(info: &PortInfo) -> u16 {
    /// In LinkSpeedExtEnabled: none of them.
    const NONE: u8 = 30;
    let plain = info.link_speed_enabled() & info.link_speed_supported();
    let extended = match info.link_speed_ext_enabled() {
        NONE => 0,
        enabled => enabled & info.link_speed_ext_supported(),
    };
    u16::from(plain) | u16::from(extended) << 4
}

/// The place of the fastest speed of a mask; 0 for none.
fn fastest(mask: u16) -> u32 {
    u16::BITS - mask.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(width: u8, speed: u8, extended: u8, active: (u8, u8, u8)) -> PortInfo {
        let mut info = PortInfo::default();
        info.set_link_width_enabled(width);
        info.set_link_width_supported(3);
        info.set_link_speed_enabled(speed);
        info.set_link_speed_supported(7);
        info.set_link_speed_ext_enabled(extended);
        info.set_link_speed_ext_supported(3);
        info.set_link_width_active(active.0);
        info.set_link_speed_active(active.1);
        info.set_link_speed_ext_active(active.2);
        info
    }

    #[test]
    fn what_both_ends_could_do_counts() {
        let whole = port(3, 7, 31, (2, 0, 2));
        assert!(!is_throttled(&whole, &whole));
        assert!(is_throttled(&port(3, 7, 31, (1, 0, 2)), &whole), "1x of 4x");
        assert!(is_throttled(&port(3, 7, 31, (2, 0, 1)), &whole), "FDR of EDR");
        assert!(is_throttled(&port(3, 7, 31, (2, 4, 0)), &whole), "QDR of EDR");
        let old = port(3, 7, 30, (2, 4, 0));
        assert!(!is_throttled(&old, &whole) && !is_throttled(&old, &old), "QDR is all it can do");
        assert!(!is_throttled(&port(1, 7, 31, (1, 0, 2)), &whole), "4x is not enabled at one end");
    }

    #[test]
    fn links_between_switches_are_found_and_those_of_hosts_are_not() {
        let mut seen = crate::testing::two_switches(&[], false);
        assert_eq!(ends(&seen), []);
        for info in seen.ports.iter_mut().flatten() {
            *info = port(3, 7, 31, (1, 0, 2));
        }
        let found = ends(&seen);
        assert!(!found.is_empty() && found.len().is_multiple_of(2), "{found:?}");
        let is_switch =
            |guid| seen.fabric.node_by_guid(guid).and_then(|n| seen.fabric.as_switch(n));
        assert!(found.iter().all(|(guid, _)| is_switch(*guid).is_some()));
    }
}
