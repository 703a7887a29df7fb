//! A snapshot that can be given away: names, GUIDs and keys are replaced.
//!
//! GUIDs are numbered in table order, and so are the new ones, so that nodes keep their order, and
//! routing engines, which go by it, still do what they did. Equal stays equal: a port GUID that is
//! its node's, a system's GUID on many nodes, one M_Key on all ports. Nothing can be looked up: a
//! new GUID tells the old one's rank and no more.

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_fabric::{Fabric, FabricBuilder, NodeKind, NodeSpec, PortId};
use lk_wire::{Guid, Lid, PortInfo};

use crate::snapshot::{Duplicate, Snapshot};

/// The first of the new GUIDs: one that no vendor has.
const FIRST: u64 = 0x0200_0000_0000_0000;

/// Replaces names, GUIDs, M_Keys and SM_Keys. LIDs, cables, tables and all else stay.
#[must_use]
pub fn anonymise(snapshot: &Snapshot) -> Snapshot {
    let guids = Guids::of(snapshot);
    let mut keys = Keys::default();
    let fabric = Arc::new(graph(&snapshot.fabric, &guids));
    let hide = |info: &PortInfo, keys: &mut Keys| {
        let mut info = *info;
        info.set_m_key(keys.replace(info.m_key()));
        info
    };
    let ports = snapshot.ports.iter();
    let ports = ports.map(|info| info.as_ref().map(|info| hide(info, &mut keys))).collect();
    let managers = snapshot.managers.iter().map(|(port, info)| {
        let mut info = *info;
        info.set_guid(guids.replace(Guid(info.guid())).0);
        info.set_sm_key(keys.replace(info.sm_key()));
        (*port, info)
    });
    let managers = managers.collect();
    let duplicates = snapshot.duplicates.iter();
    let duplicates = duplicates.map(|d| Duplicate { guid: guids.replace(d.guid), ..*d }).collect();
    Snapshot { fabric, ports, managers, duplicates, anonymous: true, ..snapshot.clone() }
}

/// Which GUID stands for which.
struct Guids(BTreeMap<u64, Guid>);

impl Guids {
    fn of(snapshot: &Snapshot) -> Self {
        let fabric = &snapshot.fabric;
        let nodes = fabric.nodes().iter().flat_map(|node| [node.guid, node.system_guid]);
        let ports = fabric.ports().iter().map(|port| port.guid);
        let managers = snapshot.managers.iter().map(|(_, info)| Guid(info.guid()));
        let twice = snapshot.duplicates.iter().map(|duplicate| duplicate.guid);
        let all = nodes.chain(ports).chain(managers).chain(twice).filter(|guid| guid.0 != 0);
        let mut map: BTreeMap<u64, Guid> = all.map(|guid| (guid.table_order(), Guid(0))).collect();
        for (rank, new) in map.values_mut().enumerate() {
            // The order of tables looks at the last byte first.
            *new = Guid((rank as u64 + 1).swap_bytes() >> 16 | FIRST);
        }
        Self(map)
    }

    fn replace(&self, guid: Guid) -> Guid {
        self.0.get(&guid.table_order()).copied().unwrap_or(Guid(0))
    }
}

/// Numbers in place of keys. No key is 0, and so it stays.
#[derive(Default)]
struct Keys(BTreeMap<u64, u64>);

impl Keys {
    fn replace(&mut self, key: u64) -> u64 {
        let next = self.0.len() as u64 + 1;
        if key == 0 { 0 } else { *self.0.entry(key).or_insert(next) }
    }
}

fn graph(fabric: &Fabric, guids: &Guids) -> Fabric {
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut builder = FabricBuilder::new();
    let mut added = Vec::with_capacity(fabric.nodes().len());
    for node in fabric.nodes() {
        let kind = match node.kind {
            NodeKind::Switch => "switch",
            NodeKind::Ca => "host",
            NodeKind::Router => "router",
        };
        let name = names.entry(&node.description).or_insert_with(|| {
            let count = counts.entry(kind).or_default();
            *count += 1;
            format!("{kind} {count}")
        });
        let spec = NodeSpec {
            guid: guids.replace(node.guid),
            system_guid: guids.replace(node.system_guid),
            description: name.clone(),
            vendor_id: node.vendor_id,
            device_id: node.device_id,
            revision: node.revision,
            enhanced_port0: node.enhanced_port0,
            ..NodeSpec::new(Guid(0), node.kind, "", node.num_ports)
        };
        // The nodes come from a fabric, so that none of them is there twice or too large.
        added.extend(builder.add_node(spec));
    }
    let place =
        |port: PortId| Some((*added.get(fabric.owner(port).index())?, fabric.port_num(port).0));
    for (at, port) in fabric.ports().iter().enumerate() {
        let Some((node, number)) = place(PortId(at as u32)) else { continue };
        let lid = Lid(port.lid.0);
        // The same holds for ports and cables.
        let _ = builder.set_port(node, number, guids.replace(port.guid), lid, port.lmc);
        let _ = builder.set_rate(node, number, port.rate);
        if let Some(far) = port.peer.and_then(place) {
            let _ = builder.connect((node, number), far);
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use lk_diag::SourceFile;

    use super::*;

    const TWO: &str = r#"lanekeeper-snapshot 1
portinfo 0 KEY
switch 0x0002c90000000310 "leaf at rack 7" ports 2
port 0 lid 3 info 0
port 1 link 0x0002c90000000205/1
port 2 link 0x0002c90000000106/1
ca 0x0002c90000000205 "node01 HCA-1" ports 1 system 0x0002c90000000310
port 1 guid 0x0002c90000000207 lid 1 link 0x0002c90000000310/1 info 0
ca 0x0002c90000000106 "node01 HCA-1" ports 1
port 1 guid 0x0002c90000000108 lid 2 link 0x0002c90000000310/2
manager 0x0002c90000000106/1 0002c9000000010800000000000000ff00000001e3000000
end nodes 3 ports 5 lines 11
"#;

    #[test]
    fn names_guids_and_keys_go_and_all_else_stays() {
        let info = "1122334455667788".to_owned() + &"0".repeat(112);
        let (snapshot, found) = crate::read(&SourceFile::new("f", TWO.replace("KEY", &info)));
        let snapshot = snapshot.unwrap_or_else(|| panic!("{found:?}"));
        let hidden = anonymise(&snapshot);
        let text = crate::write(&hidden);
        for secret in ["rack", "node01", "2c9", "1122334455667788", "00000000ff"] {
            assert!(!text.contains(secret), "{secret} in\n{text}");
        }
        assert!(crate::read(&SourceFile::new("f", text)).0.as_ref() == Some(&hidden));
        let (old, new) = (&snapshot.fabric, &hidden.fabric);
        let kinds = |fabric: &Fabric| fabric.nodes().iter().map(|n| n.kind).collect::<Vec<_>>();
        assert_eq!(kinds(old), kinds(new), "nodes keep their order");
        assert_eq!(old.links().collect::<Vec<_>>(), new.links().collect::<Vec<_>>());
        let lids = |fabric: &Fabric| fabric.ports().iter().map(|p| p.lid).collect::<Vec<_>>();
        assert_eq!(lids(old), lids(new));
        let hosts: Vec<_> = new.nodes().iter().filter(|n| n.kind == NodeKind::Ca).collect();
        assert_eq!(hosts[0].description, hosts[1].description, "one name, one name");
        let leaf = new.nodes().iter().find(|n| n.kind == NodeKind::Switch).unwrap();
        assert!(hosts.iter().any(|host| host.system_guid == leaf.guid), "one system, one system");
        let (port, info) = hidden.managers[0];
        assert_eq!(Guid(info.guid()), new.port(port).guid, "the manager is still at its port");
        let keys: Vec<u64> = hidden.ports.iter().flatten().map(|info| info.m_key()).collect();
        assert_eq!(keys, [1, 1], "one key, one number");
        assert_eq!(info.sm_key(), 2);
    }
}
