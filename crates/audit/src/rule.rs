//! A rule, and how all of them are run.

use lk_config::QosSetName;
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};

use crate::parsers::PARSERS;
use crate::rules::{self, RULES};
use crate::site::Site;

/// One way in which a design goes wrong.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its code and title.
    pub code: Code,
    /// How bad it is at its worst.
    pub severity: Severity,
    /// Its page: what it means, why it matters, how to see it on the fabric, how to mend it.
    pub page: &'static str,
    /// Whether it is about the tables of ports, which are not programmed while QoS is off.
    pub of_tables: bool,
    /// Looks for it.
    pub look: fn(&Site<'_>, &mut Diagnostics),
}

impl Rule {
    /// A finding of this rule.
    #[must_use]
    pub fn found(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, message)
    }
}

/// The page of a code.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The code and its title.
    pub code: Code,
    /// The text, in Markdown.
    pub text: &'static str,
}

/// Looks for everything. While QoS is off and options for its tables are written all the same, it
/// is also said, as information, what would be found if it were on.
#[must_use]
pub fn check(site: &Site<'_>) -> Diagnostics {
    let mut found = rules::policy::of_subnet(site);
    for rule in RULES {
        (rule.look)(site, &mut found);
    }
    let written = |set: QosSetName| {
        let set = site.options().qos_sets.get(set);
        set.sl2vl.is_some() || set.vlarb_high.is_some() || set.vlarb_low.is_some()
    };
    if !site.options().qos && QosSetName::ALL.into_iter().any(written) {
        let on = Site { as_if_on: true, ..site.clone() };
        let mut more = Diagnostics::new();
        for rule in RULES.iter().filter(|rule| rule.of_tables) {
            (rule.look)(&on, &mut more);
        }
        found.extend(more.into_iter().map(|mut finding| {
            finding.severity = Severity::Info;
            finding.message = format!("if QoS were on: {}", finding.message);
            finding
        }));
    }
    found
}

/// The pages of what the readers of files find, and of all rules, in the order of their codes.
pub fn pages() -> impl Iterator<Item = Page> {
    let parsers = PARSERS.iter().map(|page| Page { code: page.code, text: page.page });
    parsers.chain(RULES.iter().map(|rule| Page { code: rule.code, text: rule.page }))
}

/// The page of a code, whatever its case.
#[must_use]
pub fn explain(code: &str) -> Option<Page> {
    pages().find(|page| page.code.id.eq_ignore_ascii_case(code))
}
