//! Faults: what can go wrong with links, nodes, datagrams and answers.
//!
//! Chances are drawn from the fabric's own generator, so that a seed and a sequence of calls give
//! the same faults each time. Faults of all nodes and faults of one node add up.

use std::collections::BTreeMap;

use lk_fabric::{NodeId, PortId};
use lk_wire::{Notice, Smp, Status};

use crate::prng::{Chance, Prng};

/// Which nodes a fault of datagrams is for: the nodes that are asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// All nodes.
    All,
    /// One node.
    Node(NodeId),
}

/// Which requests a [`Fault::Answer`] spoils.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Filter {
    /// Only this attribute; `None` is every one.
    pub attr: Option<u16>,
    /// Only this method, SubnGet or SubnSet; `None` is both.
    pub method: Option<u8>,
}

impl Filter {
    fn takes(&self, request: &Smp) -> bool {
        self.attr.is_none_or(|a| a == request.attr_id())
            && self.method.is_none_or(|m| m == request.method())
    }
}

/// How an answer is spoilt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spoil {
    /// The node refuses the request with this status and does nothing.
    Status(Status),
    /// 256 random bytes arrive.
    Noise,
    /// Header and route are right, the attribute's 64 bytes are random.
    NoiseData,
    /// The answer has another transaction identifier.
    WrongTid,
    /// The answer says that it is of another attribute.
    WrongAttribute,
    /// The answer has another attribute modifier.
    WrongModifier,
    /// The attribute's bytes from this one on (0 to 63) are zeros.
    Truncate(u8),
}

/// Something that goes wrong, or right again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Requests to these nodes are lost on the way.
    LoseRequests {
        /// Which nodes.
        scope: Scope,
        /// How often.
        chance: Chance,
    },
    /// Answers and traps of these nodes are lost on the way.
    LoseAnswers {
        /// Which nodes.
        scope: Scope,
        /// How often.
        chance: Chance,
    },
    /// Each datagram to and from these nodes takes a time from `min` to `max` nanoseconds.
    Delay {
        /// Which nodes.
        scope: Scope,
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Answers of these nodes arrive twice.
    Duplicate {
        /// Which nodes.
        scope: Scope,
        /// How often.
        chance: Chance,
    },
    /// Answers of these nodes are spoilt. Several can be set side by side; the first that is
    /// drawn counts.
    Answer {
        /// Which nodes.
        scope: Scope,
        /// To which requests.
        filter: Filter,
        /// How.
        spoil: Spoil,
        /// How often.
        chance: Chance,
    },
    /// Takes back all of the above for this scope.
    Heal(Scope),
    /// The node loses its power: its links go down, it answers nothing.
    PowerOff(NodeId),
    /// The node is switched on, with all that it held forgotten. A node that is on restarts.
    PowerOn(NodeId),
    /// The cable at this port is pulled.
    LinkDown(PortId),
    /// The cable at this port is put back.
    LinkUp(PortId),
    /// The link at this port goes down and comes up again by itself.
    LinkFlap(PortId),
    /// The node behind this port tells its subnet manager of an event.
    Trap {
        /// Port 0 of a switch or a port of an adapter.
        port: PortId,
        /// The event.
        notice: Notice,
    },
    /// Somebody gives the node another description; it tells its subnet manager by trap 144.
    Rename {
        /// The node.
        node: NodeId,
        /// The description.
        description: String,
    },
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Rules {
    lose_requests: Chance,
    lose_answers: Chance,
    delay: Option<(u64, u64)>,
    duplicate: Chance,
    answers: Vec<(Filter, Spoil, Chance)>,
}

/// The faults of datagrams that are set just now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Faults {
    rules: BTreeMap<Scope, Rules>,
}

impl Faults {
    /// Takes a fault in. Returns it where it is none of datagrams.
    pub(crate) fn set(&mut self, fault: Fault) -> Option<Fault> {
        match fault {
            Fault::LoseRequests { scope, chance } => self.at(scope).lose_requests = chance,
            Fault::LoseAnswers { scope, chance } => self.at(scope).lose_answers = chance,
            Fault::Delay { scope, min, max } => {
                self.at(scope).delay = ((min, max) != (0, 0)).then_some((min, max));
            }
            Fault::Duplicate { scope, chance } => self.at(scope).duplicate = chance,
            Fault::Answer { scope, filter, spoil, chance } => {
                self.at(scope).answers.push((filter, spoil, chance));
            }
            Fault::Heal(scope) => {
                self.rules.remove(&scope);
            }
            other => return Some(other),
        }
        None
    }

    fn at(&mut self, scope: Scope) -> &mut Rules {
        self.rules.entry(scope).or_default()
    }

    /// The rules that hold for a node.
    #[inline]
    fn of(&self, node: NodeId) -> impl Iterator<Item = &Rules> {
        [Scope::All, Scope::Node(node)].into_iter().filter_map(|scope| self.rules.get(&scope))
    }

    pub(crate) fn loses_request(&self, node: NodeId, prng: &mut Prng) -> bool {
        self.of(node).any(|r| prng.happens(r.lose_requests))
    }

    pub(crate) fn loses_answer(&self, node: NodeId, prng: &mut Prng) -> bool {
        self.of(node).any(|r| prng.happens(r.lose_answers))
    }

    pub(crate) fn duplicates(&self, node: NodeId, prng: &mut Prng) -> bool {
        self.of(node).any(|r| prng.happens(r.duplicate))
    }

    /// How long a datagram to or from a node is on its way, in nanoseconds.
    pub(crate) fn delay(&self, node: NodeId, prng: &mut Prng) -> u64 {
        let delays = self.of(node).filter_map(|r| r.delay);
        delays.fold(0, |sum: u64, (min, max)| sum.saturating_add(prng.between(min, max)))
    }

    /// How the answer to a request will be spoilt, if it will.
    pub(crate) fn spoil(&self, node: NodeId, request: &Smp, prng: &mut Prng) -> Option<Spoil> {
        let rules = self.of(node).flat_map(|r| &r.answers);
        let mut fitting = rules.filter(|(filter, _, _)| filter.takes(request));
        fitting.find(|(_, _, chance)| prng.happens(*chance)).map(|(_, spoil, _)| *spoil)
    }
}

impl Spoil {
    /// Spoils an answer that has come back to the client's port.
    pub(crate) fn apply(self, answer: &mut Smp, prng: &mut Prng) {
        // Never zero, so that the field is another one for sure.
        let mut other = || prng.next_u64() | 1;
        match self {
            Self::Status(_) => {}
            Self::Noise => prng.fill(&mut answer.0),
            Self::NoiseData => prng.fill(answer.data_mut()),
            Self::WrongTid => answer.set_raw_tid(answer.raw_tid() ^ (other() & 0xFFFF_FFFF)),
            Self::WrongAttribute => answer.set_attr_id(answer.attr_id() ^ (other() & 0xF) as u16),
            Self::WrongModifier => {
                answer.set_attr_modifier(answer.attr_modifier() ^ (other() & 0xFF) as u32);
            }
            Self::Truncate(keep) => {
                answer.data_mut().iter_mut().skip(usize::from(keep)).for_each(|b| *b = 0);
            }
        }
    }
}
