//! Rules for a fabric that was read. What was not read is not judged.

pub(super) mod apart;
pub(super) mod identity;
pub(super) mod keys;
pub(super) mod lanes;
pub(super) mod links;
pub(super) mod managers;
pub(super) mod members;
mod rates;
pub(super) mod routes;
pub(super) mod shares;
pub(super) mod tables;
pub(super) mod unused;
pub(super) mod wishes;

use std::collections::BTreeMap;

use lk_fabric::PortId;

/// Ports of which the same is to be said, by what that is, in the order of the first of each.
struct Groups<K>(BTreeMap<K, Vec<PortId>>);

impl<K: Ord> Groups<K> {
    const fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn add(&mut self, what: K, port: PortId) {
        self.0.entry(what).or_default().push(port);
    }

    /// Whether there are ports of which this is to be said.
    fn has(&self, what: &K) -> bool {
        self.0.contains_key(what)
    }

    /// What is to be said, with its ports; the most first.
    fn by_count(self) -> Vec<(K, Vec<PortId>)> {
        let mut groups: Vec<_> = self.0.into_iter().collect();
        groups.sort_by_key(|(_, ports)| (std::cmp::Reverse(ports.len()), ports[0]));
        groups
    }
}

/// `1 port`, `2 ports`.
fn ports(count: usize) -> String {
    if count == 1 { "1 port".to_owned() } else { format!("{count} ports") }
}

/// `1 link`, `2 links`.
fn links(count: usize) -> String {
    if count == 1 { "1 link".to_owned() } else { format!("{count} links") }
}
