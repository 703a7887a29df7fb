//! The files of a site beside opensm.conf.

use lk_config::node_names::NodeNames;
use lk_config::partitions::{Item, Statement, Who};
use lk_config::{Effective, PartitionsConf, Placed, PrefixRoutes};
use lk_diag::{Diagnostic, SourceFile, Span};
use lk_qos::policy::PolicyFile;
use lk_wire::Guid;

/// What was read from a file, with its text.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// The text.
    pub source: SourceFile,
    /// What it says.
    pub content: T,
}

/// What the GUIDs of a list are those of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuidsOf {
    /// Switches, by node GUID.
    Switches,
    /// End ports.
    Ports,
    /// Nodes of any kind.
    Nodes,
}

/// A file whose lines begin with GUIDs.
#[derive(Clone, Debug)]
pub struct GuidFile {
    /// The option that names it.
    pub option: &'static str,
    /// Whose GUIDs they are.
    pub of: GuidsOf,
    /// The text.
    pub source: SourceFile,
    /// The GUIDs that were read.
    pub guids: Vec<Placed<Guid>>,
}

/// The files of a site. What was not given, or could not be read, is not here.
#[derive(Clone, Default, Debug)]
pub struct SiteFiles {
    /// qos-policy.conf.
    pub policy: Option<PolicyFile>,
    /// partitions.conf.
    pub partitions: Option<Located<PartitionsConf>>,
    /// prefix-routes.conf.
    pub prefix_routes: Option<Located<PrefixRoutes>>,
    /// The node name map.
    pub names: Option<Located<NodeNames>>,
    /// Lists of GUIDs.
    pub guids: Vec<GuidFile>,
    /// The options that a running manager has in force and that the file is to replace.
    pub running: Option<Effective>,
    /// Whether there is an opensm.conf at all.
    pub has_config: bool,
}

impl SiteFiles {
    /// The policy, unless it is refused as a whole.
    #[must_use]
    pub fn good_policy(&self) -> Option<&PolicyFile> {
        self.policy.as_ref().filter(|file| !file.policy.refused)
    }

    /// partitions.conf, unless it is refused as a whole.
    #[must_use]
    pub fn good_partitions(&self) -> Option<&Located<PartitionsConf>> {
        self.partitions.as_ref().filter(|file| !file.content.refused)
    }
}

impl<T> Located<T> {
    /// Points a finding at a place of this file.
    #[must_use]
    pub fn at(&self, place: Span, text: &str, found: Diagnostic) -> Diagnostic {
        found.at(&self.source, place, text)
    }
}

/// The base of the default partition's key.
pub const DEFAULT_KEY: u16 = 0x7FFF;

/// The key of a statement without its membership bit; `None` where the manager chooses one.
#[must_use]
pub fn key_of(statement: &Statement) -> Option<u16> {
    match statement.pkey.map(|key| key.value).filter(|key| *key != 0) {
        Some(key) => Some(key),
        None => name_of(statement).filter(|name| *name == "Default").map(|_| DEFAULT_KEY),
    }
}

/// The name of a statement's partition, if it has one.
#[must_use]
pub fn name_of(statement: &Statement) -> Option<&str> {
    statement.name.as_ref().map(|name| name.value.as_str())
}

/// A statement in words, for messages.
#[must_use]
pub fn called(statement: &Statement) -> String {
    match (name_of(statement), key_of(statement)) {
        (Some(name), Some(key)) => format!("`{name}` (0x{key:04x})"),
        (Some(name), None) => format!("`{name}`"),
        (None, Some(key)) => format!("0x{key:04x}"),
        (None, None) => "without name and key".to_owned(),
    }
}

/// Whether a word of partitions.conf stands for more ports than it names.
#[must_use]
pub const fn is_many(who: Who) -> bool {
    matches!(who, Who::All | Who::Cas | Who::Switches | Who::Routers)
}

/// The ports that a statement lists, each with what it is there for.
pub fn ports_of(
    statement: &Statement,
) -> impl Iterator<Item = (Placed<Who>, lk_config::partitions::Member, Span)> + '_ {
    use lk_config::partitions::Member;
    let default = statement.default_member.map_or(Member::Limited, |member| member.value);
    statement.items.iter().filter_map(move |item| match item {
        Item::Ports { who, member } => {
            let place = member.map_or(who.place, |member| who.place.cover(member.place));
            Some((*who, member.map_or(default, |member| member.value), place))
        }
        Item::Group { .. } => None,
    })
}
