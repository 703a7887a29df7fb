//! The SMPs that are on the wire: how many at most, until when, how often again.
//!
//! A request that gets no answer in time is sent again with the same transaction id, as often as
//! `transaction_retries` says; then it is given up and its purpose comes back as a failure. The
//! token in the low half of the TID names slot and generation, so a late answer to an earlier
//! request can never be taken for the answer to a later one.

use std::collections::VecDeque;

use lk_wire::{Smp, Tid, method};

use crate::time::{Duration, Instant};

/// How many requests may be outstanding and how long each may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// `max_wire_smps`: requests on the wire at any time.
    pub outstanding: usize,
    /// How far the first limit may grow while no answer stays away; equal to it, it is fixed.
    pub grow_to: usize,
    /// `max_wire_smps2`: the limit that is reached when answers stay away.
    pub outstanding_late: usize,
    /// `max_smps_timeout`: how long the wire must be silent before one more goes out above
    /// the first limit.
    pub late_after: Duration,
    /// `transaction_timeout`.
    pub timeout: Duration,
    /// `long_transaction_timeout`: for requests that a switch needs longer for.
    pub long_timeout: Duration,
    /// `transaction_retries`: how often a request is sent again.
    pub retries: u32,
}

/// How long an answer may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// `transaction_timeout`.
    Normal,
    /// `long_transaction_timeout`.
    Long,
}

/// Why a request came to nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// No answer after all retries.
    NoAnswer,
    /// An answer with an error status (the status word without the D bit).
    Status(u16),
}

/// A request that is ready for the wire.
#[derive(Clone, Debug)]
pub struct Transmit {
    /// The low half of the TID: names the request until it is done.
    pub token: u32,
    /// The datagram.
    pub smp: Smp,
    /// How long the sender should wait for an answer.
    pub timeout: Duration,
}

/// What an incoming response turned out to be.
#[derive(Debug)]
pub enum Answer<P> {
    /// It answers this request.
    To(P),
    /// It carries the token of a request, but another attribute, modifier or method.
    Mismatch,
    /// No request has this token, or no longer.
    Stale,
}

struct Slot<P> {
    smp: Smp,
    purpose: P,
    generation: u16,
    busy: bool,
    tries_left: u32,
    patience: Patience,
}

/// The requests on the wire.
pub struct Window<P> {
    limits: Limits,
    slots: Vec<Slot<P>>,
    free: Vec<u16>,
    timers: [VecDeque<(Instant, u32)>; 2],
    again: VecDeque<u32>,
    in_flight: usize,
    last_activity: Instant,
    /// The first limit as it is now.
    open: usize,
    /// Answers since the limit last changed.
    answers: usize,
}

impl<P: Copy> Window<P> {
    /// An empty window.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            slots: Vec::new(),
            free: Vec::new(),
            timers: [VecDeque::new(), VecDeque::new()],
            again: VecDeque::new(),
            in_flight: 0,
            last_activity: Instant::default(),
            open: limits.outstanding,
            answers: 0,
        }
    }

    /// Changes the limits; requests on the wire keep theirs.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.open = limits.outstanding;
    }

    /// How many requests wait for an answer.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether one more request may go out.
    #[must_use]
    pub fn has_room(&self, now: Instant) -> bool {
        let most = usize::from(u16::MAX);
        self.in_flight < self.open.min(most)
            || (self.in_flight < self.limits.outstanding_late.min(most)
                && now.since(self.last_activity) >= self.limits.late_after)
    }

    /// Takes a slot for a request and gives the datagram with its TID.
    pub fn open(&mut self, now: Instant, smp: Smp, purpose: P, patience: Patience) -> Transmit {
        let tries_left = self.limits.retries;
        let at = match self.free.pop() {
            Some(at) => {
                let slot = &mut self.slots[usize::from(at)];
                slot.smp = smp;
                slot.purpose = purpose;
                slot.busy = true;
                slot.tries_left = tries_left;
                slot.patience = patience;
                at
            }
            None => {
                self.slots.push(Slot {
                    smp,
                    purpose,
                    generation: 1,
                    busy: true,
                    tries_left,
                    patience,
                });
                (self.slots.len() - 1) as u16
            }
        };
        self.in_flight += 1;
        let token = self.token(at);
        self.slots[usize::from(at)].smp.set_tid(Tid(u64::from(token)));
        self.launch(now, token, at)
    }

    fn token(&self, at: u16) -> u32 {
        (u32::from(self.slots[usize::from(at)].generation) << 16) | u32::from(at)
    }

    fn launch(&mut self, now: Instant, token: u32, at: u16) -> Transmit {
        let slot = &self.slots[usize::from(at)];
        let (lane, timeout) = match slot.patience {
            Patience::Normal => (0, self.limits.timeout),
            Patience::Long => (1, self.limits.long_timeout),
        };
        let smp = slot.smp;
        self.drop_stale(lane);
        self.timers[lane].push_back((now + timeout, token));
        self.last_activity = now;
        Transmit { token, smp, timeout }
    }

    fn drop_stale(&mut self, lane: usize) {
        while let Some((_, token)) = self.timers[lane].front() {
            if self.slot(*token).is_some() {
                break;
            }
            self.timers[lane].pop_front();
        }
    }

    fn slot(&self, token: u32) -> Option<u16> {
        let at = token as u16;
        let slot = self.slots.get(usize::from(at))?;
        (slot.busy && u32::from(slot.generation) == token >> 16).then_some(at)
    }

    fn close(&mut self, at: u16) -> P {
        let slot = &mut self.slots[usize::from(at)];
        slot.busy = false;
        slot.generation = slot.generation.wrapping_add(1).max(1);
        self.free.push(at);
        self.in_flight -= 1;
        slot.purpose
    }

    /// A response came in. It closes the request only if class, attribute and modifier are
    /// those that were asked for.
    pub fn answer(&mut self, now: Instant, response: &Smp) -> Answer<P> {
        let Some(at) = self.slot(response.tid().0 as u32) else { return Answer::Stale };
        let asked = &self.slots[usize::from(at)].smp;
        let fits = response.method() == method::GET_RESP
            && response.mgmt_class() == asked.mgmt_class()
            && response.attr_id() == asked.attr_id()
            && response.attr_modifier() == asked.attr_modifier();
        if !fits {
            return Answer::Mismatch;
        }
        self.last_activity = now;
        self.grow();
        Answer::To(self.close(at))
    }

    /// One more request for each window of answers that came without a loss.
    fn grow(&mut self) {
        self.answers += 1;
        if self.answers >= self.open && self.open < self.limits.grow_to {
            self.open += 1;
            self.answers = 0;
        }
    }

    /// Half as many after a loss: management datagrams have no flow control, and a queue that
    /// overflows drops them.
    fn shrink(&mut self) {
        if self.open > self.limits.outstanding {
            self.open = (self.open / 2).max(self.limits.outstanding);
        }
        self.answers = 0;
    }

    /// The sender gave up on a request, or a node refused to take it. Gives the purpose back if
    /// the request is out of tries.
    pub fn send_failed(&mut self, token: u32) -> Option<P> {
        let at = self.slot(token)?;
        self.retry_or_close(token, at)
    }

    fn retry_or_close(&mut self, token: u32, at: u16) -> Option<P> {
        self.shrink();
        let slot = &mut self.slots[usize::from(at)];
        if slot.tries_left == 0 {
            return Some(self.close(at));
        }
        slot.tries_left -= 1;
        self.again.push_back(token);
        None
    }

    /// The next request whose time has passed and that is out of tries. Requests with tries left
    /// are put in line for [`Self::resend`] on the way.
    pub fn expire(&mut self, now: Instant) -> Option<P> {
        for lane in 0..self.timers.len() {
            self.drop_stale(lane);
            while let Some((due, token)) = self.timers[lane].front().copied() {
                if due > now {
                    break;
                }
                self.timers[lane].pop_front();
                let Some(at) = self.slot(token) else { continue };
                if self.again.contains(&token) {
                    continue;
                }
                if let Some(purpose) = self.retry_or_close(token, at) {
                    return Some(purpose);
                }
            }
        }
        None
    }

    /// The next request that has to go out again.
    pub fn resend(&mut self, now: Instant) -> Option<Transmit> {
        while let Some(token) = self.again.pop_front() {
            if let Some(at) = self.slot(token) {
                return Some(self.launch(now, token, at));
            }
        }
        None
    }

    /// When [`Self::expire`] or [`Self::has_room`] may next have something to say.
    #[must_use]
    pub fn deadline(&mut self) -> Option<Instant> {
        (0..self.timers.len()).for_each(|lane| self.drop_stale(lane));
        self.timers.iter().filter_map(|t| t.front().map(|(due, _)| *due)).min()
    }

    /// Forgets everything on the wire: answers that still come are stale.
    pub fn clear(&mut self) {
        for at in 0..self.slots.len() {
            if self.slots[at].busy {
                self.close(at as u16);
            }
        }
        self.again.clear();
    }
}

#[cfg(test)]
mod tests {
    use lk_wire::{DirPath, MKey, attr};

    use super::*;

    const LIMITS: Limits = Limits {
        outstanding: 2,
        grow_to: 2,
        outstanding_late: 3,
        late_after: Duration::millis(600),
        timeout: Duration::millis(200),
        long_timeout: Duration::millis(500),
        retries: 1,
    };

    fn get(modifier: u32) -> Smp {
        Smp::directed(method::GET, attr::PORT_INFO, modifier, Tid(0), MKey(0), &DirPath::LOCAL)
    }

    fn reply(t: &Transmit) -> Smp {
        let mut smp = t.smp;
        smp.set_method(method::GET_RESP);
        smp
    }

    #[test]
    fn an_answer_closes_its_request_once() {
        let mut w = Window::new(LIMITS);
        let now = Instant(0);
        let a = w.open(now, get(1), 'a', Patience::Normal);
        let b = w.open(now, get(2), 'b', Patience::Normal);
        assert!(!w.has_room(now));
        assert!(matches!(w.answer(now, &reply(&b)), Answer::To('b')));
        assert!(matches!(w.answer(now, &reply(&b)), Answer::Stale));
        assert!(matches!(w.answer(now, &reply(&a)), Answer::To('a')));
        assert_eq!(w.in_flight(), 0);
    }

    #[test]
    fn an_answer_to_another_question_is_not_taken() {
        let mut w = Window::new(LIMITS);
        let a = w.open(Instant(0), get(1), 'a', Patience::Normal);
        let mut wrong = reply(&a);
        wrong.set_attr_modifier(9);
        assert!(matches!(w.answer(Instant(0), &wrong), Answer::Mismatch));
        let mut request = a.smp;
        request.set_method(method::GET);
        assert!(matches!(w.answer(Instant(0), &request), Answer::Mismatch));
        assert_eq!(w.in_flight(), 1);
    }

    #[test]
    fn silence_means_again_and_then_failure() {
        let mut w = Window::new(LIMITS);
        let a = w.open(Instant(0), get(1), 'a', Patience::Normal);
        assert_eq!(w.deadline(), Some(Instant(200_000_000)));
        assert_eq!(w.expire(Instant(199_999_999)), None);
        assert!(w.resend(Instant(199_999_999)).is_none());
        assert_eq!(w.expire(Instant(200_000_000)), None);
        let again = w.resend(Instant(200_000_000)).unwrap();
        assert_eq!(again.smp.tid(), a.smp.tid());
        assert_eq!(w.expire(Instant(400_000_000)), Some('a'));
        assert_eq!(w.in_flight(), 0);
        assert!(matches!(w.answer(Instant(400_000_000), &reply(&again)), Answer::Stale));
    }

    #[test]
    fn long_requests_wait_longer() {
        let mut w = Window::new(LIMITS);
        w.open(Instant(0), get(1), 'a', Patience::Long);
        w.open(Instant(0), get(2), 'b', Patience::Normal);
        assert_eq!(w.deadline(), Some(Instant(200_000_000)));
        assert_eq!(w.expire(Instant(200_000_000)), None);
        assert_eq!(w.resend(Instant(200_000_000)).unwrap().smp.attr_modifier(), 2);
        assert!(w.resend(Instant(200_000_000)).is_none());
    }

    #[test]
    fn the_second_limit_opens_after_silence() {
        let mut w = Window::new(LIMITS);
        w.open(Instant(0), get(1), 'a', Patience::Normal);
        w.open(Instant(0), get(2), 'b', Patience::Normal);
        assert!(!w.has_room(Instant(599_000_000)));
        assert!(w.has_room(Instant(600_000_000)));
        w.open(Instant(600_000_000), get(3), 'c', Patience::Normal);
        assert!(!w.has_room(Instant(2_000_000_000)));
    }

    #[test]
    fn the_window_grows_with_answers_and_shrinks_with_losses() {
        let mut w = Window::new(Limits { grow_to: 8, ..LIMITS });
        let fill = |w: &mut Window<u32>| {
            let mut sent = Vec::new();
            while w.has_room(Instant(0)) {
                sent.push(w.open(Instant(0), get(1), 0, Patience::Normal));
            }
            sent
        };
        let mut widths = Vec::new();
        for _ in 0..40 {
            let sent = fill(&mut w);
            widths.push(sent.len());
            sent.iter()
                .for_each(|t| assert!(matches!(w.answer(Instant(0), &reply(t)), Answer::To(_))));
        }
        assert_eq!((widths[0], widths[39]), (2, 8));
        assert!(widths.is_sorted());
        let sent = fill(&mut w);
        assert_eq!(w.send_failed(sent[0].token), None);
        sent.iter()
            .skip(1)
            .for_each(|t| assert!(matches!(w.answer(Instant(0), &reply(t)), Answer::To(_))));
        assert!(fill(&mut w).len() < 6, "half, and one that is sent again");
    }

    #[test]
    fn a_failed_send_is_tried_again() {
        let mut w = Window::new(LIMITS);
        let a = w.open(Instant(0), get(1), 'a', Patience::Normal);
        assert_eq!(w.send_failed(a.token), None);
        assert!(w.resend(Instant(1)).is_some());
        assert_eq!(w.send_failed(a.token), Some('a'));
        assert_eq!(w.send_failed(a.token), None);
    }
}
