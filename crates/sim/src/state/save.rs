//! Writing the state.

use std::io::{self, Write};

use lk_fabric::{NodeId, NodeKind};
use lk_wire::{PortInfo, cap_mask};

use super::{HEADER, fingerprint};
use crate::blueprint::Blueprint;
use crate::node::{NodeState, SwitchState};
use crate::rows::{ForwardingTable, NO_PORT, Rows};
use crate::sim_fabric::SimFabric;

impl SimFabric {
    /// Writes what the nodes hold, as far as it differs from power-on; see the module `state` for
    /// the form. [`Self::load`] reads it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn save(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")?;
        writeln!(out, "capabilities {:#018x}", fingerprint(self.options()))?;
        let fresh = Self::new(&self.fabric, self.options());
        // A node's lines are collected first: a node that has none is left out.
        let mut lines = Vec::new();
        for node in self.fabric.node_ids() {
            lines.clear();
            self.save_node(&fresh, node, &mut lines)?;
            if !lines.is_empty() {
                let n = self.fabric.node(node);
                writeln!(out, "node {} {}", n.guid, n.num_ports)?;
                out.write_all(&lines)?;
            }
        }
        writeln!(out, "end")?;
        out.flush()
    }

    fn save_node(&self, fresh: &Self, node: NodeId, out: &mut Vec<u8>) -> io::Result<()> {
        let plan = self.plan(node);
        let state = &self.nodes[node.index()];
        for port in self.fabric.external_ports(node).filter(|p| self.cut.contains(p)) {
            writeln!(out, "cut {}", self.wiring.number(port))?;
        }
        if !state.alive {
            return writeln!(out, "off");
        }
        if let Some(text) = &state.renamed {
            writeln!(out, "renamed {}", hex(text.as_bytes()))?;
        }
        for (index, number) in (plan.node().first.index()..).zip(0..=plan.node().num_ports) {
            let (now, then) = (without_sm(&self.ports[index]), &fresh.ports[index]);
            if now != *then {
                writeln!(out, "portinfo {number} {}", hex(&now.0))?;
            }
        }
        if let (Some(now), Some(then)) = (&state.switch, &fresh.nodes[node.index()].switch) {
            if now.info != then.info {
                writeln!(out, "switchinfo {}", hex(&now.info.0))?;
            }
            save_forwarding(plan, now, out)?;
        }
        save_tables(plan, state, out)
    }
}

/// IsSM belongs to the client and not to the node.
fn without_sm(port: &PortInfo) -> PortInfo {
    let mut port = *port;
    port.set_capability_mask(port.capability_mask() & !cap_mask::IS_SM);
    port
}

fn save_forwarding(plan: Blueprint<'_>, switch: &SwitchState, out: &mut Vec<u8>) -> io::Result<()> {
    for block in 0..ForwardingTable::BLOCKS {
        if let Some(ports) = switch.lft.block(block).filter(|b| **b != [NO_PORT; 64]) {
            writeln!(out, "lft {block} {}", hex(ports))?;
        }
    }
    let mft = changed(&switch.mft, |_| [0; 64]);
    for (row, masks) in mft {
        let (position, block) = (row / plan.mft_blocks(), row % plan.mft_blocks());
        writeln!(out, "mft {position} {block} {}", hex(masks))?;
    }
    Ok(())
}

fn save_tables(plan: Blueprint<'_>, state: &NodeState, out: &mut Vec<u8>) -> io::Result<()> {
    save_sl2vl(plan, state, out)?;
    for (row, block) in changed(&state.vlarb, |r| plan.fresh_vlarb(r)) {
        let (port, number) = plan.vlarb_place(row);
        writeln!(out, "vlarb {port} {number} {}", hex(block))?;
    }
    for (row, block) in changed(&state.pkeys, |r| plan.fresh_pkeys(r)) {
        let (port, number) = plan.pkey_place(row);
        writeln!(out, "pkeys {port} {number} {}", hex(block))?;
    }
    for (row, block) in changed(&state.guids, |r| plan.fresh_guids(r)) {
        let (port, number) = plan.guid_place(row);
        writeln!(out, "guids {port} {number} {}", hex(block))?;
    }
    let fresh = plan.fresh_mlnx();
    for (port, info) in changed(&state.mlnx, |_| fresh) {
        writeln!(out, "mlnx {port} {}", hex(info))?;
    }
    Ok(())
}

/// The rows that hold something else than at power-on.
fn changed<const N: usize>(
    rows: &Rows<N>,
    fresh: impl Fn(usize) -> [u8; N],
) -> impl Iterator<Item = (usize, &[u8; N])> {
    let all = rows.all().unwrap_or_default().iter().enumerate();
    all.filter(move |(row, bytes)| **bytes != fresh(*row))
}

/// Tables of one egress port that are the same for a range of ingress ports.
type Runs = Vec<((usize, usize), [u8; 8])>;

/// A switch of 64 ports has 4,225 tables, most of them alike: ranges of ingress ports with one
/// table are one entry, and ranges of egress ports with the same entries are written together.
fn save_sl2vl(plan: Blueprint<'_>, state: &NodeState, out: &mut Vec<u8>) -> io::Result<()> {
    let Some(tables) = state.sl2vl.all() else { return Ok(()) };
    let inputs = if plan.kind() == NodeKind::Switch { plan.slots() } else { 1 };
    let mut group: Option<((usize, usize), Runs)> = None;
    for (output, row) in tables.chunks(inputs).enumerate() {
        let mut runs = Runs::new();
        for (input, table) in row.iter().enumerate() {
            if *table == plan.fresh_sl2vl(output * inputs + input) {
                continue;
            }
            match runs.last_mut() {
                Some(((_, last), same)) if *last + 1 == input && same == table => *last = input,
                _ => runs.push(((input, input), *table)),
            }
        }
        match &mut group {
            Some(((_, last), same)) if *same == runs => *last = output,
            _ => {
                if let Some((outputs, runs)) = group.replace(((output, output), runs)) {
                    write_runs(outputs, &runs, out)?;
                }
            }
        }
    }
    group.map_or(Ok(()), |(outputs, runs)| write_runs(outputs, &runs, out))
}

fn write_runs(outputs: (usize, usize), runs: &Runs, out: &mut Vec<u8>) -> io::Result<()> {
    for (inputs, table) in runs {
        writeln!(out, "sl2vl {} {} {}", range(*inputs), range(outputs), hex(table))?;
    }
    Ok(())
}

fn range((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Hexadecimal without the zero bytes at the end; a single one where all are zero.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let end = bytes.iter().rposition(|b| *b != 0).map_or(1, |last| last + 1);
    let mut text = String::with_capacity(2 * end);
    for byte in bytes.iter().take(end) {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_leaves_the_zeros_at_the_end_out() {
        assert_eq!(hex(&[0x0a, 0, 0xff, 0, 0]), "0a00ff");
        assert_eq!(hex(&[0; 8]), "00");
        assert_eq!(hex(&[]), "");
    }
}
