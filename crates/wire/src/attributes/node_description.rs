//! NodeDescription: the name of a node as its administrator wrote it.

use std::fmt;

use crate::field::payload;

payload! {
    /// NodeDescription (IBA 14.2.5.2): 64 bytes of text, meant to be UTF-8.
    NodeDescription: 64 bytes
}

impl NodeDescription {
    /// The text up to the first NUL, without blanks at its end. Bytes that are not UTF-8 become
    /// U+FFFD.
    #[must_use]
    pub fn text(&self) -> String {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(self.0.len());
        String::from_utf8_lossy(&self.0[..end]).trim_end().to_owned()
    }

    /// The description that holds `text`, cut at 64 bytes on a character's boundary and filled
    /// up with NULs.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut bytes = [0; 64];
        let end = text.floor_char_boundary(bytes.len());
        bytes[..end].copy_from_slice(&text.as_bytes()[..end]);
        Self(bytes)
    }
}

impl fmt::Display for NodeDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for NodeDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeDescription({:?})", self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_nul_and_loses_blanks_at_its_end() {
        assert_eq!(NodeDescription::from_text("sw-01 core").text(), "sw-01 core");
        let mut bytes = [0; 64];
        bytes[..10].copy_from_slice(b"host  \0xyz");
        assert_eq!(NodeDescription(bytes).text(), "host");
        assert_eq!(NodeDescription([b' '; 64]).text(), "");
        assert_eq!(NodeDescription([b'x'; 64]).text(), "x".repeat(64), "no NUL at all");
        assert_eq!(NodeDescription::from_text(" leading").text(), " leading");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown() {
        let mut bytes = [0; 64];
        bytes[..4].copy_from_slice(&[b'a', 0xFF, b'b', 0xC3]);
        assert_eq!(NodeDescription(bytes).text(), "a\u{FFFD}b\u{FFFD}");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let description = NodeDescription::from_text(&"é".repeat(40));
        assert_eq!(description.text(), "é".repeat(32));
        let description = NodeDescription::from_text(&format!("x{}", "é".repeat(40)));
        assert_eq!(description.text(), format!("x{}", "é".repeat(31)));
        assert_eq!(description.0[63], 0);
    }
}
