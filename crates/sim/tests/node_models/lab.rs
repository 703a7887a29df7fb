//! The fabric that the tests are on, and short words for asking it things.
//!
//! ```text
//!   a ──1 leaf 5══4 spine 1── b port 1
//!   b port 2 ──2 leaf 6══3 spine 2── router port 1
//! ```
//!
//! `leaf` is a switch of 6 ports with an enhanced port 0, `spine` one of 4 ports with a base one;
//! `a` is an adapter of one port, `b` of two, `router` has two of which one is cabled.

use lk_fabric::{Fabric, FabricBuilder, NodeId, NodeKind, NodeSpec, PortId, SwitchId};
use lk_sim::{SimFabric, SimOptions};
use lk_wire::{
    Attribute, DirPath, Guid, Lid, MKey, PortInfo, PortNum, PortState, Smp, Status, Tid, attr,
    method,
};

pub(crate) const LEAF: Guid = Guid(0x20);
pub(crate) const SPINE: Guid = Guid(0x21);
pub(crate) const A: Guid = Guid(0x10);
pub(crate) const B: Guid = Guid(0x11);
pub(crate) const ROUTER: Guid = Guid(0x30);

/// Directed routes from `a`.
pub(crate) const TO_A: &[u8] = &[];
pub(crate) const TO_LEAF: &[u8] = &[1];
pub(crate) const TO_SPINE: &[u8] = &[1, 5];
pub(crate) const TO_B1: &[u8] = &[1, 5, 1];
pub(crate) const TO_B2: &[u8] = &[1, 2];
pub(crate) const TO_ROUTER: &[u8] = &[1, 5, 2];

pub(crate) fn fabric() -> Fabric {
    let mut b = FabricBuilder::new();
    let mut add = |guid, kind, name: &str, ports| {
        let mut spec = NodeSpec::new(guid, kind, name, ports);
        spec.vendor_id = 0x2c9;
        spec.device_id = 0x1003;
        spec.enhanced_port0 = guid == LEAF;
        b.add_node(spec).unwrap()
    };
    let leaf = add(LEAF, NodeKind::Switch, "leaf", 6);
    let spine = add(SPINE, NodeKind::Switch, "spine", 4);
    let a = add(A, NodeKind::Ca, "a HCA-1", 1);
    let two = add(B, NodeKind::Ca, "b HCA-1", 2);
    let router = add(ROUTER, NodeKind::Router, "router", 2);
    for (x, y) in [
        ((a, 1), (leaf, 1)),
        ((two, 2), (leaf, 2)),
        ((leaf, 5), (spine, 4)),
        ((leaf, 6), (spine, 3)),
        ((two, 1), (spine, 1)),
        ((router, 1), (spine, 2)),
    ] {
        b.connect(x, y).unwrap();
    }
    b.set_port(a, 1, Guid(0x1a1), Lid(77), 0).unwrap();
    b.build()
}

pub(crate) fn path(ports: &[u8]) -> DirPath {
    DirPath::from_ports(ports).unwrap()
}

/// The fabric with a client on `a`.
pub(crate) struct Lab {
    pub(crate) sim: SimFabric,
    pub(crate) a: PortId,
    pub(crate) now: u64,
    pub(crate) m_key: MKey,
    tid: u64,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self::with(&SimOptions::default())
    }

    pub(crate) fn with(options: &SimOptions) -> Self {
        Self::on(SimFabric::new(&fabric(), options))
    }

    /// Another fabric, with the client on port 1 of the node that has `a`'s GUID.
    pub(crate) fn on(sim: SimFabric) -> Self {
        let mut lab = Self { sim, a: PortId(0), now: 0, m_key: MKey(0), tid: 0 };
        lab.a = lab.port(A, 1);
        lab
    }

    pub(crate) fn node(&self, guid: Guid) -> NodeId {
        self.sim.fabric().node_by_guid(guid).unwrap()
    }

    pub(crate) fn port(&self, guid: Guid, number: u8) -> PortId {
        self.sim.fabric().port_at(self.node(guid), PortNum(number)).unwrap()
    }

    pub(crate) fn switch(&self, guid: Guid) -> SwitchId {
        self.sim.fabric().as_switch(self.node(guid)).unwrap()
    }

    pub(crate) fn request(&mut self, to: &[u8], what: u8, attribute: u16, modifier: u32) -> Smp {
        self.tid += 1;
        Smp::directed(what, attribute, modifier, Tid(self.tid), self.m_key, &path(to))
    }

    pub(crate) fn exchange(&mut self, smp: &Smp) -> Option<Smp> {
        self.sim.exchange(self.now, self.a, &smp.0).map(Smp)
    }

    /// SubnGet; `None` when no answer comes.
    pub(crate) fn try_get(&mut self, to: &[u8], attribute: u16, modifier: u32) -> Option<Smp> {
        let smp = self.request(to, method::GET, attribute, modifier);
        self.exchange(&smp)
    }

    /// SubnGet that must be answered with status 0.
    pub(crate) fn get<T: Attribute>(&mut self, to: &[u8], modifier: u32) -> T {
        let answer = self.try_get(to, T::ID, modifier).expect("an answer");
        assert_eq!(answer.status(), Status::OK, "{}", answer.summary());
        answer.attribute()
    }

    /// The status of the answer to a SubnGet.
    pub(crate) fn get_status(&mut self, to: &[u8], attribute: u16, modifier: u32) -> Status {
        self.try_get(to, attribute, modifier).expect("an answer").status()
    }

    /// SubnSet; `None` when no answer comes.
    pub(crate) fn try_set<T: Attribute>(
        &mut self,
        to: &[u8],
        modifier: u32,
        value: &T,
    ) -> Option<Smp> {
        let mut smp = self.request(to, method::SET, T::ID, modifier);
        smp.set_attribute(value);
        self.exchange(&smp)
    }

    /// SubnSet that must be answered with status 0; what the answer holds.
    pub(crate) fn set<T: Attribute>(&mut self, to: &[u8], modifier: u32, value: &T) -> T {
        let answer = self.try_set(to, modifier, value).expect("an answer");
        assert_eq!(answer.status(), Status::OK, "{}", answer.summary());
        answer.attribute()
    }

    /// The status of the answer to a SubnSet.
    pub(crate) fn set_status<T: Attribute>(
        &mut self,
        to: &[u8],
        modifier: u32,
        value: &T,
    ) -> Status {
        self.try_set(to, modifier, value).expect("an answer").status()
    }

    /// PortInfo as a subnet manager takes it for a Set: no state is to change.
    pub(crate) fn port_info(&mut self, to: &[u8], number: u8) -> PortInfo {
        let mut info: PortInfo = self.get(to, u32::from(number));
        info.set_port_state(PortState::NO_CHANGE.0);
        info.set_port_physical_state(0);
        info
    }

    /// Changes PortInfo of a port; it must be taken.
    pub(crate) fn change(
        &mut self,
        to: &[u8],
        number: u8,
        edit: impl FnOnce(&mut PortInfo),
    ) -> PortInfo {
        let mut info = self.port_info(to, number);
        edit(&mut info);
        self.set(to, u32::from(number), &info)
    }

    /// The status of a change of PortInfo.
    pub(crate) fn change_status(
        &mut self,
        to: &[u8],
        number: u8,
        edit: impl FnOnce(&mut PortInfo),
    ) -> Status {
        let mut info = self.port_info(to, number);
        edit(&mut info);
        self.set_status(to, u32::from(number), &info)
    }

    pub(crate) fn state(&self, guid: Guid, number: u8) -> PortState {
        self.sim.port_info(self.port(guid, number)).state()
    }

    /// Gives every end port a LID, the LID of `a` as that of the subnet manager, and routes: what
    /// a subnet manager does. LIDs: a 1, leaf 2, spine 3, b 4 and 5, router 6.
    pub(crate) fn bring_up(&mut self) {
        let lids: [(&[u8], u16); 6] =
            [(TO_A, 1), (TO_LEAF, 2), (TO_SPINE, 3), (TO_B1, 4), (TO_B2, 5), (TO_ROUTER, 6)];
        for (to, lid) in lids {
            self.change(to, 0, |p| {
                p.set_lid(lid);
                p.set_sm_lid(1);
            });
        }
        let table = |ports: [u8; 7]| {
            let mut lft = lk_wire::LinearForwardingTable([255; 64]);
            for (lid, port) in ports.into_iter().enumerate() {
                lft.set(lid, PortNum(port));
            }
            lft
        };
        self.set(TO_LEAF, 0, &table([255, 1, 0, 5, 5, 2, 6]));
        self.set(TO_SPINE, 0, &table([255, 4, 4, 0, 1, 4, 2]));
        for to in [TO_LEAF, TO_SPINE] {
            let mut info: lk_wire::SwitchInfo = self.get(to, 0);
            info.set_linear_fdb_top(6);
            info.set_port_state_change(1);
            self.set(to, 0, &info);
        }
    }

    /// A LID-routed request from `a`, and its answer.
    pub(crate) fn get_by_lid(&mut self, lid: u16, attribute: u16) -> Option<Smp> {
        self.tid += 1;
        let smp = Smp::lid_routed(method::GET, attribute, 0, Tid(self.tid), self.m_key);
        self.sim.exchange_with(self.now, self.a, Lid(lid), &smp.0).map(Smp)
    }

    /// All deliveries up to a time.
    pub(crate) fn deliveries(&mut self, until: u64) -> Vec<lk_sim::Delivery> {
        self.now = until;
        std::iter::from_fn(|| self.sim.receive(until)).collect()
    }

    pub(crate) fn who(&mut self, to: &[u8]) -> Option<(Guid, u8)> {
        let answer = self.try_get(to, attr::NODE_INFO, 0)?;
        let info: lk_wire::NodeInfo = answer.attribute();
        Some((info.guid(), info.local_port_num()))
    }
}
