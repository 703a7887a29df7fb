//! What is known of the tables in the ports and switches, block by block.
//!
//! A block that was neither read nor written since the node came up is unknown.
//! Rows are shared between copies and copied when one of them changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_fabric::{Fabric, NodeId, NodeKind, PortId, SwitchId};
use lk_wire::{LinearForwardingTable, SlToVlTable, VlArbTable};

use crate::blocks::{BlockSet, Table};

/// A forwarding table as far as it is known.
#[derive(Clone, Default, Debug)]
struct LftSeen {
    row: Arc<Vec<u8>>,
    known: BlockSet,
}

/// The SL2VL mappings of one egress port, one for each ingress port.
#[derive(Clone, Default, Debug)]
enum Sl2vlSeen {
    #[default]
    Unread,
    Uniform(SlToVlTable),
    Each(Arc<Vec<Option<SlToVlTable>>>),
}

type VlArbSeen = Option<Arc<[Option<VlArbTable>; 4]>>;
type MftSeen = Arc<BTreeMap<u16, [u8; 64]>>;
type PKeysSeen = Arc<Vec<Option<[u8; 64]>>>;

/// The known contents of all tables of a fabric.
#[derive(Clone, Default, Debug)]
pub struct Tables {
    lft: Vec<LftSeen>,
    mft: Vec<MftSeen>,
    sl2vl: Vec<Sl2vlSeen>,
    vlarb: Vec<VlArbSeen>,
    pkeys: Vec<PKeysSeen>,
    ingress: Vec<u16>,
}

const LFT_BLOCK: usize = 64;

impl Tables {
    /// All tables of a fabric, unknown.
    #[must_use]
    pub fn unknown(fabric: &Fabric) -> Self {
        let ports = fabric.ports().len();
        let ingress = |p: usize| {
            let node = fabric.node(fabric.owner(PortId(p as u32)));
            if node.kind == NodeKind::Switch { u16::from(node.num_ports) + 1 } else { 1 }
        };
        Self {
            lft: vec![LftSeen::default(); fabric.switches().len()],
            mft: vec![Arc::default(); fabric.switches().len()],
            sl2vl: vec![Sl2vlSeen::Unread; ports],
            vlarb: vec![None; ports],
            pkeys: vec![Arc::default(); ports],
            ingress: (0..ports).map(ingress).collect(),
        }
    }

    /// Takes over what was known of a node in an earlier fabric: the same node with as many
    /// ports, whose tables cannot have changed meanwhile. `keep` says for each external port
    /// whether its own tables are still to be trusted.
    pub fn carry_over(
        &mut self,
        fabric: &Fabric,
        node: NodeId,
        (old, old_fabric, old_node): (&Self, &Fabric, NodeId),
        keep: impl Fn(PortId) -> bool,
    ) {
        let (new_node, was) = (fabric.node(node), old_fabric.node(old_node));
        if new_node.num_ports != was.num_ports || new_node.kind != was.kind {
            return;
        }
        if let (Some(s), Some(o)) = (fabric.as_switch(node), old_fabric.as_switch(old_node)) {
            self.lft[s.index()] = old.lft[o.index()].clone();
            self.mft[s.index()] = old.mft[o.index()].clone();
        }
        for num in 0..=u32::from(new_node.num_ports) {
            let (to, from) = ((new_node.first.0 + num) as usize, (was.first.0 + num) as usize);
            if keep(PortId(to as u32)) {
                self.sl2vl[to] = old.sl2vl[from].clone();
                self.vlarb[to] = old.vlarb[from].clone();
            }
        }
    }

    /// What a block holds, if that is known.
    #[must_use]
    pub fn block(&self, table: Table, block: u16) -> Option<[u8; 64]> {
        let mut bytes = [0; 64];
        match table {
            Table::PKeys(p) => bytes = self.pkeys[p.index()].get(usize::from(block)).copied()??,
            Table::Lft(s) => {
                let seen = &self.lft[s.index()];
                let at = usize::from(block) * LFT_BLOCK;
                if !seen.known.contains(block) {
                    return None;
                }
                bytes.copy_from_slice(seen.row.get(at..at + LFT_BLOCK)?);
            }
            Table::Mft(s) => bytes = *self.mft[s.index()].get(&block)?,
            Table::Sl2vl(p) => bytes[..8].copy_from_slice(&self.sl2vl(p, block)?.0),
            Table::VlArb(p) => {
                let which = usize::from(block).checked_sub(1)?;
                bytes = self.vlarb[p.index()].as_ref()?.get(which)?.as_ref()?.0;
            }
        }
        Some(bytes)
    }

    /// The SL2VL mapping of an egress port for one ingress port's number, if it is known.
    #[must_use]
    pub fn sl2vl(&self, egress: PortId, ingress: u16) -> Option<SlToVlTable> {
        match &self.sl2vl[egress.index()] {
            Sl2vlSeen::Unread => None,
            Sl2vlSeen::Uniform(t) => (ingress < self.ingress[egress.index()]).then_some(*t),
            Sl2vlSeen::Each(rows) => rows.get(usize::from(ingress)).copied().flatten(),
        }
    }

    /// The mapping of an egress port if it is known to be the same for every ingress port.
    #[must_use]
    pub fn uniform_sl2vl(&self, egress: PortId) -> Option<SlToVlTable> {
        match &self.sl2vl[egress.index()] {
            Sl2vlSeen::Uniform(t) => Some(*t),
            _ => None,
        }
    }

    /// The forwarding table of a switch as far as it is known: the bytes, and which blocks of 64
    /// of them hold what the switch holds.
    #[must_use]
    pub fn lft(&self, switch: SwitchId) -> (&[u8], &BlockSet) {
        let seen = &self.lft[switch.index()];
        (&seen.row, &seen.known)
    }

    /// The blocks of a switch's forwarding table that are known, in ascending order.
    pub fn lft_blocks(&self, switch: SwitchId) -> impl Iterator<Item = (u16, &[u8; 64])> {
        let (row, known) = self.lft(switch);
        let rows = row.as_chunks().0;
        known.iter().filter_map(move |block| Some((block, rows.get(usize::from(block))?)))
    }

    /// The blocks of a switch's multicast forwarding table that are known, by the codes of
    /// [`crate::MftBlock`].
    pub fn mft_blocks(&self, switch: SwitchId) -> impl Iterator<Item = (u16, &[u8; 64])> {
        self.mft[switch.index()].iter().map(|(code, bytes)| (*code, bytes))
    }

    /// The blocks of a port's P_Key table, up to the last that is known.
    #[must_use]
    pub fn pkey_blocks(&self, port: PortId) -> &[Option<[u8; 64]>] {
        let blocks = self.pkeys[port.index()].as_slice();
        let end = blocks.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        &blocks[..end]
    }

    /// The four blocks of a port's VL arbitration table: two of low and two of high priority.
    #[must_use]
    pub fn vlarb_blocks(&self, port: PortId) -> [Option<VlArbTable>; 4] {
        self.vlarb[port.index()].as_deref().copied().unwrap_or_default()
    }

    /// How many ingress ports an egress port has a mapping for.
    #[must_use]
    pub fn ingress_ports(&self, egress: PortId) -> u16 {
        self.ingress[egress.index()]
    }

    /// Notes what a block holds now. Of an SL2VL mapping the first 8 bytes count.
    pub fn learn(&mut self, table: Table, block: u16, bytes: &[u8; 64]) {
        match table {
            Table::PKeys(p) => {
                let blocks = Arc::make_mut(&mut self.pkeys[p.index()]);
                let at = usize::from(block);
                if blocks.len() <= at {
                    blocks.resize(at + 1, None);
                }
                blocks[at] = Some(*bytes);
            }
            Table::Lft(s) => {
                let seen = &mut self.lft[s.index()];
                let at = usize::from(block) * LFT_BLOCK;
                let row = Arc::make_mut(&mut seen.row);
                if row.len() < at + LFT_BLOCK {
                    row.resize(at + LFT_BLOCK, LinearForwardingTable::NO_PATH.0);
                }
                row[at..at + LFT_BLOCK].copy_from_slice(bytes);
                seen.known.insert(block);
            }
            Table::Mft(s) => {
                Arc::make_mut(&mut self.mft[s.index()]).insert(block, *bytes);
            }
            Table::Sl2vl(p) => {
                let mut t = SlToVlTable::default();
                t.0.copy_from_slice(&bytes[..8]);
                self.learn_sl2vl(p, block, t);
            }
            Table::VlArb(p) => {
                let Some(which) = usize::from(block).checked_sub(1).filter(|b| *b < 4) else {
                    return;
                };
                let blocks = self.vlarb[p.index()].get_or_insert_with(Arc::default);
                Arc::make_mut(blocks)[which] = Some(VlArbTable(*bytes));
            }
        }
    }

    fn learn_sl2vl(&mut self, egress: PortId, ingress: u16, table: SlToVlTable) {
        let count = self.ingress[egress.index()];
        let seen = &mut self.sl2vl[egress.index()];
        if ingress >= count || matches!(seen, Sl2vlSeen::Uniform(t) if *t == table) {
            return;
        }
        if count == 1 {
            *seen = Sl2vlSeen::Uniform(table);
            return;
        }
        let rows = match seen {
            Sl2vlSeen::Each(rows) => rows,
            Sl2vlSeen::Unread | Sl2vlSeen::Uniform(_) => {
                let was = match seen {
                    Sl2vlSeen::Uniform(t) => Some(*t),
                    _ => None,
                };
                *seen = Sl2vlSeen::Each(Arc::new(vec![was; usize::from(count)]));
                let Sl2vlSeen::Each(rows) = seen else { return };
                rows
            }
        };
        let rows = Arc::make_mut(rows);
        rows[usize::from(ingress)] = Some(table);
        // Tables are learnt in ascending order, so it is enough to look when the last came in.
        if ingress + 1 == count && rows.iter().all(|r| *r == Some(table)) {
            *seen = Sl2vlSeen::Uniform(table);
        }
    }

    /// Notes that every ingress port's mapping to this egress port is now `table`.
    pub fn learn_all_ingress(&mut self, egress: PortId, table: SlToVlTable) {
        self.sl2vl[egress.index()] = Sl2vlSeen::Uniform(table);
    }

    /// Forgets a block: a Set of it may or may not have arrived.
    pub fn forget(&mut self, table: Table, block: u16) {
        match table {
            Table::PKeys(p) => {
                let blocks = Arc::make_mut(&mut self.pkeys[p.index()]);
                if let Some(b) = blocks.get_mut(usize::from(block)) {
                    *b = None;
                }
            }
            Table::Lft(s) => self.lft[s.index()].known.remove(block),
            Table::Mft(s) => {
                Arc::make_mut(&mut self.mft[s.index()]).remove(&block);
            }
            Table::Sl2vl(p) => {
                let count = usize::from(self.ingress[p.index()]);
                let seen = &mut self.sl2vl[p.index()];
                let mut rows = match seen {
                    Sl2vlSeen::Unread => return,
                    Sl2vlSeen::Uniform(t) => vec![Some(*t); count],
                    Sl2vlSeen::Each(rows) => rows.to_vec(),
                };
                if let Some(r) = rows.get_mut(usize::from(block)) {
                    *r = None;
                }
                *seen = Sl2vlSeen::Each(Arc::new(rows));
            }
            Table::VlArb(p) => {
                if let (Some(blocks), Some(which)) =
                    (&mut self.vlarb[p.index()], usize::from(block).checked_sub(1))
                    && let Some(b) = Arc::make_mut(blocks).get_mut(which)
                {
                    *b = None;
                }
            }
        }
    }

    /// Forgets all SL2VL mappings of an egress port.
    pub fn forget_sl2vl(&mut self, egress: PortId) {
        self.sl2vl[egress.index()] = Sl2vlSeen::Unread;
    }
}

/// Equal is what knows the same, however it came to know it.
impl PartialEq for Tables {
    fn eq(&self, other: &Self) -> bool {
        let ports = (0..self.ingress.len() as u32).map(PortId);
        let mut switches = (0..self.lft.len() as u32).map(SwitchId);
        self.ingress == other.ingress
            && self.lft.len() == other.lft.len()
            && self.mft == other.mft
            && switches.all(|s| self.lft_blocks(s).eq(other.lft_blocks(s)))
            && ports.into_iter().all(|p| {
                self.pkey_blocks(p) == other.pkey_blocks(p)
                    && self.vlarb_blocks(p) == other.vlarb_blocks(p)
                    && (0..self.ingress_ports(p)).all(|i| self.sl2vl(p, i) == other.sl2vl(p, i))
            })
    }
}

#[cfg(test)]
mod tests {
    use lk_fabric::{FabricBuilder, NodeSpec};
    use lk_wire::Guid;

    use super::*;

    fn switch(ports: u8) -> Fabric {
        let mut b = FabricBuilder::new();
        b.add_node(NodeSpec::new(Guid(1), NodeKind::Switch, "s", ports)).unwrap();
        b.build()
    }

    #[test]
    fn what_is_learnt_is_known_and_can_be_forgotten() {
        let f = switch(2);
        let mut t = Tables::unknown(&f);
        let bytes = |b: u8| [b; 64];
        for (table, block) in [
            (Table::PKeys(PortId(0)), 1),
            (Table::Lft(SwitchId(0)), 5),
            (Table::Mft(SwitchId(0)), 17),
            (Table::Sl2vl(PortId(1)), 2),
            (Table::VlArb(PortId(2)), 3),
        ] {
            assert_eq!(t.block(table, block), None);
            t.learn(table, block, &bytes(9));
            assert_eq!(t.block(table, block).unwrap()[..8], [9; 8]);
            assert_eq!(t.block(table, block - 1), None, "the neighbour of {table:?} is unknown");
            t.forget(table, block);
            assert_eq!(t.block(table, block), None);
        }
    }

    #[test]
    fn equal_mappings_of_all_ingress_ports_fold_into_one() {
        let f = switch(2);
        let mut t = Tables::unknown(&f);
        let egress = PortId(2);
        for ingress in 0..3 {
            assert_eq!(t.uniform_sl2vl(egress), None);
            t.learn(Table::Sl2vl(egress), ingress, &[0x12; 64]);
        }
        assert_eq!(t.uniform_sl2vl(egress), Some(SlToVlTable([0x12; 8])));
        t.learn(Table::Sl2vl(egress), 1, &[0; 64]);
        assert_eq!(t.sl2vl(egress, 0), Some(SlToVlTable([0x12; 8])));
        assert_eq!(t.sl2vl(egress, 1), Some(SlToVlTable([0; 8])));
        assert_eq!(t.sl2vl(egress, 3), None);
    }
}
