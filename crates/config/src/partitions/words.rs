//! Keywords. OpenSM takes every word for the first keyword that it is the beginning of, so that
//! the empty word is the first of all.

use lk_diag::Span;

use super::{Member, Who};
use crate::options::number::c_space;

/// A piece of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) place: Span,
}

impl<'a> Word<'a> {
    /// The text that starts at a place of the file.
    pub(super) fn new(text: &'a str, start: usize) -> Self {
        Self { text, place: Span::new(start, start + text.len()) }
    }

    /// Without the white space around it.
    pub(super) fn trimmed(self) -> Self {
        let text = self.text.trim_start_matches(c_space);
        let start = self.place.start + (self.text.len() - text.len());
        Self::new(text.trim_end_matches(c_space), start)
    }

    /// The parts before and after the first of these characters.
    pub(super) fn split(self, at: char) -> (Self, Option<Self>) {
        match self.text.split_once(at) {
            None => (self, None),
            Some((before, after)) => {
                let start = self.place.start + before.len() + at.len_utf8();
                (Self::new(before, self.place.start), Some(Self::new(after, start)))
            }
        }
    }

    /// A key and its value, both trimmed.
    pub(super) fn key_value(self) -> (Self, Option<Self>) {
        let (key, value) = self.split('=');
        (key.trimmed(), value.map(Self::trimmed))
    }
}

/// A flag of a header or of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flag {
    Mtu,
    Rate,
    Scope,
    QKey,
    TClass,
    Sl,
    FlowLabel,
    Ipoib,
    DefMember,
}

/// Flags in the order in which OpenSM tries them. Those of groups come first.
pub(super) const FLAGS: [(Flag, &str); 9] = [
    (Flag::Mtu, "mtu"),
    (Flag::Rate, "rate"),
    (Flag::Scope, "scope"),
    (Flag::QKey, "Q_Key"),
    (Flag::TClass, "TClass"),
    (Flag::Sl, "sl"),
    (Flag::FlowLabel, "FlowLabel"),
    (Flag::Ipoib, "ipoib"),
    (Flag::DefMember, "defmember"),
];

/// How many of [`FLAGS`] a group may have.
pub(super) const GROUP_FLAGS: usize = 7;

/// The only flag that is not abbreviated.
pub(super) const INDEX0: &str = "indx0";

/// Names of sets of ports in the order in which OpenSM tries them; the last is NVIDIA's.
pub(super) const PORTS: [(Who, &str); 7] = [
    (Who::None, "NONE"),
    (Who::All, "ALL"),
    (Who::Cas, "ALL_CAS"),
    (Who::Switches, "ALL_SWITCHES"),
    (Who::Routers, "ALL_ROUTERS"),
    (Who::Own, "SELF"),
    (Who::VirtualCas, "ALL_VCAS"),
];

/// Memberships in the order in which OpenSM tries them.
pub(super) const MEMBERS: [(Member, &str); 3] =
    [(Member::Full, "full"), (Member::Both, "both"), (Member::Limited, "limited")];

/// The first keyword that starts with the word, and whether others do too.
pub(super) fn find<T: Copy>(word: &str, keywords: &[(T, &'static str)]) -> Option<Found<T>> {
    let mut fitting = keywords.iter().filter(|(_, k)| k.starts_with(word));
    let (value, keyword) = *fitting.next()?;
    let doubtful = word.is_empty() || (word != keyword && fitting.next().is_some());
    Some(Found { value, keyword, doubtful })
}

/// What a word is taken for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) keyword: &'static str,
    /// Whether it could as well be the beginning of another keyword.
    pub(super) doubtful: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_first_keyword_that_it_begins() {
        let flag = |w| find(w, &FLAGS).map(|f| (f.value, f.doubtful));
        assert_eq!(flag("s"), Some((Flag::Scope, true)));
        assert_eq!(flag("sl"), Some((Flag::Sl, false)));
        assert_eq!(flag("i"), Some((Flag::Ipoib, false)));
        assert_eq!(flag(""), Some((Flag::Mtu, true)));
        assert_eq!(flag("indx0"), None);
        let who = |w| find(w, &PORTS).map(|f| f.value);
        assert_eq!(
            (who("A"), who("ALL_"), who("S")),
            (Some(Who::All), Some(Who::Cas), Some(Who::Own))
        );
        assert_eq!(who("ALL_V"), Some(Who::VirtualCas));
        assert_eq!(find("limi", &MEMBERS).map(|f| f.value), Some(Member::Limited));
    }

    #[test]
    fn words_know_their_places() {
        let word = Word::new(" a b = c ", 10);
        let (key, value) = word.key_value();
        assert_eq!((key.text, key.place), ("a b", Span::new(11, 14)));
        let value = value.unwrap();
        assert_eq!((value.text, value.place), ("c", Span::new(17, 18)));
    }
}
