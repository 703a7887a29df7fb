//! Requests of any bytes: none of them brings the server down, and each has at most one answer.

use lk_wire::sa::{SaHeader, sa_attr};
use lk_wire::{attr, class};
use proptest::prelude::*;

use crate::io::GsiAddress;
use crate::sa::Effects;
use crate::sa::testing::Lab;
use lk_wire::Lid;

const ATTRIBUTES: [u16; 20] = [
    attr::CLASS_PORT_INFO,
    attr::INFORM_INFO,
    sa_attr::NODE_RECORD,
    sa_attr::PORT_INFO_RECORD,
    sa_attr::SL2VL_RECORD,
    sa_attr::SWITCH_INFO_RECORD,
    sa_attr::LFT_RECORD,
    sa_attr::RFT_RECORD,
    sa_attr::MFT_RECORD,
    sa_attr::SM_INFO_RECORD,
    sa_attr::LINK_RECORD,
    sa_attr::GUID_INFO_RECORD,
    sa_attr::SERVICE_RECORD,
    sa_attr::PKEY_RECORD,
    sa_attr::PATH_RECORD,
    sa_attr::VLARB_RECORD,
    sa_attr::MC_MEMBER_RECORD,
    sa_attr::TRACE_RECORD,
    sa_attr::MULTI_PATH_RECORD,
    sa_attr::INFORM_INFO_RECORD,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn requests_of_any_bytes_are_answered_or_dropped(
        requests in proptest::collection::vec(
            (
                proptest::collection::vec(any::<u8>(), 0..400),
                0usize..20,
                prop_oneof![Just(1u8), Just(2), Just(0x12), Just(0x14), Just(0x15), any::<u8>()],
                prop_oneof![Just(0u64), Just(u64::MAX), 0u64..0x1_0000, any::<u64>()],
                0u16..10,
                any::<bool>(),
            ),
            1..40,
        )
    ) {
        let mut lab = Lab::plain();
        for (mut bytes, attribute, method, mask, lid, trusted) in requests {
            if let Some(head) = bytes.get_mut(..SaHeader::LEN) {
                let mut header = SaHeader::parse(head).unwrap();
                header.set_base_version(1);
                header.set_mgmt_class(class::SUBN_ADM);
                header.set_method(method & 0x7F);
                header.set_attr_id(ATTRIBUTES[attribute]);
                header.set_component_mask(mask);
                header.set_sm_key(u64::from(trusted));
                head.copy_from_slice(&header.0);
            }
            // Small numbers in the record are LIDs and ports that there are.
            for byte in bytes.iter_mut().skip(SaHeader::LEN).step_by(2) {
                *byte &= 1;
            }
            let from = GsiAddress { lid: Lid(lid), qp: 1, ..GsiAddress::default() };
            let refused = lab.sa.take(lab.now, from, &bytes);
            prop_assert_eq!(refused, None);
            let mut effects = Effects::default();
            while lab.sa.has_work() {
                if let Some(answer) = lab.sa.answer_next(lab.now, &mut effects) {
                    prop_assert!(answer.bytes.len() >= SaHeader::LEN);
                    prop_assert!(SaHeader::parse(&answer.bytes).unwrap().is_response());
                }
            }
            while lab.sa.next_report(lab.now).is_some() {}
        }
    }
}
