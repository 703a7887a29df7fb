//! All rules. Each file has those of one subject.

mod dropped;
mod ends;
mod engine_lanes;
mod engines;
mod fabric;
mod lanes;
mod limits;
mod lists;
mod lists_of_guids;
mod options;
mod partitions;
pub(crate) mod policy;
mod users;
mod weights;

use crate::rule::Rule;

/// All rules, in the order of their codes.
pub static RULES: &[&Rule] = &[
    &lanes::FEWER_LANES,
    &dropped::DROPPED,
    &weights::NO_WEIGHT,
    &weights::PART_OF_A_PACKET,
    &lists::FOLDED_ENTRY,
    &lists::CUT,
    &limits::STARVED,
    &limits::ONE_PACKET,
    &lists::TWICE,
    &ends::ENDS_DIFFER,
    &weights::NOTHING_SENT,
    &options::NUMBER_OF_LANES,
    &options::LONG_LIST,
    &options::BUILT_IN,
    &options::PORT_0,
    &options::NO_MAPPING,
    &options::REFUSED_TABLES,
    &options::TURNED_OFF,
    &options::NO_CONFIG,
    &engines::NEEDS_QOS,
    &engines::FEW_LANES,
    &users::SHARED_LANE,
    &options::OTHER_MANAGERS,
    &options::POLICY_OFF,
    &engine_lanes::MERGED,
    &policy::names::IPOIB,
    &policy::names::NO_PARTITION,
    &policy::names::NODE_NAMES,
    &policy::dead::DEAD,
    &policy::levels::ASKED_FOR,
    &policy::levels::PARTITION_SL,
    &engines::OWN_SLS,
    &policy::levels::LEVEL_PKEY,
    &policy::names::HUGE_RANGE,
    &policy::dead::OVERLAP,
    &policy::levels::UNUSED,
    &policy::levels::NO_LIMIT,
    &policy::levels::NOT_SHARED,
    &partitions::words::SL_WHILE_OFF,
    &partitions::words::ONE_KEY,
    &partitions::words::BOTH,
    &partitions::words::NO_GROUP,
    &partitions::words::SCOPE,
    &partitions::members::INDEX_0,
    &partitions::words::CHOSEN,
    &partitions::members::OWN_PORT,
    &partitions::members::CANNOT_TALK,
    &partitions::ports::NOT_THERE,
    &partitions::ports::SHUT_OUT,
    &partitions::ports::TABLE_FULL,
    &partitions::words::KEY_BITS,
    &partitions::words::OLD_TEXT,
    &lists_of_guids::UNKNOWN,
    &lists_of_guids::NO_ROUTER,
    &engines::CREDIT_LOOP,
    &engines::DECLINED,
    &fabric::wishes::OTHER_THAN_FILES,
    &fabric::links::ENDS_DISAGREE,
    &fabric::tables::NO_ARBITRATION,
    &fabric::tables::ONE_LANE_FOR_ALL,
    &fabric::tables::NO_SUCH_LANE,
    &fabric::tables::WITHOUT_WEIGHT,
    &fabric::links::BELOW_RATE,
    &fabric::links::BELOW_MTU,
    &fabric::managers::TWO_MASTERS,
    &fabric::identity::SAME_GUID,
    &fabric::routes::NOT_REACHED,
    &fabric::routes::CREDIT_LOOP,
    &fabric::identity::SAME_LID,
    &fabric::routes::SOMETIMES_DROPPED,
    &fabric::keys::MANAGER_NOT_FULL,
    &fabric::apart::ALONE,
    &fabric::keys::ENFORCED_AGAINST,
    &fabric::managers::OPEN_KEYS,
    &fabric::identity::OTHER_PREFIX,
    &fabric::routes::TOP_TOO_LOW,
    &fabric::shares::NO_LIMIT,
    &fabric::lanes::MANAGER_CUT_OFF,
    &fabric::lanes::LANES_AT_REST,
    &fabric::members::OTHER_MEMBERS,
    &fabric::unused::NOT_ACTIVE,
    &fabric::shares::ROUNDED_UP,
];

/// Numbers with commas, and `and` before the last.
fn numbers(of: &str, numbers: &[u8]) -> String {
    let words: Vec<String> = numbers.iter().map(|n| format!("{of}{n}")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
