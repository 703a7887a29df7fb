//! The list of routing engines as it is handed to routing: engines of NVIDIA's OpenSM are replaced
//! by what comes nearest to them here, and that is said.

use lk_config::effective::{EngineName, engine_list};

use crate::event::Event;

/// The list to be routed by. Names that nobody knows stay in it: routing says what is known.
pub(super) fn in_force(asked: Option<&str>, events: &mut Vec<Event>) -> String {
    let mut names = Vec::new();
    for name in engine_list(asked) {
        names.push(match name {
            EngineName::Known(engine) => engine.name().to_owned(),
            EngineName::NoFallback => "no_fallback".to_owned(),
            EngineName::Vendor { written, instead: Some(engine) } => {
                let reason = format!(
                    "only NVIDIA's OpenSM has it; {} is tried in its place, without adaptive \
                     routing",
                    engine.name()
                );
                events.push(Event::EngineDeclined { engine: written, reason });
                engine.name().to_owned()
            }
            EngineName::Vendor { written, instead: None } | EngineName::Unknown { written, .. } => {
                written
            }
        });
    }
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nvidias_engines_give_way_to_the_nearest_and_it_is_said() {
        let mut events = Vec::new();
        let list = in_force(Some("ar_updn, minhop no_fallback"), &mut events);
        assert_eq!(list, "updn,minhop,no_fallback");
        assert_eq!(events.len(), 1);
        let text = events[0].to_string();
        assert!(text.contains("ar_updn") && text.contains("updn is tried"), "{text}");
    }

    #[test]
    fn other_names_stay_as_they_are() {
        let mut events = Vec::new();
        assert_eq!(in_force(Some("torus-2QoS,chain,upnd"), &mut events), "torus-2QoS,chain,upnd");
        assert_eq!(in_force(Some("(null)"), &mut events), "");
        assert_eq!(in_force(None, &mut events), "");
        assert!(events.is_empty());
    }
}
