//! Text that comes from elsewhere, for XML and HTML.

/// Text as XML and HTML have it, within an element or in a quoted attribute. Control characters
/// have no place there, and marks that turn the direction of writing would disarrange the page.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push(' '),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push('\u{fffd}');
            }
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_of_it_is_taken_for_a_mark() {
        assert_eq!(escaped("a<b>&\"c\"'\u{1}"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;\u{fffd}");
        assert_eq!(escaped("x\u{202e}y\tz"), "x\u{fffd}y z");
    }
}
