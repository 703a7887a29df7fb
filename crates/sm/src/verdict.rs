//! The verdict on a routing as data, and in words. [`crate::decide`] makes it.

use std::fmt;

use serde::Serialize;

/// What is to be said of a routing. The JSON form of this is stable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verdict {
    /// Whether no packet between adapters or routers can wait for ever: no credit loop and no
    /// forwarding loop.
    pub deadlock_free: bool,
    /// LIDs of multicast groups whose trees were judged beside unicast.
    pub groups: usize,
    /// Whether each end port reaches each LID of every other end port.
    pub all_reached: bool,
    /// The longest way, in hops between switches.
    pub max_hops: u16,
    /// The SLs of the traffic that was judged.
    pub sls: Vec<u8>,
    /// The lanes (VLs) that this traffic can be on between switches.
    pub lanes: Vec<u8>,
    /// Links between switches, by direction and lane, on which packets wait or are waited for.
    pub channels: u64,
    /// Pairs of these of which a packet can hold the first and wait for the second.
    pub waits: u64,
    /// A shortest credit loop; empty if there is none.
    pub circle: Vec<Step>,
    /// A shortest credit loop that is there only if adapters send to switches on data lanes too, or
    /// switches to them, as perfquery does from every host at a time; empty if there is none, or
    /// one without that.
    pub switch_circle: Vec<Step>,
    /// LIDs for which the tables go round, and the first few of them.
    pub forwarding_loops: Named<Round>,
    /// LIDs that some end port does not reach, and the first few of them.
    pub unreached: Named<Lost>,
    /// SLs of this traffic that the SL2VL table of some switch drops (VL 15).
    pub dropped_sls: Vec<u8>,
    /// What becomes of it if programs send with any SL, without asking the SA.
    pub any_sl: AnySl,
}

/// What there is in all, and the first few with their names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Named<T> {
    /// How many LIDs.
    pub lids: usize,
    /// The first of them, at most ten.
    pub first: Vec<T>,
}

/// A packet of a credit loop: it holds a link and waits for that of the next one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// The sending end of the link, as `node/port`.
    pub from: String,
    /// Its node's GUID, as in `0x…`.
    pub from_guid: String,
    /// Its port's number.
    pub from_port: u8,
    /// The receiving end of the link.
    pub to: String,
    /// The lane.
    pub vl: u8,
    /// The SL of the packet.
    pub sl: u8,
    /// The port that sends such packets.
    pub source: String,
    /// The port that they go to, or the multicast group.
    pub destination: String,
    /// The LID that they go to.
    pub lid: u16,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, vl, sl, source, destination, lid, .. } = self;
        write!(f, "{from} -> {to} on VL {vl}: {source} to {destination}, LID {lid}, SL {sl}")
    }
}

/// A forwarding loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Round {
    /// The LID.
    pub lid: u16,
    /// The switches of the loop, in the order in which a packet meets them.
    pub switches: Vec<String>,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LID {} goes round through {}", self.lid, self.switches.join(", "))
    }
}

/// A LID that is not reached from everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lost {
    /// The LID.
    pub lid: u16,
    /// The port that has it.
    pub port: String,
    /// From how many switches it is not reached.
    pub from_switches: u32,
    /// The first of these.
    pub first_switch: String,
    /// What becomes of a packet from there.
    pub why: &'static str,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lid, port, from_switches, first_switch, why } = self;
        let s = if *from_switches == 1 { "switch" } else { "switches" };
        write!(
            f,
            "LID {lid} ({port}) is not reached from {from_switches} {s}, the first of them \
             {first_switch}: the packet {why}"
        )
    }
}

/// The verdict on traffic with any SL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnySl {
    /// No credit loop with any SL.
    Free,
    /// Some SL, or some together, can make a credit loop.
    Loop,
    /// SL2VL tables are not known, so nobody can say.
    Unknown,
}

impl Verdict {
    /// Whether there is nothing to complain of.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.deadlock_free && self.all_reached && self.dropped_sls.is_empty()
    }

    /// The verdict as lines for a person.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        let lanes = match self.lanes.as_slice() {
            [] => String::new(),
            [one] => format!(" on VL {one}"),
            [first, .., last] => format!(" on {} lanes, VL {first} to {last}", self.lanes.len()),
        };
        if self.circle.is_empty() {
            let groups = match self.groups {
                0 => String::new(),
                1 => ", of 1 multicast LID among them,".to_owned(),
                n => format!(", of {n} multicast LIDs among them,"),
            };
            lines.push(format!(
                "no credit loop: {} waits{lanes}{groups} close no circle",
                self.waits
            ));
        } else {
            let n = self.circle.len();
            lines.push(format!(
                "CREDIT LOOP of {n} links: each packet holds its link and waits for the next one"
            ));
            lines.extend(self.circle.iter().map(|step| format!("  {step}")));
        }
        if !self.switch_circle.is_empty() {
            lines.push(
                "a credit loop is possible if adapters and switches send to each other as well:"
                    .into(),
            );
            lines.extend(self.switch_circle.iter().map(|step| format!("  {step}")));
        }
        lines.push(if self.all_reached {
            format!("every end port reaches every other, in at most {} hops", self.max_hops)
        } else {
            format!("NOT REACHED by some end port: {} LIDs", self.unreached.lids)
        });
        lines.extend(named(&self.unreached));
        if self.forwarding_loops.lids > 0 {
            lines.push(format!("FORWARDING LOOPS for {} LIDs", self.forwarding_loops.lids));
            lines.extend(named(&self.forwarding_loops));
        }
        if !self.dropped_sls.is_empty() {
            lines.push(format!("DROPPED by some switch (VL 15): SL {}", list(&self.dropped_sls)));
        }
        match (self.any_sl, self.deadlock_free) {
            (AnySl::Free, _) => lines.push("the same holds for programs that use any SL".into()),
            (AnySl::Loop, true) => {
                lines.push("a credit loop is possible if programs choose SLs themselves".into());
            }
            (AnySl::Loop | AnySl::Unknown, _) => {}
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }
}

/// Some of the LIDs, and how many more there are.
fn named<T: fmt::Display>(all: &Named<T>) -> Vec<String> {
    let mut lines: Vec<String> = all.first.iter().map(|one| format!("  {one}")).collect();
    if all.lids > all.first.len() {
        lines.push(format!("  and {} more", all.lids - all.first.len()));
    }
    lines
}

/// Numbers with commas between them.
fn list(numbers: &[u8]) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}
