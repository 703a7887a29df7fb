//! A simulated fabric: every node answers subnet management datagrams as a real one would.
//!
//! [`SimFabric`] is made from a graph ([`lk_fabric::Fabric`]) and [`SimOptions`]. Clients attach
//! to ports and send datagrams of 256 bytes; the datagrams travel along their directed route or
//! by LID through the forwarding tables; the agent at the end answers from the node's own state,
//! within the limits of its capabilities; the answer travels back. [`Fault`]s can be set: lost,
//! late and spoilt datagrams, nodes without power, links that go up and down.
//!
//! The node models know the architecture and nothing of the subnet manager, so that the two
//! cannot share a mistake. There is no clock, thread or file in here: time is a number that the
//! caller gives, and everything that looks like chance follows from a seed.
//!
//! Where to look: `walk` how SMPs travel and `gsi` all others, `answer` and `sma` what nodes
//! answer, `pma` what ports count, `link` what links do, `traps` and `faults`, `power_on` and
//! [`SimOptions`] what nodes start with, `state` for what outlives a run; [`kernel`] for what
//! machines do between their port and their programs.
//!
//! ```
//! use lk_fabric::{FabricBuilder, NodeKind, NodeSpec};
//! use lk_sim::{SimFabric, SimOptions};
//! use lk_wire::{DirPath, Guid, MKey, NodeInfo, PortNum, Smp, Tid, attr, method};
//!
//! let mut b = FabricBuilder::new();
//! let host = b.add_node(NodeSpec::new(Guid(0x10), NodeKind::Ca, "host", 1))?;
//! let switch = b.add_node(NodeSpec::new(Guid(0x20), NodeKind::Switch, "leaf", 4))?;
//! b.connect((host, 1), (switch, 3))?;
//! let fabric = b.build();
//!
//! let mut sim = SimFabric::new(&fabric, &SimOptions::default());
//! let from = fabric.port_at(fabric.node_by_guid(Guid(0x10)).unwrap(), PortNum(1)).unwrap();
//! let path = DirPath::LOCAL.then(PortNum(1)).unwrap();
//! let ask = Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(1), MKey(0), &path);
//! let answer = Smp(sim.exchange(0, from, &ask.0).unwrap());
//! let info: NodeInfo = answer.attribute();
//! assert_eq!((info.guid(), info.local_port_num()), (Guid(0x20), 3));
//! # Ok::<(), lk_fabric::GraphError>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod blueprint;
mod faults;
mod gsi;
mod inspect;
pub mod kernel;
mod link;
mod node;
mod options;
mod pma;
mod power_on;
mod prng;
mod queue;
mod rate;
mod rows;
mod sim_fabric;
mod sma;
mod state;
mod stats;
mod traps;
mod walk;
mod wiring;
mod world;

pub use faults::{Fault, Filter, Scope, Spoil};
pub use gsi::{Address, Grh};
pub use options::{NodeCaps, PortCaps, SimOptions, SwitchCaps, TrapDelivery};
pub use prng::{Chance, Prng};
pub use sim_fabric::{Delivery, SimFabric};
pub use state::{LoadError, LoadProblem};
pub use stats::{Lost, Stats};
pub use world::{World, fuzzing};
