//! Lanes that a design asks for and that no port operates.

use lk_diag::{Code, Diagnostics, Severity};
use lk_wire::{Sl, Vl, VlCode};

use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::{self, Site};

pub(super) static FEWER_LANES: Rule = Rule {
    code: Code::new("QO001", "a design for more lanes than operate"),
    severity: Severity::Error,
    page: include_str!("pages/QO001.md"),
    of_tables: true,
    look: |site, found| {
        if site.programs_tables() {
            site.distinct_kinds().for_each(|kind| look(site, kind, found));
        }
    },
};

fn look(site: &Site<'_>, kind: &PortKind, found: &mut Diagnostics) {
    let wish = site.wish(kind);
    let Some(held) = site.held(kind).sl2vl else { return };
    // The built-in table is nobody's design.
    let Some(set) = wish.origins.sl2vl else { return };
    let folded = |sl: &Sl| wish.sl2vl.get(*sl) != held.get(*sl);
    if !(0..16).map(Sl).any(|sl| folded(&sl)) {
        return;
    }
    let distinct = |table: &dyn Fn(Sl) -> Vl| {
        let mut lanes: Vec<u8> = (0..16).map(|sl| table(Sl(sl)).0).filter(|vl| *vl < 15).collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes
    };
    let (asked, left) =
        (distinct(&|sl| wish.sl2vl.get(sl)).len(), distinct(&|sl| held.get(sl)).len());
    let operate = kind.port.oper_vls;
    let mut finding = FEWER_LANES.found(format!(
        "{}: a design for {asked} lanes becomes one for {left}, for only {} operate",
        kind.name(),
        site::lanes(operate)
    ));
    finding = site.at_set(Some(set), "sl2vl", "asks for more lanes", finding);
    finding = site.also("max_op_vls", "this many lanes operate", finding);
    finding = table(wish, &held).into_iter().fold(finding, lk_diag::Diagnostic::note);
    for shared in shared(wish, &held) {
        finding = finding.note(shared);
    }
    found.push(remedy(site, kind, wish, finding));
}

/// The table as it is asked for and as it is held, in columns.
fn table(wish: &lk_qos::QosSet, held: &lk_wire::SlToVlTable) -> [String; 3] {
    let row = |name: &str, cell: &dyn Fn(u8) -> String| {
        let cells: Vec<String> = (0..16).map(|sl| format!("{:>2}", cell(sl))).collect();
        format!("{name} {}", cells.join(" "))
    };
    [
        row("SL       ", &|sl| sl.to_string()),
        row("asked: VL", &|sl| wish.sl2vl.get(Sl(sl)).0.to_string()),
        row("held:  VL", &|sl| held.get(Sl(sl)).0.to_string()),
    ]
}

/// SLs that the design separates and that share a lane.
fn shared(wish: &lk_qos::QosSet, held: &lk_wire::SlToVlTable) -> Vec<String> {
    let mut out = Vec::new();
    for vl in (0..15).map(Vl) {
        let sls: Vec<u8> = (0..16).filter(|sl| held.get(Sl(*sl)) == vl).collect();
        let apart = sls.iter().any(|sl| wish.sl2vl.get(Sl(*sl)) != wish.sl2vl.get(Sl(sls[0])));
        if apart {
            out.push(format!(
                "{} share VL{} though the design separates them: one buffer, one share",
                super::numbers("SL", &sls),
                vl.0
            ));
        }
    }
    out
}

/// What to do: raise `max_op_vls`, or, where the ports have no more, design for fewer lanes.
fn remedy(
    site: &Site<'_>,
    kind: &PortKind,
    wish: &lk_qos::QosSet,
    finding: lk_diag::Diagnostic,
) -> lk_diag::Diagnostic {
    let highest = (0..16).map(|sl| wish.sl2vl.get(Sl(sl)).0).filter(|vl| *vl < 15).max();
    let needed = (1..=5).map(VlCode).find(|code| Some(code.data_vls()) > highest);
    let needed = needed.unwrap_or(VlCode::VL0_14);
    if needed.0 > kind.port.vl_cap.0 {
        return finding.help(format!(
            "the ports have {} by VLCap: map the SLs to these lanes",
            site::lanes(kind.port.vl_cap)
        ));
    }
    let now = site.options().max_op_vls;
    finding
        .help(format!(
            "`max_op_vls {}` lets {} operate (it is a code, and is {now} now)",
            needed.0,
            site::lanes(needed)
        ))
        .note("a change of max_op_vls takes every link down and up: plan it as maintenance")
}
