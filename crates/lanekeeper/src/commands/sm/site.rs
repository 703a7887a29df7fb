//! Files of the site that this version does not act on, and what is left alone because of them.

use std::path::Path;

use lk_config::{Effective, codes};
use lk_diag::{Diagnostic, Diagnostics};
use lk_sm::Settings;

/// Says which of the site's files are not acted on. Where there is a file of partitions, P_Keys
/// are left as they are: the default partition alone would take the others from every port. On a
/// simulated fabric files count only if they are named.
pub(super) fn look(
    effective: &Effective,
    simulated: bool,
    settings: &mut Settings,
    said: &mut Diagnostics,
) {
    let options = effective.options();
    let there = |key: &str, path: Option<&str>| {
        let named = effective.origin(key).place().is_some();
        path.filter(|p| (named || !simulated) && Path::new(p).exists()).map(str::to_owned)
    };
    let partitions = there("partition_config_file", options.partition_config_file.as_deref());
    settings.manage_pkeys = partitions.is_none();
    if let Some(path) = partitions {
        said.push(
            Diagnostic::error(
                codes::NOT_ACTED_ON,
                format!("{path} is there, but partitions are not acted on in this version"),
            )
            .note("P_Key tables and their enforcement are left as they are on every port")
            .help(
                "let the manager that knows the partitions run on, or move the file away to have \
                 every port in the default partition",
            ),
        );
    }
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
    use lk_config::{CommandLine, Options};

    fn look_at(arguments: &[&str], simulated: bool) -> (bool, usize) {
        let words: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        let line = CommandLine::parse(&words, &[]).expect("known options");
        let mut effective = Effective::new(None);
        line.apply(&mut effective).expect("good values");
        let mut settings = Settings::new(Options::default(), Default::default());
        let mut said = Diagnostics::new();
        look(&effective, simulated, &mut settings, &mut said);
        (settings.manage_pkeys, said.as_slice().len())
    }

    #[test]
    fn partitions_that_are_not_known_here_are_said_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("partitions.conf");
        std::fs::write(&file, "Default=0x7fff : ALL=full ;\n").expect("a file");
        let path = file.to_str().expect("text");
        assert_eq!(look_at(&["-P", path], true), (false, 1));
        assert_eq!(look_at(&["-P", path], false), (false, 1));
        assert_eq!(look_at(&["-P", "/nowhere/partitions.conf"], true), (true, 0));
        assert_eq!(look_at(&["-Y", path, "-P", "/nowhere/x"], true), (true, 0), "QoS is off");
        assert_eq!(look_at(&["-Q", "-Y", path, "-P", "/nowhere/x"], true), (true, 1));
    }
}
