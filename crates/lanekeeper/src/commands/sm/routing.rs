//! The files that shape routing.

use std::sync::Arc;

use lk_config::guid_files::{self, GuidList, Placed};
use lk_config::options::Options;
use lk_config::torus_conf::{self, TorusConf};
use lk_config::{Effective, QosSetName};
use lk_diag::{Diagnostics, Severity, SourceFile};
use lk_fabric::dumps::{lfts, lid_matrix};
use lk_routing::{DataVls, RouteFile, RouteFiles, Shaping, TorusSeed, TorusSpec};
use lk_sm::Settings;
use lk_wire::{Guid, VlCode};

use super::files::source;

/// Reads the files that shape routing. One that cannot be read is said, and left out as opensm
/// leaves it out.
pub(in crate::commands) fn read(
    effective: &Effective,
    settings: &mut Settings,
    said: &mut Diagnostics,
) {
    let placed = |name: QosSetName| {
        let (source, span) = effective.origin(&format!("{}sl2vl", name.prefix())).place()?;
        Some((name, format!("{}:{}", source.name(), source.line_of(span.start))))
    };
    settings.sl2vl_places = QosSetName::ALL.into_iter().filter_map(placed).collect();
    let o = &settings.options;
    let routing = &mut settings.routing;
    routing.connect_roots = o.connect_roots;
    routing.lash_start_vl = o.lash_start_vl;
    routing.nue_max_num_vls = o.nue_max_num_vls;
    routing.nue_include_switches = o.nue_include_switches;
    routing.quasi_ftree_indexing = o.quasi_ftree_indexing;
    routing.qos = o.qos;
    let mut list = |option, path: &Option<String>, instead| {
        read_by(effective, (option, path), instead, said, guid_files::guid_list)
    };
    let roots = list("root_guid_file", &o.root_guid_file, "roots are looked for in the fabric");
    routing.roots = roots.filter(|list| !list.broken).map(guids);
    let instead = "no port is told from the others by it";
    routing.cn_guids = list("cn_guid_file", &o.cn_guid_file, instead).map(guids);
    routing.io_guids = list("io_guid_file", &o.io_guid_file, instead).map(guids);
    let ids = read_by(
        effective,
        ("ids_guid_file", &o.ids_guid_file),
        "GUIDs break ties",
        said,
        guid_files::ids,
    );
    let ids = ids.unwrap_or_default().into_iter();
    routing.ids = ids.map(|(guid, id)| (guid.value, id)).collect();
    routing.shaping = shaping(effective, said);
    let wants_file = o.routing_engine.as_deref().is_some_and(|list| list.contains("file"));
    routing.files = if wants_file { route_files(o, said) } else { RouteFiles::default() };
    // What ports of a file can do is not known; the manager counts for itself.
    let lanes = VlCode(o.max_op_vls.min(4)).data_vls().max(1);
    routing.data_vls = DataVls { switches: lanes, end_ports: lanes };
    let wants_torus = o.routing_engine.as_deref().is_some_and(|list| list.contains("torus-2QoS"));
    let path = o.torus_config.clone().filter(|_| wants_torus);
    let conf = read_by(
        effective,
        ("torus_config", &path),
        "torus-2QoS cannot route",
        said,
        torus_conf::parse,
    );
    settings.routing.torus = conf.as_ref().and_then(torus);
}

/// Reads a file, if one is named.
fn read_by<T>(
    effective: &Effective,
    (option, path): (&str, &Option<String>),
    instead: &str,
    said: &mut Diagnostics,
    parse: impl Fn(&SourceFile) -> (T, Diagnostics),
) -> Option<T> {
    let source = source(effective, (option, path.as_deref()?), instead, said)?;
    let (content, found) = parse(&source);
    said.extend(found);
    Some(content)
}

fn guids(list: GuidList) -> Vec<Guid> {
    list.guids.iter().map(|g: &Placed<Guid>| g.value).collect()
}

/// The options that shape the choice of ports. Throttled links are found by the manager.
fn shaping(effective: &Effective, said: &mut Diagnostics) -> Shaping {
    let o = effective.options();
    let instead = "no load is left out";
    let ignored = &o.port_prof_ignore_file;
    let ignored = read_by(
        effective,
        ("port_prof_ignore_file", ignored),
        instead,
        said,
        guid_files::ignored_ports,
    );
    let weights = &o.hop_weights_file;
    let weights = read_by(
        effective,
        ("hop_weights_file", weights),
        "each hop costs 1",
        said,
        guid_files::hop_weights,
    );
    let (orders, instead) = (&o.port_search_ordering_file, "ports are tried by number");
    let orders = read_by(
        effective,
        ("port_search_ordering_file", orders),
        instead,
        said,
        guid_files::port_orders,
    );
    let (first, instead) = (&o.guid_routing_order_file, "no port is routed before others");
    let first = read_by(
        effective,
        ("guid_routing_order_file", first),
        instead,
        said,
        guid_files::guid_list,
    );
    let weights = weights.unwrap_or_default().into_iter();
    let orders = orders.unwrap_or_default().into_iter();
    let ignored = ignored.unwrap_or_default().into_iter();
    Shaping {
        port_orders: orders.map(|o| (o.switch.value, o.ports)).collect(),
        hop_weights: weights.map(|w| (w.switch.value, w.port, w.weight)).collect(),
        ignored_ports: ignored.map(|(guid, port)| (guid.value, port)).collect(),
        first: first.map(guids).unwrap_or_default(),
        first_not_scattered: o.guid_routing_order_no_scatter,
        shift: o.port_shifting,
        scatter: o.scatter_ports,
        count_switches: o.port_profile_switch_nodes,
        throttled: Vec::new(),
    }
}

/// The files that the engine `file` routes by.
fn route_files(o: &Options, said: &mut Diagnostics) -> RouteFiles {
    let tables = o.lfts_file.as_deref();
    let matrix = o.lid_matrix_dump_file.as_deref();
    RouteFiles {
        tables: tables.map(|path| route_file(path, said, lfts::read, &["0x", "Unicast lids"])),
        matrix: matrix.map(|path| route_file(path, said, lid_matrix::read, &["0x", "Switch"])),
    }
}

/// Reads a file to route by. A bad line among those that start with one of the words `starts` is
/// a fault; other lines may be anything, as in opensm.
fn route_file<T>(
    path: &str,
    said: &mut Diagnostics,
    parse: impl Fn(&SourceFile) -> (Vec<T>, Diagnostics),
    starts: &[&str],
) -> Arc<RouteFile<T>> {
    let name = path.to_owned();
    let source = match std::fs::read(path) {
        Ok(bytes) => SourceFile::new(path, bytes),
        Err(e) => {
            let fault = Some(format!("cannot read it: {e}"));
            return Arc::new(RouteFile { name, content: Vec::new(), fault });
        }
    };
    let (content, found) = parse(&source);
    let multicast = source.lines().find(|(_, _, text)| text.starts_with("Multicast mlids"));
    let multicast =
        multicast.map(|(line, _, _)| format!("line {line}: tables of multicast groups"));
    let bad = found.iter().filter(|d| d.severity == Severity::Error).find_map(|d| {
        let label = d.primary()?;
        let line = label.position().line;
        let text = source.slice(source.line_span(line));
        let what = d.message.trim_end_matches("; the line is left out");
        starts.iter().any(|s| text.starts_with(s)).then(|| format!("line {line}: {what}"))
    });
    let empty = content.is_empty().then(|| "it holds no table".to_owned());
    let fault = multicast.or(bad).or(empty);
    if fault.is_some() {
        said.extend(found);
    }
    Arc::new(RouteFile { name, content, fault })
}

/// The torus as its engine is told of it; none where the file must not be routed by.
fn torus(conf: &TorusConf) -> Option<TorusSpec> {
    let shape = conf.shape.as_ref().filter(|_| !conf.refused)?.value;
    let seed = |seed: &torus_conf::Seed| TorusSeed {
        links: seed.links.map(|link| link.map(|l| (l.value.from, l.value.to))),
        dateline: seed.dateline(),
    };
    Some(TorusSpec {
        radix: shape.radix,
        open: shape.open,
        seeds: conf.seeds.iter().map(seed).collect(),
        group_ports: conf.group_ports(),
        port_order: conf.port_order.iter().map(|p| p.value).collect(),
        max_changes: conf.changes(),
    })
}
