//! What stands before the colon: name, key and flags.

use super::findings::Findings;
use super::words::{FLAGS, Flag, INDEX0, MEMBERS, Word, find};
use super::{Member, NAME_MAX, Place, Statement, flags};
use crate::Placed;
use crate::options::number::{base0_unsigned, c_space};

/// Reads a header; `None` if its key is none.
pub(super) fn read(head: Word<'_>, findings: &mut Findings<'_>) -> Option<Statement> {
    let (first, mut rest) = head.split(',');
    let mut statement = Statement { place: Place(head.trimmed().place), ..Statement::default() };
    let (mut name, mut key) = first.key_value();
    if key.is_none() && name.text.starts_with(|c: char| c.is_ascii_digit()) {
        key = Some(name);
        name.text = "";
    }
    statement.name = named(name, findings);
    if let Some(key) = key {
        statement.pkey = Some(p_key(key, findings)?);
    }
    if statement.name.is_none() && statement.pkey.is_none_or(|k| k.value == 0) {
        let message = "neither a name nor a key: the next free key is taken";
        let note = "OpenSM gives such a partition another key at each heavy sweep";
        findings.otherwise(statement.place.0, message, note);
    }
    while let Some(here) = rest {
        let (part, after) = here.split(',');
        flag(&mut statement, part, findings);
        rest = after;
    }
    Some(statement)
}

fn named(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Placed<String>> {
    let mut end = word.text.len().min(NAME_MAX);
    while !word.text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = word.text.get(..end).unwrap_or_default();
    if cut.len() < word.text.len() {
        let message = format!("the name is cut to {NAME_MAX} bytes");
        findings.otherwise(word.place, message, "");
    }
    // What was in the middle of the name is at its end now.
    let cut = cut.trim_end_matches(c_space);
    (!cut.is_empty()).then(|| Placed { value: cut.to_owned(), place: word.place })
}

fn p_key(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Placed<u16>> {
    let Ok(number) = base0_unsigned(word.text) else {
        let message = format!("`{}` is no P_Key", word.text);
        findings.refuse(
            word.place,
            message,
            "write it as 0x and hexadecimal digits, or in decimal",
        );
        return None;
    };
    let key = (number & 0x7FFF) as u16;
    if number > 0xFFFF {
        let message = format!("`{}` is read as 0x{key:04x}", word.text);
        findings.otherwise(word.place, message, "a P_Key has 16 bits");
    } else if key == 0 {
        let message = format!("`{}` is no key: the next free key is taken", word.text);
        findings.otherwise(word.place, message, "a key has at least one of the low 15 bits set");
    }
    Some(Placed { value: key, place: word.place })
}

fn flag(statement: &mut Statement, part: Word<'_>, findings: &mut Findings<'_>) {
    let (word, value) = part.key_value();
    if word.text.is_empty() && value.is_none() {
        return findings.ignored(part.place, "nothing stands between these commas", "");
    }
    if word.text == INDEX0 {
        statement.index0 = true;
        return;
    }
    let Some(found) = find(word.text, &FLAGS) else {
        let known = FLAGS.iter().map(|(_, k)| *k).chain([INDEX0]);
        let near = lk_diag::nearest(word.text, known).map(|n| format!("did you mean `{n}`?"));
        let message = format!("`{}` is no flag of a partition", word.text);
        return findings.ignored(word.place, message, &near.unwrap_or_default());
    };
    if found.doubtful {
        let message = format!("`{}` is read as {}", word.text, found.keyword);
        findings.otherwise(
            word.place,
            message,
            "words are taken for the first keyword that they begin",
        );
    }
    match found.value {
        Flag::Ipoib => statement.ipoib = true,
        Flag::DefMember => default_member(statement, word, value, findings),
        group => {
            flags::set(&mut statement.flags, group, found.keyword, (word, value), findings);
        }
    }
}

fn default_member(
    statement: &mut Statement,
    word: Word<'_>,
    value: Option<Word<'_>>,
    findings: &mut Findings<'_>,
) {
    let Some(value) = value else {
        return findings.ignored(word.place, "defmember has no value", "");
    };
    let Some(found) = find(value.text, &MEMBERS) else {
        let message = format!("`{}` is no membership", value.text);
        return findings.ignored(value.place, message, "it is full, limited or both");
    };
    let member: Member = found.value;
    if value.text.is_empty() {
        findings.otherwise(value.place, "no value is read as full", "");
    }
    statement.default_member = Some(Placed { value: member, place: value.place });
}
