//! Requests that wait for their turn: each client has its own line, and the lines take turns.
//!
//! A client that asks faster than it can be answered fills its own line and is told that the
//! server is busy; the others wait no longer for that. The room is large: to a client in the
//! Linux kernel an answer that says busy is a failure, where a late answer is one, so a request
//! is better kept than refused.

use std::collections::VecDeque;
use std::hash::Hasher;

use lk_wire::Lid;
use rustc_hash::{FxHashMap, FxHasher};

use crate::io::GsiAddress;
use crate::time::Instant;

/// How much of the room that is left one client may have: a line is at most this part of it.
///
/// While there is much room a line may have all of [`Bounds::each`]; when it gets scarce, those
/// that have many requests waiting are the first who get no more.
const SHARE: usize = 64;

/// Bounds of the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most requests of one client that wait.
    pub each: usize,
    /// The most requests that wait, besides the first one of each client.
    pub all: usize,
}

impl Default for Bounds {
    /// Room for a hundred requests of each of ten thousand clients, about 200 bytes each.
    fn default() -> Self {
        Self { each: 256, all: 1 << 20 }
    }
}

impl Bounds {
    /// How many requests of one client may wait where `count` wait in all.
    fn line(self, count: usize) -> usize {
        self.each.min((self.all.saturating_sub(count) / SHARE).max(1))
    }
}

/// A request that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The base LID of the port that has asked: whose line it is in.
    pub client: Lid,
    /// Where the answer goes.
    pub from: GsiAddress,
    /// What it asks.
    pub request: Packed,
    /// When it came in, or was last asked again.
    pub since: Instant,
}

/// A message without the zeros at its end: most of a request's record is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    length: u32,
    /// Tells nearly all messages apart without a look at their bytes.
    print: u32,
    kept: Box<[u8]>,
}

impl Packed {
    /// Keeps a message.
    #[must_use]
    pub fn new(message: &[u8]) -> Self {
        let kept = message.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let kept = &message[..kept];
        let mut print = FxHasher::default();
        print.write(kept);
        Self { length: message.len() as u32, print: print.finish() as u32, kept: kept.into() }
    }

    /// The whole message, in place of what `into` holds.
    pub fn unpack(&self, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(&self.kept);
        into.resize(self.length as usize, 0);
    }
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// It waits for its turn.
    Waits,
    /// It waits already: its client has sent it again.
    Again,
    /// There is no room for it.
    Full,
}

/// The lines of all clients.
#[derive(Debug, Default)]
pub struct Queue {
    lines: FxHashMap<Lid, VecDeque<Waiting>>,
    /// Whose line is next.
    turns: VecDeque<Lid>,
    count: usize,
}

impl Queue {
    /// Puts a request at the end of its client's line, where there is room.
    pub fn push(&mut self, bounds: Bounds, request: Waiting) -> Pushed {
        // A client that has no request waiting may have one even where the queue is full of
        // those of others.
        let longest = bounds.line(self.count);
        let line = self.lines.entry(request.client).or_default();
        let same = |w: &&mut Waiting| w.request == request.request && w.from == request.from;
        if let Some(waiting) = line.iter_mut().find(same) {
            waiting.since = request.since;
            return Pushed::Again;
        }
        if line.len() >= longest {
            return Pushed::Full;
        }
        if line.is_empty() {
            self.turns.push_back(request.client);
        }
        line.push_back(request);
        self.count += 1;
        Pushed::Waits
    }

    /// The request whose turn it is.
    pub fn pop(&mut self) -> Option<Waiting> {
        let client = self.turns.pop_front()?;
        let line = self.lines.get_mut(&client)?;
        let request = line.pop_front()?;
        self.count -= 1;
        if line.is_empty() {
            self.lines.remove(&client);
        } else {
            self.turns.push_back(client);
        }
        Some(request)
    }

    /// How many wait.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether none waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { each: 3, all: 5 * SHARE };

    fn request(lid: u16, number: u8) -> Waiting {
        let (client, from) = (Lid(lid), GsiAddress { lid: Lid(lid), ..GsiAddress::default() });
        Waiting { client, from, request: Packed::new(&[number]), since: Instant(0) }
    }

    fn push(queue: &mut Queue, lid: u16, number: u8) -> Pushed {
        queue.push(BOUNDS, request(lid, number))
    }

    fn order(queue: &mut Queue) -> Vec<(u16, u8)> {
        std::iter::from_fn(|| queue.pop()).map(|w| (w.client.0, w.request.kept[0])).collect()
    }

    #[test]
    fn clients_take_turns() {
        let mut queue = Queue::default();
        for (lid, number) in [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)] {
            assert_eq!(push(&mut queue, lid, number), Pushed::Waits);
        }
        assert_eq!(queue.len(), 5);
        assert_eq!(order(&mut queue), [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)]);
        assert!(queue.is_empty() && queue.lines.is_empty() && queue.turns.is_empty());
    }

    #[test]
    fn a_line_has_a_bound() {
        let mut queue = Queue::default();
        for number in 1..=3 {
            assert_eq!(push(&mut queue, 1, number), Pushed::Waits);
        }
        assert_eq!(push(&mut queue, 1, 4), Pushed::Full);
        assert_eq!(push(&mut queue, 2, 1), Pushed::Waits);
        assert_eq!(order(&mut queue), [(1, 1), (2, 1), (1, 2), (1, 3)]);
    }

    #[test]
    fn where_room_is_scarce_a_line_is_short_and_nobody_is_left_without() {
        let mut queue = Queue::default();
        let waits = |queue: &mut Queue, lid| {
            (1..=3).filter(|n| push(queue, lid, *n) == Pushed::Waits).count()
        };
        let lines: Vec<usize> = (1..=400).map(|lid| waits(&mut queue, lid)).collect();
        assert!(lines.is_sorted_by(|a, b| a >= b));
        assert_eq!((lines[0], lines[399]), (3, 1));
        let most = |length| lines.iter().filter(|l| **l == length).count();
        assert_eq!(most(3), 43, "until 64 * 3 of 320 places are left");
        assert_eq!(most(2), 32, "until 64 * 2 are left");
        assert_eq!(queue.len(), 43 * 3 + 32 * 2 + 325, "the first request of a client waits");
    }

    #[test]
    fn what_is_sent_again_waits_once_and_no_longer_than_it_has_to() {
        let mut queue = Queue::default();
        push(&mut queue, 1, 1);
        push(&mut queue, 1, 2);
        let again = Waiting { since: Instant(7), ..request(1, 1) };
        assert_eq!(queue.push(BOUNDS, again), Pushed::Again);
        let mut elsewhere = request(1, 1);
        elsewhere.from.qp = 77;
        assert_eq!(queue.push(BOUNDS, elsewhere), Pushed::Waits, "another program of that host");
        assert_eq!(queue.len(), 3);
        assert_eq!(queue.pop().unwrap().since, Instant(7));
        assert_eq!(push(&mut queue, 1, 1), Pushed::Waits, "its turn is over");
    }

    #[test]
    fn a_message_is_kept_whole() {
        let mut whole = vec![9; 3];
        for message in [&[][..], &[0; 256], &[1, 0, 2, 0, 0], &[5; 300]] {
            Packed::new(message).unpack(&mut whole);
            assert_eq!(whole, message);
        }
        assert_ne!(Packed::new(&[1, 0]), Packed::new(&[1, 0, 0]));
        assert_eq!(Packed::new(&[1, 0, 0]).kept.len(), 1);
    }
}
