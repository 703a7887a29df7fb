//! Entries of the arbitration lists that do not do what they look like.

use lk_config::QosSetName;
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_qos::ArbList;
use lk_qos::tables::lane_mask;
use lk_wire::VlArbEntry;

use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::{self, Site};

pub(super) static FOLDED_ENTRY: Rule = Rule {
    code: Code::new("QO005", "arbitration entries for lanes that do not operate"),
    severity: Severity::Warning,
    page: include_str!("pages/QO005.md"),
    of_tables: true,
    look: |site, found| each(site, found, folded),
};

pub(super) static CUT: Rule = Rule {
    code: Code::new("QO006", "an arbitration list longer than the port's table"),
    severity: Severity::Warning,
    page: include_str!("pages/QO006.md"),
    of_tables: true,
    look: |site, found| each(site, found, cut),
};

pub(super) static TWICE: Rule = Rule {
    code: Code::new("QO009", "a lane more than once in an arbitration list"),
    severity: Severity::Info,
    page: include_str!("pages/QO009.md"),
    of_tables: true,
    look: |site, found| each(site, found, twice),
};

/// One of the lists of a set that somebody wrote.
struct Written<'a> {
    name: &'static str,
    set: QosSetName,
    list: &'a ArbList,
    /// How many entries the port's table has.
    capacity: u8,
}

impl Written<'_> {
    fn entries(&self) -> impl Iterator<Item = &VlArbEntry> {
        self.list.0.iter().take(usize::from(self.capacity))
    }

    fn at(&self, site: &Site<'_>, text: &str, finding: Diagnostic) -> Diagnostic {
        site.at_set(Some(self.set), self.name, text, finding)
    }
}

type Look = fn(&Site<'_>, &PortKind, &Written<'_>) -> Option<Diagnostic>;

fn each(site: &Site<'_>, found: &mut Diagnostics, look: Look) {
    if !site.programs_tables() {
        return;
    }
    for kind in site.distinct_kinds().filter(|kind| kind.port.vl_cap.data_vls() > 1) {
        let wish = site.wish(kind);
        for (name, set, list, capacity) in [
            ("vlarb_high", wish.origins.vlarb_high, &wish.vlarb_high, kind.port.vlarb_high_cap),
            ("vlarb_low", wish.origins.vlarb_low, &wish.vlarb_low, kind.port.vlarb_low_cap),
        ] {
            if let Some(set) = set {
                found.extend(look(site, kind, &Written { name, set, list, capacity }));
            }
        }
    }
}

fn folded(site: &Site<'_>, kind: &PortKind, written: &Written<'_>) -> Option<Diagnostic> {
    let mask = lane_mask(kind.port.oper_vls);
    let mut moved: Vec<(u8, u8)> = written
        .entries()
        .filter(|e| e.weight > 0 && e.vl.0 & mask != e.vl.0)
        .map(|e| (e.vl.0, e.vl.0 & mask))
        .collect();
    moved.sort_unstable();
    moved.dedup();
    if moved.is_empty() {
        return None;
    }
    let finding = FOLDED_ENTRY.found(format!(
        "{}: the weight of {} goes to other lanes, for only {} operate",
        kind.name(),
        super::numbers("VL", &moved.iter().map(|(from, _)| *from).collect::<Vec<_>>()),
        site::lanes(kind.port.oper_vls)
    ));
    let pairs: Vec<String> = moved.iter().map(|(from, to)| format!("VL{from} to VL{to}")).collect();
    let finding = finding.note(format!("it is added to what those have: {}", pairs.join(", ")));
    Some(written.at(site, "lanes that do not operate", finding))
}

fn cut(site: &Site<'_>, kind: &PortKind, written: &Written<'_>) -> Option<Diagnostic> {
    let capacity = usize::from(written.capacity);
    let cut: Vec<&VlArbEntry> =
        written.list.0.iter().skip(capacity).filter(|e| e.weight > 0).collect();
    if cut.is_empty() {
        return None;
    }
    let entries: Vec<String> = cut.iter().map(|e| format!("{}:{}", e.vl.0, e.weight)).collect();
    let finding = CUT
        .found(format!(
            "{}: the table has {capacity} entries; what the list has beyond is not programmed",
            kind.name()
        ))
        .note(format!("cut off: {}", entries.join(",")))
        .help("join entries of the same lane, or leave out lanes that nothing maps to");
    Some(written.at(site, "longer than the table", finding))
}

fn twice(site: &Site<'_>, kind: &PortKind, written: &Written<'_>) -> Option<Diagnostic> {
    let mut lanes: Vec<u8> = written.entries().filter(|e| e.weight > 0).map(|e| e.vl.0).collect();
    lanes.sort_unstable();
    let mut more: Vec<u8> =
        lanes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    more.dedup();
    if more.is_empty() {
        return None;
    }
    let finding = TWICE
        .found(format!(
            "{}: {} {} several entries, and all their weights count",
            kind.name(),
            super::numbers("VL", &more),
            if more.len() == 1 { "has" } else { "have" }
        ))
        .note("entries that lie apart let the lane send in several shorter turns");
    Some(written.at(site, "", finding))
}
