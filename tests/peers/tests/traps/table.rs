//! The trials.

/// Where a trial is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ground {
    /// ibsim.
    Ibsim,
    /// `lanekeeper sim`, whose ports keep what ibsim's forget.
    OwnSimulator,
}

/// A trap, set for opensm, and the code by which the fabric shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// The row of the table of traps; 0 for one that is not there.
    pub(crate) row: u8,
    /// The code.
    pub(crate) code: &'static str,
    /// opensm.conf with the trap.
    pub(crate) conf: &'static str,
    /// An opensm.conf that was in force before it.
    pub(crate) before: &'static str,
    /// partitions.conf with the trap.
    pub(crate) partitions: &'static str,
    /// Further arguments of opensm.
    pub(crate) arguments: &'static [&'static str],
    /// How often it sweeps.
    pub(crate) sweeps: u8,
    /// The opensm.conf that says what was meant; none where the fabric alone shows it.
    pub(crate) meant: &'static str,
    /// The partitions.conf that does.
    pub(crate) meant_partitions: &'static str,
    /// Where it is tried.
    pub(crate) ground: Ground,
}

/// Found by the fabric alone.
const fn alone(row: u8, code: &'static str, conf: &'static str) -> Trial {
    Trial {
        row,
        code,
        conf,
        before: "",
        partitions: "",
        arguments: &[],
        sweeps: 2,
        meant: "",
        meant_partitions: "",
        ground: Ground::Ibsim,
    }
}

/// Found beside the file that says what was meant.
const fn beside(row: u8, code: &'static str, conf: &'static str, meant: &'static str) -> Trial {
    Trial { meant, ..alone(row, code, conf) }
}

/// A trap in partitions.conf.
const fn members(
    row: u8,
    code: &'static str,
    partitions: &'static str,
    meant_partitions: &'static str,
) -> Trial {
    Trial { partitions, meant_partitions, ..alone(row, code, "# nothing\n") }
}

/// A design of four lanes.
const DESIGN: &str = "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                      qos_vlarb_low 0:64,1:64,2:64,3:64\nqos_vlarb_high 0:64\n";

/// The same, and on as `true`.
const OFF: &str = "qos true\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                   qos_vlarb_low 0:64,1:64,2:64,3:64\nqos_vlarb_high 0:64\n";

/// Partitions as they were meant.
const TENANT: &str =
    "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : 0x100021=full, 0x100041=full ;\n";

pub(crate) const TRIALS: &[Trial] = &[
    beside(1, "QO101", OFF, DESIGN),
    beside(2, "QO101", "qos=TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n", DESIGN),
    alone(
        3,
        "QO104",
        concat!(
            "qos TRUE\nqos_sl2vl ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "                                                                    ",
            "0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n"
        ),
    ),
    alone(
        4,
        "QO106",
        "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\nqos_vlarb_low 0:64,1:64,x,3:64\n\
         qos_vlarb_high 0:64\n",
    ),
    alone(5, "QO104", "qos TRUE\nqos_sl2vl\n"),
    alone(5, "QO103", "qos TRUE\nqos_vlarb_low\nqos_vlarb_high\n"),
    beside(
        6,
        "QO101",
        "qos TRUE\nqos_sl2vl 0 ,1 ,2 ,3 ,0 ,1 ,2 ,3\nqos_vlarb_low 0:64,1:64,2:64,3:64\n\
         qos_vlarb_high 0:64\n",
        DESIGN,
    ),
    alone(7, "QO104", "qos TRUE\nqos_sl2vl 0,\n"),
    alone(
        8,
        "QO106",
        "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
         qos_vlarb_low 0:64,1:256,2:64,3:64\nqos_vlarb_high 0:64\n",
    ),
    alone(9, "QO114", "qos TRUE\nqos_swe_sl2vl 0,1,-1,3,0,1,2,3,0,1,2,3,0,1,2,3\n"),
    Trial {
        ground: Ground::OwnSimulator,
        ..beside(10, "QO101", "qos TRUE\nqos_high_limit 256\n", "qos TRUE\nqos_high_limit 255\n")
    },
    alone(12, "QO123", "qos TRUE\nmax_op_vls 1\n"),
    Trial { before: DESIGN, ..beside(14, "QO018", OFF, OFF) },
    Trial {
        sweeps: 1,
        ..alone(17, "QO105", "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n")
    },
    alone(18, "QO123", "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n"),
    alone(
        20,
        "QO106",
        "qos TRUE\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n\
         qos_vlarb_low 0:64,0:64,0:64,0:64,0:64,0:64,0:64,0:64,1:64\n",
    ),
    // Another tool, or another manager, has written tables since.
    Trial {
        before: DESIGN,
        ..beside(27, "QO101", "qos TRUE\nqos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n", DESIGN)
    },
    beside(
        28,
        "QO001",
        "qos TRUE\nmax_op_vls 1\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n",
        "qos TRUE\nmax_op_vls 1\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n",
    ),
    alone(55, "QO114", "qos TRUE\nqos_swe_sl2vl 0,1,2,15,0,1,2,3,0,1,2,3,0,1,2,3\n"),
    Trial {
        ground: Ground::OwnSimulator,
        ..alone(57, "QO122", "qos TRUE\nsm_sl 2\nqos_sl2vl 0,1,15,3,0,1,2,3,0,1,2,3,0,1,2,3\n")
    },
    members(
        62,
        "QO124",
        "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : 0x100021=full, node7=full ;\n",
        TENANT,
    ),
    members(
        63,
        "QO124",
        "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : A=full ;\n",
        "Default=0x7fff, ipoib : ALL=full ;\n",
    ),
    Trial {
        conf: "allow_both_pkeys TRUE\n",
        ..members(67, "QO055", "Default=0x7fff : ALL, SELF=full ;\n", "")
    },
    members(
        71,
        "QO124",
        "Default=0x7fff, ipoib : ALL=full ;\r\na=0x10 : 0x100021=full, 0x100041=full ;\r\n",
        TENANT,
    ),
    // Traps beside those of the table.
    alone(0, "QO122", "qos TRUE\nqos_sl2vl 15,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n"),
    alone(
        0,
        "QO126",
        "qos TRUE\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\nqos_vlarb_low 0:90,1:10\n\
         qos_vlarb_high\n",
    ),
    Trial {
        ground: Ground::OwnSimulator,
        ..alone(
            0,
            "QO121",
            "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\nqos_high_limit 255\n\
             qos_vlarb_low 0:64,1:64,2:64\nqos_vlarb_high 3:64\n",
        )
    },
    members(0, "QO116", "Default=0x7fff : ALL, SELF=full ;\n", ""),
    members(0, "QO116", "Default=0x7fff : ALL=limited ;\n", ""),
    members(0, "QO116", "Default=0x7fff, ipoib : ALL=full ;\na=0x10 : 0x100021, 0x100041 ;\n", ""),
];
