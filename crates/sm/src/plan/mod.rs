//! Compare: the difference between what is and what should be, as data.
//!
//! A plan can be printed, counted, tested and refused. Its phases are safe in their order:
//! partitions before LIDs, forwarding before the LinearFDBTop that puts it in force, tables of
//! lanes before links go active, links bounced last and from the far end to the near one.

mod counts;
mod cuts;
mod report;
mod standing;
mod wildcards;
mod writing;

pub(crate) use report::{fields_changed, port_info_change};

use std::collections::BTreeMap;

use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_qos::Sl2vlWrite;
use lk_routing::proof::change::{LanesAt, Order};
use lk_wire::{MlnxExtPortInfo, Mtu, PortInfo, PortState, SwitchInfo, VlCode};

pub(crate) use counts::count;
pub use cuts::Cut;
pub use report::{Change, Declined, Group, Report, Routing};
pub use standing::standing;
pub use writing::{NoOrder, Writing, WritingOrder};

use crate::decide::Desired;
use crate::observe::{BlockSet, Observed, Table, settled};

/// The steps of a plan, in the order in which they are safe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// P_Key tables.
    PKeys,
    /// PortInfo of adapters, routers and switch ports 0: LIDs, MTU, OperVLs and timers.
    EndPorts,
    /// Forwarding tables.
    Forwarding,
    /// Links that multicast trees lose.
    MulticastCut,
    /// Links and members that they gain.
    Multicast,
    /// SwitchInfo: LinearFDBTop, MulticastFDBTop and LifeTimeValue.
    Switches,
    /// SL2VL tables of all ports of a switch at once, where it can.
    AllSl2vl,
    /// SL2VL tables of one egress port at once.
    EgressSl2vl,
    /// SL2VL and VLArb tables one by one.
    Lanes,
    /// PortInfo of the external ports of switches, and the vendor's extended port information of
    /// all ports.
    Links,
    /// INIT to ARMED.
    Arm,
    /// ARMED to ACTIVE.
    Activate,
    /// Links that go down and come back, so that MTU and OperVLs take effect. Last, since it cuts
    /// the way to what lies behind; the next round brings them up.
    Bounce,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 13] = [
        Self::PKeys,
        Self::EndPorts,
        Self::Forwarding,
        Self::MulticastCut,
        Self::Multicast,
        Self::Switches,
        Self::AllSl2vl,
        Self::EgressSl2vl,
        Self::Lanes,
        Self::Links,
        Self::Arm,
        Self::Activate,
        Self::Bounce,
    ];
}

/// The phases in the order in which a plan goes through them, with the stages of forwarding.
#[must_use]
pub(crate) fn steps(order: &WritingOrder) -> Vec<(Phase, u8)> {
    let lanes = [Phase::AllSl2vl, Phase::EgressSl2vl, Phase::Lanes];
    let Order::Staged(stages) = order else {
        return Phase::ALL.into_iter().map(|phase| (phase, 0)).collect();
    };
    let mut steps = Vec::new();
    for phase in Phase::ALL {
        if phase == Phase::Forwarding {
            if stages.lanes == LanesAt::First {
                steps.extend(lanes.map(|phase| (phase, 0)));
            }
            for stage in 0..stages.count {
                steps.push((phase, stage));
                if stages.lanes == LanesAt::After(stage) {
                    steps.extend(lanes.map(|phase| (phase, 0)));
                }
            }
        } else if !lanes.contains(&phase) {
            steps.push((phase, 0));
        }
    }
    steps
}

/// Blocks of one table that have to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRun {
    /// The table.
    pub table: Table,
    /// The blocks.
    pub blocks: BlockSet,
}

/// PortInfo as it is and as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortChange {
    /// The port.
    pub port: PortId,
    /// What it holds.
    pub before: PortInfo,
    /// What it should hold; the state fields say "no change".
    pub after: PortInfo,
}

/// The vendor's extended port information as it is and as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VendorPortChange {
    /// The port.
    pub port: PortId,
    /// What it holds.
    pub before: MlnxExtPortInfo,
    /// What it should hold.
    pub after: MlnxExtPortInfo,
}

/// A link that has to go down and come back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounce {
    /// The end that is told to, the one nearer to the SM.
    pub port: PortId,
    /// Why.
    pub reason: String,
}

/// What has to be written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Plan {
    /// PortInfo changes, in the order of ports.
    pub ports: Vec<PortChange>,
    /// Changes of the vendor's extended port information, in the order of ports.
    pub vendor_ports: Vec<VendorPortChange>,
    /// SwitchInfo changes: before and after.
    pub switches: Vec<(SwitchId, SwitchInfo, SwitchInfo)>,
    /// Table blocks, in the order of tables.
    pub tables: Vec<TableRun>,
    /// Multicast blocks that lose entries, before any gains some.
    pub cuts: Vec<Cut>,
    /// SL2VL writes with wildcards, for switches that understand them.
    pub wildcards: Vec<(SwitchId, Sl2vlWrite)>,
    /// Links to be bounced, the farthest from the SM first.
    pub bounces: Vec<Bounce>,
    /// Ports to be armed.
    pub arm: Vec<PortId>,
    /// Ports to be activated, those that are armed first among them.
    pub activate: Vec<PortId>,
    /// Table blocks that should be compared but could not be read.
    pub unread: usize,
    /// In which order tables may be written under traffic; worked out after the comparison.
    pub order: WritingOrder,
}

impl Plan {
    /// The difference. Blocks that are not known are written where nothing depends on them yet
    /// ([`may_write_unread`]) and left alone elsewhere.
    #[must_use]
    pub fn compare(seen: &Observed, desired: &Desired) -> Self {
        let mut plan = Self::default();
        if desired.routes.is_none() {
            return plan;
        }
        plan.compare_ports(seen, desired);
        plan.compare_vendor_ports(seen, desired);
        plan.compare_switches(seen, desired);
        plan.compare_tables(seen, desired, |_| true);
        wildcards::replace(&mut plan, seen, desired);
        cuts::plan(&mut plan, seen, desired);
        plan.plan_states(seen, desired);
        plan
    }

    /// The difference in multicast forwarding alone.
    #[must_use]
    pub fn of_trees(seen: &Observed, desired: &Desired) -> Self {
        let mut plan = Self::default();
        plan.compare_switches(seen, desired);
        plan.compare_tables(seen, desired, is_mft);
        cuts::plan(&mut plan, seen, desired);
        plan
    }

    fn compare_tables(&mut self, seen: &Observed, desired: &Desired, which: fn(Table) -> bool) {
        for (table, blocks) in managed_tables(seen, desired).filter(|(t, _)| which(*t)) {
            let mut run = BlockSet::default();
            for block in blocks {
                if desired.block(table, block).is_none() {
                    continue;
                }
                match seen.tables.block(table, block) {
                    Some(have) if desired.is_held(table, block, &have) => {}
                    Some(_) => run.insert(block),
                    None if may_write_unread(seen, table, block) => run.insert(block),
                    None => self.unread += 1,
                }
            }
            if !run.is_empty() {
                self.tables.push(TableRun { table, blocks: run });
            }
        }
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
            && self.vendor_ports.is_empty()
            && self.switches.is_empty()
            && self.tables.is_empty()
            && self.cuts.is_empty()
            && self.wildcards.is_empty()
            && self.bounces.is_empty()
            && self.arm.is_empty()
            && self.activate.is_empty()
    }

    fn compare_ports(&mut self, seen: &Observed, desired: &Desired) {
        let mut bounced: BTreeMap<PortId, String> = BTreeMap::new();
        for (at, want) in desired.ports.iter().enumerate() {
            let port = PortId(at as u32);
            let (Some(want), Some(have)) = (want, seen.port_info(port)) else { continue };
            let settled = settled(have);
            if settled == *want {
                continue;
            }
            self.ports.push(PortChange { port, before: *have, after: *want });
            if let Some(reason) = bounce_reason(seen, port, have, want) {
                let end = near_end(seen, port);
                bounced.entry(end).or_insert(reason);
            }
        }
        self.bounces = bounced.into_iter().map(|(port, reason)| Bounce { port, reason }).collect();
        let hops = |p: PortId| seen.path(p).hops();
        self.bounces.sort_by_key(|b| (std::cmp::Reverse(hops(b.port)), b.port));
    }

    fn compare_vendor_ports(&mut self, seen: &Observed, desired: &Desired) {
        for (port, after) in &desired.vendor_ports {
            let managed = desired.ports[port.index()].is_some();
            let Some(before) = seen.vendor_ports.get(port).filter(|have| managed && *have != after)
            else {
                continue;
            };
            self.vendor_ports.push(VendorPortChange {
                port: *port,
                before: *before,
                after: *after,
            });
        }
    }

    fn compare_switches(&mut self, seen: &Observed, desired: &Desired) {
        for (at, want) in desired.switches.iter().enumerate() {
            let switch = SwitchId(at as u32);
            let (Some(want), Some(have)) = (want, seen.switch_info(switch)) else { continue };
            if have != want {
                self.switches.push((switch, *have, *want));
            }
        }
    }

    /// Links that are in INIT or ARMED and whose ends can both be managed go active.
    fn plan_states(&mut self, seen: &Observed, desired: &Desired) {
        let managed = |p: PortId| desired.ports[p.index()].is_some();
        for at in 0..desired.ports.len() {
            let port = PortId(at as u32);
            let external = seen.fabric.port_num(port).0 != 0;
            let ready = match seen.fabric.peer(port) {
                Some(peer) => managed(peer) && desired_lid_ok(seen, desired, peer),
                None => !external,
            };
            if !managed(port) || !ready || !desired_lid_ok(seen, desired, port) {
                continue;
            }
            match seen.state(port) {
                PortState::INIT => {
                    self.arm.push(port);
                    self.activate.push(port);
                }
                PortState::ARMED => self.activate.push(port),
                _ => {}
            }
        }
    }
}

/// An end port without a LID stays in INIT.
fn desired_lid_ok(seen: &Observed, desired: &Desired, port: PortId) -> bool {
    let node = seen.fabric.owner(port);
    seen.fabric.node(node).kind == NodeKind::Switch
        || desired.ports[port.index()].is_some_and(|i| i.lid() != 0)
}

/// MTU and OperVLs of a link that is up take effect only when it has gone down and come back.
fn bounce_reason(
    seen: &Observed,
    port: PortId,
    have: &PortInfo,
    want: &PortInfo,
) -> Option<String> {
    let up = matches!(seen.state(port), PortState::ARMED | PortState::ACTIVE);
    if !up || seen.fabric.peer(port).is_none() {
        return None;
    }
    let mut reasons = Vec::new();
    if have.oper_vls() != want.oper_vls() {
        let lanes = |info: &PortInfo| VlCode(info.oper_vls());
        reasons.push(format!("OperVLs {} to {}", lanes(have), lanes(want)));
    }
    if have.neighbor_mtu() != want.neighbor_mtu() {
        let mtu = |info: &PortInfo| Mtu(info.neighbor_mtu());
        reasons.push(format!("MTU {} to {}", mtu(have), mtu(want)));
    }
    (!reasons.is_empty()).then(|| reasons.join(", "))
}

/// The end of a link that is reached without crossing it.
fn near_end(seen: &Observed, port: PortId) -> PortId {
    let hops = |p: PortId| seen.path(p).hops();
    match seen.fabric.peer(port) {
        Some(peer) if (hops(peer), peer) < (hops(port), port) => peer,
        _ => port,
    }
}

/// All tables that are managed, each with the blocks that count, in the order in which they are
/// written: node by node within a kind.
pub fn managed_tables<'a>(
    seen: &'a Observed,
    desired: &'a Desired,
) -> impl Iterator<Item = (Table, std::ops::Range<u16>)> + 'a {
    let pkeys = desired.pkeys.iter().map(|(p, blocks)| (Table::PKeys(*p), 0..blocks.len() as u16));
    let lfts = seen.fabric.switch_ids().filter_map(move |s| {
        let routes = desired.routes.as_ref()?;
        let blocks = routes.lfts.top.0 / 64 + 1;
        seen.switch_info(s).map(|_| (Table::Lft(s), 0..blocks))
    });
    let mfts = seen.fabric.switch_ids().filter_map(|s| {
        let blocks = desired.multicast.managed(s);
        (blocks > 0).then_some((Table::Mft(s), 0..blocks))
    });
    let lanes = desired.qos.managed(seen);
    pkeys.chain(lfts).chain(mfts).chain(lanes)
}

/// Whether this is a multicast forwarding table.
pub(crate) fn is_mft(table: Table) -> bool {
    matches!(table, Table::Mft(_))
}

/// Whether a block may be written though nobody knows what it holds, because nothing depends on
/// it yet: a link in INIT carries no data, and LFT entries above LinearFDBTop are not in force.
/// A Get would cost as much as the Set, so these are not read.
#[must_use]
pub fn may_write_unread(seen: &Observed, table: Table, block: u16) -> bool {
    match table {
        Table::PKeys(_) => false,
        // A switch that forwards nothing yet.
        Table::Mft(s) => seen.switch_info(s).is_some_and(|info| info.linear_fdb_top() == 0),
        Table::Lft(s) => seen.switch_info(s).is_some_and(|info| {
            let top = info.linear_fdb_top();
            top == 0 || u32::from(block) * 64 > u32::from(top)
        }),
        Table::Sl2vl(p) | Table::VlArb(p) => {
            seen.fabric.port_num(p).0 != 0 && seen.state(p) == PortState::INIT
        }
    }
}

/// The blocks that have to be read before the comparison can be made.
#[must_use]
pub fn to_be_read(seen: &Observed, desired: &Desired) -> Vec<TableRun> {
    tables_to_read(seen, desired, |_| true)
}

/// The blocks among some tables that have to be read before the comparison can be made.
pub(crate) fn tables_to_read(
    seen: &Observed,
    desired: &Desired,
    which: fn(Table) -> bool,
) -> Vec<TableRun> {
    let mut runs = Vec::new();
    for (table, blocks) in managed_tables(seen, desired).filter(|(t, _)| which(*t)) {
        let mut run = BlockSet::default();
        for block in blocks {
            let counts = desired.block(table, block).is_some();
            let known = seen.tables.block(table, block).is_some();
            if counts && !known && !may_write_unread(seen, table, block) {
                run.insert(block);
            }
        }
        if !run.is_empty() {
            runs.push(TableRun { table, blocks: run });
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lk_config::Options;
    use lk_config::guid2lid::Guid2Lid;
    use lk_diag::SourceFile;

    use super::*;
    use crate::decide::{Settings, decide};
    use crate::testing::{carry_out, read_zeros, two_switches};

    fn settings(change: impl Fn(&mut Options)) -> Settings {
        let mut options = Options { qos: true, ..Options::default() };
        change(&mut options);
        Settings::new(options, Guid2Lid::new())
    }

    fn settled_fabric(settings: &Settings) -> Observed {
        let mut seen = two_switches(&[], true);
        let desired = decide(&seen, settings);
        read_zeros(&mut seen, &desired);
        let plan = Plan::compare(&seen, &desired);
        carry_out(&mut seen, &plan, &desired);
        seen
    }

    #[test]
    fn what_a_plan_writes_leaves_nothing_to_do() {
        let settings = settings(|_| {});
        let seen = settled_fabric(&settings);
        let desired = decide(&seen, &settings);
        assert!(to_be_read(&seen, &desired).is_empty());
        let plan = Plan::compare(&seen, &desired);
        assert!(plan.is_empty() && plan.unread == 0, "{plan:?}");
        let report = Report::of(&plan, &seen, &desired);
        let text = report.text(false);
        assert!(text.starts_with("The routes that are wanted\n  no credit loop: "), "{text}");
        assert!(
            text.ends_with("\n\nNothing would change.\n") && report.groups.is_empty(),
            "{text}"
        );
    }

    #[test]
    fn a_new_fabric_needs_one_write_for_each_block() {
        let settings = settings(|_| {});
        let mut seen = two_switches(&[], false);
        let desired = decide(&seen, &settings);
        // P_Key tables are read with the fabric; here the walk has left them out.
        assert_eq!(read_zeros(&mut seen, &desired), 8);
        let plan = Plan::compare(&seen, &desired);
        let counts = count(&plan, &seen, &desired);
        // Six hosts; two switches with three leaf ports and a trunk each, nine ingress ports.
        assert_eq!(counts.sl2vl, 6 + 2 * 4 * 9);
        assert_eq!(counts.vlarb, (6 + 2 * 4) * 2);
        assert_eq!((counts.pkeys, counts.lids, counts.lft_blocks), (8, 8, 2));
        assert_eq!(counts.activated, 14);
        assert_eq!((counts.bounced_links, counts.unread), (0, 0));
    }

    #[test]
    fn without_qos_no_lane_is_touched() {
        let settings = settings(|o| o.qos = false);
        let mut seen = two_switches(&[], true);
        let desired = decide(&seen, &settings);
        read_zeros(&mut seen, &desired);
        let plan = Plan::compare(&seen, &desired);
        let counts = count(&plan, &seen, &desired);
        assert_eq!((counts.sl2vl, counts.vlarb), (0, 0));
        let limits = plan.ports.iter().filter(|c| c.after.vl_high_limit() != 0).count();
        assert_eq!(limits, 0);
    }

    /// A port that leaves the partition of another loses the key, and its switch port too; the
    /// others are not touched.
    #[test]
    fn a_change_of_partitions_writes_the_tables_of_those_concerned() {
        let mut settings = settings(|_| {});
        let conf = |text: &str| {
            let (conf, found) = lk_config::partitions::parse(&SourceFile::new("p", text));
            assert!(!conf.refused, "{found:?}");
            Some(Arc::new(conf))
        };
        settings.partitions = conf("Default=0x7fff:ALL=full;A=1:0x100003=full,0x100009=full;");
        let mut seen = two_switches(&[], true);
        for switch in &mut seen.switches {
            switch.as_mut().unwrap().set_partition_enforcement_cap(32);
        }
        let desired = decide(&seen, &settings);
        read_zeros(&mut seen, &desired);
        let plan = Plan::compare(&seen, &desired);
        assert_eq!(count(&plan, &seen, &desired).pkeys, 8 + 6);
        assert!(plan.ports.iter().any(|c| c.after.partition_enforcement_inbound() == 1));
        carry_out(&mut seen, &plan, &desired);
        settings.partitions = conf("Default=0x7fff:ALL=full;A=1:0x100003=full,0x100009;");
        let desired = decide(&seen, &settings);
        let plan = Plan::compare(&seen, &desired);
        assert_eq!(count(&plan, &seen, &desired).pkeys, 2);
        let key = |p: PortId| desired.block(Table::PKeys(p), 0).unwrap()[2..4].to_vec();
        let written = plan.tables.iter().map(|run| match run.table {
            Table::PKeys(p) => key(p),
            other => panic!("{other:?}"),
        });
        assert_eq!(written.collect::<Vec<_>>(), [[0, 1], [0, 1]]);
    }

    #[test]
    fn raising_max_op_vls_shows_every_link_that_bounces() {
        let seen = settled_fabric(&settings(|o| o.max_op_vls = 1));
        let desired = decide(&seen, &settings(|o| o.max_op_vls = 3));
        let plan = Plan::compare(&seen, &desired);
        assert_eq!(plan.bounces.len(), seen.fabric.links().count());
        let text = Report::of(&plan, &seen, &desired).text(true);
        assert!(text.contains("OperVLs VL0 to VL0-3"), "{text}");
        assert!(text.contains("7 links bounce"), "{text}");
    }

    #[test]
    fn a_link_in_init_takes_its_lanes_without_a_bounce() {
        let seen = two_switches(&[], false);
        let desired = decide(&seen, &settings(|_| {}));
        let plan = Plan::compare(&seen, &desired);
        let raised = plan.ports.iter().filter(|c| c.before.oper_vls() != c.after.oper_vls());
        assert_eq!(raised.count(), 2 * seen.fabric.links().count(), "OperVLs of both ends");
        assert!(plan.bounces.is_empty());
    }

    #[test]
    fn links_are_bounced_from_the_end_that_is_reached_without_them() {
        let seen = settled_fabric(&settings(|o| o.max_op_vls = 1));
        let desired = decide(&seen, &settings(|o| o.max_op_vls = 2));
        let plan = Plan::compare(&seen, &desired);
        let hops = |p: PortId| seen.path(p).hops();
        for bounce in &plan.bounces {
            let far = seen.fabric.peer(bounce.port).unwrap();
            assert!(hops(bounce.port) <= hops(far));
        }
        assert!(plan.bounces.is_sorted_by_key(|b| std::cmp::Reverse(hops(b.port))));
    }

    #[test]
    fn tables_of_active_ports_are_read_before_they_are_judged() {
        let settings = settings(|_| {});
        let mut seen = settled_fabric(&settings);
        seen.tables = crate::observe::Tables::unknown(&seen.fabric);
        let desired = decide(&seen, &settings);
        let unread: usize = to_be_read(&seen, &desired).iter().map(|r| r.blocks.len()).sum();
        let plan = Plan::compare(&seen, &desired);
        assert!(plan.is_empty(), "nothing is written that was not read");
        assert_eq!(plan.unread, unread);
        assert!(unread > 6 + 2 * 4 * 9);
    }

    #[test]
    fn a_fabric_that_no_engine_routes_is_left_alone() {
        let settings = settings(|o| o.routing_engine = Some("updn,no_fallback".to_owned()));
        let mut settings = settings;
        settings.routing.roots = Some(vec![lk_wire::Guid(0xdead)]);
        let seen = two_switches(&[], false);
        let desired = decide(&seen, &settings);
        assert!(desired.routes.is_none());
        assert!(Plan::compare(&seen, &desired).is_empty());
    }

    #[test]
    fn a_report_says_who_was_asked_and_who_routes_instead() {
        let mut settings = settings(|o| o.routing_engine = Some("updn,ftree".to_owned()));
        settings.routing.roots = Some(vec![lk_wire::Guid(0xdead)]);
        let seen = two_switches(&[], false);
        let desired = decide(&seen, &settings);
        let routing = Report::of(&Plan::compare(&seen, &desired), &seen, &desired).routing;
        assert_eq!((routing.asked.as_deref(), routing.engine), (Some("updn"), Some("minhop")));
        let names: Vec<&str> = routing.declined.iter().map(|d| &*d.engine).collect();
        assert_eq!(names, ["updn", "ftree"]);
        assert!(routing.declined[0].reason.contains("0x000000000000dead"), "{routing:?}");
    }
}
