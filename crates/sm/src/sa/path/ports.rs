//! What each port can carry, in flat tables: a walk looks at a few ports of thousands of paths.

use lk_fabric::{Fabric, LinkRate, PortId};
use lk_qos::policy::CompiledPolicy;
use lk_wire::{Mtu, PortInfo, Rate, SlToVlTable, cap_mask, cap_mask2};

use crate::io::View;

/// MTU, rate and lanes of all ports.
#[derive(Debug)]
pub struct Ports {
    mtu: Vec<Mtu>,
    rate: Vec<Rate>,
    /// SLs that a port does not drop, by bit; by ingress port only where the engine has tables of
    /// its own.
    usable: Vec<u16>,
    /// Whether a port understands the rates of two lanes, HDR and NDR (codes above 18).
    new_rates: Vec<bool>,
    by_ingress: bool,
}

/// No SL is dropped.
pub(super) const ALL_SLS: u16 = u16::MAX;

impl Ports {
    /// The tables of a view.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let fabric = &*view.seen.fabric;
        let ids = || (0..fabric.ports().len() as u32).map(PortId);
        let info = |p: PortId| {
            let wanted = view.desired.ports.get(p.index()).and_then(Option::as_ref);
            wanted.or_else(|| view.seen.port_info(p))
        };
        let qos = &view.desired.qos;
        let usable = |p: PortId| {
            let any_ingress = u16::from(fabric.port_num(p).0 != 1);
            qos.sl2vl(p, any_ingress).or_else(|| qos.sl2vl(p, 0)).map_or(ALL_SLS, |t| kept(&t))
        };
        Self {
            mtu: ids().map(|p| info(p).map_or(Mtu::M4096, PortInfo::max_mtu)).collect(),
            rate: ids().map(|p| rate(fabric, p, info(p))).collect(),
            usable: ids().map(usable).collect(),
            new_rates: ids().map(|p| info(p).is_some_and(knows_new_rates)).collect(),
            by_ingress: view.desired.routes.as_ref().is_some_and(|r| r.lanes.is_some()),
        }
    }

    /// The MTU that a port is capable of.
    #[must_use]
    pub fn mtu(&self, port: PortId) -> Mtu {
        self.mtu[port.index()]
    }

    /// The rate of a port's link.
    #[must_use]
    pub fn rate(&self, port: PortId) -> Rate {
        self.rate[port.index()]
    }

    /// Whether a port understands rate codes above 18.
    #[must_use]
    pub fn knows_new_rates(&self, port: PortId) -> bool {
        self.new_rates[port.index()]
    }

    /// The SLs, by bit, that packets from one port of a node to another are not dropped with.
    #[must_use]
    pub fn usable(&self, view: &View, egress: PortId, ingress: u16) -> u16 {
        if !self.by_ingress {
            return self.usable[egress.index()];
        }
        view.desired.qos.sl2vl(egress, ingress).map_or(ALL_SLS, |table| kept(&table))
    }
}

/// SLs whose VL is not 15, by bit.
fn kept(table: &SlToVlTable) -> u16 {
    let bit = |sl: u8| u16::from(table.get(lk_wire::Sl(sl)) != lk_wire::Vl::DROP) << sl;
    (0..16).fold(0, |bits, sl| bits | bit(sl))
}

/// The rate of a port's link: as its PortInfo says, else as it is drawn. A switch's port 0 has no
/// link; what its PortInfo says counts all the same, as in OpenSM.
fn rate(fabric: &Fabric, port: PortId, info: Option<&PortInfo>) -> Rate {
    let drawn = fabric.port(port).rate;
    let told = info.map(|info| LinkRate {
        width: info.link_width_active(),
        speed: info.link_speed_active(),
        speed_ext: info.link_speed_ext_active(),
        fdr10: false,
    });
    // What a field of four bits cannot hold is known from elsewhere.
    let best = told.filter(|t| t.decigigabits() > 0 && drawn.speed_ext <= t.speed_ext);
    let rate = best.unwrap_or(drawn);
    let known = Rate::of_link(rate.lanes(), rate.speed_name().unwrap_or_default());
    let unknown = if fabric.port_num(port).0 == 0 { Rate::FASTEST } else { Rate::SLOWEST };
    known.unwrap_or(unknown)
}

fn knows_new_rates(info: &PortInfo) -> bool {
    let new = cap_mask2::LINK_WIDTH_2X | cap_mask2::LINK_SPEED_HDR | cap_mask2::LINK_SPEED_NDR;
    info.has_capability(cap_mask::CAP_MASK2) && info.capability_mask2() & new != 0
}

/// The policy that counts, if there is one.
#[must_use]
pub(super) fn policy(view: &View) -> Option<&CompiledPolicy> {
    view.desired.policy.as_ref().map(|p| &p.compiled)
}
