//! The list of routing engines: names that are there, names of NVIDIA's OpenSM, misspelt ones.

use lk_diag::nearest;

/// A routing engine of OpenSM, or our own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// Shortest paths, balanced.
    MinHop,
    /// Up and down from the roots, never up again.
    Updn,
    /// The same upside down.
    Dnup,
    /// Forwarding tables from a file.
    File,
    /// Fat-trees.
    Ftree,
    /// Any topology, deadlock-free by lanes.
    Lash,
    /// Dimension order, for meshes and hypercubes.
    Dor,
    /// Tori with service levels.
    Torus2Qos,
    /// Any topology within a given number of lanes.
    Nue,
    /// Shortest paths, balanced globally, deadlock-free by lanes.
    Dfsssp,
    /// The same without lanes.
    Sssp,
    /// The one that suits the topology. OpenSM does not have it.
    Auto,
}

impl Engine {
    /// All of them with their names in the file.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::MinHop, "minhop"),
        (Self::Updn, "updn"),
        (Self::Dnup, "dnup"),
        (Self::File, "file"),
        (Self::Ftree, "ftree"),
        (Self::Lash, "lash"),
        (Self::Dor, "dor"),
        (Self::Torus2Qos, "torus-2QoS"),
        (Self::Nue, "nue"),
        (Self::Dfsssp, "dfsssp"),
        (Self::Sssp, "sssp"),
        (Self::Auto, "auto"),
    ];

    /// Its name in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(e, _)| *e == self).map_or("", |(_, name)| name)
    }
}

/// A word of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineName {
    /// An engine.
    Known(Engine),
    /// `no_fallback`: minhop is not tried after the list.
    NoFallback,
    /// An engine of NVIDIA's OpenSM.
    Vendor {
        /// The name in the list.
        written: String,
        /// The engine that comes nearest, without adaptive routing.
        instead: Option<Engine>,
    },
    /// A name that nobody knows. OpenSM takes minhop.
    Unknown {
        /// The name in the list.
        written: String,
        /// The engine that was probably meant.
        nearest: Option<&'static str>,
    },
}

/// Names of NVIDIA's engines, and what comes nearest to them here.
const VENDOR: &[(&str, Option<Engine>)] = &[
    ("ar_updn", Some(Engine::Updn)),
    ("ar_ftree", Some(Engine::Ftree)),
    ("ar_torus", Some(Engine::Torus2Qos)),
    ("ar_dor", Some(Engine::Dor)),
    ("kdor-hc", Some(Engine::Dor)),
    ("dfp", Some(Engine::Dfsssp)),
    ("dfp2", Some(Engine::Dfsssp)),
    ("pqft", Some(Engine::Ftree)),
    ("chain", None),
];

/// The words of a list of routing engines, in order. They are separated by commas; blanks do not
/// count, and `(null)`, `null`, `none` and an empty list mean no word at all, which is minhop.
#[must_use]
pub fn engine_list(text: Option<&str>) -> Vec<EngineName> {
    let words = text.unwrap_or_default().split([',', ' ', '\t']).filter(|word| !word.is_empty());
    words.filter(|word| !["none", "null", crate::options::NULL].contains(word)).map(word).collect()
}

fn word(written: &str) -> EngineName {
    if written == "no_fallback" {
        return EngineName::NoFallback;
    }
    if let Some((engine, _)) = Engine::ALL.iter().find(|(_, name)| *name == written) {
        return EngineName::Known(*engine);
    }
    let written = written.to_owned();
    if let Some((_, instead)) = VENDOR.iter().find(|(name, _)| *name == written) {
        return EngineName::Vendor { written, instead: *instead };
    }
    let folded = written.to_ascii_lowercase().replace(['-', '_'], "");
    let same = |name: &&str| name.to_ascii_lowercase().replace('-', "") == folded;
    let names = || Engine::ALL.iter().map(|(_, name)| *name);
    let long = match folded.as_str() {
        "fattree" => Some("ftree"),
        "updown" => Some("updn"),
        "downup" => Some("dnup"),
        _ => None,
    };
    let nearest = long.or_else(|| names().find(same)).or_else(|| nearest(&written, names()));
    EngineName::Unknown { written, nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_list() {
        let list = engine_list(Some("updn, ftree,no_fallback"));
        assert_eq!(
            list,
            [
                EngineName::Known(Engine::Updn),
                EngineName::Known(Engine::Ftree),
                EngineName::NoFallback
            ]
        );
        assert_eq!(engine_list(None), []);
        assert_eq!(engine_list(Some("none, null,(null)")), []);
    }

    #[test]
    fn other_names_are_explained() {
        for (written, expected) in [
            ("min-hop", Some("minhop")),
            ("fat-tree", Some("ftree")),
            ("UPDN", Some("updn")),
            ("torus_2qos", Some("torus-2QoS")),
            ("updown", Some("updn")),
            ("something", None),
        ] {
            let found = engine_list(Some(written));
            let unknown = EngineName::Unknown { written: written.to_owned(), nearest: expected };
            assert_eq!(found, [unknown]);
        }
        let vendor = EngineName::Vendor { written: "ar_updn".into(), instead: Some(Engine::Updn) };
        assert_eq!(engine_list(Some("ar_updn")), [vendor]);
    }
}
