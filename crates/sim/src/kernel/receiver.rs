//! The receiving half of RMPP (IBA 13.6.3): segments that come in any order, and the message that
//! they make.
//!
//! Segments beyond the window are dropped, so that one message never holds more than a window of
//! segments that wait for their place.

use std::collections::BTreeMap;

use lk_wire::MAD_LEN;
use lk_wire::rmpp::{RmppHeader, rmpp_flag, rmpp_status};

/// Segments that a sender may send ahead.
const WINDOW: u32 = 64;

/// What is to be done after a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Wait for more.
    Wait,
    /// Say how far it has come.
    Ack,
    /// The message is whole; say so.
    Whole(Vec<u8>),
    /// The segment makes no sense: the transfer is ended with this status.
    Broken(u8),
}

/// A long message that is coming in.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    offset: usize,
    /// What has come without a gap: the whole first segment, and the data of the others.
    message: Vec<u8>,
    /// Segments behind a gap.
    ahead: BTreeMap<u32, Box<[u8; MAD_LEN]>>,
    got: u32,
    window_last: u32,
    whole: bool,
}

impl Receiver {
    /// Nothing has come yet; `offset` bytes of headers are in each segment.
    pub(super) fn new(offset: usize) -> Self {
        let (message, ahead) = (Vec::new(), BTreeMap::new());
        Self { offset, message, ahead, got: 0, window_last: 1, whole: false }
    }

    /// Whether the message has been given out.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The last segment that has come without a gap, and the last that may be sent.
    pub(super) fn place(&self) -> (u32, u32) {
        (self.got, self.window_last)
    }

    /// Memory that the message takes, in bytes.
    pub(super) fn size(&self) -> usize {
        self.message.len() + self.ahead.len() * MAD_LEN
    }

    /// A segment has come.
    pub(super) fn take(&mut self, header: &RmppHeader, mad: &[u8; MAD_LEN]) -> Step {
        let number = header.segment();
        let first = header.flags() & rmpp_flag::FIRST != 0;
        if number == 0 || first != (number == 1) {
            return Step::Broken(rmpp_status::BAD_SEGMENT);
        }
        if header.status() != rmpp_status::NORMAL {
            return Step::Broken(rmpp_status::BAD_STATUS);
        }
        if self.whole || number <= self.got {
            return Step::Ack;
        }
        if number > self.window_last {
            return Step::Wait;
        }
        self.ahead.entry(number).or_insert_with(|| Box::new(*mad));
        while let Some(mad) = self.ahead.remove(&(self.got + 1)) {
            self.got += 1;
            let start = if self.got == 1 { 0 } else { self.offset };
            self.message.extend_from_slice(&mad[start..]);
            let header = RmppHeader::parse(&mad[RmppHeader::OFFSET..]).unwrap_or_default();
            if header.flags() & rmpp_flag::LAST != 0 {
                return self.end(header.length());
            }
        }
        if self.got == self.window_last {
            self.window_last = self.window_last.saturating_add(WINDOW);
            return Step::Ack;
        }
        Step::Wait
    }

    /// The last segment is there; `length` says how much of it counts.
    fn end(&mut self, length: u32) -> Step {
        let repeated = self.offset - RmppHeader::OFFSET - RmppHeader::LEN;
        let length = length as usize;
        if !(repeated..=RmppHeader::SEGMENT_LEN).contains(&length) {
            return Step::Broken(rmpp_status::BAD_LENGTH);
        }
        let mut message = std::mem::take(&mut self.message);
        message.truncate(message.len() - (RmppHeader::SEGMENT_LEN - length));
        self.ahead.clear();
        self.window_last = self.window_last.max(self.got);
        self.whole = true;
        Step::Whole(message)
    }
}

#[cfg(test)]
mod tests {
    use lk_wire::rmpp::rmpp_type;
    use proptest::prelude::*;

    use super::super::sender::{Progress, Sender};
    use super::*;

    const OFFSET: usize = 56;

    fn take(receiver: &mut Receiver, mad: &[u8; MAD_LEN]) -> Step {
        receiver.take(&RmppHeader::parse(&mad[24..]).unwrap(), mad)
    }

    fn segment(number: u32, flags: u8, length: u32) -> [u8; MAD_LEN] {
        let mut header = RmppHeader::default();
        header.set_version(1);
        header.set_kind(rmpp_type::DATA);
        header.set_flags(flags | rmpp_flag::ACTIVE);
        header.set_segment(number);
        header.set_length(length);
        let mut mad = [0; MAD_LEN];
        mad[1] = 3;
        header.write_to(&mut mad);
        mad
    }

    #[test]
    fn segments_that_make_no_sense_end_it() {
        for (number, flags, length, status) in [
            (0, 0, 0, rmpp_status::BAD_SEGMENT),
            (1, 0, 0, rmpp_status::BAD_SEGMENT),
            (2, rmpp_flag::FIRST, 0, rmpp_status::BAD_SEGMENT),
            (1, rmpp_flag::FIRST | rmpp_flag::LAST, 19, rmpp_status::BAD_LENGTH),
            (1, rmpp_flag::FIRST | rmpp_flag::LAST, 221, rmpp_status::BAD_LENGTH),
        ] {
            let mut receiver = Receiver::new(OFFSET);
            let step = take(&mut receiver, &segment(number, flags, length));
            assert_eq!(step, Step::Broken(status), "segment {number}");
        }
        let mut mad = segment(1, rmpp_flag::FIRST, 0);
        mad[27] = 1;
        assert_eq!(take(&mut Receiver::new(OFFSET), &mad), Step::Broken(rmpp_status::BAD_STATUS));
    }

    #[test]
    fn what_lies_beyond_the_window_is_dropped() {
        let mut receiver = Receiver::new(OFFSET);
        assert_eq!(take(&mut receiver, &segment(2, 0, 0)), Step::Wait);
        assert_eq!(take(&mut receiver, &segment(1, rmpp_flag::FIRST, 0)), Step::Ack);
        assert_eq!(receiver.place(), (1, 65));
        assert_eq!(take(&mut receiver, &segment(66, 0, 0)), Step::Wait);
        assert_eq!(receiver.size(), MAD_LEN);
        assert_eq!(take(&mut receiver, &segment(1, rmpp_flag::FIRST, 0)), Step::Ack);
    }

    proptest! {
        /// Segments that are lost, doubled and reordered as they like; time-outs and ACKs that
        /// are lost, too. What comes out is what went in.
        #[test]
        fn every_message_arrives(
            data in proptest::collection::vec(any::<u8>(), 0..40_000),
            mut chance in proptest::collection::vec(0_u8..10, 400),
        ) {
            let mut bytes = vec![0; OFFSET];
            bytes[1] = 3;
            bytes.extend_from_slice(&data);
            let mut sender = Sender::new(bytes.clone().into(), OFFSET, 1).unwrap();
            let mut receiver = Receiver::new(OFFSET);
            let mut got = None;
            for _ in 0..10_000 {
                let mut wire: Vec<_> = std::iter::from_fn(|| sender.next_segment()).collect();
                let mut acks = Vec::new();
                while !wire.is_empty() {
                    let fate = chance.pop().unwrap_or(0);
                    let mad = wire.remove(usize::from(fate) % wire.len());
                    if fate == 9 {
                        continue;
                    }
                    for _ in 0..=u8::from(fate == 8) {
                        match take(&mut receiver, &mad) {
                            Step::Wait => {}
                            Step::Ack => acks.push(receiver.place()),
                            Step::Whole(message) => {
                                prop_assert!(got.is_none());
                                got = Some(message);
                                acks.push(receiver.place());
                            }
                            Step::Broken(status) => prop_assert!(false, "status {status}"),
                        }
                    }
                }
                acks.retain(|_| chance.pop().unwrap_or(0) != 9);
                for (segment, window) in acks {
                    let progress = sender.acknowledge(segment, window);
                    prop_assert!(!matches!(progress, Progress::Broken(_)), "{progress:?}");
                }
                if sender.is_whole() {
                    break;
                }
                sender.rewind();
            }
            prop_assert!(sender.is_whole());
            let got = got.unwrap();
            prop_assert_eq!(&got[..24], &bytes[..24]);
            prop_assert_eq!(&got[OFFSET..], &data[..]);
        }

        #[test]
        fn any_bytes(segments in proptest::collection::vec(any::<[u8; 32]>(), 0..40)) {
            let mut receiver = Receiver::new(OFFSET);
            for bytes in segments {
                let mut mad = [0; MAD_LEN];
                mad[24..56].copy_from_slice(&bytes);
                // Small numbers, so that they meet.
                mad[28..31].fill(0);
                let _ = take(&mut receiver, &mad);
                prop_assert!(receiver.size() <= 66 * MAD_LEN);
            }
        }
    }
}
