//! A small fabric that a subnet manager has brought up, and short words for what hosts do on it.

use lk_config::Options;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{NodeKind, PortId};
use lk_sim::kernel::{ClientId, Kernel, Limits, Message, Registration, Rmpp};
use lk_sim::{Address, SimFabric, SimOptions, World};
use lk_sm::{Mode, Outcome, Settings};
use lk_wire::{Lid, Sl, class, method};

pub(crate) const MS: u64 = 1_000_000;

/// A class with RMPP, GetTable as its question.
pub(crate) const GET_TABLE: u8 = method::GET_TABLE;

pub(crate) struct Hosts {
    pub(crate) sim: SimFabric,
    pub(crate) kernel: Kernel,
    pub(crate) ports: Vec<PortId>,
    pub(crate) now: u64,
}

impl Hosts {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }

    pub(crate) fn with(limits: Limits) -> Self {
        let fabric = generate(&TopoSpec::new(Shape::FatTree(FatTree::new(4, 2)))).unwrap().fabric;
        let hosts = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
        let ports: Vec<PortId> =
            fabric.end_ports().filter(hosts).filter(|p| fabric.peer(*p).is_some()).collect();
        let settings = Settings::new(Options::default(), Default::default());
        let sim = SimFabric::new(&fabric, &SimOptions::default());
        let mut world = World::new(sim, ports[0], settings, Mode::Once);
        let _ = world.run();
        assert_eq!(world.outcome(), Some(Outcome::Configured));
        let now = world.now();
        let mut sim = world.sim;
        for port in &ports {
            sim.detach(now, *port);
        }
        Self { sim, kernel: Kernel::new(limits), ports, now }
    }

    pub(crate) fn lid(&self, host: usize) -> Lid {
        self.sim.port_info(self.ports[host]).base_lid()
    }

    pub(crate) fn to(&self, host: usize) -> Address {
        Address::gsi(self.lid(host), Sl(0))
    }

    pub(crate) fn open(&mut self, host: usize) -> ClientId {
        self.kernel.open(&mut self.sim, self.ports[host]).unwrap()
    }

    /// A client with one agent of subnet administration, which takes these methods.
    pub(crate) fn agent(&mut self, host: usize, methods: &[u8]) -> ClientId {
        let client = self.open(host);
        let wanted = Registration::new(class::SUBN_ADM, 2, methods, Rmpp::Kernel);
        assert_eq!(self.kernel.register(client, &wanted), Ok(0));
        client
    }

    /// Sends with one retry after each of the time-outs of 100 ms.
    pub(crate) fn send(&mut self, client: ClientId, to: Address, bytes: &[u8], timeout: u32) {
        let sim = &mut self.sim;
        self.kernel.send(sim, self.now, client, 0, &to, bytes, timeout, 3).unwrap();
    }

    /// Lets time pass, in milliseconds.
    pub(crate) fn wait(&mut self, ms: u64) {
        self.now += ms * MS;
        let others = self.kernel.run(&mut self.sim, self.now);
        // Traps to the manager that has gone.
        assert!(others.iter().all(|delivery| delivery.from.qp == 0), "{others:?}");
    }

    pub(crate) fn receive(&mut self, client: ClientId) -> Option<Message> {
        self.kernel.receive(client)
    }

    /// Waits up to a minute for a message.
    pub(crate) fn await_message(&mut self, client: ClientId) -> Option<Message> {
        for _ in 0..6000 {
            if let Some(message) = self.receive(client) {
                return Some(message);
            }
            self.wait(10);
        }
        None
    }
}

/// A message of subnet administration with its data behind 56 bytes of headers.
pub(crate) fn message(method: u8, tid: u64, active: bool, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 56];
    bytes[..4].copy_from_slice(&[1, class::SUBN_ADM, 2, method]);
    bytes[8..16].copy_from_slice(&tid.to_be_bytes());
    bytes[17] = 0x11;
    if active {
        bytes[24..27].copy_from_slice(&[1, 1, 1]);
    }
    bytes.extend_from_slice(data);
    bytes
}

pub(crate) fn tid(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(*bytes[8..].first_chunk().unwrap())
}

pub(crate) fn some_data(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 % 253) as u8).collect()
}
