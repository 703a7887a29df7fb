//! Tells the text forms apart.

use super::record::{self, Cursor};
use super::{Form, db_csv, ibdm};

/// The form of a file. ibsim reads what `ibnetdiscover` writes, so a file is taken for a net file
/// of ibsim only if something in it is ibsim's own: a keyword, a node id that is no GUID, a
/// modifier of a port line.
///
/// A topology of ibdm has lines that cable plugs, and none that describes a port in brackets.
pub(super) fn form_of(text: &str) -> Form {
    if text.lines().any(db_csv::is_own) {
        return Form::DbCsv;
    }
    if text.lines().any(ibdm::is_cable) && !text.lines().any(|line| line.starts_with('[')) {
        return Form::Ibdm;
    }
    if text.lines().any(is_ibsims_own) { Form::Ibsim } else { Form::Ibnetdiscover }
}

fn is_ibsims_own(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'@') => line.starts_with("@["),
        Some(b'[') => line.split('#').next().is_some_and(|before| before.contains('=')),
        Some(b'd') => line.starts_with("do ") && line.contains('"'),
        Some(b'i') => line.starts_with("include") && line.contains('"'),
        Some(b'h') => line.starts_with("hcaguids"),
        Some(b'm') => line.starts_with("module") && line.contains('='),
        Some(b'w' | b's' | b'e') => {
            ["width=", "speed=", "extspeed=", "switchguids"].iter().any(|w| line.starts_with(w))
        }
        Some(b'H') => line.starts_with("Hca"),
        Some(b'S' | b'C' | b'R') => super::ibnetdiscover::node_kind(line)
            .and_then(|(_, rest)| record::header(rest).ok())
            .is_some_and(|header| !is_long_id(header.id)),
        _ => false,
    }
}

/// Whether an id is one that `ibnetdiscover` prints, or that people write after its fashion.
fn is_long_id(id: &str) -> bool {
    let mut digits = Cursor::new(id);
    digits.run(|c| c.is_ascii_uppercase());
    record::guid_of_id(id).is_some()
        && (digits.rest().len() == 17 || digits.rest().starts_with("-0x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_of_ibsims_own_is_seen() {
        for text in [
            "Hca\t1 \"H-0000000000000010\"",
            "Switch 8 \"leaf\"",
            "Switch 8 \"S-200000\"",
            "Switch 8 \"S-0000000000200000\"\n[1] \"H-0000000000000010\"[1] w=1",
            "@[1] \"plug\"",
            "do link \"a\"[1] \"b\"[1]",
            "include \"other.net\"",
            "module=\"left\"",
            "width=3",
            "switchguids+5",
        ] {
            assert_eq!(form_of(text), Form::Ibsim, "{text}");
        }
    }

    #[test]
    fn the_other_tools_files_are_known() {
        let topology = "# a -> b c d\n\nMTS800 SW-0\r\n\tP1 -4x-5G-> Cougar H-1 P1\r\n";
        assert_eq!(form_of(topology), Form::Ibdm);
        assert_eq!(form_of("# x\nSTART_NODES\nNodeDesc\nEND_NODES\n"), Form::DbCsv);
        assert_eq!(form_of("NodeGuid1,PortNum1,NodeGuid2,PortNum2\n"), Form::DbCsv);
        let mixed =
            "umad -> port x y\nSwitch 8 \"S-0000000000200000\"\n[1] \"H-0000000000000010\"[1]";
        assert_eq!(form_of(mixed), Form::Ibnetdiscover);
    }

    #[test]
    fn everything_else_is_ibnetdiscovers() {
        for text in [
            "",
            "#\n# Topology file\nSwitch\t36 \"S-f4521403001165a0\"\t\t# \"x\" base port 0 lid 1",
            "Switch 36 \"S-0x2c90200300001\"",
            "[1]\t\"H-24be05ffff980030\"[1](24be05ffff980031) \t\t# \"a=b\" lid 1 4xQDR s=4 w=2 v=4",
            "do not trust this line",
            "Can't open \"umad0\"",
        ] {
            assert_eq!(form_of(text), Form::Ibnetdiscover, "{text}");
        }
    }
}
