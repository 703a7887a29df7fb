//! Apply: a plan's writes, phase by phase. A phase begins when all of the one before it has been
//! answered. What a port says it holds after a Set is what is taken down as observed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lk_config::Options;
use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_qos::{Sl2vlScope, Sl2vlWrite};
use lk_routing::Lfts;
use lk_routing::proof::change::Order;
use lk_wire::{
    Lid, MKey, MlnxExtPortInfo, PortInfo, PortState, SlToVlTable, Smp, SwitchInfo, Tid, attr,
    cap_mask, method,
};

use crate::event::{Event, RequestName};
use crate::io::Decision;
use crate::observe::{Address, BlockSet, Observed, Table, settled};
use crate::plan::{
    Phase, Plan, TableRun, WritingOrder, fields_changed, is_mft, port_info_change, steps,
};
use crate::time::{Duration, Instant};
use crate::window::{Failure, Patience};
use crate::work::BlockQueue;

/// The time that packets have between two stages to leave the fabric. Where nothing deadlocks
/// they need microseconds for each switch.
const DRAIN: Duration = Duration::millis(20);

/// One write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Write {
    /// A block of a table.
    Block(Table, u16),
    /// The n-th PortInfo change of the plan.
    Port(u32),
    /// The n-th change of the vendor's extended port information.
    VendorPort(u32),
    /// The n-th SwitchInfo change of the plan.
    Switch(u32),
    /// The n-th SL2VL write with a wildcard.
    Wildcard(u32),
    /// The n-th cut of the plan in a multicast table.
    Cut(u32),
    /// A port's link goes to this state.
    State(PortId, PortState),
}

/// A plan under way.
pub struct Apply {
    decision: Decision,
    m_key: MKey,
    /// `suppress_sl2vl_mad_status_errors`.
    suppress_sl2vl: bool,
    steps: Vec<(Phase, u8)>,
    phase: usize,
    not_before: Option<Instant>,
    blocks: BlockQueue,
    list: VecDeque<Write>,
    failed: usize,
    /// Ports that took a write and hold something else, by what differs.
    differing: BTreeMap<String, (RequestName, usize)>,
}

impl Apply {
    /// Starts with the first phase.
    pub(crate) fn new(decision: Decision, options: &Options, seen: &Observed) -> Self {
        let mut apply = Self {
            steps: steps(&decision.plan.order),
            not_before: None,
            decision,
            m_key: options.m_key,
            suppress_sl2vl: options.suppress_sl2vl_mad_status_errors,
            phase: 0,
            blocks: BlockQueue::default(),
            list: VecDeque::new(),
            failed: 0,
            differing: BTreeMap::new(),
        };
        apply.enter(seen);
        apply
    }

    /// How many writes came to nothing.
    pub fn failures(&self) -> usize {
        self.failed
    }

    /// The ports whose links were told to go down.
    pub fn bounced(&self) -> impl Iterator<Item = PortId> + '_ {
        self.decision.plan.bounces.iter().map(|b| b.port)
    }

    fn enter(&mut self, seen: &Observed) {
        let Some((phase, stage)) = self.steps.get(self.phase).copied() else { return };
        let plan = Arc::clone(&self.decision.plan);
        let runs = |wanted: fn(Table) -> bool| {
            plan.tables.iter().filter(|r| wanted(r.table)).cloned().collect::<Vec<_>>()
        };
        let is_end = |p: PortId| {
            seen.fabric.port_num(p).0 == 0
                || seen.fabric.node(seen.fabric.owner(p)).kind != NodeKind::Switch
        };
        let ports = |end: bool| {
            let wanted = move |(_, p): &(usize, PortId)| is_end(*p) == end;
            let all = plan.ports.iter().map(|c| c.port).enumerate();
            all.filter(wanted).map(|(i, _)| Write::Port(i as u32)).collect()
        };
        match phase {
            Phase::PKeys => {
                self.blocks = BlockQueue::new(runs(|t| matches!(t, Table::PKeys(_))), &seen.fabric);
            }
            Phase::Forwarding => {
                let runs = runs(|t| matches!(t, Table::Lft(_)));
                let runs = stage_runs(&plan.order, stage, runs);
                self.blocks = BlockQueue::new(runs, &seen.fabric);
            }
            Phase::MulticastCut => {
                self.list = (0..plan.cuts.len() as u32).map(Write::Cut).collect();
            }
            Phase::Multicast => self.blocks = BlockQueue::new(runs(is_mft), &seen.fabric),
            Phase::Lanes => {
                let lanes = |t| matches!(t, Table::Sl2vl(_) | Table::VlArb(_));
                self.blocks = BlockQueue::new(runs(lanes), &seen.fabric);
            }
            Phase::AllSl2vl => self.list = wildcards(&plan, true),
            Phase::EgressSl2vl => self.list = wildcards(&plan, false),
            Phase::EndPorts => self.list = ports(true),
            Phase::Links => {
                self.list = ports(false);
                self.list.extend((0..plan.vendor_ports.len() as u32).map(Write::VendorPort));
            }
            Phase::Switches => {
                self.list = (0..plan.switches.len() as u32).map(Write::Switch).collect();
            }
            Phase::Arm => self.list = states(&plan.arm, PortState::ARMED),
            Phase::Activate => self.list = states(&plan.activate, PortState::ACTIVE),
            Phase::Bounce => {
                self.list =
                    plan.bounces.iter().map(|b| Write::State(b.port, PortState::DOWN)).collect();
            }
        }
    }

    /// The next phase; `false` if there is none left.
    ///
    /// Between stages of forwarding there is time for packets that follow older entries to go.
    pub fn advance(&mut self, seen: &Observed, now: Instant) -> bool {
        let staged = matches!(self.decision.plan.order, Order::Staged(_));
        if staged && matches!(self.steps.get(self.phase), Some((Phase::Forwarding, _))) {
            self.not_before = Some(now + DRAIN);
        }
        self.phase += 1;
        self.enter(seen);
        self.phase < self.steps.len()
    }

    /// When the next write may be sent, if that is not at once.
    pub fn not_before(&self) -> Option<Instant> {
        self.not_before
    }

    /// The stage of forwarding that is under way.
    fn stage(&self) -> u8 {
        self.steps.get(self.phase).map_or(0, |(_, stage)| *stage)
    }

    /// What a block has to hold after the stage that is under way.
    fn block(&self, table: Table, block: u16, seen: &Observed) -> Option<[u8; 64]> {
        let mut want = self.decision.desired.block(table, block)?;
        if let (Order::Staged(stages), Table::Lft(switch)) = (&self.decision.plan.order, table) {
            let top = seen.switch_info(switch).map_or(0, |info| info.linear_fdb_top());
            let have = seen.tables.block(table, block);
            for (at, entry) in want.iter_mut().enumerate() {
                let lid = Lid((usize::from(block) * Lfts::BLOCK + at) as u16);
                let old = have.filter(|_| lid.0 <= top).map_or(Lfts::NO_PATH, |have| have[at]);
                *entry = stages.entry(self.stage(), (switch, lid), old, *entry);
            }
            if have == Some(want) {
                return None;
            }
        }
        Some(want)
    }

    /// The next write of this phase.
    pub fn next(&mut self, seen: &Observed) -> Option<(Smp, Write, Patience)> {
        loop {
            let write = match self.list.pop_front() {
                Some(write) => write,
                None => {
                    let (table, block) = self.blocks.take()?;
                    Write::Block(table, block)
                }
            };
            if let Some(smp) = self.request(write, seen) {
                // A switch that writes thousands of tables for one Set needs time.
                let patience = match write {
                    Write::Wildcard(_) => Patience::Long,
                    _ => Patience::Normal,
                };
                return Some((smp, write, patience));
            }
        }
    }

    /// The datagram of a write; `None` if it makes no sense any more.
    fn request(&self, write: Write, seen: &Observed) -> Option<Smp> {
        let plan = &self.decision.plan;
        let mut data = [0; 64];
        match write {
            Write::Block(table, block) => data = self.block(table, block, seen)?,
            Write::Port(n) => data = plan.ports[n as usize].after.0,
            Write::VendorPort(n) => data = plan.vendor_ports[n as usize].after.0,
            Write::Switch(n) => {
                let (_, before, after) = &plan.switches[n as usize];
                let mut info = *after;
                // Writing 1 clears the bit (IBA 14.2.5.4).
                info.set_port_state_change(before.port_state_change());
                data[..info.0.len()].copy_from_slice(&info.0);
            }
            Write::Cut(n) => data = plan.cuts[n as usize].left,
            Write::Wildcard(n) => data[..8].copy_from_slice(&plan.wildcards[n as usize].1.table.0),
            Write::State(port, to) => {
                if to == PortState::ACTIVE && seen.state(port) != PortState::ARMED {
                    return None;
                }
                let mut info = settled(seen.port_info(port)?);
                info.set_client_reregister(0);
                info.set_port_state(to.0);
                data = info.0;
            }
        }
        let at = self.address(write, seen);
        let path = seen.path(at.port);
        let mut smp =
            Smp::directed(method::SET, at.attribute, at.modifier, Tid(0), self.m_key, path);
        *smp.data_mut() = data;
        Some(smp)
    }

    /// Where a write goes.
    fn address(&self, write: Write, seen: &Observed) -> Address {
        let plan = &self.decision.plan;
        let port_info = |port| Address {
            port,
            attribute: attr::PORT_INFO,
            modifier: port_modifier(seen, port),
        };
        let switch = |switch: SwitchId, attribute, modifier| Address {
            port: seen.fabric.node(seen.fabric.switch_node(switch)).first,
            attribute,
            modifier,
        };
        match write {
            Write::Block(table, block) => table.address(block, &seen.fabric),
            Write::Cut(n) => {
                let cut = &plan.cuts[n as usize];
                Table::Mft(cut.switch).address(cut.code, &seen.fabric)
            }
            Write::Port(n) => port_info(plan.ports[n as usize].port),
            Write::State(port, _) => port_info(port),
            Write::VendorPort(n) => {
                let port = plan.vendor_ports[n as usize].port;
                let modifier = u32::from(seen.fabric.port_num(port).0);
                Address { port, attribute: attr::MLNX_EXT_PORT_INFO, modifier }
            }
            Write::Switch(n) => switch(plan.switches[n as usize].0, attr::SWITCH_INFO, 0),
            Write::Wildcard(n) => {
                let (of, write) = plan.wildcards[n as usize];
                switch(of, attr::SL2VL, write.scope.modifier())
            }
        }
    }

    /// The egress ports whose mappings a write with a wildcard sets.
    fn covered(&self, n: u32, seen: &Observed) -> Vec<PortId> {
        let (switch, write) = self.decision.plan.wildcards[n as usize];
        let node = seen.fabric.node(seen.fabric.switch_node(switch));
        (u8::from(!node.enhanced_port0)..=node.num_ports)
            .filter(|egress| write.scope.covers(0, *egress))
            .map(|egress| PortId(node.first.0 + u32::from(egress)))
            .collect()
    }

    /// A write in words.
    fn name(&self, write: Write, seen: &Observed) -> RequestName {
        seen.request_name(method::SET, self.address(write, seen))
    }

    /// A write was answered: what the port holds now is noted, and compared with what was asked.
    pub fn answered(&mut self, write: Write, response: &Smp, seen: &mut Observed) {
        let differs = match write {
            Write::Block(table, block) => {
                let have = response.data();
                let held = match table {
                    Table::Lft(_) => self.block(table, block, seen).is_none_or(|b| b == *have),
                    _ => self.decision.desired.is_held(table, block, have),
                };
                seen.tables.learn(table, block, have);
                match held {
                    false => "the table it returns is another one".to_owned(),
                    true => String::new(),
                }
            }
            Write::Cut(n) => {
                let cut = &self.decision.plan.cuts[n as usize];
                seen.tables.learn(Table::Mft(cut.switch), cut.code, response.data());
                match response.data() == &cut.left {
                    true => String::new(),
                    false => "the table it returns is another one".to_owned(),
                }
            }
            Write::Port(n) => {
                let have: PortInfo = response.attribute();
                let change = &self.decision.plan.ports[n as usize];
                seen.ports[change.port.index()] = Some(have);
                port_differences(&have, &change.after)
            }
            Write::VendorPort(n) => {
                let have: MlnxExtPortInfo = response.attribute();
                let change = &self.decision.plan.vendor_ports[n as usize];
                seen.vendor_ports.insert(change.port, have);
                let mut want = change.after;
                want.set_link_speed_active(have.link_speed_active());
                fields_changed(MlnxExtPortInfo::FIELDS, &want.0, &have.0, |_, n| n.to_string())
            }
            Write::Switch(n) => {
                let have: SwitchInfo = response.attribute();
                let (switch, _, after) = &self.decision.plan.switches[n as usize];
                seen.switches[switch.index()] = Some(have);
                let mut want = *after;
                want.set_port_state_change(have.port_state_change());
                fields_changed(SwitchInfo::FIELDS, &want.0, &have.0, |_, n| n.to_string())
            }
            Write::Wildcard(n) => {
                let held: SlToVlTable = response.attribute();
                let write = self.decision.plan.wildcards[n as usize].1;
                for port in self.covered(n, seen) {
                    seen.tables.learn_all_ingress(port, held);
                }
                match held == write.table {
                    true => String::new(),
                    false => "the table it returns is another one".to_owned(),
                }
            }
            Write::State(port, to) => {
                let have: PortInfo = response.attribute();
                seen.ports[port.index()] = Some(have);
                // A link that is told to go down may be up again before the answer is made.
                if to == PortState::DOWN || PortState(have.port_state()) == to {
                    String::new()
                } else {
                    self.failed += 1;
                    format!("state {}, asked for {to}", PortState(have.port_state()))
                }
            }
        };
        if !differs.is_empty() {
            let name = self.name(write, seen);
            self.differing.entry(differs).or_insert((name, 0)).1 += 1;
        }
    }

    /// What was accepted and is held otherwise, like with like.
    pub fn differences(&mut self) -> Vec<Event> {
        let differing = std::mem::take(&mut self.differing).into_iter();
        differing
            .map(|(fields, (request, count))| Event::HoldsOther { request, count, fields })
            .collect()
    }

    /// A write came to nothing. Without an answer nobody knows whether it took effect.
    pub fn failed(
        &mut self,
        write: Write,
        why: Failure,
        seen: &mut Observed,
        events: &mut Vec<Event>,
    ) {
        let name = self.name(write, seen);
        match why {
            Failure::NoAnswer => {
                self.failed += 1;
                match write {
                    Write::Block(table, block) => seen.tables.forget(table, block),
                    Write::Cut(n) => {
                        let cut = &self.decision.plan.cuts[n as usize];
                        seen.tables.forget(Table::Mft(cut.switch), cut.code);
                    }
                    Write::Wildcard(n) => {
                        for port in self.covered(n, seen) {
                            seen.tables.forget_sl2vl(port);
                        }
                    }
                    Write::Port(_) | Write::VendorPort(_) | Write::Switch(_) | Write::State(..) => {
                    }
                }
                events.push(Event::NoAnswer(name));
            }
            Failure::Status(s) => {
                let event = name.refused(lk_wire::Status(s), self.suppress_sl2vl);
                self.failed += usize::from(matches!(event, Event::Refused(..)));
                events.push(event);
            }
        }
    }
}

/// The blocks of forwarding tables in which a stage changes entries.
fn stage_runs(order: &WritingOrder, stage: u8, runs: Vec<TableRun>) -> Vec<TableRun> {
    let Order::Staged(stages) = order else { return runs };
    let concerned = |table: Table, block: u16| {
        let Table::Lft(switch) = table else { return true };
        let lids = (0..Lfts::BLOCK as u16).map(|at| Lid(block * Lfts::BLOCK as u16 + at));
        let mut stages_of = lids.map(|lid| stages.of(switch, lid));
        stages_of.any(|of| of == stage || (stages.drops == Some(stage) && of == stage + 1))
    };
    runs.into_iter()
        .map(|run| {
            let mut blocks = BlockSet::default();
            run.blocks.iter().filter(|b| concerned(run.table, *b)).for_each(|b| blocks.insert(b));
            TableRun { table: run.table, blocks }
        })
        .filter(|run| !run.blocks.is_empty())
        .collect()
}

/// The plan's writes with wildcards: those for whole switches, or those for one egress port.
fn wildcards(plan: &Plan, whole: bool) -> VecDeque<Write> {
    let wanted =
        |(_, w): &(usize, &(SwitchId, Sl2vlWrite))| (w.1.scope == Sl2vlScope::All) == whole;
    let all = plan.wildcards.iter().enumerate();
    all.filter(wanted).map(|(n, _)| Write::Wildcard(n as u32)).collect()
}

fn states(ports: &[PortId], to: PortState) -> VecDeque<Write> {
    ports.iter().map(|p| Write::State(*p, to)).collect()
}

/// The attribute modifier of a port's PortInfo. Bit 31 says that the SM knows extended speeds;
/// only then does the port take LinkSpeedExtEnabled (IBA 14.2.5.6).
fn port_modifier(seen: &Observed, port: PortId) -> u32 {
    let extended = seen
        .node_port_info(port)
        .is_some_and(|i| i.capability_mask() & cap_mask::EXTENDED_SPEEDS != 0);
    u32::from(seen.fabric.port_num(port).0) | if extended { 1 << 31 } else { 0 }
}

/// Fields that hold something else than was asked for. Left out are fields that act when they
/// are written, hide what they hold, or answer "all" with what "all" is.
fn port_differences(have: &PortInfo, want: &PortInfo) -> String {
    let mut want = *want;
    want.set_client_reregister(have.client_reregister());
    want.set_m_key(have.m_key());
    want.set_link_width_enabled(have.link_width_enabled());
    want.set_link_speed_enabled(have.link_speed_enabled());
    want.set_link_speed_ext_enabled(have.link_speed_ext_enabled());
    port_info_change(&want, have)
}
