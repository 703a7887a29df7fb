//! Text forms of a fabric: the output of `ibnetdiscover` and the net files of ibsim.
//!
//! [`read_fabric`] finds out which of the two a file is. Both readers collect lines into a draft
//! (`draft`), which `assemble` puts together; cables and addresses are checked there, for both
//! alike. Whatever the file holds, something can be said of it: a reader never fails, it leaves
//! out what it cannot use and reports it with its line. The codes are in [`findings`].
//!
//! [`write_ibnetdiscover`] and [`write_ibsim`] write both forms; reading gives the same fabric
//! again.

mod assemble;
mod cables;
mod checks;
mod draft;
pub mod findings;
mod ibnetdiscover;
mod ibsim;
mod record;
mod sniff;
mod write;

pub(crate) use record::hex as guid;
pub use write::{write_ibnetdiscover, write_ibsim};

use lk_diag::{Diagnostic, Diagnostics, SourceFile};

use crate::graph::{Fabric, NodeId, PortId};
use findings::{Findings, NOT_UTF8};

/// In which form a fabric was written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Output of `ibnetdiscover`.
    Ibnetdiscover,
    /// A net file of ibsim.
    Ibsim,
}

/// A fabric as it stood in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FabricFile {
    /// The fabric.
    pub fabric: Fabric,
    /// The form of the file.
    pub form: Form,
    /// The node that comes first in the file. A program on ibsim sits there by default.
    pub first: NodeId,
    /// The port where `ibnetdiscover` ran, if the file says so.
    pub initiated_from: Option<PortId>,
}

/// Reads a fabric in either form.
///
/// The first value is `None` if the file has no node at all; then one finding says so. With
/// findings of severity error the fabric lacks what they name. A net file of ibsim that includes
/// others is read by [`read_fabric_with`].
#[must_use]
pub fn read_fabric(source: &SourceFile) -> (Option<FabricFile>, Diagnostics) {
    read_fabric_with(source, &mut |_| Err("files are not followed here".to_owned()))
}

/// As [`read_fabric`]; `load` fetches the files that a net file of ibsim includes, by the name
/// that stands there, or says why it cannot.
#[must_use]
pub fn read_fabric_with(
    source: &SourceFile,
    load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> (Option<FabricFile>, Diagnostics) {
    let mut findings = Findings::default();
    if let Some((count, span)) = source.undecodable() {
        findings.push(
            Diagnostic::info(NOT_UTF8, format!("{count} bytes of the file are not UTF-8")).at(
                source,
                span,
                "the first one",
            ),
        );
    }
    let form = sniff::form_of(source.text());
    let draft = match form {
        Form::Ibnetdiscover => ibnetdiscover::read(source, &mut findings),
        Form::Ibsim => ibsim::read(source, load, &mut findings),
    };
    let file = assemble::assemble(&draft, form, &mut findings);
    (file, findings.finish())
}
