//! The option sets, resolved: which lists and which limit a class of ports is given.
//!
//! Each field of a set falls back by itself: the set of the class, then the generic `qos_` set,
//! then the built-in value. `qos_sw2sw_` (ports cabled from switch to switch), which upstream
//! OpenSM does not have, falls back to `qos_swe_` first; where none of its options is set, those
//! ports get what OpenSM gives them. A text that is set but empty is not unset: it asks for a
//! table of zeros.

use lk_config::{QosSetName, QosSetStrings, QosSets};
use lk_wire::SlToVlTable;

use crate::strings::{ArbList, read_sl2vl, read_vlarb};

/// `sl2vl` where no option is set: each SL on the lane of its number, SL 15 on VL 7.
pub const DEFAULT_SL2VL: &str = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7";
/// `vlarb_high` where no option is set: VL 0 has the high-priority table to itself.
pub const DEFAULT_VLARB_HIGH: &str =
    "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0";
/// `vlarb_low` where no option is set: all lanes but VL 0 with equal weight.
pub const DEFAULT_VLARB_LOW: &str =
    "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4";
/// `high_limit` where no option is set: one packet of high priority, then a low one's turn.
pub const DEFAULT_HIGH_LIMIT: u8 = 0;

/// What decides the set of a port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PortClass {
    /// A port of a channel adapter: `qos_ca_`.
    Ca,
    /// A port of a router: `qos_rtr_`.
    Router,
    /// An enhanced switch port 0: `qos_sw0_`. A base port 0 has no tables.
    SwitchPort0,
    /// An external port of a switch, cabled to an adapter or a router: `qos_swe_`.
    SwitchExternal,
    /// An external port of a switch, cabled to a switch: `qos_sw2sw_`.
    SwitchToSwitch,
}

impl PortClass {
    /// All classes.
    pub const ALL: [Self; 5] =
        [Self::Ca, Self::Router, Self::SwitchPort0, Self::SwitchExternal, Self::SwitchToSwitch];

    /// The sets that are asked for a field, in this order, before the built-in value.
    #[must_use]
    pub const fn sets(self) -> &'static [QosSetName] {
        use QosSetName::{Ca, Generic, Rtr, Sw0, Sw2sw, Swe};
        match self {
            Self::Ca => &[Ca, Generic],
            Self::Router => &[Rtr, Generic],
            Self::SwitchPort0 => &[Sw0, Generic],
            Self::SwitchExternal => &[Swe, Generic],
            Self::SwitchToSwitch => &[Sw2sw, Swe, Generic],
        }
    }
}

/// Where each field of a [`QosSet`] comes from; `None` is the built-in value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FieldOrigins {
    /// Of `high_limit`.
    pub high_limit: Option<QosSetName>,
    /// Of `vlarb_high`.
    pub vlarb_high: Option<QosSetName>,
    /// Of `vlarb_low`.
    pub vlarb_low: Option<QosSetName>,
    /// Of `sl2vl`.
    pub sl2vl: Option<QosSetName>,
}

/// A set with nothing left open, not yet cut to a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct QosSet {
    /// PortInfo:VLHighLimit, in units of 4 KiB; 0 is one packet, 255 no limit (IBA 7.6.9.2).
    pub high_limit: u8,
    /// The high-priority arbitration list.
    pub vlarb_high: ArbList,
    /// The low-priority arbitration list.
    pub vlarb_low: ArbList,
    /// The lane of each SL; VL 15 means that its packets are dropped.
    pub sl2vl: SlToVlTable,
    /// Where the fields come from.
    pub origins: FieldOrigins,
}

impl QosSet {
    /// The set of a class of ports.
    #[must_use]
    pub fn resolve(sets: &QosSets, class: PortClass) -> Self {
        let chain = class.sets();
        let text = |field: fn(&QosSetStrings) -> Option<&str>, built_in: &'static str| {
            first(sets, chain, field).map_or((None, built_in), |(name, text)| (Some(name), text))
        };
        // Out of 0 to 255 is unset, as after OpenSM's verification of its options.
        let limit = |set: &QosSetStrings| u8::try_from(set.high_limit).ok();
        let (limit_from, high_limit) = first(sets, chain, limit)
            .map_or((None, DEFAULT_HIGH_LIMIT), |(name, limit)| (Some(name), limit));
        let (high_from, high) = text(|s| s.vlarb_high.as_deref(), DEFAULT_VLARB_HIGH);
        let (low_from, low) = text(|s| s.vlarb_low.as_deref(), DEFAULT_VLARB_LOW);
        let (sl2vl_from, sl2vl) = text(|s| s.sl2vl.as_deref(), DEFAULT_SL2VL);
        Self {
            high_limit,
            vlarb_high: read_vlarb(high),
            vlarb_low: read_vlarb(low),
            sl2vl: read_sl2vl(sl2vl),
            origins: FieldOrigins {
                high_limit: limit_from,
                vlarb_high: high_from,
                vlarb_low: low_from,
                sl2vl: sl2vl_from,
            },
        }
    }
}

/// The first set of the chain in which a field is set, and its value.
fn first<'a, T>(
    sets: &'a QosSets,
    chain: &[QosSetName],
    field: impl Fn(&'a QosSetStrings) -> Option<T>,
) -> Option<(QosSetName, T)> {
    chain.iter().find_map(|name| field(sets.get(*name)).map(|value| (*name, value)))
}

/// The sets of all classes, resolved once for a sweep.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ResolvedSets {
    ca: QosSet,
    router: QosSet,
    switch_port0: QosSet,
    switch_external: QosSet,
    switch_to_switch: QosSet,
}

impl ResolvedSets {
    /// Resolves the options' sets.
    #[must_use]
    pub fn new(sets: &QosSets) -> Self {
        let set = |class| QosSet::resolve(sets, class);
        Self {
            ca: set(PortClass::Ca),
            router: set(PortClass::Router),
            switch_port0: set(PortClass::SwitchPort0),
            switch_external: set(PortClass::SwitchExternal),
            switch_to_switch: set(PortClass::SwitchToSwitch),
        }
    }

    /// The set of a class.
    #[must_use]
    pub const fn get(&self, class: PortClass) -> &QosSet {
        match class {
            PortClass::Ca => &self.ca,
            PortClass::Router => &self.router,
            PortClass::SwitchPort0 => &self.switch_port0,
            PortClass::SwitchExternal => &self.switch_external,
            PortClass::SwitchToSwitch => &self.switch_to_switch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lk_wire::{Sl, Vl, VlArbEntry};
    use proptest::prelude::*;

    fn text(s: &str) -> Option<String> {
        Some(s.to_owned())
    }

    #[test]
    fn built_in_values() {
        let all = ResolvedSets::new(&QosSets::default());
        for class in PortClass::ALL {
            let set = all.get(class);
            assert_eq!(set.high_limit, 0);
            for vl in 0..15u8 {
                let high = VlArbEntry { vl: Vl(vl), weight: if vl == 0 { 4 } else { 0 } };
                let low = VlArbEntry { vl: Vl(vl), weight: if vl == 0 { 0 } else { 4 } };
                assert_eq!(set.vlarb_high.0[usize::from(vl)], high);
                assert_eq!(set.vlarb_low.0[usize::from(vl)], low);
                assert_eq!(set.sl2vl.get(Sl(vl)), Vl(vl));
            }
            assert_eq!(set.vlarb_high.0[15..], [VlArbEntry::default(); 49]);
            assert_eq!(set.vlarb_low.0[15..], [VlArbEntry::default(); 49]);
            assert_eq!(set.sl2vl.get(Sl(15)), Vl(7));
            assert_eq!(set.origins.sl2vl, None);
        }
    }

    #[test]
    fn each_field_falls_back_by_itself() {
        let mut sets = QosSets::default();
        sets.generic.high_limit = 9;
        sets.generic.sl2vl = text("1");
        sets.ca.vlarb_low = text("2:2");
        sets.ca.sl2vl = text("3");
        let all = ResolvedSets::new(&sets);
        let ca = all.get(PortClass::Ca);
        assert_eq!(ca.high_limit, 9);
        assert_eq!(ca.sl2vl.get(Sl(0)), Vl(3));
        assert_eq!(ca.vlarb_low.0[0], VlArbEntry { vl: Vl(2), weight: 2 });
        assert_eq!(ca.vlarb_high.0[0], VlArbEntry { vl: Vl(0), weight: 4 });
        assert_eq!(
            ca.origins,
            FieldOrigins {
                high_limit: Some(QosSetName::Generic),
                vlarb_high: None,
                vlarb_low: Some(QosSetName::Ca),
                sl2vl: Some(QosSetName::Ca),
            }
        );
        assert_eq!(all.get(PortClass::Router).sl2vl.get(Sl(0)), Vl(1));
    }

    #[test]
    fn an_empty_text_is_not_unset() {
        let mut sets = QosSets::default();
        sets.generic.sl2vl = text("5");
        sets.swe.sl2vl = text("");
        sets.swe.vlarb_low = text("");
        let all = ResolvedSets::new(&sets);
        let swe = all.get(PortClass::SwitchExternal);
        assert_eq!(swe.sl2vl, SlToVlTable::default());
        assert!(swe.vlarb_low.0.iter().all(|e| e.weight == 0));
        assert_eq!(swe.origins.vlarb_low, Some(QosSetName::Swe));
    }

    #[test]
    fn high_limit_0_is_set_and_values_out_of_range_are_not() {
        let mut sets = QosSets::default();
        sets.generic.high_limit = 7;
        for (limit, wanted) in [(0, 0), (255, 255), (256, 7), (-1, 7), (-5, 7), (i32::MAX, 7)] {
            sets.rtr.high_limit = limit;
            assert_eq!(ResolvedSets::new(&sets).get(PortClass::Router).high_limit, wanted);
        }
    }

    #[test]
    fn switch_to_switch_falls_back_to_external_first() {
        let mut sets = QosSets::default();
        sets.generic.sl2vl = text("1");
        sets.generic.high_limit = 1;
        sets.swe.sl2vl = text("2");
        sets.sw2sw.vlarb_high = text("3:3");
        let all = ResolvedSets::new(&sets);
        let between = all.get(PortClass::SwitchToSwitch);
        assert_eq!(between.sl2vl.get(Sl(0)), Vl(2));
        assert_eq!(between.high_limit, 1);
        assert_eq!(between.vlarb_high.0[0], VlArbEntry { vl: Vl(3), weight: 3 });
        assert_eq!(all.get(PortClass::SwitchExternal).vlarb_high.0[0].vl, Vl(0));
    }

    fn any_set() -> impl Strategy<Value = QosSetStrings> {
        let text = || proptest::option::of("[0-9:, ]{0,12}");
        (-2i32..300, text(), text(), text()).prop_map(|(high_limit, high, low, sl2vl)| {
            QosSetStrings { max_vls: 0, high_limit, vlarb_high: high, vlarb_low: low, sl2vl }
        })
    }

    /// The fallback written out field by field.
    fn naive_sl2vl(special: &QosSetStrings, generic: &QosSetStrings) -> SlToVlTable {
        match (&special.sl2vl, &generic.sl2vl) {
            (Some(own), _) => read_sl2vl(own),
            (None, Some(general)) => read_sl2vl(general),
            (None, None) => read_sl2vl(DEFAULT_SL2VL),
        }
    }

    proptest! {
        #[test]
        fn equals_the_naive_fallback(
            generic in any_set(), ca in any_set(), swe in any_set(), rtr in any_set(),
        ) {
            let sets = QosSets { generic, ca, swe, rtr, ..QosSets::default() };
            let all = ResolvedSets::new(&sets);
            for (class, own) in [
                (PortClass::Ca, &sets.ca),
                (PortClass::SwitchExternal, &sets.swe),
                (PortClass::Router, &sets.rtr),
            ] {
                prop_assert_eq!(all.get(class).sl2vl, naive_sl2vl(own, &sets.generic));
            }
            // Nothing is set for links between switches: they get what external ports get.
            prop_assert_eq!(
                all.get(PortClass::SwitchToSwitch),
                all.get(PortClass::SwitchExternal)
            );
        }
    }
}
