//! What the proof asks of SL2VL tables and path SLs.

use lk_fabric::{PortId, SwitchId};
use lk_wire::{Lid, PortNum, Sl, Vl};

/// The lane of each SL: one SLtoVLMappingTable (IBA 14.2.5.8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaneMap(u64);

impl LaneMap {
    /// The map that puts each SL on the lane `vl` says. Only the low four bits of a lane count.
    #[must_use]
    pub fn new(vl: impl Fn(Sl) -> Vl) -> Self {
        let nibble = |sl: u8| u64::from(vl(Sl(sl)).0 & 15) << (4 * sl);
        Self((0..16).fold(0, |map, sl| map | nibble(sl)))
    }

    /// The lane of an SL. 15 means that packets of this SL are dropped (IBA 7.6.6).
    #[must_use]
    pub const fn vl(self, sl: Sl) -> Vl {
        Vl((self.0 >> (4 * (sl.0 & 15)) & 15) as u8)
    }
}

/// The SL2VL tables of all switches.
pub trait Lanes: Sync {
    /// The table of a switch for packets that come in by one port and leave by another. Port 0
    /// as the first is the switch's own traffic.
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap;

    /// The table by which an adapter's or router's port puts packets on its link. Nobody waits for
    /// that link, so what counts is whether packets are dropped.
    fn of_sender(&self, _port: PortId) -> LaneMap {
        LaneMap::new(|_| Vl(0))
    }
}

/// Tables of any kind.
#[derive(Clone, Copy)]
pub struct AnyLanes<'a>(pub &'a dyn Lanes);

impl Lanes for AnyLanes<'_> {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        self.0.lanes(switch, in_port, out_port)
    }

    fn of_sender(&self, port: PortId) -> LaneMap {
        self.0.of_sender(port)
    }
}

/// All packets on VL 0: what switches do without SL2VL tables, or with one lane.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OneLane;

impl Lanes for OneLane {
    fn lanes(&self, _: SwitchId, _: PortNum, _: PortNum) -> LaneMap {
        LaneMap(0)
    }
}

/// The same table everywhere.
impl Lanes for LaneMap {
    fn lanes(&self, _: SwitchId, _: PortNum, _: PortNum) -> LaneMap {
        *self
    }
}

impl<F: Fn(SwitchId, PortNum, PortNum) -> LaneMap + Sync> Lanes for F {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        self(switch, in_port, out_port)
    }
}

/// A set of SLs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct SlSet(pub u16);

impl SlSet {
    /// No SL.
    pub const EMPTY: Self = Self(0);
    /// All sixteen.
    pub const ALL: Self = Self(u16::MAX);

    /// One SL alone.
    #[must_use]
    pub const fn one(sl: Sl) -> Self {
        Self(1 << (sl.0 & 15))
    }

    /// This set and one SL more.
    #[must_use]
    pub const fn with(self, sl: Sl) -> Self {
        Self(self.0 | Self::one(sl).0)
    }

    /// The SLs that are in this set or in the other.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The SLs, ascending.
    pub fn iter(self) -> impl Iterator<Item = Sl> {
        crate::paths::bits(u64::from(self.0)).map(|sl| Sl(sl as u8))
    }
}

/// The lanes in use, each with its place among them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct VlSet {
    vls: Vec<Vl>,
    /// The place of each VL; 255 for those that are not in use.
    places: [u8; 16],
}

impl VlSet {
    /// Those of a set of bits; 15 is none.
    pub(super) fn new(used: u16) -> Self {
        let vls: Vec<Vl> = (0..15).filter(|vl| used >> vl & 1 == 1).map(Vl).collect();
        let mut places = [u8::MAX; 16];
        for (place, vl) in vls.iter().enumerate() {
            places[usize::from(vl.0)] = place as u8;
        }
        Self { vls, places }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.vls.len()
    }

    /// As a set of bits.
    pub(super) fn bits(&self) -> u16 {
        self.vls.iter().fold(0, |all, vl| all | 1 << vl.0)
    }

    /// Ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = Vl> + '_ {
        self.vls.iter().copied()
    }

    /// The VL at a place.
    pub(super) fn vl(&self, place: usize) -> Vl {
        self.vls[place]
    }

    /// The place of a VL that is in use.
    pub(super) fn place(&self, vl: Vl) -> Option<usize> {
        let place = self.places[usize::from(vl.0 & 15)];
        (place != u8::MAX).then_some(usize::from(place))
    }
}

/// Which SLs paths use.
pub trait PathSls: Sync {
    /// The SLs of packets from the end ports on a switch to a LID.
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet;

    /// The SLs of packets from the switch itself.
    fn own(&self, from: SwitchId, to: Lid) -> SlSet {
        self.sls(from, to)
    }

    /// The SLs of all paths together.
    fn all(&self) -> SlSet;

    /// Whether packets to both LIDs, which are on one switch, have the same SLs from everywhere;
    /// `false` where that is not known. The work of the proof is shared by those for which it is.
    fn alike(&self, _one: Lid, _other: Lid) -> bool {
        false
    }
}

/// The same SLs for all paths.
impl PathSls for SlSet {
    fn sls(&self, _: SwitchId, _: Lid) -> SlSet {
        *self
    }

    fn all(&self) -> SlSet {
        *self
    }

    fn alike(&self, _: Lid, _: Lid) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_holds_sixteen_lanes() {
        let map = LaneMap::new(|sl| Vl(15 - sl.0));
        for sl in 0..16 {
            assert_eq!(map.vl(Sl(sl)), Vl(15 - sl));
        }
        assert_eq!(OneLane.lanes(SwitchId(0), PortNum(1), PortNum(2)).vl(Sl(9)), Vl(0));
    }

    #[test]
    fn sets_list_their_sls() {
        let set = SlSet::one(Sl(15)).with(Sl(2));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Sl(2), Sl(15)]);
        assert_eq!(SlSet::ALL.iter().count(), 16);
    }
}
