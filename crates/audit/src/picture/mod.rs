//! Pictures as SVG: the lanes and shares of a kind of ports, and how full the links are.
//!
//! They are drawn with the classes and colours of `style.css`, so that they can be read in a light
//! and in a dark page. What a colour says is said by words too. [`alone`] makes a file of one.

mod escape;
pub mod heat;
pub mod lanes;

pub use escape::escaped;

/// The colours and letters of all pictures.
pub const STYLE: &str = include_str!("style.css");

/// A picture as a file of its own: `body` is what is drawn, then comes its size in pixels.
#[must_use]
pub fn alone(body: &str, (width, height): (usize, usize)) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" class=\"lk\">\n<style>{STYLE}</style>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
    )
}

/// A picture within a page. `title` is what it shows; a reader that cannot see it gets `text`.
#[must_use]
pub fn within(body: &str, (width, height): (usize, usize), title: &str, text: &str) -> String {
    format!(
        "<svg class=\"lk\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" aria-label=\"{}: {}\">\n{body}</svg>\n",
        escaped(title),
        escaped(text)
    )
}

/// One line of text.
fn text(out: &mut String, (x, y): (usize, usize), class: &str, words: &str) {
    out.push_str(&format!(
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>\n",
        escaped(words)
    ));
}
