//! The sending half of RMPP (IBA 13.6.3): one long message, cut into segments, and how far it has
//! come.
//!
//! It starts with a window of one segment, sends as far as the last ACK allows, and begins again
//! behind the last acknowledged segment when it is told to. Time and retries are the caller's.

use lk_wire::rmpp::{RmppHeader, rmpp_flag, rmpp_status, rmpp_type};
use lk_wire::{MAD_LEN, get_bits};

/// What an ACK means for the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// Nothing new.
    Old,
    /// More may be sent, or less is to be sent again.
    Onward,
    /// All has arrived.
    Whole,
    /// The ACK makes no sense: the transfer is ended with this status.
    Broken(u8),
}

/// A long message on its way.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    message: Box<[u8]>,
    offset: usize,
    count: u32,
    sent: u32,
    acked: u32,
    window_last: u32,
}

impl Sender {
    /// A message with all its headers at its start; `offset` bytes of them are in each segment.
    /// `window` segments may be sent before the first ACK. `None`: too short or far too long.
    pub(super) fn new(message: Box<[u8]>, offset: usize, window: u32) -> Option<Self> {
        let data = message.len().checked_sub(offset)?;
        let count = u32::try_from(data.div_ceil(MAD_LEN - offset).max(1)).ok()?;
        let window_last = window.max(1);
        Some(Self { message, offset, count, sent: 0, acked: 0, window_last })
    }

    /// The message.
    pub(super) fn message(&self) -> &[u8] {
        &self.message
    }

    /// The last segment that is acknowledged.
    pub(super) fn acknowledged(&self) -> u32 {
        self.acked
    }

    /// Whether the last segment is acknowledged.
    pub(super) fn is_whole(&self) -> bool {
        self.acked == self.count
    }

    /// Begins again behind the last acknowledged segment.
    pub(super) fn rewind(&mut self) {
        self.sent = self.acked;
    }

    /// The next segment that may be sent.
    pub(super) fn next_segment(&mut self) -> Option<[u8; MAD_LEN]> {
        if self.sent >= self.count.min(self.window_last) {
            return None;
        }
        self.sent += 1;
        Some(self.segment(self.sent))
    }

    /// Segment `number`, from 1 to the count.
    fn segment(&self, number: u32) -> [u8; MAD_LEN] {
        let room = MAD_LEN - self.offset;
        let data = &self.message[self.offset..];
        let start = (number as usize - 1) * room;
        let part = &data[start..data.len().min(start + room)];
        let mut mad = [0; MAD_LEN];
        mad[..self.offset].copy_from_slice(&self.message[..self.offset]);
        mad[self.offset..][..part.len()].copy_from_slice(part);
        let repeated = (self.offset - RmppHeader::OFFSET - RmppHeader::LEN) as u32;
        let mut header = RmppHeader::default();
        header.set_version(1);
        header.set_kind(rmpp_type::DATA);
        // What the sender has written there stays: how long the answer may take.
        header.set_response_time(get_bits(&self.message, 26 * 8, 5) as u8);
        header.set_segment(number);
        let mut flags = rmpp_flag::ACTIVE;
        if number == 1 {
            flags |= rmpp_flag::FIRST;
            header
                .set_length(repeated.saturating_mul(self.count).saturating_add(data.len() as u32));
        }
        if number == self.count {
            flags |= rmpp_flag::LAST;
            header.set_length(repeated + part.len() as u32);
        }
        header.set_flags(flags);
        header.write_to(&mut mad);
        mad
    }

    /// The receiver has all segments up to `segment` and takes those up to `window_last`.
    pub(super) fn acknowledge(&mut self, segment: u32, window_last: u32) -> Progress {
        if window_last < segment {
            return Progress::Broken(rmpp_status::WINDOW_TOO_SMALL);
        }
        if segment > self.count || segment > self.window_last {
            return Progress::Broken(rmpp_status::SEGMENT_TOO_BIG);
        }
        if segment < self.acked || window_last < self.window_last {
            return Progress::Old;
        }
        let news = segment > self.acked || window_last > self.window_last;
        self.acked = segment;
        self.sent = self.sent.max(segment);
        self.window_last = window_last;
        match (self.is_whole(), news) {
            (true, _) => Progress::Whole,
            (false, true) => Progress::Onward,
            (false, false) => Progress::Old,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFSET: usize = 56;

    fn message(data: usize) -> Box<[u8]> {
        let mut bytes: Vec<u8> = (0..OFFSET + data).map(|i| (i % 251) as u8).collect();
        bytes[1] = 3;
        bytes.into()
    }

    fn headers(sender: &mut Sender) -> Vec<(u32, u8, u32)> {
        let segments = std::iter::from_fn(|| sender.next_segment());
        let headers = segments.filter_map(|s| RmppHeader::of(&s));
        headers.map(|h| (h.segment(), h.flags(), h.length())).collect()
    }

    #[test]
    fn lengths_are_those_of_the_architecture() {
        // 450 bytes are two full segments and 50 bytes; the SA header of 20 bytes counts in each.
        let mut sender = Sender::new(message(450), OFFSET, 9).unwrap();
        assert_eq!(headers(&mut sender), [(1, 3, 450 + 60), (2, 1, 0), (3, 5, 70)]);
        let mut one = Sender::new(message(1), OFFSET, 1).unwrap();
        assert_eq!(headers(&mut one), [(1, 7, 21)]);
        let mut none = Sender::new(message(0), OFFSET, 1).unwrap();
        assert_eq!(headers(&mut none), [(1, 7, 20)]);
        assert!(Sender::new([0; 55].into(), OFFSET, 1).is_none());
    }

    #[test]
    fn no_more_is_sent_than_the_window_allows() {
        let mut sender = Sender::new(message(2000), OFFSET, 1).unwrap();
        assert_eq!(headers(&mut sender).len(), 1);
        assert_eq!(sender.acknowledge(1, 4), Progress::Onward);
        assert_eq!(headers(&mut sender).iter().map(|h| h.0).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(sender.acknowledge(2, 4), Progress::Onward);
        assert!(headers(&mut sender).is_empty());
        sender.rewind();
        assert_eq!(headers(&mut sender).iter().map(|h| h.0).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(sender.acknowledge(4, 100), Progress::Onward);
        assert_eq!(headers(&mut sender).len(), 6);
        assert_eq!(sender.acknowledge(10, 100), Progress::Whole);
    }

    #[test]
    fn acks_that_make_no_sense_end_it_and_old_ones_do_nothing() {
        let mut sender = Sender::new(message(2000), OFFSET, 1).unwrap();
        assert_eq!(sender.acknowledge(3, 2), Progress::Broken(rmpp_status::WINDOW_TOO_SMALL));
        assert_eq!(sender.acknowledge(2, 9), Progress::Broken(rmpp_status::SEGMENT_TOO_BIG));
        assert_eq!(sender.acknowledge(1, 50), Progress::Onward);
        assert_eq!(sender.acknowledge(0, 50), Progress::Old);
        assert_eq!(sender.acknowledge(1, 49), Progress::Old);
        assert_eq!(sender.acknowledge(11, 50), Progress::Broken(rmpp_status::SEGMENT_TOO_BIG));
    }
}
