//! What `explain` is given: the fabric, the site's design, the question, and what subnet
//! administration answers to it.

use lk_config::Effective;
use lk_qos::ResolvedSets;
use lk_qos::policy::{CompiledPolicy, PartitionPorts};
use lk_snapshot::Snapshot;
use lk_wire::{Gid, Lid, Mtu, PKey, Rate, Sl};

use super::spot::Spot;

/// What the site wants.
#[derive(Clone, Copy)]
pub struct Design<'a> {
    /// The options and where each comes from.
    pub config: &'a Effective,
    /// The `qos_` options for each class of ports.
    pub sets: &'a ResolvedSets,
    /// The QoS policy; none where QoS is off or there is no file.
    pub policy: Option<&'a CompiledPolicy>,
    /// The partitions.
    pub partitions: &'a [PartitionPorts],
    /// The routing engine that made the routes, by OpenSM's name.
    pub engine: &'a str,
}

/// What a program asks for when it sets its connection up.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Question {
    /// ServiceID.
    pub service_id: Option<u64>,
    /// P_Key.
    pub pkey: Option<PKey>,
    /// QoSClass.
    pub qos_class: Option<u16>,
    /// SL.
    pub sl: Option<Sl>,
    /// The SLs that have traffic besides; `None`: all.
    pub busy: Option<Vec<Sl>>,
}

/// What subnet administration answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Nobody was asked.
    NotAsked,
    /// A path.
    Path(Answered),
    /// No path, and why.
    NoPath(String),
}

/// A path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answered {
    /// SL.
    pub sl: Sl,
    /// MTU.
    pub mtu: Mtu,
    /// Rate.
    pub rate: Rate,
    /// Packet life time, a code.
    pub life: u8,
    /// P_Key.
    pub pkey: PKey,
    /// Whether the way back is a path, too.
    pub reversible: bool,
}

/// A multicast group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its GID, where it is known.
    pub mgid: Option<Gid>,
    /// Its LID; `None` where there is no such group.
    pub mlid: Option<Lid>,
    /// P_Key, SL, MTU and rate, where they are known.
    pub params: Option<(PKey, Sl, Mtu, Rate)>,
    /// Why the ends are not in it, if they are not.
    pub refused: Option<String>,
}

/// All that an explanation is made of.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// What the fabric holds.
    pub snapshot: &'a Snapshot,
    /// What the site wants; `None` where its files are not known.
    pub design: Option<Design<'a>>,
    /// The question.
    pub question: &'a Question,
    /// Source and destination.
    pub ends: (Spot, Spot),
    /// The answers, there and back.
    pub answers: (&'a Answer, &'a Answer),
    /// The multicast group that was asked for.
    pub group: Option<&'a Group>,
}
