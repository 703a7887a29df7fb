//! What stands behind the colon: ports and multicast groups.

use std::net::Ipv6Addr;

use lk_wire::{Gid, Guid};

use super::findings::Findings;
use super::words::{FLAGS, GROUP_FLAGS, MEMBERS, PORTS, Word, find};
use super::{GroupFlags, Item, Member, Statement, Who, flags};
use crate::Placed;
use crate::options::number::base0_unsigned;

/// Reads a line's part of a statement's list.
pub(super) fn read(list: Word<'_>, statement: &mut Statement, findings: &mut Findings<'_>) {
    let mut rest = Some(list);
    while let Some(here) = rest {
        let (part, after) = here.split(',');
        let (word, value) = part.key_value();
        rest = after;
        match value {
            None if word.text.is_empty() => {}
            Some(value) if word.text == "mgid" => {
                // All that follows on the line are flags of this group.
                let item = group(value, rest.take(), findings);
                statement.items.extend(item);
            }
            value => statement.items.extend(ports(word, value, findings)),
        }
    }
}

fn ports(word: Word<'_>, value: Option<Word<'_>>, findings: &mut Findings<'_>) -> Option<Item> {
    let who = match find(word.text, &PORTS) {
        Some(found) => {
            if found.value == Who::VirtualCas {
                let note = "virtual ports are not managed in this version; OpenSM 3.3 refuses a \
                            file with this word";
                findings.ignored(word.place, "ALL_VCAS stands for no port", note);
            }
            found.value
        }
        None => Who::Guid(guid(word, findings)?),
    };
    let member =
        value.map(|value| Placed { value: membership(value, findings), place: value.place });
    Some(Item::Ports { who: Placed { value: who, place: word.place }, member })
}

fn guid(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Guid> {
    let number = base0_unsigned(word.text).ok().filter(|n| *n != 0);
    if number.is_none() {
        let names = PORTS.iter().map(|(_, k)| *k);
        let near = lk_diag::nearest(word.text, names).map(|n| format!("did you mean `{n}`?"));
        let hex = || {
            let hex = !word.text.is_empty() && word.text.chars().all(|c| c.is_ascii_hexdigit());
            hex.then(|| "hexadecimal numbers start with 0x".to_owned())
        };
        let help = near.or_else(hex).unwrap_or_default();
        let message = format!("`{}` is no port GUID and no name of a set of ports", word.text);
        findings.refuse(word.place, message, &help);
    }
    number.map(Guid)
}

fn membership(value: Word<'_>, findings: &mut Findings<'_>) -> Member {
    let Some(found) = find(value.text, &MEMBERS) else {
        let message = format!("`{}` is no membership and read as limited", value.text);
        findings.otherwise(value.place, message, "it is full, limited or both");
        return Member::Limited;
    };
    if value.text.is_empty() {
        findings.otherwise(value.place, "an empty membership is read as full", "");
    }
    found.value
}

fn group(value: Word<'_>, mut rest: Option<Word<'_>>, findings: &mut Findings<'_>) -> Option<Item> {
    let mgid = value.text.parse::<Ipv6Addr>().ok().map(u128::from);
    let mgid = mgid.filter(|m| m >> 120 == 0xFF);
    if mgid.is_none() {
        let message = format!("`{}` is no multicast GID; the group is left out", value.text);
        findings.ignored(
            value.place,
            message,
            "a multicast GID starts with ff, as in ff12:401b::16",
        );
    }
    let mut flags = GroupFlags::default();
    while let Some(here) = rest {
        let (part, after) = here.split(',');
        rest = after;
        let (word, value) = part.key_value();
        if word.text.is_empty() && value.is_none() {
            continue;
        }
        match find(word.text, &FLAGS[..GROUP_FLAGS]) {
            Some(found) => {
                if found.doubtful {
                    let message = format!("`{}` is read as {}", word.text, found.keyword);
                    findings.otherwise(word.place, message, "");
                }
                flags::set(&mut flags, found.value, found.keyword, (word, value), findings);
            }
            None => {
                let message = format!("`{}` is no flag of a multicast group", word.text);
                let note = "what follows mgid on its line are its flags; ports go on the next line";
                findings.ignored(word.place, message, note);
            }
        }
    }
    let mgid = mgid?;
    let gid = Gid { prefix: (mgid >> 64) as u64, guid: Guid(mgid as u64) };
    Some(Item::Group { mgid: Placed { value: gid, place: value.place }, flags })
}
