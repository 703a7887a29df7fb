//! partitions.conf: which port is in which partition, and the multicast groups of each.
//!
//! [`parse`] reads a file as OpenSM does, also where that is odd: words are abbreviations of
//! keywords, a header has to stand on one line, an empty statement spoils the file. What OpenSM
//! answers with "retrying with default config" sets [`PartitionsConf::refused`]; all faults are
//! told at once all the same. [`write`] gives the text of a model.
//!
//! * `words`: keywords and their abbreviations
//! * `read`: lines, statements and what ends them
//! * `header`, `items`: the two parts of a statement; `flags`: what both have of groups

mod findings;
mod flags;
mod header;
mod items;
mod read;
mod words;
mod write;

use lk_diag::{Diagnostics, SourceFile, Span};
use lk_wire::{Gid, Guid};

use crate::Placed;
use crate::kind::{self, FileKind};

pub use write::write;

/// A partitions.conf.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PartitionsConf {
    /// The statements in the order of the file, as far as they can be read.
    pub statements: Vec<Statement>,
    /// Whether OpenSM throws the whole file away: then every port is a full member of the default
    /// partition and there is no other.
    pub refused: bool,
}

/// From a header to its `;`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Statement {
    /// The name, cut to [`NAME_MAX`] bytes; none where there is none.
    pub name: Option<Placed<String>>,
    /// The key without its membership bit; none, or 0: the manager chooses one.
    pub pkey: Option<Placed<u16>>,
    /// `ipoib`: the partition has a broadcast group.
    pub ipoib: bool,
    /// `indx0`: the key goes to index 0 of its ports.
    pub index0: bool,
    /// `defmember`: what ports are of which the file does not say it; limited where not given.
    pub default_member: Option<Placed<Member>>,
    /// Flags for the broadcast group, the partition's SL, and defaults for other groups.
    pub flags: GroupFlags,
    /// Ports and groups.
    pub items: Vec<Item>,
    /// Where the header stands. Of no account in comparisons of statements.
    pub place: Place,
}

/// A place that does not count when values are compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Place {}

/// The longest name, in bytes.
pub const NAME_MAX: usize = 31;

/// How a port is in a partition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Member {
    /// Full member.
    Full,
    /// Limited member: it cannot talk to other limited ones.
    Limited,
    /// Both, where `allow_both_pkeys` is set; else full.
    Both,
}

/// What a statement lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// Ports.
    Ports {
        /// Which.
        who: Placed<Who>,
        /// What they are; none: as `defmember` says.
        member: Option<Placed<Member>>,
    },
    /// A multicast group.
    Group {
        /// Its MGID as written: the scope comes from the flags.
        mgid: Placed<Gid>,
        /// Its own flags.
        flags: GroupFlags,
    },
}

/// Ports of the fabric.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Who {
    /// `NONE`: no port.
    None,
    /// `ALL`: every end port.
    All,
    /// `ALL_CAS`: every port of a channel adapter.
    Cas,
    /// `ALL_SWITCHES`: port 0 of every switch.
    Switches,
    /// `ALL_ROUTERS`: every port of a router.
    Routers,
    /// `ALL_VCAS`: every virtual port, of which there are none here.
    VirtualCas,
    /// `SELF`: the subnet manager's own port.
    Own,
    /// The end port with this GUID.
    Guid(Guid),
}

/// Flags of a multicast group. Numbers are as written, cut to the size of their field as OpenSM
/// cuts them; whether a group can be made of them is for the manager to say.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GroupFlags {
    /// `mtu`, as a code (4 is 2048 bytes).
    pub mtu: Option<Placed<u8>>,
    /// `rate`, as a code (3 is 10 Gb/s).
    pub rate: Option<Placed<u8>>,
    /// `sl`, 0 to 15.
    pub sl: Option<Placed<u8>>,
    /// `scope`, 1 to 15, each value once.
    pub scopes: Vec<Placed<u8>>,
    /// `Q_Key`.
    pub q_key: Option<Placed<u32>>,
    /// `TClass`.
    pub t_class: Option<Placed<u8>>,
    /// `FlowLabel`, 20 bits.
    pub flow_label: Option<Placed<u32>>,
}

/// Reads a partitions.conf.
#[must_use]
pub fn parse(source: &SourceFile) -> (PartitionsConf, Diagnostics) {
    let (conf, found) = read::read(source);
    let empty = |s: &Statement| s.pkey.is_none() && s.items.is_empty();
    let nothing = conf.statements.iter().all(empty);
    let wrong = kind::wrong(source, FileKind::Partitions, nothing).or_else(|| {
        // Without a key and without the end of a statement it cannot have been meant as one.
        let lines = source.text().lines().filter(|line| !line.trim().is_empty()).count();
        let other = lines > 3 && !source.text().contains(';') && !source.text().contains("=0x");
        let why = "no line of it is a statement, such as `Default=0x7fff, ipoib : ALL=full ;`";
        other.then(|| kind::only(source, FileKind::Partitions, why, None))
    });
    match wrong.filter(|_| conf.refused) {
        Some(wrong) => (conf, wrong),
        None => (conf, found),
    }
}
