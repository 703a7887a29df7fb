//! How attributes print: the names of the field's tools, one number on a line.

use lk_wire::*;

#[test]
fn display_has_one_line_for_each_number() {
    let mut info = SmInfo::default();
    info.set_guid(0x0002_C903_0000_1234);
    info.set_act_count(7);
    info.set_priority(15);
    info.set_sm_state(SmState::MASTER.0);
    assert_eq!(
        info.to_string(),
        "\
SmInfoGuid:......................0x0002c90300001234
SmInfoKey:.......................0x0000000000000000
SmActivity:......................0x00000007
SmPriority:......................15
SmState:.........................3
"
    );
}

#[test]
fn debug_leaves_reserved_zeros_out_and_shows_what_is_there() {
    let mut info = SmInfo::default();
    info.set_priority(1);
    let debug = format!("{info:?}");
    assert_eq!(
        debug,
        "SmInfo { guid: 0x0, sm_key: 0x0, act_count: 0x0, priority: 0x1, sm_state: 0x0 }"
    );
    info.0[23] = 0xEE;
    assert!(format!("{info:?}").contains("reserved_168: 0xee"), "{info:?}");
    let mut notice = Notice::default();
    notice.0[10] = 0xAB;
    assert!(format!("{notice:?}").contains("details: ab00"), "{notice:?}");
}

#[test]
fn tables_print_their_entries() {
    let keys: PKeyTable = [PKey::DEFAULT_FULL, PKey(1)].into_iter().collect();
    let text = keys.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], "0xffff 0x0001 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000");
}

#[test]
fn names_and_numbers() {
    assert_eq!(PortState::ARMED.to_string(), "Armed");
    assert_eq!(format!("{:>8}|{:?}", PortState(9), PortState(9)), "       9|PortState(9)");
    assert_eq!(format!("{:<8}|", PhysState::SLEEP), "Sleep   |");
    assert_eq!(SmControl::HANDOVER.to_string(), "HANDOVER");
}
