//! PortInfo and SwitchInfo: which field of which port gets what.
//!
//! Each port's own PortInfo is the starting point; only what the SM is responsible for changes.
//! A port without a link is left alone.

use std::collections::BTreeSet;

use lk_config::Options;
use lk_fabric::{Fabric, PortId};
use lk_routing::{LidMap, Routes};
use lk_wire::{Lid, PortInfo, PortState, Sl, SwitchInfo, cap_mask, cap_mask2};

use super::Settings;
use super::pkeys::{self, PartEnforce};
use super::role::Role;
use crate::observe::{Observed, settled};

pub(super) struct LinkSetup<'a> {
    seen: &'a Observed,
    fabric: &'a Fabric,
    options: &'a Options,
    register_all: bool,
    /// Switch ports that cannot hold the keys of their end port.
    not_enforced: BTreeSet<PortId>,
    routes: Option<&'a Routes>,
    lid_of: Vec<Option<(Lid, u8)>>,
    sm_lid: Lid,
}

impl<'a> LinkSetup<'a> {
    pub(super) fn new(
        seen: &'a Observed,
        settings: &'a Settings,
        lids: &LidMap,
        routes: Option<&'a Routes>,
    ) -> Self {
        let mut lid_of = vec![None; seen.fabric.ports().len()];
        for (port, lid, lmc) in lids.ranges() {
            lid_of[port.index()] = Some((*lid, *lmc));
        }
        let sm_lid = lid_of[seen.sm_port.index()].map_or(Lid(0), |(lid, _)| lid);
        let (options, not_enforced) = (&settings.options, BTreeSet::new());
        let (fabric, register_all) = (&*seen.fabric, settings.register_all);
        Self { seen, fabric, options, register_all, not_enforced, lid_of, sm_lid, routes }
    }

    /// Leaves these switch ports without P_Key enforcement.
    pub(super) fn without_enforcement(self, not_enforced: BTreeSet<PortId>) -> Self {
        Self { not_enforced, ..self }
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
                // No thresholds: there is no link whose errors could be counted.
                self.identity(port, have, &mut want);
                self.speeds(port, have, &mut want);
                want.set_neighbor_mtu(have.mtu_cap().max(1));
                want.set_oper_vls(have.oper_vls().max(1).min(self.options.max_op_vls));
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
        let sl = Sl(o.sm_sl & 0xF);
        let sl = self.routes.map_or(sl, |r| r.path_sl(port, self.seen.sm_port, sl));
        want.set_master_sm_sl(sl.0);
        want.set_subnet_timeout(o.subnet_timeout & 0x1F);
        let can = have.capability_mask() & cap_mask::CLIENT_REREGISTER != 0;
        let moved = want.lid() != have.lid() || want.sm_lid() != have.sm_lid();
        let new = moved || self.register_all || self.seen.state(port) == PortState::INIT;
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
        // Speeds that the port does not have are left out: it would refuse the whole Set.
        let ext = match o.force_link_speed_ext {
            all_or_none @ 30.. => all_or_none,
            some => some & have.link_speed_ext_supported(),
        };
        if ext != 0 && self.extended(port) {
            want.set_link_speed_ext_enabled(force(
                ext,
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
            _ if self.not_enforced.contains(&port) => (0, 0),
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

#[cfg(test)]
mod tests {
    use lk_fabric::NodeId;
    use lk_wire::{Guid, PortNum, PortState};

    use super::*;
    use crate::testing::two_switches;

    struct Case {
        seen: Observed,
        options: Options,
        register_all: bool,
    }

    impl Case {
        fn new() -> Self {
            let seen = two_switches(&[], false);
            Self { seen, options: Options::default(), register_all: false }
        }

        fn node(&self, guid: u64) -> NodeId {
            self.seen.fabric.node_by_guid(Guid(guid)).unwrap()
        }

        /// First host's port, first switch's port 0, its port to that host, its port to the other
        /// switch, and a port without a cable.
        fn id(&self, which: &str) -> PortId {
            let at = |guid, num| self.seen.fabric.port_at(self.node(guid), PortNum(num)).unwrap();
            match which {
                "host" => at(0x80_0001, 1),
                "port0" => at(0x20_0000, 0),
                "leaf" => at(0x20_0000, 1),
                "trunk" => at(0x20_0000, 8),
                _ => at(0x20_0000, 5),
            }
        }

        fn set(&mut self, which: &str, change: impl Fn(&mut PortInfo)) {
            let id = self.id(which);
            change(self.seen.ports[id.index()].as_mut().unwrap());
        }

        fn settings(&self) -> Settings {
            let settings = Settings::new(self.options.clone(), Default::default());
            Settings { register_all: self.register_all, ..settings }
        }

        fn want(&self, which: &str) -> Option<PortInfo> {
            let ends: Vec<PortId> = self.seen.fabric.end_ports().collect();
            let lids = ends.iter().zip(1..).map(|(p, n)| (*p, Lid(n), 0)).collect();
            let settings = self.settings();
            let setup = LinkSetup::new(&self.seen, &settings, &LidMap::new(lids), None);
            setup.ports()[self.id(which).index()]
        }
    }

    #[test]
    fn end_ports_get_keys_prefix_and_lids_and_external_ports_do_not() {
        let mut case = Case::new();
        case.options.m_key.0 = 0x77;
        case.options.m_key_lease_period = 9;
        case.options.m_key_protection_level = 2;
        case.options.sm_sl = 3;
        for which in ["host", "port0"] {
            let want = case.want(which).unwrap();
            assert_eq!(
                (want.m_key(), want.m_key_lease_period(), want.m_key_protect()),
                (0x77, 9, 2)
            );
            assert_eq!((want.gid_prefix(), want.subnet_timeout()), (0xfe80 << 48, 18));
            assert!(want.lid() != 0 && want.sm_lid() != 0);
            assert_eq!(want.master_sm_sl(), 3);
        }
        let leaf = case.want("leaf").unwrap();
        assert_eq!((leaf.m_key(), leaf.lid(), leaf.sm_lid(), leaf.gid_prefix()), (0, 0, 0, 0));
    }

    #[test]
    fn lanes_and_mtu_are_what_both_ends_can_do() {
        let mut case = Case::new();
        case.set("host", |i| {
            i.set_vl_cap(2);
            i.set_mtu_cap(4);
        });
        for which in ["host", "leaf"] {
            let want = case.want(which).unwrap();
            assert_eq!((want.oper_vls(), want.neighbor_mtu()), (2, 4), "{which}");
        }
        assert_eq!(case.want("trunk").unwrap().oper_vls(), 3);
        case.options.max_op_vls = 1;
        assert_eq!(case.want("trunk").unwrap().oper_vls(), 1);
        case.options.max_op_vls = 0;
        assert_eq!(case.want("trunk").unwrap().oper_vls(), 0);
    }

    #[test]
    fn leaf_and_trunk_ports_have_timers_of_their_own() {
        let mut case = Case::new();
        case.options.vl_stall_count = 1;
        case.options.leaf_vl_stall_count = 2;
        case.options.head_of_queue_lifetime = 3;
        case.options.leaf_head_of_queue_lifetime = 4;
        let of = |c: &Case, w| c.want(w).map(|i| (i.vl_stall_count(), i.hoq_life()));
        assert_eq!(of(&case, "trunk"), Some((1, 3)));
        assert_eq!(of(&case, "leaf"), Some((2, 4)));
        assert_eq!(of(&case, "host"), Some((0, 0)));
    }

    #[test]
    fn a_port_without_a_link_is_left_alone() {
        let mut case = Case::new();
        assert_eq!(case.want("dark"), None);
        case.set("trunk", |i| i.set_port_state(PortState::DOWN.0));
        assert_eq!(case.want("trunk"), None);
    }

    #[test]
    fn speeds_are_forced_only_where_less_is_enabled() {
        let mut case = Case::new();
        case.set("leaf", |i| {
            i.set_link_speed_supported(7);
            i.set_link_speed_enabled(7);
            i.set_link_width_supported(3);
            i.set_link_width_enabled(1);
        });
        let of = |c: &Case| {
            let want = c.want("leaf").unwrap();
            (want.link_speed_enabled(), want.link_width_enabled(), want.link_speed_ext_enabled())
        };
        assert_eq!(of(&case), (7, 1, 0), "255 changes no width on a port that does not know 2x");
        case.set("leaf", |i| i.set_link_speed_enabled(3));
        assert_eq!(of(&case).0, 15);
        case.options.force_link_speed = 1;
        case.options.force_link_width = 2;
        assert_eq!(of(&case), (1, 2, 0));
        case.options.force_link_speed = 0;
        case.options.force_link_width = 0;
        assert_eq!(of(&case), (3, 1, 0));
        case.options.force_link_width = 255;
        case.set("leaf", |i| i.set_capability_mask2(cap_mask2::LINK_WIDTH_2X));
        assert_eq!(of(&case).1, 255);
        case.options.force_link_speed_ext = 30;
        assert_eq!(of(&case).2, 0, "port 0 of the switch must know extended speeds");
        case.set("port0", |i| i.set_capability_mask(cap_mask::EXTENDED_SPEEDS));
        assert_eq!(of(&case).2, 30);
        case.set("leaf", |i| i.set_link_speed_ext_supported(7));
        case.options.force_link_speed_ext = 12;
        assert_eq!(of(&case).2, 4, "NDR is left out: the port does not have it");
        case.options.force_link_speed_ext = 8;
        assert_eq!(of(&case).2, 0, "left as it is");
    }

    #[test]
    fn partitions_are_enforced_in_front_of_hosts_where_the_switch_can() {
        let bits = |c: &Case, w| {
            let want = c.want(w).unwrap();
            (want.partition_enforcement_inbound(), want.partition_enforcement_outbound())
        };
        let mut case = Case::new();
        assert_eq!(bits(&case, "leaf"), (0, 0), "a switch with no room for keys");
        for switch in &mut case.seen.switches {
            switch.as_mut().unwrap().set_partition_enforcement_cap(32);
        }
        assert_eq!((bits(&case, "leaf"), bits(&case, "trunk")), ((1, 1), (0, 0)));
        for (word, expected) in [("in", (1, 0)), ("out", (0, 1)), ("off", (0, 0)), ("x", (1, 1))] {
            case.options.part_enforce = Some(word.to_owned());
            assert_eq!(bits(&case, "leaf"), expected, "{word}");
        }
        case.set("trunk", |i| i.set_partition_enforcement_inbound(1));
        assert_eq!(bits(&case, "trunk"), (0, 0));
    }

    #[test]
    fn thresholds_go_to_ports_with_a_link_and_not_to_port_0() {
        let mut case = Case { seen: two_switches(&[], true), ..Case::new() };
        case.options.local_phy_errors_threshold = 3;
        case.options.overrun_errors_threshold = 4;
        let of = |w| case.want(w).map(|i| (i.local_phy_errors(), i.overrun_errors()));
        assert_eq!([of("host"), of("leaf"), of("trunk")], [Some((3, 4)); 3]);
        assert_eq!(of("port0"), Some((0, 0)));
    }

    #[test]
    fn clients_are_told_to_register_again_when_they_are_new() {
        let mut case = Case::new();
        let told = |c: &Case| c.want("host").unwrap().client_reregister();
        assert_eq!(told(&case), 0, "the port does not know the bit");
        case.set("host", |i| i.set_capability_mask(cap_mask::CLIENT_REREGISTER));
        assert_eq!(told(&case), 1);
        let want = case.want("host").unwrap();
        case.set("host", |i| {
            *i = want;
            i.set_port_state(PortState::ACTIVE.0);
            i.set_client_reregister(0);
        });
        assert_eq!(told(&case), 0, "nothing has changed for it");
        case.register_all = true;
        assert_eq!(told(&case), 1, "nobody remembers its groups");
        case.register_all = false;
        case.set("host", |i| i.set_sm_lid(99));
        assert_eq!(told(&case), 1);
        case.options.no_clients_rereg = true;
        assert_eq!(told(&case), 0);
    }

    #[test]
    fn a_switchs_lifetime_is_written_whole_and_its_change_bit_is_cleared() {
        let mut case = Case::new();
        for switch in &mut case.seen.switches {
            let info = switch.as_mut().unwrap();
            info.set_life_time_value(3);
            info.set_port_state_change(1);
        }
        let settings = case.settings();
        let setup = LinkSetup::new(&case.seen, &settings, &LidMap::default(), None);
        let info = setup.switches(Some(Lid(77)))[0].unwrap();
        assert_eq!((info.life_time_value(), info.linear_fdb_top()), (0x12, 77));
        assert_eq!(info.port_state_change(), 0);
    }
}
