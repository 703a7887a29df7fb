//! MultiPathRecord.

use super::record::{components, record};
use crate::Gid;
use crate::field::attribute;

attribute! {
    /// MultiPathRecord (IBA 15.2.5.20) without its GIDs, which follow: first those of the
    /// sources, then those of the destinations, see [`Self::gids`].
    MultiPathRecord: 24 bytes {
        0, 1, raw_traffic / set_raw_traffic: u8, "RawTraffic", "1: for raw packets.";
        1, 3, reserved_1;
        4, 20, flow_label / set_flow_label: u32, "FlowLabel", "Flow label of the GRH.";
        24, 8, hop_limit / set_hop_limit: u8, "HopLimit", "Hop limit of the GRH.";
        32, 8, tclass / set_tclass: u8, "TClass", "Traffic class of the GRH.";
        40, 1, reversible / set_reversible: u8, "Reversible", "1: the way back is the same.";
        41, 7, numb_path / set_numb_path: u8, "NumbPath",
            "The most paths that are wanted of each pair.";
        48, 16, pkey / set_pkey: u16, "P_Key", "Partition of the paths.";
        64, 12, qos_class / set_qos_class: u16, "QoSClass", "Class that the client asks for.";
        76, 4, sl / set_sl: u8, "SL", "Service level.";
        80, 2, mtu_selector / set_mtu_selector: u8, "MtuSelector", "See [`super::Selector`].";
        82, 6, mtu / set_mtu: u8, "Mtu", "Code of the MTU.";
        88, 2, rate_selector / set_rate_selector: u8, "RateSelector", "See [`super::Selector`].";
        90, 6, rate / set_rate: u8, "Rate", "Code of the rate.";
        96, 2, life_selector / set_life_selector: u8, "PacketLifeTimeSelector",
            "See [`super::Selector`].";
        98, 6, life / set_life: u8, "PacketLifeTime", "Exponent of the packet's life time.";
        104, 8, service_id_msb / set_service_id_msb: u8, "ServiceIDMsb",
            "The highest 8 bits of the service that asks.";
        112, 2, independence / set_independence: u8, "IndependenceSelector",
            "1: the paths are to share as little as they can.";
        114, 6, reserved_114;
        120, 8, sgid_count / set_sgid_count: u8, "SGIDCount", "How many sources.";
        128, 8, dgid_count / set_dgid_count: u8, "DGIDCount", "How many destinations.";
        136, 56, service_id_lsb / set_service_id_lsb: u64, "ServiceIDLsb",
            "The lower 56 bits of the service that asks.";
    }
}

record! {
    MultiPathRecord: crate::sa::sa_attr::MULTI_PATH_RECORD;
}

components! {
    /// Components of [`super::MultiPathRecord`].
    multi_path_mask {
        RAW_TRAFFIC = 0, 0, 1;
        FLOW_LABEL = 2, 4, 20;
        HOP_LIMIT = 3, 24, 8;
        TCLASS = 4, 32, 8;
        REVERSIBLE = 5, 40, 1;
        NUMB_PATH = 6, 41, 7;
        PKEY = 7, 48, 16;
        QOS_CLASS = 8, 64, 12;
        SL = 9, 76, 4;
        MTU_SELECTOR = 10, 80, 2;
        MTU = 11, 82, 6;
        RATE_SELECTOR = 12, 88, 2;
        RATE = 13, 90, 6;
        LIFE_SELECTOR = 14, 96, 2;
        LIFE = 15, 98, 6;
        SERVICE_ID_MSB = 16, 104, 8;
        INDEPENDENCE = 17, 112, 2;
        SGID_COUNT = 19, 120, 8;
        DGID_COUNT = 20, 128, 8;
        SERVICE_ID_LSB = 21, 136, 56;
    }
}

impl MultiPathRecord {
    /// The service that asks.
    #[must_use]
    pub const fn service_id(&self) -> u64 {
        (self.service_id_msb() as u64) << 56 | self.service_id_lsb()
    }

    /// Sets [`Self::service_id`].
    pub const fn set_service_id(&mut self, id: u64) {
        self.set_service_id_msb((id >> 56) as u8);
        self.set_service_id_lsb(id);
    }

    /// The GIDs behind the record in a message's data, of which the first
    /// [`Self::sgid_count`] are sources. Only those that are wholly there.
    pub fn gids(data: &[u8]) -> impl Iterator<Item = Gid> + '_ {
        let behind = data.get(Self::LEN..).unwrap_or_default();
        behind.chunks_exact(16).map(|gid| super::record::get_gid(gid, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_is_in_two_places() {
        let mut m = MultiPathRecord::default();
        m.set_service_id(0x0102_0304_0506_0708);
        assert_eq!(m.0[13..24], [1, 0, 0, 0, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(m.service_id(), 0x0102_0304_0506_0708);
    }

    #[test]
    fn half_a_gid_is_none() {
        let mut data = [0; 24 + 40];
        data[24 + 31] = 7;
        let gids: Vec<u64> = MultiPathRecord::gids(&data).map(|g| g.guid.0).collect();
        assert_eq!(gids, [0, 7]);
        assert_eq!(MultiPathRecord::gids(&data[..20]).count(), 0);
    }
}
