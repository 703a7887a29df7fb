//! An entry point for fuzzing: whatever clients send to the subnet administration.

use std::sync::{Arc, OnceLock};

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_sm::sa::{Effects, Sa};
use lk_sm::{GsiAddress, Instant, Mode, Output, Settings, View};
use lk_wire::sa::SaHeader;
use lk_wire::{Lid, class};

use super::World;
use crate::{SimFabric, SimOptions};

/// A small fabric after a sweep; none if it does not come up.
fn view() -> Option<&'static Arc<View>> {
    static VIEW: OnceLock<Option<Arc<View>>> = OnceLock::new();
    VIEW.get_or_init(|| {
        let fabric = generate(&TopoSpec::new(Shape::FatTree(FatTree::new(4, 2)))).ok()?.fabric;
        let sim = SimFabric::new(&fabric, &SimOptions::default());
        let settings = Settings::new(lk_config::Options::default(), Default::default());
        let mut world = World::new(sim, fabric.end_ports().last()?, settings, Mode::Once);
        let mut view = None;
        world.drive(u64::MAX, &mut |output| {
            if let Output::View(v) = output {
                view = Some(v);
            }
        });
        view
    })
    .as_ref()
}

/// Requests one after the other: a byte for the LID that asks, one for the length in units of two
/// bytes, and the bytes of the request, whose class and version are made right. Each has one answer
/// at most, and what they leave behind can be kept and read again.
pub fn sa_requests(mut bytes: &[u8]) {
    let Some(view) = view() else { return };
    let mut sa = Sa::default();
    sa.install(Instant(0), Arc::clone(view));
    let mut now = 0;
    while let [lid, length, rest @ ..] = bytes {
        let (one, rest) = rest.split_at(rest.len().min(usize::from(*length) * 2));
        bytes = rest;
        now += 1_000_000;
        let mut one = one.to_vec();
        if let Some(head) = one.get_mut(..SaHeader::LEN)
            && let Ok(mut header) = SaHeader::parse(head)
        {
            header.set_base_version(1);
            header.set_mgmt_class(class::SUBN_ADM);
            head.copy_from_slice(&header.0);
        }
        let from = GsiAddress { lid: Lid(u16::from(*lid)), qp: 1, ..GsiAddress::default() };
        let refused = sa.take(Instant(now), from, &one);
        let mut effects = Effects::default();
        let mut answers = usize::from(refused.is_some());
        while sa.has_work() {
            answers += usize::from(sa.answer_next(Instant(now), &mut effects).is_some());
        }
        assert!(answers <= 1, "{answers} answers");
        while sa.next_report(Instant(now)).is_some() {}
    }
    let kept = lk_config::sa_db::write(&sa.database());
    lk_config::fuzzing::sa_db(kept.as_bytes());
}
