//! A host asks the subnet administration of the manager on the same fabric.

use lk_config::Options;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{NodeKind, PortId};
use lk_sim::kernel::{Fate, Registration, Rmpp};
use lk_sim::{Address, Chance, Fault, Scope, SimFabric, SimOptions, World};
use lk_sm::{Mode, Settings};
use lk_wire::{Sl, class};

use crate::hosts::{GET_TABLE, MS, message};

const NODE_RECORD: u8 = 0x11;
const SECOND: u64 = 1000 * MS;

#[test]
fn a_host_gets_all_node_records_though_segments_are_lost() {
    let spec = TopoSpec::new(Shape::FatTree(FatTree::new(8, 3)));
    let fabric = generate(&spec).unwrap().fabric;
    let is_host = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
    let cabled = |p: &PortId| !is_host(p) || fabric.peer(*p).is_some();
    let hosts: Vec<PortId> = fabric.end_ports().filter(is_host).filter(cabled).collect();
    let end_ports = fabric.end_ports().filter(cabled).count();
    let settings = Settings::new(Options::default(), Default::default());
    let sim = SimFabric::new(&fabric, &SimOptions::default());
    let mut world = World::new(sim, hosts[0], settings, Mode::Daemon);
    let _ = world.run_for(2 * SECOND);
    let client = world.kernel.open(&mut world.sim, hosts[9]).unwrap();
    let wanted = Registration::new(class::SUBN_ADM, 2, &[], Rmpp::Kernel);
    world.kernel.register(client, &wanted).unwrap();
    let chance = Chance::percent(1);
    world.sim.apply(world.now(), Fault::LoseAnswers { scope: Scope::All, chance });
    let mut ask = message(GET_TABLE, 1, false, &[0; 200]);
    ask[17] = NODE_RECORD;
    let sm = Address::gsi(world.sim.port_info(hosts[0]).base_lid(), Sl(0));
    let now = world.now();
    world.kernel.send(&mut world.sim, now, client, 0, &sm, &ask, 5000, 3).unwrap();
    let _ = world.run_for(30 * SECOND);
    let got = world.kernel.receive(client).unwrap();
    assert_eq!((got.fate, got.bytes[3]), (Fate::Received, GET_TABLE | 0x80));
    assert_eq!(&got.bytes[4..6], &[0, 0], "status");
    let stride = usize::from(u16::from_be_bytes([got.bytes[44], got.bytes[45]])) * 8;
    assert_eq!((got.bytes.len() - 56) / stride, end_ports);
    assert!(got.bytes.len() > 10 * 256, "{} bytes are many segments", got.bytes.len());
}
