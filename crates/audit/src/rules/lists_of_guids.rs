//! GUIDs of files that the fabric does not have.

use std::collections::BTreeSet;

use lk_config::Placed;
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_fabric::NodeKind;
use lk_wire::Guid;

use crate::files::{GuidFile, GuidsOf};
use crate::managed::Managed;
use crate::rule::Rule;
use crate::site::Site;

pub(super) static UNKNOWN: Rule = Rule {
    code: Code::new("QO070", "GUIDs of a file that the fabric does not have"),
    severity: Severity::Warning,
    page: include_str!("pages/QO070.md"),
    of_tables: false,
    look: |site, found| {
        let (Some(files), Some(managed)) = (site.files, site.managed) else { return };
        files.guids.iter().for_each(|file| unknown(file, managed, found));
    },
};

pub(super) static NO_ROUTER: Rule = Rule {
    code: Code::new("QO071", "a router of prefix-routes.conf that the fabric does not have"),
    severity: Severity::Warning,
    page: include_str!("pages/QO071.md"),
    of_tables: false,
    look: no_router,
};

fn unknown(file: &GuidFile, managed: &Managed, found: &mut Diagnostics) {
    let fabric = &managed.fabric;
    let nodes = |switches: bool| {
        let wanted = move |node: &&lk_fabric::Node| !switches || node.kind == NodeKind::Switch;
        fabric.nodes().iter().filter(wanted).map(|node| node.guid).collect::<BTreeSet<Guid>>()
    };
    let ports = || fabric.end_ports().map(|p| fabric.port(p).guid).collect::<BTreeSet<Guid>>();
    let (known, what, other, other_what) = match file.of {
        GuidsOf::Switches => (nodes(true), "switch", ports(), "an end port"),
        GuidsOf::Nodes => (nodes(false), "node", ports(), "a port"),
        GuidsOf::Ports => (ports(), "end port", nodes(false), "a node"),
    };
    let missing: Vec<&Placed<Guid>> =
        file.guids.iter().filter(|guid| !known.contains(&guid.value)).collect();
    let Some(first) = missing.first() else { return };
    let mut finding: Diagnostic = UNKNOWN.found(match missing.len() {
        1 => format!("{}: {} is no {what} of this fabric", file.option, first.value),
        n => format!(
            "{}: {n} of {} GUIDs are no {what} of this fabric",
            file.option,
            file.guids.len()
        ),
    });
    for guid in missing.iter().take(5) {
        finding = finding.at(&file.source, guid.place, "");
    }
    if let Some(guid) = missing.iter().find(|guid| other.contains(&guid.value)) {
        finding = finding.note(format!("{} is the GUID of {other_what}", guid.value));
    }
    found.push(finding.note("the lines are read and do nothing"));
}

fn no_router(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(files), Some(managed)) = (site.files, site.managed) else { return };
    let Some(routes) = &files.prefix_routes else { return };
    let fabric = &managed.fabric;
    let of_router = |p: &lk_fabric::PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Router;
    let routers: BTreeSet<Guid> =
        fabric.end_ports().filter(of_router).map(|p| fabric.port(p).guid).collect();
    for route in &routes.content.routes {
        let message = match route.value.router {
            Some(guid) if !routers.contains(&guid) => {
                format!("no router of this fabric has a port with the GUID {guid}")
            }
            None if routers.is_empty() => "this fabric has no router".to_owned(),
            _ => continue,
        };
        let finding = NO_ROUTER.found(message).at(&routes.source, route.place, "");
        found
            .push(finding.note(
                "queries for that subnet are answered by no path; later lines are not tried",
            ));
    }
}
