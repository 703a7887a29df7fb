//! `qos-match-rule`.

use lk_diag::Span;

use super::MatchRule;
use super::read::Reader;
use crate::Placed;

const ATTRIBUTES: [&str; 7] =
    ["use", "qos-level-name", "source", "destination", "qos-class", "service-id", "pkey"];

impl Reader<'_> {
    pub(super) fn rule(&mut self, opened: Span) -> Placed<MatchRule> {
        let mut rule = MatchRule::default();
        let (mut usage, mut level) = (None, None);
        let close =
            self.inside("qos-match-rule", opened, &ATTRIBUTES, |r, attribute, _| match attribute {
                "use" => r.usage_into(&mut usage),
                "qos-level-name" => r.name_into(&mut level, attribute),
                "source" => r.names_into(&mut rule.source),
                "destination" => r.names_into(&mut rule.destination),
                "pkey" => {
                    let read = r.lex.pkeys();
                    rule.pkeys.extend(r.lex.or_skip(read).unwrap_or_default());
                }
                _ => {
                    let read = r.lex.ranges();
                    let ranges = r.lex.or_skip(read).unwrap_or_default();
                    match attribute {
                        "qos-class" => rule.qos_class.extend(ranges),
                        _ => rule.service_id.extend(ranges),
                    }
                }
            });
        rule.usage = usage;
        rule.level = self.required(level, opened, "qos-level-name", "qos-match-rule");
        Placed::new(rule, opened.cover(close))
    }
}
