//! Flags of groups: in a header for the broadcast group and as defaults, and at a group's MGID.

use super::GroupFlags;
use super::findings::Findings;
use super::words::{Flag, Word};
use crate::Placed;
use crate::options::number::{base0_lenient, leading_digits};

/// Takes a flag of a group.
pub(super) fn set(
    flags: &mut GroupFlags,
    flag: Flag,
    keyword: &str,
    (word, value): (Word<'_>, Option<Word<'_>>),
    findings: &mut Findings<'_>,
) {
    let Some(value) = value else {
        let message = format!("{keyword} has no value");
        return findings.ignored(word.place, message, "");
    };
    let place = value.place;
    let number = base0_lenient(value.text);
    let whole = leading_digits(value.text).is_some_and(|d| d.rest.is_empty() && !d.negative);
    match flag {
        Flag::Mtu | Flag::Rate => {
            let cut = number as u8;
            if !whole || u64::from(cut) != number || cut == 0 {
                let what = if flag == Flag::Mtu {
                    "mtu=4 stands for 2048"
                } else {
                    "rate=3 stands for 10 Gb/s"
                };
                let message = format!("`{}` is read as code {cut} of {keyword}", value.text);
                findings.otherwise(place, message, &format!("it has to be a code: {what}"));
            }
            let slot = if flag == Flag::Mtu { &mut flags.mtu } else { &mut flags.rate };
            *slot = Some(Placed { value: cut, place });
        }
        Flag::Sl => match u8::try_from(number) {
            Ok(sl @ 0..=15) if whole => flags.sl = Some(Placed { value: sl, place }),
            _ => findings.ignored(place, format!("`{}` is no SL from 0 to 15", value.text), ""),
        },
        Flag::Scope => match u8::try_from(number) {
            Ok(scope @ 1..=15) => {
                said_otherwise(whole, value, number, findings);
                if flags.scopes.iter().all(|s| s.value != scope) {
                    flags.scopes.push(Placed { value: scope, place });
                }
            }
            _ => findings.ignored(place, format!("`{}` is no scope from 1 to 15", value.text), ""),
        },
        Flag::QKey => {
            let cut = number as u32;
            said_otherwise(whole && u64::from(cut) == number, value, cut.into(), findings);
            flags.q_key = Some(Placed { value: cut, place });
        }
        Flag::TClass => {
            let cut = number as u8;
            said_otherwise(whole && u64::from(cut) == number, value, cut.into(), findings);
            flags.t_class = Some(Placed { value: cut, place });
        }
        Flag::FlowLabel => match u32::try_from(number) {
            Ok(label @ 0..=0xF_FFFF) => {
                said_otherwise(whole, value, number, findings);
                flags.flow_label = Some(Placed { value: label, place });
            }
            _ => {
                let message = format!("`{}` is no flow label of 20 bits", value.text);
                findings.ignored(place, message, "");
            }
        },
        Flag::Ipoib | Flag::DefMember => {}
    }
}

fn said_otherwise(as_written: bool, value: Word<'_>, number: u64, findings: &mut Findings<'_>) {
    if !as_written {
        let message = format!("`{}` is read as {number}", value.text);
        findings.otherwise(value.place, message, "");
    }
}
