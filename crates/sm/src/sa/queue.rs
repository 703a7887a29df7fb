//! Requests that wait for their turn: each client has its own line, and the lines take turns.
//!
//! A client that asks faster than it can be answered fills its own line and is told that the
//! server is busy; the others wait no longer for that.

use std::collections::VecDeque;

use lk_wire::Lid;
use rustc_hash::FxHashMap;

use crate::io::GsiAddress;
use crate::time::{Duration, Instant};

/// Bounds of the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most requests of one client that wait.
    pub each: usize,
    /// The most requests that wait.
    pub all: usize,
    /// How long a request may wait.
    pub patience: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { each: 256, all: 65_536, patience: Duration::secs(10) }
    }
}

/// A request that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The base LID of the port that has asked: whose line it is in.
    pub client: Lid,
    /// Where the answer goes.
    pub from: GsiAddress,
    /// The whole message.
    pub bytes: Box<[u8]>,
    /// When it came in.
    pub since: Instant,
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
    /// Puts a request at the end of its client's line; gives it back where there is no room.
    ///
    /// # Errors
    /// The client's line or the whole queue is full.
    pub fn push(&mut self, bounds: Bounds, request: Waiting) -> Result<(), Waiting> {
        let line = self.lines.entry(request.client).or_default();
        // A client that has no request waiting may have one even where the queue is full of
        // those of others.
        if line.len() >= bounds.each || (self.count >= bounds.all && !line.is_empty()) {
            return Err(request);
        }
        if line.is_empty() {
            self.turns.push_back(request.client);
        }
        line.push_back(request);
        self.count += 1;
        Ok(())
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

    const BOUNDS: Bounds = Bounds { each: 3, all: 5, patience: Duration::secs(1) };

    fn request(lid: u16, number: u8) -> Waiting {
        let (client, from) = (Lid(lid), GsiAddress::default());
        Waiting { client, from, bytes: Box::new([number]), since: Instant(0) }
    }

    fn order(queue: &mut Queue) -> Vec<(u16, u8)> {
        std::iter::from_fn(|| queue.pop()).map(|w| (w.client.0, w.bytes[0])).collect()
    }

    #[test]
    fn clients_take_turns() {
        let mut queue = Queue::default();
        for (lid, number) in [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)] {
            queue.push(BOUNDS, request(lid, number)).unwrap();
        }
        assert_eq!(queue.len(), 5);
        assert_eq!(order(&mut queue), [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)]);
        assert!(queue.is_empty() && queue.lines.is_empty() && queue.turns.is_empty());
    }

    #[test]
    fn a_line_has_a_bound_and_so_has_the_queue() {
        let mut queue = Queue::default();
        for number in 0..3 {
            queue.push(BOUNDS, request(1, number)).unwrap();
        }
        assert_eq!(queue.push(BOUNDS, request(1, 3)), Err(request(1, 3)));
        queue.push(BOUNDS, request(2, 0)).unwrap();
        queue.push(BOUNDS, request(2, 1)).unwrap();
        assert!(queue.push(BOUNDS, request(2, 2)).is_err(), "the queue is full");
        queue.push(BOUNDS, request(3, 0)).expect("whoever has nothing waiting may ask");
        assert_eq!(order(&mut queue), [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2)]);
    }
}
