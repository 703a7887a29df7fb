//! MCMemberRecord.

use super::record::{components, gids, record};
use crate::field::attribute;

attribute! {
    /// MCMemberRecord (IBA 15.2.5.17).
    MCMemberRecord: 52 bytes {
        0, 128, group;
        128, 128, member;
        256, 32, qkey / set_qkey: u32, "Q_Key", "Q_Key of the group.";
        288, 16, mlid / set_mlid: u16, "MLID", "LID of the group.";
        304, 2, mtu_selector / set_mtu_selector: u8, "MtuSelector", "See [`super::Selector`].";
        306, 6, mtu / set_mtu: u8, "Mtu", "Code of the MTU.";
        312, 8, tclass / set_tclass: u8, "TClass", "Traffic class of the GRH.";
        320, 16, pkey / set_pkey: u16, "P_Key", "Partition of the group.";
        336, 2, rate_selector / set_rate_selector: u8, "RateSelector", "See [`super::Selector`].";
        338, 6, rate / set_rate: u8, "Rate", "Code of the rate.";
        344, 2, life_selector / set_life_selector: u8, "PacketLifeTimeSelector",
            "See [`super::Selector`].";
        346, 6, life / set_life: u8, "PacketLifeTime", "Exponent of the packet's life time.";
        352, 4, sl / set_sl: u8, "SL", "Service level.";
        356, 20, flow_label / set_flow_label: u32, "FlowLabel", "Flow label of the GRH.";
        376, 8, hop_limit / set_hop_limit: u8, "HopLimit", "Hop limit of the GRH.";
        384, 4, scope / set_scope: u8, "Scope", "How far the group reaches.";
        388, 4, join_state / set_join_state: u8, "JoinState",
            "1 full member, 2 non-member, 4 send-only non-member, 8 send-only full member.";
        392, 1, proxy_join / set_proxy_join: u8, "ProxyJoin",
            "1: somebody else than the port has joined for it.";
        393, 23, reserved_393;
    }
}

record! {
    MCMemberRecord: crate::sa::sa_attr::MC_MEMBER_RECORD;
}

gids! {
    MCMemberRecord {
        0, mgid / set_mgid, "GID of the group.";
        128, port_gid / set_port_gid, "GID of the member's port.";
    }
}

components! {
    /// Components of [`super::MCMemberRecord`].
    member_mask {
        MGID = 0, 0, 128;
        PORT_GID = 1, 128, 128;
        QKEY = 2, 256, 32;
        MLID = 3, 288, 16;
        MTU_SELECTOR = 4, 304, 2;
        MTU = 5, 306, 6;
        TCLASS = 6, 312, 8;
        PKEY = 7, 320, 16;
        RATE_SELECTOR = 8, 336, 2;
        RATE = 9, 338, 6;
        LIFE_SELECTOR = 10, 344, 2;
        LIFE = 11, 346, 6;
        SL = 12, 352, 4;
        FLOW_LABEL = 13, 356, 20;
        HOP_LIMIT = 14, 376, 8;
        SCOPE = 15, 384, 4;
        JOIN_STATE = 16, 388, 4;
        PROXY_JOIN = 17, 392, 1;
    }
}
