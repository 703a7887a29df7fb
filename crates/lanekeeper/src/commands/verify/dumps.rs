//! A subnet from opensm's dump files.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::anyhow;
use lk_diag::{Diagnostics, SourceFile};
use lk_fabric::dumps::{mcfdbs, sl2vl, subnet_lst, unicast};
use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_routing::proof::{LaneMap, SlSet};
use lk_routing::{GroupPorts, GroupTree, Lfts, LidMap};
use lk_wire::{Guid, Lid, Sl, Vl};

use super::path_sls::PathTable;
use super::request::Request;
use super::subject::{Sl2vl, Sls, Subject, Unread, wrong_lids};
use super::tables::{Rows, switches_have};
use crate::failure::Failure;
use crate::{input, terminal};

/// Reads the dumps of a folder.
///
/// # Errors
/// Files that are missing or hold nothing that can be judged.
pub(super) fn read(folder: &Path, request: &Request) -> Result<Subject, Failure> {
    let mut files = Files { folder, flawed: false };
    let list = files.open("opensm-subnet.lst")?;
    let (list, said) = subnet_lst::read(&list);
    files.show(&said);
    let fabric = list.fabric;
    if fabric.switches().is_empty() {
        let name = folder.join("opensm-subnet.lst");
        return Err(anyhow!("{} names no switch", name.display()).into());
    }
    let lids = lids(&fabric, request.lmc.unwrap_or(0));
    let mut notes = Vec::new();
    let tables = files.tables(&fabric, &lids, &mut notes)?;
    let trees = files.trees(&fabric, request.group_sls.unwrap_or(SlSet::one(Sl(0))))?;
    let sl2vl = files.sl2vl(&fabric, &mut notes)?;
    let sls = match &request.path_sls {
        Some(path) => Sls::Table(PathTable::read(&input::source(path)?, &fabric, &lids)?),
        None => Sls::Fixed(SlSet::one(Sl(0))),
    };
    let flawed = files.flawed;
    let faults = wrong_lids(&fabric, |_| true);
    let source = folder.display().to_string();
    Ok(Subject {
        source,
        fabric,
        lids,
        lfts: tables,
        trees,
        sl2vl,
        sls,
        notes,
        faults,
        flawed,
        unread: Unread::default(),
    })
}

/// LIDs as the list has them. It does not say the LMC, which is the same for all ports but those of
/// switches.
fn lids(fabric: &Fabric, lmc: u8) -> LidMap {
    let range = |port: PortId| {
        let is_switch = fabric.as_switch(fabric.owner(port)).is_some();
        (port, fabric.port(port).lid, if is_switch { 0 } else { lmc })
    };
    LidMap::new(fabric.end_ports().map(range).collect())
}

/// The files of a folder.
struct Files<'a> {
    folder: &'a Path,
    /// Whether one of them held something wrong.
    flawed: bool,
}

impl Files<'_> {
    fn open(&self, name: &str) -> Result<SourceFile, Failure> {
        input::source(&self.folder.join(name))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    fn show(&mut self, said: &Diagnostics) {
        terminal::show(said);
        self.flawed |= said.has_errors();
    }

    /// The forwarding tables.
    fn tables(
        &mut self,
        fabric: &Fabric,
        lids: &LidMap,
        notes: &mut Vec<String>,
    ) -> Result<Lfts, Failure> {
        let fdbs = self.has("opensm.fdbs") || !self.has("opensm-lfts.dump");
        let source = self.open(if fdbs { "opensm.fdbs" } else { "opensm-lfts.dump" })?;
        let (tables, said) = unicast::read(&source);
        self.show(&said);
        let mut rows = Rows::new(fabric, lids);
        for table in tables {
            rows.fill(table.guid, table.entries.into_iter());
        }
        Ok(rows.finish(notes))
    }

    /// The multicast forwarding tables; none where there is no file.
    fn trees(&mut self, fabric: &Fabric, sls: SlSet) -> Result<Vec<GroupTree>, Failure> {
        if !self.has("opensm.mcfdbs") {
            return Ok(Vec::new());
        }
        let (tables, said) = mcfdbs::read(&self.open("opensm.mcfdbs")?);
        self.show(&said);
        let mut trees: BTreeMap<Lid, Vec<GroupPorts>> = BTreeMap::new();
        for table in tables {
            let node = fabric.node_by_guid(table.guid);
            let Some(switch) = node.and_then(|node| fabric.as_switch(node)) else { continue };
            for (mlid, ports) in table.entries {
                trees.entry(mlid).or_default().push((switch, ports));
            }
        }
        Ok(trees.into_iter().map(|(mlid, ports)| GroupTree { mlid, sls, ports }).collect())
    }

    /// The SL2VL tables; one lane where there is no file.
    fn sl2vl(&mut self, fabric: &Fabric, notes: &mut Vec<String>) -> Result<Sl2vl, Failure> {
        if !self.has("opensm-sl2vl.dump") {
            notes.push("no opensm-sl2vl.dump: all packets are taken to share one lane".to_owned());
            return Ok(Sl2vl::one_lane());
        }
        let (tables, said) = sl2vl::read(&self.open("opensm-sl2vl.dump")?);
        self.show(&said);
        let mut maps = Sl2vl::of_switches(fabric);
        let mut without: Vec<bool> = vec![true; fabric.switches().len()];
        let by_port = switches_by_port_guid(fabric);
        let adapters: HashMap<Guid, PortId> =
            fabric.end_ports().map(|port| (fabric.port(port).guid, port)).collect();
        for table in tables {
            if table.kind != NodeKind::Switch {
                let port = adapters.get(&table.port_guid);
                if let (Some(port), Some((_, _, vls))) = (port, table.rows.first()) {
                    maps.set_sender(*port, LaneMap::new(|sl| Vl(vls[usize::from(sl.0)])));
                }
                continue;
            }
            let at = by_port.binary_search_by_key(&table.port_guid, |(guid, _)| *guid);
            let Ok((_, switch)) = at.map(|at| by_port[at]) else { continue };
            without[switch.index()] = false;
            for (from, to, vls) in &table.rows {
                let map = LaneMap::new(|sl| Vl(vls[usize::from(sl.0)]));
                if !maps.set(switch, *from, *to, map) {
                    self.flawed = true;
                    let name = fabric.node(fabric.switch_node(switch)).description.clone();
                    notes.push(format!("{name} has no ports {from} and {to}: SL2VL left out"));
                }
            }
        }
        let without = without.iter().filter(|missing| **missing).count();
        if without > 0 {
            let have = switches_have(without);
            notes.push(format!("{have} no SL2VL table in the dump: one lane there"));
        }
        Ok(maps)
    }
}

fn switches_by_port_guid(fabric: &Fabric) -> Vec<(Guid, SwitchId)> {
    let guid = |s: SwitchId| (fabric.port(fabric.node(fabric.switch_node(s)).first).guid, s);
    let mut switches: Vec<_> = fabric.switch_ids().map(guid).collect();
    switches.sort_unstable();
    switches
}
