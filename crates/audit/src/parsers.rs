//! What the readers of files find: the codes of `lk_config`, each with its page.
//!
//! Codes of files that `check` does not read (caches of a running manager) are not among them.

use lk_config::codes;
use lk_diag::{Code, Severity};

/// A code of a reader, and its page.
#[derive(Clone, Copy, Debug)]
pub struct Parser {
    /// The code and its title.
    pub code: Code,
    /// How bad it is at its worst.
    pub severity: Severity,
    /// What it means, how to see it, how to mend it.
    pub page: &'static str,
}

const fn parser(code: Code, severity: Severity, page: &'static str) -> Parser {
    Parser { code, severity, page }
}

/// All codes that `check` reports from readers, in order.
pub static PARSERS: &[Parser] = &[
    parser(codes::UNKNOWN_OPTION, Severity::Error, include_str!("parsers/CF001.md")),
    parser(codes::VENDOR_OPTION, Severity::Warning, include_str!("parsers/CF002.md")),
    parser(codes::WRONG_NAME, Severity::Error, include_str!("parsers/CF003.md")),
    parser(codes::BAD_VALUE, Severity::Error, include_str!("parsers/CF004.md")),
    parser(codes::NOT_A_BOOLEAN, Severity::Error, include_str!("parsers/CF005.md")),
    parser(codes::NO_VALUE, Severity::Error, include_str!("parsers/CF006.md")),
    parser(codes::READ_OTHERWISE, Severity::Warning, include_str!("parsers/CF007.md")),
    parser(codes::EQUALS_SIGN, Severity::Error, include_str!("parsers/CF008.md")),
    parser(codes::LONG_LINE, Severity::Error, include_str!("parsers/CF009.md")),
    parser(codes::COMMENT_IN_QUOTES, Severity::Warning, include_str!("parsers/CF010.md")),
    parser(codes::NUL, Severity::Warning, include_str!("parsers/CF011.md")),
    parser(codes::NOT_UTF8, Severity::Warning, include_str!("parsers/CF012.md")),
    parser(codes::SET_TWICE, Severity::Warning, include_str!("parsers/CF013.md")),
    parser(codes::NOT_ACTED_ON, Severity::Info, include_str!("parsers/CF014.md")),
    parser(codes::NO_EFFECT, Severity::Info, include_str!("parsers/CF015.md")),
    parser(codes::CORRECTED, Severity::Warning, include_str!("parsers/CF016.md")),
    parser(codes::VLARB_LIST, Severity::Warning, include_str!("parsers/CF017.md")),
    parser(codes::SL2VL_LIST, Severity::Warning, include_str!("parsers/CF018.md")),
    parser(codes::QOS_OFF, Severity::Warning, include_str!("parsers/CF019.md")),
    parser(codes::CODE_MEANING, Severity::Warning, include_str!("parsers/CF020.md")),
    parser(codes::ENGINE, Severity::Error, include_str!("parsers/CF021.md")),
    parser(codes::OPENSM_FAILS, Severity::Warning, include_str!("parsers/CF022.md")),
    parser(codes::NEEDS_RESTART, Severity::Warning, include_str!("parsers/CF023.md")),
    parser(codes::LINE_REMOVED, Severity::Warning, include_str!("parsers/CF024.md")),
    parser(codes::UNREADABLE, Severity::Error, include_str!("parsers/CF026.md")),
    parser(codes::UNWISE, Severity::Warning, include_str!("parsers/CF027.md")),
    parser(codes::OPENSM_OTHERWISE, Severity::Info, include_str!("parsers/CF028.md")),
    parser(codes::WRONG_FILE, Severity::Error, include_str!("parsers/CF029.md")),
    parser(codes::GUID_LINE, Severity::Error, include_str!("parsers/CF030.md")),
    parser(codes::GUID_OTHERWISE, Severity::Warning, include_str!("parsers/CF031.md")),
    parser(codes::GUID_TWICE, Severity::Warning, include_str!("parsers/CF032.md")),
    parser(codes::GUID_LONG_LINE, Severity::Error, include_str!("parsers/CF033.md")),
    parser(codes::GUID_REST, Severity::Error, include_str!("parsers/CF034.md")),
    parser(codes::TORUS_LINE, Severity::Error, include_str!("parsers/CF050.md")),
    parser(codes::TORUS_UNUSED, Severity::Warning, include_str!("parsers/CF051.md")),
    parser(codes::TORUS_SEED_SHARED, Severity::Warning, include_str!("parsers/CF052.md")),
    parser(codes::POLICY_REFUSED, Severity::Error, include_str!("parsers/CF060.md")),
    parser(codes::POLICY_UNUSED, Severity::Warning, include_str!("parsers/CF061.md")),
    parser(codes::POLICY_OPENSM_REFUSES, Severity::Warning, include_str!("parsers/CF062.md")),
    parser(codes::POLICY_FAILS, Severity::Warning, include_str!("parsers/CF063.md")),
    parser(codes::POLICY_NAME, Severity::Warning, include_str!("parsers/CF064.md")),
    parser(codes::POLICY_SETUP, Severity::Warning, include_str!("parsers/CF065.md")),
    parser(codes::POLICY_ABSENT, Severity::Warning, include_str!("parsers/CF066.md")),
    parser(codes::PREFIX_LINE, Severity::Error, include_str!("parsers/CF070.md")),
    parser(codes::PREFIX_UNUSED, Severity::Warning, include_str!("parsers/CF071.md")),
    parser(codes::PARTITIONS_REFUSED, Severity::Error, include_str!("parsers/CF080.md")),
    parser(codes::PARTITIONS_OTHERWISE, Severity::Warning, include_str!("parsers/CF081.md")),
    parser(codes::PARTITIONS_IGNORED, Severity::Warning, include_str!("parsers/CF082.md")),
    parser(codes::PARTITIONS_EFFECT, Severity::Warning, include_str!("parsers/CF083.md")),
    parser(codes::PARTITIONS_OPENSM_REFUSES, Severity::Warning, include_str!("parsers/CF084.md")),
    parser(codes::TORUS_QOS, Severity::Warning, include_str!("parsers/CF095.md")),
];
