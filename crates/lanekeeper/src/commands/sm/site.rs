//! Files of the site that this version does not act on.

use std::path::Path;

use lk_config::{Effective, codes};
use lk_diag::{Diagnostic, Diagnostics};

/// Says which of the site's files are not acted on. On a simulated fabric files count only if they
/// are named.
pub(super) fn look(effective: &Effective, simulated: bool, said: &mut Diagnostics) {
    let options = effective.options();
    let there = |key: &str, path: Option<&str>| {
        let named = effective.origin(key).place().is_some();
        path.filter(|p| (named || !simulated) && Path::new(p).exists()).map(str::to_owned)
    };
    let policy = there("qos_policy_file", options.qos_policy_file.as_deref());
    if let Some(path) = policy.filter(|_| options.qos) {
        said.push(
            Diagnostic::error(
                codes::NOT_ACTED_ON,
                format!("{path} is there, but QoS policy is not acted on in this version"),
            )
            .note("SL2VL and VLArb tables are programmed; path queries are not answered"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lk_config::CommandLine;

    fn look_at(arguments: &[&str]) -> usize {
        let words: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        let line = CommandLine::parse(&words, &[]).expect("known options");
        let mut effective = Effective::new(None);
        line.apply(&mut effective).expect("good values");
        let mut said = Diagnostics::new();
        look(&effective, true, &mut said);
        said.as_slice().len()
    }

    #[test]
    fn a_policy_that_is_not_acted_on_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("qos-policy.conf");
        std::fs::write(&file, "qos-ulps\n default : 0\nend-qos-ulps\n").expect("a file");
        let path = file.to_str().expect("text");
        assert_eq!(look_at(&["-Y", path]), 0, "QoS is off");
        assert_eq!(look_at(&["-Q", "-Y", path]), 1);
    }
}
