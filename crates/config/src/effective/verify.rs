//! What OpenSM corrects after it has read its options, in its order. Each correction is said.

use lk_diag::{Diagnostic, Diagnostics};

use super::{Effective, qos_lists};
use crate::codes;
use crate::options::{Options, QosSetName};

/// The most SMPs that can be on their way: what `max_wire_smps 0` stands for.
const NO_LIMIT: u32 = 0x7fff_ffff;

impl Effective {
    /// Corrects values that cannot be, as OpenSM does after the file, after the command line and
    /// after each time the file is read again, and says what it corrected and what is faulty.
    pub fn verify(&mut self) -> Diagnostics {
        let mut out = Diagnostics::new();
        self.device(&mut out);
        self.windows(&mut out);
        self.words(&mut out);
        self.perfmgr(&mut out);
        self.m_key(&mut out);
        self.rates(&mut out);
        self.qos_sets(&mut out);
        out
    }

    /// Sets a value and says so, unless it has it already.
    fn correct<T: PartialEq + std::fmt::Display>(
        &mut self,
        key: &'static str,
        field: impl Fn(&mut Options) -> &mut T,
        to: T,
        why: &str,
        out: &mut Diagnostics,
    ) {
        let slot = field(&mut self.options);
        if *slot == to {
            return;
        }
        let found = Diagnostic::warning(
            codes::CORRECTED,
            format!("`{key}` {slot} is replaced by {to}: {why}"),
        );
        *slot = to;
        out.push(self.at(key, "", found));
    }

    fn device(&mut self, out: &mut Diagnostics) {
        let o = &self.options;
        let (lmc, priority) = (o.lmc, o.sm_priority);
        let (speed, ext, width, fdr10) =
            (o.force_link_speed, o.force_link_speed_ext, o.force_link_width, o.fdr10);
        if lmc > 7 {
            self.correct("lmc", |o| &mut o.lmc, 0, "it goes from 0 to 7", out);
        }
        if priority > 15 {
            let why = "it goes from 0 to 15";
            self.correct("sm_priority", |o| &mut o.sm_priority, 0, why, out);
        }
        if speed > 15 || (8..=14).contains(&speed) {
            let why = "it is a sum of 1, 2 and 4, or 15 for all";
            self.correct("force_link_speed", |o| &mut o.force_link_speed, 15, why, out);
        }
        if ext > 31 || (16..=29).contains(&ext) {
            let why = "it is a sum of 1, 2, 4 and 8, or 30 for none, or 31 for all";
            self.correct("force_link_speed_ext", |o| &mut o.force_link_speed_ext, 31, why, out);
        }
        if (32..=254).contains(&width) {
            let why = "it is a sum of 1, 2, 4, 8 and 16, or 255 for all";
            self.correct("force_link_width", |o| &mut o.force_link_width, 255, why, out);
        }
        if fdr10 > 2 {
            self.correct("fdr10", |o| &mut o.fdr10, 1, "it is 0, 1 or 2", out);
        }
    }

    fn windows(&mut self, out: &mut Diagnostics) {
        if self.options.max_wire_smps == 0 {
            self.options.max_wire_smps = NO_LIMIT; // that is what 0 means
        }
        if self.options.max_wire_smps > NO_LIMIT {
            let why = "it has 31 bits";
            self.correct("max_wire_smps", |o| &mut o.max_wire_smps, 4, why, out);
        }
        if self.options.max_wire_smps2 > NO_LIMIT {
            let (why, to) = ("it has 31 bits", self.options.max_wire_smps);
            self.correct("max_wire_smps2", |o| &mut o.max_wire_smps2, to, why, out);
        }
        let timeout = self.options.transaction_timeout;
        if self.options.long_transaction_timeout < timeout {
            let (key, why) = ("long_transaction_timeout", "it is not below transaction_timeout");
            self.correct(key, |o| &mut o.long_transaction_timeout, timeout, why, out);
        }
    }

    /// Options that take one of a few words. At `(null)` OpenSM crashes; the default is meant.
    fn words(&mut self, out: &mut Diagnostics) {
        let consoles = ["off", "local", "loopback", "socket"];
        self.word("console", |o| &mut o.console, &consoles, "off", out);
        if self.options.no_partition_enforcement {
            if self.options.part_enforce.as_deref() != Some("off") {
                let found = Diagnostic::info(
                    codes::CORRECTED,
                    "`no_partition_enforcement TRUE` turns `part_enforce` off",
                );
                out.push(self.at("no_partition_enforcement", "", found));
            }
            self.options.part_enforce = Some("off".to_owned());
            return;
        }
        let ways = ["both", "in", "out", "off"];
        self.word("part_enforce", |o| &mut o.part_enforce, &ways, "both", out);
    }

    fn word(
        &mut self,
        key: &'static str,
        field: impl Fn(&mut Options) -> &mut Option<String>,
        words: &[&str],
        default: &str,
        out: &mut Diagnostics,
    ) {
        let slot = field(&mut self.options);
        let found = match slot.as_deref() {
            Some(word) if words.contains(&word) => return,
            Some(word) => Diagnostic::warning(
                codes::CORRECTED,
                format!("`{key}` {word} is replaced by {default}: it is none of its words"),
            )
            .note(format!("the words are {}", words.join(", "))),
            None => Diagnostic::warning(
                codes::OPENSM_FAILS,
                format!("`{key} (null)` is taken for {default}; OpenSM 3.3.23 crashes at it"),
            ),
        };
        *slot = Some(default.to_owned());
        out.push(self.at(key, "", found));
    }

    fn perfmgr(&mut self, out: &mut Diagnostics) {
        if self.options.perfmgr_sweep_time_s == 0 {
            let key = "perfmgr_sweep_time_s";
            self.correct(key, |o| &mut o.perfmgr_sweep_time_s, 180, "0 is no interval", out);
        }
        if self.options.perfmgr_max_outstanding_queries == 0 {
            let key = "perfmgr_max_outstanding_queries";
            let why = "with 0 nothing would be asked";
            self.correct(key, |o| &mut o.perfmgr_max_outstanding_queries, 500, why, out);
        }
    }

    /// A lease must outlive the time between two sweeps, or ports lose their protection.
    fn m_key(&mut self, out: &mut Diagnostics) {
        if self.options.m_key_protection_level > 3 {
            let (key, why) = ("m_key_protection_level", "it goes from 0 to 3");
            self.correct(key, |o| &mut o.m_key_protection_level, 2, why, out);
        }
        let lease = self.options.m_key_lease_period;
        if self.options.m_key_protection_level == 0 || lease == 0 {
            return;
        }
        if self.options.sweep_interval == 0 {
            let why = "an M_Key lease is renewed by sweeps";
            let interval = u32::from(lease) - 1;
            self.correct("sweep_interval", |o| &mut o.sweep_interval, interval, why, out);
        }
        let interval = self.options.sweep_interval;
        if interval >= u32::from(lease) {
            let why = "a lease must be longer than sweep_interval";
            // Sixteen bits on the wire: with a longer interval the longest lease must do.
            let longer = u16::try_from(u64::from(interval) + 1).unwrap_or(u16::MAX);
            self.correct("m_key_lease_period", |o| &mut o.m_key_lease_period, longer, why, out);
        }
    }

    fn rates(&mut self, out: &mut Diagnostics) {
        let rate = self.options.max_rate_enum;
        if self.options.use_original_extended_sa_rates_only && (19..63).contains(&rate) {
            let why = "use_original_extended_sa_rates_only ends at code 18";
            self.correct("max_rate_enum", |o| &mut o.max_rate_enum, 18, why, out);
        } else if rate < 2 || (26..=62).contains(&rate) || rate > 63 {
            let why = "rate codes go from 2 to 25, and 63 is no limit";
            self.correct("max_rate_enum", |o| &mut o.max_rate_enum, 63, why, out);
        }
    }

    /// OpenSM looks at the sets only when QoS is on. The lists are not corrected, so what is
    /// faulty about them is said in any case.
    fn qos_sets(&mut self, out: &mut Diagnostics) {
        for name in QosSetName::ALL {
            if self.options.qos {
                self.qos_numbers(name, out);
            }
            let set = self.options.qos_sets.get(name).clone();
            let lists = [
                ("vlarb_high", &set.vlarb_high, qos_lists::check_vlarb as qos_lists::Check),
                ("vlarb_low", &set.vlarb_low, qos_lists::check_vlarb),
                ("sl2vl", &set.sl2vl, qos_lists::check_sl2vl),
            ];
            for (field, text, check) in lists {
                let Some(text) = text.as_deref().filter(|text| !text.is_empty()) else { continue };
                let key = format!("{}{field}", name.prefix());
                if let Some(found) = check(&key, text) {
                    out.push(self.at(&key, "", found));
                }
            }
        }
    }

    fn qos_numbers(&mut self, name: QosSetName, out: &mut Diagnostics) {
        let set = self.options.qos_sets.get_mut(name);
        let prefix = name.prefix();
        if set.max_vls > 15 {
            let found = Diagnostic::warning(
                codes::CORRECTED,
                format!("`{prefix}max_vls` {} is taken for unset: it goes to 15", set.max_vls),
            );
            set.max_vls = 0;
            out.push(self.at(&format!("{prefix}max_vls"), "", found));
        }
        let set = self.options.qos_sets.get_mut(name);
        let limit = set.high_limit;
        if !(-1..=255).contains(&limit) {
            set.high_limit = -1;
            let found = Diagnostic::warning(
                codes::CORRECTED,
                format!("`{prefix}high_limit` {limit} is taken for unset: it goes from 0 to 255"),
            );
            out.push(self.at(&format!("{prefix}high_limit"), "", found));
        }
    }
}
