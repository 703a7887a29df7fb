//! `man/lanekeeper-sm.8`, the manual page of the subnet manager, made from the tables of options.

use lk_config::command_line::{SM_OPTIONS, man_page};

use crate::generated::Generated;

/// The manual page.
pub(crate) const PAGE: Generated =
    Generated { place: "man/lanekeeper-sm.8", command: "man", text: page };

fn page() -> String {
    man_page("lanekeeper sm", SM_OPTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_is_up_to_date() {
        assert_eq!(PAGE.check().unwrap(), []);
    }

    #[test]
    fn the_manual_has_lanekeepers_own_options_and_opensms() {
        let page = page();
        for name in ["\\-\\-plan", "\\-\\-sim FABRIC", "\\-F, \\-\\-config FILE", "max_op_vls 5"] {
            assert!(page.contains(&format!(".B {name}\n")), "{name}");
        }
    }
}
