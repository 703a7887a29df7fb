//! PathRecord.

use super::record::{components, gids, record};
use crate::field::{attribute, named};

attribute! {
    /// PathRecord (IBA 15.2.5.16).
    PathRecord: 64 bytes {
        0, 64, service_id / set_service_id: u64, "ServiceID", "The service that asks.";
        64, 128, gid_to;
        192, 128, gid_from;
        320, 16, dlid / set_dlid: u16, "DLID", "Destination LID.";
        336, 16, slid / set_slid: u16, "SLID", "Source LID.";
        352, 1, raw_traffic / set_raw_traffic: u8, "RawTraffic", "1: for raw packets.";
        353, 3, reserved_353;
        356, 20, flow_label / set_flow_label: u32, "FlowLabel", "Flow label of the GRH.";
        376, 8, hop_limit / set_hop_limit: u8, "HopLimit", "Hop limit of the GRH.";
        384, 8, tclass / set_tclass: u8, "TClass", "Traffic class of the GRH.";
        392, 1, reversible / set_reversible: u8, "Reversible", "1: the way back is the same.";
        393, 7, numb_path / set_numb_path: u8, "NumbPath", "The most paths that are wanted.";
        400, 16, pkey / set_pkey: u16, "P_Key", "Partition of the path.";
        416, 12, qos_class / set_qos_class: u16, "QoSClass", "Class that the client asks for.";
        428, 4, sl / set_sl: u8, "SL", "Service level.";
        432, 2, mtu_selector / set_mtu_selector: u8, "MtuSelector", "See [`Selector`].";
        434, 6, mtu / set_mtu: u8, "Mtu", "Code of the MTU.";
        440, 2, rate_selector / set_rate_selector: u8, "RateSelector", "See [`Selector`].";
        442, 6, rate / set_rate: u8, "Rate", "Code of the rate.";
        448, 2, life_selector / set_life_selector: u8, "PacketLifeTimeSelector",
            "See [`Selector`].";
        450, 6, life / set_life: u8, "PacketLifeTime",
            "Exponent of the time that a packet may take: 4.096 us times a power of two.";
        456, 8, preference / set_preference: u8, "Preference", "0 is the best.";
        464, 48, reserved_464;
    }
}

record! {
    PathRecord: crate::sa::sa_attr::PATH_RECORD;
}

gids! {
    PathRecord {
        64, dgid / set_dgid, "Destination GID.";
        192, sgid / set_sgid, "Source GID.";
    }
}

components! {
    /// Components of [`super::PathRecord`].
    path_mask {
        SERVICE_ID_MSB = 0, 0, 32;
        SERVICE_ID_LSB = 1, 32, 32;
        DGID = 2, 64, 128;
        SGID = 3, 192, 128;
        DLID = 4, 320, 16;
        SLID = 5, 336, 16;
        RAW_TRAFFIC = 6, 352, 1;
        FLOW_LABEL = 8, 356, 20;
        HOP_LIMIT = 9, 376, 8;
        TCLASS = 10, 384, 8;
        REVERSIBLE = 11, 392, 1;
        NUMB_PATH = 12, 393, 7;
        PKEY = 13, 400, 16;
        QOS_CLASS = 14, 416, 12;
        SL = 15, 428, 4;
        MTU_SELECTOR = 16, 432, 2;
        MTU = 17, 434, 6;
        RATE_SELECTOR = 18, 440, 2;
        RATE = 19, 442, 6;
        LIFE_SELECTOR = 20, 448, 2;
        LIFE = 21, 450, 6;
    }
}

named! {
    /// How a value in a query is meant (IBA 15.2.5.16).
    Selector: u8 {
        GREATER = 0, "greater than", "More than that.";
        LESS = 1, "less than", "Less than that.";
        EXACTLY = 2, "exactly", "That and nothing else.";
        LARGEST = 3, "largest available", "The most that there is; the value does not count.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gid, Guid};

    #[test]
    fn a_path_record_as_saquery_prints_it() {
        let mut p = PathRecord::default();
        p.set_dgid(Gid { prefix: 0xfe80 << 48, guid: Guid(0x10_0003) });
        p.set_sgid(Gid { prefix: 0xfe80 << 48, guid: Guid(0x10_0001) });
        p.set_dlid(5);
        p.set_slid(1);
        p.set_reversible(1);
        p.set_pkey(0xffff);
        p.set_sl(3);
        p.set_mtu_selector(Selector::EXACTLY.0);
        p.set_mtu(4);
        p.set_rate_selector(Selector::EXACTLY.0);
        p.set_rate(3);
        p.set_life_selector(Selector::EXACTLY.0);
        p.set_life(18);
        assert_eq!(p.0[8..10], [0xfe, 0x80]);
        assert_eq!(p.0[37..44], [0x10, 0, 1, 0, 5, 0, 1]);
        assert_eq!(p.0[48..57], [0, 0x80, 0xff, 0xff, 0, 3, 0x84, 0x83, 0x92]);
        assert_eq!(p.dgid().guid, Guid(0x10_0003));
    }
}
