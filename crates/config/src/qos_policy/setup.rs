//! `qos-setup`, which OpenSM reads and never applies.

use lk_diag::Span;

use super::lex::Fault;
use super::read::Reader;
use super::{Ranges, SetupScope, Sl2vlScope, VlArbScope};
use crate::Placed;

const VLARB: [&str; 5] = ["group", "across", "vlarb-high", "vlarb-low", "vl-high-limit"];
const SL2VL: [&str; 7] =
    ["group", "across", "across-from", "across-to", "from", "to", "sl2vl-table"];

/// Port numbers in `from` and `to` are smaller than this.
const PORTS: u64 = 128;

impl Reader<'_> {
    pub(super) fn setup(&mut self, opened: Span, scopes: &mut Vec<Placed<SetupScope>>) {
        self.inside("qos-setup", opened, &["vlarb-tables", "sl2vl-tables"], |r, tables, place| {
            if tables == "vlarb-tables" {
                r.inside("vlarb-tables", place, &["vlarb-scope"], |r, _, place| {
                    let scope = r.vlarb_scope(place);
                    scopes.push(scope);
                });
            } else {
                r.inside("sl2vl-tables", place, &["sl2vl-scope"], |r, _, place| {
                    let scope = r.sl2vl_scope(place);
                    scopes.push(scope);
                });
            }
        });
    }

    fn vlarb_scope(&mut self, opened: Span) -> Placed<SetupScope> {
        let mut scope = VlArbScope::default();
        let close = self.inside("vlarb-scope", opened, &VLARB, |r, attribute, _| match attribute {
            "group" => r.names_into(&mut scope.group),
            "across" => r.names_into(&mut scope.across),
            "vl-high-limit" => {
                let read = r.lex.single_number();
                if let Some(limit) = r.lex.or_skip(read) {
                    scope.high_limit = Some(limit.value);
                }
            }
            list => {
                let read = r.lex.pairs();
                let pairs = r.lex.or_skip(read).unwrap_or_default();
                if list == "vlarb-high" { &mut scope.high } else { &mut scope.low }.extend(pairs);
            }
        });
        if scope.group.is_empty() && scope.across.is_empty() {
            let help = "add a line `group: …` or `across: …`";
            self.lex.refuse(opened, "this vlarb-scope names no ports", help);
        }
        Placed::new(SetupScope::VlArb(scope), opened.cover(close))
    }

    fn sl2vl_scope(&mut self, opened: Span) -> Placed<SetupScope> {
        let mut scope = Sl2vlScope::default();
        let mut table = None;
        let close = self.inside("sl2vl-scope", opened, &SL2VL, |r, attribute, _| match attribute {
            "group" => r.names_into(&mut scope.group),
            "across" => r.names_into(&mut scope.across),
            "across-from" => r.names_into(&mut scope.across_from),
            "across-to" => r.names_into(&mut scope.across_to),
            "from" => r.ports_into(&mut scope.from),
            "to" => r.ports_into(&mut scope.to),
            _ => {
                let read = r.lex.ranges();
                if let Some(values) = r.lex.or_skip(read) {
                    r.table_into(&mut table, &values);
                }
            }
        });
        scope.table = self.required(table, opened, "sl2vl-table", "sl2vl-scope").value;
        let named = [&scope.group, &scope.across, &scope.across_from, &scope.across_to];
        if named.iter().all(|list| list.is_empty()) {
            let help = "add a line `group: …`, `across-from: …` or `across-to: …`";
            self.lex.refuse(opened, "this sl2vl-scope names no ports", help);
        }
        Placed::new(SetupScope::Sl2vl(scope), opened.cover(close))
    }

    fn ports_into(&mut self, slot: &mut Option<Ranges>) {
        self.lex.skip_all();
        if self.lex.take('*') {
            return;
        }
        let read = self.lex.ranges();
        let Some(ports) = self.lex.or_skip(read) else { return };
        if let Some(bad) = ports.iter().find(|p| p.value.high >= PORTS) {
            let message = format!("port numbers here go up to {}", PORTS - 1);
            self.lex.refuse(bad.place, message, "");
        }
        slot.get_or_insert_default().extend(ports);
    }

    fn table_into(&mut self, slot: &mut Option<Placed<[u8; 16]>>, values: &Ranges) {
        let place = values.iter().map(|v| v.place).reduce(Span::cover);
        let place = place.unwrap_or(self.lex.here());
        let single: Vec<u64> = values.iter().flat_map(|v| [v.value.low, v.value.high]).collect();
        let fault = |message: String| Fault { place, message, help: String::new() };
        let vls: Vec<u8> = values.iter().filter_map(|v| u8::try_from(v.value.low).ok()).collect();
        let read = match <[u8; 16]>::try_from(vls) {
            _ if values.len() != 16 => {
                Err(fault(format!("a table has 16 values, and these are {}", values.len())))
            }
            _ if single.chunks(2).any(|p| p[0] != p[1]) => {
                Err(fault("ranges cannot stand in a table".to_owned()))
            }
            Ok(table) if table.iter().all(|vl| *vl <= 15) => Ok(Placed::new(table, place)),
            _ => Err(fault("VLs go from 0 to 15".to_owned())),
        };
        if let Some(table) = self.lex.or_skip(read) {
            self.once(slot, table, "sl2vl-table");
        }
    }
}
