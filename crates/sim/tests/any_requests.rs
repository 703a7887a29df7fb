//! Requests of any bytes to the subnet administration, as the fuzz target sends them.

use lk_sim::fuzzing;
use lk_wire::sa::{SaHeader, sa_attr};
use lk_wire::{attr, method};
use proptest::prelude::*;

/// Attributes that clients can leave something with, and a few others.
const ATTRIBUTES: [u16; 8] = [
    sa_attr::MC_MEMBER_RECORD,
    sa_attr::SERVICE_RECORD,
    sa_attr::GUID_INFO_RECORD,
    attr::INFORM_INFO,
    sa_attr::INFORM_INFO_RECORD,
    sa_attr::PATH_RECORD,
    sa_attr::MULTI_PATH_RECORD,
    sa_attr::NODE_RECORD,
];

fn request() -> impl Strategy<Value = Vec<u8>> {
    let methods =
        prop_oneof![Just(method::GET), Just(method::SET), Just(0x12), Just(0x15), Just(0x14)];
    let masks =
        prop_oneof![Just(0u64), Just(u64::MAX), Just(0x1_0003), Just(0x1_30C7), any::<u64>()];
    let data = proptest::collection::vec(
        prop_oneof![3 => Just(0u8), 1 => Just(1), 1 => any::<u8>()],
        60..200,
    );
    (1u8..12, 0usize..8, methods, masks, any::<bool>(), data).prop_map(
        |(lid, attribute, method, mask, trusted, data)| {
            let mut header = SaHeader::request(method, ATTRIBUTES[attribute], 1);
            header.set_component_mask(mask);
            header.set_sm_key(u64::from(trusted));
            let mut bytes = header.0.to_vec();
            bytes.extend(data);
            bytes.resize(bytes.len().next_multiple_of(2), 0);
            let length = (bytes.len() / 2) as u8;
            [vec![lid, length], bytes].concat()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn requests_of_any_bytes_leave_what_can_be_kept(
        requests in proptest::collection::vec(request(), 1..20)
    ) {
        fuzzing::sa_requests(&requests.concat());
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        fuzzing::sa_requests(&bytes);
    }
}
