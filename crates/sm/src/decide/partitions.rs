//! Partitions: what partitions.conf makes of the ports of the fabric.

use std::collections::BTreeMap;

use lk_config::PartitionsConf;
use lk_config::partitions::{Item, Member, Statement, Who};
use lk_fabric::{NodeKind, PortId};
use lk_qos::policy::PartitionPorts;
use lk_wire::{Guid, PKey, Sl};

use super::Settings;
use crate::observe::Observed;

/// The base of the default partition's key.
pub const DEFAULT_KEY: u16 = PKey::DEFAULT_LIMITED.0;

/// How a port is in a partition: by one key or by two.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Membership {
    /// It has the key with the membership bit.
    pub full: bool,
    /// It has the key without it.
    pub limited: bool,
}

/// A partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The key without its membership bit.
    pub key: u16,
    /// The name; where the file has none, the key in hexadecimal digits.
    pub name: String,
    /// The SL for traffic in it, where no QoS level says otherwise; 0 with QoS off.
    pub sl: Sl,
    /// The end ports in it.
    pub members: BTreeMap<PortId, Membership>,
}

impl Partition {
    /// The partition as the QoS policy looks at it.
    #[must_use]
    pub fn ports(&self) -> PartitionPorts {
        let with = |full: bool| {
            let chosen = self.members.iter().filter(move |(_, m)| m.full == full);
            chosen.map(|(port, _)| *port).collect()
        };
        PartitionPorts {
            key: self.key,
            name: self.name.clone(),
            sl: self.sl,
            full: with(true),
            limited: with(false),
        }
    }
}

/// All partitions of a subnet.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Partitions {
    /// The partitions in OpenSM's order of keys: by their bytes, the last one first.
    pub list: Vec<Partition>,
    /// Ports whose key at index 0 is not that of the default partition (`indx0`).
    pub index0: BTreeMap<PortId, u16>,
    /// The partition of each statement of the file, in order: a key of `list`, also of one that
    /// is not there for want of ports.
    pub of_statement: Vec<u16>,
}

impl Partitions {
    /// The partition with this key; its membership bit does not count.
    #[must_use]
    pub fn get(&self, key: PKey) -> Option<&Partition> {
        let order = |key: u16| key.swap_bytes();
        let at = self.list.partition_point(|p| order(p.key) < order(key.base()));
        self.list.get(at).filter(|p| p.key == key.base())
    }

    /// The partition with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Partition> {
        self.list.iter().find(|p| p.name == name)
    }

    /// The file that counts: none where there is none, or where it is refused.
    #[must_use]
    pub fn conf(settings: &Settings) -> Option<&PartitionsConf> {
        settings.partitions.as_deref().filter(|conf| !conf.refused)
    }

    /// Works out who is in which partition.
    #[must_use]
    pub fn of(seen: &Observed, settings: &Settings) -> Self {
        let conf = Self::conf(settings);
        let mut build = Build::new(seen, settings.options.allow_both_pkeys);
        let ports: Vec<PortId> = build.ports.iter().map(|(_, p)| *p).collect();
        let member = if conf.is_some() { Member::Limited } else { Member::Full };
        let default = build.at(DEFAULT_KEY, "Default");
        for port in ports {
            build.join(default, port, member);
        }
        build.join(default, seen.sm_port, Member::Full);
        for statement in conf.map_or(&[][..], |c| &c.statements) {
            build.statement(statement, settings.options.qos);
        }
        build.finish()
    }
}

struct Build<'a> {
    seen: &'a Observed,
    both: bool,
    /// Managed end ports by GUID.
    ports: Vec<(Guid, PortId)>,
    all: Vec<Partition>,
    made: Partitions,
    next_key: u16,
}

impl<'a> Build<'a> {
    fn new(seen: &'a Observed, both: bool) -> Self {
        let fabric = &seen.fabric;
        let managed = fabric.end_ports().filter(|p| seen.port_info(*p).is_some());
        let mut ports: Vec<(Guid, PortId)> = managed.map(|p| (fabric.port(p).guid, p)).collect();
        ports.sort_unstable();
        Self { seen, both, ports, all: Vec::new(), made: Partitions::default(), next_key: 1 }
    }

    /// The place of the partition with a key; a new one gets the name.
    fn at(&mut self, key: u16, name: &str) -> usize {
        if let Some(at) = self.all.iter().position(|p| p.key == key) {
            return at;
        }
        let name = if name.is_empty() { format!("{key:04x}") } else { name.to_owned() };
        self.all.push(Partition { key, name, sl: Sl(0), members: BTreeMap::new() });
        self.all.len() - 1
    }

    /// The place of a statement's partition: by its key, else by its name, else a new one.
    fn place(&mut self, statement: &Statement) -> Option<usize> {
        let name = statement.name.as_ref().map_or("", |n| n.value.as_str());
        if let Some(key) = statement.pkey.map(|k| k.value).filter(|k| *k != 0) {
            return Some(self.at(key, name));
        }
        if let Some(at) = self.all.iter().position(|p| !name.is_empty() && p.name == name) {
            return Some(at);
        }
        let taken = |key: u16| self.all.iter().any(|p| p.key == key);
        let key = (self.next_key..DEFAULT_KEY).find(|key| !taken(*key))?;
        self.next_key = key + 1;
        Some(self.at(key, name))
    }

    fn statement(&mut self, statement: &Statement, qos: bool) {
        let Some(at) = self.place(statement) else {
            // All 32,766 keys are taken; there is no partition to join.
            self.made.of_statement.push(0);
            return;
        };
        let key = self.all[at].key;
        self.made.of_statement.push(key);
        let sl = statement.flags.sl.map_or(0, |sl| sl.value);
        self.all[at].sl = Sl(if qos { sl } else { 0 });
        let default = statement.default_member.map_or(Member::Limited, |m| m.value);
        for item in &statement.items {
            let Item::Ports { who, member } = item else { continue };
            let member = member.map_or(default, |m| m.value);
            for port in self.who(who.value) {
                self.join(at, port, member);
                if statement.index0 {
                    self.made.index0.insert(port, key);
                }
            }
        }
    }

    /// The managed end ports that a word stands for.
    fn who(&self, who: Who) -> Vec<PortId> {
        let fabric = &self.seen.fabric;
        let kind = |kind: NodeKind| {
            let of_kind = |p: &PortId| fabric.node(fabric.owner(*p)).kind == kind;
            self.ports.iter().map(|(_, p)| *p).filter(of_kind).collect()
        };
        match who {
            Who::None | Who::VirtualCas => Vec::new(),
            Who::All => self.ports.iter().map(|(_, p)| *p).collect(),
            Who::Cas => kind(NodeKind::Ca),
            Who::Switches => kind(NodeKind::Switch),
            Who::Routers => kind(NodeKind::Router),
            Who::Own => vec![self.seen.sm_port],
            Who::Guid(guid) => {
                let from = self.ports.partition_point(|(g, _)| *g < guid);
                let found = self.ports.get(from).filter(|(g, _)| *g == guid);
                found.map(|(_, p)| *p).into_iter().collect()
            }
        }
    }

    /// Later words take the place of earlier ones; only `both` adds to what is there.
    fn join(&mut self, at: usize, port: PortId, member: Member) {
        let both = member == Member::Both && self.both;
        let full = matches!(member, Member::Full | Member::Both);
        let membership = Membership { full, limited: both || !full };
        self.all[at].members.insert(port, membership);
    }

    fn finish(mut self) -> Partitions {
        self.all.retain(|p| !p.members.is_empty());
        self.all.sort_by_key(|p| p.key.swap_bytes());
        self.made.list = self.all;
        self.made
    }
}
