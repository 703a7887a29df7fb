//! What kind of file a text is, for those that are given in place of another.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use crate::options::number::base0_unsigned;
use crate::{codes, options};

/// Kinds of files that can be told by a look at their lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileKind {
    /// opensm.conf.
    OpensmConf,
    /// qos-policy.conf.
    QosPolicy,
    /// partitions.conf.
    Partitions,
    /// torus-2QoS.conf.
    Torus,
    /// prefix-routes.conf.
    PrefixRoutes,
    /// A list of GUIDs.
    Guids,
    /// Output of ibnetdiscover, or a net file of ibsim.
    Fabric,
    /// XML.
    Xml,
    /// A log of opensm.
    Log,
    /// A template (Jinja) of which a file is still to be made.
    Template,
    /// The enhanced QoS policy of NVIDIA's OpenSM: limits of bandwidth.
    EnhancedPolicy,
    /// Groups of ports by pattern, of NVIDIA's OpenSM.
    PortGroups,
    /// No text at all.
    Binary,
}

impl FileKind {
    /// In words.
    const fn name(self) -> &'static str {
        match self {
            Self::OpensmConf => "an opensm.conf",
            Self::QosPolicy => "a QoS policy",
            Self::Partitions => "a partitions.conf",
            Self::Torus => "a torus-2QoS.conf",
            Self::PrefixRoutes => "a prefix-routes.conf",
            Self::Guids => "a list of GUIDs",
            Self::Fabric => "a fabric",
            Self::Xml => "XML",
            Self::Log => "a log of opensm",
            Self::Template => "a template, of which a file is still to be made",
            Self::EnhancedPolicy => {
                "an enhanced QoS policy, limits of bandwidth that NVIDIA's OpenSM alone knows"
            }
            Self::PortGroups => "a file of port groups, pgrp_policy_file of NVIDIA's OpenSM",
            Self::Binary => "no text: a program, an archive or an image",
        }
    }

    /// The option that takes such a file.
    const fn option(self) -> Option<&'static str> {
        Some(match self {
            Self::OpensmConf => "-F",
            Self::QosPolicy => "-Y",
            Self::Partitions => "-P",
            Self::Torus => "--torus_config",
            Self::PrefixRoutes => "--prefix_routes_file",
            Self::Fabric => "--fabric",
            Self::Guids
            | Self::Xml
            | Self::Log
            | Self::Template
            | Self::EnhancedPolicy
            | Self::PortGroups
            | Self::Binary => return None,
        })
    }

    /// What to do about it, beside giving it to another option.
    const fn remedy(self) -> Option<&'static str> {
        match self {
            Self::Template => Some("check the file that is made of it"),
            Self::EnhancedPolicy => Some(
                "nothing here limits bandwidth in Mb/s: a level's `rate-limit` lowers the rate of paths, \
                 and weights of VLs share links",
            ),
            Self::PortGroups => {
                Some("write the GUIDs of the group where one is wanted, as in root_guid_file")
            }
            _ => None,
        }
    }
}

/// So many lines are looked at.
const LINES: usize = 200;

/// The kind that most lines of a text speak for; `None` where none does.
#[must_use]
pub fn kind_of(source: &SourceFile) -> Option<FileKind> {
    let text = source.text();
    let nuls = text.bytes().take(4096).filter(|b| *b == 0).count();
    let strange = source.undecodable().map_or(0, |(count, _)| count);
    if nuls > 64 || (strange > 64 && strange > text.len() / 20) {
        return Some(FileKind::Binary);
    }
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let mut votes: Vec<(FileKind, usize)> = Vec::new();
    for kind in lines.take(LINES).filter_map(of_line) {
        match votes.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => votes.push((kind, 1)),
        }
    }
    // One line of these is enough: the others look like those of what is made of it, or of a
    // policy.
    let sure = [FileKind::Template, FileKind::PortGroups];
    if let Some((kind, _)) = votes.iter().find(|(kind, _)| sure.contains(kind)) {
        return Some(*kind);
    }
    // Of kinds with as many lines the one that was seen first.
    votes.into_iter().rev().max_by_key(|(_, count)| *count).map(|(kind, _)| kind)
}

fn of_line(line: &str) -> Option<FileKind> {
    const SECTIONS: [&str; 8] = [
        "port-groups",
        "port-group",
        "qos-setup",
        "qos-levels",
        "qos-level",
        "qos-match-rules",
        "qos-match-rule",
        "qos-ulps",
    ];
    let head: String = line.chars().take(200).collect();
    if head.starts_with("{%") || (head.starts_with("{{") && line.ends_with("}}")) {
        return Some(FileKind::Template);
    }
    let mut words = head.split_whitespace();
    let first = words.next()?;
    let second = words.next();
    if line.starts_with('<') && line.ends_with('>') {
        return Some(FileKind::Xml);
    }
    if head.contains("] 0x") && head.contains(" -> ") {
        return Some(FileKind::Log);
    }
    if ["BW_NAMES", "BW_RULES"].contains(&first) {
        return Some(FileKind::EnhancedPolicy);
    }
    if first == "port-regexp:" {
        return Some(FileKind::PortGroups);
    }
    if SECTIONS.contains(&first.strip_prefix("end-").unwrap_or(first)) {
        return Some(FileKind::QosPolicy);
    }
    let of_fabric = ["vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="];
    let node = ["Switch", "Ca", "Hca", "Rt"].contains(&first) && head.contains('"');
    if node || of_fabric.iter().any(|word| first.starts_with(word)) {
        return Some(FileKind::Fabric);
    }
    let numbers = second.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    if (["torus", "mesh"].contains(&first) && numbers) || first.ends_with("_link") {
        return Some(FileKind::Torus);
    }
    if options::find(first).is_some() && second.is_some() {
        return Some(FileKind::OpensmConf);
    }
    if let Some((header, _)) = head.split_once(':')
        && (header.contains("=0x") || line.ends_with(';'))
    {
        return Some(FileKind::Partitions);
    }
    // Shorter numbers may be LIDs.
    let guid = |word: &str| word.len() >= 10 && base0_unsigned(word).is_ok();
    match second {
        Some("*") => Some(FileKind::PrefixRoutes),
        _ if first.starts_with("0x") && guid(first) => Some(FileKind::Guids),
        _ => None,
    }
}

/// The one thing to say of a text that is refused as `wanted`: that it is another kind of file.
/// `None` where it may be of the kind after all; `nothing` says that none of it could be read.
pub(crate) fn wrong(source: &SourceFile, wanted: FileKind, nothing: bool) -> Option<Diagnostics> {
    let kind = kind_of(source).filter(|kind| *kind != wanted)?;
    let sure = matches!(kind, FileKind::Binary | FileKind::Template | FileKind::EnhancedPolicy);
    if !nothing && !sure {
        return None;
    }
    let found = only(source, wanted, &format!("it looks like {}", kind.name()), kind.option());
    let helped = found.into_iter().map(|found| match kind.remedy() {
        Some(remedy) => found.help(remedy),
        None => found,
    });
    Some(helped.collect())
}

/// The one thing to say of a text that is no file of the wanted kind.
pub(crate) fn only(
    source: &SourceFile,
    wanted: FileKind,
    why: &str,
    option: Option<&str>,
) -> Diagnostics {
    let line = source.line_span(1);
    let mut end = line.end.min(line.start + 60);
    while !source.text().is_char_boundary(end) {
        end -= 1;
    }
    let found = Diagnostic::error(
        codes::WRONG_FILE,
        format!("this is not {}: {why}", wanted.name()),
    )
    .at(source, Span::new(line.start, end), "");
    let found = match option {
        Some(option) => found.help(format!("{option} takes such a file")),
        None => found,
    };
    [found].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_lines() {
        for (text, kind) in [
            ("# c\nqos TRUE\nmax_op_vls 2\n", Some(FileKind::OpensmConf)),
            ("qos-ulps\n default : 0\nend-qos-ulps\n", Some(FileKind::QosPolicy)),
            ("Default=0x7fff, ipoib : ALL=full ;\n", Some(FileKind::Partitions)),
            ("torus 4 4 4\nxp_link 0x1 0x2\n", Some(FileKind::Torus)),
            ("fec0000000000001 *\n", Some(FileKind::PrefixRoutes)),
            ("0x0002c90300a1b2c3\n0x0002c90300a1b2c4 # leaf\n", Some(FileKind::Guids)),
            ("vendid=0x2c9\nSwitch 8 \"s\"\n[1] \"h\"[1]\n", Some(FileKind::Fabric)),
            ("<?xml version=\"1.0\"?>\n<a/>\n", Some(FileKind::Xml)),
            ("Nov 30 14:32:07 265113 [523F] 0x80 -> Entering\n", Some(FileKind::Log)),
            ("a=0x1 : ALL ;\n{% for p in list %}\n{{ p }}\n", Some(FileKind::Template)),
            ("BW_NAMES\ncap = 4000\nBW_RULES\n", Some(FileKind::EnhancedPolicy)),
            ("port-group\nport-regexp: sw.*\nend-port-group\n", Some(FileKind::PortGroups)),
            ("lorem ipsum\n", None),
            ("", None),
        ] {
            assert_eq!(kind_of(&SourceFile::new("f", text)), kind, "{text:?}");
        }
        let program: Vec<u8> =
            (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(kind_of(&SourceFile::new("f", program)), Some(FileKind::Binary));
    }
}
