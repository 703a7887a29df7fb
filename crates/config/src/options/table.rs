//! The table of options: what each is called, what it takes and what becomes of it.

use super::Options;
use super::value::{Kind, Value, ValueError};

/// The part of the file an option belongs to, in the file's order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// What ports and switches are set to.
    Device,
    /// Partitions and their enforcement.
    Partitions,
    /// When to sweep.
    Sweep,
    /// Routing engines and their files.
    Routing,
    /// Several SMs.
    Handover,
    /// Time-outs and windows.
    Timing,
    /// What fits nowhere else.
    Misc,
    /// Collecting port counters.
    PerfMgr,
    /// Plug-ins and names.
    Plugins,
    /// Logs, dumps and the console.
    Debug,
    /// QoS and the QoS sets.
    Qos,
    /// Congestion control.
    Congestion,
    /// The rest.
    Other,
}

impl Group {
    /// Its heading in the file.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Device => "DEVICE ATTRIBUTES",
            Self::Partitions => "PARTITIONS",
            Self::Sweep => "SWEEPS",
            Self::Routing => "ROUTING",
            Self::Handover => "HANDOVER: SEVERAL SMs",
            Self::Timing => "TIME-OUTS AND WINDOWS",
            Self::Misc => "MISCELLANEOUS",
            Self::PerfMgr => "PERFORMANCE MANAGER",
            Self::Plugins => "PLUG-INS AND NODE NAMES",
            Self::Debug => "LOGS, DUMPS AND DEBUGGING",
            Self::Qos => "QUALITY OF SERVICE",
            Self::Congestion => "CONGESTION CONTROL",
            Self::Other => "OTHER FILES",
        }
    }
}

/// Who knows the option.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// OpenSM 3.3.23 and later.
    Upstream,
    /// OpenSM's development branch only; 3.3.23 calls it unrecognised.
    MasterOnly,
    /// NVIDIA's OpenSM only, and Lanekeeper.
    Vendor,
    /// Lanekeeper only.
    Own,
}

/// What becomes of the option here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// It does what it says.
    Applied,
    /// It is read and kept, but nothing acts on it yet.
    NotYet,
    /// It never has an effect, for the reason given.
    NoEffect(&'static str),
}

/// One option of opensm.conf.
#[derive(Clone, Copy)]
pub struct OptionSpec {
    /// Its name in the file.
    pub key: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// Where it stands in the file that `-c` writes.
    pub group: Group,
    /// Whether a changed line takes effect at the next heavy sweep; else at the next start.
    pub reload: bool,
    /// What becomes of it.
    pub status: Status,
    /// Who knows it.
    pub class: Class,
    /// Whether its number is written in hexadecimal.
    pub hex: bool,
    /// Whether it belongs to a QoS set.
    pub(super) in_qos_set: bool,
    /// What it means, line by line; each line may start with a blank.
    pub(super) doc_lines: &'static [&'static str],
    pub(super) get: fn(&Options) -> Value,
    pub(super) set: fn(&mut Options, &Value),
}

impl OptionSpec {
    /// What it means, line by line.
    pub fn doc(&self) -> impl Iterator<Item = &'static str> {
        self.doc_lines.iter().map(|line| line.trim())
    }

    /// Its value in these options.
    #[must_use]
    pub fn get(&self, options: &Options) -> Value {
        (self.get)(options)
    }

    /// Sets it in these options. A value of another kind changes nothing.
    pub fn set(&self, options: &mut Options, value: &Value) {
        (self.set)(options, value);
    }

    /// OpenSM's default.
    #[must_use]
    pub fn default_value(&self) -> Value {
        self.get(&Options::default())
    }

    /// Reads a value of this option as OpenSM does.
    ///
    /// # Errors
    ///
    /// See [`Value::parse`].
    pub fn parse(&self, text: &str) -> Result<Value, ValueError> {
        Value::parse(self.kind, text)
    }

    /// The value as this option is written.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::U8(n) if self.hex => format!("0x{n:02x}"),
            Value::U16(n) if self.hex => format!("0x{n:04x}"),
            Value::U32(n) if self.hex => format!("0x{n:x}"),
            other => other.to_string(),
        }
    }

    /// Whether it belongs to a QoS set: such options are unset before each re-read.
    #[must_use]
    pub const fn is_qos_set(&self) -> bool {
        self.in_qos_set
    }

    pub(super) const fn hex(mut self) -> Self {
        self.hex = true;
        self
    }

    pub(super) const fn own(mut self) -> Self {
        self.class = Class::Own;
        self
    }

    pub(super) const fn master_only(mut self) -> Self {
        self.class = Class::MasterOnly;
        self
    }
}

impl std::fmt::Debug for OptionSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OptionSpec({}: {:?})", self.key, self.kind)
    }
}

/// Makes [`Options`], its defaults and the table of its plain fields from one list of rows.
macro_rules! options {
    ($($group:ident {$(
        $(#[doc = $doc:literal])+
        $name:ident : $ty:ty = $default:expr, $when:ident, $status:expr $(, $flag:ident)*;
    )+})+) => {
        /// The options in force, named as in the file. [`Options::default`] has OpenSM's
        /// defaults.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Options {
            $($($(#[doc = $doc])+ pub $name: $ty,)+)+
            /// The `qos_` option sets.
            pub qos_sets: QosSets,
        }

        impl Default for Options {
            fn default() -> Self {
                Self { $($($name: $default,)+)+ qos_sets: QosSets::default() }
            }
        }

        /// The options outside the QoS sets.
        pub(super) static FIELDS: &[super::table::OptionSpec] = &[$($(
            super::table::OptionSpec {
                key: stringify!($name),
                kind: <$ty as super::field::Field>::KIND,
                group: super::table::Group::$group,
                reload: super::table::options!(@when $when),
                status: $status,
                class: super::table::Class::Upstream,
                hex: false,
                in_qos_set: false,
                doc_lines: &[$($doc),+],
                get: |o| super::field::Field::value(&o.$name),
                set: |o, v| super::field::Field::take(&mut o.$name, v),
            }$(.$flag())*,
        )+)+];
    };
    (@when reload) => { true };
    (@when fixed) => { false };
}
pub(super) use options;
