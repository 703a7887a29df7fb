//! Observed fabrics for tests of the pure parts.

use lk_fabric::{Fabric, FabricBuilder, LinkRate, NodeKind, NodeSpec, PortId};
use lk_wire::{Guid, Lid, PortInfo, PortState, SwitchInfo};

use crate::decide::Desired;
use crate::observe::Observed;
use crate::plan::Plan;

/// Two switches with six hosts: the fabric that opensm's LIDs were noted on. Port GUIDs
/// 0x100001, 3, 5 on the first, 7, 9, 0xa on the second switch; the SM sits on 0x100001.
pub(crate) fn two_switches(hardware_lids: &[(u64, u16)], enhanced: bool) -> Observed {
    let mut b = FabricBuilder::new();
    let mut switches = Vec::new();
    for n in 0..2 {
        let mut spec = NodeSpec::new(Guid(0x200000 + n), NodeKind::Switch, "sw", 8);
        spec.enhanced_port0 = enhanced;
        switches.push(b.add_node(spec).unwrap());
    }
    b.connect((switches[0], 8), (switches[1], 8)).unwrap();
    for (n, guid) in [0x100001, 0x100003, 0x100005, 0x100007, 0x100009, 0x10000a].iter().enumerate()
    {
        let node = NodeSpec::new(Guid(0x700000 + guid), NodeKind::Ca, "host", 1);
        let node = b.add_node(node).unwrap();
        b.set_port(node, 1, Guid(*guid), Lid(0), 0).unwrap();
        b.set_rate(node, 1, LinkRate { width: 2, speed: 1, ..LinkRate::default() }).unwrap();
        b.connect((node, 1), (switches[n / 3], (n % 3 + 1) as u8)).unwrap();
    }
    for (guid, lid) in hardware_lids {
        match b.find(Guid(*guid)) {
            Some(switch) => b.set_port(switch, 0, Guid(*guid), Lid(*lid), 0).unwrap(),
            None => {
                let node = b.find(Guid(0x700000 + guid)).unwrap();
                b.set_port(node, 1, Guid(*guid), Lid(*lid), 0).unwrap();
            }
        }
    }
    observed(b.build(), Guid(0x100001))
}

/// A fabric as observed, all links in INIT with four lanes and an MTU of 4096.
pub(crate) fn observed(fabric: Fabric, own: Guid) -> Observed {
    let info = |p: PortId| {
        let mut info = PortInfo::default();
        info.set_lid(fabric.port(p).lid.0);
        info.set_mtu_cap(5);
        info.set_vl_cap(3);
        info.set_oper_vls(1);
        info.set_vl_arb_low_cap(8);
        info.set_vl_arb_high_cap(8);
        info.set_capability_mask(lk_wire::cap_mask::SL_MAPPING);
        let up = fabric.peer(p).is_some();
        info.set_port_state(if up { PortState::INIT.0 } else { PortState::DOWN.0 });
        info
    };
    let ports = (0..fabric.ports().len() as u32).map(|p| Some(info(PortId(p)))).collect();
    let sm_port = fabric.end_ports().find(|p| fabric.port(*p).guid == own).unwrap();
    let switches = vec![Some(SwitchInfo::default()); fabric.switches().len()];
    let partition_cap = vec![32; fabric.nodes().len()];
    Observed { sm_port, switches, partition_cap, ..Observed::from_graph(fabric, ports) }
}

/// Makes the fabric hold what a plan writes, as perfect ports and switches would.
pub(crate) fn carry_out(seen: &mut Observed, plan: &Plan, desired: &Desired) {
    for change in &plan.ports {
        let mut info = change.after;
        info.set_port_state(change.before.port_state());
        info.set_client_reregister(0);
        seen.ports[change.port.index()] = Some(info);
    }
    for change in &plan.vendor_ports {
        seen.vendor_ports.insert(change.port, change.after);
    }
    for (switch, _, after) in &plan.switches {
        seen.switches[switch.index()] = Some(*after);
    }
    for run in &plan.tables {
        for block in run.blocks.iter() {
            let bytes = desired.block(run.table, block).unwrap();
            seen.tables.learn(run.table, block, &bytes);
        }
    }
    for port in &plan.activate {
        seen.ports[port.index()].as_mut().unwrap().set_port_state(PortState::ACTIVE.0);
    }
}

/// Answers all reads with tables of zeros.
pub(crate) fn read_zeros(seen: &mut Observed, desired: &Desired) -> usize {
    let runs = crate::plan::to_be_read(seen, desired);
    for run in &runs {
        run.blocks.iter().for_each(|block| seen.tables.learn(run.table, block, &[0; 64]));
    }
    runs.iter().map(|r| r.blocks.len()).sum()
}
