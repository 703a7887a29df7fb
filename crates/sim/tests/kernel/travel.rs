//! How datagrams of QP1 travel: lanes, keys, and what is counted when they do not arrive.

use lk_sim::kernel::Fate;
use lk_sim::{Address, Grh, Lost};
use lk_wire::{Attribute, DirPath, PortNum, attr, method};
use lk_wire::{Gid, Guid, Lid, MKey, PKey, PKeyTable, Sl, SlToVlTable, Smp, Tid, Vl};

use crate::hosts::{Hosts, message};

/// Writes an attribute of the node at the end of a path from host 1.
fn set<A: Attribute>(hosts: &mut Hosts, path: &DirPath, modifier: u32, value: &A) {
    let mut smp = Smp::directed(method::SET, A::ID, modifier, Tid(1), MKey(0), path);
    smp.set_attribute(value);
    let answer = hosts.sim.exchange(hosts.now, hosts.ports[1], &smp.0).map(Smp).unwrap();
    assert!(answer.status().is_ok());
}

fn asks(hosts: &mut Hosts, to: Address) -> bool {
    let server = hosts.agent(0, &[method::GET]);
    let client = hosts.agent(1, &[]);
    hosts.send(client, to, &message(method::GET, 1, false, b""), 0);
    hosts.wait(1);
    let arrived = hosts.receive(server).is_some_and(|m| m.fate == Fate::Received);
    hosts.kernel.close(&mut hosts.sim, hosts.now, server);
    hosts.kernel.close(&mut hosts.sim, hosts.now, client);
    arrived
}

#[test]
fn a_service_level_without_a_lane_does_not_pass() {
    let mut hosts = Hosts::new();
    let drops_5 = SlToVlTable::from_fn(|Sl(sl)| if sl == 5 { Vl::DROP } else { Vl(sl % 8) });
    set(&mut hosts, &DirPath::LOCAL, 0, &drops_5);
    let to = |hosts: &Hosts, sl| Address { sl: Sl(sl), ..hosts.to(0) };
    let with_4 = to(&hosts, 4);
    assert!(asks(&mut hosts, with_4));
    let with_5 = to(&hosts, 5);
    assert!(!asks(&mut hosts, with_5));
    assert_eq!(hosts.sim.stats().lost(Lost::Lane), 1);
    assert_eq!(hosts.sim.port_counters(hosts.ports[1]).xmit_discards(), 1);
    // Lanes that a port does not operate count as none.
    set(&mut hosts, &DirPath::LOCAL, 0, &SlToVlTable::from_fn(|_| Vl(8)));
    assert!(!asks(&mut hosts, with_4));
}

#[test]
fn keys_are_checked_where_they_arrive() {
    let mut hosts = Hosts::new();
    let to = hosts.to(0);
    assert!(!asks(&mut hosts, Address { q_key: 1, ..to }));
    assert_eq!(hosts.sim.stats().lost(Lost::QKey), 1);
    let limited: PKeyTable = [PKey(0x7fff), PKey(0x8001)].into_iter().collect();
    set(&mut hosts, &DirPath::LOCAL, 0, &limited);
    // The manager's port is a full member of the default partition, and none of the other.
    assert!(asks(&mut hosts, to));
    assert!(!asks(&mut hosts, Address { pkey_index: 1, ..to }));
    assert!(!asks(&mut hosts, Address { pkey_index: 2, ..to }));
    assert_eq!(hosts.sim.stats().lost(Lost::PKey), 2);
    assert_eq!(hosts.sim.port_info(hosts.ports[0]).p_key_violations(), 1);
}

#[test]
fn what_has_no_route_is_counted_by_the_switch() {
    let mut hosts = Hosts::new();
    let nobody = Address::gsi(Lid(0xBFFF), Sl(0));
    assert!(!asks(&mut hosts, nobody));
    assert_eq!(hosts.sim.stats().lost(Lost::NoRoute), 1);
    let leaf = hosts.sim.fabric().peer(hosts.ports[1]).unwrap();
    assert_eq!(hosts.sim.port_counters(leaf).relay_errors(), 1);
}

#[test]
fn a_global_route_header_brings_the_senders_gid() {
    let mut hosts = Hosts::new();
    let server = hosts.agent(0, &[method::GET]);
    let client = hosts.agent(1, &[]);
    let there = hosts.sim.gid_at(hosts.ports[0], 0);
    let grh = Grh { gid: there, hop_limit: 1, traffic_class: 3, flow_label: 9, gid_index: 0 };
    let to = Address { grh: Some(grh), ..hosts.to(0) };
    hosts.send(client, to, &message(method::GET, 1, false, b""), 0);
    let got = hosts.await_message(server).unwrap();
    let own = hosts.sim.fabric().port(hosts.ports[1]).guid;
    let gid = Gid { prefix: 0xfe80 << 48, guid: own };
    assert_ne!(own, Guid(0));
    assert_eq!(got.from.grh, Some(Grh { gid, ..grh }));
}

#[test]
fn a_manager_asks_smps_through_its_kernel_too() {
    use lk_sim::kernel::{Registration, Rmpp};
    let mut hosts = Hosts::new();
    let client = hosts.open(1);
    let wanted = Registration::new(0x81, 1, &[], Rmpp::None);
    hosts.kernel.register(client, &wanted).unwrap();
    for port in [1, 20] {
        let path = DirPath::LOCAL.then(PortNum(port)).unwrap();
        let ask = Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(7), MKey(0), &path);
        let to = Address::smi(Lid::PERMISSIVE);
        hosts.send(client, to, &ask.0, 100);
        let got = hosts.await_message(client).unwrap();
        let expected = if port == 1 { Fate::Received } else { Fate::TimedOut };
        assert_eq!(got.fate, expected);
    }
}
