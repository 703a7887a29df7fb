//! SLs of paths, in the form that ibdmchk takes with `-c`: GUID of the sending node or port, LID,
//! SL.

use std::collections::HashMap;

use anyhow::anyhow;
use lk_diag::SourceFile;
use lk_fabric::{Fabric, SwitchId};
use lk_routing::LidMap;
use lk_routing::proof::SlSet;
use lk_wire::{Guid, Lid, Sl};

/// The SLs from the end ports of each switch to each LID. A path that the file does not name has
/// none: nobody sends there.
pub(super) struct PathTable {
    /// All switches for the first LID, then for the next.
    sets: Vec<SlSet>,
    /// The same from the switches themselves.
    own: Vec<SlSet>,
    switches: usize,
    all: SlSet,
}

impl PathTable {
    /// A table without any path.
    fn empty(fabric: &Fabric, lids: &LidMap) -> Self {
        let switches = fabric.switches().len();
        let sets = vec![SlSet::EMPTY; (usize::from(lids.top().0) + 1) * switches];
        Self { own: sets.clone(), sets, switches, all: SlSet::EMPTY }
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
                let place = table.place(*switch, lid);
                let sets = if *own { &mut table.own } else { &mut table.sets };
                sets[place] = sets[place].with(sl);
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
        self.sets.get(self.place(from, to)).copied().unwrap_or_default()
    }

    /// The SLs from a switch itself to a LID.
    pub(super) fn own(&self, from: SwitchId, to: Lid) -> SlSet {
        self.own.get(self.place(from, to)).copied().unwrap_or_default()
    }

    const fn place(&self, from: SwitchId, to: Lid) -> usize {
        to.0 as usize * self.switches + from.index()
    }

    /// Whether both LIDs have the same SLs from everywhere.
    pub(super) fn alike(&self, one: Lid, other: Lid) -> bool {
        let same = |sets: &[SlSet]| {
            let of = |lid: Lid| {
                let first = usize::from(lid.0) * self.switches;
                sets.get(first..first + self.switches)
            };
            of(one) == of(other)
        };
        same(&self.sets) && same(&self.own)
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
