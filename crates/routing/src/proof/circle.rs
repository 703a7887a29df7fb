//! Looks for a circle among the edges.

use std::collections::VecDeque;

use super::waits::{Channel, Waits};

/// A shortest circle, or `None` if there is none. Of several it is the one through the channel
/// with the lowest number.
pub(super) fn shortest(waits: &Waits) -> Option<Vec<Channel>> {
    let core = core(waits);
    let n = core.len();
    let mut search = Search { waits, core: &core, seen: vec![0; n], parent: vec![0; n], round: 0 };
    let mut best: Option<Vec<Channel>> = None;
    for start in (0..n).filter(|channel| core[*channel]) {
        let limit = best.as_ref().map_or(usize::MAX, Vec::len);
        if let Some(circle) = search.through(start, limit) {
            best = Some(circle);
        }
    }
    best
}

/// The place of each channel in an order in which all edges lead forward; `None` if there is a
/// circle.
pub(super) fn order(waits: &Waits) -> Option<Vec<u32>> {
    let n = waits.channels();
    let mut before = vec![0_u32; n];
    for to in (0..n).flat_map(|from| waits.after(from)) {
        before[to] += 1;
    }
    let mut queue: Vec<usize> = (0..n).filter(|c| before[*c] == 0).collect();
    let mut places = vec![0; n];
    let mut placed = 0;
    while let Some(from) = queue.pop() {
        places[from] = placed;
        placed += 1;
        for to in waits.after(from) {
            before[to] -= 1;
            if before[to] == 0 {
                queue.push(to);
            }
        }
    }
    (placed as usize == n).then_some(places)
}

/// Whether there is no circle.
pub(super) fn is_free(waits: &Waits) -> bool {
    order(waits).is_some()
}

/// The channels that are left when those that nobody waits for, and those that wait for nobody,
/// are taken away again and again (Kahn's way, from both ends): all circles are among them.
fn core(waits: &Waits) -> Vec<bool> {
    let n = waits.channels();
    let mut left = vec![true; n];
    let mut before = vec![0_u32; n];
    for to in (0..n).flat_map(|from| waits.after(from)) {
        before[to] += 1;
    }
    let mut queue: Vec<usize> = (0..n).filter(|c| before[*c] == 0).collect();
    while let Some(from) = queue.pop() {
        left[from] = false;
        for to in waits.after(from) {
            before[to] -= 1;
            if before[to] == 0 {
                queue.push(to);
            }
        }
    }
    // The same against the edges, among those that are left.
    let inside = |from: usize| waits.after(from).filter(|to| left[*to]);
    let mut back: Vec<(usize, usize)> = (0..n)
        .filter(|c| left[*c])
        .flat_map(|from| inside(from).map(move |to| (to, from)))
        .collect();
    back.sort_unstable();
    let mut after: Vec<usize> =
        (0..n).map(|from| if left[from] { inside(from).count() } else { 0 }).collect();
    let mut queue: Vec<usize> = (0..n).filter(|c| left[*c] && after[*c] == 0).collect();
    while let Some(to) = queue.pop() {
        left[to] = false;
        let first = back.partition_point(|(t, _)| *t < to);
        for (_, from) in back[first..].iter().take_while(|(t, _)| *t == to) {
            after[*from] -= 1;
            if after[*from] == 0 {
                queue.push(*from);
            }
        }
    }
    left
}

/// Searches by breadth. Marks are kept from one to the next, with the number of the search.
struct Search<'a> {
    waits: &'a Waits,
    core: &'a [bool],
    seen: Vec<u32>,
    parent: Vec<u32>,
    round: u32,
}

impl Search<'_> {
    /// The shortest circle through a channel and others with higher numbers, if it has fewer than
    /// `limit` channels. Circles through lower ones were looked for before.
    fn through(&mut self, start: usize, limit: usize) -> Option<Vec<Channel>> {
        self.round += 1;
        let mut queue = VecDeque::from([(start, 1)]);
        while let Some((at, length)) = queue.pop_front() {
            if length >= limit {
                return None;
            }
            for next in self.waits.after(at) {
                if next == start {
                    return Some(self.path(start, at));
                }
                if next > start && self.core[next] && self.seen[next] != self.round {
                    self.seen[next] = self.round;
                    self.parent[next] = at as u32;
                    queue.push_back((next, length + 1));
                }
            }
        }
        None
    }

    fn path(&self, start: usize, end: usize) -> Vec<Channel> {
        let mut path = vec![self.waits.channel(end)];
        let mut at = end;
        while at != start {
            at = self.parent[at] as usize;
            path.push(self.waits.channel(at));
        }
        path.reverse();
        path
    }
}
