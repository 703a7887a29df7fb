//! What the fabric has counted: requests by attribute, and what was lost and why.

use std::fmt;

use lk_wire::{attr, method};

/// Why a datagram did not arrive. A real fabric drops it without a word in all these cases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Lost {
    /// The hop pointer or the hop count makes no sense (IBA 14.2.2), or a path asks an adapter
    /// to pass a datagram on.
    HopPointer,
    /// The path names a port that the node does not have.
    NoSuchPort,
    /// The link is down, or nothing is cabled to the port.
    LinkDown,
    /// The sender or the addressed node is switched off.
    NodeDead,
    /// A forwarding table has no port for the LID, or the LID is not a unicast one.
    NoRoute,
    /// The datagram went through too many switches.
    Loop,
    /// It came to an end port that does not have the LID.
    WrongLid,
    /// The M_Key did not allow it (IBA 14.2.4).
    MKey,
    /// A fault that was set ate the request.
    FaultRequest,
    /// A fault that was set ate the answer.
    FaultAnswer,
    /// No client is attached to the port it came to.
    NoClient,
    /// A method that nobody answers: a response or a send that reached an agent.
    NotARequest,
    /// The lane that SL2VL gives is VL15 or not in operation.
    Lane,
    /// Sender and receiver share no P_Key.
    PKey,
    /// The Q_Key is not that of QP1.
    QKey,
}

impl Lost {
    /// All reasons, in the order of their declaration.
    pub const ALL: [Self; 15] = [
        Self::HopPointer,
        Self::NoSuchPort,
        Self::LinkDown,
        Self::NodeDead,
        Self::NoRoute,
        Self::Loop,
        Self::WrongLid,
        Self::MKey,
        Self::FaultRequest,
        Self::FaultAnswer,
        Self::NoClient,
        Self::NotARequest,
        Self::Lane,
        Self::PKey,
        Self::QKey,
    ];
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HopPointer => "unreasonable hop pointer",
            Self::NoSuchPort => "no such port",
            Self::LinkDown => "link down",
            Self::NodeDead => "node switched off",
            Self::NoRoute => "no route",
            Self::Loop => "too many hops",
            Self::WrongLid => "not this port's LID",
            Self::MKey => "wrong M_Key",
            Self::FaultRequest => "request lost by a fault",
            Self::FaultAnswer => "answer lost by a fault",
            Self::NoClient => "no client at the port",
            Self::NotARequest => "not a request",
            Self::Lane => "no lane for its service level",
            Self::PKey => "no common P_Key",
            Self::QKey => "wrong Q_Key",
        })
    }
}

/// The attributes that are counted one by one; all others share the last row.
const COUNTED: [u16; 16] = [
    attr::NODE_DESCRIPTION,
    attr::NODE_INFO,
    attr::SWITCH_INFO,
    attr::GUID_INFO,
    attr::PORT_INFO,
    attr::PKEY_TABLE,
    attr::SL2VL,
    attr::VLARB,
    attr::LFT,
    attr::MFT,
    attr::SM_INFO,
    attr::NOTICE,
    attr::VENDOR_DIAG,
    attr::LED_INFO,
    attr::MLNX_EXT_PORT_INFO,
    0,
];

/// Counters since the fabric was made.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Datagrams handed in by clients.
    pub sent: u64,
    /// Answers that agents gave, also those with an error status.
    pub answered: u64,
    /// Answers with a status other than 0.
    pub refused: u64,
    /// Traps sent for the first time.
    pub traps: u64,
    /// Traps sent again because no TrapRepress came.
    pub trap_repeats: u64,
    /// Traps ended by a TrapRepress.
    pub traps_repressed: u64,
    /// Links that went down, counted once for each time.
    pub links_lost: u64,
    gets: [u64; COUNTED.len()],
    sets: [u64; COUNTED.len()],
    lost: [u64; Lost::ALL.len()],
}

impl Stats {
    /// SubnGets of an attribute that reached an agent. Attributes that the simulator does not
    /// know are counted together, under any of their numbers.
    #[must_use]
    pub fn gets(&self, attr: u16) -> u64 {
        self.gets[row(attr)]
    }

    /// SubnSets of an attribute that reached an agent, counted as [`Self::gets`] is.
    #[must_use]
    pub fn sets(&self, attr: u16) -> u64 {
        self.sets[row(attr)]
    }

    /// All SubnGets that reached an agent.
    #[must_use]
    pub fn all_gets(&self) -> u64 {
        self.gets.iter().sum()
    }

    /// All SubnSets that reached an agent.
    #[must_use]
    pub fn all_sets(&self) -> u64 {
        self.sets.iter().sum()
    }

    /// Datagrams lost for this reason.
    #[must_use]
    pub fn lost(&self, why: Lost) -> u64 {
        self.lost[why as usize]
    }

    /// Datagrams lost for any reason.
    #[must_use]
    pub fn all_lost(&self) -> u64 {
        self.lost.iter().sum()
    }

    pub(crate) fn count_request(&mut self, request: u8, attr: u16) {
        match request {
            method::GET => self.gets[row(attr)] += 1,
            method::SET => self.sets[row(attr)] += 1,
            _ => {}
        }
    }

    pub(crate) fn count_lost(&mut self, why: Lost) {
        self.lost[why as usize] += 1;
    }
}

fn row(attr: u16) -> usize {
    COUNTED.iter().position(|a| *a == attr).unwrap_or(COUNTED.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_attribute() {
        let mut s = Stats::default();
        s.count_request(method::GET, attr::LFT);
        s.count_request(method::SET, attr::LFT);
        s.count_request(method::SET, 0x7777);
        s.count_request(method::TRAP, attr::NOTICE);
        assert_eq!((s.gets(attr::LFT), s.sets(attr::LFT), s.sets(0x8888)), (1, 1, 1));
        assert_eq!((s.all_gets(), s.all_sets()), (1, 2));
    }

    #[test]
    fn each_reason_has_its_own_counter() {
        let mut s = Stats::default();
        for (i, why) in Lost::ALL.into_iter().enumerate() {
            assert_eq!(why as usize, i);
            s.count_lost(why);
            assert_eq!((s.lost(why), s.all_lost()), (1, i as u64 + 1));
        }
    }
}
