//! The SLs of paths where the routing engine gives each path one.

use std::collections::BTreeSet;
use std::sync::Arc;

use lk_fabric::topo::{Shape, TopoSpec, Torus, generate};
use lk_fabric::{Fabric, NodeKind, PortId};
use lk_sim::SimOptions;
use lk_sm::sa::{Effects, Sa};
use lk_sm::{GsiAddress, Instant, Mode, Output, View};
use lk_wire::sa::{Message, PathRecord, Record, SaHeader, path_mask};
use lk_wire::{Gid, Lid, Sl, method};

use crate::setup::{settings, world};

fn torus() -> Fabric {
    let shape = Shape::Torus(Torus { hosts: 2, ..Torus::new(&[4, 4]) });
    generate(&TopoSpec::new(shape)).expect("a torus").fabric
}

fn view(fabric: &Fabric, engine: &str, lmc: u8) -> Arc<View> {
    let mut settings = settings(|o| {
        o.routing_engine = Some(format!("{engine},no_fallback"));
        o.lmc = lmc;
    });
    settings.routing.qos = true;
    let mut world = world(fabric, &SimOptions::default(), settings, Mode::Once);
    let mut view = None;
    world.drive(u64::MAX, &mut |output| {
        if let Output::View(v) = output {
            view = Some(v);
        }
    });
    view.unwrap_or_else(|| panic!("{engine} routes it"))
}

/// All paths from one port to another: the DLID and the SL of each.
fn paths(sa: &mut Sa, view: &View, from: PortId, to: PortId) -> Vec<(Lid, Sl)> {
    let gid = |port| Gid { prefix: 0xfe80 << 48, guid: view.seen.fabric.port(port).guid };
    let mut record = PathRecord::default();
    record.set_sgid(gid(from));
    record.set_dgid(gid(to));
    let mut header = SaHeader::request(method::GET_TABLE, PathRecord::ID, 1);
    header.set_component_mask(path_mask::SGID | path_mask::DGID);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(&record.0);
    let lid = view.desired.lids.ranges().iter().find(|r| r.0 == from).unwrap().1;
    let client = GsiAddress { lid, qp: 1, ..GsiAddress::default() };
    assert!(sa.take(Instant(0), client, &bytes).is_none());
    let answer = sa.answer_next(Instant(0), &mut Effects::default()).expect("an answer");
    let message = Message::parse(&answer.bytes).expect("a whole message");
    assert_eq!(message.header.status(), 0);
    let found = message.records().map(PathRecord::read);
    found.map(|r| (Lid(r.dlid()), Sl(r.sl()))).collect()
}

#[test]
fn the_sl_of_a_path_is_that_of_its_very_lid() {
    let fabric = torus();
    for engine in ["dfsssp", "nue", "lash"] {
        let view = view(&fabric, engine, 2);
        let hosts: Vec<PortId> = fabric
            .end_ports()
            .filter(|p| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca)
            .step_by(3)
            .collect();
        let mut sa = Sa::default();
        sa.install(Instant(0), Arc::clone(&view));
        let plan = &view.desired.routes.as_ref().unwrap().sl;
        let (mut asked, mut by_lid) = (0, 0);
        for (from, to) in hosts.iter().flat_map(|a| hosts.iter().map(move |b| (*a, *b))) {
            let got = paths(&mut sa, &view, from, to);
            assert_eq!(got, paths(&mut sa, &view, from, to), "{engine}: twice the same");
            assert_eq!(got.len(), 4 * 4, "each of four LIDs with each of four");
            for (lid, sl) in &got {
                assert_eq!(*sl, plan.sl(from, to, *lid, Sl(0)), "{engine}: {lid:?}");
                asked += 1;
            }
            let sls: BTreeSet<Sl> = got.iter().map(|p| p.1).collect();
            by_lid += usize::from(sls.len() > 1);
        }
        assert!(asked > 1000, "{asked}");
        // The others have one lane for two switches, or one for all, whichever LIDs are meant.
        assert!(by_lid > 0 || engine != "dfsssp", "the SL depends on the LID somewhere");
    }
}
