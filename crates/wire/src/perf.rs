//! What performance management carries (IBA 16.1): the counters of a port.
//!
//! The datagram is the common header, 40 reserved bytes and 192 bytes of data.

use crate::field::{attribute, get_bits, set_bits};

/// Attribute identifiers of performance management (IBA 16.1.3).
pub mod perf_attr {
    /// PortCounters.
    pub const PORT_COUNTERS: u16 = 0x12;
    /// PortCountersExtended.
    pub const PORT_COUNTERS_EXTENDED: u16 = 0x1D;
    /// PortXmitDataSL: data sent by service level.
    pub const PORT_XMIT_DATA_SL: u16 = 0x36;
    /// PortRcvDataSL: data received by service level.
    pub const PORT_RCV_DATA_SL: u16 = 0x37;
}

/// Bits of ClassPortInfo:CapabilityMask of performance management (IBA 16.1.3.1).
pub mod perf_cap {
    /// PortSelect 255 means all ports of the node.
    pub const ALL_PORT_SELECT: u16 = 0x100;
    /// PortCountersExtended is there.
    pub const EXTENDED: u16 = 0x200;
    /// PortXmitWait is there.
    pub const XMIT_WAIT: u16 = 0x1000;
}

/// Where the data starts in a datagram of performance management.
pub const PERF_DATA: usize = 64;

attribute! {
    /// PortCounters (IBA 16.1.3.5). Counters stay at their largest value.
    PortCounters: 44 bytes {
        0, 8, reserved_0;
        8, 8, port_select / set_port_select: u8, "PortSelect", "The port; 255 all ports.";
        16, 16, counter_select / set_counter_select: u16, "CounterSelect",
            "Which counters a Set writes, a bit each.";
        32, 16, symbol_errors / set_symbol_errors: u16, "SymbolErrorCounter",
            "Minor errors of the link.";
        48, 8, link_recovers / set_link_recovers: u8, "LinkErrorRecoveryCounter",
            "Times that the link has recovered.";
        56, 8, link_downed / set_link_downed: u8, "LinkDownedCounter",
            "Times that the link went down.";
        64, 16, rcv_errors / set_rcv_errors: u16, "PortRcvErrors", "Packets with an error.";
        80, 16, remote_errors / set_remote_errors: u16, "PortRcvRemotePhysicalErrors",
            "Packets marked bad by the far end.";
        96, 16, relay_errors / set_relay_errors: u16, "PortRcvSwitchRelayErrors",
            "Packets that the switch could not forward.";
        112, 16, xmit_discards / set_xmit_discards: u16, "PortXmitDiscards",
            "Packets that the port has dropped instead of sending.";
        128, 8, xmit_constraint / set_xmit_constraint: u8, "PortXmitConstraintErrors",
            "Packets kept back by partition enforcement.";
        136, 8, rcv_constraint / set_rcv_constraint: u8, "PortRcvConstraintErrors",
            "Received packets dropped by partition enforcement.";
        144, 8, counter_select2 / set_counter_select2: u8, "CounterSelect2",
            "Further counters that a Set writes.";
        152, 4, local_integrity / set_local_integrity: u8, "LocalLinkIntegrityErrors",
            "Times that the threshold of local errors was passed.";
        156, 4, buffer_overruns / set_buffer_overruns: u8, "ExcessiveBufferOverrunErrors",
            "Times that buffers overran for too long.";
        160, 16, qp1_dropped / set_qp1_dropped: u16, "QP1Dropped", "Datagrams dropped at QP1.";
        176, 16, vl15_dropped / set_vl15_dropped: u16, "VL15Dropped",
            "SMPs dropped for want of room.";
        192, 32, xmit_data / set_xmit_data: u32, "PortXmitData",
            "Data sent, in units of four bytes.";
        224, 32, rcv_data / set_rcv_data: u32, "PortRcvData",
            "Data received, in units of four bytes.";
        256, 32, xmit_pkts / set_xmit_pkts: u32, "PortXmitPkts", "Packets sent.";
        288, 32, rcv_pkts / set_rcv_pkts: u32, "PortRcvPkts", "Packets received.";
        320, 32, xmit_wait / set_xmit_wait: u32, "PortXmitWait",
            "Ticks in which there was data to send and none was sent.";
    }
}

attribute! {
    /// PortCountersExtended (IBA 16.1.4.11). Counters wrap.
    PortCountersExtended: 72 bytes {
        0, 8, reserved_0;
        8, 8, port_select / set_port_select: u8, "PortSelect", "The port; 255 all ports.";
        16, 16, counter_select / set_counter_select: u16, "CounterSelect",
            "Which counters a Set writes, a bit each, in their order.";
        32, 32, reserved_32;
        64, 64, xmit_data / set_xmit_data: u64, "PortXmitData",
            "Data sent, in units of four bytes.";
        128, 64, rcv_data / set_rcv_data: u64, "PortRcvData",
            "Data received, in units of four bytes.";
        192, 64, xmit_pkts / set_xmit_pkts: u64, "PortXmitPkts", "Packets sent.";
        256, 64, rcv_pkts / set_rcv_pkts: u64, "PortRcvPkts", "Packets received.";
        320, 64, unicast_xmit_pkts / set_unicast_xmit_pkts: u64, "PortUnicastXmitPkts",
            "Unicast packets sent.";
        384, 64, unicast_rcv_pkts / set_unicast_rcv_pkts: u64, "PortUnicastRcvPkts",
            "Unicast packets received.";
        448, 64, multicast_xmit_pkts / set_multicast_xmit_pkts: u64, "PortMulticastXmitPkts",
            "Multicast packets sent.";
        512, 64, multicast_rcv_pkts / set_multicast_rcv_pkts: u64, "PortMulticastRcvPkts",
            "Multicast packets received.";
    }
}

attribute! {
    /// PortXmitDataSL and PortRcvDataSL (IBA A13.6): a counter for each service level, in units
    /// of four bytes.
    PortDataSl: 68 bytes {
        0, 8, reserved_0;
        8, 8, port_select / set_port_select: u8, "PortSelect", "The port; 255 all ports.";
        16, 16, counter_select / set_counter_select: u16, "CounterSelect",
            "Which service levels a Set writes, a bit each.";
        32, 512, counters;
    }
}

impl PortDataSl {
    /// The counter of a service level, 0 to 15; 0 for others.
    #[must_use]
    pub fn counter(&self, sl: u8) -> u32 {
        get_bits(&self.0, 32 + 32 * usize::from(sl), 32) as u32
    }

    /// Sets [`Self::counter`]; service levels above 15 are ignored.
    pub fn set_counter(&mut self, sl: u8, value: u32) {
        if sl < 16 {
            set_bits(&mut self.0, 32 + 32 * usize::from(sl), 32, u64::from(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_by_service_level_do_not_touch_each_other() {
        let mut data = PortDataSl::default();
        data.set_port_select(7);
        for sl in 0..17 {
            data.set_counter(sl, 0x0101_0101 * u32::from(sl));
        }
        assert!((0..16).all(|sl| data.counter(sl) == 0x0101_0101 * u32::from(sl)));
        assert_eq!((data.port_select(), data.counter(16)), (7, 0));
        assert_eq!(data.0[64..], [15; 4]);
    }
}
