//! Events that need more than a line to be said.

use lk_wire::PKey;

use super::Event;
use crate::verdict::Step;

fn policy_refused(file: &str, kept: bool) -> String {
    let counts = if kept { "the last good one counts" } else { "there is none" };
    format!("the QoS policy {file} cannot be used: {counts}")
}

impl Event {
    /// What cannot be as it should; nothing where the event is about something else.
    pub(super) fn lack(&self) -> String {
        match self {
            Self::PolicyRefused { file, kept } => policy_refused(file, *kept),
            Self::NotRouted => {
                "no routing engine of the list routes the fabric, and minhop may not stand in \
                 (no_fallback is set, or a name is wrong): nothing is changed"
                    .to_owned()
            }
            Self::NoPath { from, to, back, why, held } => {
                let back = if *back { " and back" } else { "" };
                let held = match held {
                    0 => String::new(),
                    n => format!(" ({n} more such queries before this one)"),
                };
                format!(
                    "a query for a path from {from:?} to {to:?}{back} has no record: {why}{held}"
                )
            }
            Self::GroupNotMade { .. } | Self::GroupCut { .. } | Self::GroupSl { .. } => {
                self.of_groups()
            }
            Self::WouldStandBy(name) => format!(
                "another SM is, or will be, master at {name}: this one would stand by and change \
                 nothing of what is planned"
            ),
            _ => self.shortage(),
        }
    }

    /// What there is to say of multicast groups; nothing where the event is about something else.
    fn of_groups(&self) -> String {
        match self {
            Self::GroupNotMade { mgid, why } => {
                format!("the multicast group {mgid} of partitions.conf is not made: {why}")
            }
            Self::GroupCut { mlid, switches, first } => format!(
                "the groups with multicast LID 0x{:04x} do not reach their members on {switches} \
                 switches, the first of them {first}: no way of switches that forward multicast \
                 leads there",
                mlid.0
            ),
            Self::GroupSl { mlid, sl } => format!(
                "a group with multicast LID 0x{:04x} uses SL {sl}: on a torus only groups with SL 0 \
                 or 8 are safe from deadlock. Set sl=0 for its partition",
                mlid.0
            ),
            _ => String::new(),
        }
    }

    /// What there is too little of; nothing where the event is about something else.
    fn shortage(&self) -> String {
        match self {
            Self::LidsExhausted { ports } => format!(
                "{ports} ports get no LID: all unicast LIDs up to 49151 are taken. A smaller lmc or \
                 a second subnet is needed"
            ),
            Self::PKeysLeftOut { port, capacity, keys } => {
                let keys: Vec<String> = keys.iter().map(PKey::to_string).collect();
                format!(
                    "port {port} holds {capacity} P_Keys and does not get {}: take it out of some \
                     partitions",
                    keys.join(", ")
                )
            }
            Self::NotEnforced { port, keys, capacity } => format!(
                "switch port {port} holds {capacity} P_Keys, not the {keys} of the port behind it: \
                 it does not check P_Keys"
            ),
            _ => String::new(),
        }
    }

    /// What there is to say of the routes; nothing where the event is about something else.
    pub(super) fn verdict(&self) -> String {
        match self {
            Self::Proved { waits, lanes } => {
                let lanes =
                    if *lanes == 1 { "1 lane".to_owned() } else { format!("{lanes} lanes") };
                format!("proved: no credit loop, {waits} waits on {lanes} close no circle")
            }
            Self::CreditLoop { engine, circle } => format!(
                "credit loop: the routes of {engine} can deadlock. Packets hold these {} links \
                 and wait for the next one in a circle: {}. They are applied all the same, as \
                 opensm does; routing_engine updn never makes such a loop where it can route",
                circle.len(),
                circle.iter().map(Step::to_string).collect::<Vec<_>>().join("; then ")
            ),
            Self::ForwardingLoops { engine, lids, first } => format!(
                "the routes of {engine} go round in a circle for {lids} LIDs; the first: {first}"
            ),
            Self::NotReached { engine, lids, first } => format!(
                "by the routes of {engine} some end ports do not reach {lids} LIDs; the first: \
                 {first}"
            ),
            _ => String::new(),
        }
    }
}
