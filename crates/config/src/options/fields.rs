//! Every option of opensm.conf but the QoS sets: one row makes the field of [`Options`], its
//! default and its entry in the table.
//!
//! The text above a row is at once the field's documentation, the comment in the file that
//! `-c` writes, and the line in the manual. `reload` rows are applied again at each heavy sweep,
//! `fixed` rows only at the start.

use lk_wire::{Guid, MKey};

use super::Status::{Applied, NoEffect, NotYet};
use super::congestion::{CctEntry, CctTable, PerSl, PortMask};
use super::qos_sets::QosSets;
use super::table::options;

options! {
    Device {
        /// GUID of the local port to bind to; 0 picks the first usable port.
        guid: Guid = Guid(0), fixed, Applied;
        /// M_Key that is written to all ports.
        m_key: MKey = MKey(0), reload, Applied;
        /// M_Key lease period in seconds; 0 means that the key never lapses.
        m_key_lease_period: u16 = 0, reload, Applied;
        /// M_Key protection bits, 0 to 3 (IBA 14.2.4.1).
        m_key_protection_level: u8 = 0, reload, Applied;
        /// If TRUE, look up the M_Key of a port that does not answer in the files guid2mkey and
        /// neighbors; if FALSE, only m_key is tried.
        m_key_lookup: bool = true, reload, NotYet;
        /// Key that proves SMs of this subnet to each other.
        sm_key: u64 = 1, reload, NotYet;
        /// Key that makes an SA request a trusted one.
        sa_key: u64 = 1, reload, Applied;
        /// Subnet prefix of all GIDs.
        subnet_prefix: u64 = 0xfe80_0000_0000_0000, fixed, Applied;
        /// LID mask control: each end port gets 2^lmc LIDs; 0 to 7.
        lmc: u8 = 0, fixed, Applied;
        /// If TRUE, lmc holds for enhanced switch port 0 too; if FALSE, those get one LID.
        lmc_esp0: bool = false, fixed, Applied;
        /// SL for traffic to the SM and SA (PortInfo:MasterSMSL), 0 to 15.
        sm_sl: u8 = 0, reload, Applied;
        /// How long a packet may live in a switch (SwitchInfo:LifeTimeValue), as a code:
        /// 4.096 us * 2^code. 0x14 and above mean for ever.
        packet_life_time: u8 = 0x12, reload, Applied, hex;
        /// Packets dropped in a row after which a port between switches enters VLStalled.
        vl_stall_count: u8 = 7, reload, Applied, hex;
        /// The same for switch ports that face a CA or a router.
        leaf_vl_stall_count: u8 = 7, reload, Applied, hex;
        /// How long a packet may wait at the head of a VL's queue (PortInfo:HOQLife) of a port
        /// between switches, as a code: 4.096 us * 2^code. 0x14 and above mean for ever.
        head_of_queue_lifetime: u8 = 0x12, reload, Applied, hex;
        /// The same for switch ports that face a CA or a router.
        leaf_head_of_queue_lifetime: u8 = 0x10, reload, Applied, hex;
        /// Upper limit of PortInfo:OperVLs. A code, not a count:
        /// 1 is VL0, 2 is VL0-1, 3 is VL0-3, 4 is VL0-7, 5 is VL0-14.
        max_op_vls: u8 = 5, reload, Applied;
        /// PortInfo:LinkSpeedEnabled of all ports, a sum of 1 (2.5 Gb/s a lane), 2 (5) and
        /// 4 (10). 0 leaves it as it is, 15 enables all that a port supports.
        force_link_speed: u8 = 15, reload, Applied;
        /// PortInfo:LinkSpeedExtEnabled of all ports, a sum of 1 (14.0625 Gb/s a lane, FDR),
        /// 2 (25.78125, EDR), 4 (53.125, HDR) and 8 (106.25, NDR). 0 leaves it as it is,
        /// 30 disables extended speeds, 31 enables all that a port supports.
        force_link_speed_ext: u8 = 31, reload, Applied;
        /// PortInfo:LinkWidthEnabled of all ports, a sum of 1 (1x), 2 (4x), 4 (8x), 8 (12x) and
        /// 16 (2x). 0 leaves it as it is, 255 enables all that a port supports.
        force_link_width: u8 = 255, reload, Applied;
        /// FDR10 on ports that can: 0 leaves it alone, 1 enables it, 2 disables it.
        fdr10: u8 = 1, reload, Applied;
        /// PortInfo:SubnetTimeOut of all ports, as a code: 4.096 us * 2^code.
        subnet_timeout: u8 = 18, reload, Applied;
        /// Local physical errors after which a port sends trap 129.
        local_phy_errors_threshold: u8 = 8, reload, Applied, hex;
        /// Credit overruns after which a port sends trap 130.
        overrun_errors_threshold: u8 = 8, reload, Applied, hex;
        /// If TRUE, set SwitchInfo:MulticastFDBTop where a switch has it.
        use_mfttop: bool = true, reload, Applied;
    }
    Partitions {
        /// The file that defines partitions.
        partition_config_file: Option<String> = text("/etc/opensm/partitions.conf"), fixed, Applied;
        /// Old switch: TRUE is the same as part_enforce off.
        no_partition_enforcement: bool = false, reload, Applied;
        /// Whether switches enforce partitions: both, in, out or off.
        part_enforce: Option<String> = text("both"), reload, Applied;
        /// If TRUE, a port may have a full and a limited entry of one partition.
        allow_both_pkeys: bool = false, fixed, Applied;
        /// If TRUE, a P_Key keeps its place in a port's table when others come and go.
        keep_pkey_indexes: bool = true, reload, Applied;
        /// Byte of the alias GUIDs that the SM makes up; unique in the subnet.
        sm_assigned_guid: u8 = 0, reload, NotYet, hex;
    }
    Sweep {
        /// Seconds between sweeps; 0 sweeps only when something happens.
        sweep_interval: u32 = 10, reload, Applied;
        /// If TRUE, all LIDs are assigned anew at the first sweep as master.
        reassign_lids: bool = false, reload, Applied;
        /// If TRUE, every sweep is a heavy one.
        force_heavy_sweep: bool = false, reload, Applied;
        /// If TRUE, traps 128 and 144 start a heavy sweep.
        sweep_on_trap: bool = true, reload, Applied;
    }
    Routing {
        /// If TRUE, paths to switches count as load of a link too.
        port_profile_switch_nodes: bool = false, reload, Applied;
        /// File of switch GUIDs and ports that do not count in balancing.
        port_prof_ignore_file: Option<String> = None, fixed, Applied;
        /// File of hop weights: switch GUID, port and weight on a line.
        hop_weights_file: Option<String> = None, fixed, Applied;
        /// File of the order in which a switch's ports are tried.
        port_search_ordering_file: Option<String> = None, fixed, Applied;
        /// Routing engines in the order in which they are tried, separated by commas: minhop,
        /// updn, dnup, file, ftree, lash, dor, torus-2QoS, nue, dfsssp, sssp. After the last,
        /// minhop is tried unless no_fallback is in the list.
        routing_engine: Option<String> = None, fixed, Applied;
        /// If TRUE, routes keep away from links slower than they could be.
        avoid_throttled_links: bool = false, fixed, Applied;
        /// If TRUE, updn and ftree also connect root switches with each other.
        connect_roots: bool = false, reload, Applied;
        /// If TRUE, the forwarding tables that switches hold are read before the first routes are
        /// made, and their entries stay where the routing engine allows it.
        adopt_routes: bool = true, reload, Applied, own;
        /// If TRUE, an engine whose routes can deadlock counts as one that declines: the next one
        /// of the list is tried, and where none is left nothing is routed.
        require_loop_free: bool = false, reload, Applied, own;
        /// If TRUE, routes are kept while the topology stays the same.
        use_ucast_cache: bool = false, fixed,
            NoEffect("routes always stay while the topology stays the same, and after a change of \
                      links only what that concerns is routed anew");
        /// File with hop counts to load instead of computing them.
        lid_matrix_dump_file: Option<String> = None, fixed, Applied;
        /// File with forwarding tables for the routing engine named file.
        lfts_file: Option<String> = None, fixed, Applied;
        /// File with the GUIDs of root switches, for updn and ftree.
        root_guid_file: Option<String> = None, fixed, Applied;
        /// File with the GUIDs of compute ports, for ftree, dfsssp and sssp.
        cn_guid_file: Option<String> = None, fixed, Applied;
        /// File with the GUIDs of I/O ports, for ftree, dfsssp and sssp.
        io_guid_file: Option<String> = None, fixed, Applied;
        /// If TRUE, ftree numbers switches from the roots down, which suits incomplete trees.
        quasi_ftree_indexing: bool = false, reload, Applied;
        /// How many hops the wrong way I/O nodes may take in ftree.
        max_reverse_hops: u16 = 0, fixed,
            NoEffect("ftree joins I/O nodes by paths that cannot deadlock, however far it is");
        /// File of ids that updn uses in place of switch GUIDs: GUID and id on a line.
        ids_guid_file: Option<String> = None, fixed, Applied;
        /// File of port GUIDs in the order in which they are routed.
        guid_routing_order_file: Option<String> = None, fixed, Applied;
        /// If TRUE, lash looks for a mesh and orders ports by its dimensions.
        do_mesh_analysis: bool = false, reload,
            NoEffect("lash always tries the order of ports, which does the same on a mesh");
        /// The first VL that lash uses.
        lash_start_vl: u8 = 0, reload, Applied;
        /// Upper limit of VLs for nue; 0 takes as many as the fabric has.
        nue_max_num_vls: u8 = 1, reload, Applied;
        /// If TRUE, nue counts switches as senders and receivers of data.
        nue_include_switches: bool = false, fixed, Applied;
        /// If TRUE, the choice of ports is shifted from switch to switch.
        port_shifting: bool = false, reload, Applied;
        /// Seed for choosing among equal ports at random; 0 chooses by load.
        scatter_ports: u32 = 0, reload, Applied;
        /// If TRUE, ports in guid_routing_order_file are not scattered.
        guid_routing_order_no_scatter: bool = false, fixed, Applied;
        /// SA database to load at the first sweep.
        sa_db_file: Option<String> = None, fixed, Applied;
        /// If TRUE, the SA database is dumped after every sweep that finds a change.
        sa_db_dump: bool = false, reload, Applied;
        /// File for the engine torus-2QoS.
        torus_config: Option<String> = text("/etc/opensm/torus-2QoS.conf"), reload, Applied;
    }
    Handover {
        /// Priority in the election of the master SM, 0 to 15; the highest wins.
        sm_priority: u8 = 0, reload, Applied;
        /// If TRUE, other SMs on the subnet are ignored.
        ignore_other_sm: bool = false, reload, Applied;
        /// Milliseconds between two looks of a standby SM at its master.
        sminfo_polling_timeout: u32 = 10_000, reload, Applied;
        /// Looks without an answer after which the master counts as dead.
        polling_retry_number: u32 = 4, reload, Applied;
        /// If TRUE, the file guid2lid is trusted when the SM becomes master after standby.
        honor_guid2lid_file: bool = false, reload, Applied;
    }
    Timing {
        /// SMPs that may be on their way at once; 0 sets no limit.
        max_wire_smps: u32 = 4, reload, Applied;
        /// Upper limit that is reached when SMPs are not answered in max_smps_timeout. Not above
        /// max_wire_smps, this does nothing.
        max_wire_smps2: u32 = 4, reload, Applied;
        /// Microseconds without an answer after which an SMP above max_wire_smps is sent.
        max_smps_timeout: u32 = 600_000, reload, Applied;
        /// Milliseconds that an answer may take.
        transaction_timeout: u32 = 200, fixed, Applied;
        /// How often a MAD is sent again when no answer comes.
        transaction_retries: u32 = 3, fixed, Applied;
        /// Milliseconds that the answer to a wildcard SL2VL Set may take.
        long_transaction_timeout: u32 = 500, fixed, Applied;
        /// Milliseconds after which a waiting SA request is dropped.
        max_msg_fifo_timeout: u32 = 10_000, reload, Applied;
        /// If TRUE, one thread serves the SA.
        single_thread: bool = false, fixed,
            NoEffect("the core is one thread and the SA never waits for it");
    }
    Misc {
        /// If TRUE, run in the background.
        daemon: bool = false, fixed, Applied;
        /// If TRUE, start in the state NOT-ACTIVE.
        sm_inactive: bool = false, reload, Applied;
        /// If TRUE, ports that flood the SM with traps are disabled.
        babbling_port_policy: bool = false, reload, NotYet;
        /// If TRUE, subscriptions and service records of a port go when the port goes.
        drop_event_subscriptions: bool = false, reload, NotYet;
        /// If TRUE, a new IPoIB group is checked against the broadcast group (RFC 4391).
        ipoib_mcgroup_creation_validation: bool = true, reload, Applied;
        /// If TRUE, a join is checked against the group that exists.
        mcgroup_join_validation: bool = true, reload, Applied;
        /// If TRUE, SA answers give no rate above code 18 (300 Gb/s), for old clients.
        use_original_extended_sa_rates_only: bool = false, reload, Applied;
        /// Highest rate code in SA answers; 63 sets no limit.
        max_rate_enum: u8 = 63, reload, Applied, master_only;
        /// If TRUE, SL2VL tables are written with wildcards where a switch can.
        use_optimized_slvl: bool = false, reload, Applied;
        /// If TRUE, files that the next master needs are synced to the disk.
        fsync_high_avail_files: bool = true, reload, Applied;
    }
    PerfMgr {
        /// If TRUE, port counters are collected.
        perfmgr: bool = false, fixed, NotYet;
        /// If TRUE, redirections are followed.
        perfmgr_redir: bool = true, fixed, NotYet;
        /// Seconds between two collections.
        perfmgr_sweep_time_s: u16 = 180, fixed, NotYet;
        /// Queries that may be on their way at once.
        perfmgr_max_outstanding_queries: u32 = 500, fixed, NotYet;
        /// If TRUE, CAs are left out.
        perfmgr_ignore_cas: bool = false, fixed, NotYet;
        /// If TRUE, nodes that are gone are forgotten.
        perfmgr_rm_nodes: bool = true, fixed, NotYet;
        /// If TRUE, error counters that rise are logged.
        perfmgr_log_errors: bool = true, fixed, NotYet;
        /// If TRUE, ports are asked which extended counters they have.
        perfmgr_query_cpi: bool = true, fixed, NotYet;
        /// If TRUE, PortXmitWait is logged.
        perfmgr_xmit_wait_log: bool = false, fixed, NotYet;
        /// PortXmitWait from which on it is logged.
        perfmgr_xmit_wait_threshold: u32 = 65_535, fixed, NotYet;
        /// File for a dump of the counters.
        event_db_dump_file: Option<String> = None, fixed, NotYet;
    }
    Plugins {
        /// OpenSM plug-ins to load, separated by blanks or commas.
        event_plugin_name: Option<String> = None, fixed,
            NoEffect("plug-ins of OpenSM are libraries built against its insides");
        /// Text handed to the plug-ins.
        event_plugin_options: Option<String> = None, fixed,
            NoEffect("plug-ins of OpenSM are libraries built against its insides");
        /// File of names for nodes, used in place of their NodeDescription.
        node_name_map_name: Option<String> = None, fixed, Applied;
    }
    Debug {
        /// What is logged, a sum of 0x01 errors, 0x02 info, 0x04 verbose, 0x08 debug,
        /// 0x10 functions, 0x20 frames, 0x40 routing (also dumps it), 0x80 syslog.
        log_flags: u8 = 3, reload, Applied, hex;
        /// If TRUE, the log is flushed after each message; here it always is.
        force_log_flush: bool = false, reload, Applied;
        /// The log file; stdout or - is standard output.
        log_file: Option<String> = text("/var/log/opensm.log"), fixed, Applied;
        /// Size in MB at which the log starts again; 0 sets no limit.
        log_max_size: u32 = 0, reload, Applied;
        /// If TRUE, the log is appended to at the start.
        accum_log_file: bool = true, reload, Applied;
        /// File of log flags for single modules of OpenSM.
        per_module_logging_file: Option<String> = text("/etc/opensm/per-module-logging.conf"),
            fixed, NoEffect("the modules it names are OpenSM's source files");
        /// Folder for dumps: opensm-subnet.lst, opensm.fdbs and the others.
        dump_files_dir: Option<String> = text("/var/log/"), fixed, Applied;
        /// If TRUE, work around faults of particular devices.
        enable_quirks: bool = false, reload, NotYet;
        /// If TRUE, clients are never asked to register again.
        no_clients_rereg: bool = false, reload, Applied;
        /// If TRUE, multicast is not routed.
        disable_multicast: bool = false, reload, Applied;
        /// If TRUE, duplicate GUIDs and the like end the program.
        exit_on_fatal: bool = true, reload, Applied;
        /// Console: off, local, loopback or socket.
        console: Option<String> = text("off"), fixed, NotYet;
        /// TCP port of the console.
        console_port: u16 = 10_000, fixed, NotYet;
    }
    Qos {
        /// If TRUE, SL2VL and VL arbitration tables and VLHighLimit are set from the qos_
        /// options; if FALSE, none of them is touched.
        qos: bool = false, reload, Applied;
        /// The QoS policy file.
        qos_policy_file: Option<String> = text("/etc/opensm/qos-policy.conf"), fixed, Applied;
        /// If TRUE, an SL2VL table that a device refuses is no error of the sweep. It is not in
        /// force then, and is tried again at each heavy sweep.
        suppress_sl2vl_mad_status_errors: bool = false, reload, Applied;
    }
    Congestion {
        /// If TRUE, congestion control is configured.
        congestion_control: bool = false, reload, NotYet;
        /// CC_Key for congestion control MADs; it is used, not set.
        cc_key: u64 = 0, fixed, NotYet;
        /// Congestion control MADs that may be on their way at once.
        cc_max_outstanding_mads: u32 = 500, fixed, NotYet;
        /// Which of the switch settings below are valid: bit 0 victim mask, bit 1 credit mask,
        /// bit 2 threshold and packet size, bit 3 credit starvation threshold and return delay,
        /// bit 4 marking rate (IBA A10.4.3.6).
        cc_sw_cong_setting_control_map: u32 = 0, reload, NotYet, hex;
        /// Switch ports that mark packets as victims too, 256 bits.
        cc_sw_cong_setting_victim_mask: PortMask = PortMask::NONE, reload, NotYet;
        /// Switch ports on which credit starvation counts, 256 bits.
        cc_sw_cong_setting_credit_mask: PortMask = PortMask::NONE, reload, NotYet;
        /// How eagerly switches mark: 0 never, 1 late, 15 early.
        cc_sw_cong_setting_threshold: u8 = 0, reload, NotYet, hex;
        /// Packets smaller than this many credits are not marked.
        cc_sw_cong_setting_packet_size: u8 = 0, reload, NotYet;
        /// How eagerly credit starvation is told: 0 never, 1 late, 15 early.
        cc_sw_cong_setting_credit_starvation_threshold: u8 = 0, reload, NotYet, hex;
        /// Delay of returned credits, as shift:multiplier.
        cc_sw_cong_setting_credit_starvation_return_delay: CctEntry = CctEntry::NONE, reload,
            NotYet;
        /// Mean number of packets between two marks.
        cc_sw_cong_setting_marking_rate: u16 = 0, reload, NotYet;
        /// CA port control: bit 0 controls by SL and port instead of by QP.
        cc_ca_cong_setting_port_control: u16 = 0, reload, NotYet, hex;
        /// Bit for each SL whose CA settings below are valid.
        cc_ca_cong_setting_control_map: u16 = 0, reload, NotYet, hex;
        /// SL, then the timer that lowers the CCT index of a flow.
        cc_ca_cong_setting_ccti_timer: PerSl<u16> = PerSl([0; 16]), reload, NotYet;
        /// SL, then how far a BECN raises the CCT index.
        cc_ca_cong_setting_ccti_increase: PerSl<u8> = PerSl([0; 16]), reload, NotYet;
        /// SL, then the CCT index at which an event is logged.
        cc_ca_cong_setting_trigger_threshold: PerSl<u8> = PerSl([0; 16]), reload, NotYet;
        /// SL, then the lowest CCT index.
        cc_ca_cong_setting_ccti_min: PerSl<u8> = PerSl([0; 16]), reload, NotYet;
        /// The congestion control table: entries of shift:multiplier, separated by commas.
        cc_cct: CctTable = CctTable(Vec::new()), reload, NotYet;
    }
    Other {
        /// File of prefix routes: which router serves which foreign prefix.
        prefix_routes_file: Option<String> = text("/etc/opensm/prefix-routes.conf"), fixed,
            Applied;
        /// If TRUE, IPv6 solicited-node multicast groups share MLIDs.
        consolidate_ipv6_snm_req: bool = false, reload, Applied;
        /// Text in front of messages to syslog.
        log_prefix: Option<String> = None, reload, Applied;
    }
}

fn text(s: &str) -> Option<String> {
    Some(s.to_owned())
}
