//! `docs/opensm-options.md`, the reference of opensm.conf, made from the option table.

use std::fmt::Write as _;

use lk_config::options::{self, Class, Group, OptionSpec, Status, foreign};

use crate::generated::Generated;

const HEAD: &str = "\
# The options of opensm.conf

<!-- Made by `cargo xtask options` from the option table in crates/config. Change it there. -->

Every option of OpenSM 3.3.23, with its default. The column *here* says what becomes of it:

* **applied**: it does what it says, from the next start on; **applied, re-read**: a changed line
  takes effect at the next heavy sweep;
* **not yet**: it is read and kept, and a message names the line, but nothing acts on it;
* **no effect**: it never has one, for the reason given.

Names are followed by a mark where stock OpenSM 3.3.23 does not know them: ¹ its development branch
does, ² NVIDIA's OpenSM does, ³ only Lanekeeper does.
";

/// The page.
pub(crate) const PAGE: Generated =
    Generated { place: "docs/opensm-options.md", command: "options", text: page };

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut group: Option<Group> = None;
    for spec in options::all() {
        if group != Some(spec.group) {
            group = Some(spec.group);
            let title = heading(spec.group.title());
            // Writing to a String cannot fail, here and below.
            let _ = write!(page, "\n## {title}\n\n| option | default | meaning | here |\n");
            page.push_str("|---|---|---|---|\n");
        }
        page.push_str(&row(spec));
    }
    page.push_str(&others());
    page
}

/// A title of the file, which is in capitals, as a heading.
fn heading(title: &str) -> String {
    let is_name = |word: &&str| matches!(*word, "SMs" | "QoS");
    let words = title.split(' ').enumerate().map(|(at, word)| match word {
        word if is_name(&word) => word.to_owned(),
        word if at > 0 => word.to_lowercase(),
        word => word[..1].to_owned() + &word[1..].to_lowercase(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn row(spec: &OptionSpec) -> String {
    let mark = match spec.class {
        Class::Upstream => "",
        Class::MasterOnly => " ¹",
        Class::Vendor => " ²",
        Class::Own => " ³",
    };
    let default = match spec.show(&spec.default_value()) {
        text if text.is_empty() => String::new(),
        text => format!("`{text}`"),
    };
    let doc = spec.doc().collect::<Vec<_>>().join(" ");
    let here = match spec.status {
        Status::Applied if spec.reload => "applied, re-read".to_owned(),
        Status::Applied => "applied".to_owned(),
        Status::NotYet => "not yet".to_owned(),
        Status::NoEffect(why) => format!("no effect: {why}"),
    };
    let cells = [format!("`{}`{mark}", spec.key), default, doc, here];
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.join(" | "))
}

/// Names that are no options here.
fn others() -> String {
    let mut text = "\n## Options of NVIDIA's OpenSM only\n\nA file that has them is read, and a \
                    message says that they are not supported.\n\n| for | names |\n|---|---|\n"
        .to_owned();
    for family in foreign::VENDOR {
        let keys: Vec<String> = family.keys.iter().map(|key| format!("`{key}`")).collect();
        let _ = writeln!(text, "| {} | {} |", family.about, keys.join(", "));
    }
    text.push_str(
        "\n## Names that are no options\n\n| name | what is meant | why |\n|---|---|---|\n",
    );
    for wrong in foreign::WRONG {
        let _ = writeln!(text, "| `{}` | `{}` | {} |", wrong.key, wrong.instead, wrong.why);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        assert_eq!(PAGE.check().unwrap(), []);
    }

    #[test]
    fn titles_become_headings() {
        assert_eq!(heading("HANDOVER: SEVERAL SMs"), "Handover: several SMs");
    }

    #[test]
    fn every_option_has_its_row() {
        let page = page();
        for spec in options::all() {
            assert!(page.contains(&format!("\n| `{}`", spec.key)), "{}", spec.key);
        }
    }
}
