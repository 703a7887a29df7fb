//! Any bytes can be read, and what is written is read back the same.

use lk_config::options::{self, CctEntry, CctTable, Kind, PortMask, Value};
use lk_config::{Effective, Options, opensm_conf};
use lk_diag::{SourceFile, render};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some(String::new())),
        "[ -~&&[^#]]{0,40}".prop_map(Some),
        "[\"' \ta-c]{0,5}".prop_map(Some),
        "\\PC{0,10}".prop_map(Some),
    ]
}

fn value(kind: Kind) -> BoxedStrategy<Value> {
    match kind {
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::U8 => any::<u8>().prop_map(Value::U8).boxed(),
        Kind::U16 => any::<u16>().prop_map(Value::U16).boxed(),
        Kind::U32 => any::<u32>().prop_map(Value::U32).boxed(),
        Kind::I32 => any::<i32>().prop_map(Value::I32).boxed(),
        Kind::X64 => any::<u64>().prop_map(Value::X64).boxed(),
        Kind::Text => text().prop_map(Value::Text).boxed(),
        Kind::Mask => any::<[u8; 32]>().prop_map(|m| Value::Mask(PortMask(m))).boxed(),
        Kind::CctEntry => entry().prop_map(Value::CctEntry).boxed(),
        Kind::CctTable => proptest::collection::vec(entry(), 0..80)
            .prop_map(|t| Value::CctTable(CctTable(t)))
            .boxed(),
        Kind::SlU8 => any::<[u8; 16]>().prop_map(|a| Value::AllSls(a.map(u16::from))).boxed(),
        Kind::SlU16 => any::<[u16; 16]>().prop_map(Value::AllSls).boxed(),
    }
}

fn entry() -> impl Strategy<Value = CctEntry> {
    (any::<u8>(), any::<u16>()).prop_map(|(shift, multiplier)| CctEntry { shift, multiplier })
}

/// Options of which about half differ from their default.
fn any_options() -> impl Strategy<Value = Options> {
    let values: Vec<_> =
        options::all().map(|spec| proptest::option::of(value(spec.kind))).collect();
    values.prop_map(|values| {
        let mut out = Options::default();
        for (spec, value) in options::all().zip(values) {
            if let Some(value) = value {
                spec.set(&mut out, &value);
            }
        }
        out
    })
}

/// Options that the file cannot express keep their default in it.
fn writable(options: &Options) -> Options {
    let mut out = options.clone();
    for spec in options::all() {
        if let Value::Text(Some(text)) = spec.get(&out)
            && (text.contains(['#', '\n', '\0']) || text == "(null)")
        {
            spec.set(&mut out, &spec.default_value());
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(options in any_options()) {
        let (text, not_written) = opensm_conf::write(&options);
        let (conf, _) = opensm_conf::parse(&SourceFile::new("f", text));
        let mut back = Effective::new(None);
        back.load(&conf);
        let expected = writable(&options);
        prop_assert_eq!(not_written.is_empty(), expected == options);
        for spec in options::all() {
            prop_assert_eq!(spec.get(back.options()), spec.get(&expected), "{}", spec.key);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let (conf, diagnostics) = opensm_conf::parse(&SourceFile::new("f", bytes));
        let mut effective = Effective::new(None);
        effective.load(&conf);
        let all = diagnostics.into_iter().chain(effective.verify()).chain(effective.notices());
        for d in all {
            prop_assert!(!render::text(&d, render::Style::Plain).is_empty());
        }
    }

    #[test]
    fn any_lines_are_read(
        lines in proptest::collection::vec(
            (0usize..400, "\\PC{0,30}|[0-9a-fx:, \"'#=-]{0,40}"),
            0..30,
        )
    ) {
        let keys: Vec<&str> = options::all().map(|s| s.key).collect();
        let text: String = lines
            .iter()
            .map(|(k, v)| format!("{} {v}\n", keys.get(*k).copied().unwrap_or("strange")))
            .collect();
        let source = SourceFile::new("f", text);
        let (conf, _) = opensm_conf::parse(&source);
        let mut effective = Effective::new(None);
        effective.load(&conf);
        let corrections = effective.verify();
        let again = effective.clone().verify();
        let about_lists = |d: &lk_diag::Diagnostic| {
            d.code == lk_config::codes::VLARB_LIST || d.code == lk_config::codes::SL2VL_LIST
        };
        prop_assert!(
            again.iter().all(|d| about_lists(d) || d.severity == lk_diag::Severity::Info),
            "once corrected, nothing is left to correct: {again:?} after {corrections:?}"
        );
        let _ = effective.reload(&conf);
        let _ = effective.notices();
    }
}
