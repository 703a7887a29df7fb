//! The second half of the traps.

use crate::table::Trap;

pub(crate) const SECOND: &[Trap] = &[
    (
        42,
        "QO039",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-ulps\n default : 0\n srp, target-port-guid 0x1 : 1\n sdp : 2\nend-qos-ulps\n",
            ),
        ],
    ),
    (
        43,
        "CF061",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\nend-qos-levels\n\
            qos-ulps\n default : 0\nend-qos-ulps\n",
            ),
        ],
    ),
    (
        43,
        "CF061",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\n default : 3\nend-qos-ulps\n"),
        ],
    ),
    (
        44,
        "CF061",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 1\n end-qos-level\n qos-level\n name: A\n sl: 2\n end-qos-level\nend-\
            qos-levels\nqos-match-rules\n qos-match-rule\n qos-class: 1\n qos-level-name: a\
            \n end-qos-match-rule\nend-qos-match-rules\n",
            ),
        ],
    ),
    (
        46,
        "CF007",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 1\n packet-life: 64\n end-qos-level\nend-qos-levels\nqos-match-rules\
            \n qos-match-rule\n qos-class: 1\n qos-level-name: a\n end-qos-match-rule\nend-q\
            os-match-rules\n",
            ),
        ],
    ),
    (
        47,
        "QO034",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 1\n end-qos-level\nend-qos-levels\nqos-match-rules\n qos-match-rule\
            \n qos-class: 8-11\n qos-level-name: a\n end-qos-match-rule\nend-qos-match-rules\
            \n",
            ),
        ],
    ),
    (
        48,
        "QO035",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\nend-qos-ulps\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\na=0x10, sl=3 : ALL=full ;\n"),
        ],
    ),
    (
        49,
        "QO037",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n end-qos-level\n qos-level\n nam\
            e: a\n sl: 1\n pkey: 0x8010\n end-qos-level\nend-qos-levels\nqos-match-rules\n q\
            os-match-rule\n qos-class: 1\n qos-level-name: a\n end-qos-match-rule\nend-qos-m\
            atch-rules\n",
            ),
        ],
    ),
    (
        50,
        "QO056",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x100, sl=2 : ALL=full ;\nb=0x1, sl=1 : AL\
            L=full ;\n",
            ),
        ],
    ),
    (
        52,
        "QO036",
        &[
            ("opensm.conf", "qos TRUE\nrouting_engine lash\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\n sdp : 1\nend-qos-ulps\n"),
        ],
    ),
    (
        55,
        "QO002",
        &[
            ("opensm.conf", "qos TRUE\nqos_sl2vl 0,1,15,0,0,0,0,0,0,0,0,0,0,0,0,0\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\na=0x10, sl=2 : ALL=full ;\n"),
        ],
    ),
    (
        57,
        "QO002",
        &[("opensm.conf", "qos TRUE\nsm_sl 2\nqos_sl2vl 0,1,15,0,0,0,0,0,0,0,0,0,0,0,0,0\n")],
    ),
    (
        57,
        "QO035",
        &[
            ("opensm.conf", "qos TRUE\n"),
            ("qos-policy.conf", "qos-ulps\n default : 0\nend-qos-ulps\n"),
            ("partitions.conf", "Default=0x7fff, ipoib, sl=4 : ALL=full ;\n"),
        ],
    ),
    (
        59,
        "QO050",
        &[
            ("opensm.conf", "# nothing\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\na=0x10, sl=3 : ALL=full ;\n"),
        ],
    ),
    (
        60,
        "QO051",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x10, sl=3 : ALL ;\na=0x10 : SELF=full ;\n",
            ),
        ],
    ),
    (
        62,
        "CF080",
        &[
            ("opensm.conf", "# nothing\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : ALL=full, 00123=full ;\nb=0x11 : no\
            de7=full ;\n",
            ),
        ],
    ),
    (
        63,
        "CF081",
        &[
            ("opensm.conf", "# nothing\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\na=0x10, s=3 : A=full ;\n"),
        ],
    ),
    (
        64,
        "QO052",
        &[
            ("opensm.conf", "# nothing\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : ALL=both ;\n"),
        ],
    ),
    (
        65,
        "CF081",
        &[
            ("opensm.conf", "# nothing\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x10, ipoib, mtu=abc : ALL=full ;\n",
            ),
        ],
    ),
    (
        65,
        "QO053",
        &[
            ("opensm.conf", "# nothing\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x10, ipoib, mtu=abc : ALL=full ;\n",
            ),
        ],
    ),
    (
        66,
        "QO054",
        &[
            ("opensm.conf", "# nothing\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x10, ipoib, scope=5 : ALL=full ;\n",
            ),
        ],
    ),
    (
        67,
        "QO055",
        &[
            ("opensm.conf", "allow_both_pkeys TRUE\n"),
            ("partitions.conf", "Default=0x7fff : ALL, SELF=full ;\n"),
        ],
    ),
    (
        68,
        "CF081",
        &[
            ("opensm.conf", "# nothing\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\n : ALL=full ;\n"),
        ],
    ),
    (
        70,
        "QO063",
        &[
            ("opensm.conf", "# nothing\n"),
            (
                "partitions.conf",
                "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : ALL=full,\n# aaaaaaaaaaaa sl=7\n mg\
            id=ff12::b\n SELF=full ;\n",
            ),
        ],
    ),
    (
        71,
        "CF084",
        &[
            ("opensm.conf", "# nothing\n"),
            ("partitions.conf", "Default=0x7fff, ipoib : ALL=full ;\r\n"),
        ],
    ),
    (72, "CF022", &[("opensm.conf", "console (null)\n")]),
    (72, "CF022", &[("opensm.conf", "part_enforce (null)\n")]),
    (72, "CF016", &[("opensm.conf", "part_enforce on\n")]),
    (73, "CF004", &[("arguments", "-t 0")]),
    (74, "CF028", &[("arguments", "--cc_key 1")]),
    (
        75,
        "QO038",
        &[
            ("opensm.conf", "qos TRUE\n"),
            (
                "qos-policy.conf",
                "port-groups\n port-group\n name: g\n port-guid: 0x2c90300000000-0x2c903ffffffff\
            \n end-port-group\nend-port-groups\nqos-levels\n qos-level\n name: DEFAULT\n sl\
            : 0\n end-qos-level\nend-qos-levels\nqos-match-rules\n qos-match-rule\n source: \
            g\n qos-level-name: DEFAULT\n end-qos-match-rule\nend-qos-match-rules\n",
            ),
        ],
    ),
];
