//! The attributes of subnet management, one file each (IBA 14.2.5).
//!
//! Each is a struct around its bytes. Those made of bit fields come from a table (see
//! [`crate::field`]); tables of entries have `get`, `set` and an iterator.

mod forwarding;
mod guid_info;
mod mlnx_ext_port_info;
mod node_description;
mod node_info;
mod notice;
mod pkey_table;
mod port_info;
mod sl2vl;
mod sm_info;
mod switch_info;
mod trap;
mod trap_details;
mod vlarb;

pub use forwarding::{LinearForwardingTable, MulticastForwardingTable};
pub use guid_info::GuidInfo;
pub use mlnx_ext_port_info::MlnxExtPortInfo;
pub use node_description::NodeDescription;
pub use node_info::NodeInfo;
pub use notice::{Notice, NoticeType};
pub use pkey_table::PKeyTable;
pub use port_info::PortInfo;
pub use sl2vl::{SlToVlModifier, SlToVlPort, SlToVlTable};
pub use sm_info::{SmControl, SmInfo};
pub use switch_info::SwitchInfo;
pub use trap::{Trap, trap_number};
pub use trap_details::{
    GidDetails, KeyViolation, LocalChange, MKeyViolation, PortDetails, SwitchDetails,
    SwitchPKeyViolation, SystemImageDetails,
};
pub use vlarb::{VlArbEntry, VlArbTable};

/// What an SMP can carry: at most 64 bytes under an attribute identifier.
pub trait Attribute: Sized {
    /// The attribute identifier, one of [`crate::attr`].
    const ID: u16;

    /// Reads the attribute from an SMP's 64 bytes of data.
    fn from_data(data: &[u8; 64]) -> Self;

    /// The 64 bytes of data with the attribute at their start and zeros after it.
    fn to_data(&self) -> [u8; 64];
}

/// [`Attribute`] for structs around `[u8; N]` with N up to 64.
macro_rules! smp_attribute {
    ($($name:ident: $id:ident;)*) => {$(
        impl Attribute for $name {
            const ID: u16 = crate::attr::$id;

            fn from_data(data: &[u8; 64]) -> Self {
                const { assert!(Self::LEN <= 64) };
                let mut value = Self::default();
                value.0.copy_from_slice(&data[..Self::LEN]);
                value
            }

            fn to_data(&self) -> [u8; 64] {
                let mut data = [0; 64];
                data[..Self::LEN].copy_from_slice(&self.0);
                data
            }
        }
    )*};
}

smp_attribute! {
    NodeDescription: NODE_DESCRIPTION;
    NodeInfo: NODE_INFO;
    SwitchInfo: SWITCH_INFO;
    GuidInfo: GUID_INFO;
    PortInfo: PORT_INFO;
    PKeyTable: PKEY_TABLE;
    SlToVlTable: SL2VL;
    VlArbTable: VLARB;
    LinearForwardingTable: LFT;
    MulticastForwardingTable: MFT;
    SmInfo: SM_INFO;
    MlnxExtPortInfo: MLNX_EXT_PORT_INFO;
}

/// A Notice in an SMP is the first 64 bytes: the issuer's GID travels in class management
/// datagrams only.
impl Attribute for Notice {
    const ID: u16 = crate::attr::NOTICE;

    fn from_data(data: &[u8; 64]) -> Self {
        let mut notice = Self::default();
        notice.0[..64].copy_from_slice(data);
        notice
    }

    fn to_data(&self) -> [u8; 64] {
        let mut data = [0; 64];
        data.copy_from_slice(&self.0[..64]);
        data
    }
}
