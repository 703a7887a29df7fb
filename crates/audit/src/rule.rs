//! A rule, and how all of them are run.

use lk_diag::{Code, Diagnostic, Diagnostics, Severity};

use crate::rules::RULES;
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

/// Looks for everything.
#[must_use]
pub fn check(site: &Site<'_>) -> Diagnostics {
    let mut found = Diagnostics::new();
    for rule in RULES {
        (rule.look)(site, &mut found);
    }
    found
}

/// The pages of all rules, in the order of their codes.
pub fn pages() -> impl Iterator<Item = Page> {
    RULES.iter().map(|rule| Page { code: rule.code, text: rule.page })
}

/// The page of a code, whatever its case.
#[must_use]
pub fn explain(code: &str) -> Option<Page> {
    pages().find(|page| page.code.id.eq_ignore_ascii_case(code))
}
