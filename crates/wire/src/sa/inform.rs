//! InformInfo and InformInfoRecord: who wants to hear of what.

use super::record::{components, gids, record};
use crate::field::attribute;

attribute! {
    /// InformInfo (IBA 13.4.8.3).
    InformInfo: 36 bytes {
        0, 128, from;
        128, 16, lid_begin / set_lid_begin: u16, "LIDRangeBegin",
            "First LID to hear of; 0xFFFF: all of them.";
        144, 16, lid_end / set_lid_end: u16, "LIDRangeEnd", "Last LID to hear of.";
        160, 16, reserved_160;
        176, 8, is_generic / set_is_generic: u8, "IsGeneric",
            "1 for traps of the architecture, 0 for a vendor's.";
        184, 8, subscribe / set_subscribe: u8, "Subscribe", "1 to hear of it, 0 no longer.";
        192, 16, trap_type / set_trap_type: u16, "Type", "Severity; 0xFFFF: any.";
        208, 16, trap_number / set_trap_number: u16, "TrapNumber",
            "The trap, or the vendor's device identifier; 0xFFFF: any.";
        224, 24, qpn / set_qpn: u32, "QPN", "Queue pair that the reports go to.";
        248, 3, reserved_248;
        251, 5, resp_time / set_resp_time: u8, "RespTimeValue",
            "Exponent of the time that the subscriber takes to answer a report.";
        256, 8, reserved_256;
        264, 24, producer_type / set_producer_type: u32, "ProducerType",
            "Kind of node that tells of it, or the vendor identifier; 0xFFFFFF: any.";
    }
}

attribute! {
    /// InformInfoRecord (IBA 15.2.5.12).
    InformInfoRecord: 60 bytes {
        0, 128, subscriber;
        128, 16, enumeration / set_enumeration: u16, "Enum",
            "Number of the subscription among those of its subscriber.";
        144, 48, reserved_144;
        192, 128, from;
        320, 16, lid_begin / set_lid_begin: u16, "LIDRangeBegin",
            "First LID to hear of; 0xFFFF: all of them.";
        336, 16, lid_end / set_lid_end: u16, "LIDRangeEnd", "Last LID to hear of.";
        352, 16, reserved_352;
        368, 8, is_generic / set_is_generic: u8, "IsGeneric",
            "1 for traps of the architecture, 0 for a vendor's.";
        376, 8, subscribe / set_subscribe: u8, "Subscribe", "1.";
        384, 16, trap_type / set_trap_type: u16, "Type", "Severity; 0xFFFF: any.";
        400, 16, trap_number / set_trap_number: u16, "TrapNumber",
            "The trap, or the vendor's device identifier; 0xFFFF: any.";
        416, 24, qpn / set_qpn: u32, "QPN", "Queue pair that the reports go to.";
        440, 3, reserved_440;
        443, 5, resp_time / set_resp_time: u8, "RespTimeValue",
            "Exponent of the time that the subscriber takes to answer a report.";
        448, 8, reserved_448;
        456, 24, producer_type / set_producer_type: u32, "ProducerType",
            "Kind of node that tells of it, or the vendor identifier; 0xFFFFFF: any.";
    }
}

record! {
    InformInfo: crate::attr::INFORM_INFO;
    InformInfoRecord: crate::sa::sa_attr::INFORM_INFO_RECORD;
}

gids! {
    InformInfo {
        0, gid / set_gid, "The port to hear of; zero: the range of LIDs counts.";
    }
}

gids! {
    InformInfoRecord {
        0, subscriber_gid / set_subscriber_gid, "Who has subscribed.";
        192, gid / set_gid, "The port to hear of; zero: the range of LIDs counts.";
    }
}

components! {
    /// Components of [`super::InformInfoRecord`].
    inform_mask {
        SUBSCRIBER_GID = 0, 0, 128;
        ENUM = 1, 128, 16;
    }
}

impl InformInfoRecord {
    /// The subscription in it.
    #[must_use]
    pub fn info(&self) -> InformInfo {
        let mut info = InformInfo::default();
        info.0.copy_from_slice(&self.0[24..]);
        info
    }

    /// Sets [`Self::info`].
    pub fn set_info(&mut self, info: &InformInfo) {
        self.0[24..].copy_from_slice(&info.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_have_the_same_fields() {
        let fields = |all: &[crate::Field], skip: usize| -> Vec<_> {
            let numbers = all.iter().filter(|f| f.is_number() && f.offset >= skip);
            numbers.map(|f| (f.name, f.offset - skip, f.length)).collect()
        };
        assert_eq!(fields(InformInfo::FIELDS, 0), fields(InformInfoRecord::FIELDS, 192));
        let mut info = InformInfo::default();
        info.set_qpn(0x12_3456);
        info.set_producer_type(0xFF_FFFF);
        let mut record = InformInfoRecord::default();
        record.set_info(&info);
        assert_eq!((record.qpn(), record.producer_type()), (0x12_3456, 0xFF_FFFF));
        assert_eq!(record.info(), info);
    }
}
