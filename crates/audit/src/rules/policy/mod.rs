//! Rules about the QoS policy: which of its rules do nothing (`dead`), what it names (`names`), and
//! what its levels come to (`levels`).

pub(super) mod dead;
pub(super) mod levels;
pub(super) mod names;

use lk_diag::Diagnostics;
use lk_qos::policy::{CompiledPolicy, Subnet, compile};

use super::users::policy;
use crate::managed::Managed;
use crate::site::Site;

/// The policy made ready for the site's fabric, and what was found of it; none without a fabric.
pub(super) fn compiled(site: &Site<'_>) -> Option<(Option<CompiledPolicy>, Diagnostics)> {
    let (managed, file) = (site.managed?, policy(site)?);
    let Managed { fabric, own, partitions, .. } = managed;
    let name = |node| fabric.node(node).description.clone();
    let subnet = Subnet { fabric, node_name: &name, own: *own, partitions };
    Some(compile(file, subnet))
}

/// What the policy names and the site's fabric does not have.
pub(crate) fn of_subnet(site: &Site<'_>) -> Diagnostics {
    compiled(site).map(|(_, found)| found).unwrap_or_default()
}
