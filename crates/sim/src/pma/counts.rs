//! What a port counts, and all ports' counts.

use lk_fabric::PortId;
use lk_wire::perf::{PortCounters, PortCountersExtended};

/// The counters of one port. Those of PortCounters and those of PortCountersExtended are put back
/// apart, so both are kept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    basic: PortCounters,
    extended: PortCountersExtended,
    pub(crate) xmit_data_sl: [u32; 16],
    pub(crate) rcv_data_sl: [u32; 16],
}

/// A counter's getter and setter in an attribute.
macro_rules! counter {
    ($name:ident, $set:ident) => {
        (|c| u64::from(c.$name()), |c, value| c.$set(value.try_into().unwrap_or(!0)))
    };
}

type Counter<T> = (fn(&T) -> u64, fn(&mut T, u64));

/// The counters of PortCounters in the order of the bits of CounterSelect, and those of
/// CounterSelect2 after them.
static BASIC: [Counter<PortCounters>; 18] = [
    counter!(symbol_errors, set_symbol_errors),
    counter!(link_recovers, set_link_recovers),
    counter!(link_downed, set_link_downed),
    counter!(rcv_errors, set_rcv_errors),
    counter!(remote_errors, set_remote_errors),
    counter!(relay_errors, set_relay_errors),
    counter!(xmit_discards, set_xmit_discards),
    counter!(xmit_constraint, set_xmit_constraint),
    counter!(rcv_constraint, set_rcv_constraint),
    // Four bits wide: larger sums stay at 15.
    (|c| c.local_integrity().into(), |c, value| c.set_local_integrity(value.min(15) as u8)),
    (|c| c.buffer_overruns().into(), |c, value| c.set_buffer_overruns(value.min(15) as u8)),
    counter!(vl15_dropped, set_vl15_dropped),
    counter!(xmit_data, set_xmit_data),
    counter!(rcv_data, set_rcv_data),
    counter!(xmit_pkts, set_xmit_pkts),
    counter!(rcv_pkts, set_rcv_pkts),
    counter!(xmit_wait, set_xmit_wait),
    counter!(qp1_dropped, set_qp1_dropped),
];

/// The counters of PortCountersExtended in the order of the bits of CounterSelect.
static EXTENDED: [Counter<PortCountersExtended>; 8] = [
    (PortCountersExtended::xmit_data, PortCountersExtended::set_xmit_data),
    (PortCountersExtended::rcv_data, PortCountersExtended::set_rcv_data),
    (PortCountersExtended::xmit_pkts, PortCountersExtended::set_xmit_pkts),
    (PortCountersExtended::rcv_pkts, PortCountersExtended::set_rcv_pkts),
    (PortCountersExtended::unicast_xmit_pkts, PortCountersExtended::set_unicast_xmit_pkts),
    (PortCountersExtended::unicast_rcv_pkts, PortCountersExtended::set_unicast_rcv_pkts),
    (PortCountersExtended::multicast_xmit_pkts, PortCountersExtended::set_multicast_xmit_pkts),
    (PortCountersExtended::multicast_rcv_pkts, PortCountersExtended::set_multicast_rcv_pkts),
];

impl Counts {
    /// A unicast packet of `words` times four bytes has gone out on a service level.
    pub(crate) fn sent(&mut self, words: u32, sl: u8) {
        self.basic.set_xmit_data(self.basic.xmit_data().saturating_add(words));
        self.basic.set_xmit_pkts(self.basic.xmit_pkts().saturating_add(1));
        let x = &mut self.extended;
        x.set_xmit_data(x.xmit_data().wrapping_add(words.into()));
        x.set_xmit_pkts(x.xmit_pkts().wrapping_add(1));
        x.set_unicast_xmit_pkts(x.unicast_xmit_pkts().wrapping_add(1));
        let by_sl = &mut self.xmit_data_sl[usize::from(sl & 15)];
        *by_sl = by_sl.saturating_add(words);
    }

    /// A unicast packet has come in.
    pub(crate) fn received(&mut self, words: u32, sl: u8) {
        self.basic.set_rcv_data(self.basic.rcv_data().saturating_add(words));
        self.basic.set_rcv_pkts(self.basic.rcv_pkts().saturating_add(1));
        let x = &mut self.extended;
        x.set_rcv_data(x.rcv_data().wrapping_add(words.into()));
        x.set_rcv_pkts(x.rcv_pkts().wrapping_add(1));
        x.set_unicast_rcv_pkts(x.unicast_rcv_pkts().wrapping_add(1));
        let by_sl = &mut self.rcv_data_sl[usize::from(sl & 15)];
        *by_sl = by_sl.saturating_add(words);
    }

    /// A packet was dropped that should have gone out here.
    pub(crate) fn discarded(&mut self) {
        self.basic.set_xmit_discards(self.basic.xmit_discards().saturating_add(1));
    }

    /// A packet came in here that the switch has no way for.
    pub(crate) fn not_relayed(&mut self) {
        self.basic.set_relay_errors(self.basic.relay_errors().saturating_add(1));
    }

    /// The link went down.
    pub(crate) fn went_down(&mut self) {
        self.basic.set_link_downed(self.basic.link_downed().saturating_add(1));
    }

    /// A datagram was dropped at QP1.
    pub(crate) fn dropped_at_qp1(&mut self) {
        self.basic.set_qp1_dropped(self.basic.qp1_dropped().saturating_add(1));
    }

    /// Adds the counters of another port; each stays at its largest value.
    pub(crate) fn add(&mut self, other: &Self) {
        for (get, set) in &BASIC {
            let sum = get(&self.basic).saturating_add(get(&other.basic));
            set(&mut self.basic, sum);
        }
        for (get, set) in &EXTENDED {
            let sum = get(&self.extended).saturating_add(get(&other.extended));
            set(&mut self.extended, sum);
        }
        let by_sl = self.xmit_data_sl.iter_mut().zip(other.xmit_data_sl);
        for (sum, more) in by_sl.chain(self.rcv_data_sl.iter_mut().zip(other.rcv_data_sl)) {
            *sum = sum.saturating_add(more);
        }
    }

    /// PortCounters as it is answered.
    pub(crate) fn shown(mut self, select: u8) -> PortCounters {
        self.basic.set_port_select(select);
        self.basic
    }

    /// PortCountersExtended as it is answered.
    pub(crate) fn shown_extended(mut self, select: u8) -> PortCountersExtended {
        self.extended.set_port_select(select);
        self.extended
    }

    /// A Set of PortCounters: those that are selected take the value that is given.
    pub(crate) fn write(&mut self, wanted: &PortCounters) {
        let selected =
            u32::from(wanted.counter_select()) | u32::from(wanted.counter_select2()) << 16;
        for (bit, (get, set)) in BASIC.iter().enumerate() {
            if selected >> bit & 1 == 1 {
                set(&mut self.basic, get(wanted));
            }
        }
    }

    /// A Set of PortCountersExtended.
    pub(crate) fn write_extended(&mut self, wanted: &PortCountersExtended) {
        for (bit, (get, set)) in EXTENDED.iter().enumerate() {
            if wanted.counter_select() >> bit & 1 == 1 {
                set(&mut self.extended, get(wanted));
            }
        }
    }
}

/// The counters of all ports. A port that nothing has passed yet takes no memory but its place.
#[derive(Clone, Default, Debug)]
pub(crate) struct AllCounts(Vec<Option<Box<Counts>>>);

impl AllCounts {
    /// The counters of a port, if it has counted anything.
    pub(crate) fn of(&self, port: PortId) -> Option<&Counts> {
        self.0.get(port.index())?.as_deref()
    }

    /// The counters of a port, to count.
    pub(crate) fn of_mut(&mut self, port: PortId) -> &mut Counts {
        if self.0.len() <= port.index() {
            self.0.resize_with(port.index() + 1, || None);
        }
        self.0[port.index()].get_or_insert_default()
    }

    /// Forgets what a port has counted: its node was switched off.
    pub(crate) fn forget(&mut self, port: PortId) {
        if let Some(counts) = self.0.get_mut(port.index()) {
            *counts = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_writes_what_is_selected_and_nothing_else() {
        let mut counts = Counts::default();
        for _ in 0..3 {
            counts.sent(72, 5);
            counts.received(72, 5);
            counts.discarded();
        }
        let mut reset = PortCounters::default();
        reset.set_counter_select(1 << 12 | 1 << 6);
        counts.write(&reset);
        let shown = counts.clone().shown(1);
        assert_eq!((shown.xmit_data(), shown.xmit_discards()), (0, 0));
        assert_eq!((shown.rcv_data(), shown.xmit_pkts(), shown.rcv_pkts()), (216, 3, 3));
        let extended = counts.shown_extended(1);
        assert_eq!((extended.xmit_data(), extended.unicast_rcv_pkts()), (216, 3));
    }

    #[test]
    fn counters_stay_at_their_largest_value() {
        let mut counts = Counts::default();
        let mut full = PortCounters([0xFF; 44]);
        full.set_counter_select(0xFFFF);
        counts.write(&full);
        counts.sent(72, 0);
        counts.discarded();
        counts.went_down();
        let twice = counts.clone();
        counts.add(&twice);
        let shown = counts.shown(0);
        assert_eq!((shown.xmit_data(), shown.xmit_discards()), (u32::MAX, u16::MAX));
        assert_eq!((shown.link_downed(), shown.local_integrity()), (u8::MAX, 15));
    }
}
