//! The performance management agent and what it counts.

use lk_sim::kernel::{ClientId, Registration, Rmpp};
use lk_wire::perf::{
    PERF_DATA, PortCounters, PortCountersExtended, PortDataSl, perf_attr, perf_cap,
};
use lk_wire::{Lid, Sl, Status, attr, class, method};

use crate::hosts::Hosts;
use lk_sim::Address;

struct Lab {
    hosts: Hosts,
    client: ClientId,
}

/// Words of four bytes of a packet with a datagram.
const WORDS: u32 = 72;

impl Lab {
    fn new() -> Self {
        let mut hosts = Hosts::new();
        let client = hosts.open(1);
        let wanted = Registration::new(class::PERF, 1, &[], Rmpp::None);
        hosts.kernel.register(client, &wanted).unwrap();
        Self { hosts, client }
    }

    /// Asks a LID; status and data.
    fn ask(
        &mut self,
        lid: Lid,
        sl: u8,
        method: u8,
        attribute: u16,
        data: &[u8],
    ) -> (Status, Vec<u8>) {
        let mut mad = [0; 256];
        mad[..4].copy_from_slice(&[1, class::PERF, 1, method]);
        mad[15] = 1;
        mad[16..18].copy_from_slice(&attribute.to_be_bytes());
        mad[PERF_DATA..][..data.len()].copy_from_slice(data);
        let to = Address::gsi(lid, Sl(sl));
        self.hosts.send(self.client, to, &mad, 100);
        let got = self.hosts.await_message(self.client).unwrap();
        let status = Status(u16::from_be_bytes([got.bytes[4], got.bytes[5]]));
        (status, got.bytes[PERF_DATA..].to_vec())
    }

    fn get(&mut self, lid: Lid, attribute: u16, port: u8) -> Vec<u8> {
        let (status, data) = self.ask(lid, 0, method::GET, attribute, &[0, port]);
        assert_eq!(status, Status::OK);
        data
    }

    fn counters(&mut self, lid: Lid, port: u8) -> PortCounters {
        PortCounters::parse(&self.get(lid, perf_attr::PORT_COUNTERS, port)).unwrap()
    }
}

#[test]
fn each_datagram_is_counted_at_every_port_that_it_passes() {
    let mut lab = Lab::new();
    let lid = lab.hosts.lid(0);
    let before = lab.counters(lid, 1);
    let after = lab.counters(lid, 1);
    // In between: the answer to the first and the second question.
    assert_eq!(after.rcv_data() - before.rcv_data(), WORDS);
    assert_eq!(after.xmit_data() - before.xmit_data(), WORDS);
    assert_eq!((after.rcv_pkts(), after.xmit_pkts()), (2, 1));
    let leaf = lab.hosts.sim.fabric().peer(lab.hosts.ports[0]).unwrap();
    let seen = lab.hosts.sim.port_counters(leaf);
    assert_eq!((seen.xmit_pkts(), seen.rcv_pkts()), (2, 2));
}

#[test]
fn counters_by_service_level_are_apart() {
    let mut lab = Lab::new();
    let lid = lab.hosts.lid(0);
    for _ in 0..3 {
        let _ = lab.ask(lid, 5, method::GET, perf_attr::PORT_COUNTERS, &[0, 1]);
    }
    let data = lab.get(lid, perf_attr::PORT_RCV_DATA_SL, 1);
    let received = PortDataSl::parse(&data).unwrap();
    assert_eq!((received.counter(5), received.counter(0)), (3 * WORDS, WORDS));
    let data = lab.get(lid, perf_attr::PORT_XMIT_DATA_SL, 1);
    let sent = PortDataSl::parse(&data).unwrap();
    assert_eq!((sent.counter(5), sent.counter(0)), (3 * WORDS, WORDS));
    let (_, data) = lab.ask(lid, 0, method::SET, perf_attr::PORT_RCV_DATA_SL, &[0, 1, 0, 0x20]);
    let reset = PortDataSl::parse(&data).unwrap();
    assert_eq!((reset.counter(5), reset.counter(0)), (0, 3 * WORDS));
}

#[test]
fn a_set_puts_counters_back() {
    let mut lab = Lab::new();
    let lid = lab.hosts.lid(0);
    let _ = lab.counters(lid, 1);
    let (_, data) = lab.ask(lid, 0, method::SET, perf_attr::PORT_COUNTERS, &[0, 1, 0xFF, 0xFF]);
    assert_eq!(PortCounters::parse(&data).unwrap().rcv_data(), 0);
    let after = lab.counters(lid, 1);
    assert_eq!((after.rcv_pkts(), after.xmit_pkts()), (1, 1));
    // Those of 64 bits are put back on their own.
    let data = lab.get(lid, perf_attr::PORT_COUNTERS_EXTENDED, 1);
    let extended = PortCountersExtended::parse(&data).unwrap();
    assert_eq!((extended.rcv_pkts(), extended.unicast_xmit_pkts()), (4, 3));
}

#[test]
fn a_switch_answers_for_one_port_or_for_all() {
    let mut lab = Lab::new();
    let leaf = lab.hosts.sim.fabric().peer(lab.hosts.ports[0]).unwrap();
    let node = lab.hosts.sim.fabric().owner(leaf);
    let zero = lab.hosts.sim.fabric().node(node).first;
    let ports = lab.hosts.sim.fabric().node(node).num_ports;
    let lid = lab.hosts.sim.port_info(zero).base_lid();
    let one = (1..=ports).map(|port| lab.counters(lid, port).xmit_pkts()).max().unwrap();
    let all = lab.counters(lid, 255);
    assert_eq!(all.port_select(), 255);
    assert!(all.xmit_pkts() > one, "{all:?}");
    for (port, status) in [(ports + 1, Status::INVALID_VALUE), (0, Status::OK)] {
        let got = lab.ask(lid, 0, method::GET, perf_attr::PORT_COUNTERS, &[0, port]);
        assert_eq!(got.0, status, "port {port}");
    }
}

#[test]
fn the_class_says_what_it_can_do_and_refuses_the_rest() {
    let mut lab = Lab::new();
    let lid = lab.hosts.lid(0);
    let (status, data) = lab.ask(lid, 0, method::GET, attr::CLASS_PORT_INFO, &[]);
    let mask = u16::from_be_bytes([data[2], data[3]]);
    assert_eq!((status, data[0], data[1]), (Status::OK, 1, 1));
    assert_eq!(mask, perf_cap::ALL_PORT_SELECT | perf_cap::EXTENDED | perf_cap::XMIT_WAIT);
    let (status, _) = lab.ask(lid, 0, method::GET, 0x77, &[0, 1]);
    assert_eq!(status, Status::METHOD_ATTR_UNSUPPORTED);
    // An adapter has no port 0.
    let (status, _) = lab.ask(lid, 0, method::GET, perf_attr::PORT_COUNTERS, &[0, 0]);
    assert_eq!(status, Status::INVALID_VALUE);
}
