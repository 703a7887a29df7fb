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
    /// LIDs in a row.
    lids: usize,
    all: SlSet,
}

impl PathTable {
    /// A table without any path.
    fn empty(fabric: &Fabric, lids: &LidMap) -> Self {
        let row = usize::from(lids.top().0) + 1;
        let sets = vec![SlSet::EMPTY; row * fabric.switches().len()];
        Self { sets, lids: row, all: SlSet::EMPTY }
    }

    /// All paths that `sls` knows.
    pub(super) fn of(fabric: &Fabric, lids: &LidMap, sls: &impl PathSls) -> Self {
        let mut table = Self::empty(fabric, lids);
        for (row, switch) in table.sets.chunks_mut(table.lids).zip(fabric.switch_ids()) {
            for (lid, set) in (0..).map(Lid).zip(row) {
                if lids.port(lid).is_some() {
                    *set = sls.sls(switch, lid);
                    table.all.0 |= set.0;
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
            table.all = table.all.with(sl);
            for switch in from {
                let set = &mut table.sets[switch.index() * row + usize::from(lid.0)];
                *set = set.with(sl);
            }
        }
        Ok(table)
    }

    /// The SLs from a switch to a LID.
    pub(super) fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        let place =
            (usize::from(to.0) < self.lids).then(|| from.index() * self.lids + usize::from(to.0));
        place.and_then(|place| self.sets.get(place)).copied().unwrap_or_default()
    }

    /// Whether both LIDs have the same SLs from everywhere.
    pub(super) fn alike(&self, one: Lid, other: Lid) -> bool {
        let sls = |row: &[SlSet], lid: Lid| row.get(usize::from(lid.0)).copied();
        self.sets.chunks(self.lids).all(|row| sls(row, one) == sls(row, other))
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

/// The switches on which a node or a port hangs, by GUID.
fn switches_of(fabric: &Fabric) -> HashMap<Guid, Vec<SwitchId>> {
    let mut switches: HashMap<Guid, Vec<SwitchId>> = HashMap::new();
    for port in fabric.end_ports() {
        let node = fabric.owner(port);
        let far = fabric.peer(port).and_then(|far| fabric.as_switch(fabric.owner(far)));
        let Some(switch) = fabric.as_switch(node).or(far) else { continue };
        for guid in [fabric.node(node).guid, fabric.port(port).guid] {
            let known = switches.entry(guid).or_default();
            if !known.contains(&switch) {
                known.push(switch);
            }
        }
    }
    switches
}
