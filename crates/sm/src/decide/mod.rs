//! Decide: what the ports and switches should hold. A pure function of what was observed, the
//! configuration and what is kept over restarts.

mod engines;
mod fdr10;
mod lane_faults;
mod lanes;
mod lids;
mod links;
pub mod partitions;
mod pkeys;
mod policy;
mod proof;
mod qos;
mod role;
mod throttled;
mod torus;
mod trees;

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_config::guid2lid::Guid2Lid;
use lk_config::node_names::NodeNames;
use lk_config::sa_db::SaDb;
use lk_config::{Options, PartitionsConf, PrefixRoutes, QosSetName};
use lk_fabric::{FabricBuilder, PortId};
use lk_qos::policy::PolicyFile;
use lk_routing::{
    Decline, GroupTree, Ledger, Lfts, LidMap, Outcome, RouteJob, RouteOptions, Routes, SlPlan,
};
use lk_wire::{Lid, MlnxExtPortInfo, PKeyTable, PortInfo, SwitchInfo, VlArbTable};

use crate::event::Event;
use crate::multicast::Memberships;
use crate::observe::{Observed, Table};
use crate::verdict::{Step, Verdict};

pub use partitions::{Membership, Partition, Partitions};
pub(crate) use pkeys::PartEnforce;
pub use policy::PolicyInUse;
pub use proof::Forwarding;
use proof::ledger;
pub(crate) use proof::{concerns_traffic, writing_order};
pub use qos::{QosTables, egress_port};
pub use trees::Multicast;

/// All that a decision depends on beside the fabric.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The options in force.
    pub options: Options,
    /// The contents of the files that shape routing.
    pub routing: RouteOptions,
    /// Where the `sl2vl` of each set of QoS options is written, as file and line, if it is.
    pub sl2vl_places: BTreeMap<QosSetName, String>,
    /// LIDs given out earlier.
    pub guid2lid: Guid2Lid,
    /// qos-policy.conf as it was last read; none where there is none.
    pub policy: Option<Arc<PolicyFile>>,
    /// The policy that counts while the one that was last read cannot be used.
    pub good_policy: Option<Arc<PolicyFile>>,
    /// prefix-routes.conf; none where it cannot be used, so that what was read before counts.
    pub prefix_routes: Option<Arc<PrefixRoutes>>,
    /// Names that stand in for what nodes call themselves (`node_name_map_name`).
    pub names: Arc<NodeNames>,
    /// Whether this is the first sweep as master: `reassign_lids` counts only then.
    pub first_sweep: bool,
    /// partitions.conf; none where there is no such file: every port is in the default partition.
    pub partitions: Option<Arc<PartitionsConf>>,
    /// Whether all clients are told to register again: a manager that serves them has just come up
    /// and knows none of their groups, services and subscriptions.
    pub register_all: bool,
    /// Whether the window of outstanding SMPs may grow above `max_wire_smps`: nobody has set it.
    pub tune_window: bool,
    /// What clients of an earlier run have stored in the subnet administration.
    pub sa_db: Option<Arc<SaDb>>,
    /// When the core's time began, in seconds since 1970; 0 where that is of no account.
    pub started: u64,
}

impl Settings {
    /// Settings for a first sweep, with no files that shape routing.
    #[must_use]
    pub fn new(options: Options, guid2lid: Guid2Lid) -> Self {
        let routing =
            RouteOptions { connect_roots: options.connect_roots, ..RouteOptions::default() };
        Self {
            options,
            routing,
            sl2vl_places: BTreeMap::new(),
            guid2lid,
            policy: None,
            good_policy: None,
            prefix_routes: None,
            names: Arc::default(),
            first_sweep: true,
            partitions: None,
            register_all: false,
            tune_window: true,
            sa_db: None,
            started: 0,
        }
    }
}

/// What the fabric should hold.
#[derive(Clone, Debug)]
pub struct Desired {
    /// Which port answers to which LID.
    pub lids: LidMap,
    /// LIDs to be kept over restarts.
    pub guid2lid: Guid2Lid,
    /// PortInfo of each port that is managed. The state fields say "no change".
    pub ports: Vec<Option<PortInfo>>,
    /// The vendor's extended port information of each port that has it.
    pub vendor_ports: BTreeMap<PortId, MlnxExtPortInfo>,
    /// SwitchInfo of each switch that is managed.
    pub switches: Vec<Option<SwitchInfo>>,
    /// Forwarding; `None` if no engine could route and there may be no fallback.
    pub routes: Option<Routes>,
    /// What is known of these routes, where that makes the next decision shorter.
    pub ledger: Option<Arc<Ledger>>,
    /// Whether these routes reach everything and cannot deadlock; `None` without routes.
    pub verdict: Option<Verdict>,
    /// SL2VL and VLArb; nothing in it with QoS off.
    pub qos: QosTables,
    /// Multicast forwarding.
    pub multicast: Arc<Multicast>,
    /// Who is in which partition.
    pub partitions: Partitions,
    /// The QoS policy; none with QoS off, or where there is none that can be used.
    pub policy: Option<Arc<PolicyInUse>>,
    /// P_Key tables by port, in ascending order of ports.
    pub pkeys: Vec<(PortId, Vec<PKeyTable>)>,
    /// What has to be told about how it came to this.
    pub events: Vec<Event>,
}

/// Decides, for a subnet without multicast groups.
#[must_use]
pub fn decide(seen: &Observed, settings: &Settings) -> Desired {
    let groups = Memberships { all: true, ..Memberships::default() };
    decide_with(seen, settings, &groups, None)
}

/// Decides again what multicast groups need, and nothing else. The trees are judged with the routes
/// that they share lanes with, and what is wrong with them is told.
#[must_use]
pub(crate) fn decide_trees(
    seen: &Observed,
    settings: &Settings,
    groups: &Memberships,
    previous: &Desired,
) -> Desired {
    let mut desired = Desired { events: Vec::new(), ..previous.clone() };
    trees::decide(seen, settings, &mut desired, groups, Some(previous));
    if news(&desired, previous) {
        judge(seen, &mut desired, Some(previous));
        let circle = desired.verdict.as_ref().zip(desired.routes.as_ref());
        let circle = circle.and_then(|(verdict, routes)| verdict.credit_loop(routes.engine));
        desired.events.extend(circle);
    } else if let Some(verdict) = &mut desired.verdict {
        verdict.groups = desired.multicast.trees.len();
    }
    desired
}

/// Whether other trees can make another verdict: not where unicast packets alone can deadlock, and
/// not on a torus, whose engine has looked at all of its tree.
fn news(desired: &Desired, previous: &Desired) -> bool {
    let Some((routes, verdict)) = desired.routes.as_ref().zip(previous.verdict.as_ref()) else {
        return false;
    };
    let trees = &desired.multicast.trees;
    let of_groups = |step: &Step| Lid(step.lid).is_multicast();
    let looked_at = |tree: &GroupTree| tree.sls.and(Verdict::levels(routes)) == tree.sls;
    let on_torus = matches!(routes.sl, SlPlan::PerPair(_)) && routes.master_tree.is_some();
    !(on_torus && trees.iter().all(looked_at))
        && (verdict.deadlock_free || verdict.circle.iter().any(of_groups))
        && *trees != previous.multicast.trees
}

/// Decides. Of `before`, what was decided last, the trees are kept as far as they serve.
#[must_use]
pub(crate) fn decide_with(
    seen: &Observed,
    settings: &Settings,
    groups: &Memberships,
    before: Option<&Desired>,
) -> Desired {
    route_options(seen, settings).until_accepted(|options| {
        let desired = decide_by(seen, settings, options, groups, before);
        let refusal = desired.refusal().filter(|_| settings.options.require_loop_free);
        (desired, refusal)
    })
}

/// Decides, with these options for routing.
fn decide_by(
    seen: &Observed,
    settings: &Settings,
    options: &RouteOptions,
    groups: &Memberships,
    before: Option<&Desired>,
) -> Desired {
    let mut events = Vec::new();
    let plan = lids::assign(seen, settings, &mut events);
    let (routes, ledger) = route(seen, settings, options, &plan.map, before, &mut events);
    torus::changes(settings, before, routes.as_ref(), &mut events);
    let partitions = Partitions::of(seen, settings);
    let pkeys = pkeys::tables(seen, &partitions, &settings.options, &mut events);
    let links = links::LinkSetup::new(seen, settings, &plan.map, routes.as_ref())
        .without_enforcement(pkeys.too_small);
    let mut ports = links.ports();
    let switches = links.switches(routes.as_ref().map(|r| r.lfts.top));
    let qos = qos::tables(seen, &settings.options, routes.as_ref(), &mut ports);
    let policy = policy::policy(seen, settings, &partitions, &mut events);
    let mut desired = Desired {
        lids: plan.map,
        guid2lid: plan.keep,
        ports,
        vendor_ports: fdr10::vendor_ports(seen, settings.options.fdr10),
        switches,
        routes,
        ledger,
        verdict: None,
        qos,
        multicast: Arc::new(Multicast::none(&seen.fabric)),
        partitions,
        policy,
        pkeys: pkeys.tables,
        events,
    };
    trees::decide(seen, settings, &mut desired, groups, before);
    judge(seen, &mut desired, before);
    let told = desired.verdict.as_ref().zip(desired.routes.as_ref());
    let told = told.map(|(verdict, routes)| verdict.events(routes.engine));
    desired.events.extend(told.into_iter().flatten());
    let faults = lane_faults::events(seen, settings, &desired);
    desired.events.extend(faults);
    desired
}

/// Adds the verdict on unicast and multicast together: by what is known of the routes if that is
/// enough, else by following all packets.
fn judge(seen: &Observed, desired: &mut Desired, before: Option<&Desired>) {
    let Some(routes) = &desired.routes else { return };
    let (fabric, trees, qos) = (&*seen.fabric, &desired.multicast.trees, &desired.qos);
    let short = desired.ledger.as_deref().and_then(|ledger| {
        let tables = Forwarding { fabric, lids: &desired.lids, lfts: &routes.lfts, trees };
        let known = ledger::Known::new(&tables, ledger, qos)?;
        Some(known.verdict(before.and_then(|before| before.verdict.as_ref())))
    });
    let verdict = match short {
        Some(Some(verdict)) => verdict,
        // The ledger does not say who is in a circle of packets from and to switches.
        Some(None) => Verdict::of_desired(fabric, &desired.lids, routes, trees, qos),
        None => {
            desired.ledger = None;
            Verdict::of_desired(fabric, &desired.lids, routes, trees, qos)
        }
    };
    desired.verdict = Some(verdict);
}

/// The options for routing: those of the settings, and what of them the fabric decides.
pub(crate) fn route_options(seen: &Observed, settings: &Settings) -> RouteOptions {
    let mut options = settings.routing.clone();
    options.data_vls = lanes::everywhere(seen, settings.options.max_op_vls);
    if settings.options.avoid_throttled_links {
        options.shaping.throttled = throttled::ends(seen);
    }
    options
}

fn route(
    seen: &Observed,
    settings: &Settings,
    options: &RouteOptions,
    lids: &LidMap,
    before: Option<&Desired>,
    events: &mut Vec<Event>,
) -> (Option<Routes>, Option<Arc<Ledger>>) {
    let asked = settings.options.routing_engine.as_deref();
    let list = engines::in_force(asked, events);
    let job = RouteJob { fabric: &seen.fabric, lids, options, previous: None };
    let before = before.and_then(|before| before.ledger.as_deref());
    let before = before.filter(|ledger| seen.holds(ledger.lfts()));
    let (outcome, ledger) = match before.and_then(|ledger| ledger.reroute(&list, &job).ok()) {
        Some((outcome, ledger)) => (outcome, Some(ledger)),
        None => {
            let standing = seen.standing_lfts();
            let job = RouteJob { previous: Some(&standing), ..job };
            let outcome = lk_routing::route(&list, &job);
            let ledger = Ledger::new(&job, &outcome);
            (outcome, ledger)
        }
    };
    tell(settings, asked, &outcome, events);
    (outcome.routes, ledger.map(Arc::new))
}

/// Tells what came of a list of engines.
fn tell(settings: &Settings, asked: Option<&str>, outcome: &Outcome, events: &mut Vec<Event>) {
    for declined in &outcome.declined {
        events.push(Event::EngineDeclined {
            engine: declined.engine.to_owned(),
            reason: declined.reason.clone(),
        });
    }
    for unknown in &outcome.unknown {
        events.push(Event::EngineDeclined {
            engine: unknown.name.clone(),
            reason: unknown.to_string(),
        });
    }
    // At the first sweep it is told what was kept even if that is all.
    let kept =
        outcome.kept.filter(|kept| kept.stood > 0 && (kept.moved > 0 || settings.first_sweep));
    let kept = kept.map(|kept| {
        format!("{} of {} forwarding entries that stood lead elsewhere now", kept.moved, kept.stood)
    });
    match &outcome.routes {
        Some(routes) => events.push(Event::Routed {
            engine: routes.engine,
            asked: asked
                .and_then(|list| list.split([',', ' ', '\t']).find(|name| !name.is_empty()))
                .unwrap_or("minhop")
                .to_owned(),
            notes: routes.notes.iter().cloned().chain(kept).collect(),
        }),
        None => events.push(Event::NotRouted),
    }
}

impl Desired {
    /// Why the routes may not be used where only routes that cannot deadlock may be.
    fn refusal(&self) -> Option<Decline> {
        let mut refusal = self.verdict.as_ref()?.refusal(self.routes.as_ref()?.engine)?;
        for event in &self.events {
            if let Event::LaneFault { text, .. } = event {
                refusal.reason += &format!("; {text}");
            }
        }
        Some(refusal)
    }

    /// LIDs and routes and nothing else, as from a file.
    #[must_use]
    pub fn routed(lids: LidMap, ports: Vec<Option<PortInfo>>, routes: Routes) -> Self {
        Self {
            lids,
            guid2lid: Guid2Lid::new(),
            ports,
            vendor_ports: BTreeMap::new(),
            switches: vec![None; routes.lfts.rows.len()],
            routes: Some(routes),
            ledger: None,
            verdict: None,
            qos: QosTables::default(),
            multicast: Arc::new(Multicast::none(&Arc::new(FabricBuilder::new().build()))),
            partitions: Partitions::default(),
            policy: None,
            pkeys: Vec::new(),
            events: Vec::new(),
        }
    }

    /// What a block of a table should hold; `None` where the table is not managed.
    #[must_use]
    pub fn block(&self, table: Table, block: u16) -> Option<[u8; 64]> {
        let mut bytes = [0; 64];
        match table {
            Table::PKeys(p) => {
                let at = self.pkeys.binary_search_by_key(&p, |(port, _)| *port).ok()?;
                bytes = self.pkeys[at].1.get(usize::from(block))?.0;
            }
            Table::Lft(s) => {
                let row: &Arc<[u8]> = self.routes.as_ref()?.lfts.rows.get(s.index())?;
                let at = usize::from(block) * Lfts::BLOCK;
                bytes.copy_from_slice(row.get(at..at + Lfts::BLOCK)?);
            }
            Table::Mft(s) => bytes = self.multicast.block(s, block)?,
            Table::Sl2vl(p) => bytes[..8].copy_from_slice(&self.qos.sl2vl(p, block)?.0),
            Table::VlArb(p) => {
                bytes = self.qos.port(p)?.vlarb_block(u8::try_from(block).ok()?)?.table.0;
            }
        }
        Some(bytes)
    }

    /// Whether a block that reads `have` holds what it should. What an arbitration table shows
    /// behind the last entry that the port has does not count.
    #[must_use]
    pub fn is_held(&self, table: Table, block: u16, have: &[u8; 64]) -> bool {
        match (table, u8::try_from(block)) {
            (Table::VlArb(p), Ok(n)) => self
                .qos
                .port(p)
                .and_then(|t| t.vlarb_block(n))
                .is_none_or(|b| b.is_held_as(&VlArbTable(*have))),
            (Table::Sl2vl(_), _) => {
                self.block(table, block).is_none_or(|want| want[..8] == have[..8])
            }
            _ => self.block(table, block).is_none_or(|want| want == *have),
        }
    }
}
