//! What `explain` finds out, as values. The JSON form is made of these fields.

use serde::Serialize;

/// What happens to traffic from one port to another.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Report {
    /// The schema's version. Fields may be added; none is renamed or removed within a version.
    pub version: u32,
    /// The source.
    pub from: End,
    /// The destination.
    pub to: End,
    /// The options that come first in any question about QoS; `None` where they are not known.
    pub settings: Option<Settings>,
    /// SLs that were taken to have traffic besides; `None`: all.
    pub busy: Option<Vec<u8>>,
    /// From the source to the destination.
    pub there: Way,
    /// From the destination back.
    pub back: Way,
    /// Whether both ways have the same SL; `None` where one has none, or it is not known.
    pub symmetric_sl: Option<bool>,
    /// Whether the way back passes the same links.
    pub same_links: bool,
    /// The way of a multicast group, where one was asked for.
    pub multicast: Option<Multicast>,
}

/// The options that decide whether any other one matters.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Settings {
    /// Whether tables are written to ports at all.
    pub qos: bool,
    /// Where that was said: file and line, or `built in`.
    pub qos_from: String,
    /// The code of `max_op_vls`.
    pub max_op_vls: u8,
    /// How many data lanes that is; 0 where the option limits nothing.
    pub lanes: u8,
    /// Where that was said.
    pub max_op_vls_from: String,
    /// The routing engine that made the routes.
    pub engine: String,
}

/// An end port.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct End {
    /// Description of the node and number of the port.
    pub name: String,
    /// The LID that packets go to.
    pub lid: u16,
    /// The port's GUID.
    pub guid: String,
    /// Its P_Keys; empty where they were not read.
    pub pkeys: Vec<String>,
}

/// One direction.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Way {
    /// Which SL, and who set it; `None` where nobody was asked.
    pub choice: Option<Choice>,
    /// Why there is no path; then no traffic can be set up by asking subnet administration.
    pub no_path: Option<String>,
    /// Why the forwarding tables do not lead there.
    pub broken: Option<String>,
    /// The links, from the source on.
    pub hops: Vec<Hop>,
    /// The lanes of every SL on each link, where the SL is not known.
    pub by_sl: Vec<SlRow>,
    /// The link with the least bandwidth that is guaranteed.
    pub bottleneck: Option<Bottleneck>,
}

impl Way {
    /// Whether traffic does not get through: there is no path or no way, or packets are dropped or
    /// never sent.
    #[must_use]
    pub fn stops(&self) -> bool {
        let stands = |hop: &Hop| {
            let lane = hop.lane.as_ref();
            lane.is_some_and(|lane| {
                lane.dropped.is_some() || lane.share.as_ref().is_some_and(|s| s.alone <= 0.0)
            })
        };
        self.no_path.is_some() || self.broken.is_some() || self.hops.iter().any(stands)
    }
}

/// What subnet administration answers, and why.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Choice {
    /// The SL: that of the answer; without one, that which was decided on.
    pub sl: Option<u8>,
    /// Who set it.
    pub set_by: String,
    /// SLs that do not count, and whose they are.
    pub overrode: Vec<String>,
    /// The rule of the QoS policy that matches.
    pub rule: Option<Rule>,
    /// Whether there is a QoS policy; without one there are no rules.
    pub has_policy: bool,
    /// The rules before it, or all where none matches.
    pub missed: Vec<Rule>,
    /// The level.
    pub level: Option<Level>,
    /// The partition.
    pub partition: Option<Partition>,
    /// The path that is answered.
    pub path: Option<Path>,
}

/// A rule of the QoS policy.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Rule {
    /// Its number, from 1.
    pub number: u32,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What the file says it is for: its `use`; of qos-ulps the line itself.
    pub used_for: Option<String>,
    /// Why it does not match; `None` where it does.
    pub missed: Option<String>,
}

/// A level of the QoS policy.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Its SL.
    pub sl: u8,
    /// Its largest MTU, in bytes.
    pub mtu_limit: Option<u32>,
    /// Its fastest rate, as in `100 Gb/s`.
    pub rate_limit: Option<String>,
    /// The packet life time that it gives, a code.
    pub packet_life: Option<u8>,
    /// The partitions that it allows, as ranges; empty: any.
    pub pkeys: Vec<String>,
}

/// The partition of a path.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Partition {
    /// The key that the path has.
    pub pkey: String,
    /// The partition's name, where it is known.
    pub name: Option<String>,
    /// The SL that the partition has; `None` where it is not known.
    pub sl: Option<u8>,
    /// How the source is in it: `full`, `limited`, `both` or `not`.
    pub source: &'static str,
    /// How the destination is in it.
    pub destination: &'static str,
    /// Other keys that both have.
    pub others: Vec<String>,
}

/// A path as it is answered.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Path {
    /// The SL.
    pub sl: u8,
    /// MTU, in bytes.
    pub mtu: u32,
    /// Rate, as in `100 Gb/s`.
    pub rate: String,
    /// Packet life time, a code: 4.096 µs · 2^n.
    pub life: u8,
    /// P_Key.
    pub pkey: String,
    /// Whether the way back is a path, too.
    pub reversible: bool,
}

/// A link on the way, and what its sender does with the packets.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Hop {
    /// The port that sends.
    pub from: String,
    /// The port at the other end.
    pub to: String,
    /// The number of the port by which the packets came into the sender; 0 at the source.
    pub ingress: u16,
    /// Width and speed.
    pub link: String,
    /// What the link carries of data, in Gbit/s; 0 where it is not known.
    pub gigabits: f64,
    /// MTU on the link, in bytes.
    pub mtu: u32,
    /// Lanes that operate; 0 where it is not known.
    pub lanes: u8,
    /// Lanes that the port has.
    pub lanes_supported: u8,
    /// Copies of a multicast packet that the sender makes beside this one.
    pub copies: usize,
    /// What becomes of the packets; `None` where the SL or the table is not known.
    pub lane: Option<Lane>,
    /// What was not read, and what else is to be known.
    pub notes: Vec<String>,
}

/// The lane of the packets on a link.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Lane {
    /// The SL.
    pub sl: u8,
    /// The VL that the SL2VL table says; 15 drops the packets.
    pub vl: u8,
    /// Why the packets go no further, if they do not.
    pub dropped: Option<String>,
    /// The VL that the site's options ask for, where it is another one.
    pub asked: Option<Asked>,
    /// The other SLs on this VL.
    pub shared_with: Vec<u8>,
    /// Those of them that the site's options put on another VL.
    pub meant_apart: Vec<u8>,
    /// Its entries in the high-priority table.
    pub high: Vec<Weight>,
    /// Its entries in the low-priority table.
    pub low: Vec<Weight>,
    /// VLHighLimit in words.
    pub high_limit: Option<String>,
    /// Its part of the link; `None` where the tables are not known, or the packets are dropped.
    pub share: Option<Share>,
}

/// What the options ask for, and why it is not so.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Asked {
    /// The VL.
    pub vl: u8,
    /// Why.
    pub why: String,
    /// Whether it is for want of lanes that operate.
    pub folded: bool,
    /// The option, with file and line.
    pub option: String,
}

/// An entry of an arbitration table.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
pub struct Weight {
    /// Its place in the table, from 0.
    pub place: usize,
    /// The weight, in units of 64 bytes.
    pub weight: u8,
    /// The same in bytes.
    pub bytes: u32,
}

/// The part of a link that a lane gets. The SLs on the lane have it together.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Share {
    /// From 0 to 1, when the lanes of all SLs have packets of full size to send.
    pub guaranteed: f64,
    /// The same, in Gbit/s.
    pub guaranteed_gigabits: f64,
    /// When the SLs that `--busy` names, and this one, have packets to send.
    pub busy: Option<f64>,
    /// When it sends alone.
    pub alone: f64,
    /// Bytes of other lanes that may go before a packet at the head of this one; `None`: it waits
    /// for ever, with all SLs sending.
    pub wait_bytes: Option<u64>,
    /// The same, in microseconds.
    pub wait_microseconds: Option<f64>,
    /// The bytes on the link of a packet of the size that the path allows. Other lanes send packets
    /// of the size that the link allows.
    pub packet: u32,
    /// The VLs that send beside it.
    pub against: Vec<u8>,
}

/// The VL that each hop has for an SL.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct SlRow {
    /// The SL.
    pub sl: u8,
    /// The VL on each hop; 15 drops, `None` where the table was not read.
    pub vls: Vec<Option<u8>>,
    /// The least of the shares that are guaranteed on the way, from 0 to 1; `None` where it is not
    /// known.
    pub guaranteed: Option<f64>,
}

/// The narrowest place.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Bottleneck {
    /// The number of the hop, from 1.
    pub hop: usize,
    /// What is guaranteed there, in Gbit/s.
    pub gigabits: f64,
    /// The share of the link, from 0 to 1.
    pub share: f64,
    /// The first and the last hop that are as narrow, one after the other.
    pub last: usize,
}

/// A multicast group, and the way from the source to the destination.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Multicast {
    /// The group; the LID alone where no GID is known.
    pub mgid: Option<String>,
    /// Its LID.
    pub mlid: u16,
    /// Its P_Key, where it is known.
    pub pkey: Option<String>,
    /// Its SL, where it is known.
    pub sl: Option<u8>,
    /// Its MTU, in bytes.
    pub mtu: Option<u32>,
    /// Its rate.
    pub rate: Option<String>,
    /// Why there is no way.
    pub broken: Option<String>,
    /// The links.
    pub hops: Vec<Hop>,
}
