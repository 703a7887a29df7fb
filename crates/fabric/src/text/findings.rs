//! What the readers have to say about a file: the codes, and a list that does not drown its
//! reader.

use lk_diag::{Code, Diagnostic, Diagnostics};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $title:literal;)*) => {
        $($(#[$doc])* pub const $name: Code = Code::new($id, $title);)*

        /// All codes of the readers of fabrics.
        pub const CODES: &[Code] = &[$($name),*];
    };
}

codes! {
    /// A line that is no part of the format, such as an error message of the tool.
    STRAY_LINE = "FB001", "a line that is no part of the format";
    /// A line that begins as one of the format and does not go on so.
    MALFORMED = "FB002", "a malformed line";
    /// A number, LID or GUID that cannot be one.
    BAD_NUMBER = "FB003", "a number out of its range";
    /// The file has no node at all.
    NO_NODE = "FB004", "no fabric in the file";
    /// Bytes that are not UTF-8.
    NOT_UTF8 = "FB005", "bytes that are not UTF-8";
    /// Port lines that belong to no node.
    ORPHAN_PORT = "FB006", "a port line without a node";
    /// A node is described twice.
    NODE_TWICE = "FB010", "a node described twice";
    /// Two nodes or two ports have one GUID.
    GUID_TWICE = "FB011", "a GUID used twice";
    /// Two places say different GUIDs of one node or port.
    GUID_DISAGREES = "FB012", "two GUIDs for one thing";
    /// A port number that the node does not have.
    PORT_RANGE = "FB020", "a port number out of range";
    /// A port is described twice.
    PORT_TWICE = "FB021", "a port described twice";
    /// The two ends of a cable disagree on where it goes.
    CABLE_DISAGREES = "FB022", "cable ends that disagree";
    /// Only one end of a cable is in the file.
    ONE_SIDED = "FB023", "a cable that one end only knows of";
    /// A cable between two ports of one node.
    LOOPBACK = "FB024", "a node cabled to itself";
    /// A node is named at a cable's far end and described nowhere.
    UNKNOWN_NODE = "FB025", "a node that is named and not described";
    /// A port that is cabled to itself.
    PORT_TO_ITSELF = "FB026", "a port cabled to itself";
    /// The two ends of a cable report different widths or speeds.
    RATE_DISAGREES = "FB030", "different rates at the two ends";
    /// Two places say different LIDs of one port.
    LID_DISAGREES = "FB031", "two LIDs for one port";
    /// Two ports answer to one LID.
    LID_TWICE = "FB032", "a LID used twice";
    /// The fabric is in several parts.
    IN_PARTS = "FB040", "a fabric in several parts";
    /// There is no switch.
    NO_SWITCH = "FB041", "no switch";
    /// An `include` of an ibsim file that cannot be followed.
    INCLUDE = "FB050", "an include that cannot be followed";
    /// A command of an ibsim file that does nothing here.
    COMMAND = "FB051", "a command without effect";
    /// ibsim would read it otherwise, or not at all.
    IBSIM_DIFFERS = "FB052", "read otherwise by ibsim";
    /// The ends of a cable have no width or speed in common.
    NO_COMMON_RATE = "FB053", "no common width or speed";
    /// A system type that is defined nowhere.
    UNKNOWN_SYSTEM = "FB060", "a system type without a definition";
    /// A definition of a system that cannot be used as it is, or a board that a system lacks.
    SYSTEM_FILE = "FB061", "something wrong with a system's definition";
    /// A file of ibdiagnet without its tables of links or nodes.
    NO_LINKS = "FB062", "a table of ibdiagnet that is missing";
}

/// How many findings of one code are listed.
const LISTED: usize = 20;

/// Findings, each code listed up to a limit and counted beyond it.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Diagnostics,
    counts: Vec<(Diagnostic, usize)>,
}

impl Findings {
    /// Takes a finding.
    pub(crate) fn push(&mut self, finding: Diagnostic) {
        match self.counts.iter_mut().find(|(first, _)| first.code == finding.code) {
            Some((_, count)) => {
                *count += 1;
                if *count > LISTED {
                    return;
                }
            }
            None => {
                let kind = Diagnostic::new(finding.code, finding.severity, String::new());
                self.counts.push((kind, 1));
            }
        }
        self.list.push(finding);
    }

    /// Forgets all findings of a code that something worse explains.
    pub(crate) fn forget(&mut self, code: Code) {
        self.counts.retain(|(kind, _)| kind.code != code);
        let list = std::mem::take(&mut self.list);
        self.list = list.into_iter().filter(|f| f.code != code).collect();
    }

    /// The list, with a last line for each code that has more than are listed.
    pub(crate) fn finish(mut self) -> Diagnostics {
        for (kind, count) in self.counts {
            if count > LISTED {
                let message =
                    format!("and {} more of this kind ({})", count - LISTED, kind.code.title);
                self.list.push(Diagnostic::new(kind.code, kind.severity, message));
            }
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_used_once() {
        let mut ids: Vec<_> = CODES.iter().map(|c| c.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CODES.len());
    }

    #[test]
    fn a_flood_is_counted_and_not_listed() {
        let mut findings = Findings::default();
        for _ in 0..LISTED + 7 {
            findings.push(Diagnostic::warning(STRAY_LINE, "x"));
        }
        findings.push(Diagnostic::error(NO_NODE, "y"));
        let list = findings.finish();
        assert_eq!(list.len(), LISTED + 2);
        let last = list.iter().last().unwrap();
        assert_eq!(last.code, STRAY_LINE);
        assert!(last.message.contains("7 more"), "{}", last.message);
    }
}
