//! The first half of the traps, and what one is.

/// The number of a trap, the code that shows it, and the files of a site that falls into it.
pub(crate) type Trap = (u8, &'static str, &'static [(&'static str, &'static str)]);

pub(crate) const FIRST: &[Trap] = &[
    (1, "CF005", &[("opensm.conf", "qos yes\n")]),
    (2, "CF008", &[("opensm.conf", "qos_sw0_max_vls=2\n")]),
    (
        3,
        "CF009",
        &[(
            "opensm.conf",
            "qos TRUE\nqos_vlarb_low 0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,\n",
        )],
    ),
    (4, "CF017", &[("opensm.conf", "qos TRUE\nqos_vlarb_low 1:1;2:2\n")]),
    (5, "CF006", &[("opensm.conf", "qos TRUE\nqos_sl2vl\n")]),
    (5, "QO011", &[("opensm.conf", "qos TRUE\nqos_vlarb_low\nqos_vlarb_high\n")]),
    (6, "CF018", &[("opensm.conf", "qos TRUE\nqos_sl2vl 0, 1 ,2,x,4,5,6,7,0,0,0,0,0,0,0,0\n")]),
    (7, "CF018", &[("opensm.conf", "qos TRUE\nqos_ca_sl2vl 0,1,2,3,5,5,5,12,12,0,\n")]),
    (8, "CF017", &[("opensm.conf", "qos TRUE\nqos_vlarb_low 15:10,1:300\n")]),
    (9, "CF018", &[("opensm.conf", "qos TRUE\nqos_sl2vl 17,16,-1,0,0,0,0,0,0,0,0,0,0,0,0,0\n")]),
    (10, "CF016", &[("opensm.conf", "qos TRUE\nqos_high_limit 256\n")]),
    (10, "CF007", &[("opensm.conf", "qos TRUE\nqos_high_limit abc\n")]),
    (11, "CF015", &[("opensm.conf", "qos_max_vls 1\n")]),
    (12, "CF020", &[("opensm.conf", "max_op_vls 0\n")]),
    (12, "QO012", &[("opensm.conf", "qos TRUE\nmax_op_vls 4\nqos_max_vls 4\n")]),
    (13, "CF024", &[("opensm.conf", "# nothing\n"), ("running.conf", "sweep_interval 30\n")]),
    (13, "CF023", &[("opensm.conf", "lmc 1\n"), ("running.conf", "lmc 0\n")]),
    (14, "QO018", &[("opensm.conf", "qos FALSE\n"), ("running.conf", "qos TRUE\n")]),
    (15, "QO019", &[("prefix-routes.conf", "* *\n")]),
    (16, "CF007", &[("opensm.conf", "sm_sl 99\n")]),
    (16, "CF007", &[("opensm.conf", "lash_start_vl 99\n")]),
    (
        18,
        "QO001",
        &[("opensm.conf", "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n")],
    ),
    (
        18,
        "QO005",
        &[("opensm.conf", "qos TRUE\nmax_op_vls 2\nqos_vlarb_low 0:64,1:64,2:64,3:64\n")],
    ),
    (
        18,
        "QO022",
        &[
            ("opensm.conf", "qos TRUE\nmax_op_vls 2\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\n sdp : 2\nend-qos-ulps\n"),
        ],
    ),
    (
        19,
        "QO013",
        &[(
            "opensm.conf",
            "qos TRUE\nqos_vlarb_low 0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,0\
            :64,0:64,0:64,0:64,0:64,0:64\n",
        )],
    ),
    (21, "QO014", &[("opensm.conf", "qos TRUE\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n")]),
    (23, "QO015", &[("opensm.conf", "qos TRUE\nqos_sw0_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n")]),
    (26, "QO017", &[("opensm.conf", "qos TRUE\nsuppress_sl2vl_mad_status_errors TRUE\n")]),
    (
        28,
        "QO001",
        &[("opensm.conf", "qos TRUE\nmax_op_vls 1\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n")],
    ),
    (
        29,
        "CF095",
        &[(
            "opensm.conf",
            "qos TRUE\nrouting_engine torus-2QoS\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n",
        )],
    ),
    (
        30,
        "CF060",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\nend-qos-levels\n\
            qos-match-rules\n qos-match-rule\n qos-class: 1\n qos-level-name: nowhere\n end-\
            qos-match-rule\nend-qos-match-rules\n",
            ),
        ],
    ),
    (
        31,
        "CF062",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\nend-qos-ulps\n# the end"),
        ],
    ),
    (
        31,
        "CF062",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\r\n default : 0\r\nend-qos-ulps\r\n"),
        ],
    ),
    (
        31,
        "CF060",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "QOS-ULPS\n default : 0\nend-QOS-ULPS\n"),
        ],
    ),
    (
        31,
        "CF060",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "port-groups\nend-port-groups\nqos-levels\n qos-level\n name: DEFAULT\n sl: 0\n e\
            nd-qos-level\nend-qos-levels\n",
            ),
        ],
    ),
    (
        31,
        "CF060",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\n any, service-id 1, : 1\nend-qos-ulps\n"),
        ],
    ),
    (
        32,
        "QO030",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\n ipoib : 1\nend-qos-ulps\n"),
            ("partitions.conf", "a=0x10 : ALL=full ;\n"),
        ],
    ),
    (
        33,
        "CF064",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "port-groups\n port-group\n name: g\n port-name: vs1 HCA-1/P1\n end-port-group\ne\
            nd-port-groups\nqos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n\
            end-qos-levels\nqos-match-rules\n qos-match-rule\n source: g\n qos-level-name: D\
            EFAULT\n end-qos-match-rule\nend-qos-match-rules\n",
            ),
        ],
    ),
    (
        34,
        "QO031",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "port-groups\n port-group\n name: g\n partition: tenant\n end-port-group\nend-por\
            t-groups\nqos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\nend-qo\
            s-levels\nqos-match-rules\n qos-match-rule\n source: g\n qos-level-name: DEFAULT\
            \n end-qos-match-rule\nend-qos-match-rules\n",
            ),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\n"),
        ],
    ),
    (
        35,
        "QO032",
        &[
            ("opensm.conf", "qos TRUE\nnode_name_map_name names\n"),
            (
                "qos-policy.conf",
                "port-groups\n port-group\n name: g\n port-name: \"n1 HCA-1/P1\"\n end-port-group\
            \nend-port-groups\nqos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-leve\
            l\nend-qos-levels\nqos-match-rules\n qos-match-rule\n source: g\n qos-level-name\
            : DEFAULT\n end-qos-match-rule\nend-qos-match-rules\n",
            ),
            ("names", "0x1 \"disk\"\n"),
        ],
    ),
    (
        36,
        "CF065",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-setup\n vlarb-tables\n vlarb-scope\n group: g\n vlarb-low: 0:64\n end-vlarb-\
            scope\n end-vlarb-tables\nend-qos-setup\nqos-levels\n qos-level\n name: DEFAULT\
            \n sl: 0\n end-qos-level\nend-qos-levels\n",
            ),
        ],
    ),
    (
        37,
        "CF061",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 1\n path-bits: 1-3\n end-qos-level\nend-qos-levels\nqos-match-rules\
            \n qos-match-rule\n qos-class: 1\n qos-level-name: a\n end-qos-match-rule\nend-q\
            os-match-rules\n",
            ),
        ],
    ),
    (
        38,
        "CF063",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 31\n end-qos-level\nend-qos-levels\nqos-match-rules\n qos-match-rule\
            \n qos-class: 1\n qos-level-name: a\n end-qos-match-rule\nend-qos-match-rules\n",
            ),
        ],
    ),
    (
        39,
        "CF007",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 010\n end-qos-level\nend-qos-levels\nqos-match-rules\n qos-match-rule\
            \n qos-class: 1\n qos-level-name: a\n end-qos-match-rule\nend-qos-match-rules\n",
            ),
        ],
    ),
    (
        40,
        "CF007",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 1\n end-qos-level\nend-qos-levels\nqos-match-rules\n qos-match-rule\
            \n pkey: 0x7ff0-0x8010\n qos-level-name: a\n end-qos-match-rule\nend-qos-match-r\
            ules\n",
            ),
        ],
    ),
    (
        41,
        "CF064",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-ulps\n default : 0\n any, source-target-port-guid 0x1 : 1\nend-qos-ulps\n",
            ),
        ],
    ),
    (
        42,
        "CF064",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-ulps\n default : 0\n srp, target-port-guid 0x1 : 1\nend-qos-ulps\n",
            ),
        ],
    ),
    (
        42,
        "QO033",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-ulps\n default : 0\n rds, port-num 900 : 1\n iser, port-num 900 : 2\nend-qos\
            -ulps\n",
            ),
        ],
    ),
];
