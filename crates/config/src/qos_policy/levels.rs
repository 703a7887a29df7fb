//! `qos-level`.

use lk_diag::Span;

use super::QosLevel;
use super::advice::code_for;
use super::read::Reader;
use crate::{Placed, codes};

const ATTRIBUTES: [&str; 8] =
    ["name", "use", "sl", "mtu-limit", "rate-limit", "packet-life", "path-bits", "pkey"];

/// The codes of rates, from 2.5 to 1600 Gb/s. OpenSM 3.3.23 knows them up to 22.
const RATES: std::ops::RangeInclusive<u64> = 2..=25;

impl Reader<'_> {
    pub(super) fn level(&mut self, opened: Span) -> Placed<QosLevel> {
        let mut level = QosLevel::default();
        let (mut name, mut usage, mut sl) = (None, None, None);
        let close =
            self.inside("qos-level", opened, &ATTRIBUTES, |r, attribute, _| match attribute {
                "name" => r.name_into(&mut name, attribute),
                "use" => r.usage_into(&mut usage),
                "sl" => r.byte_into(&mut sl, attribute),
                "mtu-limit" => r.code_into(&mut level.mtu_limit, attribute, 1..=5),
                "rate-limit" => r.code_into(&mut level.rate_limit, attribute, RATES),
                "packet-life" => r.byte_into(&mut level.packet_life, attribute),
                "path-bits" => {
                    let read = r.lex.ranges();
                    level.path_bits.extend(r.lex.or_skip(read).unwrap_or_default());
                }
                _ => {
                    let read = r.lex.pkeys();
                    level.pkeys.extend(r.lex.or_skip(read).unwrap_or_default());
                }
            });
        level.usage = usage;
        level.name = self.required(name, opened, "name", "qos-level");
        level.sl = self.required(sl, opened, "sl", "qos-level");
        self.level_warnings(&level);
        Placed::new(level, opened.cover(close))
    }

    fn level_warnings(&mut self, level: &QosLevel) {
        if level.sl.value > 15 {
            let message = format!("SL {} does not exist", level.sl.value);
            let note = "every query that gets this level is answered by no path";
            self.lex.warn(codes::POLICY_FAILS, level.sl.place, message, note);
        }
        if let Some(life) = level.packet_life.filter(|l| l.value > 63) {
            let message = format!("packet-life {} does not fit: codes go up to 63", life.value);
            let note = "OpenSM corrupts the answer by it; 63 is answered here";
            self.lex.warn(codes::READ_OTHERWISE, life.place, message, note);
        }
        if let (Some(first), Some(last)) = (level.path_bits.first(), level.path_bits.last()) {
            let note = "neither OpenSM nor this program chooses LIDs by it";
            let place = first.place.cover(last.place);
            self.lex.warn(codes::POLICY_UNUSED, place, "path-bits have no effect", note);
        }
    }

    fn byte_into(&mut self, slot: &mut Option<Placed<u8>>, what: &str) {
        let read = self.lex.byte();
        if let Some(byte) = self.lex.or_skip(read) {
            self.once(slot, byte, what);
        }
    }

    fn code_into(
        &mut self,
        slot: &mut Option<Placed<u8>>,
        what: &str,
        legal: std::ops::RangeInclusive<u64>,
    ) {
        let read = self.lex.single_number();
        let Some(number) = self.lex.or_skip(read) else { return };
        if !legal.contains(&number.value) {
            let (low, high) = (legal.start(), legal.end());
            let message = format!("{what} is a code from {low} to {high}");
            let help = code_for(what, &number.value.to_string());
            return self.lex.refuse(number.place, message, help.trim_start_matches("; "));
        }
        let code = Placed::new((number.value & 0xFF) as u8, number.place);
        self.once(slot, code, what);
        if code.value > 22 {
            let note = "OpenSM 3.3.23 knows no rate above code 22 and loses the whole policy by it";
            let message = format!("rate code {} is newer than OpenSM", code.value);
            self.lex.warn(codes::POLICY_OPENSM_REFUSES, code.place, message, note);
        }
    }
}
