//! Rules that find every way in which a QoS design does nothing.
//!
//! A [`Rule`] looks at a [`Site`] (the options in force, and the ports that they are for) and
//! reports findings. Rules do not repeat the file's wish: they look at the tables as the ports will
//! hold them, after OperVLs and capacities have cut them.
//!
//! Where to look: [`site`] for what rules are given ([`files`] for the files beside opensm.conf,
//! [`managed`] for a fabric, [`seen`] for one that was read), [`kinds`] for the ports, [`rules`]
//! for the list of all rules and the rules themselves, [`parsers`] for the pages of what readers of
//! files find, [`rows`] for the known traps and the codes that show them, [`accepted`] for what
//! silences a finding.
//! [`forwarding`] makes of a snapshot what the checks of routes take.
//! [`html`] makes one page of all that was found, with the pictures of [`picture`].
//! [`mod@explain`] answers another question: what happens to the traffic between two ports?
//!
//! To add a rule: a static in one of the files of [`rules`], its place in [`RULES`], a page in
//! `src/rules/pages`, and two folders in `fixtures`: the smallest input that shows it and the
//! smallest that does not. Tests hold that all of these are there.

#![forbid(unsafe_code)]

pub mod accepted;
pub mod explain;
pub mod files;
pub mod forwarding;
pub mod html;
pub mod kinds;
pub mod managed;
pub mod parsers;
pub mod picture;
pub mod rows;
pub mod rule;
pub mod rules;
pub mod seen;
pub mod site;

pub use accepted::Accepted;
pub use files::{GuidFile, GuidsOf, Located, SiteFiles};
pub use forwarding::Held;
pub use kinds::PortKind;
pub use managed::{Carries, Managed, Routing, Unrouted};
pub use parsers::PARSERS;
pub use rows::ROWS;
pub use rule::{Page, Rule, check, explain, pages};
pub use rules::RULES;
pub use seen::Seen;
pub use site::Site;
