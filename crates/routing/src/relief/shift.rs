//! Moving entries of one LID off a link.

use lk_wire::PortNum;

use super::{Goal, Relief, Turning};

/// A switch whose packets for a LID go over the link that is relieved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    switch: u32,
    /// The place of the switch that it sends to among the pieces.
    next: u32,
    /// The directed link by which it sends, by its number among all.
    link: u32,
    /// End ports whose packets come through it.
    weight: u64,
    /// The places among the pieces of those that send to it, one after the other.
    first: u32,
    end: u32,
    /// Whether its packets go another way now.
    gone: bool,
}

/// Buffers that are kept from one LID to the next.
#[derive(Clone, Default, Debug)]
pub(super) struct Room {
    /// The switch before the link, then those that send to it, level by level.
    pieces: Vec<Piece>,
    old: Way,
    new: Way,
    best: Way,
    /// Switches that are still to be looked at.
    open: Vec<u32>,
}

/// Switches and the directed links by which they send.
type Way = Vec<(u32, u32)>;

impl<T: Turning> Relief<'_, T> {
    /// Moves entries of a LID so that fewer of its routes go over a link, as long as that is above
    /// the limit: at the switch before it if that can be, else at switches before that.
    pub(super) fn lid(
        &mut self,
        (s, number): (usize, usize),
        goal: Goal,
        limit: u64,
        room: &mut Room,
    ) {
        if !self.find_pieces((s, number), goal, room) {
            return;
        }
        for at in 0..room.pieces.len() {
            let piece = room.pieces[at];
            if at > 0 && room.pieces[piece.next as usize].gone {
                room.pieces[at].gone = true;
                continue;
            }
            if piece.weight == 0 || !self.find_best(s, at, goal, limit, room) {
                continue;
            }
            self.shift(piece, goal, room);
            room.pieces[at].gone = true;
            let mut on = at;
            while on > 0 {
                on = room.pieces[on].next as usize;
                room.pieces[on].weight -= piece.weight;
            }
            if self.load[number] <= limit || self.looks == 0 {
                return;
            }
        }
    }

    /// The port by which a switch sends to a LID.
    fn port(&self, s: usize, goal: Goal) -> PortNum {
        PortNum(self.entries.port(s, goal.lid.0))
    }

    /// Finds all switches whose packets for a LID go over a link. False if the LID goes round.
    fn find_pieces(&mut self, (s, number): (usize, usize), goal: Goal, room: &mut Room) -> bool {
        let pieces = &mut room.pieces;
        let hosts = |s: usize| self.graph.hosts(s).len() as u64;
        pieces.clear();
        let (switch, link) = (s as u32, number as u32);
        let (weight, gone) = (hosts(s), false);
        pieces.push(Piece { switch, next: 0, link, weight, first: 0, end: 0, gone });
        let mut at = 0;
        while at < pieces.len() {
            pieces[at].first = pieces.len() as u32;
            for link in self.graph.links(pieces[at].switch as usize) {
                let peer = link.peer.index();
                if self.port(peer, goal) != link.peer_port {
                    continue;
                }
                let Some(back) = self.graph.link_at(peer, link.peer_port) else { continue };
                let (switch, next) = (link.peer.0, at as u32);
                let link = (self.graph.first_link(peer) + back) as u32;
                let weight = hosts(peer);
                pieces.push(Piece { switch, next, link, weight, first: 0, end: 0, gone });
            }
            pieces[at].end = pieces.len() as u32;
            let looks = self.graph.links(pieces[at].switch as usize).len();
            self.looks = self.looks.saturating_sub(looks);
            if pieces.len() > self.graph.len() {
                return false;
            }
            at += 1;
        }
        for at in (1..pieces.len()).rev() {
            let Piece { next, weight, .. } = pieces[at];
            pieces[next as usize].weight += weight;
        }
        true
    }

    /// Follows a LID from a switch on, which it leaves by `link` if that is given. False if it does
    /// not arrive.
    fn follow(&self, s: usize, link: Option<usize>, goal: Goal, way: &mut Way) -> bool {
        way.clear();
        let (mut at, mut first) = (s, link);
        while at != goal.home as usize {
            let link = first.take().or_else(|| self.graph.link_at(at, self.port(at, goal)));
            let Some(link) = link.filter(|_| way.len() < self.graph.len()) else { return false };
            way.push((at as u32, (self.graph.first_link(at) + link) as u32));
            at = self.graph.links(at)[link].peer.index();
        }
        true
    }

    /// Follows a LID from a switch by a link until it comes to another way: the load of the fullest
    /// link up to there, and at which place of the other way that is; behind its end if it is the
    /// LID's own switch. Nothing if a link is not below `room`, or the LID does not arrive.
    fn meet(
        &self,
        (s, link): (usize, usize),
        goal: Goal,
        room: u64,
        other: &Way,
        way: &mut Way,
    ) -> Option<(u64, usize)> {
        way.clear();
        let (mut at, mut link, mut fullest) = (s, Some(link), 0);
        loop {
            let place = link.filter(|_| way.len() < self.graph.len())?;
            let number = self.graph.first_link(at) + place;
            fullest = fullest.max(self.load[number]);
            if fullest >= room {
                return None;
            }
            way.push((at as u32, number as u32));
            at = self.graph.links(at)[place].peer.index();
            if at == goal.home as usize {
                return Some((fullest, other.len()));
            }
            if let Some(met) = other[1..].iter().position(|(switch, _)| *switch == at as u32) {
                return Some((fullest, met + 1));
            }
            link = self.graph.link_at(at, self.port(at, goal));
        }
    }

    /// Finds the best other step for a piece: one by which its packets come to no link that is
    /// above the limit then, and not to the switch that is relieved.
    fn find_best(
        &mut self,
        relieved: usize,
        at: usize,
        goal: Goal,
        limit: u64,
        room: &mut Room,
    ) -> bool {
        let Room { pieces, old, new, best, open } = room;
        let piece = pieces[at];
        let s = piece.switch as usize;
        self.looks = self.looks.saturating_sub(self.graph.links(s).len());
        // The place of the relieved switch on the way as it is, which is not followed in vain.
        let mut end = None;
        let mut least = None;
        for link in 0..self.graph.links(s).len() {
            let number = self.graph.first_link(s) + link;
            if number == piece.link as usize
                || self.load[number] + piece.weight > limit
                || !self.distances.leads(self.graph, goal.home as usize, s, link)
            {
                continue;
            }
            if end.is_none() {
                let follows = self.follow(s, None, goal, old);
                self.looks = self.looks.saturating_sub(old.len());
                end = old.iter().position(|(switch, _)| follows && *switch == relieved as u32);
            }
            let Some(end) = end else { return false };
            // Of equally good steps the first is taken, so one must come below the best so far.
            let alike = self.alike(s, link, goal);
            let below = match least {
                Some((best, _, _)) if alike > best => continue,
                Some((best, load, _)) if alike == best => load,
                _ => limit + 1,
            };
            if alike > self.alike_now(s, goal) {
                continue;
            }
            let room = below.saturating_sub(piece.weight);
            let met = self.meet((s, link), goal, room, old, new);
            self.looks = self.looks.saturating_sub(new.len());
            // From where the two ways meet on nothing changes.
            let Some((load, met)) = met.filter(|(_, met)| *met > end) else { continue };
            let met = old.get(met).copied();
            let moved = new.len();
            new.extend(met);
            if self.too_many_lids(&new[..moved], goal, open) || !self.turns_may_be(pieces, at, new)
            {
                continue;
            }
            least = Some((alike, load + piece.weight, link));
            new.truncate(moved);
            std::mem::swap(new, best);
            best.push((met.map_or(goal.home, |(switch, _)| switch), 0));
        }
        least.is_some()
    }

    /// Whether a LID would be one too many on some link that it is not on yet.
    fn too_many_lids(&self, new: &[(u32, u32)], goal: Goal, open: &mut Vec<u32>) -> bool {
        let mut is_new = |at: usize, s: u32| at == 0 || !self.is_passed(s as usize, goal, open);
        let mut links = new.iter().enumerate();
        links.any(|(at, (s, link))| self.lids.is_full(*link as usize) && is_new(at, *s))
    }

    /// Whether packets of end ports for a LID pass a switch.
    fn is_passed(&self, s: usize, goal: Goal, open: &mut Vec<u32>) -> bool {
        let has_hosts = |s: usize| !self.graph.hosts(s).is_empty();
        if has_hosts(s) {
            return true;
        }
        open.clear();
        open.push(s as u32);
        for _ in 0..self.graph.len() {
            let Some(at) = open.pop() else { return false };
            for link in self.graph.links(at as usize) {
                if self.port(link.peer.index(), goal) != link.peer_port {
                    continue;
                }
                if has_hosts(link.peer.index()) {
                    return true;
                }
                open.push(link.peer.0);
            }
        }
        false
    }

    /// Whether the turns into a new way of a piece, and those on it, may be.
    fn turns_may_be(&self, pieces: &[Piece], at: usize, new: &[(u32, u32)]) -> bool {
        let place =
            |(s, link): (u32, u32)| (link as usize - self.graph.first_link(s as usize)) as u8;
        let Piece { first, end, .. } = pieces[at];
        let before = pieces[first as usize..end as usize].iter().filter(|p| !p.gone);
        let into = |piece: &Piece| {
            let (from, to) = (piece.switch as usize, new[0].0 as usize);
            self.turning.may(from, piece.link as usize, to, place(new[0]))
        };
        let on = |two: &[(u32, u32)]| {
            let (from, link) = two[0];
            self.turning.may(from as usize, link as usize, two[1].0 as usize, place(two[1]))
        };
        before.into_iter().all(into) && new.windows(2).all(on)
    }

    /// How many other LIDs of the same port go from a switch to the one behind a link.
    fn alike(&self, s: usize, link: usize, goal: Goal) -> usize {
        let (base, count) = goal.range;
        let peer = self.graph.links(s)[link].peer;
        let others = (base..base.saturating_add(count)).filter(|lid| *lid != goal.lid.0);
        let ports = others.map(|lid| PortNum(self.entries.port(s, lid)));
        ports.filter(|port| self.graph.peer(s, *port) == Some(peer)).count()
    }

    /// The same for the link that the LID takes.
    fn alike_now(&self, s: usize, goal: Goal) -> usize {
        let link = self.graph.link_at(s, self.port(s, goal));
        link.map_or(usize::MAX, |link| self.alike(s, link, goal))
    }

    /// Moves a piece to the way that was found.
    fn shift(&mut self, piece: Piece, goal: Goal, room: &mut Room) {
        let s = piece.switch as usize;
        let Room { old, best, open, .. } = room;
        let met = best.last().map_or(goal.home, |(switch, _)| *switch);
        let (new, _) = best.split_at(best.len().saturating_sub(1));
        for (at, (switch, link)) in new.iter().enumerate() {
            self.load[*link as usize] += piece.weight;
            let counts = self.lids.counts(*link as usize);
            if counts && (at == 0 || !self.is_passed(*switch as usize, goal, open)) {
                self.lids.add(*link as usize);
            }
        }
        let link = new[0].1 as usize - self.graph.first_link(s);
        self.entries.set(s, goal.lid.0, self.graph.links(s)[link].port.0);
        let left = old.iter().take_while(|(switch, _)| *switch != met);
        for (at, (switch, link)) in left.enumerate() {
            let load = &mut self.load[*link as usize];
            *load = load.saturating_sub(piece.weight);
            let counts = self.lids.counts(*link as usize);
            if counts && (at == 0 || !self.is_passed(*switch as usize, goal, open)) {
                self.lids.take(*link as usize);
            }
        }
        self.moved.insert((goal.lid, piece.switch));
    }
}
