//! What the SM knows of the tables in the ports and switches, block by block.
//!
//! A block is what one SMP reads or writes: 64 LFT entries, 32 P_Keys, 32 VLArb entries, one
//! SL2VL mapping. A block that was neither read nor written since the node came up is unknown.
//! Rows are shared between snapshots and copied when one of them changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_fabric::{Fabric, NodeId, NodeKind, PortId, SwitchId};
use lk_wire::{Lid, MulticastForwardingTable, SlToVlTable, VlArbTable, attr};

/// A table of one port or switch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// P_KeyTable of an end port or of a switch's external port; blocks of 32 keys.
    PKeys(PortId),
    /// LinearForwardingTable; blocks of 64 LIDs.
    Lft(SwitchId),
    /// MulticastForwardingTable; the block is the code of an [`MftBlock`].
    Mft(SwitchId),
    /// SLtoVLMappingTable of an egress port; the block is the ingress port's number, 0 on
    /// adapters and routers.
    Sl2vl(PortId),
    /// VLArbitrationTable of a port; blocks 1 and 2 low priority, 3 and 4 high priority.
    VlArb(PortId),
}

/// A block of a multicast forwarding table: 32 LIDs from 0xC000 on, and 16 ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MftBlock {
    /// Which LIDs.
    pub block: u16,
    /// Which ports.
    pub position: u8,
}

impl MftBlock {
    /// Positions that there can be.
    const POSITIONS: u16 = 16;

    /// The number by which it stands among the blocks of a table: LIDs before ports.
    #[must_use]
    pub const fn code(self) -> u16 {
        self.block * Self::POSITIONS + self.position as u16
    }

    /// The block with a number.
    #[must_use]
    pub const fn of_code(code: u16) -> Self {
        Self { block: code / Self::POSITIONS, position: (code % Self::POSITIONS) as u8 }
    }

    /// Above the numbers of the first `blocks` blocks.
    #[must_use]
    pub const fn codes(blocks: u16) -> u16 {
        blocks * Self::POSITIONS
    }

    /// The block that a multicast LID is in.
    #[must_use]
    pub const fn block_of(mlid: Lid) -> u16 {
        mlid.0.saturating_sub(0xC000) / MulticastForwardingTable::ENTRIES as u16
    }
}

/// Where a block is on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The port whose agent holds it: port 0 for what a whole switch has.
    pub port: PortId,
    /// The attribute.
    pub attribute: u16,
    /// The attribute modifier.
    pub modifier: u32,
}

impl Table {
    /// The node that holds the table.
    #[must_use]
    pub fn node(self, fabric: &Fabric) -> NodeId {
        match self {
            Self::PKeys(p) | Self::Sl2vl(p) | Self::VlArb(p) => fabric.owner(p),
            Self::Lft(s) | Self::Mft(s) => fabric.switch_node(s),
        }
    }

    /// Where a block of the table is on the wire (IBA 14.2.5.7 to 14.2.5.10).
    #[must_use]
    pub fn address(self, block: u16, fabric: &Fabric) -> Address {
        let node = self.node(fabric);
        let is_switch = fabric.node(node).kind == NodeKind::Switch;
        let port = |p: PortId| if is_switch { u32::from(fabric.port_num(p).0) } else { 0 };
        let block = u32::from(block);
        let (at, attribute, modifier) = match self {
            Self::PKeys(p) => (p, attr::PKEY_TABLE, port(p) << 16 | block),
            Self::Lft(_) => (fabric.node(node).first, attr::LFT, block),
            Self::Mft(_) => {
                let at = MftBlock::of_code(block as u16);
                let modifier = MulticastForwardingTable::modifier(at.position, at.block);
                (fabric.node(node).first, attr::MFT, modifier)
            }
            Self::Sl2vl(p) => (p, attr::SL2VL, block << 8 | port(p)),
            Self::VlArb(p) => (p, attr::VLARB, block << 16 | port(p)),
        };
        Address { port: at, attribute, modifier }
    }
}

/// A set of block numbers of one table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BlockSet(Vec<u64>);

impl BlockSet {
    /// Adds a block.
    pub fn insert(&mut self, block: u16) {
        let word = usize::from(block / 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (block % 64);
    }

    /// Takes a block out.
    pub fn remove(&mut self, block: u16) {
        if let Some(word) = self.0.get_mut(usize::from(block / 64)) {
            *word &= !(1 << (block % 64));
        }
    }

    /// Whether the block is in the set.
    #[must_use]
    pub fn contains(&self, block: u16) -> bool {
        self.0.get(usize::from(block / 64)).is_some_and(|w| w & (1 << (block % 64)) != 0)
    }

    /// How many blocks are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether no block is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// The blocks in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().enumerate().flat_map(|(i, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    (i * 64) as u16 + bit as u16
                })
            })
        })
    }

    /// The first block at or after `from`.
    #[must_use]
    pub fn next_from(&self, from: u16) -> Option<u16> {
        let mut word = usize::from(from / 64);
        let mut left = *self.0.get(word)? & (!0 << (from % 64));
        while left == 0 {
            word += 1;
            left = *self.0.get(word)?;
        }
        Some((word * 64) as u16 + left.trailing_zeros() as u16)
    }
}

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
                    row.resize(at + LFT_BLOCK, lk_routing::Lfts::NO_PATH);
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
    fn block_sets_iterate_in_order() {
        let mut set = BlockSet::default();
        for b in [700, 3, 64, 63] {
            set.insert(b);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 64, 700]);
        assert_eq!((set.len(), set.next_from(4), set.next_from(701)), (4, Some(63), None));
        set.remove(63);
        assert_eq!(set.next_from(4), Some(64));
    }

    #[test]
    fn addresses_follow_the_attribute_modifiers() {
        let f = switch(4);
        let at = |t: Table, b| t.address(b, &f).modifier;
        assert_eq!(at(Table::Sl2vl(PortId(3)), 2), 0x203);
        assert_eq!(at(Table::VlArb(PortId(3)), 4), 0x4_0003);
        assert_eq!(at(Table::PKeys(PortId(3)), 1), 0x3_0001);
        assert_eq!(at(Table::Lft(SwitchId(0)), 7), 7);
        let code = MftBlock { block: 3, position: 2 }.code();
        assert_eq!(at(Table::Mft(SwitchId(0)), code), 0x2000_0003);
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
