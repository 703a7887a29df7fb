//! SL2VL programming of a switch, with wildcards where it understands them.
//!
//! A switch holds one SL2VL table for each pair of ingress and egress port. Where SwitchInfo
//! says OptimizedSLtoVLMappingProgramming, one Set can write the tables of all ingress ports of
//! an egress port, or of all pairs (IBA 14.2.5.8). A wildcard also overwrites what was right, so
//! the exceptions have to be written after it, in the same pass. OpenSM compares them with what
//! the switch held before the wildcard, and leaves them wrong until its next heavy sweep; here
//! the writes are planned against what the switch holds after it.

use lk_wire::{PortNum, SlToVlModifier, SlToVlPort, SlToVlTable};

/// Which tables of a switch one Set writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sl2vlScope {
    /// All pairs. Egress port 0 is among them if it is an enhanced one.
    All,
    /// All ingress ports of one egress port.
    AllIngress {
        /// The egress port.
        egress: u8,
    },
    /// One pair.
    One {
        /// The ingress port.
        ingress: u8,
        /// The egress port.
        egress: u8,
    },
}

impl Sl2vlScope {
    /// The attribute modifier of SLtoVLMappingTable (IBA 14.2.5.8): bit 16 is all egress ports,
    /// bit 17 all ingress ports, bits 8 to 15 the ingress port, bits 0 to 7 the egress port.
    #[must_use]
    pub const fn modifier(self) -> u32 {
        let (input, output) = match self {
            Self::All => (SlToVlPort::All, SlToVlPort::All),
            Self::AllIngress { egress } => (SlToVlPort::All, SlToVlPort::One(PortNum(egress))),
            Self::One { ingress, egress } => {
                (SlToVlPort::One(PortNum(ingress)), SlToVlPort::One(PortNum(egress)))
            }
        };
        SlToVlModifier { input, output }.encode()
    }

    /// Whether the Set writes the table of this pair. Port 0 as egress counts as enhanced.
    #[must_use]
    pub const fn covers(self, ingress: u8, egress: u8) -> bool {
        match self {
            Self::All => true,
            Self::AllIngress { egress: of } => egress == of,
            Self::One { ingress: from, egress: of } => ingress == from && egress == of,
        }
    }
}

/// One Set of SLtoVLMappingTable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sl2vlWrite {
    /// What it writes.
    pub scope: Sl2vlScope,
    /// The table.
    pub table: SlToVlTable,
}

/// What a switch is meant to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchSl2vl {
    /// The table of each egress port, by port number from 0 on: the same from all ingress
    /// ports. `None` where the port is not managed: a base port 0, a port that is down. The
    /// last port number is `egress.len() - 1`.
    pub egress: Vec<Option<SlToVlTable>>,
    /// On an enhanced port 0: the table of the pair (0, 0), where it is managed.
    pub port0_loopback: Option<SlToVlTable>,
}

impl SwitchSl2vl {
    /// The table of a pair; `None` where it is not managed.
    #[must_use]
    pub fn wanted(&self, ingress: u8, egress: u8) -> Option<SlToVlTable> {
        let table = (*self.egress.get(usize::from(egress))?)?;
        Some(match self.port0_loopback {
            Some(own) if (ingress, egress) == (0, 0) => own,
            _ => table,
        })
    }

    /// Writes for a switch without wildcards: one for each pair that is managed and not held as
    /// wanted, by egress port, then by ingress port. `held` tells what the switch holds, `None`
    /// where that is not known.
    pub fn plain_writes(&self, held: impl Fn(u8, u8) -> Option<SlToVlTable>) -> Vec<Sl2vlWrite> {
        let mut writes = Vec::new();
        for egress in self.ports() {
            self.write_pairs(egress, &held, &mut writes);
        }
        writes
    }

    /// Writes for a switch with wildcards, after which every managed pair holds what it should:
    /// the fewest of the forms of [`Sl2vlScope`], and so never more than
    /// [`Self::plain_writes`]. A wildcard has to be carried out before the writes that follow
    /// it; those of different egress ports do not depend on each other.
    ///
    /// Pairs that are not managed may be overwritten by [`Sl2vlScope::All`].
    pub fn optimised_writes(
        &self,
        held: impl Fn(u8, u8) -> Option<SlToVlTable>,
    ) -> Vec<Sl2vlWrite> {
        let mut best = self.by_egress(&held);
        for (place, table) in self.egress.iter().enumerate() {
            let Some(common) = *table else { continue };
            if self.egress.iter().take(place).any(|t| *t == Some(common)) {
                continue;
            }
            let exceptions = self.by_egress(&|_, _| Some(common));
            if exceptions.len() + 1 < best.len() {
                best = vec![Sl2vlWrite { scope: Sl2vlScope::All, table: common }];
                best.extend(exceptions);
            }
        }
        best
    }

    /// All port numbers of the switch.
    fn ports(&self) -> impl Iterator<Item = u8> + use<> {
        (0..=u8::MAX).take(self.egress.len())
    }

    /// Writes egress port by egress port: a wildcard of ingress ports where that saves writes,
    /// else the pairs that differ.
    fn by_egress(&self, held: &impl Fn(u8, u8) -> Option<SlToVlTable>) -> Vec<Sl2vlWrite> {
        let mut writes = Vec::new();
        for egress in self.ports() {
            let Some(Some(table)) = self.egress.get(usize::from(egress)).copied() else { continue };
            let start = writes.len();
            self.write_pairs(egress, held, &mut writes);
            let mut column = vec![Sl2vlWrite { scope: Sl2vlScope::AllIngress { egress }, table }];
            self.write_pairs(egress, &|_, _| Some(table), &mut column);
            if column.len() < writes.len() - start {
                writes.truncate(start);
                writes.extend(column);
            }
        }
        writes
    }

    /// One write for each pair of an egress port that is not held as wanted.
    fn write_pairs(
        &self,
        egress: u8,
        held: &impl Fn(u8, u8) -> Option<SlToVlTable>,
        writes: &mut Vec<Sl2vlWrite>,
    ) {
        for ingress in self.ports() {
            if let Some(table) = self.wanted(ingress, egress)
                && held(ingress, egress) != Some(table)
            {
                writes.push(Sl2vlWrite { scope: Sl2vlScope::One { ingress, egress }, table });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lk_wire::Vl;
    use proptest::prelude::*;

    /// A switch that does what a Set tells it.
    #[derive(Clone, Debug)]
    struct Model {
        ports: u8,
        enhanced_port0: bool,
        tables: Vec<SlToVlTable>,
    }

    impl Model {
        fn place(&self, ingress: u8, egress: u8) -> usize {
            usize::from(ingress) * usize::from(self.ports + 1) + usize::from(egress)
        }

        fn held(&self, ingress: u8, egress: u8) -> SlToVlTable {
            self.tables[self.place(ingress, egress)]
        }

        fn set(&mut self, modifier: u32, table: SlToVlTable) {
            let first_egress = u8::from(!self.enhanced_port0);
            for ingress in 0..=self.ports {
                for egress in first_egress..=self.ports {
                    let ingress_fits =
                        modifier & 0x2_0000 != 0 || (modifier >> 8) & 0xFF == u32::from(ingress);
                    let egress_fits =
                        modifier & 0x1_0000 != 0 || modifier & 0xFF == u32::from(egress);
                    if ingress_fits && egress_fits {
                        let place = self.place(ingress, egress);
                        self.tables[place] = table;
                    }
                }
            }
        }

        fn carry_out(&mut self, writes: &[Sl2vlWrite]) {
            for write in writes {
                self.set(write.scope.modifier(), write.table);
            }
        }
    }

    fn table(vl: u8) -> SlToVlTable {
        SlToVlTable::from_fn(|_| Vl(vl))
    }

    fn modifiers(writes: &[Sl2vlWrite]) -> Vec<u32> {
        writes.iter().map(|w| w.scope.modifier()).collect()
    }

    #[test]
    fn modifiers_of_each_form() {
        assert_eq!(Sl2vlScope::All.modifier(), 0x3_0000);
        assert_eq!(Sl2vlScope::AllIngress { egress: 3 }.modifier(), 0x2_0003);
        assert_eq!(Sl2vlScope::One { ingress: 2, egress: 36 }.modifier(), 0x224);
    }

    #[test]
    fn one_write_where_all_ports_are_alike_and_one_for_each_exception() {
        let mut wanted = SwitchSl2vl { egress: vec![None; 9], port0_loopback: None };
        wanted.egress[1..=6].fill(Some(table(1)));
        assert_eq!(modifiers(&wanted.optimised_writes(|_, _| None)), [0x3_0000]);
        wanted.egress[3] = Some(table(2));
        assert_eq!(modifiers(&wanted.optimised_writes(|_, _| None)), [0x3_0000, 0x2_0003]);
        assert_eq!(wanted.plain_writes(|_, _| None).len(), 6 * 9);
    }

    #[test]
    fn enhanced_port_0_keeps_its_own_table_for_itself() {
        let wanted =
            SwitchSl2vl { egress: vec![Some(table(1)); 5], port0_loopback: Some(table(4)) };
        let writes = wanted.optimised_writes(|_, _| None);
        assert_eq!(modifiers(&writes), [0x3_0000, 0]);
        assert_eq!((writes[0].table, writes[1].table), (table(1), table(4)));
    }

    /// OpenSM sends the wildcard again, finds no difference at the exceptions by what was there
    /// before, and leaves them overwritten.
    #[test]
    fn an_exception_that_was_right_is_written_again_after_a_wildcard() {
        let mut wanted = SwitchSl2vl { egress: vec![None; 9], port0_loopback: None };
        wanted.egress[1..].fill(Some(table(1)));
        wanted.egress[5] = Some(table(3));
        let held = |_, egress| Some(if egress == 5 { table(3) } else { table(0) });
        assert_eq!(modifiers(&wanted.optimised_writes(held)), [0x3_0000, 0x2_0005]);
    }

    #[test]
    fn small_differences_take_small_writes() {
        let wanted = SwitchSl2vl { egress: vec![Some(table(1)); 9], port0_loopback: None };
        let held = |ingress, egress| Some(table(u8::from((ingress, egress) != (2, 7))));
        assert_eq!(modifiers(&wanted.optimised_writes(held)), [0x207]);
        assert!(wanted.optimised_writes(|_, _| Some(table(1))).is_empty());
        let one_port = |_, egress| Some(table(u8::from(egress != 4)));
        assert_eq!(modifiers(&wanted.optimised_writes(one_port)), [0x2_0004]);
    }

    fn any_case() -> impl Strategy<Value = (SwitchSl2vl, Model, Vec<bool>)> {
        let few = 0u8..4;
        (1u8..8, any::<bool>()).prop_flat_map(move |(ports, enhanced_port0)| {
            let pairs = (usize::from(ports) + 1).pow(2);
            let egress = proptest::collection::vec(
                proptest::option::weighted(0.8, few.clone()),
                usize::from(ports) + 1,
            );
            let held = prop_oneof![
                proptest::collection::vec(few.clone(), pairs),
                few.clone().prop_map(move |vl| vec![vl; pairs]),
            ];
            let known = proptest::collection::vec(proptest::bool::weighted(0.9), pairs);
            let own = proptest::option::of(few.clone());
            (egress, held, known, own).prop_map(move |(egress, held, known, own)| {
                let mut egress: Vec<_> = egress.into_iter().map(|vl| vl.map(table)).collect();
                if !enhanced_port0 {
                    egress[0] = None;
                }
                let own = own.filter(|_| egress[0].is_some()).map(table);
                let tables = held.into_iter().map(table).collect();
                let wanted = SwitchSl2vl { egress, port0_loopback: own };
                (wanted, Model { ports, enhanced_port0, tables }, known)
            })
        })
    }

    proptest! {
        #[test]
        fn both_forms_lead_to_what_is_wanted((wanted, model, known) in any_case()) {
            let held = |ingress, egress| {
                let place = model.place(ingress, egress);
                known[place].then(|| model.tables[place])
            };
            let (plain, optimised) =
                (wanted.plain_writes(held), wanted.optimised_writes(held));
            prop_assert!(optimised.len() <= plain.len());
            for writes in [&plain, &optimised] {
                let mut switch = model.clone();
                switch.carry_out(writes);
                for ingress in 0..=switch.ports {
                    for egress in 0..=switch.ports {
                        let goal = wanted.wanted(ingress, egress);
                        let goal = goal.unwrap_or_else(|| switch.held(ingress, egress));
                        prop_assert_eq!(switch.held(ingress, egress), goal);
                    }
                }
                // And it ends there.
                let now = |ingress, egress| Some(switch.held(ingress, egress));
                prop_assert!(wanted.optimised_writes(now).is_empty());
                prop_assert!(wanted.plain_writes(now).is_empty());
            }
        }

        /// What a write covers is what a switch does with its attribute modifier.
        #[test]
        fn covers_is_what_the_switch_does(ports in 1u8..8, form in 0u8..3, a: u8, b: u8) {
            let (ingress, egress) = (a % (ports + 1), b % (ports + 1));
            let scope = match form {
                0 => Sl2vlScope::All,
                1 => Sl2vlScope::AllIngress { egress },
                _ => Sl2vlScope::One { ingress, egress },
            };
            let tables = vec![table(0); (usize::from(ports) + 1).pow(2)];
            let mut switch = Model { ports, enhanced_port0: true, tables };
            switch.set(scope.modifier(), table(1));
            for ingress in 0..=ports {
                for egress in 0..=ports {
                    let written = switch.held(ingress, egress) == table(1);
                    prop_assert_eq!(written, scope.covers(ingress, egress));
                }
            }
        }
    }
}
