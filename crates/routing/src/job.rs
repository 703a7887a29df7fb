//! What an engine is given and what it gives back. Everything goes by value: an engine cannot
//! touch the state of the subnet manager.

use std::fmt;

use lk_fabric::{Fabric, PortId};
use lk_wire::{Guid, Lid, Sl};

use crate::ca_order::CaOrder;
use crate::hops::Hops;
use crate::multicast::MasterTree;
use crate::overrides::LaneOverrides;
use crate::path_lanes::PathLanes;
use crate::route_files::RouteFiles;
use crate::shaping::Shaping;
use crate::torus::{PairSls, TorusSpec};

use crate::tables::{Lfts, LidMap};

/// Which SL a path has to use, if the engine says so.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum SlPlan {
    /// The engine does not care: policy and partition decide.
    #[default]
    Any,
    /// One SL for all paths.
    Constant(Sl),
    /// An SL for each pair of end ports.
    PerPair(PairSls),
    /// An SL for each path, from a switch to a LID: lanes that keep packets from waiting for each
    /// other. SL2VL tables have to give each SL the lane of its number.
    PerPath(PathLanes),
}

impl SlPlan {
    /// The SL of packets from an end port to a LID, and `to` is the port that has the LID. `hint`
    /// is the SL that request, policy and partition lead to; it stands where the engine does not
    /// care. Cheap: nothing is searched.
    #[must_use]
    pub fn sl(&self, from: PortId, to: PortId, lid: Lid, hint: Sl) -> Sl {
        match self {
            Self::Any => hint,
            Self::Constant(sl) => *sl,
            Self::PerPair(sls) => sls.of_ports(from, to, hint),
            Self::PerPath(lanes) => lanes.sl(from, lid),
        }
    }
}

/// A finished routing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routes {
    /// The engine that made it, by OpenSM's name.
    pub engine: &'static str,
    /// Unicast forwarding.
    pub lfts: Lfts,
    /// Path SLs.
    pub sl: SlPlan,
    /// SL2VL tables that stand in place of the configured ones, where the engine needs its own.
    pub lanes: Option<LaneOverrides>,
    /// The tree of which each multicast group's is a part, where the engine needs its own: packets
    /// on SL 0 along it, from hosts to hosts, can share the fabric with those of the routes.
    pub master_tree: Option<MasterTree>,
    /// What the engine wants a person to know.
    pub notes: Vec<String>,
}

/// Options that shape the engines, from opensm.conf or the command line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RouteOptions {
    /// `root_guid_file`: the root switches of updn; none: found by themselves.
    pub roots: Option<Vec<Guid>>,
    /// `connect_roots`: updn also connects root switches with each other.
    pub connect_roots: bool,
    /// `ids_guid_file`: numbers that replace the GUIDs of switches where updn breaks ties.
    pub ids: Vec<(Guid, u64)>,
    /// `cn_guid_file`: the ports of compute nodes; none: no file.
    pub cn_guids: Option<Vec<Guid>>,
    /// `lash_start_vl`: the first lane of lash.
    pub lash_start_vl: u8,
    /// `nue_max_num_vls`: the most lanes for nue; 0: as many as there are.
    pub nue_max_num_vls: u8,
    /// `nue_include_switches`: nue routes to switches in turn with the end ports on them; otherwise
    /// after all end ports.
    pub nue_include_switches: bool,
    /// `io_guid_file`: the ports of I/O nodes; none: no file.
    pub io_guids: Option<Vec<Guid>>,
    /// `quasi_ftree_indexing`: ftree numbers switches from the roots down.
    pub quasi_ftree_indexing: bool,
    /// The files that the engine `file` routes by.
    pub files: RouteFiles,
    /// Options that shape the choice of ports.
    pub shaping: Shaping,
    /// `qos`: whether SL2VL and VL arbitration tables are programmed at all.
    pub qos: bool,
    /// How many data VLs can be had everywhere.
    pub data_vls: DataVls,
    /// The content of torus-2QoS.conf (`torus_config`); none where it is not there or has errors.
    pub torus: Option<TorusSpec>,
    /// Engines whose routes were looked at and may not be used (`require_loop_free`): they decline
    /// for these reasons.
    pub refused: Vec<Decline>,
}

impl RouteOptions {
    /// Works with these options until nothing is refused: each round strikes an engine off the
    /// list, for the reason that `work` gives beside its result.
    pub fn until_accepted<T>(&self, mut work: impl FnMut(&Self) -> (T, Option<Decline>)) -> T {
        let mut options = self.clone();
        loop {
            let (done, refusal) = work(&options);
            match refusal {
                Some(refusal) if !options.refused.contains(&refusal) => {
                    options.refused.push(refusal);
                }
                _ => return done,
            }
        }
    }
}

/// The least numbers of data VLs that ports have, by VLCap and max_op_vls: 1 to 15 (IBA 14.2.5.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataVls {
    /// Ports of switches that face other switches.
    pub switches: u8,
    /// Ports of adapters and routers.
    pub end_ports: u8,
}

impl Default for DataVls {
    /// One, which every port has.
    fn default() -> Self {
        Self { switches: 1, end_ports: 1 }
    }
}

/// What an engine is given.
#[derive(Clone, Copy, Debug)]
pub struct RouteJob<'a> {
    /// The graph.
    pub fabric: &'a Fabric,
    /// Who answers to which LID.
    pub lids: &'a LidMap,
    /// The options.
    pub options: &'a RouteOptions,
    /// The routes that stand, if any, by the switches of this fabric: entries stay where they may
    /// ([`crate::route`]). Engines do not look at them.
    pub previous: Option<&'a Lfts>,
}

/// Why an engine will not route a fabric. The next engine of the list is tried then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decline {
    /// The engine.
    pub engine: &'static str,
    /// The reason, as a sentence that names the switches or links at fault.
    pub reason: String,
}

impl fmt::Display for Decline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot route this fabric: {}", self.engine, self.reason)
    }
}

/// A routing engine.
pub trait Engine: Send + Sync {
    /// The name by which `routing_engine` asks for it.
    fn name(&self) -> &'static str;

    /// Routes a fabric. A pure function: same job, same routes, on any number of threads.
    ///
    /// # Errors
    /// [`Decline`] where the engine's preconditions do not hold.
    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline>;

    /// The hop counts that the engine works with, for dumps. They are worked out anew.
    ///
    /// # Errors
    /// As [`Engine::plan`].
    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        Ok(Hops::new(job.fabric))
    }

    /// The order of compute nodes that the routes suit, where the engine has one. It is worked
    /// out anew.
    fn ca_order(&self, _job: &RouteJob<'_>) -> Option<CaOrder> {
        None
    }
}
