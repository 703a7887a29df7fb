//! Files that nearly make sense: words of the grammar and others, in any order.

use lk_config::fuzzing;
use proptest::prelude::*;

const POLICY: &[&str] = &[
    "port-groups",
    "end-port-groups",
    "port-group",
    "end-port-group",
    "qos-levels",
    "end-qos-levels",
    "qos-level",
    "end-qos-level",
    "qos-match-rules",
    "end-qos-match-rules",
    "qos-match-rule",
    "end-qos-match-rule",
    "qos-ulps",
    "end-qos-ulps",
    "qos-setup",
    "end-qos-setup",
    "vlarb-tables",
    "vlarb-scope",
    "end-vlarb-scope",
    "end-vlarb-tables",
    "sl2vl-tables",
    "sl2vl-scope",
    "end-sl2vl-scope",
    "end-sl2vl-tables",
    "name:",
    "use:",
    "sl:",
    "mtu-limit:",
    "rate-limit:",
    "packet-life:",
    "pkey:",
    "path-bits:",
    "port-guid:",
    "port-name:",
    "partition:",
    "node-type:",
    "source:",
    "destination:",
    "qos-class:",
    "service-id:",
    "qos-level-name:",
    "default",
    "ipoib",
    "sdp",
    "srp",
    "rds",
    "iser",
    "any",
    ", port-num",
    ", pkey",
    ", service-id",
    ", target-port-guid",
    ":",
    ",",
    "-",
    "0x1",
    "7",
    "0xffffffffffffffff",
    "1-2,5",
    "DEFAULT",
    "low",
    "CA,SELF",
    "# note\n",
    "\"",
    "\n",
    "\t",
    "\u{e9}",
    "99999999999999999999",
];

const PARTITIONS: &[&str] = &[
    "Default",
    "=",
    "0x7fff",
    ",",
    ":",
    ";",
    "ipoib",
    "defmember",
    "full",
    "limited",
    "both",
    "ALL",
    "ALL_CAS",
    "ALL_SWITCHES",
    "ALL_ROUTERS",
    "ALL_VCAS",
    "SELF",
    "rate",
    "mtu",
    "sl",
    "scope",
    "Q_Key",
    "TClass",
    "FlowLabel",
    "mgid",
    "ff12:401b::1",
    "indx0",
    "0x10",
    "3",
    "-1",
    "\n",
    " ",
    "# note\n",
    "99999999999",
    "\u{e9}",
    "0xffff",
    "4096",
];

const DUMP: &[&str] = &[
    "MC Group 0xc000  (well known):",
    "mcm_port:",
    "InformInfo Record:",
    "Service Record:",
    "GUIDInfo Record:",
    " mgid=0xff12401bffff0000:0x00000000ffffffff",
    " port_gid=0x0:0x1",
    " qkey=0xb1b",
    " mlid=0xc000",
    " mtu=0x84",
    " scope_state=0x21",
    " proxy_join=0x1",
    " subscriber_gid=0xfe80000000000000:0x1",
    " id=0x1234",
    " name='x'",
    " name='",
    " lease=0x1",
    " lease_period=0xffffffff",
    "\n",
    "\n\n",
    "=",
    "0x",
    "\u{e9}",
    " key=0x1:0x2",
];

fn text(words: &'static [&'static str], between: &'static str) -> impl Strategy<Value = String> {
    let word = prop_oneof![20 => proptest::sample::select(words).prop_map(str::to_owned),
        1 => "\\PC{0,6}"];
    proptest::collection::vec(word, 0..60).prop_map(move |words| words.join(between))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_policy_is_read(text in text(POLICY, " ")) {
        fuzzing::qos_policy(text.as_bytes());
    }

    #[test]
    fn any_partitions_are_read(text in text(PARTITIONS, "")) {
        fuzzing::partitions(text.as_bytes());
    }

    #[test]
    fn any_dump_is_read(text in text(DUMP, "")) {
        fuzzing::sa_db(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        fuzzing::qos_policy(&bytes);
        fuzzing::partitions(&bytes);
        fuzzing::sa_db(&bytes);
    }
}

/// The 31st byte of this name is white space, which is at its end once the rest is cut off.
#[test]
fn a_name_that_is_cut_at_white_space_is_written_as_it_is_read() {
    fuzzing::partitions(b"a name of thirty bytes exactly\tand more : ALL=full ;");
}
