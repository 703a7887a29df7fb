//! Kinds of ports: those that are alike in all that their QoS tables depend on.

use std::collections::BTreeMap;

use lk_fabric::PortId;
use lk_qos::{EgressPort, PortClass};
use lk_wire::{Mtu, VlCode};

/// Bytes of headers and checks of a packet between the payload and what the link carries: LRH 8,
/// BTH 12, ICRC 4, VCRC 2 (IBA 7.7, 9.2).
pub const OVERHEAD: u32 = 26;

/// Ports that are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortKind {
    /// What their tables depend on.
    pub port: EgressPort,
    /// The payload of their largest packet, in bytes.
    pub mtu: u32,
    /// How many there are; 0 where no fabric is known and the kind is assumed.
    pub count: usize,
    /// The name of one of them; empty where the kind is assumed.
    pub example: String,
}

impl PortKind {
    /// The kinds among ports, each given with what its tables depend on and its link's MTU.
    #[must_use]
    pub fn of_ports(
        ports: impl Iterator<Item = (PortId, EgressPort, Mtu)>,
        name: impl Fn(PortId) -> String,
    ) -> Vec<Self> {
        let mut kinds: BTreeMap<(EgressPort, u32), Self> = BTreeMap::new();
        for (at, port, mtu) in ports {
            let mtu = mtu.bytes().map_or(256, u32::from);
            let kind = kinds.entry((port, mtu)).or_insert_with(|| Self {
                port,
                mtu,
                count: 0,
                example: name(at),
            });
            kind.count += 1;
        }
        kinds.into_values().collect()
    }

    /// The kinds that a fabric is taken to have of which nothing is known, with `max_op_vls`.
    #[must_use]
    pub fn assumed(max_op_vls: u8) -> Vec<Self> {
        let vl_cap = VlCode::VL0_7;
        let oper_vls = VlCode(max_op_vls.min(vl_cap.0));
        let kind = |class| Self {
            port: EgressPort {
                class,
                vl_cap,
                oper_vls,
                vlarb_low_cap: 64,
                vlarb_high_cap: 64,
                sl_mapping: true,
            },
            mtu: u32::from(Mtu::M4096.bytes().unwrap_or(4096)),
            count: 0,
            example: String::new(),
        };
        [PortClass::Ca, PortClass::SwitchExternal].map(kind).to_vec()
    }

    /// The ports in words.
    #[must_use]
    pub fn name(&self) -> String {
        let class = match self.port.class {
            PortClass::Ca => "adapter ports",
            PortClass::Router => "router ports",
            PortClass::SwitchPort0 => "switch ports 0",
            PortClass::SwitchExternal => "switch ports",
            PortClass::SwitchToSwitch => "switch ports between switches",
        };
        match self.count {
            0 => class.to_owned(),
            1 => format!("{class} ({})", self.example),
            n => format!("{class} ({}, and {} more)", self.example, n - 1),
        }
    }

    /// The length of a full packet on the link, in bytes.
    #[must_use]
    pub const fn full_packet(&self) -> u32 {
        self.mtu + OVERHEAD
    }

    /// The weight of a full packet's payload, in units of 64 bytes: what weights should be
    /// multiples of.
    #[must_use]
    pub const fn packet_weight(&self) -> u32 {
        self.mtu / 64
    }
}
