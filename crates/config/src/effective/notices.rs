//! What deserves to be known about the options in force, though nothing is corrected.

use lk_diag::{Diagnostic, Diagnostics};

use super::{Effective, EngineName, Origin, engine_list};
use crate::codes;
use crate::options::{self, OptionSpec, Status, Value, meaning};

/// Fields on the wire that are narrower than the option: its name and the field's bits.
const NARROW: &[(&str, u32)] = &[
    ("sm_sl", 4),
    ("lash_start_vl", 4),
    ("subnet_timeout", 5),
    ("packet_life_time", 5),
    ("head_of_queue_lifetime", 5),
    ("leaf_head_of_queue_lifetime", 5),
    ("vl_stall_count", 3),
    ("leaf_vl_stall_count", 3),
    ("local_phy_errors_threshold", 4),
    ("overrun_errors_threshold", 4),
];

impl Effective {
    /// What an administrator should know about the options: what is not acted on, what a code
    /// means, what cannot fit on the wire. Only options that differ from their default count.
    #[must_use]
    pub fn notices(&self) -> Diagnostics {
        let mut out = Diagnostics::new();
        for spec in options::all() {
            let value = spec.get(&self.options);
            if value != spec.default_value() {
                out.extend(self.status(spec, &value));
                out.extend(self.code_meaning(spec, &value));
                out.extend(self.too_wide(spec, &value));
            }
        }
        out.extend(self.qos_off());
        self.engines(&mut out);
        self.missing_names(&mut out);
        out.extend(self.frequent_counters());
        out
    }

    fn status(&self, spec: &OptionSpec, value: &Value) -> Option<Diagnostic> {
        let key = spec.key;
        let found = match spec.status {
            Status::Applied => return None,
            Status::NotYet => Diagnostic::info(
                codes::NOT_ACTED_ON,
                format!("`{key} {}` is not acted on yet", spec.show(value)),
            ),
            Status::NoEffect(why) => {
                Diagnostic::info(codes::NO_EFFECT, format!("`{key}` has no effect: {why}"))
            }
        };
        Some(self.at(key, "", found))
    }

    fn code_meaning(&self, spec: &OptionSpec, value: &Value) -> Option<Diagnostic> {
        let words = meaning(spec.key, value)?;
        let shown = format!("`{} {}` is {words}", spec.key, spec.show(value));
        let found = if matches!((spec.key, value), ("max_op_vls", Value::U8(0 | 6..))) {
            Diagnostic::warning(codes::CODE_MEANING, shown)
                .help("the codes are 1 (VL0), 2 (VL0-1), 3 (VL0-3), 4 (VL0-7) and 5 (VL0-14)")
        } else {
            Diagnostic::info(codes::CODE_MEANING, shown)
        };
        Some(self.at(spec.key, "", found))
    }

    fn too_wide(&self, spec: &OptionSpec, value: &Value) -> Option<Diagnostic> {
        let Value::U8(n) = *value else { return None };
        let (_, bits) = NARROW.iter().find(|(key, _)| *key == spec.key)?;
        let most = (1u32 << bits) - 1;
        if u32::from(n) <= most {
            return None;
        }
        let found = Diagnostic::warning(
            codes::READ_OTHERWISE,
            format!("`{}` {n} does not fit: it has {bits} bits, so {most} at most", spec.key),
        );
        Some(self.at(spec.key, "", found))
    }

    /// QoS options that are set while QoS is off.
    fn qos_off(&self) -> Option<Diagnostic> {
        if self.options.qos {
            return None;
        }
        let set: Vec<&OptionSpec> = options::all()
            .filter(|spec| spec.is_qos_set() && spec.get(&self.options) != spec.default_value())
            .collect();
        let first = set.first()?;
        let found = Diagnostic::warning(
            codes::QOS_OFF,
            format!("QoS is off, so {} `qos_` options do nothing", set.len()),
        )
        .help("write `qos TRUE` or give -Q to program SL2VL and VL arbitration tables");
        Some(self.at(first.key, "the first of them", found))
    }

    fn engines(&self, out: &mut Diagnostics) {
        for name in engine_list(self.options.routing_engine.as_deref()) {
            let found = match name {
                EngineName::Known(_) | EngineName::NoFallback => continue,
                EngineName::Vendor { written, instead } => {
                    let found = Diagnostic::warning(
                        codes::ENGINE,
                        format!("`{written}` is a routing engine of NVIDIA's OpenSM only"),
                    );
                    match instead {
                        Some(engine) => found.help(format!(
                            "`{}` comes nearest to it, without adaptive routing",
                            engine.name()
                        )),
                        None => found,
                    }
                }
                EngineName::Unknown { written, nearest } => {
                    let found = Diagnostic::error(
                        codes::ENGINE,
                        format!("there is no routing engine `{written}`"),
                    );
                    match nearest {
                        Some(name) => found.help(format!("did you mean `{name}`?")),
                        None => found,
                    }
                }
            };
            out.push(self.at("routing_engine", "", found));
        }
    }

    /// Reading all counters of a fabric takes a while and a share of the management traffic.
    fn frequent_counters(&self) -> Option<Diagnostic> {
        const SELDOM: u16 = 30;
        let o = &self.options;
        if !o.perfmgr || o.perfmgr_sweep_time_s == 0 || o.perfmgr_sweep_time_s >= SELDOM {
            return None;
        }
        let found = Diagnostic::warning(
            codes::UNWISE,
            format!("the counters of all ports are read every {} s", o.perfmgr_sweep_time_s),
        )
        .note("on a large fabric one round takes longer; the default is 180 s");
        Some(self.at("perfmgr_sweep_time_s", "", found))
    }

    /// Files whose name was set to none.
    fn missing_names(&self, out: &mut Diagnostics) {
        let o = &self.options;
        let told = |key| *self.origin(key) != Origin::Default;
        if o.qos && o.qos_policy_file.is_none() && told("qos_policy_file") {
            let found = Diagnostic::info(
                codes::OPENSM_FAILS,
                "without a policy file OpenSM logs ERR AC06 at each sweep; here none is read",
            );
            out.push(self.at("qos_policy_file", "", found));
        }
        if o.dump_files_dir.is_none() && told("dump_files_dir") {
            let found = Diagnostic::info(codes::NO_EFFECT, "without a folder nothing is dumped");
            out.push(self.at("dump_files_dir", "", found));
        }
    }
}
