//! How much a plan changes, in numbers.

use std::fmt;

use serde::Serialize;

/// Numbers of changes by kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Counts {
    /// End ports that get another LID.
    pub lids: usize,
    /// PortInfo writes, LID changes among them.
    pub ports: usize,
    /// Writes of the vendor's extended port information (FDR10).
    pub vendor_ports: usize,
    /// Links that go down and come back.
    pub bounced_links: usize,
    /// SwitchInfo writes.
    pub switches: usize,
    /// Forwarding table blocks.
    pub lft_blocks: usize,
    /// Forwarding table entries that lead to another port than before.
    pub lft_entries_moved: usize,
    /// Forwarding table entries that led nowhere or were not in force before.
    pub lft_entries_new: usize,
    /// Multicast forwarding table blocks.
    pub mft_blocks: usize,
    /// SL2VL tables written one by one.
    pub sl2vl: usize,
    /// SL2VL writes with wildcards.
    pub sl2vl_wildcards: usize,
    /// VL arbitration blocks.
    pub vlarb: usize,
    /// P_Key table blocks.
    pub pkeys: usize,
    /// Ports that go to ACTIVE.
    pub activated: usize,
    /// Table blocks that could not be read and are left as they are.
    pub unread: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.lids, "LIDs"),
            (self.ports, "PortInfo"),
            (self.vendor_ports, "MlnxExtPortInfo"),
            (self.bounced_links, "links bounce"),
            (self.switches, "SwitchInfo"),
            (self.lft_blocks, "LFT blocks"),
            (self.mft_blocks, "MFT blocks"),
            (self.sl2vl, "SL2VL tables"),
            (self.sl2vl_wildcards, "SL2VL wildcard writes"),
            (self.vlarb, "VLArb blocks"),
            (self.pkeys, "P_Key blocks"),
            (self.activated, "ports to ACTIVE"),
            (self.unread, "blocks that could not be read"),
        ];
        let mut first = true;
        for (n, what) in parts.into_iter().filter(|(n, _)| *n > 0) {
            write!(f, "{}{n} {what}", if first { "" } else { ", " })?;
            first = false;
        }
        if first { f.write_str("nothing") } else { Ok(()) }
    }
}
