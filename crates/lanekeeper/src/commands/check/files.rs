//! The files of a site beside opensm.conf, each with its text so that findings can point at it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use lk_audit::{GuidFile, GuidsOf, Located, SiteFiles};
use lk_config::options::{self, Value};
use lk_config::{
    Effective, Placed, codes, guid_files, guid_map, node_names, partitions, prefix_routes,
    qos_policy,
};
use lk_diag::{Diagnostic, Diagnostics, Severity, SourceFile};
use lk_qos::policy::PolicyFile;
use lk_sm::Settings;
use lk_wire::Guid;

/// Reads them into what rules look at, and into the settings by which a fabric is brought up.
///
/// Only files that somebody names are read: those of the machine on which the check runs may be
/// another site's.
pub(super) fn read(
    effective: &Effective,
    settings: &mut Settings,
    found: &mut Diagnostics,
) -> SiteFiles {
    let mut reader = Reader { effective, found };
    let options = effective.options();
    let policy = reader.source("qos_policy_file", &options.qos_policy_file).map(|source| {
        let policy = reader.parsed(&source, qos_policy::parse);
        PolicyFile { source, policy }
    });
    let partitions =
        reader.located("partition_config_file", &options.partition_config_file, partitions::parse);
    let prefix_routes =
        reader.located("prefix_routes_file", &options.prefix_routes_file, prefix_routes::parse);
    let names =
        reader.located("node_name_map_name", &options.node_name_map_name, node_names::parse);
    if options.qos {
        settings.policy = policy.clone().map(Arc::new);
    }
    settings.partitions = partitions.as_ref().map(|file| Arc::new(file.content.clone()));
    if let Some(routes) = &prefix_routes {
        settings.prefix_routes = Some(Arc::new(routes.content.clone()));
    }
    if let Some(names) = &names {
        settings.names = Arc::new(names.content.clone());
    }
    let mut guids = lists(effective);
    if let Some(names) = &names {
        let nodes = names.content.iter().map(|(guid, _, place)| Placed::new(guid, place));
        guids.push(GuidFile {
            option: "node_name_map_name",
            of: GuidsOf::Nodes,
            source: names.source.clone(),
            guids: nodes.collect(),
        });
    }
    SiteFiles { policy, partitions, prefix_routes, names, guids, ..SiteFiles::default() }
}

struct Reader<'a> {
    effective: &'a Effective,
    found: &'a mut Diagnostics,
}

impl Reader<'_> {
    /// The text of a file that an option names.
    fn source(&mut self, option: &str, path: &Option<String>) -> Option<SourceFile> {
        let (option_source, place) = self.effective.origin(option).place()?;
        let path = path.as_deref()?;
        match fs::read(path) {
            Ok(bytes) => Some(SourceFile::new(path, bytes)),
            Err(error) => {
                let message = format!("cannot read {path} ({option}): {error}");
                let severity = self.missing(option, path, &error)?;
                let found = Diagnostic::new(codes::UNREADABLE, severity, message);
                self.found.push(found.at(option_source, place, ""));
                None
            }
        }
    }

    /// How bad it is that a file is not there; `None` where nothing is to be said of it. A path
    /// that is the default says nothing: files that OpenSM has written name all of them.
    fn missing(&self, option: &str, path: &str, error: &io::Error) -> Option<Severity> {
        let qos = self.effective.options().qos;
        if error.kind() != ErrorKind::NotFound {
            return Some(Severity::Error);
        }
        let default = options::find(option).map(|spec| spec.default_value());
        let is_default = default == Some(Value::Text(Some(path.to_owned())));
        match (option, is_default) {
            ("qos_policy_file", true) if !qos => None,
            (_, true) => Some(Severity::Info),
            ("qos_policy_file", false) if qos => Some(Severity::Error),
            (_, false) => Some(Severity::Warning),
        }
    }

    fn parsed<T>(
        &mut self,
        source: &SourceFile,
        parse: impl Fn(&SourceFile) -> (T, Diagnostics),
    ) -> T {
        let (content, said) = parse(source);
        self.found.extend(said);
        content
    }

    fn located<T>(
        &mut self,
        option: &str,
        path: &Option<String>,
        parse: impl Fn(&SourceFile) -> (T, Diagnostics),
    ) -> Option<Located<T>> {
        let source = self.source(option, path)?;
        let content = self.parsed(&source, parse);
        Some(Located { source, content })
    }
}

/// The GUIDs of the files that shape routing. What is odd about these files was said when they were
/// read for routing; here their GUIDs are taken again with their places.
fn lists(effective: &Effective) -> Vec<GuidFile> {
    let o = effective.options();
    let files: [(&'static str, &Option<String>, GuidsOf); 8] = [
        ("root_guid_file", &o.root_guid_file, GuidsOf::Switches),
        ("cn_guid_file", &o.cn_guid_file, GuidsOf::Ports),
        ("io_guid_file", &o.io_guid_file, GuidsOf::Ports),
        ("ids_guid_file", &o.ids_guid_file, GuidsOf::Switches),
        ("guid_routing_order_file", &o.guid_routing_order_file, GuidsOf::Ports),
        ("port_prof_ignore_file", &o.port_prof_ignore_file, GuidsOf::Switches),
        ("hop_weights_file", &o.hop_weights_file, GuidsOf::Switches),
        ("port_search_ordering_file", &o.port_search_ordering_file, GuidsOf::Switches),
    ];
    let read = |(option, path, of): (&'static str, &Option<String>, GuidsOf)| {
        let path = Path::new(path.as_deref()?);
        let source = SourceFile::new(path.display().to_string(), fs::read(path).ok()?);
        let guids: Vec<Placed<Guid>> = match option {
            "root_guid_file" | "cn_guid_file" | "io_guid_file" | "guid_routing_order_file" => {
                let (list, _) = guid_files::guid_list(&source);
                list.guids.iter().map(|guid| Placed::new(guid.value, guid.place)).collect()
            }
            _ => {
                let (map, _) = guid_map::parse(&source);
                map.before_stop().iter().map(|e| Placed::new(e.guid, e.place)).collect()
            }
        };
        Some(GuidFile { option, of, source, guids })
    };
    files.into_iter().filter_map(read).collect()
}
