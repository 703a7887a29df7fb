//! Things that are due at a time: a heap whose order is time, then order of arrival.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entries that fall due. Two entries of one time come out in the order they went in, so that a
/// run never depends on the heap's inner order.
#[derive(Clone, Debug)]
pub(crate) struct Queue<T> {
    heap: BinaryHeap<Reverse<(u64, u64, usize)>>,
    entries: Vec<Option<T>>,
    free: Vec<usize>,
    next: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), entries: Vec::new(), free: Vec::new(), next: 0 }
    }
}

impl<T> Queue<T> {
    /// Puts an entry in, due at `at` nanoseconds.
    pub(crate) fn push(&mut self, at: u64, entry: T) {
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.entries.push(None);
                self.entries.len() - 1
            }
        };
        self.entries[place] = Some(entry);
        self.heap.push(Reverse((at, self.next, place)));
        self.next += 1;
    }

    /// When the earliest entry is due.
    pub(crate) fn next_time(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at, _, _))| *at)
    }

    /// Takes the earliest entry that is due by `now`, with its time.
    pub(crate) fn pop(&mut self, now: u64) -> Option<(u64, T)> {
        let due = self.next_time().is_some_and(|at| at <= now);
        let Reverse((at, _, place)) = if due { self.heap.pop()? } else { return None };
        self.free.push(place);
        self.entries[place].take().map(|entry| (at, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_first_then_order_of_arrival() {
        let mut q = Queue::default();
        for (at, name) in [(5, "c"), (1, "a"), (5, "d"), (3, "b")] {
            q.push(at, name);
        }
        assert_eq!((q.next_time(), q.pop(0)), (Some(1), None));
        let mut seen = Vec::new();
        while let Some((at, name)) = q.pop(5) {
            seen.push((at, name));
            if name == "a" {
                q.push(5, "e");
            }
        }
        assert_eq!(seen, [(1, "a"), (3, "b"), (5, "c"), (5, "d"), (5, "e")]);
        assert_eq!(q.entries.len(), 4, "places are used again");
    }
}
