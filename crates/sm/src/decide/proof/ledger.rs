//! The verdict by what is known of routes, without following all packets again.
//!
//! That is possible where all packets share one lane, which is so without QoS and wherever all
//! ports between switches have the same SL2VL table.

use lk_fabric::Fabric;
use lk_routing::Ledger;
use lk_routing::proof::{AnyLanes, LaneMap, Lanes, OneLane, SlSet, Wait};
use lk_wire::{Guid, Lid, PortNum, Sl, Vl};

use super::lanes::EgressLanes;
use super::{Forwarding, lost, numbers, steps};
use crate::decide::QosTables;
use crate::verdict::{AnySl, Named, Step, Verdict};

/// The SL by which routes without SLs of their own are judged.
const SL: Sl = Sl(0);

/// Routes that a ledger proves to be free of deadlocks, as far as it looks.
pub(crate) struct Known<'a> {
    tables: &'a Forwarding<'a>,
    ledger: &'a Ledger,
    lanes: Option<EgressLanes>,
    vls: Vec<u8>,
    channels: u64,
    waits: u64,
}

impl<'a> Known<'a> {
    /// None where there are several lanes, or where packets to groups can deadlock with the others.
    pub(crate) fn new(
        tables: &'a Forwarding<'a>,
        ledger: &'a Ledger,
        qos: &QosTables,
    ) -> Option<Self> {
        let fabric = tables.fabric;
        let lanes = (!qos.is_empty()).then(|| EgressLanes::new(fabric, qos));
        let link = link_between_switches(fabric);
        let mut vls: Vec<u8> = link.iter().map(|_| 0).collect();
        if let Some(lanes) = &lanes {
            if !lanes.keep_to_one_lane() || may_drop(fabric, lanes, SL) {
                return None;
            }
            if let Some((switch, port)) = link {
                let map = lanes.lanes(switch, port, port);
                let others = tables.trees.iter().flat_map(|tree| tree.sls.iter());
                if others.into_iter().any(|sl| map.vl(sl) != map.vl(SL)) {
                    return None;
                }
                vls = vec![map.vl(SL).0];
            }
        }
        let proved = ledger.prove(tables.trees)?;
        let (channels, waits) = (proved.channels, proved.waits);
        Some(Self { tables, ledger, lanes, vls, channels, waits })
    }

    /// The verdict. None where nobody can say who is in a circle of packets from and to switches.
    pub(crate) fn verdict(&self, before: Option<&Verdict>) -> Option<Verdict> {
        let switch_circle = match self.ledger.hosts_only() {
            false => Vec::new(),
            true => before
                .and_then(|before| self.still_there(&before.switch_circle))
                .or_else(|| self.circle())?,
        };
        let check = self.ledger.check();
        Some(Verdict {
            deadlock_free: true,
            groups: self.tables.trees.len(),
            all_reached: check.end_ports_connected(),
            max_hops: check.max_hops,
            sls: numbers(SlSet::one(SL)),
            lanes: self.vls.clone(),
            channels: self.channels,
            waits: self.waits,
            circle: Vec::new(),
            switch_circle,
            forwarding_loops: Named { lids: 0, first: Vec::new() },
            unreached: lost(self.tables.fabric, self.tables.lids, &check),
            dropped_sls: Vec::new(),
            any_sl: if self.lanes.is_some() { AnySl::Free } else { AnySl::Unknown },
        })
    }

    /// The steps of a circle as they are now, if it is one still.
    fn still_there(&self, circle: &[Step]) -> Option<Vec<Step>> {
        let waits: Vec<Wait> = circle.iter().map(|step| self.wait(step)).collect::<Option<_>>()?;
        self.steps(&waits)
    }

    /// The steps of a circle with packets from or to switches.
    fn circle(&self) -> Option<Vec<Step>> {
        let vl = Vl(*self.vls.first()?);
        let circle = self.ledger.switch_circle(self.tables.fabric)?;
        let wait = |(switch, port, lid)| Wait { switch, port, vl, lid, sl: SL };
        self.steps(&circle.into_iter().map(wait).collect::<Vec<_>>())
    }

    /// The steps of a circle, if each is somebody's.
    fn steps(&self, waits: &[Wait]) -> Option<Vec<Step>> {
        let lanes = match &self.lanes {
            Some(lanes) => AnyLanes(lanes),
            None => AnyLanes(&OneLane),
        };
        let steps = steps(self.tables, &lanes, &SlSet::one(SL), waits);
        let whole = !steps.is_empty() && steps.iter().all(|step| !step.source.is_empty());
        whole.then_some(steps)
    }

    fn wait(&self, step: &Step) -> Option<Wait> {
        let guid = u64::from_str_radix(step.from_guid.strip_prefix("0x")?, 16).ok()?;
        let fabric = self.tables.fabric;
        let switch = fabric.as_switch(fabric.node_by_guid(Guid(guid))?)?;
        let (port, vl) = (PortNum(step.from_port), Vl(step.vl));
        Some(Wait { switch, port, vl, lid: Lid(step.lid), sl: Sl(step.sl) })
    }
}

/// Whether some table drops packets of an SL, whether or not packets go by it: on the way from one
/// cabled port of a switch to another, or at the port that sends them.
fn may_drop(fabric: &Fabric, lanes: &EgressLanes, sl: Sl) -> bool {
    let drops = |map: LaneMap| map.vl(sl) == Vl::DROP;
    let in_switch = |switch| {
        let cabled = fabric.external_ports(fabric.switch_node(switch));
        let cabled = cabled.filter(|p| fabric.peer(*p).is_some());
        let ports: Vec<PortNum> = cabled.map(|p| fabric.port_num(p)).collect();
        let other = |from: PortNum| ports.iter().copied().filter(move |to| *to != from);
        ports.iter().any(|from| other(*from).any(|to| drops(lanes.lanes(switch, *from, to))))
    };
    let adapters = fabric.end_ports().filter(|p| fabric.as_switch(fabric.owner(*p)).is_none());
    fabric.switch_ids().any(in_switch) || adapters.into_iter().any(|p| drops(lanes.of_sender(p)))
}

/// A switch and its port that is cabled to another switch.
fn link_between_switches(fabric: &Fabric) -> Option<(lk_fabric::SwitchId, PortNum)> {
    let is_switch = |port| fabric.as_switch(fabric.owner(port)).is_some();
    let of_switch = |switch| {
        let ports = fabric.external_ports(fabric.switch_node(switch));
        let mut cabled = ports.filter(|p| {
            let far = fabric.peer(*p).filter(|far| is_switch(*far));
            far.is_some_and(|far| fabric.as_switch(fabric.owner(far)) != Some(switch))
        });
        cabled.next().map(|port| (switch, fabric.port_num(port)))
    };
    fabric.switch_ids().find_map(of_switch)
}
