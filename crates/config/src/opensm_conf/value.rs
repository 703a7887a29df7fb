//! The value of an option: read as OpenSM reads it, with what is odd about it.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use super::statement::{self, Statement};
use crate::codes;
use crate::options::number::leading_digits;
use crate::options::{CctTable, Kind, OptionSpec, Value};

/// Reads a value. `None` when OpenSM refuses it; the option then keeps what it had.
pub(super) fn read(
    source: &SourceFile,
    spec: &'static OptionSpec,
    statement: &Statement,
    out: &mut Diagnostics,
) -> Option<Value> {
    let text = statement::text(source, statement.value);
    let odd = Odd { source, spec, place: statement.value, key: statement.key };
    if text.is_empty() {
        return odd.empty(statement.quoted, out);
    }
    if text.starts_with('=') {
        out.push(
            Diagnostic::error(codes::EQUALS_SIGN, "OpenSM takes the `=` for a part of the value")
                .at(source, statement.value, "")
                .help(format!("write `{} {}`", spec.key, text.trim_start_matches(['=', ' ']))),
        );
    }
    let value = match spec.parse(&text) {
        Ok(value) => value,
        Err(e) => {
            out.push(odd.refused(&text, &e.to_string()));
            return None;
        }
    };
    out.extend(odd.read_otherwise(&text, &value));
    if let Some(quote) = statement.lone_quote.filter(|_| spec.kind == Kind::Text) {
        out.push(
            Diagnostic::warning(
                codes::READ_OTHERWISE,
                "a quote without its partner is a part of the value",
            )
            .at(source, quote, ""),
        );
    }
    Some(value)
}

struct Odd<'a> {
    source: &'a SourceFile,
    spec: &'static OptionSpec,
    place: Span,
    key: Span,
}

impl Odd<'_> {
    /// An option without a value, or with an empty one in quotes.
    fn empty(&self, quoted: bool, out: &mut Diagnostics) -> Option<Value> {
        let key = self.spec.key;
        let place = if quoted { self.place } else { self.key };
        match self.spec.kind {
            Kind::Bool => {
                out.push(
                    Diagnostic::error(codes::NO_VALUE, format!("`{key}` without a value is FALSE"))
                        .at(self.source, place, ""),
                );
                Some(Value::Bool(false))
            }
            Kind::Text => {
                let found = Diagnostic::warning(
                    codes::NO_VALUE,
                    format!("`{key}` without a value is an empty text, which is not unset"),
                )
                .at(self.source, place, "");
                out.push(if self.spec.is_qos_set() {
                    found
                        .note("an empty list gives a table of zeros")
                        .help("write `(null)` or remove the line to fall back")
                } else {
                    found.help("write `(null)` for none")
                });
                Some(Value::Text(Some(String::new())))
            }
            Kind::CctTable => Some(Value::CctTable(CctTable::default())),
            Kind::I32 => {
                out.push(
                    Diagnostic::error(codes::NO_VALUE, format!("`{key}` without a value is 0")).at(
                        self.source,
                        place,
                        "",
                    ),
                );
                Some(Value::I32(0))
            }
            _ => {
                out.push(
                    Diagnostic::error(
                        codes::NO_VALUE,
                        format!("`{key}` has no value; it keeps what it had"),
                    )
                    .at(self.source, place, "")
                    .note(format!("it takes {}", self.spec.kind.name())),
                );
                None
            }
        }
    }

    fn refused(&self, text: &str, why: &str) -> Diagnostic {
        let Self { source, spec, place, .. } = self;
        let mut found = Diagnostic::error(
            codes::BAD_VALUE,
            format!("`{}` does not take `{}`: {why}", spec.key, shortened(text)),
        )
        .at(source, *place, "refused; the option keeps what it had")
        .note(format!("it takes {}", spec.kind.name()));
        if text.chars().all(|c| c.is_ascii_hexdigit()) && !text.bytes().all(|b| b.is_ascii_digit())
        {
            found = found.help(format!("a hexadecimal number needs a prefix: `0x{text}`"));
        }
        found
    }

    /// What OpenSM takes silently for something else than it looks like.
    fn read_otherwise(&self, text: &str, value: &Value) -> Option<Diagnostic> {
        match value {
            Value::Bool(false) if text != "FALSE" => Some(self.not_a_boolean(text)),
            Value::U8(_) | Value::U16(_) | Value::U32(_) | Value::X64(_) => {
                let shown = self.spec.show(value);
                if text.trim_start().starts_with('-') {
                    return Some(self.otherwise(&shown, "a negative number wraps around"));
                }
                octal(text).then(|| self.otherwise(&shown, OCTAL))
            }
            Value::I32(n) => {
                let plain = leading_digits(text).is_some_and(|d| {
                    let magnitude = d.value.map(i128::from);
                    let written = magnitude.map(|m| if d.negative { -m } else { m });
                    d.rest.is_empty() && written == Some(i128::from(*n))
                });
                let why = if plain { OCTAL } else { "text that is no number is skipped" };
                (!plain || octal(text)).then(|| self.otherwise(&n.to_string(), why))
            }
            Value::CctEntry(_) | Value::CctTable(_) => {
                let shown = value.to_string();
                let plain: String = text.chars().filter(|c| *c != ' ' && *c != '\t').collect();
                (shown != plain.trim_matches(',')).then(|| {
                    self.otherwise(
                        &shown,
                        "numbers are cut to 8 and 16 bits, other text is skipped",
                    )
                })
            }
            Value::OneSl { sl, .. } => {
                let word = text.split([' ', '\t']).next().unwrap_or_default();
                let plain = leading_digits(word)
                    .is_some_and(|d| d.rest.is_empty() && d.value == Some(u64::from(*sl)));
                (!plain).then(|| self.otherwise(&value.to_string(), "the SL is cut to 8 bits"))
            }
            Value::Mask(_) => {
                let digits = text.trim_start_matches("0x").trim_start_matches("0X");
                (digits.len() > 64)
                    .then(|| self.otherwise(&value.to_string(), "only the first 64 digits count"))
            }
            _ => None,
        }
    }

    fn otherwise(&self, shown: &str, why: &str) -> Diagnostic {
        Diagnostic::warning(
            codes::READ_OTHERWISE,
            format!("OpenSM reads this as {}", shortened(shown)),
        )
        .at(self.source, self.place, "")
        .note(why)
    }

    fn not_a_boolean(&self, text: &str) -> Diagnostic {
        let lower = text.to_ascii_lowercase();
        let message =
            format!("`{} {}` means FALSE: only TRUE is true", self.spec.key, shortened(text));
        if matches!(lower.as_str(), "false" | "no" | "off" | "0") {
            return Diagnostic::info(codes::NOT_A_BOOLEAN, message)
                .at(self.source, self.place, "read as FALSE")
                .help("write FALSE");
        }
        let found = Diagnostic::error(codes::NOT_A_BOOLEAN, message).at(
            self.source,
            self.place,
            "read as FALSE",
        );
        if matches!(lower.as_str(), "true" | "yes" | "on" | "1") {
            found.help("write TRUE")
        } else {
            found.help("write TRUE or FALSE")
        }
    }
}

const OCTAL: &str = "a leading 0 makes the number octal";

/// Whether a number is octal by its leading 0, and differs from the decimal one for it.
fn octal(text: &str) -> bool {
    let digits = text.trim_start().trim_start_matches(['+', '-']);
    let prefixed = digits.starts_with("0x") || digits.starts_with("0X");
    !prefixed && digits.starts_with('0') && digits.trim_start_matches('0').len() > 1
}

/// A text of the file for a message: not longer than a line.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain("...".chars()).collect()
}
