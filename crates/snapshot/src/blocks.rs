//! How tables are cut into blocks, and where a block is on the wire.
//!
//! A block is what one SMP reads or writes: 64 LFT entries, 32 P_Keys, 32 VLArb entries, one
//! SL2VL mapping.

use lk_fabric::{Fabric, NodeId, NodeKind, PortId, SwitchId};
use lk_wire::{Lid, MulticastForwardingTable, attr};

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
}
