//! What one port is meant to hold: a resolved set, cut to what the port can hold.
//!
//! Two cuts are made, both as OpenSM makes them. Lanes above OperVLs are not left out but folded
//! onto lower ones by a bit mask, so that two classes may end up on one lane. Arbitration
//! entries beyond the port's capacity are dropped. Both masks go by the OperVLs that will be in
//! force, not by those that the port has before it is set up.

use lk_wire::{SlToVlTable, Vl, VlArbEntry, VlArbTable, VlCode};

use crate::sets::{PortClass, QosSet, ResolvedSets};
use crate::strings::{ARB_ENTRIES, ArbList};

/// A port, as far as its tables for sending depend on it. Ports that are equal here are meant to
/// hold the same, so it can be the key of a cache.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EgressPort {
    /// What kind of port it is.
    pub class: PortClass,
    /// PortInfo:VLCap.
    pub vl_cap: VlCode,
    /// PortInfo:OperVLs as it will be once the port is set up.
    pub oper_vls: VlCode,
    /// PortInfo:VLArbitrationLowCap, entries; 0 is no table.
    pub vlarb_low_cap: u8,
    /// PortInfo:VLArbitrationHighCap, entries; 0 is no table.
    pub vlarb_high_cap: u8,
    /// Whether CapabilityMask says IsSLMappingSupported; for a switch the mask of its port 0.
    pub sl_mapping: bool,
}

/// One block of an arbitration table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VlArbBlock {
    /// The entries; zeros from `used` on.
    pub table: VlArbTable,
    /// How many entries of the block the port has, 1 to 32.
    pub used: u8,
}

impl VlArbBlock {
    /// Whether a port holds this already. What it shows beyond its own capacity does not count.
    #[must_use]
    pub fn is_held_as(&self, held: &VlArbTable) -> bool {
        let used = usize::from(self.used);
        self.table.iter().take(used).eq(held.iter().take(used))
    }
}

/// What a port is meant to hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PortTables {
    /// PortInfo:VLHighLimit.
    pub high_limit: u8,
    /// VLArbitrationTable blocks 1 to 4: low, low upper half, high, high upper half. `None`
    /// where the port has no such block.
    pub vlarb: [Option<VlArbBlock>; 4],
    /// SLtoVLMappingTable for packets that come in at an external port, or on adapters and
    /// routers for all; `None` where the device does not map SLs.
    pub sl2vl: Option<SlToVlTable>,
    /// On switch port 0: the table for packets that port 0 sends to itself, which is the only
    /// one that `qos_sw0_sl2vl` reaches. `None` on other ports and without SL mapping.
    pub sl2vl_port0_loopback: Option<SlToVlTable>,
}

impl PortTables {
    /// What the port is meant to hold.
    #[must_use]
    pub fn new(sets: &ResolvedSets, port: &EgressPort) -> Self {
        let set = sets.get(port.class);
        let own = port.sl_mapping.then(|| masked_sl2vl(&set.sl2vl, port.oper_vls));
        let (sl2vl, sl2vl_port0_loopback) = if port.class == PortClass::SwitchPort0 {
            let external = sets.get(PortClass::SwitchExternal);
            let from_outside = masked_sl2vl(&external.sl2vl, port.oper_vls);
            (port.sl_mapping.then_some(from_outside), own)
        } else {
            (own, None)
        };
        Self {
            high_limit: high_limit(set, port.vl_cap),
            vlarb: vlarb_blocks(set, port),
            sl2vl,
            sl2vl_port0_loopback,
        }
    }

    /// The SL2VL table for packets that come in at the switch's port `ingress`; adapters and
    /// routers have only 0.
    #[must_use]
    pub const fn sl2vl_from(&self, ingress: u8) -> Option<SlToVlTable> {
        match self.sl2vl_port0_loopback {
            Some(own) if ingress == 0 => Some(own),
            _ => self.sl2vl,
        }
    }

    /// Block 1 to 4 of the arbitration tables; `None` where the port has no such block.
    #[must_use]
    pub fn vlarb_block(&self, block: u8) -> Option<&VlArbBlock> {
        self.vlarb.get(usize::from(block).checked_sub(1)?)?.as_ref()
    }
}

/// The bits of a lane's number that a port with these OperVLs keeps: 0, 1, 3, 7 or 15. Code 0,
/// which only `max_op_vls 0` can bring about, and codes that the architecture does not define
/// keep all of them.
#[must_use]
pub const fn lane_mask(oper_vls: VlCode) -> u8 {
    if oper_vls.is_defined() { oper_vls.mask() } else { 15 }
}

/// The table as an egress port with these OperVLs is given it: VL 15 stays (packets of the SL
/// are dropped), other lanes are masked.
#[must_use]
pub fn masked_sl2vl(table: &SlToVlTable, oper_vls: VlCode) -> SlToVlTable {
    let mask = lane_mask(oper_vls);
    SlToVlTable::from_fn(|sl| match table.get(sl) {
        Vl::DROP => Vl::DROP,
        vl => Vl(vl.0 & mask),
    })
}

/// PortInfo:VLHighLimit: the set's, but 0 on a port whose VLCap is one data lane.
#[must_use]
pub const fn high_limit(set: &QosSet, vl_cap: VlCode) -> u8 {
    if has_one_lane(vl_cap) { 0 } else { set.high_limit }
}

/// Whether VLCap says that VL 0 is the only data lane, so that there is nothing to arbitrate.
const fn has_one_lane(vl_cap: VlCode) -> bool {
    vl_cap.0 == 1
}

/// The blocks of the arbitration tables, in the order of their numbers 1 to 4.
fn vlarb_blocks(set: &QosSet, port: &EgressPort) -> [Option<VlArbBlock>; 4] {
    if has_one_lane(port.vl_cap) {
        return [None; 4];
    }
    let mask = lane_mask(port.oper_vls);
    let [low, low_upper] = halves(&set.vlarb_low, port.vlarb_low_cap, mask);
    let [high, high_upper] = halves(&set.vlarb_high, port.vlarb_high_cap, mask);
    [low, low_upper, high, high_upper]
}

/// Both blocks of a list cut to `cap` entries. A capacity of 64 fills the upper block; OpenSM
/// takes 64 modulo 32 there and sends zeros.
fn halves(list: &ArbList, cap: u8, mask: u8) -> [Option<VlArbBlock>; 2] {
    let cap = usize::from(cap).min(ARB_ENTRIES);
    let block = |first: usize| {
        let used = cap.saturating_sub(first).min(VlArbTable::ENTRIES);
        let entries = list.0.iter().skip(first).take(used);
        let masked = entries.map(|e| VlArbEntry { vl: Vl(e.vl.0 & mask), weight: e.weight });
        (used > 0).then_some(VlArbBlock { table: masked.collect(), used: used as u8 })
    };
    [block(0), block(VlArbTable::ENTRIES)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lk_config::QosSets;
    use lk_wire::Sl;
    use proptest::prelude::*;

    const ADAPTER: EgressPort = EgressPort {
        class: PortClass::Ca,
        vl_cap: VlCode(4),
        oper_vls: VlCode(4),
        vlarb_low_cap: 8,
        vlarb_high_cap: 8,
        sl_mapping: true,
    };

    fn sets(sl2vl: &str, low: &str, high: &str, limit: i32) -> ResolvedSets {
        let mut sets = QosSets::default();
        sets.generic.sl2vl = Some(sl2vl.to_owned());
        sets.generic.vlarb_low = Some(low.to_owned());
        sets.generic.vlarb_high = Some(high.to_owned());
        sets.generic.high_limit = limit;
        ResolvedSets::new(&sets)
    }

    fn sl2vl_bytes(tables: &PortTables) -> [u8; 8] {
        tables.sl2vl.expect("the port maps SLs").0
    }

    /// What opensm 3.3.23 writes to a port of ibsim: 8 lanes, 8 entries.
    #[test]
    fn defaults_on_eight_lanes_and_eight_entries() {
        let tables = PortTables::new(&ResolvedSets::new(&QosSets::default()), &ADAPTER);
        assert_eq!(sl2vl_bytes(&tables), [0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67]);
        let low = tables.vlarb_block(1).unwrap();
        assert_eq!(low.used, 8);
        assert_eq!(low.table.0[..16], [0, 0, 1, 4, 2, 4, 3, 4, 4, 4, 5, 4, 6, 4, 7, 4]);
        assert_eq!(low.table.0[16..], [0; 48]);
        let high = tables.vlarb_block(3).unwrap();
        assert_eq!(high.table.0[..16], [0, 4, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0]);
        assert_eq!((tables.vlarb_block(2), tables.vlarb_block(4)), (None, None));
        assert_eq!((tables.vlarb_block(0), tables.vlarb_block(5)), (None, None));
        assert_eq!(tables.high_limit, 0);
    }

    #[test]
    fn the_default_folds_weight_onto_lane_0_where_the_table_is_long_enough() {
        let port = EgressPort { vlarb_low_cap: 15, ..ADAPTER };
        let tables = PortTables::new(&ResolvedSets::new(&QosSets::default()), &port);
        assert_eq!(tables.vlarb_block(1).unwrap().table.0[16..20], [0, 4, 1, 4]);
    }

    #[test]
    fn sl2vl_masks_by_oper_vls_and_keeps_drop() {
        let sets = sets("14,15,9,3", "", "", 0);
        for (code, wanted) in
            [(0, 0xEF93), (1, 0x0F00), (2, 0x0F11), (3, 0x2F13), (4, 0x6F13), (5, 0xEF93)]
        {
            let port = EgressPort { oper_vls: VlCode(code), ..ADAPTER };
            let tables = PortTables::new(&sets, &port);
            let bytes = sl2vl_bytes(&tables);
            assert_eq!(u16::from_be_bytes([bytes[0], bytes[1]]), wanted, "OperVLs {code}");
        }
    }

    #[test]
    fn arbitration_lanes_are_masked_too() {
        let sets = sets("", "14:1,9:2,16:3,15:5", "7:1", 0);
        for (code, wanted) in [
            (0, [14, 1, 9, 2, 1, 3, 0, 5]),
            (1, [0, 1, 0, 2, 0, 3, 0, 5]),
            (3, [2, 1, 1, 2, 1, 3, 0, 5]),
            (5, [14, 1, 9, 2, 1, 3, 0, 5]),
        ] {
            let port = EgressPort { oper_vls: VlCode(code), vl_cap: VlCode(5), ..ADAPTER };
            let tables = PortTables::new(&sets, &port);
            assert_eq!(tables.vlarb_block(1).unwrap().table.0[..8], wanted, "OperVLs {code}");
        }
    }

    #[test]
    fn blocks_by_capacity() {
        let list: String = (0..64).map(|n| format!("{}:{},", n % 15, n + 1)).collect();
        let sets = sets("", &list, &list, 0);
        let used = |low: u8, high: u8| {
            let port = EgressPort { vlarb_low_cap: low, vlarb_high_cap: high, ..ADAPTER };
            PortTables::new(&sets, &port).vlarb.map(|b| b.map_or(0, |b| b.used))
        };
        assert_eq!(used(0, 0), [0, 0, 0, 0]);
        assert_eq!(used(1, 31), [1, 0, 31, 0]);
        assert_eq!(used(32, 33), [32, 0, 32, 1]);
        assert_eq!(used(63, 64), [32, 31, 32, 32]);
        assert_eq!(used(255, 65), [32, 32, 32, 32]);
    }

    /// OpenSM computes 64 modulo 32 and leaves the second half empty.
    #[test]
    fn a_capacity_of_64_fills_both_halves() {
        let list: String = (0..64).map(|n| format!("{}:{},", n % 8, n + 1)).collect();
        let port = EgressPort { vlarb_low_cap: 64, ..ADAPTER };
        let tables = PortTables::new(&sets("", &list, "", 0), &port);
        let upper = tables.vlarb_block(2).unwrap();
        assert_eq!(upper.table.0[..4], [0, 33, 1, 34]);
        assert_eq!(upper.table.0[60..], [6, 63, 7, 64]);
    }

    #[test]
    fn one_data_lane_means_no_arbitration_and_no_limit() {
        let sets = sets("0,1,2,3", "0:1", "0:1", 99);
        let port = EgressPort { vl_cap: VlCode(1), oper_vls: VlCode(1), ..ADAPTER };
        let tables = PortTables::new(&sets, &port);
        assert_eq!((tables.high_limit, tables.vlarb), (0, [None; 4]));
        assert_eq!(sl2vl_bytes(&tables), [0; 8]);
        // It is VLCap that counts, not OperVLs.
        let port = EgressPort { oper_vls: VlCode(1), ..ADAPTER };
        let tables = PortTables::new(&sets, &port);
        assert_eq!(tables.high_limit, 99);
        assert!(tables.vlarb_block(1).is_some());
    }

    #[test]
    fn without_sl_mapping_only_arbitration_is_left() {
        let port = EgressPort { sl_mapping: false, class: PortClass::SwitchPort0, ..ADAPTER };
        let tables = PortTables::new(&sets("1", "1:1", "1:1", 3), &port);
        assert_eq!((tables.sl2vl, tables.sl2vl_port0_loopback), (None, None));
        assert_eq!((tables.sl2vl_from(0), tables.sl2vl_from(1)), (None, None));
        assert!(tables.vlarb_block(1).is_some());
    }

    #[test]
    fn traffic_from_the_fabric_to_port_0_goes_by_the_external_ports_set() {
        let mut options = QosSets::default();
        options.sw0.sl2vl = Some("1".to_owned());
        options.swe.sl2vl = Some("2".to_owned());
        options.sw0.vlarb_low = Some("3:3".to_owned());
        let port = EgressPort { class: PortClass::SwitchPort0, ..ADAPTER };
        let tables = PortTables::new(&ResolvedSets::new(&options), &port);
        let first_lane = |ingress| tables.sl2vl_from(ingress).map(|t| t.get(Sl(0)));
        assert_eq!((first_lane(0), first_lane(1)), (Some(Vl(1)), Some(Vl(2))));
        assert_eq!(tables.vlarb_block(1).unwrap().table.0[..2], [3, 3]);
    }

    #[test]
    fn what_lies_beyond_the_capacity_does_not_count_as_a_difference() {
        let tables = PortTables::new(&ResolvedSets::new(&QosSets::default()), &ADAPTER);
        let block = tables.vlarb_block(1).unwrap();
        let mut held = block.table;
        assert!(block.is_held_as(&held));
        held.0[16] = 9;
        assert!(block.is_held_as(&held));
        held.0[15] = 9;
        assert!(!block.is_held_as(&held));
    }

    proptest! {
        /// Every entry of a block is the list's entry at that place with its lane masked, and
        /// zeros follow.
        #[test]
        fn equals_the_naive_cut(
            low in "([0-9]{1,3}:[0-9]{1,3},){0,70}", cap: u8, code in 0u8..16,
        ) {
            let resolved = sets("", &low, "", 0);
            let port = EgressPort { vlarb_low_cap: cap, oper_vls: VlCode(code), ..ADAPTER };
            let tables = PortTables::new(&resolved, &port);
            let list = resolved.get(PortClass::Ca).vlarb_low.0;
            let lanes = [16, 1, 2, 4, 8].get(usize::from(code)).copied().unwrap_or(16);
            for place in 0..64 {
                let block = tables.vlarb[place / 32];
                let bytes = block.map_or([0; 64], |b| b.table.0);
                let got = (bytes[2 * (place % 32)], bytes[2 * (place % 32) + 1]);
                let wanted = (list[place].vl.0 % lanes, list[place].weight);
                let inside = place < usize::from(cap);
                prop_assert_eq!(got, if inside { wanted } else { (0, 0) });
            }
        }

        #[test]
        fn no_lane_above_oper_vls(text in "[0-9, x]{0,60}", code in 1u8..=5) {
            let port = EgressPort { oper_vls: VlCode(code), ..ADAPTER };
            let table = PortTables::new(&sets(&text, "", "", 0), &port).sl2vl.unwrap();
            let lanes = [1, 2, 4, 8, 15][usize::from(code) - 1];
            prop_assert!((0..16).map(|sl| table.get(Sl(sl)).0).all(|vl| vl < lanes || vl == 15));
        }
    }
}
