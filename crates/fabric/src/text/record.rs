//! The lines that both text forms have in common: a node's header line and its port lines.
//!
//! ```text
//! Switch  36 "S-0002c90200400001"   # "leaf 1" enhanced port 0 lid 12 lmc 0
//! [7]     "H-0002c90300000010"[1](2c90300000011)    # "cn001 HCA-1" lid 3 4xHDR
//! Ca      1 "H-0002c90300000010"    # "cn001 HCA-1"
//! [1](2c90300000011)   "S-0002c90200400001"[7]      # lid 3 lmc 0 "leaf 1" lid 12 4xHDR
//! ```
//!
//! Nothing is decided here: each function takes a line apart or says at which byte it failed.

use lk_wire::Guid;

use crate::graph::LinkRate;

/// Why a line cannot be taken apart: the byte of the line, and what was expected there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Flaw {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

/// A place in a line, moving to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Goes past so many bytes, which are known to be there.
    pub(super) const fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes past blanks and says whether there were any.
    pub(super) fn blanks(&mut self) -> bool {
        let rest = self.rest();
        let left = rest.trim_start();
        self.at += rest.len() - left.len();
        left.len() < rest.len()
    }

    pub(super) fn eat(&mut self, what: char) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len_utf8();
        }
        found
    }

    /// Takes the longest run of characters that satisfy `wanted`.
    pub(super) fn run(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes what is before the next `end` and the `end` itself.
    pub(super) fn through(&mut self, end: char) -> Option<&'t str> {
        let (before, _) = self.rest().split_once(end)?;
        self.at += before.len() + end.len_utf8();
        Some(before)
    }

    pub(super) const fn flaw(&self, expected: &'static str) -> Flaw {
        Flaw { at: self.at, expected }
    }

    /// `[NUMBER]`, blanks allowed around the number.
    fn bracketed(&mut self) -> Result<u32, Flaw> {
        if !self.eat('[') {
            return Err(self.flaw("a port number in brackets"));
        }
        self.blanks();
        let start = *self;
        let digits = self.run(|c| c.is_ascii_digit());
        let number = digits.parse().map_err(|_| start.flaw("a port number"))?;
        self.blanks();
        if self.eat(']') { Ok(number) } else { Err(self.flaw("a closing bracket")) }
    }

    /// Goes past `[ext 3]`, the number printed on a chassis's outside.
    fn outside_number(&mut self) {
        let mut ahead = *self;
        ahead.blanks();
        if ahead.rest().starts_with("[ext") && ahead.through(']').is_some() {
            *self = ahead;
        }
    }

    /// `(GUID)` after blanks; `None` if there is none.
    fn guid_in_parentheses(&mut self) -> Result<Option<Guid>, Flaw> {
        let mut ahead = *self;
        ahead.blanks();
        if !ahead.eat('(') {
            return Ok(None);
        }
        let start = ahead;
        let text = ahead.through(')').ok_or_else(|| start.flaw("a closing parenthesis"))?;
        let guid = hex(text.trim()).ok_or_else(|| start.flaw("a GUID"))?;
        *self = ahead;
        Ok(Some(guid))
    }
}

/// A GUID in hexadecimal digits, with or without `0x`.
pub(crate) fn hex(text: &str) -> Option<Guid> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(digits, 16).ok().map(Guid)
}

/// The GUID in a node id of the form `S-0002c90200400001`, `0x` allowed before the digits.
pub(super) fn guid_of_id(id: &str) -> Option<Guid> {
    let mut letters = id.chars();
    if !matches!(letters.next(), Some('S' | 'H' | 'R')) {
        return None;
    }
    hex(letters.as_str().strip_prefix('-')?)
}

/// A node's header line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'t> {
    /// The number of ports.
    pub(super) ports: u32,
    /// The text between the quotes.
    pub(super) id: &'t str,
    /// What follows `#`.
    pub(super) comment: Comment<'t>,
}

/// Takes a header line apart, from behind its keyword on.
pub(super) fn header(mut line: Cursor<'_>) -> Result<Header<'_>, Flaw> {
    line.blanks();
    let start = line;
    let digits = line.run(|c| c.is_ascii_alphanumeric());
    let ports = number(digits).ok_or_else(|| start.flaw("the number of ports"))?;
    line.blanks();
    let id = quoted(&mut line)?;
    Ok(Header { ports, id, comment: Comment::of_header(line.rest()) })
}

/// A number as C's `strtoul` with base 0 reads it: decimal, `0x` hexadecimal, `0` octal.
pub(super) fn number(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        u32::from_str_radix(hex, 16).ok()
    } else if text.len() > 1 && text.starts_with('0') {
        u32::from_str_radix(text, 8).ok()
    } else {
        text.parse().ok()
    }
}

pub(super) fn quoted<'t>(line: &mut Cursor<'t>) -> Result<&'t str, Flaw> {
    if !line.eat('"') {
        return Err(line.flaw("a node id in quotes"));
    }
    let start = *line;
    line.through('"').ok_or_else(|| start.flaw("a closing quote"))
}

/// A port line.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortLine<'t> {
    /// The port's number.
    pub(super) port: u32,
    /// The port's GUID (adapters).
    pub(super) guid: Option<Guid>,
    /// The id of the node at the other end.
    pub(super) far: &'t str,
    /// The port number at the other end, if there is one.
    pub(super) far_port: Option<u32>,
    /// Blanks stood between the far node's id and its port number.
    pub(super) gap: bool,
    /// The port's GUID at the other end (adapters).
    pub(super) far_guid: Option<Guid>,
    /// What follows, modifiers and comment.
    pub(super) tail: &'t str,
}

/// Takes a port line apart.
pub(super) fn port_line(mut line: Cursor<'_>) -> Result<PortLine<'_>, Flaw> {
    let port = line.bracketed()?;
    line.outside_number();
    let guid = line.guid_in_parentheses()?;
    line.blanks();
    let far = quoted(&mut line)?;
    let mut ahead = line;
    let gap = ahead.blanks();
    let far_port = if ahead.rest().starts_with('[') && !ahead.rest().starts_with("[ext") {
        line = ahead;
        Some(line.bracketed()?)
    } else {
        None
    };
    line.outside_number();
    let far_guid = line.guid_in_parentheses()?;
    Ok(PortLine {
        port,
        guid,
        far,
        far_port,
        gap: gap && far_port.is_some(),
        far_guid,
        tail: line.rest(),
    })
}

/// What a comment says of a port's addresses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Address {
    pub(super) lid: Option<u32>,
    pub(super) lmc: Option<u32>,
}

/// The comment of a header or port line, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Comment<'t> {
    /// LID and LMC before the name: those of the port that the line is about.
    pub(super) own: Address,
    /// The name in quotes. It may hold quotes itself.
    pub(super) name: Option<&'t str>,
    /// LID and LMC behind the name: those of the far port, in a header those of port 0.
    pub(super) far: Address,
    /// Width and speed.
    pub(super) rate: Option<LinkRate>,
    /// Whether port 0 is said to be enhanced (true) or base (false).
    pub(super) enhanced_port0: Option<bool>,
}

/// Words that end a name without quotes, as ibsim looks for them.
const NAME_ENDS: [&str; 4] = [" enhanced port ", " base port ", " lid ", " lmc "];

impl<'t> Comment<'t> {
    /// The comment of a header line. A name without quotes ends at the first word that is about
    /// port 0.
    fn of_header(tail: &'t str) -> Self {
        let Some((_, text)) = tail.split_once('#') else { return Self::default() };
        if text.trim_start().starts_with('"') {
            return Self::with_name(text);
        }
        let text = text.trim_start();
        let end = NAME_ENDS.iter().find_map(|word| text.find(word)).unwrap_or(text.len());
        let name = text[..end].trim_end();
        let mut comment = Self::default();
        comment.words(&text[end..], true);
        comment.name = Some(name).filter(|n| !n.is_empty());
        comment
    }

    /// The comment of a port line. Without a name, all of it is about the port itself.
    pub(super) fn of_port(tail: &'t str) -> Self {
        match tail.split_once('#') {
            Some((_, text)) => Self::with_name(text),
            None => Self::default(),
        }
    }

    fn with_name(text: &'t str) -> Self {
        let mut comment = Self::default();
        match (text.find('"'), text.rfind('"')) {
            (Some(first), Some(last)) if first < last => {
                comment.words(&text[..first], false);
                comment.name = Some(&text[first + 1..last]);
                comment.words(&text[last + 1..], true);
            }
            _ => comment.words(text, false),
        }
        comment
    }

    fn words(&mut self, text: &str, far: bool) {
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let address = if far { &mut self.far } else { &mut self.own };
            match word {
                "lid" => address.lid = words.next().and_then(number),
                "lmc" => address.lmc = words.next().and_then(number),
                "enhanced" => self.enhanced_port0 = Some(true),
                "base" => self.enhanced_port0 = Some(false),
                _ if word.ends_with('x') || word == "??" => {
                    let known = LinkRate::parse(&format!("{word}???"));
                    self.rate = known.or(self.rate);
                }
                // The speed that belongs to a width before a blank: `4x ???`.
                "???" => {}
                _ => self.rate = LinkRate::parse(word).or(self.rate),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_header() {
        let h = header(Cursor::new(
            "\t36 \"S-f4521403001165a0\"\t\t# \"MF0;sw1:SX6036/U1\" enhanced port 0 lid 128 lmc 3",
        ))
        .unwrap();
        assert_eq!((h.ports, h.id), (36, "S-f4521403001165a0"));
        assert_eq!(h.comment.name, Some("MF0;sw1:SX6036/U1"));
        assert_eq!(h.comment.enhanced_port0, Some(true));
        assert_eq!(h.comment.far, Address { lid: Some(128), lmc: Some(3) });
    }

    #[test]
    fn names_with_quotes_and_without() {
        let name = |tail| Comment::of_header(tail).name;
        assert_eq!(name(" # \"a \"b\" c\" base port 0 lid 1 lmc 0"), Some("a \"b\" c"));
        assert_eq!(name("# my switch base port 0 lid 7 lmc 0"), Some("my switch"));
        assert_eq!(Comment::of_header("# my switch base port 0 lid 7").far.lid, Some(7));
        assert_eq!(name("# my switch"), Some("my switch"));
        assert_eq!(name("#"), None);
        assert_eq!(name(" no comment"), None);
    }

    #[test]
    fn port_lines_of_a_switch_and_of_an_adapter() {
        let p = port_line(Cursor::new(
            "[1]\t\"H-24be05ffff980030\"[1](24be05ffff980031) \t\t# \"node1 \"x\" mlx4_0\" lid 105 4xQDR",
        ))
        .unwrap();
        assert_eq!((p.port, p.far, p.far_port, p.gap), (1, "H-24be05ffff980030", Some(1), false));
        assert_eq!(p.far_guid, Some(Guid(0x24be_05ff_ff98_0031)));
        let c = Comment::of_port(p.tail);
        assert_eq!((c.name, c.far.lid), (Some("node1 \"x\" mlx4_0"), Some(105)));
        assert_eq!(c.rate, LinkRate::parse("4xQDR"));

        let p = port_line(Cursor::new(
            "[2](0x8f1040396055a) \t\"S-5442ba00003080\"[8] (5) # lid 14 lmc 1 \"ISR\" lid 6 4x ??? s=4",
        ))
        .unwrap();
        assert_eq!((p.guid, p.far_guid), (Some(Guid(0x8_f104_0396_055a)), Some(Guid(5))));
        let c = Comment::of_port(p.tail);
        assert_eq!(c.own, Address { lid: Some(14), lmc: Some(1) });
        assert_eq!((c.far.lid, c.rate), (Some(6), LinkRate::parse("4x???")));
    }

    #[test]
    fn grouped_output_has_outside_numbers() {
        let p = port_line(Cursor::new("[22][ext 3]\t\"S-1\"[4][ext 5](1a)\t# \"x\" lid 1 4xSDR"));
        let p = p.unwrap();
        assert_eq!((p.port, p.far_port, p.far_guid), (22, Some(4), Some(Guid(0x1a))));
    }

    #[test]
    fn the_keyword_form() {
        let p = port_line(Cursor::new("[3]\t\"Switch2\" [4] w=12")).unwrap();
        assert_eq!((p.far, p.far_port, p.gap, p.tail), ("Switch2", Some(4), true, " w=12"));
        let p = port_line(Cursor::new("[3] \"Switch2\"")).unwrap();
        assert_eq!((p.far_port, p.gap), (None, false));
    }

    #[test]
    fn flaws_say_where() {
        let flaw = |text| port_line(Cursor::new(text)).unwrap_err();
        assert_eq!(flaw("[x] \"S\"[1]"), Flaw { at: 1, expected: "a port number" });
        assert_eq!(flaw("[1 \"S\"[1]").expected, "a closing bracket");
        assert_eq!(flaw("[1] S[1]").expected, "a node id in quotes");
        assert_eq!(flaw("[1] \"S").expected, "a closing quote");
        assert_eq!(flaw("[1](xyz) \"S\"").expected, "a GUID");
        assert_eq!(flaw("[99999999999] \"S\"").expected, "a port number");
        assert_eq!(header(Cursor::new(" \"S\"")).unwrap_err().expected, "the number of ports");
    }

    #[test]
    fn ids_hold_guids() {
        assert_eq!(guid_of_id("S-0002c90200300001"), Some(Guid(0x2_c902_0030_0001)));
        assert_eq!(guid_of_id("H-0x10"), Some(Guid(0x10)));
        for bad in ["", "S", "S-", "S-xyz", "X-10", "Switch1", "S-10000000000000000", "S-+1"] {
            assert_eq!(guid_of_id(bad), None, "{bad}");
        }
        assert_eq!((number("010"), number("0x10"), number("10")), (Some(8), Some(16), Some(10)));
    }
}
