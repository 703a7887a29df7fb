//! The findings as a page for a browser.

use std::path::Path;

use lk_audit::Site;
use lk_audit::html::{self, Page, PortClassPicture};
use lk_audit::picture::heat::Heat;
use lk_diag::{Diagnostics, SourceFile};
use lk_routing::quality::quality;
use lk_sm::View;
use lk_wire::VlCode;

use crate::commands::route::svg;

/// Makes the page. `view` is the fabric, up, where there is one.
pub(super) fn html(
    found: &Diagnostics,
    silenced: usize,
    site: &Site<'_>,
    fabric: Option<&Path>,
    view: Option<&View>,
) -> String {
    let options = site.options();
    let mut about = Vec::new();
    if let Some(file) = config(site) {
        about.push(("Options".to_owned(), file.name().to_owned()));
    }
    let fabric = fabric.map_or_else(
        || "none given: ports are taken to be able to do what the options ask for".to_owned(),
        |path| path.display().to_string(),
    );
    about.push(("Fabric".to_owned(), fabric));
    let code = VlCode(options.max_op_vls);
    let lanes = if code.is_defined() { format!(", {code}") } else { String::new() };
    let qos = if options.qos { "on" } else { "off: no tables are written to ports" };
    about.push(("QoS".to_owned(), qos.to_owned()));
    about.push(("max_op_vls".to_owned(), format!("{}{lanes}", code.0)));
    let kinds = if site.programs_tables() { PortClassPicture::of_site(site) } else { Vec::new() };
    html::page(&Page { about, found, silenced, kinds, heat: view.and_then(heat) })
}

/// The file that most options come from.
fn config<'a>(site: &Site<'a>) -> Option<&'a SourceFile> {
    let keys = ["qos", "max_op_vls", "qos_sl2vl", "qos_vlarb_low", "routing_engine"];
    keys.into_iter().find_map(|key| site.config.origin(key).place()).map(|(file, _)| file)
}

/// How full the links are by the routes of a fabric.
fn heat(view: &View) -> Option<Heat> {
    let routes = view.desired.routes.as_ref()?;
    let figures = quality(&view.seen.fabric, &view.desired.lids, &routes.lfts);
    Some(svg::of(&view.seen.fabric, routes.engine, &figures))
}
