//! Text forms of a fabric: the output of `ibnetdiscover`, the net files of ibsim, topology files of
//! ibdm, and the db_csv of ibdiagnet.
//!
//! [`read_fabric`] finds out which of them a file is. All readers collect lines into a draft
//! (`draft`), which `assemble` puts together; cables and addresses are checked there, for all
//! alike. Whatever the file holds, something can be said of it: a reader never fails, it leaves
//! out what it cannot use and reports it with its line. The codes are in [`findings`].
//!
//! [`write_ibnetdiscover`] and [`write_ibsim`] write the first two; reading gives the same fabric
//! again.

mod assemble;
mod cables;
mod checks;
mod db_csv;
mod draft;
pub mod findings;
mod ibdm;
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
    /// A topology file of ibdm.
    Ibdm,
    /// A db_csv of ibdiagnet.
    DbCsv,
}

/// The files that stand beside a fabric's own.
pub trait Files {
    /// The content of a file that a net file of ibsim includes, by the name that stands there.
    ///
    /// # Errors
    /// Why there is none.
    fn include(&mut self, name: &str) -> Result<Vec<u8>, String>;

    /// All definitions of systems (`.ibnl`) that a topology of ibdm may use. Where two define one
    /// type, the first counts. Asked for once, and only for a file of that form.
    fn systems(&mut self) -> Vec<SourceFile>;
}

/// No file but the fabric's own.
#[derive(Clone, Copy, Default, Debug)]
pub struct Alone;

impl Files for Alone {
    fn include(&mut self, _name: &str) -> Result<Vec<u8>, String> {
        Err("files are not followed here".to_owned())
    }

    fn systems(&mut self) -> Vec<SourceFile> {
        Vec::new()
    }
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

/// Reads a fabric in any form.
///
/// The first value is `None` if the file has no node at all; then one finding says so. With
/// findings of severity error the fabric lacks what they name. A net file of ibsim that includes
/// others is read by [`read_fabric_with`].
#[must_use]
pub fn read_fabric(source: &SourceFile) -> (Option<FabricFile>, Diagnostics) {
    read_fabric_with(source, &mut Alone)
}

/// As [`read_fabric`]; `files` fetches what stands in other files.
#[must_use]
pub fn read_fabric_with(
    source: &SourceFile,
    files: &mut dyn Files,
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
        Form::Ibsim => ibsim::read(source, &mut |name| files.include(name), &mut findings),
        Form::Ibdm => ibdm::read(source, &files.systems(), &mut findings),
        Form::DbCsv => match db_csv::read(source, &mut findings) {
            Some(draft) => draft,
            None => return (None, findings.finish()),
        },
    };
    let file = assemble::assemble(&draft, form, &mut findings);
    (file, findings.finish())
}
