//! Requests about multicast groups and the answers that opensm gave to them, on hosts with an MTU
//! of 2048 and a rate of 10 Gb/s.

use std::net::Ipv6Addr;
use std::sync::Arc;

use lk_config::Options;
use lk_config::partitions::parse;
use lk_diag::SourceFile;
use lk_wire::sa::{Message, Record, SaHeader};

use super::*;
use crate::decide::{Partitions, Settings, decide};
use crate::event::SweepFigures;
use crate::io::{GsiAddress, View};
use crate::plan::Plan;
use crate::testing::{carry_out, read_zeros, two_switches};

const PARTITIONS: &str = "Default=0x7fff,ipoib:ALL=full;\nA=0x1,ipoib,sl=2,rate=3,mtu=4:ALL=full;\n\
    B=2:0x100005=full,0x100001;C=3:0x100003;\n\
    D=4,ipoib,rate=7:ALL=full;E=5,ipoib,mtu=5:ALL=full;F=6,ipoib:ALL;G=7,ipoib:0x100005=full;\n";

/// The asker, and another host.
const ME: u64 = 0x10_0003;
const OTHER: u64 = 0x10_0005;
const BROADCAST: &str = "ff12:401b:ffff::ffff:ffff";
const OWN: &str = "ff12::77:1";

fn gid(text: &str) -> Gid {
    let all = u128::from(text.parse::<Ipv6Addr>().unwrap());
    Gid { prefix: (all >> 64) as u64, guid: Guid(all as u64) }
}

struct Subnet {
    served: Served,
    groups: Groups,
    effects: Effects,
    /// The GUID of the port that asks.
    requester: u64,
}

impl Subnet {
    fn new() -> Self {
        Self::with(Options { qos: true, ..Options::default() })
    }

    fn with(options: Options) -> Self {
        let mut settings = Settings::new(options, Default::default());
        let (conf, found) = parse(&SourceFile::new("partitions.conf", PARTITIONS));
        assert!(!conf.refused, "{found:?}");
        settings.partitions = Some(Arc::new(conf));
        let mut seen = two_switches(&[], true);
        for info in seen.ports.iter_mut().flatten() {
            info.set_mtu_cap(4);
        }
        for switch in seen.switches.iter_mut().flatten() {
            switch.set_multicast_fdb_cap(0x400);
        }
        let desired = decide(&seen, &settings);
        read_zeros(&mut seen, &desired);
        let plan = Plan::compare(&seen, &desired);
        carry_out(&mut seen, &plan, &desired);
        let mut groups = Groups::default();
        let partitions = Partitions::of(&seen, &settings);
        let (traps, faults) = groups.settle(&seen, &partitions, &settings, |_| true);
        assert_eq!((traps.len(), faults.len()), (6, 0));
        let view = View {
            seen: Arc::new(seen),
            desired: Arc::new(desired),
            settings: Arc::new(settings),
            figures: SweepFigures::default(),
        };
        let served = Served::new(Arc::new(view));
        Self { served, groups, effects: Effects::default(), requester: ME }
    }

    fn ask(&mut self, method: u8, ask: &Ask) -> Result<Vec<MCMemberRecord>, u16> {
        let mut header = SaHeader::request(method, MCMemberRecord::ID, 1);
        header.set_component_mask(ask.mask);
        let requester = self.served.index.port_by_guid(Guid(self.requester)).unwrap();
        let mut bytes = header.0.to_vec();
        bytes.extend_from_slice(&ask.record.0);
        let message = Message::parse(&bytes).unwrap();
        let request = Request::new(GsiAddress::default(), requester, ask.trusted, message);
        let aliases = Aliases::default();
        let answer = answer(&self.served, &aliases, &mut self.groups, &request, &mut self.effects);
        let Some(bytes) = answer.message(&message) else { return Err(0xFFFF) };
        let message = Message::parse(&bytes).unwrap();
        match message.header.status() {
            0 if method == method::GET_TABLE => {
                Ok(message.records().map(MCMemberRecord::read).collect())
            }
            0 => Ok(vec![MCMemberRecord::read(message.data)]),
            status => Err(status),
        }
    }

    /// The status of a request; 0 where it was answered.
    fn status(&mut self, method: u8, ask: &Ask) -> u16 {
        self.ask(method, ask).err().unwrap_or(0)
    }

    fn one(&mut self, method: u8, ask: &Ask) -> MCMemberRecord {
        let records = self.ask(method, ask).unwrap_or_else(|s| panic!("status {s:#x}"));
        assert!(!records.is_empty());
        records[0]
    }
}

#[derive(Clone, Default)]
struct Ask {
    mask: u64,
    record: MCMemberRecord,
    trusted: bool,
}

macro_rules! components {
    ($($name:ident, $set:ident, $bit:ident: $type:ty;)*) => {
        impl Ask {
            $(fn $name(mut self, value: $type) -> Self {
                self.mask |= member_mask::$bit;
                self.record.$set(value);
                self
            })*
        }
    };
}

components! {
    qkey, set_qkey, QKEY: u32;
    mlid, set_mlid, MLID: u16;
    tclass, set_tclass, TCLASS: u8;
    pkey, set_pkey, PKEY: u16;
    sl, set_sl, SL: u8;
    flow, set_flow_label, FLOW_LABEL: u32;
    hop, set_hop_limit, HOP_LIMIT: u8;
    scope, set_scope, SCOPE: u8;
    join, set_join_state, JOIN_STATE: u8;
    proxy, set_proxy_join, PROXY_JOIN: u8;
}

impl Ask {
    fn of(mgid: &str) -> Self {
        let mut ask = Self { mask: member_mask::MGID, ..Self::default() };
        ask.record.set_mgid(gid(mgid));
        ask
    }

    fn port(mut self, guid: u64) -> Self {
        self.mask |= member_mask::PORT_GID;
        self.record.set_port_gid(Gid { prefix: 0xfe80 << 48, guid: Guid(guid) });
        self
    }

    fn mtu(mut self, selector: u8, mtu: u8) -> Self {
        self.mask |= member_mask::MTU_SELECTOR | member_mask::MTU;
        self.record.set_mtu_selector(selector);
        self.record.set_mtu(mtu);
        self
    }

    fn rate(mut self, selector: u8, rate: u8) -> Self {
        self.mask |= member_mask::RATE_SELECTOR | member_mask::RATE;
        self.record.set_rate_selector(selector);
        self.record.set_rate(rate);
        self
    }

    fn life(mut self, selector: u8, life: u8) -> Self {
        self.mask |= member_mask::LIFE_SELECTOR | member_mask::LIFE;
        self.record.set_life_selector(selector);
        self.record.set_life(life);
        self
    }

    fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }
}

fn join(mgid: &str) -> Ask {
    Ask::of(mgid).port(ME).join(1)
}

/// A join with all that making a group needs.
fn create(mgid: &str) -> Ask {
    join(mgid).qkey(0xb1b).tclass(0).pkey(0xffff).sl(0).flow(0)
}

#[test]
fn a_join_of_the_broadcast_group() {
    let mut subnet = Subnet::new();
    let got = subnet.one(method::SET, &join(BROADCAST).pkey(0xffff));
    let mut want = MCMemberRecord::default();
    want.set_mgid(gid(BROADCAST));
    want.set_port_gid(Gid { prefix: 0xfe80 << 48, guid: Guid(ME) });
    want.set_qkey(0xb1b);
    want.set_mlid(0xc000);
    want.set_pkey(0xffff);
    want.set_mtu_selector(2);
    want.set_mtu(4);
    want.set_rate_selector(2);
    want.set_rate(3);
    want.set_life_selector(2);
    want.set_life(18);
    want.set_scope(2);
    want.set_join_state(1);
    assert_eq!(got, want);
    assert!(subnet.effects.groups_changed);
}

#[test]
fn joins_of_a_group_that_is_there() {
    let b = || join(BROADCAST);
    let nothing = || Ask::of(BROADCAST);
    let of = |key: u16| join(&format!("ff12:401b:{key:x}::ffff:ffff"));
    for (what, ask, status) in [
        ("no MGID", Ask { mask: 0x1_0002, ..b() }, 0x600),
        ("no join state", nothing().port(ME), 0x600),
        ("no port", nothing().join(1), 0x600),
        ("another port", nothing().port(OTHER).join(1), 0),
        ("a port that is not there", nothing().port(0x99).join(1), 0x200),
        ("join state 0", nothing().port(ME).join(0), 0x200),
        ("join state 15", nothing().port(ME).join(15), 0),
        ("Q_Key", b().qkey(0x111), 0x200),
        ("partition", b().pkey(0x8001), 0x200),
        ("limited key", b().pkey(0x7fff), 0),
        ("MTU 5", b().mtu(2, 5), 0x200),
        ("MTU 4", b().mtu(2, 4), 0),
        ("MTU > 3", b().mtu(0, 3), 0),
        ("MTU > 4", b().mtu(0, 4), 0x200),
        ("MTU < 4", b().mtu(1, 4), 0x200),
        ("MTU < 5", b().mtu(1, 5), 0),
        ("largest MTU", b().mtu(3, 1), 0),
        ("MTU without selector", Ask { mask: b().mask | member_mask::MTU, ..b() }, 0),
        ("rate 3", b().rate(2, 3), 0),
        ("rate 2", b().rate(2, 2), 0x200),
        ("rate < 3", b().rate(1, 3), 0x200),
        ("rate > 2", b().rate(0, 2), 0),
        ("life 18", b().life(2, 18), 0),
        // Nobody looks at the packet life of a join: osmtest joins with "greater than 0" a group
        // whose life is 0.
        ("life 17", b().life(2, 17), 0),
        ("life > 18", b().life(0, 18), 0),
        ("SL", b().sl(3), 0x200),
        ("flow label", b().flow(3), 0x200),
        ("hop limit", b().hop(3), 0x200),
        ("traffic class", b().tclass(3), 0x200),
        ("scope", b().scope(5), 0),
        ("LID", b().mlid(0xc007), 0),
        ("too fast for the port", of(0x8004), 0x200),
        ("too large for the port", of(0x8005), 0x200),
        ("limited member", of(0x8006), 0),
        ("not in the partition", of(0x8007), 0x200),
    ] {
        assert_eq!(Subnet::new().status(method::SET, &ask), status, "{what}");
    }
    let mut wrong = b();
    wrong.record.set_port_gid(Gid { prefix: 0xfe81 << 48, guid: Guid(ME) });
    assert_eq!(Subnet::new().status(method::SET, &wrong), 0x500);
}

#[test]
fn join_states_add_up_and_go_one_by_one() {
    let mut subnet = Subnet::new();
    let ask = |state| Ask::of(BROADCAST).port(ME).join(state);
    let mut states = Vec::new();
    for state in [1, 4, 2, 8] {
        states.push(subnet.one(method::SET, &ask(state)).join_state());
    }
    assert_eq!(states, [1, 5, 7, 15]);
    assert_eq!(subnet.one(method::SET, &join(BROADCAST).proxy(1)).proxy_join(), 1, "it echoes");
    let left = subnet.one(method::DELETE, &ask(2));
    assert_eq!((left.join_state(), left.scope(), left.proxy_join()), (13, 2, 0));
    assert_eq!((left.mtu_selector(), left.mtu(), left.mlid()), (2, 0, 0), "the request's own");
    assert_eq!(subnet.one(method::DELETE, &ask(1)).join_state(), 12);
    for all_or_nothing in [0, 3, 5, 14] {
        assert_eq!(subnet.status(method::DELETE, &ask(all_or_nothing)), 0x200);
    }
    assert_eq!(subnet.one(method::DELETE, &ask(12)).join_state(), 0);
    assert_eq!(subnet.status(method::DELETE, &ask(1)), 0x200);
    assert_eq!(subnet.status(method::DELETE, &join("ff12::99")), 0x200);
    assert_eq!(subnet.status(method::DELETE, &Ask::of(BROADCAST).port(ME)), 0x600);
    assert!(subnet.effects.notices.is_empty(), "a partition's group stays");
}

#[test]
fn making_a_group() {
    let without = |bit: u64| Ask { mask: create(OWN).mask & !bit, ..create(OWN) };
    let key = |pkey| create(OWN).pkey(pkey);
    for (what, ask, status) in [
        ("whole", create(OWN), 0),
        ("no Q_Key", without(member_mask::QKEY), 0x600),
        ("no traffic class", without(member_mask::TCLASS), 0x600),
        ("no P_Key", without(member_mask::PKEY), 0x600),
        ("no SL", without(member_mask::SL), 0x600),
        ("no flow label", without(member_mask::FLOW_LABEL), 0x600),
        ("to send only, nothing else given", Ask::of(OWN).port(ME).join(4), 0x200),
        ("nothing else given", join(OWN), 0x600),
        ("to send only", create(OWN).join(4), 0x200),
        ("non-member", create(OWN).join(2), 0x200),
        ("full and to send", create(OWN).join(5), 0),
        ("to send as full member", create(OWN).join(8), 0),
        ("partition not held", key(0x8002), 0x200),
        ("limited member", key(0x8003), 0),
        ("limited key", key(0x7fff), 0),
        ("no such partition", key(0x8077), 0x200),
        ("no key", key(0x8000), 0x200),
        ("MTU 5", create(OWN).mtu(2, 5), 0x200),
        (
            "MTU selector alone",
            Ask { mask: create(OWN).mask | 1 << 4, ..create(OWN).mtu(2, 0) },
            0x200,
        ),
        ("rate 7", create(OWN).rate(2, 7), 0x200),
        ("IP", create("ff12:401b:ffff::1"), 0),
        ("IP with another Q_Key", create("ff12:401b:ffff::1").qkey(7), 0x200),
        ("IP with another SL", create("ff12:401b:ffff::1").sl(1), 0x200),
        ("IP with another traffic class", create("ff12:401b:ffff::1").tclass(2), 0x200),
        ("IP with a smaller MTU", create("ff12:401b:ffff::1").mtu(2, 3), 0),
        ("IP with a lower rate", create("ff12:401b:ffff::1").rate(2, 2), 0),
        ("IP with another key", create("ff12:401b:ffff::1").pkey(0x8001), 0x200),
        ("IP in another partition", create("ff12:401b:8001::1").pkey(0x8001).sl(2), 0),
        ("IP with no broadcast group", create("ff15:401b:ffff::1"), 0x200),
        ("IP without key", create("ff12:401b::1"), 0x200),
        ("IPv6", create("ff12:601b:ffff::1:ff00:21"), 0),
    ] {
        assert_eq!(Subnet::new().status(method::SET, &ask), status, "{what}");
    }
}

#[test]
fn mgids_that_may_be_made() {
    for (mgid, status) in [
        ("fe80::1", 0x200),
        ("ff02::1", 0),
        ("ff00::1", 0),
        ("ff12::5", 0),
        ("ff1f::5", 0),
        ("ff22::5", 0x200),
        ("ff32::5", 0x200),
        ("ff82::1", 0x200),
        ("ff12:a01b:fe80::1", 0x200),
        ("ff12:1:2:3::4", 0),
    ] {
        assert_eq!(Subnet::new().status(method::SET, &create(mgid)), status, "{mgid}");
    }
    let mut subnet = Subnet::new();
    let made = subnet.one(method::SET, &create("::"));
    assert_eq!((made.mgid().to_string().as_str(), made.mlid()), ("ff12:a01b:fe80::", 0xc006));
    let made = subnet.one(method::SET, &create("::").scope(5));
    assert_eq!(made.mgid().to_string(), "ff15:a01b:fe80::100:0:0");
    assert_eq!((made.scope(), made.life(), made.hop_limit()), (5, 0, 0));
    let made = subnet.one(method::SET, &create("::").scope(0));
    assert_eq!(made.mgid().to_string(), "ff10:a01b:fe80::200:0:0");
    // A scope that the mask does not name is kept all the same, and makes no MGID.
    let mut unnamed = create("::").scope(5);
    unnamed.mask &= !member_mask::SCOPE;
    let made = subnet.one(method::SET, &unnamed);
    assert_eq!((made.mgid().to_string().as_str(), made.scope()), ("ff12:a01b:fe80::300:0:0", 5));
}

#[test]
fn what_a_made_group_holds() {
    let mut subnet = Subnet::new();
    let ask = create(OWN).mtu(1, 4).rate(1, 3).life(1, 18).hop(9).sl(9).flow(0xf_ffff).tclass(7);
    let got = subnet.one(method::SET, &ask.mlid(0xc055));
    assert_eq!((got.mtu(), got.rate(), got.life()), (3, 5, 18));
    assert_eq!((got.hop_limit(), got.sl(), got.flow_label(), got.tclass()), (9, 9, 0xf_ffff, 7));
    assert_eq!((got.mlid(), got.scope()), (0xc055, 0));
    let mut unnamed = create("ff12::77:9").life(0, 7).hop(6);
    unnamed.mask &= !(member_mask::LIFE | member_mask::HOP_LIMIT);
    let got = subnet.one(method::SET, &unnamed);
    assert_eq!((got.life(), got.hop_limit()), (7, 6), "as they stand there, named or not");
    let taken = subnet.one(method::SET, &create("ff12::77:2").mlid(0xc000));
    assert_eq!(taken.mlid(), 0xc007);
    let beyond = subnet.one(method::SET, &create("ff12::77:3").mlid(0xc400));
    assert_eq!(beyond.mlid(), 0xc008);
}

#[test]
fn a_group_is_told_when_it_comes_and_goes() {
    let mut subnet = Subnet::new();
    subnet.one(method::SET, &create(OWN));
    subnet.one(method::SET, &Ask::of(OWN).port(OTHER).join(4));
    let left = subnet.one(method::DELETE, &join(OWN));
    assert_eq!(left.join_state(), 0);
    assert_eq!(subnet.status(method::GET, &Ask::of(OWN)), 0x300);
    let told = [Trap::GroupCreated(gid(OWN)), Trap::GroupDeleted(gid(OWN))];
    assert_eq!(subnet.effects.notices, told);
}

#[test]
fn who_is_not_trusted_sees_groups_and_not_their_members() {
    let mut subnet = Subnet::new();
    subnet.one(method::SET, &join(BROADCAST));
    let seen = subnet.one(method::GET, &Ask::of(BROADCAST));
    assert_eq!((seen.port_gid(), seen.join_state()), (Gid::default(), 0));
    let b = || Ask::of(BROADCAST);
    for (what, ask, status) in [
        ("a member", b().port(ME), 0),
        ("no member", b().port(OTHER), 0x300),
        ("all", Ask::default(), 0x400),
        ("LID", Ask::default().mlid(0xc000), 0),
        ("made with 1", b().join(1), 0),
        ("made with 4", b().join(4), 0x300),
        ("proxies", b().proxy(1), 0),
        ("MTU > 3", b().mtu(0, 3), 0),
        ("MTU > 4", b().mtu(0, 4), 0x300),
        ("rate < 3", b().rate(1, 3), 0x300),
        ("largest rate", b().rate(3, 3), 0),
        ("life < 18", b().life(1, 18), 0),
        ("MTU < 6", b().mtu(1, 6), 0x200),
        ("rate > 1", b().rate(0, 1), 0x200),
        ("scope", b().scope(5), 0x300),
        ("SL", b().sl(1), 0x300),
        ("limited key", b().pkey(0x7fff), 0),
        ("Q_Key", b().qkey(0x999), 0x300),
        ("another partition", Ask::of("ff12:401b:8007::ffff:ffff"), 0x300),
    ] {
        assert_eq!(subnet.status(method::GET, &ask), status, "{what}");
    }
    let table = subnet.ask(method::GET_TABLE, &Ask::default()).unwrap();
    let mlids: Vec<u16> = table.iter().map(MCMemberRecord::mlid).collect();
    assert_eq!(mlids, [0xc001, 0xc002, 0xc003, 0xc004, 0xc000], "by MGID, without partition 7");
}

#[test]
fn who_is_trusted_sees_each_member() {
    let mut subnet = Subnet::new();
    subnet.one(method::SET, &join(BROADCAST).join(7));
    subnet.one(method::SET, &Ask::of(BROADCAST).port(OTHER).join(1));
    let all = subnet.ask(method::GET_TABLE, &Ask::of(BROADCAST).trusted()).unwrap();
    let who: Vec<_> = all.iter().map(|r| (r.port_gid().guid.0, r.join_state())).collect();
    assert_eq!(who, [(ME, 7), (OTHER, 1)]);
    let one = |ask: Ask| subnet.clone_groups().status(method::GET, &ask.trusted());
    assert_eq!(one(Ask::of(BROADCAST).port(ME)), 0);
    assert_eq!(one(Ask::of(BROADCAST).join(7)), 0);
    assert_eq!(one(Ask::of(BROADCAST).join(4)), 0x300);
    assert_eq!(one(Ask::of("ff12:401b:8001::ffff:ffff")), 0x300, "nobody is in it");
    assert_eq!(one(Ask::of("ff12:401b:8007::ffff:ffff")), 0x300);
}

impl Subnet {
    fn clone_groups(&self) -> Self {
        Self { groups: self.groups.clone(), ..Self::new() }
    }
}

#[test]
fn validation_can_be_switched_off() {
    let off = Options {
        qos: true,
        mcgroup_join_validation: false,
        ipoib_mcgroup_creation_validation: false,
        ..Options::default()
    };
    assert_eq!(Subnet::with(off.clone()).status(method::SET, &join(BROADCAST).qkey(0x111)), 0);
    let ask = create("ff12:401b:ffff::1").qkey(7);
    assert_eq!(Subnet::with(off).status(method::SET, &ask), 0);
}

#[test]
fn members_that_are_gone_leave_and_take_their_groups_along() {
    let mut subnet = Subnet::new();
    subnet.one(method::SET, &create(OWN));
    subnet.one(method::SET, &join(BROADCAST));
    let view = Arc::clone(&subnet.served.view);
    let partitions = Partitions::of(&view.seen, &view.settings);
    let there = |guid: Guid| guid != Guid(ME);
    let (traps, _) = subnet.groups.settle(&view.seen, &partitions, &view.settings, there);
    assert_eq!(traps, [Trap::GroupDeleted(gid(OWN))]);
    assert_eq!(subnet.groups.get(gid(BROADCAST)).unwrap().members().len(), 0);
}

#[test]
fn a_partitions_group_takes_new_attributes_when_it_is_empty() {
    let mut subnet = Subnet::new();
    let view = Arc::clone(&subnet.served.view);
    let reread = |groups: &mut Groups| {
        let mut settings = (*view.settings).clone();
        let text = "Default=0x7fff,ipoib,mtu=3:ALL=full;\n";
        settings.partitions = Some(Arc::new(parse(&SourceFile::new("p", text)).0));
        let partitions = Partitions::of(&view.seen, &settings);
        groups.settle(&view.seen, &partitions, &settings, |_| true)
    };
    subnet.one(method::SET, &join(BROADCAST));
    let (traps, _) = reread(&mut subnet.groups);
    assert_eq!(traps.len(), 5, "the other partitions are gone");
    let mtu = |groups: &Groups| groups.get(gid(BROADCAST)).unwrap().params.mtu;
    assert_eq!(mtu(&subnet.groups), 4, "somebody is in it");
    subnet.one(method::DELETE, &join(BROADCAST));
    reread(&mut subnet.groups);
    assert_eq!(mtu(&subnet.groups), 3);
}

#[test]
fn groups_come_back_after_a_restart_without_those_who_are_gone() {
    let mut subnet = Subnet::new();
    subnet.one(method::SET, &create(OWN).mlid(0xc055).sl(9));
    subnet.one(method::SET, &Ask::of(OWN).port(OTHER).join(4));
    subnet.one(method::SET, &create("ff12::77:2").join(8));
    subnet.one(method::SET, &Ask::of(BROADCAST).port(OTHER).join(1));
    let kept: Vec<_> = subnet.groups.iter().map(|(m, g)| kept(m, g, 0xfe80 << 48)).collect();
    assert_eq!(kept.len(), 8);
    let mut again = Subnet::new();
    for group in &kept {
        restore(&mut again.groups, group, |_| true);
    }
    let of = |groups: &Groups, mgid: &str| groups.get(gid(mgid)).cloned();
    for mgid in [OWN, "ff12::77:2", BROADCAST] {
        assert_eq!(of(&again.groups, mgid), of(&subnet.groups, mgid), "{mgid}");
    }
    assert!(again.groups.has_changed());
    let mut without = Subnet::new();
    for group in &kept {
        restore(&mut without.groups, group, |guid| guid != Guid(ME));
    }
    assert_eq!(without.groups.len(), 6, "only the groups of partitions");
    assert!(of(&without.groups, BROADCAST).unwrap().member(Guid(OTHER)).is_some());
}

/// The groups that opensm makes of partitions.conf.
#[test]
fn groups_of_partitions() {
    let mut subnet = Subnet::new();
    let view = Arc::clone(&subnet.served.view);
    let mut settings = (*view.settings).clone();
    let text = "Default=0x7fff:ALL=full;A=1,ipoib,scope=3,scope=5:SELF,mgid=ff12:401b::16\n\
        SELF,mgid=ff15::22,scope=8\nB=2,ipoib,mtu=2048:SELF;C=3,ipoib,rate=7z,mtu=3:SELF;\n\
        D=4,Q_Key=12,TClass=0x1ff,FlowLabel=0xfffff,ipoib:SELF;";
    let text =
        text.replacen("SELF,mgid=ff15::22,scope=8\n", "SELF,mgid=ff15::22,scope=8\nSELF;", 1);
    settings.partitions = Some(Arc::new(parse(&SourceFile::new("p", text)).0));
    let partitions = Partitions::of(&view.seen, &settings);
    let (_, faults) = subnet.groups.settle(&view.seen, &partitions, &settings, |_| true);
    let faults: Vec<String> = faults.iter().map(|f| f.mgid.to_string()).collect();
    let no = ["ff13:401b:8001::16", "ff15:401b:8001::16", "ff12:401b:8002::ffff:ffff"];
    assert_eq!(faults, no, "no broadcast group in these scopes; no such MTU");
    let made: Vec<(String, u8, u8, u8)> = subnet
        .groups
        .iter()
        .map(|(m, g)| (m.to_string(), g.params.scope, g.params.hop_limit, g.params.rate))
        .collect();
    let want = [
        ("ff12:401b:8001::ffff:ffff", 2, 0, 3),
        ("ff12:401b:8003::ffff:ffff", 2, 0, 7),
        ("ff12:401b:8004::ffff:ffff", 2, 0, 3),
        ("ff13::22", 3, 255, 3),
        ("ff15::22", 5, 255, 3),
        ("ff18::22", 8, 255, 3),
    ];
    assert_eq!(made, want.map(|(m, s, h, r)| (m.to_owned(), s, h, r)));
    let d = subnet.groups.get(gid("ff12:401b:8004::ffff:ffff")).unwrap().params;
    assert_eq!((d.qkey, d.tclass, d.flow_label, d.pkey), (12, 0xff, 0xf_ffff, PKey(0x8004)));
}

#[test]
fn only_the_port_itself_changes_what_it_is() {
    let of = |state| Ask::of(BROADCAST).port(OTHER).join(state);
    let proxy = |subnet: &mut Subnet| {
        let members = subnet.ask(method::GET_TABLE, &Ask::of(BROADCAST).port(OTHER).trusted());
        members.unwrap()[0].proxy_join()
    };
    // Another port has joined for it.
    let mut subnet = Subnet::new();
    assert_eq!(subnet.status(method::SET, &of(1)), 0);
    assert_eq!(proxy(&mut subnet), 1);
    assert_eq!(subnet.status(method::SET, &of(2)), 0);
    subnet.requester = OTHER;
    assert_eq!(subnet.status(method::SET, &of(4)), 0);
    subnet.requester = ME;
    assert_eq!(subnet.status(method::DELETE, &of(7)), 0);
    // It has joined itself.
    subnet.requester = OTHER;
    assert_eq!(subnet.status(method::SET, &of(1)), 0);
    subnet.requester = ME;
    assert_eq!(proxy(&mut subnet), 0);
    assert_eq!(subnet.status(method::SET, &of(2)), 0x200);
    assert_eq!(subnet.status(method::DELETE, &of(1)), 0x200);
}

#[test]
fn ports_in_other_ways_stay_in_a_partitions_group_without_full_members() {
    let mut subnet = Subnet::new();
    let ask = |state| Ask::of(BROADCAST).port(ME).join(state);
    subnet.one(method::SET, &ask(5));
    assert_eq!(subnet.one(method::DELETE, &ask(1)).join_state(), 4);
    assert_eq!(subnet.one(method::DELETE, &ask(4)).join_state(), 0);
}
