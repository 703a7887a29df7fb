//! Traps: the events of subnet management with what they tell (IBA 14.2.5.1).

use super::trap_details::{GidDetails, PortDetails, SwitchDetails, SystemImageDetails};
use super::{KeyViolation, LocalChange, MKeyViolation, Notice, NoticeType, SwitchPKeyViolation};
use crate::{Gid, Guid, Lid, NodeType, PortNum};

/// Numbers of the traps (IBA 14.2.5.1).
pub mod trap_number {
    /// A port can be reached.
    pub const GID_IN_SERVICE: u16 = 64;
    /// A port can no longer be reached.
    pub const GID_OUT_OF_SERVICE: u16 = 65;
    /// A multicast group has been created.
    pub const GROUP_CREATED: u16 = 66;
    /// A multicast group has been deleted.
    pub const GROUP_DELETED: u16 = 67;
    /// A port of a switch has changed its state.
    pub const LINK_STATE_CHANGE: u16 = 128;
    /// Local link integrity errors have reached their threshold.
    pub const LINK_INTEGRITY: u16 = 129;
    /// Buffer overruns have reached their threshold.
    pub const BUFFER_OVERRUN: u16 = 130;
    /// No flow control packets came in time.
    pub const FLOW_CONTROL: u16 = 131;
    /// Capabilities, description or enabled speeds of a port have changed.
    pub const LOCAL_CHANGE: u16 = 144;
    /// The system image GUID has changed.
    pub const SYSTEM_IMAGE_GUID: u16 = 145;
    /// An SMP with a wrong M_Key.
    pub const BAD_M_KEY: u16 = 256;
    /// A packet with a wrong P_Key.
    pub const BAD_P_KEY: u16 = 257;
    /// A packet with a wrong Q_Key.
    pub const BAD_Q_KEY: u16 = 258;
    /// A switch port has dropped a packet with a wrong P_Key.
    pub const SWITCH_BAD_P_KEY: u16 = 259;
}

/// A generic notice with its details read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trap {
    /// 64: the port with this GID can be reached.
    GidInService(Gid),
    /// 65: the port with this GID can no longer be reached.
    GidOutOfService(Gid),
    /// 66: the multicast group with this GID has been created.
    GroupCreated(Gid),
    /// 67: the multicast group with this GID has been deleted.
    GroupDeleted(Gid),
    /// 128: a port of the switch with this LID has changed its state.
    LinkStateChange(Lid),
    /// 129: local link integrity errors of this port have reached their threshold.
    LinkIntegrity(Lid, PortNum),
    /// 130: buffer overruns of this port have reached their threshold.
    BufferOverrun(Lid, PortNum),
    /// 131: this port has had no flow control packets in time.
    FlowControl(Lid, PortNum),
    /// 144: capabilities, description or enabled speeds of a port have changed.
    LocalChange(LocalChange),
    /// 145: the node with this LID has this system image GUID now.
    SystemImageGuid(Lid, Guid),
    /// 256: an SMP with a wrong M_Key.
    BadMKey(MKeyViolation),
    /// 257: a packet with a wrong P_Key.
    BadPKey(KeyViolation),
    /// 258: a packet with a wrong Q_Key.
    BadQKey(KeyViolation),
    /// 259: a switch port has dropped a packet with a wrong P_Key.
    SwitchBadPKey(SwitchPKeyViolation),
}

impl Trap {
    /// The trap's number.
    #[must_use]
    pub const fn number(&self) -> u16 {
        match self {
            Self::GidInService(_) => trap_number::GID_IN_SERVICE,
            Self::GidOutOfService(_) => trap_number::GID_OUT_OF_SERVICE,
            Self::GroupCreated(_) => trap_number::GROUP_CREATED,
            Self::GroupDeleted(_) => trap_number::GROUP_DELETED,
            Self::LinkStateChange(_) => trap_number::LINK_STATE_CHANGE,
            Self::LinkIntegrity(..) => trap_number::LINK_INTEGRITY,
            Self::BufferOverrun(..) => trap_number::BUFFER_OVERRUN,
            Self::FlowControl(..) => trap_number::FLOW_CONTROL,
            Self::LocalChange(_) => trap_number::LOCAL_CHANGE,
            Self::SystemImageGuid(..) => trap_number::SYSTEM_IMAGE_GUID,
            Self::BadMKey(_) => trap_number::BAD_M_KEY,
            Self::BadPKey(_) => trap_number::BAD_P_KEY,
            Self::BadQKey(_) => trap_number::BAD_Q_KEY,
            Self::SwitchBadPKey(_) => trap_number::SWITCH_BAD_P_KEY,
        }
    }

    /// How grave the architecture takes it.
    #[must_use]
    pub const fn kind(&self) -> NoticeType {
        match self {
            Self::GidInService(_)
            | Self::GidOutOfService(_)
            | Self::GroupCreated(_)
            | Self::GroupDeleted(_) => NoticeType::SUBNET_MANAGEMENT,
            Self::LinkStateChange(_)
            | Self::LinkIntegrity(..)
            | Self::BufferOverrun(..)
            | Self::FlowControl(..) => NoticeType::URGENT,
            Self::LocalChange(_) | Self::SystemImageGuid(..) => NoticeType::INFORMATIONAL,
            Self::BadMKey(_) | Self::BadPKey(_) | Self::BadQKey(_) | Self::SwitchBadPKey(_) => {
                NoticeType::SECURITY
            }
        }
    }

    /// The notice that a node of kind `producer` and LID `issuer` sends of it. Traps 64 to 67 are
    /// the subnet manager's own: their producer is always the class manager.
    #[must_use]
    pub fn notice(&self, producer: NodeType, issuer: Lid) -> Notice {
        let producer = match self.number() {
            trap_number::GID_IN_SERVICE..=trap_number::GROUP_DELETED => {
                Notice::PRODUCER_CLASS_MANAGER
            }
            _ => u32::from(producer.0),
        };
        let mut notice = Notice::generic(self.kind(), producer, self.number(), issuer);
        notice.set_details(&self.details());
        notice
    }

    /// Reads a notice; `None` when it is a vendor's or its number is not one of
    /// [`trap_number`].
    #[must_use]
    pub fn parse(notice: &Notice) -> Option<Self> {
        if notice.is_generic() == 0 {
            return None;
        }
        let bytes = *notice.details();
        let gid = GidDetails(bytes).gid();
        let port = PortDetails(bytes);
        let place = (Lid(port.lid()), PortNum(port.port()));
        let image = SystemImageDetails(bytes);
        Some(match notice.trap_number() {
            trap_number::GID_IN_SERVICE => Self::GidInService(gid),
            trap_number::GID_OUT_OF_SERVICE => Self::GidOutOfService(gid),
            trap_number::GROUP_CREATED => Self::GroupCreated(gid),
            trap_number::GROUP_DELETED => Self::GroupDeleted(gid),
            trap_number::LINK_STATE_CHANGE => {
                Self::LinkStateChange(Lid(SwitchDetails(bytes).lid()))
            }
            trap_number::LINK_INTEGRITY => Self::LinkIntegrity(place.0, place.1),
            trap_number::BUFFER_OVERRUN => Self::BufferOverrun(place.0, place.1),
            trap_number::FLOW_CONTROL => Self::FlowControl(place.0, place.1),
            trap_number::LOCAL_CHANGE => Self::LocalChange(LocalChange(bytes)),
            trap_number::SYSTEM_IMAGE_GUID => {
                Self::SystemImageGuid(Lid(image.lid()), Guid(image.guid()))
            }
            trap_number::BAD_M_KEY => Self::BadMKey(MKeyViolation(bytes)),
            trap_number::BAD_P_KEY => Self::BadPKey(KeyViolation(bytes)),
            trap_number::BAD_Q_KEY => Self::BadQKey(KeyViolation(bytes)),
            trap_number::SWITCH_BAD_P_KEY => Self::SwitchBadPKey(SwitchPKeyViolation(bytes)),
            _ => return None,
        })
    }

    /// The 54 bytes of details.
    fn details(&self) -> [u8; 54] {
        match *self {
            Self::GidInService(gid)
            | Self::GidOutOfService(gid)
            | Self::GroupCreated(gid)
            | Self::GroupDeleted(gid) => GidDetails::new(gid).0,
            Self::LinkStateChange(lid) => {
                let mut details = SwitchDetails::default();
                details.set_lid(lid.0);
                details.0
            }
            Self::LinkIntegrity(lid, port)
            | Self::BufferOverrun(lid, port)
            | Self::FlowControl(lid, port) => {
                let mut details = PortDetails::default();
                details.set_lid(lid.0);
                details.set_port(port.0);
                details.0
            }
            Self::LocalChange(details) => details.0,
            Self::SystemImageGuid(lid, guid) => {
                let mut details = SystemImageDetails::default();
                details.set_lid(lid.0);
                details.set_guid(guid.0);
                details.0
            }
            Self::BadMKey(details) => details.0,
            Self::BadPKey(details) | Self::BadQKey(details) => details.0,
            Self::SwitchBadPKey(details) => details.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GID: Gid = Gid { prefix: 0xFE80 << 48, guid: Guid(0x0002_C903_0000_1234) };
    const PLACE: (Lid, PortNum) = (Lid(0x1234), PortNum(36));

    /// One of each, all fields different from 0.
    fn all() -> Vec<Trap> {
        let mut words = 1_u64..;
        let mut next = || words.next().unwrap_or(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        vec![
            Trap::GidInService(GID),
            Trap::GidOutOfService(GID),
            Trap::GroupCreated(GID),
            Trap::GroupDeleted(GID),
            Trap::LinkStateChange(PLACE.0),
            Trap::LinkIntegrity(PLACE.0, PLACE.1),
            Trap::BufferOverrun(PLACE.0, PLACE.1),
            Trap::FlowControl(PLACE.0, PLACE.1),
            Trap::LocalChange(LocalChange::random(&mut next)),
            Trap::SystemImageGuid(PLACE.0, GID.guid),
            Trap::BadMKey(MKeyViolation::random(&mut next)),
            Trap::BadPKey(KeyViolation::random(&mut next)),
            Trap::BadQKey(KeyViolation::random(&mut next)),
            Trap::SwitchBadPKey(SwitchPKeyViolation::random(&mut next)),
        ]
    }

    #[test]
    fn a_notice_of_a_trap_is_read_as_that_trap() {
        for trap in all() {
            let notice = trap.notice(NodeType::SWITCH, Lid(7));
            assert_eq!(Trap::parse(&notice), Some(trap));
            assert_eq!(notice.trap_number(), trap.number());
            assert_eq!(notice.issuer_lid(), 7);
        }
        let numbers: Vec<u16> = all().iter().map(Trap::number).collect();
        assert_eq!(numbers, [64, 65, 66, 67, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259]);
    }

    #[test]
    fn link_state_change_on_the_wire() {
        let notice = Trap::LinkStateChange(Lid(0x1234)).notice(NodeType::SWITCH, Lid(0x1234));
        let mut expected = [0; 80];
        expected[..8].copy_from_slice(&[0x81, 0, 0, 2, 0, 128, 0x12, 0x34]);
        expected[10..12].copy_from_slice(&[0x12, 0x34]);
        assert_eq!(notice.0, expected);
        assert_eq!(notice.producer(), Some(NodeType::SWITCH));
        assert_eq!(notice.kind(), NoticeType::URGENT);
    }

    #[test]
    fn gid_in_service_is_told_by_the_class_manager() {
        let notice = Trap::GidInService(GID).notice(NodeType::CA, Lid(1));
        assert_eq!(notice.0[..8], [0x83, 0, 0, 4, 0, 64, 0, 1]);
        assert_eq!(
            notice.0[16..32],
            [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0x12, 0x34]
        );
        assert_eq!(notice.producer(), None);
    }

    #[test]
    fn port_traps_have_lid_and_port_behind_a_gap() {
        let notice = Trap::LinkIntegrity(PLACE.0, PLACE.1).notice(NodeType::CA, Lid(1));
        assert_eq!(notice.details()[..6], [0, 0, 0x12, 0x34, 36, 0]);
    }

    #[test]
    fn vendors_and_unknown_notices_are_no_traps() {
        let mut notice = Trap::LinkStateChange(Lid(1)).notice(NodeType::SWITCH, Lid(1));
        notice.set_trap_number(127);
        assert_eq!(Trap::parse(&notice), None);
        notice.set_trap_number(128);
        notice.set_is_generic(0);
        assert_eq!(Trap::parse(&notice), None);
        assert_eq!(notice.producer(), None);
    }
}
