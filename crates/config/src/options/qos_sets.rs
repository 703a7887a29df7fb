//! The QoS sets: five strings and numbers for each kind of port.

/// One set as the file has it. What is unset falls back to a more general set when tables are
/// built; see the crate `lk-qos`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QosSetStrings {
    /// `max_vls`; 0 is unset. It has no effect on the fabric, in OpenSM neither.
    pub max_vls: u32,
    /// `high_limit`, PortInfo:VLHighLimit; negative is unset.
    pub high_limit: i32,
    /// `vlarb_high`, the high-priority arbitration table as text. `None` is unset; an empty
    /// text is not, and gives a table of zeros.
    pub vlarb_high: Option<String>,
    /// `vlarb_low`, the low-priority arbitration table as text.
    pub vlarb_low: Option<String>,
    /// `sl2vl` as text.
    pub sl2vl: Option<String>,
}

impl QosSetStrings {
    /// A set in which nothing is set.
    pub const UNSET: Self =
        Self { max_vls: 0, high_limit: -1, vlarb_high: None, vlarb_low: None, sl2vl: None };

    /// Whether nothing in it is set.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        *self == Self::UNSET
    }
}

impl Default for QosSetStrings {
    fn default() -> Self {
        Self::UNSET
    }
}

/// The six sets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QosSets {
    /// `qos_`: what the others fall back to.
    pub generic: QosSetStrings,
    /// `qos_ca_`: CA ports.
    pub ca: QosSetStrings,
    /// `qos_sw0_`: enhanced switch port 0.
    pub sw0: QosSetStrings,
    /// `qos_swe_`: external switch ports.
    pub swe: QosSetStrings,
    /// `qos_rtr_`: router ports.
    pub rtr: QosSetStrings,
    /// `qos_sw2sw_`: external switch ports cabled to a switch. Upstream OpenSM lacks it; it
    /// falls back to `swe`.
    pub sw2sw: QosSetStrings,
}

/// Which of the sets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum QosSetName {
    /// `qos_`.
    Generic,
    /// `qos_ca_`.
    Ca,
    /// `qos_sw0_`.
    Sw0,
    /// `qos_swe_`.
    Swe,
    /// `qos_rtr_`.
    Rtr,
    /// `qos_sw2sw_`.
    Sw2sw,
}

impl QosSetName {
    /// All of them, in the order of the file that `-c` writes.
    pub const ALL: [Self; 6] =
        [Self::Generic, Self::Ca, Self::Sw0, Self::Swe, Self::Rtr, Self::Sw2sw];

    /// What its options' names start with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Generic => "qos_",
            Self::Ca => "qos_ca_",
            Self::Sw0 => "qos_sw0_",
            Self::Swe => "qos_swe_",
            Self::Rtr => "qos_rtr_",
            Self::Sw2sw => "qos_sw2sw_",
        }
    }
}

impl QosSets {
    /// The set of this name.
    #[must_use]
    pub const fn get(&self, name: QosSetName) -> &QosSetStrings {
        match name {
            QosSetName::Generic => &self.generic,
            QosSetName::Ca => &self.ca,
            QosSetName::Sw0 => &self.sw0,
            QosSetName::Swe => &self.swe,
            QosSetName::Rtr => &self.rtr,
            QosSetName::Sw2sw => &self.sw2sw,
        }
    }

    /// The set of this name, to change.
    pub const fn get_mut(&mut self, name: QosSetName) -> &mut QosSetStrings {
        match name {
            QosSetName::Generic => &mut self.generic,
            QosSetName::Ca => &mut self.ca,
            QosSetName::Sw0 => &mut self.sw0,
            QosSetName::Swe => &mut self.swe,
            QosSetName::Rtr => &mut self.rtr,
            QosSetName::Sw2sw => &mut self.sw2sw,
        }
    }
}
