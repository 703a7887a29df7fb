//! What SL2VL tables make of the SLs by which a routing engine keeps packets apart: several of them
//! on one lane, or dropped. opensm lets both be and says nothing.

use std::collections::BTreeMap;

use lk_config::QosSetName;
use lk_fabric::{Fabric, PortId};
use lk_qos::tables::lane_mask;
use lk_qos::{EgressPort, PortClass, PortTables, ResolvedSets, sets};
use lk_routing::proof::{LaneMap, SlSet};
use lk_routing::{Routes, SlPlan};
use lk_wire::{Sl, Vl, VlCode};

use super::qos::egress_port;
use super::{Desired, Settings};
use crate::event::Event;
use crate::observe::Observed;

/// Ports whose tables come from the same options and are cut alike.
#[derive(Clone, Debug)]
struct Kind {
    port: EgressPort,
    count: usize,
    /// The name of one of them; empty where no fabric says what ports can do.
    example: String,
}

/// Whether an engine gives each path an SL and counts on the configured tables to keep these apart.
/// torus-2QoS has tables of its own.
fn counts_on_tables(routes: &Routes) -> Option<(SlSet, u8)> {
    match &routes.sl {
        SlPlan::PerPath(lanes) if routes.lanes.is_none() => Some((lanes.used(), lanes.needed())),
        _ => None,
    }
}

/// What a log has to hold of the tables that ports are to be given, after the verdict on them.
pub(super) fn events(seen: &Observed, settings: &Settings, desired: &Desired) -> Vec<Event> {
    let Some(routes) = desired.routes.as_ref().filter(|_| settings.options.qos) else {
        return Vec::new();
    };
    if counts_on_tables(routes).is_none() {
        return Vec::new();
    }
    let wanted = desired.ports.iter().enumerate().filter_map(|(at, want)| {
        let port = PortId(at as u32);
        let cabled = seen.fabric.peer(port).is_some();
        Some((port, egress_port(seen, port, want.as_ref().filter(|_| cabled)?)?))
    });
    let kinds = kinds(&seen.fabric, wanted);
    let free = desired.verdict.as_ref().map(|verdict| verdict.deadlock_free);
    let told = faults(routes, settings, &kinds, free);
    told.into_iter().map(|(harmless, text)| Event::LaneFault { harmless, text }).collect()
}

/// Sorts ports by what their tables depend on.
fn kinds(fabric: &Fabric, ports: impl Iterator<Item = (PortId, EgressPort)>) -> Vec<Kind> {
    let mut kinds: BTreeMap<_, Kind> = BTreeMap::new();
    for (at, port) in ports {
        let new = || Kind { port, count: 0, example: fabric.port_name(at) };
        kinds.entry((port.class, port.oper_vls, port.sl_mapping)).or_insert_with(new).count += 1;
    }
    kinds.into_values().collect()
}

/// Ports of a fabric that is known from a file: all operate as many lanes as the engine had.
fn assumed(settings: &Settings) -> Vec<Kind> {
    let have = settings.routing.data_vls.switches;
    let code = (1..=5).map(VlCode).find(|code| code.data_vls() >= have);
    let oper_vls = code.unwrap_or(VlCode(5));
    let kind = |class| {
        let port = EgressPort {
            class,
            vl_cap: oper_vls,
            oper_vls,
            vlarb_low_cap: 0,
            vlarb_high_cap: 0,
            sl_mapping: true,
        };
        Kind { port, count: 0, example: String::new() }
    };
    [PortClass::SwitchToSwitch, PortClass::SwitchExternal, PortClass::Ca].map(kind).to_vec()
}

impl Settings {
    /// What the configured lists do to the lanes of an engine on a fabric of which only the graph
    /// is known, as sentences; nothing with QoS off. `deadlock_free` is what the proof says with
    /// these lists, where that is known.
    #[must_use]
    pub fn lane_faults(&self, routes: &Routes, deadlock_free: Option<bool>) -> Vec<String> {
        if !self.options.qos {
            return Vec::new();
        }
        let told = faults(routes, self, &assumed(self), deadlock_free);
        told.into_iter().map(|(_, text)| text).collect()
    }

    /// The lanes on which packets are between switches by the configured lists, of a routing that
    /// counts on these, and those that it assumes else.
    #[must_use]
    pub fn lanes_of(&self, routes: &Routes) -> LaneMap {
        let between = &assumed(self)[0].port;
        let tables = PortTables::new(&ResolvedSets::new(&self.options.qos_sets), between);
        match tables.sl2vl.filter(|_| self.options.qos && counts_on_tables(routes).is_some()) {
            Some(table) => LaneMap::new(|sl| table.get(sl)),
            None => routes.assumed_lanes(),
        }
    }
}

/// What is wrong with the tables of each kind of ports, and whether nothing comes of it.
fn faults(
    routes: &Routes,
    settings: &Settings,
    kinds: &[Kind],
    free: Option<bool>,
) -> Vec<(bool, String)> {
    let Some((used, needed)) = counts_on_tables(routes) else { return Vec::new() };
    let resolved = ResolvedSets::new(&settings.options.qos_sets);
    let mut found = Vec::new();
    for kind in kinds {
        let set = resolved.get(kind.port.class);
        let list = List { kind, name: set.origins.sl2vl, settings };
        let held = PortTables::new(&resolved, &kind.port).sl2vl;
        let lane = |sl: Sl| held.map_or(Vl(0), |table| table.get(sl));
        let dropped: Vec<Sl> = used.iter().filter(|sl| lane(*sl) == Vl::DROP).collect();
        if !dropped.is_empty() {
            found.push((false, list.drops(routes.engine, &dropped)));
        }
        if kind.port.class != PortClass::SwitchToSwitch {
            continue;
        }
        let mut lanes: BTreeMap<u8, Vec<Sl>> = BTreeMap::new();
        for sl in used.iter().filter(|sl| lane(*sl) != Vl::DROP) {
            lanes.entry(lane(sl).0).or_default().push(sl);
        }
        lanes.retain(|_, sls| sls.len() > 1);
        if !lanes.is_empty() {
            let folded = lanes.values().flatten().filter(|sl| set.sl2vl.get(**sl) != lane(**sl));
            let folded = held.is_some() && folded.count() > 0;
            let text = list.merges(routes.engine, &lanes, folded, free);
            found.push((free == Some(true) && needed == 1, text));
        }
    }
    found
}

/// A list, and the ports that are given it.
struct List<'a> {
    kind: &'a Kind,
    name: Option<QosSetName>,
    settings: &'a Settings,
}

impl List<'_> {
    /// The option with its place.
    fn option(&self) -> String {
        let Some(name) = self.name else { return "the built-in sl2vl list".to_owned() };
        let key = format!("{}sl2vl", name.prefix());
        match self.settings.sl2vl_places.get(&name) {
            Some(place) => format!("{key} ({place})"),
            None => key,
        }
    }

    /// Where it counts.
    fn ports(&self) -> String {
        let class = match self.kind.port.class {
            PortClass::Ca => "at adapters",
            PortClass::Router => "at routers",
            PortClass::SwitchPort0 => "at ports 0 of switches",
            PortClass::SwitchExternal => "from switches to adapters",
            PortClass::SwitchToSwitch => "between switches",
        };
        match self.kind.count {
            0 => class.to_owned(),
            1 => format!("{class}, at {}", self.kind.example),
            n => format!("{class}, at {} and {} other ports", self.kind.example, n - 1),
        }
    }

    /// What to write instead.
    fn instead(&self) -> String {
        let built_in = sets::DEFAULT_SL2VL;
        match self.name {
            Some(name) => format!(
                "leave the option out, or write `{}sl2vl {built_in}`, by which each SL has a lane of \
                 its own",
                name.prefix()
            ),
            None => format!("`qos_sl2vl {built_in}` gives each SL a lane of its own"),
        }
    }

    fn drops(&self, engine: &str, sls: &[Sl]) -> String {
        format!(
            "{engine} has paths with {}, whose packets are dropped {}: {} has VL15 for them. {}",
            named(sls),
            self.ports(),
            self.option(),
            capital(&self.instead())
        )
    }

    fn merges(
        &self,
        engine: &str,
        lanes: &BTreeMap<u8, Vec<Sl>>,
        folded: bool,
        free: Option<bool>,
    ) -> String {
        let shared = lanes.iter().map(|(vl, sls)| format!("{} on VL{vl}", named(sls)));
        let shared = shared.collect::<Vec<_>>().join("; ");
        let why = if !self.kind.port.sl_mapping {
            "the switch maps no SLs (IsSLMappingSupported)".to_owned()
        } else if folded {
            let lanes = u32::from(lane_mask(self.kind.port.oper_vls)) + 1;
            format!("by {}, of which {lanes} lanes operate", self.option())
        } else {
            format!("by {}", self.option())
        };
        let outcome = match free {
            Some(true) => "no circle comes of it on the fabric as it is",
            Some(false) => "with these lanes merged packets can wait for each other in a circle",
            None => "what is proved of separate lanes does not hold then",
        };
        let instead = if self.kind.port.sl_mapping {
            capital(&self.instead())
        } else {
            "An engine that needs one lane is updn".to_owned()
        };
        format!(
            "{engine} keeps packets apart by SL, and {} some SLs share a lane, {why}: {shared}; \
             {outcome}. {instead}",
            self.ports()
        )
    }
}

fn named(sls: &[Sl]) -> String {
    sls.iter().map(|sl| format!("SL{}", sl.0)).collect::<Vec<_>>().join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use lk_config::Options;
    use lk_config::guid2lid::Guid2Lid;
    use lk_fabric::{FabricBuilder, NodeKind, NodeSpec};
    use lk_wire::{Guid, Lid, cap_mask};

    use super::*;
    use crate::decide::decide;
    use crate::event::Level;
    use crate::plan::{Plan, Report};
    use crate::testing::observed;

    /// A ring of five switches with a host each: shortest paths alone close a circle both ways.
    fn ring() -> Observed {
        let mut b = FabricBuilder::new();
        let switch = |b: &mut FabricBuilder, n: u64| {
            b.add_node(NodeSpec::new(Guid(0x20 + n), NodeKind::Switch, &format!("s{n}"), 4))
                .unwrap()
        };
        let switches: Vec<_> = (0..5).map(|n| switch(&mut b, n)).collect();
        for n in 0..5 {
            let spec = NodeSpec::new(Guid(0x10 + n as u64), NodeKind::Ca, &format!("h{n}"), 1);
            let host = b.add_node(spec).unwrap();
            b.set_port(host, 1, Guid(0x50 + n as u64), Lid(0), 0).unwrap();
            b.connect((host, 1), (switches[n], 1)).unwrap();
            b.connect((switches[n], 2), (switches[(n + 1) % 5], 3)).unwrap();
        }
        observed(b.build(), Guid(0x50))
    }

    fn settings(engine: &str, change: impl FnOnce(&mut Options)) -> Settings {
        let routing_engine = Some(engine.to_owned());
        let mut options = Options { qos: true, routing_engine, ..Options::default() };
        change(&mut options);
        let mut settings = Settings::new(options, Guid2Lid::new());
        settings.routing.qos = settings.options.qos;
        settings.sl2vl_places.insert(QosSetName::Swe, "opensm.conf:12".to_owned());
        settings
    }

    /// What is told of the lanes, and how loudly.
    fn told(seen: &Observed, settings: &Settings) -> (Desired, Vec<(Level, String)>) {
        let desired = decide(seen, settings);
        let of_lanes = |event: &&Event| matches!(event, Event::LaneFault { .. });
        let told = desired.events.iter().filter(of_lanes).map(|e| (e.level(), e.to_string()));
        let told = told.collect();
        (desired, told)
    }

    fn swe(list: &str) -> impl FnOnce(&mut Options) {
        let list = list.to_owned();
        |options| options.qos_sets.swe.sl2vl = Some(list)
    }

    #[test]
    fn a_list_that_merges_the_lanes_of_an_engine_is_named_with_its_line() {
        let seen = ring();
        for engine in ["dfsssp", "lash", "nue"] {
            let settings = settings(engine, swe("0,0,0,0,0,0,0,0"));
            let (desired, told) = told(&seen, &settings);
            let verdict = desired.verdict.as_ref().expect("a verdict");
            let [(level, text)] = &told[..] else { panic!("{engine}: {told:?}") };
            // One tree is in use in all of nue's lanes, and on this ring all of them agree.
            let loud = if verdict.deadlock_free { "no circle comes of it" } else { "in a circle" };
            assert_eq!(*level, Level::Error, "{engine}");
            for words in [
                engine,
                "between switches, at s",
                "and 9 other ports",
                "by qos_swe_sl2vl (opensm.conf:12): SL0, SL1",
                "on VL0",
                "write `qos_swe_sl2vl 0,1,2,3,",
                loud,
            ] {
                assert!(text.contains(words), "{words}: {text}");
            }
            let plan = Plan::compare(&seen, &desired);
            let report = Report::of(&plan, &seen, &desired);
            assert_eq!(report.routing.lane_faults, std::slice::from_ref(text));
            assert!(report.text(false).contains(text.as_str()));
        }
    }

    #[test]
    fn merged_lanes_can_deadlock_and_the_list_that_is_advised_keeps_them_apart() {
        let seen = ring();
        let (desired, _) = told(&seen, &settings("dfsssp", swe("0")));
        assert!(desired.verdict.is_some_and(|verdict| !verdict.deadlock_free));
        for list in [sets::DEFAULT_SL2VL, "3,2,1,0", "1,0,3,2,0,0,0,0,0,0"] {
            let (desired, told) = told(&seen, &settings("dfsssp", swe(list)));
            assert_eq!(told, [], "{list}");
            assert!(desired.verdict.is_some_and(|verdict| verdict.deadlock_free), "{list}");
        }
        // What adapters send on is of no account for circles, nor are tables for other engines.
        let ca = |options: &mut Options| options.qos_sets.ca.sl2vl = Some("0".to_owned());
        assert_eq!(told(&seen, &settings("dfsssp", ca)).1, []);
        assert_eq!(told(&seen, &settings("dnup", swe("0"))).1, []);
        let off = |options: &mut Options| {
            options.qos = false;
            swe("0")(options);
        };
        assert_eq!(told(&seen, &settings("dfsssp", off)).1, []);
    }

    #[test]
    fn lanes_that_do_not_operate_and_switches_without_tables_merge_too() {
        let mut seen = ring();
        // Four lanes operate: VL4 to VL7 are folded to VL0 to VL3.
        let (_, found) = told(&seen, &settings("dfsssp", swe("4,0,1,5")));
        let [(_, text)] = &found[..] else { panic!("{found:?}") };
        assert!(
            text.contains("of which 4 lanes operate: SL0, SL1 on VL0; SL2, SL3 on VL1"),
            "{text}"
        );
        let at = |port: u32| seen.fabric.owner(PortId(port));
        let of_switch = |port: &u32| seen.fabric.as_switch(at(*port)).is_some();
        let all: Vec<u32> = (0..seen.fabric.ports().len() as u32).filter(of_switch).collect();
        for port in all {
            let info = seen.ports[port as usize].as_mut().expect("all are known");
            info.set_capability_mask(info.capability_mask() & !cap_mask::SL_MAPPING);
        }
        let (_, found) = told(&seen, &settings("dfsssp", |_| {}));
        let [(_, text)] = &found[..] else { panic!("{found:?}") };
        assert!(text.contains("maps no SLs") && !text.contains("sl2vl"), "{text}");
    }

    #[test]
    fn an_engine_that_is_struck_off_for_a_list_says_so() {
        let change = |options: &mut Options| {
            options.require_loop_free = true;
            swe("0")(options);
        };
        let (desired, found) = told(&ring(), &settings("dfsssp,dnup", change));
        assert_eq!(found, []);
        assert_eq!(desired.routes.as_ref().map(|routes| routes.engine), Some("dnup"));
        let declined = desired.events.iter().find_map(|event| match event {
            Event::EngineDeclined { reason, .. } => Some(reason.as_str()),
            _ => None,
        });
        let reason = declined.expect("dfsssp does not route");
        assert!(reason.contains("require_loop_free is set; dfsssp keeps packets"), "{reason}");
        assert!(reason.contains("qos_swe_sl2vl (opensm.conf:12)"), "{reason}");
    }

    #[test]
    fn dropped_paths_are_named_at_each_kind_of_port() {
        let seen = ring();
        let drop = |options: &mut Options| options.qos_sets.generic.sl2vl = Some("0,15,1,2".into());
        let (desired, found) = told(&seen, &settings("dfsssp", drop));
        assert_eq!(desired.verdict.map(|verdict| verdict.dropped_sls), Some(vec![1]));
        let places = ["at adapters", "from switches to adapters", "between switches"];
        assert_eq!(found.len(), places.len(), "{found:?}");
        for place in places {
            let here = |(_, text): &&(Level, String)| {
                text.contains(&format!("paths with SL1, whose packets are dropped {place}, at "))
                    && text.contains("qos_sl2vl has VL15")
            };
            assert_eq!(found.iter().filter(here).count(), 1, "{place}: {found:?}");
        }
        assert!(found.iter().all(|(level, _)| *level == Level::Error));
    }

    #[test]
    fn lanes_that_are_only_for_spreading_may_share_one() {
        let mut b = FabricBuilder::new();
        let spec = |n: u64| NodeSpec::new(Guid(0x20 + n), NodeKind::Switch, "s", 4);
        let switches = [0, 1].map(|n| b.add_node(spec(n)).unwrap());
        for (n, switch) in (0..).zip(switches) {
            let host = b.add_node(NodeSpec::new(Guid(0x10 + n), NodeKind::Ca, "h", 1)).unwrap();
            b.set_port(host, 1, Guid(0x50 + n), Lid(0), 0).unwrap();
            b.connect((host, 1), (switch, 1)).unwrap();
        }
        b.connect((switches[0], 2), (switches[1], 2)).unwrap();
        let seen = observed(b.build(), Guid(0x50));
        let (_, found) = told(&seen, &settings("dfsssp", swe("0")));
        let [(level, text)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(*level, Level::Info, "{text}");
        assert!(text.contains("no circle comes of it"), "{text}");
    }
}
