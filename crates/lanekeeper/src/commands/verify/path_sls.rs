//! SLs of paths, in the form that ibdmchk takes with `-c`: GUID of the sending node or port, LID,
//! SL.

use std::collections::HashMap;

use anyhow::anyhow;
use lk_diag::SourceFile;
use lk_fabric::{Fabric, SwitchId};
use lk_routing::LidMap;
use lk_routing::proof::{PathSls, SlSet};
use lk_wire::{Guid, Lid, Sl};

/// The SLs from the end ports of each switch to each LID. A path that the file does not name has
/// none: nobody sends there.
pub(super) struct PathTable {
    sets: Vec<SlSet>,
    /// The same from the switches themselves.
    own: Vec<SlSet>,
    /// LIDs in a row.
    lids: usize,
    all: SlSet,
}

impl PathTable {
    /// A table without any path.
    fn empty(fabric: &Fabric, lids: &LidMap) -> Self {
        let row = usize::from(lids.top().0) + 1;
        let sets = vec![SlSet::EMPTY; row * fabric.switches().len()];
        Self { own: sets.clone(), sets, lids: row, all: SlSet::EMPTY }
    }

    /// All paths that `sls` knows.
    pub(super) fn of(fabric: &Fabric, lids: &LidMap, sls: &impl PathSls) -> Self {
        let mut table = Self::empty(fabric, lids);
        let rows = table.sets.chunks_mut(table.lids).zip(table.own.chunks_mut(table.lids));
        for ((row, own), switch) in rows.zip(fabric.switch_ids()) {
            for ((lid, set), own) in (0..).map(Lid).zip(row).zip(own) {
                if lids.port(lid).is_some() {
                    *set = sls.sls(switch, lid);
                    *own = sls.own(switch, lid);
                    table.all = table.all.and(*set).and(*own);
                }
            }
        }
        table
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// A line that is none, or that names a GUID or a LID which the fabric does not have.
    pub(super) fn read(
        source: &SourceFile,
        fabric: &Fabric,
        lids: &LidMap,
    ) -> anyhow::Result<Self> {
        let mut table = Self::empty(fabric, lids);
        let row = table.lids;
        let switches = switches_of(fabric);
        let mut named = false;
        for (number, _, text) in source.lines() {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let at = |what: &str| anyhow!("{}:{}: {what}", source.name(), number);
            let (guid, lid, sl) =
                parse(text).ok_or_else(|| at("expected a GUID, a LID and an SL"))?;
            let Some(from) = switches.get(&guid) else {
                return Err(at(&format!("no node or port on a switch has the GUID {guid}")));
            };
            if lids.port(lid).is_none() {
                return Err(at(&format!("no port has the LID {lid}")));
            }
            named = true;
            table.all = table.all.with(sl);
            for (switch, own) in from {
                let sets = if *own { &mut table.own } else { &mut table.sets };
                let set = &mut sets[switch.index() * row + usize::from(lid.0)];
                *set = set.with(sl);
            }
        }
        if !named {
            return Err(anyhow!(
                "{} names no path; a line has a GUID, a LID and an SL, as `lanekeeper route \
                 --path-sls` writes them",
                source.name()
            ));
        }
        Ok(table)
    }

    /// The SLs from the end ports of a switch to a LID.
    pub(super) fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        self.place(from, to).and_then(|place| self.sets.get(place)).copied().unwrap_or_default()
    }

    /// The SLs from a switch itself to a LID.
    pub(super) fn own(&self, from: SwitchId, to: Lid) -> SlSet {
        self.place(from, to).and_then(|place| self.own.get(place)).copied().unwrap_or_default()
    }

    fn place(&self, from: SwitchId, to: Lid) -> Option<usize> {
        (usize::from(to.0) < self.lids).then(|| from.index() * self.lids + usize::from(to.0))
    }

    /// Whether both LIDs have the same SLs from everywhere.
    pub(super) fn alike(&self, one: Lid, other: Lid) -> bool {
        let sls = |row: &[SlSet], lid: Lid| row.get(usize::from(lid.0)).copied();
        let mut rows = self.sets.chunks(self.lids).chain(self.own.chunks(self.lids));
        rows.all(|row| sls(row, one) == sls(row, other))
    }

    /// The SLs of all paths.
    pub(super) const fn all(&self) -> SlSet {
        self.all
    }
}

fn parse(text: &str) -> Option<(Guid, Lid, Sl)> {
    let mut words = text.split_whitespace();
    let guid = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    let lid = words.next()?;
    let lid = match lid.strip_prefix("0x") {
        Some(hex) => u16::from_str_radix(hex, 16).ok()?,
        None => lid.parse().ok()?,
    };
    let sl = words.next()?.parse().ok().filter(|sl| *sl < 16)?;
    words.next().is_none().then_some((Guid(guid), Lid(lid), Sl(sl)))
}

/// The switches on which a node or a port hangs, by GUID, and whether it is the switch itself.
fn switches_of(fabric: &Fabric) -> HashMap<Guid, Vec<(SwitchId, bool)>> {
    let mut switches: HashMap<Guid, Vec<(SwitchId, bool)>> = HashMap::new();
    for port in fabric.end_ports() {
        let node = fabric.owner(port);
        let far = fabric.peer(port).and_then(|far| fabric.as_switch(fabric.owner(far)));
        let own = fabric.as_switch(node);
        let Some(switch) = own.or(far).map(|switch| (switch, own.is_some())) else { continue };
        for guid in [fabric.node(node).guid, fabric.port(port).guid] {
            let known = switches.entry(guid).or_default();
            if !known.contains(&switch) {
                known.push(switch);
            }
        }
    }
    switches
}
