//! Names that stand in files of the field and are not options here: those that only NVIDIA's
//! OpenSM knows, those that were options once, and those that people write by mistake.

/// Options of NVIDIA's OpenSM that belong together.
#[derive(Clone, Copy, Debug)]
pub struct VendorFamily {
    /// What they are for.
    pub about: &'static str,
    /// Their names in the file.
    pub keys: &'static [&'static str],
}

/// The options that only NVIDIA's OpenSM (MLNX_OFED, DOCA, UFM) knows. The `qos_sw2sw_` set is
/// not among them: it is an option here.
pub static VENDOR: &[VendorFamily] = &[
    VendorFamily {
        about: "adaptive routing",
        keys: &[
            "adv_routing_engine",
            "ar_mode",
            "ar_sl_mask",
            "ar_transport_mask",
            "ar_tree_asymmetric_flow",
            "ar_tree_asymmetric_flow_threshold",
            "ar_tree_asymmetric_flow_threshold_limit",
            "cache_ar_group_id",
            "dump_ar",
            "enable_ar_by_device_cap",
            "enable_ar_group_copy",
            "enable_empty_arlft_optimization",
            "hbf_hash_fields",
            "hbf_hash_type",
            "hbf_seed",
            "hbf_seed_type",
            "hbf_sl_mask",
            "hbf_weights",
            "pfrn_mask_clear_timeout",
            "pfrn_mask_force_clear_timeout",
            "pfrn_over_router_enabled",
            "pfrn_sl",
            "shield_mode",
        ],
    },
    VendorFamily {
        about: "routing",
        keys: &[
            "calc_missing_routes",
            "dfp_down_up_turns_mode",
            "dfp_find_roots_color_algorithm",
            "dfp_max_cas_on_spine",
            "dor_hyper_cube_mode",
            "enable_inc_mc_routing",
            "enable_vl_packing",
            "enhanced_missing_routes",
            "find_roots_color_algorithm",
            "ftree_ca_order_dump_file",
            "get_mft_tables",
            "held_back_sw_file",
            "improved_lmc_path_distribution",
            "max_cas_on_spine",
            "mc_primary_root_guid",
            "mc_roots_file",
            "mc_secondary_root_guid",
            "offsweep_balancing_enabled",
            "offsweep_balancing_window",
            "pgrp_policy_file",
            "planarized_routing_enabled",
            "pqft_structure",
            "rch_policy_file",
            "routing_flags",
            "topo_policy_file",
            "updn_lid_tracking_converge_routes",
            "updn_lid_tracking_mode",
            "updn_lid_tracking_prefer_total_routes",
            "use_scatter_for_switch_lid",
        ],
    },
    VendorFamily {
        about: "several topologies, tenants and fabric modes",
        keys: &[
            "auto_join_hca_wo_topo",
            "device_configuration_file",
            "fabric_mode_policy_file",
            "fabric_mode_profile",
            "max_topologies_per_sw",
            "tenants_policy_enabled",
            "tenants_policy_file",
            "topo_config_enabled",
            "topo_config_file",
        ],
    },
    VendorFamily {
        about: "threads and windows",
        keys: &[
            "gmp_threads",
            "gmp_traps_threads_num",
            "max_alt_dr_path_retries",
            "max_msg_fifo_len",
            "max_threads_per_core",
            "max_wire_smps_per_device",
            "routing_threads_num",
            "smp_threads",
        ],
    },
    VendorFamily {
        about: "virtual ports",
        keys: &[
            "enable_virt_rec_ext",
            "virt_default_hop_limit",
            "virt_dump_file",
            "virt_enabled",
            "virt_max_ports_in_process",
        ],
    },
    VendorFamily {
        about: "QoS and congestion control",
        keys: &[
            "adaptive_timeout_sl_mask",
            "cc_key_enable",
            "cc_key_lease_period",
            "cc_key_protect_bit",
            "congestion_control_policy_file",
            "enhanced_qos_policy_file",
            "enhanced_qos_vport0_unlimit_default_rl",
            "max_op_vls_ca",
            "max_op_vls_rtr",
            "max_op_vls_sw",
            "mlnx_congestion_control",
            "override_create_mcg_sl",
            "ppcc_algo_dir",
            "qos_config_vl_enabled",
            "use_optimized_port_mask_slvl",
        ],
    },
    VendorFamily {
        about: "keys",
        keys: &[
            "key_mgr_seed",
            "m_key_per_port",
            "n2n_key_enable",
            "n2n_key_lease_period",
            "n2n_key_protect_bit",
            "n2n_max_outstanding_mads",
            "periodic_key_update",
            "vs_key_ci_protect_bits",
            "vs_key_enable",
            "vs_key_lease_period",
            "vs_max_outstanding_mads",
        ],
    },
    VendorFamily {
        about: "SA and multicast",
        keys: &[
            "activity_report_subjects",
            "aguid_inout_notice",
            "consolidate_ipv4_mask",
            "const_multicast",
            "default_mcg_mtu",
            "default_mcg_rate",
            "drop_subscr_on_report_fail",
            "drop_unreachable_event_subscriptions",
            "enable_sa",
            "load_inform_info_from_sadb",
            "max_sa_reports_on_wire",
            "max_sa_reports_queued",
            "reports",
            "rereg_on_guid_migr",
            "sa_check_sgid_spoofing",
            "sa_db_dump_file",
            "sa_enhanced_trust_model",
            "sa_etm_allow_guidinfo_rec_by_vf",
            "sa_etm_allow_untrusted_guidinfo_rec",
            "sa_etm_allow_untrusted_proxy_requests",
            "sa_etm_max_num_event_subs",
            "sa_etm_max_num_mcgs",
            "sa_etm_max_num_srvcs",
            "sa_pr_full_world_queries_allowed",
            "sa_rate_threshold",
            "service_name2key_map_file",
            "sm_assign_guid_func",
            "suppress_mc_pkey_traps",
        ],
    },
    VendorFamily {
        about: "routers between subnets",
        keys: &[
            "aguid_default_hop_limit",
            "flid_compression",
            "global_flid_end",
            "global_flid_start",
            "lids_per_rtr",
            "local_flid_end",
            "local_flid_start",
            "router_policy_enabled",
            "router_policy_file",
            "rtr_aguid_enable",
            "rtr_lmc",
            "rtr_pr_flow_label",
            "rtr_pr_mtu",
            "rtr_pr_rate",
            "rtr_pr_sl",
            "rtr_pr_tclass",
            "rtr_selection_algo_parameters",
            "rtr_selection_function",
            "rtr_selection_seed",
        ],
    },
    VendorFamily {
        about: "links and ports",
        keys: &[
            "additional_gi_supporting_devices",
            "additional_mepi_force_devices",
            "ca_port_num_limit",
            "ca_port_soft_limit",
            "disable_default_gi_support",
            "fast_recovery_conf_file",
            "fast_recovery_enabled",
            "force_link_speed_ext2",
            "max_neighbor_mtu",
            "mepi_cache_enabled",
            "mepi_enabled_speeds",
            "mlnx_enhanced_link_enable",
            "port_ame_bit_change_action",
            "port_ext_speed2_change_action",
            "port_ext_speed_change_action",
            "port_mepi_speed_change_action",
            "port_mtu_change_action",
            "port_recovery_policy_enabled",
            "port_speed_change_action",
            "port_vl_change_action",
            "prism_an_lmc",
            "support_mepi_speeds",
            "support_mlnx_enhanced_link",
        ],
    },
    VendorFamily {
        about: "the health of ports",
        keys: &[
            "hm_ca_flapping_action",
            "hm_ca_illegal_action",
            "hm_ca_manual_action",
            "hm_ca_noisy_action",
            "hm_ca_reboot_action",
            "hm_ca_seterr_action",
            "hm_ca_unresponsive_action",
            "hm_num_flapping_sweeps",
            "hm_num_flapping_sweeps_window",
            "hm_num_illegal",
            "hm_num_no_resp_sweeps",
            "hm_num_no_resp_sweeps_window",
            "hm_num_reboots",
            "hm_num_set_err_sweeps",
            "hm_num_set_err_sweeps_window",
            "hm_num_traps",
            "hm_num_traps_period_secs",
            "hm_ports_health_policy_file",
            "hm_reboots_period_secs",
            "hm_sw_flapping_action",
            "hm_sw_illegal_action",
            "hm_sw_manual_action",
            "hm_sw_noisy_action",
            "hm_sw_reboot_action",
            "hm_sw_seterr_action",
            "hm_sw_unresponsive_action",
            "hm_unhealthy_ports_checks",
        ],
    },
    VendorFamily {
        about: "SHARP and NVLink",
        keys: &[
            "nvl_cage_allocation_mode",
            "nvl_cnd_for_access_links_enabled",
            "nvl_cnd_for_init_trunks_enabled",
            "nvl_hbf_fields_enable",
            "nvl_hbf_hash_type",
            "nvl_hbf_packet_hash_bitmask",
            "nvl_hbf_seed",
            "nvl_partition_reroute_wait",
            "nvl_reassign_rails",
            "nvlink_enable",
            "sharp_enabled",
        ],
    },
    VendorFamily {
        about: "sweeps and handover",
        keys: &[
            "allow_sm_port_reset",
            "allowed_sm_guids",
            "client_rereg_mode",
            "drop_unreachable_ports_enabled",
            "enable_queries_during_routing",
            "enable_sm_port_failover",
            "force_heavy_sweep_window",
            "issu_mode",
            "issu_pre_upgrade_time",
            "issu_timeout",
            "light_sweep_spst",
            "master_sm_lid",
            "master_sm_priority",
            "max_seq_redisc",
            "prp_override_allow_sm_port_reset",
            "rediscovery_link_penalty_step",
            "rediscovery_max_link_penalty",
            "rediscovery_max_node_penalty",
            "rediscovery_node_penalty_step",
            "reply_lid_smps_in_dr",
            "respond_unknown_lid_traps",
            "sweep_every_hup_signal",
            "validate_smps",
        ],
    },
    VendorFamily {
        about: "logs, dumps and debugging",
        keys: &[
            "cache_files_dir",
            "conf_template",
            "dbg_lvl",
            "enable_crashd",
            "enable_performance_logging",
            "enable_subnet_lst",
            "log_num_backlogs",
            "osm_perflog_dump_limit",
            "osm_stats_dump_limit",
            "osm_stats_dump_per_sm_port",
            "osm_stats_interval",
            "plugin_name",
            "plugin_options",
            "sm_db_dump",
            "subnet_lst_file",
            "switch_name",
            "syslog_log_flags",
            "validate_conf_files",
            "verbose_bypass_policy_file",
        ],
    },
];

/// A name that is no option, though somebody may think so.
#[derive(Clone, Copy, Debug)]
pub struct WrongName {
    /// The name.
    pub key: &'static str,
    /// The option that does what is probably meant.
    pub instead: &'static str,
    /// What is the matter with it.
    pub why: &'static str,
}

/// Names that are no longer options or never were, though files have them.
pub static WRONG: &[WrongName] = &[
    WrongName {
        key: "no_qos",
        instead: "qos",
        why: "it was removed: QoS is off unless `qos TRUE` or -Q turns it on",
    },
    WrongName { key: "log_level", instead: "log_flags", why: "it never was an option" },
    WrongName { key: "max_operational_vls", instead: "max_op_vls", why: "it never was an option" },
    WrongName {
        key: "dump_file_dir",
        instead: "dump_files_dir",
        why: "the manual of OpenSM spells it so, but the option has another name",
    },
    WrongName {
        key: "no_multicast_option",
        instead: "disable_multicast",
        why: "it was renamed long ago",
    },
    WrongName { key: "updn_guid_file", instead: "root_guid_file", why: "it was renamed long ago" },
    WrongName { key: "ucast_dump_file", instead: "lfts_file", why: "it was renamed long ago" },
];

/// The family of a name that only NVIDIA's OpenSM knows.
#[must_use]
pub fn vendor_family(key: &str) -> Option<&'static VendorFamily> {
    VENDOR.iter().find(|family| family.keys.contains(&key))
}

/// The entry for a name that is known to be wrong.
#[must_use]
pub fn wrong_name(key: &str) -> Option<&'static WrongName> {
    WRONG.iter().find(|wrong| wrong.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options;

    #[test]
    fn no_name_is_in_two_lists() {
        let vendor: Vec<&str> = VENDOR.iter().flat_map(|f| f.keys).copied().collect();
        let mut all: Vec<&str> = vendor.clone();
        all.extend(WRONG.iter().map(|w| w.key));
        all.extend(options::all().map(|spec| spec.key));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for wrong in WRONG {
            assert!(options::find(wrong.instead).is_some(), "{}", wrong.instead);
        }
    }
}
