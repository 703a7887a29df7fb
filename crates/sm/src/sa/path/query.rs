//! What a client asks of a path.

use lk_wire::sa::{MultiPathRecord, PathRecord, Selector, multi_path_mask, path_mask, sa_status};
use lk_wire::{PKey, Rate, Sl, Status};

/// A value with a selector, where the mask has both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// How it is meant.
    pub selector: Selector,
    /// The code.
    pub value: u8,
}

/// What a query for paths says, beside the ends. What is not in its mask is `None` or false.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Wanted {
    /// ServiceID.
    pub service_id: Option<u64>,
    /// QoSClass.
    pub qos_class: Option<u16>,
    /// P_Key.
    pub pkey: Option<PKey>,
    /// SL.
    pub sl: Option<Sl>,
    /// The path is for raw packets.
    pub raw: bool,
    /// The path has to be reversible.
    pub reversible: bool,
    /// The most paths that are wanted of a pair of ports.
    pub numb_path: Option<u8>,
    /// MTU.
    pub mtu: Option<Bound>,
    /// Rate.
    pub rate: Option<Bound>,
    /// Packet life time.
    pub life: Option<Bound>,
    /// Flow label of the GRH.
    pub flow_label: Option<u32>,
    /// Hop limit of the GRH.
    pub hop_limit: Option<u8>,
    /// Traffic class of the GRH.
    pub tclass: Option<u8>,
}

/// Reads what the two records have in common: components of the same names, whose bits in the
/// mask differ.
macro_rules! wanted {
    ($record:expr, $mask:expr, $bits:ident) => {{
        use $bits as m;
        let (record, mask): (_, u64) = ($record, $mask);
        let has = |bits: u64| mask & bits == bits;
        let bound = |bits, selector, value| {
            has(bits).then_some(Bound { selector: Selector(selector), value })
        };
        let service = m::SERVICE_ID_MSB | m::SERVICE_ID_LSB;
        let wanted = Self {
            service_id: has(service).then(|| record.service_id()),
            qos_class: has(m::QOS_CLASS).then(|| record.qos_class()),
            pkey: has(m::PKEY).then(|| PKey(record.pkey())),
            sl: has(m::SL).then(|| Sl(record.sl())),
            raw: has(m::RAW_TRAFFIC) && record.raw_traffic() != 0,
            reversible: has(m::REVERSIBLE) && record.reversible() != 0,
            numb_path: has(m::NUMB_PATH).then(|| record.numb_path()),
            mtu: bound(m::MTU | m::MTU_SELECTOR, record.mtu_selector(), record.mtu()),
            rate: bound(m::RATE | m::RATE_SELECTOR, record.rate_selector(), record.rate()),
            life: bound(m::LIFE | m::LIFE_SELECTOR, record.life_selector(), record.life()),
            flow_label: has(m::FLOW_LABEL).then(|| record.flow_label()),
            hop_limit: has(m::HOP_LIMIT).then(|| record.hop_limit()),
            tclass: has(m::TCLASS).then(|| record.tclass()),
        };
        wanted.checked(mask & service)
    }};
}

impl Wanted {
    /// What a PathRecord says.
    ///
    /// # Errors
    /// A status for a request that makes no sense.
    pub fn of_path(record: &PathRecord, mask: u64) -> Result<Self, Status> {
        wanted!(record, mask, path_mask)
    }

    /// What a MultiPathRecord says.
    ///
    /// # Errors
    /// As [`Self::of_path`].
    pub fn of_multi(record: &MultiPathRecord, mask: u64) -> Result<Self, Status> {
        wanted!(record, mask, multi_path_mask)
    }

    /// `service_bits`: the bits of the service ID's two components that are in the mask.
    fn checked(self, service_bits: u64) -> Result<Self, Status> {
        let unknown_mtu = self.mtu.is_some_and(|m| !(1..=5).contains(&m.value));
        let unknown_rate = self.rate.is_some_and(|r| Rate(r.value).rank().is_none());
        if unknown_mtu || unknown_rate {
            return Err(sa_status::REQ_INVALID);
        }
        if self.service_id.is_none() && service_bits != 0 {
            return Err(sa_status::INSUFFICIENT_COMPONENTS);
        }
        Ok(self)
    }
}
