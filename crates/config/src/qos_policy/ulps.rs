//! `qos-ulps`: the simplified policy.

use lk_diag::{Span, nearest};

use super::lex::{Fault, Head, Read};
use super::read::Reader;
use super::{Ranges, UlpKind, UlpRule};
use crate::Placed;

const NAMES: [&str; 7] = ["default", "sdp", "srp", "rds", "ipoib", "iser", "any"];

impl Reader<'_> {
    /// Reads the rules up to the end of the section. Gives the place of its end.
    pub(super) fn ulps(&mut self, opened: Span, list: &mut Vec<Placed<UlpRule>>) -> Span {
        loop {
            self.lex.skip_all();
            let before = self.lex.at;
            let (word, place) = self.lex.word();
            if word == "end-qos-ulps" {
                return place;
            }
            if word.is_empty() || super::lex::SECTIONS.contains(&word) {
                let help = "write `end-qos-ulps` behind it";
                self.lex.refuse(opened, "qos-ulps is not closed", help);
                self.lex.at = before;
                return Span::point(before);
            }
            let name = NAMES.iter().find(|n| n.eq_ignore_ascii_case(word));
            let Some(name) = name else {
                self.no_ulp(word, place);
                continue;
            };
            let read = self.ulp(name, place);
            list.extend(self.lex.or_skip(read));
        }
    }

    fn no_ulp(&mut self, word: &str, place: Span) {
        let help = match nearest(word, NAMES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("rules start with one of {}", NAMES.join(", ")),
        };
        if word.starts_with([':', ',', '"']) {
            self.out_of_place(Head::Word(word), place, "qos-ulps");
            return;
        }
        self.lex.refuse(place, format!("`{word}` is no protocol that a rule can be for"), help);
        self.lex.skip_line();
    }

    fn ulp(&mut self, name: &'static str, start: Span) -> Read<Placed<UlpRule>> {
        self.lex.skip_blanks();
        let mut values = Ranges::new();
        let qualified = self.lex.take(',');
        let kind = if qualified {
            self.lex.skip_blanks();
            let (word, place) = self.lex.word();
            let kind = qualified_kind(name, word, place)?;
            values = match kind {
                UlpKind::Pkey | UlpKind::IpoibPkey => self.lex.pkeys()?,
                _ => self.lex.ranges()?,
            };
            self.lex.skip_all();
            kind
        } else {
            let found = UlpKind::FORMS.iter().find(|f| f.1 == name && f.2.is_empty());
            found.map(|f| f.0).ok_or_else(|| needs_qualifier(name, start))?
        };
        if matches!(kind, UlpKind::SdpPort | UlpKind::RdsPort | UlpKind::IserPort)
            && let Some(bad) = values.iter().find(|v| v.value.high > 0xFFFF)
        {
            let message = format!("ports of {name} go up to 65535");
            return Err(Fault { place: bad.place, message, help: String::new() });
        }
        if !self.lex.take(':') {
            let message = "a colon and an SL are missing".to_owned();
            let help = match kind.form() {
                (name, "") => format!("write `{name} : SL`"),
                (name, word) => format!("write `{name}, {word} LIST : SL`"),
            };
            return Err(Fault { place: self.lex.here(), message, help });
        }
        let sl = self.lex.single_number()?;
        if sl.value > 15 {
            let message = format!("SL {} does not exist", sl.value);
            let help = "SLs go from 0 to 15".to_owned();
            return Err(Fault { place: sl.place, message, help });
        }
        let place = start.cover(sl.place);
        let sl = Placed::new(sl.value as u8, sl.place);
        Ok(Placed::new(UlpRule { kind, values, sl }, place))
    }
}

fn qualified_kind(name: &str, word: &str, place: Span) -> Read<UlpKind> {
    let forms = || UlpKind::FORMS.iter().filter(|f| f.1 == name && !f.2.is_empty());
    if let Some(form) = forms().find(|f| f.2 == word) {
        return Ok(form.0);
    }
    let words: Vec<&str> = forms().map(|f| f.2).collect();
    let message = format!("`{word}` cannot stand behind `{name},`");
    let help = match words.is_empty() {
        true => format!("write `{name} : SL`"),
        false => format!("here may stand: {}", words.join(", ")),
    };
    Err(Fault { place, message, help })
}

fn needs_qualifier(name: &str, place: Span) -> Fault {
    let words: Vec<&str> = UlpKind::FORMS.iter().filter(|f| f.1 == name).map(|f| f.2).collect();
    Fault {
        place,
        message: format!("`{name}` needs to say what it is about"),
        help: format!("write `{name}, {} LIST : SL`", words.join("|")),
    }
}
