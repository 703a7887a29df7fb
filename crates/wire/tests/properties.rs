//! What holds for every attribute that is made from a table, and for every payload.

use lk_wire::sa::*;
use lk_wire::*;
use proptest::prelude::*;

/// For a type made from a table: any bytes come back as they were; setting a number by its line
/// changes its bits only; random values leave reserved bits alone; too few bytes are an error.
macro_rules! table {
    ($($test:ident: $name:ident;)*) => {$(
        proptest! {
            #[test]
            fn $test(bytes in any::<[u8; 300]>(), value in any::<u64>(), short in 0..$name::LEN) {
                let parsed = $name::parse(&bytes).expect("300 bytes are enough");
                prop_assert_eq!(&parsed.as_bytes()[..], &bytes[..$name::LEN]);
                let error = $name::parse(&bytes[..short]).expect_err("too few bytes");
                let expected =
                    WireError { what: stringify!($name), needed: $name::LEN, got: short };
                prop_assert_eq!(error, expected);

                for field in $name::FIELDS.iter().filter(|field| field.is_number()) {
                    let mut changed = [0xA5; $name::LEN];
                    set_bits(&mut changed, field.offset, field.length, value);
                    for other in $name::FIELDS {
                        let end = other.offset + other.length;
                        for bit in other.offset..end {
                            if other != field {
                                prop_assert_eq!(
                                    get_bits(&changed, bit, 1),
                                    get_bits(&[0xA5; $name::LEN], bit, 1),
                                    "{} has changed {}", field.name, other.name
                                );
                            }
                        }
                    }
                }

                let mut word = value;
                let random = $name::random(|| {
                    word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    word
                });
                for field in $name::FIELDS.iter().filter(|field| !field.is_number()) {
                    for bit in field.offset..field.offset + field.length {
                        prop_assert_eq!(get_bits(random.as_bytes(), bit, 1), 0);
                    }
                }
            }
        }
    )*};
}

table! {
    mad_header: MadHeader;
    smp: Smp;
    node_info: NodeInfo;
    switch_info: SwitchInfo;
    port_info: PortInfo;
    guid_info: GuidInfo;
    sm_info: SmInfo;
    notice: Notice;
    mlnx_ext_port_info: MlnxExtPortInfo;
    local_change: LocalChange;
    m_key_violation: MKeyViolation;
    key_violation: KeyViolation;
    switch_p_key_violation: SwitchPKeyViolation;
    gid_details: GidDetails;
    port_details: PortDetails;
    switch_details: SwitchDetails;
    system_image_details: SystemImageDetails;
    sa_header: SaHeader;
    class_port_info: ClassPortInfo;
    inform_info: InformInfo;
    inform_info_record: InformInfoRecord;
    node_record: NodeRecord;
    link_record: LinkRecord;
    switch_info_record: SwitchInfoRecord;
    sm_info_record: SmInfoRecord;
    port_info_record: PortInfoRecord;
    path_record: PathRecord;
    multi_path_record: MultiPathRecord;
    member_record: MCMemberRecord;
    service_record: ServiceRecord;
    sl_to_vl_record: SlToVlRecord;
    lft_record: LftRecord;
    mft_record: MftRecord;
    p_key_record: PKeyRecord;
    vl_arb_record: VlArbRecord;
    guid_info_record: GuidInfoRecord;
}

/// For a payload of entries: any bytes come back as they were; too few bytes are an error.
macro_rules! payload {
    ($($test:ident: $name:ident;)*) => {$(
        proptest! {
            #[test]
            fn $test(bytes in any::<[u8; 80]>(), short in 0..$name::LEN) {
                let parsed = $name::parse(&bytes).expect("80 bytes are enough");
                prop_assert_eq!(&parsed.as_bytes()[..], &bytes[..$name::LEN]);
                let error = $name::parse(&bytes[..short]).expect_err("too few bytes");
                prop_assert_eq!((error.needed, error.got), ($name::LEN, short));
                let data = parsed.to_data();
                prop_assert_eq!($name::from_data(&data), parsed);
                prop_assert!(data[$name::LEN..].iter().all(|&b| b == 0));
            }
        }
    )*};
}

payload! {
    node_description: NodeDescription;
    p_key_table: PKeyTable;
    sl_to_vl_table: SlToVlTable;
    vl_arb_table: VlArbTable;
    linear_forwarding_table: LinearForwardingTable;
    multicast_forwarding_table: MulticastForwardingTable;
}

proptest! {
    #[test]
    fn any_text_fits_into_a_node_description(text in "\\PC{0,80}") {
        let description = NodeDescription::from_text(&text);
        let back = description.text();
        prop_assert!(text.starts_with(&back));
        if text.len() <= 64 {
            prop_assert_eq!(back, text.trim_end());
        }
    }

    #[test]
    fn any_route_prints_and_parses(ports in proptest::collection::vec(any::<u8>(), 0..64)) {
        let path = DirPath::from_ports(&ports).expect("at most 63 hops");
        prop_assert_eq!(path.ports(), &ports[..]);
        prop_assert_eq!(path.to_string().parse(), Ok(path));
        let smp = Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(1), MKey(0), &path);
        prop_assert_eq!(smp.path(), Some(path));
    }

    #[test]
    fn sl2vl_modifiers_come_back(number in any::<u32>()) {
        let modifier = SlToVlModifier::parse(number);
        prop_assert_eq!(SlToVlModifier::parse(modifier.encode()), modifier);
    }
}
