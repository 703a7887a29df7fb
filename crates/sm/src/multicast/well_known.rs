//! The groups that partitions.conf asks for: the IPoIB broadcast group of a partition (RFC 4391 5)
//! and those of its `mgid` items.

use lk_config::partitions::{GroupFlags, Item, Statement};
use lk_wire::{Gid, Guid, PKey, Sl};

use super::group::{Join, Params};
use super::limits;
use crate::decide::{Partitions, Settings};

/// The Q_Key of IPoIB groups where none is given.
pub const IPOIB_QKEY: u32 = 0x0b1b;
/// Link-local scope.
const LINK_LOCAL: u8 = 2;
/// 2048 bytes and 10 Gb/s.
const MTU: u8 = 4;
const RATE: u8 = 3;

/// A group that should be there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WellKnown {
    /// Its MGID.
    pub mgid: Gid,
    /// What its members share.
    pub params: Params,
    /// Why it cannot be.
    pub fault: Option<String>,
}

/// The signatures of IPv4 and IPv6 in an MGID.
#[must_use]
pub fn is_ip(mgid: Gid) -> bool {
    matches!((mgid.prefix >> 32) & 0xFFFF, 0x401B | 0x601B)
}

/// The broadcast group that an IP group belongs to: of the same scope and partition, and
/// transient, also where the group is a permanent one.
#[must_use]
pub fn broadcast_of(mgid: Gid) -> Gid {
    let kept = mgid.prefix & 0x000F_0000_FFFF_0000;
    Gid { prefix: kept | 0xFF10_401B << 32, guid: Guid(0xFFFF_FFFF) }
}

/// The broadcast group of a partition in a scope.
fn broadcast(key: u16, scope: u8) -> Gid {
    let prefix = 0xFF10_401B << 32 | u64::from(scope) << 48 | u64::from(key | 0x8000) << 16;
    Gid { prefix, guid: Guid(0xFFFF_FFFF) }
}

fn with_scope(mgid: Gid, scope: u8) -> Gid {
    let cleared = mgid.prefix & !(0xF << 48);
    Gid { prefix: cleared | u64::from(scope) << 48, ..mgid }
}

/// The groups of all partitions, in the order of the file.
#[must_use]
pub fn groups(partitions: &Partitions, settings: &Settings) -> Vec<WellKnown> {
    let mut made = Vec::new();
    let life = settings.options.subnet_timeout & 0x1F;
    let Some(conf) = Partitions::conf(settings) else {
        let key = PKey::DEFAULT_LIMITED.0;
        let params = Header::new(key, Sl(0), &GroupFlags::default(), life).broadcast();
        made.push(checked(broadcast(key, LINK_LOCAL), params));
        return made;
    };
    for (statement, key) in conf.statements.iter().zip(&partitions.of_statement) {
        // A partition without ports is not there, and neither are its groups.
        if partitions.get(PKey(*key)).is_some() {
            of_statement(statement, *key, settings.options.qos, life, &mut made);
        }
    }
    made
}

/// What a statement's header says of groups.
struct Header<'a> {
    key: u16,
    sl: Sl,
    flags: &'a GroupFlags,
    life: u8,
}

impl<'a> Header<'a> {
    fn new(key: u16, sl: Sl, flags: &'a GroupFlags, life: u8) -> Self {
        Self { key, sl, flags, life }
    }

    fn params(&self, scope: u8) -> Params {
        Params {
            qkey: self.flags.q_key.map_or(0, |k| k.value),
            mtu: self.flags.mtu.map_or(MTU, |m| m.value),
            tclass: 0,
            pkey: PKey(self.key | 0x8000),
            rate: self.flags.rate.map_or(RATE, |r| r.value),
            life: self.life,
            sl: self.sl,
            flow_label: self.flags.flow_label.map_or(0, |f| f.value),
            hop_limit: if scope == LINK_LOCAL { 0 } else { u8::MAX },
            scope,
            made_with: Join::FULL,
            well_known: true,
        }
    }

    fn broadcast(&self) -> Params {
        let mut params = self.params(LINK_LOCAL);
        params.tclass = self.flags.t_class.map_or(0, |c| c.value);
        if params.qkey == 0 {
            params.qkey = IPOIB_QKEY;
        }
        params
    }
}

fn of_statement(statement: &Statement, key: u16, qos: bool, life: u8, made: &mut Vec<WellKnown>) {
    let sl = statement.flags.sl.filter(|_| qos).map_or(Sl(0), |sl| Sl(sl.value));
    let header = Header::new(key, sl, &statement.flags, life);
    if statement.ipoib {
        made.push(checked(broadcast(key, LINK_LOCAL), header.broadcast()));
    }
    for item in &statement.items {
        let Item::Group { mgid, flags } = item else { continue };
        let both = statement.flags.scopes.iter().chain(&flags.scopes);
        let mut scopes: Vec<u8> = both.map(|s| s.value).collect();
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            scopes.push(LINK_LOCAL);
        }
        for scope in scopes {
            made.push(of_item(&header, with_scope(mgid.value, scope), flags, scope));
        }
    }
}

fn of_item(header: &Header<'_>, mgid: Gid, own: &GroupFlags, scope: u8) -> WellKnown {
    let inherited = header.params(scope);
    let mut params = Params {
        qkey: own.q_key.map_or(inherited.qkey, |k| k.value),
        mtu: own.mtu.map_or(inherited.mtu, |m| m.value),
        tclass: own.t_class.map_or(0, |c| c.value),
        rate: own.rate.map_or(inherited.rate, |r| r.value),
        sl: own.sl.map_or(inherited.sl, |sl| Sl(sl.value)),
        flow_label: own.flow_label.map_or(inherited.flow_label, |f| f.value),
        ..inherited
    };
    if !is_ip(mgid) {
        return checked(mgid, params);
    }
    let key = (mgid.prefix >> 16) as u16;
    let fault = if key != 0 && key != header.key | 0x8000 {
        Some(format!("its MGID is of the partition with the key 0x{key:04x}"))
    } else if (params.rate, params.mtu) != (inherited.rate, inherited.mtu) {
        Some("rate and MTU of an IP group are those of the broadcast group".to_owned())
    } else {
        None
    };
    let prefix = mgid.prefix & !0xFFFF_0000 | u64::from(header.key | 0x8000) << 16;
    if params.qkey == 0 {
        params.qkey = IPOIB_QKEY;
    }
    let made = checked(Gid { prefix, ..mgid }, params);
    WellKnown { fault: fault.or(made.fault), ..made }
}

fn checked(mgid: Gid, params: Params) -> WellKnown {
    let fault = if !limits::is_mtu(params.mtu) {
        Some(format!("{} is no code of an MTU: mtu=4 stands for 2048", params.mtu))
    } else if !limits::is_rate(params.rate) {
        Some(format!("{} is no code of a rate: rate=3 stands for 10 Gb/s", params.rate))
    } else {
        None
    };
    WellKnown { mgid, params, fault }
}
