//! Adapters and switches that treat an SL differently.

use lk_diag::{Code, Diagnostics, Severity};
use lk_qos::PortClass;
use lk_wire::{Sl, Vl};

use crate::rule::Rule;
use crate::site::Site;

pub(super) static ENDS_DIFFER: Rule = Rule {
    code: Code::new("QO010", "an SL passes adapters and not switches, or the other way round"),
    severity: Severity::Error,
    page: include_str!("pages/QO010.md"),
    of_tables: true,
    look,
};

fn look(site: &Site<'_>, found: &mut Diagnostics) {
    if !site.programs_tables() {
        return;
    }
    let of = |class| {
        let kinds = site.kinds.iter().filter(move |kind| kind.port.class == class);
        kinds.filter_map(|kind| Some((kind, site.held(kind).sl2vl?))).next()
    };
    let ((Some((ca, ca_table)), Some((switch, switch_table))), sets) = (
        (of(PortClass::Ca), of(PortClass::SwitchExternal)),
        (site.sets.get(PortClass::Ca), site.sets.get(PortClass::SwitchExternal)),
    ) else {
        return;
    };
    let drops = |table: &lk_wire::SlToVlTable, sl: u8| table.get(Sl(sl)) == Vl::DROP;
    let differ: Vec<u8> =
        (0..16).filter(|sl| drops(&ca_table, *sl) != drops(&switch_table, *sl)).collect();
    if differ.is_empty() {
        return;
    }
    let by_ca: Vec<u8> = differ.iter().copied().filter(|sl| drops(&ca_table, *sl)).collect();
    let by_switch: Vec<u8> =
        differ.iter().copied().filter(|sl| drops(&switch_table, *sl)).collect();
    let mut finding = ENDS_DIFFER.found(format!(
        "packets of {} are let in at one end and dropped at the other",
        super::numbers("SL", &differ)
    ));
    for (kind, sls) in [(ca, by_ca), (switch, by_switch)] {
        if !sls.is_empty() {
            finding = finding.note(format!("{} drop {}", kind.name(), super::numbers("SL", &sls)));
        }
    }
    let (ca_set, switch_set) = (sets.0.origins.sl2vl, sets.1.origins.sl2vl);
    finding = site.at_set(switch_set.or(ca_set), "sl2vl", "", finding);
    if let Some(set) = ca_set.filter(|set| Some(*set) != switch_set && switch_set.is_some()) {
        finding = site.also(&format!("{}sl2vl", set.prefix()), "", finding);
    }
    found.push(finding.help("write the SLs into both, or 15 into both"));
}
