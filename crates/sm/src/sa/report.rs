//! Reports: events that are told to those who have subscribed to them (IBA 13.4.9).
//!
//! A report is repeated until its subscriber has answered it, or has not answered it often enough.
//! So many are on their way at a time. The others wait, each subscriber's in a line of its own, and
//! the lines take turns: one that answers nothing, or has subscribed to all a thousand times, waits
//! for nobody but itself. Who has not answered the last one gets one at a time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lk_wire::sa::SaHeader;
use lk_wire::{Guid, MAD_LEN, Notice, attr, method};
use rustc_hash::FxHashMap;

use super::inform::{Subscription, Subscriptions};
use crate::io::Outgoing;
use crate::time::{Duration, Instant};

/// The most reports that await their answers.
const MOST_SENT: usize = 1024;
/// The most of one subscriber that do.
const MOST_SENT_EACH: usize = 32;
/// The most reports of one subscriber that wait to be sent. Beyond it the oldest are given up.
const MOST_WAITING: usize = 4096;

/// A report that was sent.
#[derive(Clone, Debug)]
struct Sent {
    subscriber: Guid,
    message: Outgoing,
    due: Instant,
    tries_left: u32,
}

/// How long and how often answers to reports are waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// How long an answer may take.
    pub timeout: Duration,
    /// How often a report is sent again.
    pub retries: u32,
}

/// The reports of one subscriber.
#[derive(Clone, Default, Debug)]
struct Line {
    /// The numbers of the subscriptions, and what they are told.
    waiting: VecDeque<(u16, Arc<Notice>)>,
    /// How many await their answers.
    sent: usize,
    /// Whether the last one to be over was not answered.
    silent: bool,
    /// Whether the line is among those whose turn will come.
    queued: bool,
}

impl Line {
    fn may_send(&self) -> bool {
        let most = if self.silent { 1 } else { MOST_SENT_EACH };
        !self.waiting.is_empty() && self.sent < most
    }
}

/// Reports on their way.
#[derive(Default, Debug)]
pub struct Reports {
    lines: FxHashMap<Guid, Line>,
    /// Whose lines are next: those of which something may be sent.
    turns: VecDeque<Guid>,
    sent: BTreeMap<u32, Sent>,
    due: BTreeMap<Instant, Vec<u32>>,
    token: u32,
    /// Reports that nobody has answered.
    pub lost: u64,
}

impl Reports {
    /// Tells a notice to each of these.
    pub fn tell<'a>(&mut self, notice: &Notice, to: impl Iterator<Item = &'a Subscription>) {
        let notice = Arc::new(*notice);
        for subscription in to {
            let (guid, number) = Subscriptions::key(subscription);
            let line = self.lines.entry(guid).or_default();
            if line.waiting.len() >= MOST_WAITING {
                line.waiting.pop_front();
                self.lost += 1;
            }
            line.waiting.push_back((number, Arc::clone(&notice)));
            self.line_up(guid);
        }
    }

    /// Gives a line its turn where it has something to send, and forgets one that has nothing left.
    fn line_up(&mut self, guid: Guid) {
        let Some(line) = self.lines.get_mut(&guid) else { return };
        if line.may_send() && !line.queued {
            line.queued = true;
            self.turns.push_back(guid);
        }
        if line.waiting.is_empty() && line.sent == 0 && !line.queued && !line.silent {
            self.lines.remove(&guid);
        }
    }

    /// A report of a subscriber is over.
    fn over(&mut self, guid: Guid, answered: bool) {
        if let Some(line) = self.lines.get_mut(&guid) {
            line.sent -= 1;
            line.silent = !answered;
        }
        self.line_up(guid);
    }

    /// Whether something is to be sent now.
    #[must_use]
    pub fn has_work(&self, now: Instant) -> bool {
        let room = self.sent.len() < MOST_SENT && !self.turns.is_empty();
        room || self.deadline().is_some_and(|due| due <= now)
    }

    /// When the next answer is overdue.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.due.keys().next().copied()
    }

    /// The next report to be sent.
    pub fn next(
        &mut self,
        now: Instant,
        patience: Patience,
        subscriptions: &Subscriptions,
    ) -> Option<Outgoing> {
        while let Some(entry) = self.due.first_entry().filter(|e| *e.key() <= now) {
            let mut tokens = entry.remove();
            while let Some(token) = tokens.pop() {
                let again = self.again(now, token, patience);
                if again.is_some() {
                    if !tokens.is_empty() {
                        self.due.entry(now).or_default().append(&mut tokens);
                    }
                    return again;
                }
            }
        }
        while self.sent.len() < MOST_SENT {
            let guid = self.turns.pop_front()?;
            let Some(line) = self.lines.get_mut(&guid) else { continue };
            line.queued = false;
            let next = line.may_send().then(|| line.waiting.pop_front()).flatten();
            // Who has gone or wants to hear no more is not told.
            let to = next.as_ref().and_then(|(n, _)| subscriptions.get((guid, *n)));
            let told = to.map(|subscription| subscription.to).zip(next);
            line.sent += usize::from(told.is_some());
            self.line_up(guid);
            let Some((to, (_, notice))) = told else { continue };
            self.token = self.token.wrapping_add(1);
            let bytes = report(self.token, &notice).into();
            let message = Outgoing { to, bytes, timeout: Some(patience.timeout) };
            let due = now + patience.timeout;
            let (subscriber, tries_left) = (guid, patience.retries);
            let sent = Sent { subscriber, message: message.clone(), due, tries_left };
            self.sent.insert(self.token, sent);
            self.due.entry(due).or_default().push(self.token);
            return Some(message);
        }
        None
    }

    /// Sends a report again, unless that was done often enough.
    fn again(&mut self, now: Instant, token: u32, patience: Patience) -> Option<Outgoing> {
        let sent = self.sent.get_mut(&token).filter(|s| s.due <= now)?;
        let Some(left) = sent.tries_left.checked_sub(1) else {
            let subscriber = sent.subscriber;
            self.sent.remove(&token);
            self.lost += 1;
            self.over(subscriber, false);
            return None;
        };
        sent.tries_left = left;
        sent.due = now + patience.timeout;
        self.due.entry(sent.due).or_default().push(token);
        Some(sent.message.clone())
    }

    /// A report was answered.
    pub fn answered(&mut self, header: &SaHeader) {
        let token = header.tid() as u32;
        if header.method() == method::REPORT_RESP
            && let Some(sent) = self.sent.remove(&token)
        {
            self.forget(sent.due, token);
            self.over(sent.subscriber, true);
        }
    }

    /// A report could not be sent, or the sender below has given up waiting.
    pub fn not_sent(&mut self, now: Instant, token: u32) {
        if let Some(sent) = self.sent.get_mut(&token) {
            let was = std::mem::replace(&mut sent.due, now);
            self.forget(was, token);
            self.due.entry(now).or_default().push(token);
        }
    }

    /// A report is not overdue at this time any more.
    fn forget(&mut self, due: Instant, token: u32) {
        if let Some(tokens) = self.due.get_mut(&due) {
            tokens.retain(|t| *t != token);
            if tokens.is_empty() {
                self.due.remove(&due);
            }
        }
    }
}

/// A report as it goes on the wire.
fn report(token: u32, notice: &Notice) -> Vec<u8> {
    let mut header = SaHeader::request(method::REPORT, attr::NOTICE, u64::from(token));
    header.set_attribute_offset(0);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(&notice.0);
    bytes.resize(MAD_LEN, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use lk_wire::sa::InformInfo;
    use lk_wire::{Gid, Lid};

    use super::*;
    use crate::io::GsiAddress;

    const PATIENCE: Patience = Patience { timeout: Duration::secs(1), retries: 2 };

    fn at(seconds: u64) -> Instant {
        Instant(0) + Duration::secs(seconds)
    }

    fn one() -> (Reports, Subscriptions) {
        let mut subscriptions = Subscriptions::default();
        let subscriber = Gid { prefix: 0, guid: Guid(7) };
        let to = GsiAddress { lid: Lid(3), qp: 1, ..GsiAddress::default() };
        assert!(subscriptions.subscribe(subscriber, to, &InformInfo::default(), false));
        let mut reports = Reports::default();
        reports.tell(&Notice::default(), subscriptions.iter());
        (reports, subscriptions)
    }

    fn header(message: &Outgoing) -> SaHeader {
        SaHeader::parse(&message.bytes).expect("a whole message")
    }

    #[test]
    fn a_report_is_repeated_until_it_is_answered() {
        let (mut reports, all) = one();
        let first = reports.next(at(0), PATIENCE, &all).expect("the report");
        assert_eq!((header(&first).method(), first.to.lid), (method::REPORT, Lid(3)));
        assert_eq!(reports.next(at(0), PATIENCE, &all), None);
        assert_eq!(reports.deadline(), Some(at(1)));
        let second = reports.next(at(1), PATIENCE, &all).expect("again");
        assert_eq!(second, first);
        let mut answer = header(&first);
        answer.set_method(method::REPORT_RESP);
        reports.answered(&answer);
        assert_eq!(reports.next(at(9), PATIENCE, &all), None);
        assert_eq!((reports.deadline(), reports.lost), (None, 0));
    }

    #[test]
    fn a_report_that_nobody_answers_is_given_up() {
        let (mut reports, all) = one();
        assert!((0..3).all(|s| reports.next(at(s), PATIENCE, &all).is_some()));
        assert_eq!((reports.next(at(3), PATIENCE, &all), reports.lost), (None, 1));
    }

    #[test]
    fn one_that_was_not_sent_is_sent_again_at_once() {
        let (mut reports, all) = one();
        let first = reports.next(at(0), PATIENCE, &all).expect("the report");
        reports.not_sent(at(0), header(&first).tid() as u32);
        assert!(reports.has_work(at(0)));
        assert_eq!(reports.next(at(0), PATIENCE, &all), Some(first));
        assert_eq!(reports.next(at(0), PATIENCE, &all), None);
    }

    #[test]
    fn who_has_gone_is_not_told() {
        let (mut reports, mut all) = one();
        all.keep(|_| false);
        assert_eq!(reports.next(at(0), PATIENCE, &all), None);
    }

    #[test]
    fn one_that_answers_nothing_holds_nobody_up() {
        let mut subscriptions = Subscriptions::default();
        let mut subscribe = |guid: u64, lid: u16, first: u16| {
            let mut info = InformInfo::default();
            info.set_lid_begin(first);
            let to = GsiAddress { lid: Lid(lid), qp: 1, ..GsiAddress::default() };
            let subscriber = Gid { prefix: 0, guid: Guid(guid) };
            assert!(subscriptions.subscribe(subscriber, to, &info, false));
        };
        (0..4000).for_each(|first| subscribe(1, 1, first));
        subscribe(2, 2, 0);
        let mut reports = Reports::default();
        let mut heard = Vec::new();
        for second in 0..20 {
            if second % 5 == 0 {
                reports.tell(&Notice::default(), subscriptions.iter());
            }
            while let Some(message) = reports.next(at(second), PATIENCE, &subscriptions) {
                if message.to.lid == Lid(2) {
                    heard.push(second);
                    let mut answer = header(&message);
                    answer.set_method(method::REPORT_RESP);
                    reports.answered(&answer);
                }
            }
            assert!(reports.sent.len() <= MOST_SENT_EACH);
        }
        assert_eq!(heard, [0, 5, 10, 15]);
        assert!(reports.lines[&Guid(1)].waiting.len() <= MOST_WAITING);
        assert!(reports.lines[&Guid(1)].silent && !reports.lines.contains_key(&Guid(2)));
    }
}
