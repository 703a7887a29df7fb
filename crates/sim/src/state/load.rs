//! Reading the state.
//!
//! Tables are written through the nodes' own agents, so that a file cannot put into a node what
//! no datagram could.

use std::io::{self, BufRead};
use std::ops::RangeInclusive;

use lk_fabric::{NodeId, PortId};
use lk_wire::{
    Guid, MKey, MulticastForwardingTable, PKeyTable, PhysState, PortInfo, PortNum, PortState,
    SlToVlModifier, Status, SwitchInfo, VlArbTable, attr, cap_mask,
};
use thiserror::Error;

use super::{HEADER, fingerprint};
use crate::sim_fabric::SimFabric;
use crate::sma::Data;

/// Why a file with the state was not taken.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It could not be read.
    #[error("the state cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Something in it is wrong.
    #[error("line {line}: {problem}")]
    Line {
        /// The line's number, from 1.
        line: usize,
        /// What is wrong.
        problem: LoadProblem,
    },
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LoadProblem {
    /// The file does not start with the header of this version.
    #[error("this is no state of a simulated fabric, or one of another version")]
    Header,
    /// The nodes have other capabilities than when the state was written.
    #[error("the state was written with other capabilities of the nodes")]
    Capabilities,
    /// The fabric has no such node.
    #[error("the fabric has no node {0}")]
    UnknownNode(Guid),
    /// The node has another number of ports.
    #[error("node {node} has {has} ports, not {says}")]
    OtherPorts {
        /// The node.
        node: Guid,
        /// How many it has.
        has: u8,
        /// What the file says.
        says: u8,
    },
    /// A line before the first `node`.
    #[error("the line belongs to no node")]
    NoNode,
    /// The first word is not a keyword.
    #[error("unknown keyword {0:?}")]
    Keyword(String),
    /// A number, a range or hexadecimal digits were expected.
    #[error("{0:?} is not {1}")]
    Value(String, &'static str),
    /// A line has too few or too many words.
    #[error("the line has the wrong number of words")]
    Words,
    /// The node has no such port or table, or does not take the content.
    #[error("the node refuses it with status {0}")]
    Refused(Status),
    /// One end of a link is up and the other is not.
    #[error("the link at port {1} of node {0} is up at one end only")]
    HalfLink(Guid, PortNum),
    /// The file ends without `end`, or goes on after it.
    #[error("the file is cut off, or goes on after its end")]
    NotWhole,
}

impl SimFabric {
    /// Puts the nodes into the state that [`Self::save`] has written. What the file does not name
    /// is as at power-on. Clients, faults of datagrams and counters stay; traps under way end.
    ///
    /// # Errors
    /// When the file cannot be read, is not whole or does not fit this fabric; the state is what
    /// it was then.
    pub fn load(&mut self, input: impl BufRead) -> Result<(), LoadError> {
        let mut loader = Loader {
            sim: Self::new(&self.fabric, self.options()),
            node: None,
            stage: Stage::Header,
        };
        let mut line = 0;
        let at = |line, problem| LoadError::Line { line, problem };
        for text in input.lines() {
            line += 1;
            loader.line(text?.trim_end()).map_err(|problem| at(line, problem))?;
        }
        if loader.stage != Stage::Ended {
            return Err(at(line + 1, LoadProblem::NotWhole));
        }
        loader.join_links().map_err(|problem| at(line, problem))?;
        let loaded = loader.sim;
        self.wiring = loaded.wiring;
        self.ports = loaded.ports;
        self.nodes = loaded.nodes;
        self.cut = loaded.cut;
        self.traps = loaded.traps;
        self.leases = loaded.leases;
        for (port, client) in &self.clients {
            if client.is_sm {
                let info = &mut self.ports[port.index()];
                info.set_capability_mask(info.capability_mask() | cap_mask::IS_SM);
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Header,
    Capabilities,
    Nodes,
    Ended,
}

struct Loader {
    sim: SimFabric,
    node: Option<NodeId>,
    stage: Stage,
}

impl Loader {
    fn line(&mut self, text: &str) -> Result<(), LoadProblem> {
        let mut words = text.split_ascii_whitespace();
        let keyword = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        match self.stage {
            Stage::Header if text == HEADER => self.stage = Stage::Capabilities,
            Stage::Header => return Err(LoadProblem::Header),
            Stage::Capabilities => {
                let [print] = take(&words)?;
                let same = keyword == "capabilities"
                    && hex_number(print)? == fingerprint(self.sim.options());
                if !same {
                    return Err(LoadProblem::Capabilities);
                }
                self.stage = Stage::Nodes;
            }
            Stage::Nodes if keyword == "end" => self.stage = Stage::Ended,
            Stage::Nodes if keyword == "node" => self.start_node(&words)?,
            Stage::Nodes => {
                let node = self.node.ok_or(LoadProblem::NoNode)?;
                self.node_line(node, keyword, &words)?;
            }
            Stage::Ended => return Err(LoadProblem::NotWhole),
        }
        Ok(())
    }

    fn start_node(&mut self, words: &[&str]) -> Result<(), LoadProblem> {
        let [guid, ports] = take(words)?;
        let guid = Guid(hex_number(guid)?);
        let fabric = self.sim.fabric();
        let id = fabric.node_by_guid(guid).ok_or(LoadProblem::UnknownNode(guid))?;
        let (has, says) = (fabric.node(id).num_ports, number(ports)?);
        if has != says {
            return Err(LoadProblem::OtherPorts { node: guid, has, says });
        }
        self.node = Some(id);
        Ok(())
    }

    fn node_line(&mut self, node: NodeId, key: &str, words: &[&str]) -> Result<(), LoadProblem> {
        match key {
            "off" => {
                let [] = take(words)?;
                self.sim.nodes[node.index()].alive = false;
                Ok(())
            }
            "renamed" => {
                let [text] = take(words)?;
                let text = String::from_utf8(bytes(text)?)
                    .map_err(|_| LoadProblem::Value(text.to_owned(), "UTF-8 in hexadecimal"))?;
                self.sim.nodes[node.index()].renamed = Some(text.into());
                Ok(())
            }
            "cut" => {
                let [port] = take(words)?;
                let port = self.port(node, number(port)?)?;
                self.sim.cut.insert(port);
                Ok(())
            }
            "portinfo" => {
                let [port, info] = take(words)?;
                let port = self.port(node, number(port)?)?;
                self.sim.ports[port.index()] = PortInfo(block(info)?);
                Ok(())
            }
            "switchinfo" => {
                let [info] = take(words)?;
                let info = SwitchInfo(block(info)?);
                let switch = self.sim.nodes[node.index()].switch.as_mut();
                switch.ok_or(LoadProblem::Refused(Status::METHOD_ATTR_UNSUPPORTED))?.info = info;
                Ok(())
            }
            "sl2vl" => {
                let [inputs, outputs, table] = take(words)?;
                self.sl2vl(node, range(inputs)?, range(outputs)?, block(table)?)
            }
            _ => self.table_line(node, key, words),
        }
    }

    fn table_line(&mut self, node: NodeId, key: &str, words: &[&str]) -> Result<(), LoadProblem> {
        if key == "lft" {
            let [index, data] = take(words)?;
            return self.set(node, 0, attr::LFT, number::<u16>(index)?.into(), block(data)?);
        }
        if key == "mlnx" {
            let [port, data] = take(words)?;
            let port = number(port)?;
            let modifier = u32::from(port);
            return self.set(node, port, attr::MLNX_EXT_PORT_INFO, modifier, block(data)?);
        }
        let attribute = match key {
            "mft" => attr::MFT,
            "vlarb" => attr::VLARB,
            "pkeys" => attr::PKEY_TABLE,
            "guids" => attr::GUID_INFO,
            other => return Err(LoadProblem::Keyword(other.to_owned())),
        };
        let [place, index, data] = take(words)?;
        let (place, index, data) = (number::<u8>(place)?, number::<u16>(index)?, block(data)?);
        let low = index as u8;
        let modifier = match attribute {
            attr::MFT => MulticastForwardingTable::modifier(place, index),
            attr::VLARB if u16::from(low) == index => VlArbTable::modifier(low, PortNum(place)),
            attr::PKEY_TABLE => PKeyTable::modifier(index, PortNum(place)),
            attr::GUID_INFO => u32::from(index),
            _ => return Err(LoadProblem::Refused(Status::INVALID_VALUE)),
        };
        self.set(node, place, attribute, modifier, data)
    }

    fn sl2vl(
        &mut self,
        node: NodeId,
        inputs: RangeInclusive<u8>,
        outputs: RangeInclusive<u8>,
        table: [u8; 8],
    ) -> Result<(), LoadProblem> {
        let mut data = [0; 64];
        data[..table.len()].copy_from_slice(&table);
        for output in outputs {
            for input in inputs.clone() {
                let modifier = SlToVlModifier::pair(PortNum(input), PortNum(output));
                self.set(node, output, attr::SL2VL, modifier, data)?;
            }
        }
        Ok(())
    }

    /// A Set by the agent of the port.
    fn set(
        &mut self,
        node: NodeId,
        port: u8,
        attribute: u16,
        modifier: u32,
        data: Data,
    ) -> Result<(), LoadProblem> {
        // The multicast positions are no ports; they are for the switch's own agent.
        let port = if attribute == attr::MFT { 0 } else { port };
        self.port(node, port)?;
        let done = self.sim.agent(node, port, MKey(0)).set(attribute, modifier, &data);
        done.map(|_| ()).map_err(LoadProblem::Refused)
    }

    fn port(&self, node: NodeId, number: u8) -> Result<PortId, LoadProblem> {
        let port = self.sim.fabric().port_at(node, PortNum(number));
        port.ok_or(LoadProblem::Refused(Status::INVALID_VALUE))
    }

    /// Makes the links what the PortInfos of their ends say.
    fn join_links(&mut self) -> Result<(), LoadProblem> {
        let links: Vec<_> = self.sim.fabric().links().collect();
        for (a, b) in links {
            let up = [a, b].map(|end| {
                let alive = self.sim.nodes[self.sim.fabric().owner(end).index()].alive;
                let info = self.sim.ports[end.index()];
                let up = info.phys_state() == PhysState::LINK_UP;
                alive && up && info.state() != PortState::DOWN && !self.sim.cut.contains(&end)
            });
            match up {
                [true, true] => self.sim.wiring.join(a, b),
                [false, false] => self.sim.wiring.part(a),
                [near, _] => {
                    let end = if near { a } else { b };
                    let guid = self.sim.fabric().node(self.sim.fabric().owner(end)).guid;
                    return Err(LoadProblem::HalfLink(guid, self.sim.fabric().port_num(end)));
                }
            }
        }
        Ok(())
    }
}

/// Exactly `N` words.
fn take<'a, const N: usize>(words: &[&'a str]) -> Result<[&'a str; N], LoadProblem> {
    <[&str; N]>::try_from(words).map_err(|_| LoadProblem::Words)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, LoadProblem> {
    text.parse().map_err(|_| LoadProblem::Value(text.to_owned(), "a number in range"))
}

fn range(text: &str) -> Result<RangeInclusive<u8>, LoadProblem> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Ok(number(first)?..=number(last)?)
}

fn hex_number(text: &str) -> Result<u64, LoadProblem> {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    u64::from_str_radix(digits, 16)
        .map_err(|_| LoadProblem::Value(text.to_owned(), "a number in hexadecimal"))
}

/// An attribute of `N` bytes; the zeros at its end may be missing.
fn block<const N: usize>(text: &str) -> Result<[u8; N], LoadProblem> {
    let given = bytes(text)?;
    let mut all = [0; N];
    match all.get_mut(..given.len()) {
        Some(start) => start.copy_from_slice(&given),
        None => return Err(LoadProblem::Value(text.to_owned(), "an attribute of this length")),
    }
    Ok(all)
}

fn bytes(text: &str) -> Result<Vec<u8>, LoadProblem> {
    let wrong = || LoadProblem::Value(text.to_owned(), "hexadecimal digits in pairs");
    let digit = |c: u8| char::from(c).to_digit(16).map(|d| d as u8).ok_or_else(wrong);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(wrong());
    }
    pairs.iter().map(|[high, low]| Ok(digit(*high)? << 4 | digit(*low)?)).collect()
}
