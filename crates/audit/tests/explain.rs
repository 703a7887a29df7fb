//! What `explain` makes of a snapshot, without a manager or a file.

#![allow(clippy::float_cmp, reason = "shares that are written down are exact")]

use lk_audit::explain::change::{changes, text as change_text};
use lk_audit::explain::{Answer, Answered, Group, NoSpot, Question, Subject, explain, spot, text};
use lk_fabric::{Fabric, FabricBuilder, LinkRate, NodeKind, NodeSpec, PortId, SwitchId};
use lk_snapshot::{MftBlock, Snapshot, Table};
use lk_wire::{
    Gid, Guid, Lid, LinearForwardingTable, Mtu, MulticastForwardingTable, PKey, PKeyTable,
    PortInfo, PortNum, Rate, Sl, SlToVlTable, Vl, VlArbEntry, VlArbTable,
};

/// Two hosts on a switch, LIDs 1 and 2, the switch has 3.
fn fabric() -> Fabric {
    let mut b = FabricBuilder::new();
    let node = |guid, kind, name: &str, ports| NodeSpec::new(Guid(guid), kind, name, ports);
    let a = b.add_node(node(0x10, NodeKind::Ca, "alpha HCA-1", 1)).expect("a node");
    let z = b.add_node(node(0x20, NodeKind::Ca, "omega HCA-1", 1)).expect("a node");
    let s = b.add_node(node(0x30, NodeKind::Switch, "leaf", 4)).expect("a node");
    b.connect((a, 1), (s, 1)).expect("a link");
    b.connect((z, 1), (s, 2)).expect("a link");
    for (node, port) in [(a, 1), (z, 1), (s, 1), (s, 2)] {
        b.set_rate(node, port, LinkRate::HDR_4X).expect("a port");
    }
    b.build()
}

fn port(fabric: &Fabric, name: &str, number: u8) -> PortId {
    let node = fabric.node_ids().find(|id| fabric.node(*id).description.starts_with(name));
    fabric.port_at(node.expect("a node"), PortNum(number)).expect("a port")
}

/// The ports operate four lanes, SL n is on VL n modulo 4, and VL 3 is in no table.
fn snapshot() -> Snapshot {
    let mut all = Snapshot::of_graph(fabric());
    let fabric = std::sync::Arc::clone(&all.fabric);
    for (name, number, lid) in
        [("alpha", 1, 1), ("omega", 1, 2), ("leaf", 0, 3), ("leaf", 1, 0), ("leaf", 2, 0)]
    {
        let port = port(&fabric, name, number);
        let mut info = PortInfo::default();
        info.set_lid(lid);
        info.set_neighbor_mtu(Mtu::M2048.0);
        info.set_vl_cap(4);
        info.set_oper_vls(3);
        info.set_vl_arb_high_cap(4);
        info.set_vl_arb_low_cap(4);
        info.set_vl_high_limit(255);
        all.ports[port.index()] = Some(info);
        let table = SlToVlTable::from_fn(|sl| if sl == Sl(9) { Vl::DROP } else { Vl(sl.0 % 4) });
        all.tables.learn_all_ingress(port, table);
        let list = |entries: &[(u8, u8)]| {
            let entries =
                entries.iter().map(|(vl, weight)| VlArbEntry { vl: Vl(*vl), weight: *weight });
            entries.collect::<VlArbTable>().0
        };
        all.tables.learn(Table::VlArb(port), 1, &list(&[(1, 64), (2, 32)]));
        all.tables.learn(Table::VlArb(port), 3, &list(&[(0, 64)]));
        let keys: PKeyTable = [PKey(0xFFFF), PKey(0x0022)].into_iter().collect();
        all.tables.learn(Table::PKeys(port), 0, &keys.0);
    }
    let mut lft = LinearForwardingTable([255; 64]);
    for (lid, port) in [(1, 1), (2, 2), (3, 0)] {
        assert!(lft.set(lid, PortNum(port)));
    }
    all.tables.learn(Table::Lft(SwitchId(0)), 0, &lft.0);
    let mut mft = MulticastForwardingTable([0; 64]);
    assert!(mft.set(5, 0b110));
    let code = MftBlock { block: 0, position: 0 }.code();
    all.tables.learn(Table::Mft(SwitchId(0)), code, &mft.0);
    all
}

fn ask(snapshot: &Snapshot, question: &Question, answer: &Answer) -> lk_audit::explain::Report {
    let end = |name| spot(snapshot, name).expect("a port");
    explain(&Subject {
        snapshot,
        design: None,
        question,
        ends: (end("alpha"), end("omega")),
        answers: (answer, answer),
        group: None,
    })
}

fn on(sl: u8) -> Question {
    Question { sl: Some(Sl(sl)), ..Question::default() }
}

#[test]
fn shares_are_those_of_the_tables_that_the_ports_hold() {
    let snapshot = snapshot();
    let share = |sl: u8| {
        let report = ask(&snapshot, &on(sl), &Answer::NotAsked);
        assert_eq!(report.there.hops.len(), 2);
        report.there.hops[1].lane.clone().expect("a lane")
    };
    let high = share(4).share.expect("a share");
    assert_eq!((high.guaranteed, high.wait_bytes, high.alone), (1.0, Some(0), 1.0));
    assert_eq!(high.guaranteed_gigabits, 200.0);
    let low = share(1);
    let got = low.share.expect("a share");
    // Without a limit the high table keeps the link.
    assert_eq!((got.guaranteed, got.wait_bytes, got.alone), (0.0, None, 1.0));
    assert_eq!((low.low[0].weight, low.low[0].bytes, low.high.len()), (64, 4096, 0));
    let none = share(3).share.expect("a share");
    assert_eq!((none.alone, none.against), (0.0, vec![0, 1, 2]));
    let beside = |busy: &[u8]| {
        let question = Question { busy: Some(busy.iter().map(|n| Sl(*n)).collect()), ..on(1) };
        let report = ask(&snapshot, &question, &Answer::NotAsked);
        report.there.hops[0].lane.as_ref().and_then(|lane| lane.share.as_ref()?.busy)
    };
    // Weights 64 and 32 are two packets and one.
    assert_eq!(beside(&[2]), Some(2.0 / 3.0));
    assert_eq!(beside(&[2, 8]), Some(0.0));
}

#[test]
fn packets_that_are_dropped_or_not_served_stop_the_way() {
    let snapshot = snapshot();
    let report = ask(&snapshot, &on(9), &Answer::NotAsked);
    assert!(report.there.stops() && report.there.hops[0].lane.as_ref().is_some_and(|l| l.vl == 15));
    assert!(text::report(&report).contains("packets are dropped at hop 1"));
    assert!(ask(&snapshot, &on(3), &Answer::NotAsked).there.stops());
    assert!(!ask(&snapshot, &on(2), &Answer::NotAsked).there.stops());
    // A lane that does not operate drops, too.
    let mut folded = snapshot;
    let sender = port(&folded.fabric, "alpha", 1);
    if let Some(info) = &mut folded.ports[sender.index()] {
        info.set_oper_vls(2);
    }
    let report = ask(&folded, &on(2), &Answer::NotAsked);
    let dropped = report.there.hops[0].lane.as_ref().and_then(|lane| lane.dropped.clone());
    assert!(dropped.is_some_and(|why| why.contains("does not operate")));
}

#[test]
fn what_was_not_read_is_said_and_not_judged() {
    let mut snapshot = snapshot();
    let sender = port(&snapshot.fabric, "leaf", 2);
    snapshot.tables.forget_sl2vl(sender);
    let report = ask(&snapshot, &on(1), &Answer::NotAsked);
    let hop = &report.there.hops[1];
    assert!(hop.lane.is_none() && hop.notes.iter().any(|note| note.contains("SL2VL")));
    assert!(report.there.bottleneck.is_none() && !report.there.stops());
    snapshot.tables.forget(Table::Lft(SwitchId(0)), 0);
    let report = ask(&snapshot, &on(1), &Answer::NotAsked);
    let why = report.there.broken.expect("it leads nowhere");
    assert!(why.contains("leaf was not read"), "{why}");
}

#[test]
fn an_answer_counts_more_than_a_guess() {
    let snapshot = snapshot();
    let path = Answered {
        sl: Sl(6),
        mtu: Mtu::M1024,
        rate: Rate(17),
        life: 18,
        pkey: PKey(0x8022),
        reversible: true,
    };
    let report = ask(&snapshot, &Question::default(), &Answer::Path(path));
    let choice = report.there.choice.as_ref().expect("a choice");
    assert_eq!(
        (choice.sl, choice.set_by.as_str()),
        (Some(6), "the subnet administration that was asked")
    );
    let partition = choice.partition.as_ref().expect("a partition");
    assert_eq!((partition.source, partition.pkey.as_str()), ("limited", "0x8022"));
    assert_eq!(partition.others, ["0x7fff"]);
    let share = report.there.hops[0].lane.as_ref().and_then(|lane| lane.share.clone());
    assert_eq!(share.map(|share| share.packet), Some(1024 + 26), "the path's MTU, not the link's");
    assert_eq!((report.symmetric_sl, report.same_links), (Some(true), true));
    let none =
        ask(&snapshot, &Question::default(), &Answer::NoPath("they are strangers".to_owned()));
    assert!(none.there.stops() && none.symmetric_sl.is_none());
    assert!(text::report(&none).contains("no path, for they are strangers"));
}

#[test]
fn a_group_goes_where_the_switches_copy_it() {
    let snapshot = snapshot();
    let (question, nobody) = (Question::default(), Answer::NotAsked);
    let end = |name| spot(&snapshot, name).expect("a port");
    let ask = |mlid: u16| {
        let params = Some((PKey(0xFFFF), Sl(2), Mtu::M2048, Rate(3)));
        let mgid = Some(Gid { prefix: 0xff12 << 48, guid: Guid(1) });
        let group = Group { mgid, mlid: Some(Lid(mlid)), params, refused: None };
        let subject = Subject {
            snapshot: &snapshot,
            design: None,
            question: &question,
            ends: (end("alpha"), end("omega")),
            answers: (&nobody, &nobody),
            group: Some(&group),
        };
        explain(&subject).multicast.expect("a group")
    };
    let way = ask(0xC005);
    assert_eq!(way.hops.len(), 2);
    assert_eq!(way.hops[1].lane.as_ref().map(|lane| lane.vl), Some(2));
    assert!(ask(0xC006).broken.is_some_and(|why| why.contains("0xc006")));
}

#[test]
fn names_are_taken_only_where_they_mean_one_port() {
    let snapshot = snapshot();
    let means = |word: &str| spot(&snapshot, word).map(|spot| spot.lid.0);
    for (word, lid) in [
        ("alpha", 1),
        ("Alpha HCA-1", 1),
        ("omega/1", 2),
        ("2", 2),
        ("0x2", 2),
        ("leaf", 3),
        ("leaf/2", 3),
        ("0x0000000000000020", 2),
        ("fe80::30", 3),
    ] {
        assert_eq!(means(word), Ok(lid), "{word}");
    }
    for word in ["omego", "alpha/2", "9", "leaf/9", "0x99999", "fe80::99", "", "/"] {
        assert!(matches!(means(word), Err(NoSpot::Unknown { .. })), "{word}");
    }
    let Err(NoSpot::Unknown { near, .. }) = means("omego") else { panic!("there is none") };
    assert_eq!(near.as_deref(), Some("omega"));
}

#[test]
fn changes_are_told_once_for_hops_and_directions_that_are_alike() {
    let before = ask(&snapshot(), &on(1), &Answer::NotAsked);
    let mut other = snapshot();
    for name in ["alpha", "omega"] {
        let port = port(&other.fabric, name, 1);
        if let Some(info) = &mut other.ports[port.index()] {
            info.set_vl_high_limit(0);
        }
    }
    let after = ask(&other, &on(1), &Answer::NotAsked);
    let changes = changes(&before, &after);
    let limit = changes.changes.iter().find(|change| change.what == "high limit");
    let limit = limit.expect("it changes");
    assert_eq!((limit.way, limit.hops.as_slice()), ("there and back", &[1][..]));
    assert!(limit.before.starts_with("255") && limit.after.starts_with('0'));
    assert!(changes.unchanged.contains(&"VL") && !changes.unchanged.contains(&"high limit"));
    let text = change_text(&changes, &["qos_high_limit=0".to_owned()]);
    assert!(text.starts_with("With qos_high_limit=0:\n") && text.contains("unchanged: "), "{text}");
    let none = self::changes(&before, &before);
    assert!(change_text(&none, &[String::new()]).contains("nothing of this changes"));
}
