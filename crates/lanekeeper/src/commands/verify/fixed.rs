//! Programs that send on an SL of their own choice, mostly 0, without asking the SA.

use lk_fabric::SwitchId;
use lk_routing::proof::{PathSls, SlSet};
use lk_sm::Verdict;
use lk_wire::{Lid, Sl};
use serde::Serialize;

use super::subject::{Sls, Subject};

/// What becomes of the fabric with such programs on it, beside those that take the SLs of paths.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct FixedSls {
    /// The SLs that were asked about.
    pub(super) sls: Vec<u8>,
    /// Those of them that may be used by everybody, each alone beside the SLs of paths.
    pub(super) safe: Vec<u8>,
    /// Of these as many as may be used at a time, the lowest first.
    pub(super) safe_together: Vec<u8>,
    /// Those that make a credit loop even alone.
    pub(super) unsafe_sls: Vec<u8>,
    /// The verdict if all of them are used at a time.
    pub(super) together: Verdict,
}

/// The SLs of paths, and these on every path as well.
struct With<'a> {
    base: &'a Sls,
    more: SlSet,
}

impl PathSls for With<'_> {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        SlSet(self.base.sls(from, to).0 | self.more.0)
    }

    fn own(&self, from: SwitchId, to: Lid) -> SlSet {
        self.base.own(from, to).and(self.more)
    }

    fn all(&self) -> SlSet {
        SlSet(self.base.all().0 | self.more.0)
    }

    fn alike(&self, one: Lid, other: Lid) -> bool {
        self.base.alike(one, other)
    }
}

impl FixedSls {
    /// Judges each SL alone and all together.
    pub(super) fn of(subject: &Subject, sls: SlSet) -> Self {
        let base = &subject.sls;
        let mut judged: Vec<(Sl, bool)> = Vec::new();
        for sl in sls.iter() {
            let alike = judged.iter().find(|(other, _)| subject.sl2vl.same(*other, sl));
            let free = alike.map(|(_, free)| *free).unwrap_or_else(|| {
                let traffic = With { base, more: SlSet::one(sl) };
                Verdict::is_free(&subject.forwarding(), &subject.sl2vl, &traffic)
            });
            judged.push((sl, free));
        }
        let which = |wanted: bool| {
            judged.iter().filter(|(_, free)| *free == wanted).map(|(sl, _)| sl.0).collect()
        };
        let mut safe_together = SlSet::EMPTY;
        for (sl, _) in judged.iter().filter(|(_, free)| *free) {
            let more = safe_together.with(*sl);
            // Alone it has been judged already.
            let first = safe_together == SlSet::EMPTY;
            let like_another = safe_together.iter().any(|other| subject.sl2vl.same(other, *sl));
            let free = || {
                let traffic = With { base, more };
                Verdict::is_free(&subject.forwarding(), &subject.sl2vl, &traffic)
            };
            if first || like_another || free() {
                safe_together = more;
            }
        }
        let traffic = With { base, more: sls };
        Self {
            sls: sls.iter().map(|sl| sl.0).collect(),
            safe: which(true),
            safe_together: safe_together.iter().map(|sl| sl.0).collect(),
            unsafe_sls: which(false),
            together: Verdict::of(&subject.forwarding(), &subject.sl2vl, &traffic),
        }
    }

    /// The verdict as lines for a person.
    pub(super) fn text(&self) -> String {
        let list = |sls: &[u8]| match sls {
            [] => "none".to_owned(),
            all if all.len() == 16 => "0 to 15".to_owned(),
            some => some.iter().map(u8::to_string).collect::<Vec<_>>().join(", "),
        };
        let mut out = format!(
            "\nPrograms that use an SL of their own, beside those that ask the SA\n  \
             safe for everybody: SL {}\n",
            list(&self.safe)
        );
        if self.safe_together != self.safe {
            out += &format!("  each alone; together: SL {}\n", list(&self.safe_together));
        }
        if !self.unsafe_sls.is_empty() {
            out += &format!("  credit loop possible: SL {}\n", list(&self.unsafe_sls));
        }
        if self.sls.len() > 1 || !self.together.deadlock_free {
            out += &format!("  SL {} together:\n", list(&self.sls));
            self.together.text().lines().for_each(|line| out += &format!("    {line}\n"));
        }
        out
    }
}
