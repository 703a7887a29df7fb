//! qos-policy.conf and prefix-routes.conf, read at the start, at SIGHUP and when they have changed.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use lk_config::{Effective, codes, prefix_routes, qos_policy};
use lk_diag::{Diagnostic, Diagnostics, SourceFile};
use lk_qos::policy::PolicyFile;
use lk_sm::Settings;

/// What becomes of a file that cannot be used.
const KEPT: &str = "what was read of it before, by this run, still counts";

/// Reads both files into the settings. On a simulated fabric they count only if they are named.
/// With QoS off the policy is not even looked at. One that is bad is taken in all the same: the
/// manager knows which was the last good one. One that cannot be read is as bad.
pub(super) fn read(
    effective: &Effective,
    simulated: bool,
    settings: &mut Settings,
    said: &mut Diagnostics,
) {
    let options = effective.options();
    let text = |key: &str, path: &Option<String>, said: &mut Diagnostics| {
        let named = effective.origin(key).place().is_some();
        let path = path.as_deref().filter(|_| named || !simulated)?;
        match fs::read(path) {
            Ok(bytes) => Some((SourceFile::new(path, bytes), true)),
            Err(error) if error.kind() == ErrorKind::NotFound && !named => None,
            Err(error) => {
                let message = format!("cannot read {path}: {error}");
                said.push(Diagnostic::error(codes::UNREADABLE, message).note(KEPT));
                Some((SourceFile::new(path, ""), false))
            }
        }
    };
    if options.qos
        && let Some((source, is_read)) = text("qos_policy_file", &options.qos_policy_file, said)
    {
        let (mut policy, found) = qos_policy::parse(&source);
        if is_read {
            said.extend(found);
        }
        policy.refused |= !is_read;
        settings.policy = Some(Arc::new(PolicyFile { source, policy }));
    }
    settings.prefix_routes = match text("prefix_routes_file", &options.prefix_routes_file, said) {
        None => Some(Arc::default()),
        Some((_, false)) => None,
        Some((source, true)) => {
            let (routes, found) = prefix_routes::parse(&source);
            let usable = !routes.routes.is_empty() || !found.has_errors();
            let name = source.name().to_owned();
            said.extend(found);
            if !usable {
                let message = format!("nothing in {name} can be used");
                said.push(Diagnostic::error(codes::UNREADABLE, message).note(KEPT));
            }
            usable.then(|| Arc::new(routes))
        }
    };
}

#[cfg(test)]
mod tests {
    use lk_config::{CommandLine, Options, opensm_conf};

    use super::*;

    fn settings(conf: &str, arguments: &[&str]) -> (Settings, usize) {
        let mut effective = Effective::new(None);
        effective.load(&opensm_conf::parse(&SourceFile::new("opensm.conf", conf)).0);
        let words: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        let line = CommandLine::parse(&words, &[]).expect("known options");
        line.apply(&mut effective).expect("good values");
        let mut settings = Settings::new(Options::default(), Default::default());
        let mut said = Diagnostics::new();
        read(&effective, true, &mut settings, &mut said);
        (settings, said.len())
    }

    #[test]
    fn the_files_that_are_named_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::write(&file, text).expect("a file");
            file.to_str().expect("text").to_owned()
        };
        let policy = write("qos-policy.conf", "qos-ulps\n default : 0\nend-qos-ulps\n");
        let bad = write("bad.conf", "qos-ulps\n");
        let routes = write("prefix-routes.conf", "fec0000000000001 *\n");
        let (off, said) = settings("", &["-Y", &policy]);
        assert_eq!((off.policy.is_some(), said), (false, 0), "QoS is off");
        let conf = format!("prefix_routes_file {routes}\n");
        let (on, said) = settings(&conf, &["-Q", "-Y", &policy]);
        assert_eq!((on.policy.map(|p| p.policy.refused), said), (Some(false), 0));
        assert_eq!(on.prefix_routes.map(|p| p.routes.len()), Some(1));
        let (bad, said) = settings("", &["-Q", "-Y", &bad]);
        assert!(bad.policy.is_some_and(|p| p.policy.refused) && said > 0);
        let here = folder.path().to_str().expect("text");
        for unreadable in ["/nowhere/qos-policy.conf", here] {
            let (none, said) = settings("", &["-Q", "-Y", unreadable]);
            assert_eq!((none.policy.map(|p| p.policy.refused), said), (Some(true), 1));
            let conf = format!("prefix_routes_file {unreadable}\n");
            let (none, said) = settings(&conf, &[]);
            assert_eq!((none.prefix_routes, said), (None, 1));
        }
        let wrong = write("no-routes.conf", "this is none\n");
        assert_eq!(settings(&format!("prefix_routes_file {wrong}\n"), &[]).0.prefix_routes, None);
        let empty = write("empty.conf", "\n");
        let (empty, said) = settings(&format!("prefix_routes_file {empty}\n"), &[]);
        assert_eq!((empty.prefix_routes.map(|p| p.routes.len()), said), (Some(0), 0));
        assert_eq!(settings("", &["-Q"]).1, 0, "the machine's own is not for simulated fabrics");
    }
}
