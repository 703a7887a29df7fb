//! What a reader has collected from a file, before it is put together to a fabric.

use lk_diag::{Diagnostic, SourceFile, Span};
use lk_wire::Guid;
use rustc_hash::FxHashMap;

use super::findings::BAD_NUMBER;
use super::record::Address;
use crate::graph::{LinkRate, NodeSpec};

/// A place in one of the files that were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) span: Span,
}

/// A node id: the text in quotes by which port lines name a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct NameId(u32);

impl NameId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A described node.
#[derive(Clone, Debug)]
pub(super) struct DraftNode {
    pub(super) name: NameId,
    pub(super) place: Place,
    /// Its description is empty where the header has no comment.
    pub(super) spec: NodeSpec,
    /// Switches: what is said of port 0.
    pub(super) port0: DraftPort,
}

/// What is said of a port as such.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct DraftPort {
    pub(super) guid: Option<Guid>,
    pub(super) lid: Option<u16>,
    pub(super) lmc: u8,
}

impl DraftPort {
    /// LID and LMC as a line gives them, and what is wrong with them. A number that is wrong is
    /// taken as not known.
    pub(super) fn with_address(address: Address) -> (Self, Vec<Diagnostic>) {
        let mut wrong = Vec::new();
        let mut checked = |value: Option<u32>, most: u32, what: &str| {
            let value = value?;
            if value <= most {
                return Some(value as u16);
            }
            let finding = Diagnostic::error(BAD_NUMBER, format!("{value} is no {what}"));
            wrong.push(
                finding.note(format!("a {what} is at most {most}; it is taken as not known")),
            );
            None
        };
        let lid = checked(address.lid, 0xBFFF, "LID");
        let lmc = checked(address.lmc, 7, "LMC").unwrap_or(0) as u8;
        (Self { guid: None, lid, lmc }, wrong)
    }
}

/// One port line.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftEnd {
    /// The node, as index of [`Draft::nodes`].
    pub(super) node: u32,
    pub(super) port: u8,
    pub(super) place: Place,
    pub(super) this: DraftPort,
    pub(super) far: NameId,
    pub(super) far_port: u32,
    pub(super) far_guid: Option<Guid>,
    pub(super) far_lid: Option<u16>,
    pub(super) rate: LinkRate,
    /// ibsim form: widths and speeds that are enabled.
    pub(super) enabled: Option<Enabled>,
    /// ibsim form: the far end is named by an alias and has no line of its own.
    pub(super) by_alias: bool,
}

/// Enabled widths and speeds of a port as masks of PortInfo codes; `None`: not stated.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Enabled {
    pub(super) width: Option<u8>,
    pub(super) speed: Option<u8>,
    pub(super) speed_ext: Option<u8>,
}

#[derive(Clone, Debug)]
struct Name {
    text: String,
    /// The node that has this id.
    node: Option<u32>,
    /// The description that a port line gives for it.
    hint: Option<String>,
}

/// Everything a reader has collected.
#[derive(Clone, Default, Debug)]
pub(super) struct Draft {
    /// The files, the first one the one that was asked for.
    pub(super) files: Vec<SourceFile>,
    pub(super) nodes: Vec<DraftNode>,
    pub(super) ends: Vec<DraftEnd>,
    /// Where the tool that wrote the file sat: node and port GUID.
    pub(super) initiated_from: Option<(Guid, Guid)>,
    names: Vec<Name>,
    by_name: FxHashMap<String, NameId>,
}

impl Draft {
    /// An empty draft of a file.
    pub(super) fn of(source: &SourceFile) -> Self {
        Self { files: vec![source.clone()], ..Self::default() }
    }

    /// The id with this text.
    pub(super) fn name(&mut self, text: &str) -> NameId {
        if let Some(id) = self.by_name.get(text) {
            return *id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(Name { text: text.to_owned(), node: None, hint: None });
        self.by_name.insert(text.to_owned(), id);
        id
    }

    pub(super) fn text(&self, name: NameId) -> &str {
        &self.names[name.index()].text
    }

    /// The node with this id.
    pub(super) fn node_named(&self, name: NameId) -> Option<u32> {
        self.names[name.index()].node
    }

    /// The node with the id of this text.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.by_name.get(text).and_then(|id| self.node_named(*id))
    }

    /// Adds a node, unless one with its id is there already: then that one is returned as error.
    pub(super) fn add(&mut self, node: DraftNode) -> Result<u32, u32> {
        let slot = &mut self.names[node.name.index()].node;
        if let Some(first) = *slot {
            return Err(first);
        }
        let index = self.nodes.len() as u32;
        *slot = Some(index);
        self.nodes.push(node);
        Ok(index)
    }

    /// Keeps the description that a port line gives of its far node.
    pub(super) fn hint(&mut self, name: NameId, description: &str) {
        let hint = &mut self.names[name.index()].hint;
        if hint.is_none() {
            *hint = Some(description.to_owned());
        }
    }

    /// What to call a node whose header has no name: what its neighbours call it, else its id.
    pub(super) fn description(&self, node: &DraftNode) -> String {
        let name = &self.names[node.name.index()];
        let text = if node.spec.description.is_empty() {
            name.hint.as_ref().unwrap_or(&name.text)
        } else {
            &node.spec.description
        };
        text.trim_end().to_owned()
    }

    /// Points a finding at a place.
    pub(super) fn at(&self, finding: Diagnostic, place: Place, text: &str) -> Diagnostic {
        match self.files.get(place.file) {
            Some(file) => finding.at(file, place.span, text),
            None => finding,
        }
    }

    /// Adds to a finding a place that explains it.
    pub(super) fn also(&self, finding: Diagnostic, place: Place, text: &str) -> Diagnostic {
        match self.files.get(place.file) {
            Some(file) => finding.also(file, place.span, text),
            None => finding,
        }
    }
}
