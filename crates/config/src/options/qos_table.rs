//! The table's entries for the QoS sets: five options for each of six kinds of port.

use super::field::Field;
use super::table::{Class, Group, OptionSpec, Status};

const MAX_VLS: Status = Status::NoEffect(
    "nothing is programmed from it, in OpenSM neither; max_op_vls limits the VLs in use",
);

macro_rules! set {
    ($class:expr, $field:ident, $prefix:literal, $who:literal) => {
        [
            set!(@one $class, $field.max_vls: u32, concat!($prefix, "max_vls"), MAX_VLS,
                concat!("Number of VLs ", $who, "; 0 is unset.")),
            set!(@one $class, $field.high_limit: i32, concat!($prefix, "high_limit"),
                Status::Applied,
                concat!("VLHighLimit ", $who, ", 0 to 255, in units of 4 KB; -1 is unset.")),
            set!(@one $class, $field.vlarb_high: Option<String>, concat!($prefix, "vlarb_high"),
                Status::Applied,
                concat!("High-priority VL arbitration ", $who, ": VL:weight, ...")),
            set!(@one $class, $field.vlarb_low: Option<String>, concat!($prefix, "vlarb_low"),
                Status::Applied,
                concat!("Low-priority VL arbitration ", $who, ": VL:weight, ...")),
            set!(@one $class, $field.sl2vl: Option<String>, concat!($prefix, "sl2vl"),
                Status::Applied,
                concat!("VL for each of the 16 SLs ", $who, "; 15 drops the packet.")),
        ]
    };
    (@one $class:expr, $set:ident.$field:ident: $ty:ty, $key:expr, $status:expr, $doc:expr) => {
        OptionSpec {
            key: $key,
            kind: <$ty as Field>::KIND,
            group: Group::Qos,
            reload: true,
            status: $status,
            class: $class,
            hex: false,
            in_qos_set: true,
            doc_lines: &[$doc],
            get: |o| Field::value(&o.qos_sets.$set.$field),
            set: |o, v| Field::take(&mut o.qos_sets.$set.$field, v),
        }
    };
}

/// The sets in the order of the file that `-c` writes.
pub(super) static SETS: [[OptionSpec; 5]; 6] = [
    set!(Class::Upstream, generic, "qos_", "where no other set says"),
    set!(Class::Upstream, ca, "qos_ca_", "of CA ports"),
    set!(Class::Upstream, sw0, "qos_sw0_", "of enhanced switch port 0"),
    set!(Class::Upstream, swe, "qos_swe_", "of external switch ports"),
    set!(Class::Upstream, rtr, "qos_rtr_", "of router ports"),
    set!(Class::Vendor, sw2sw, "qos_sw2sw_", "of switch ports cabled to a switch"),
];
