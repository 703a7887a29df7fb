//! Reports: events that are told to those who have subscribed to them (IBA 13.4.9).
//!
//! A report is repeated until its subscriber has answered it, or has not answered it often
//! enough. So many are on their way at a time; the others wait, and beyond a bound the oldest
//! are given up.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lk_wire::sa::SaHeader;
use lk_wire::{Guid, MAD_LEN, Notice, attr, method};

use super::inform::{Subscription, Subscriptions};
use crate::io::Outgoing;
use crate::time::{Duration, Instant};

/// The most reports that await their answers.
const MOST_SENT: usize = 256;
/// The most reports that wait to be sent.
const MOST_WAITING: usize = 1 << 18;

/// A report that was sent.
#[derive(Clone, Debug)]
struct Sent {
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

/// Reports on their way.
#[derive(Default, Debug)]
pub struct Reports {
    waiting: VecDeque<((Guid, u16), Arc<Notice>)>,
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
            if self.waiting.len() >= MOST_WAITING {
                self.waiting.pop_front();
                self.lost += 1;
            }
            self.waiting.push_back((Subscriptions::key(subscription), Arc::clone(&notice)));
        }
    }

    /// Whether something is to be sent now.
    #[must_use]
    pub fn has_work(&self, now: Instant) -> bool {
        let room = self.sent.len() < MOST_SENT && !self.waiting.is_empty();
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
            let (key, notice) = self.waiting.pop_front()?;
            // Who has gone or wants to hear no more is not told.
            let Some(subscription) = subscriptions.get(key) else { continue };
            self.token = self.token.wrapping_add(1);
            let message = Outgoing {
                to: subscription.to,
                bytes: report(self.token, &notice).into(),
                timeout: Some(patience.timeout),
            };
            let due = now + patience.timeout;
            let sent = Sent { message: message.clone(), due, tries_left: patience.retries };
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
            self.sent.remove(&token);
            self.lost += 1;
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
}
