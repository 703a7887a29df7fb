//! What a path is like: of what its way can carry, what policy, partition, routing engine and
//! client agree on.

use lk_fabric::PortId;
use lk_qos::policy::{Level, PathQuery};
use lk_wire::sa::Selector;
use lk_wire::{Lid, Mtu, PKey, Rate, Sl};

use super::ports::policy;
use super::query::{Bound, Wanted};
use super::walk::{Broken, walk};
use crate::sa::Context;

/// The properties of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// MTU.
    pub mtu: Mtu,
    /// Rate.
    pub rate: Rate,
    /// Packet life time, a code of six bits.
    pub life: u8,
    /// The partition, 0 for raw packets.
    pub pkey: PKey,
    /// SL.
    pub sl: Sl,
    /// How many switches it passes.
    pub hops: usize,
}

/// Why a client gets no path. [`super::no_path`] says it in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoPath {
    /// The tables do not lead there.
    Way(Broken),
    /// Every SL is dropped somewhere on the way.
    NoSl,
    /// The SL of the level is dropped on the way, or is over 15.
    LevelSl(u8),
    /// No path has such an MTU.
    Mtu,
    /// No path has such a rate.
    Rate,
    /// No path has such a life time.
    Life,
    /// The ends do not share this partition, or any.
    Partition(Option<PKey>),
    /// The level does not allow this partition, or any that the ends share.
    LevelPartition(Option<PKey>),
    /// The level has another SL than the one that is asked for.
    OtherSl(Sl),
    /// The SL is dropped on the way.
    Dropped(Sl),
    /// The routing engine has another SL than the one that is asked for.
    EngineSl(Sl),
}

/// The properties of the path between two end ports, or why there is none.
///
/// # Errors
/// [`NoPath`].
pub fn choose(
    context: &Context<'_>,
    wanted: &Wanted,
    (from, to): (PortId, PortId),
    (_slid, dlid): (Lid, Lid),
) -> Result<Chosen, NoPath> {
    let view = context.view();
    let options = &view.settings.options;
    let way = walk(view, &context.served.paths, (from, to), dlid, |_, _| {});
    let way = way.map_err(NoPath::Way)?;
    if options.qos && way.usable == 0 {
        return Err(NoPath::NoSl);
    }
    let usable = |sl: u8| !options.qos || (sl < 16 && way.usable & 1 << sl != 0);
    let level = policy(view).filter(|_| options.qos).map(|policy| {
        policy.level(&PathQuery {
            source: from,
            destination: to,
            qos_class: wanted.qos_class,
            service_id: wanted.service_id,
            pkey: wanted.pkey,
        })
    });
    let (mut mtu, mut rate) = (way.mtu, way.rate);
    if let Some(level) = level {
        mtu = mtu.min(level.mtu_limit.unwrap_or(mtu));
        rate = rate.min(level.rate_limit.map_or(rate, Rate));
        if !usable(level.sl) {
            return Err(NoPath::LevelSl(level.sl));
        }
    }
    let life = match level.and_then(|l| l.packet_life) {
        _ if from == to => 0,
        Some(life) => life,
        None => options.subnet_timeout & 0x3F,
    };
    let mtu = Mtu(within(mtu.0, wanted.mtu, 1).ok_or(NoPath::Mtu)?);
    let rate = rate_within(rate, wanted.rate).ok_or(NoPath::Rate)?;
    let life = within(life, wanted.life, 0).ok_or(NoPath::Life)?;
    let (pkey, partition) = partition(context, wanted, level, (from, to))?;
    let sl = sl(context, wanted, level, partition, usable)?;
    let sl = engine_sl(context, wanted, (from, to, dlid), sl)?;
    Ok(Chosen { mtu, rate, life, pkey, sl, hops: way.hops })
}

/// A code that satisfies a client, at most the one that can be had; `least` is the lowest code.
fn within(have: u8, wanted: Option<Bound>, least: u8) -> Option<u8> {
    let Some(Bound { selector, value }) = wanted else { return Some(have) };
    match selector {
        Selector::GREATER => (have > value).then_some(have),
        Selector::LESS if have < value => Some(have),
        Selector::LESS => (value > least).then(|| value - 1),
        Selector::EXACTLY => (have >= value).then_some(value),
        _ => Some(have),
    }
}

/// As [`within`], by the order of speeds. Only the very rate is exactly it.
fn rate_within(have: Rate, wanted: Option<Bound>) -> Option<Rate> {
    let Some(Bound { selector, value }) = wanted else { return Some(have) };
    let asked = Rate(value);
    match selector {
        Selector::GREATER => (have.rank() > asked.rank()).then_some(have),
        Selector::LESS if have.rank() < asked.rank() => Some(have),
        Selector::LESS => asked.lower(),
        Selector::EXACTLY => (have == asked).then_some(have),
        _ => Some(have),
    }
}

/// The P_Key that is answered, and the partition whose SL may count.
fn partition(
    context: &Context<'_>,
    wanted: &Wanted,
    level: Option<&Level>,
    ends: (PortId, PortId),
) -> Result<(PKey, PKey), NoPath> {
    let partitions = context.index().partitions();
    let first = || partitions.first_common(ends.0, ends.1);
    if wanted.raw {
        return Ok((PKey(0), first().unwrap_or_default()));
    }
    if let Some(asked) = wanted.pkey {
        if !partitions.share_key(ends.0, ends.1, asked) {
            return Err(NoPath::Partition(Some(asked)));
        }
        if level.is_some_and(|l| !l.allows(asked)) {
            return Err(NoPath::LevelPartition(Some(asked)));
        }
        return Ok((asked, asked));
    }
    if let Some(level) = level.filter(|l| !l.pkeys.is_empty()) {
        let shared = level.pkeys.iter().flat_map(|(low, high)| {
            partitions.common(ends.0, ends.1).filter(|k| (*low..=*high).contains(&k.base()))
        });
        // Without the membership bit, as the level names it.
        let lowest = shared.map(PKey::base).min().ok_or(NoPath::LevelPartition(None))?;
        return Ok((PKey(lowest), PKey(lowest)));
    }
    let key = first().ok_or(NoPath::Partition(None))?;
    Ok((key, key))
}

fn sl(
    context: &Context<'_>,
    wanted: &Wanted,
    level: Option<&Level>,
    partition: PKey,
    usable: impl Fn(u8) -> bool,
) -> Result<Sl, NoPath> {
    let view = context.view();
    let sl = match (wanted.sl, level) {
        (Some(asked), Some(level)) if asked.0 != level.sl => return Err(NoPath::OtherSl(asked)),
        (Some(asked), _) => asked,
        (None, Some(level)) => Sl(level.sl),
        (None, None) if partition.is_valid() => {
            view.desired.partitions.get(partition).map_or(Sl(0), |p| p.sl)
        }
        (None, None) if usable(0) => Sl(0),
        (None, None) => Sl((1..16).find(|sl| usable(*sl)).unwrap_or(0)),
    };
    if usable(sl.0) { Ok(sl) } else { Err(NoPath::Dropped(sl)) }
}

/// The SL that the routing engine makes of the one that policy, partition and client lead to.
fn engine_sl(
    context: &Context<'_>,
    wanted: &Wanted,
    (from, to, dlid): (PortId, PortId, Lid),
    sl: Sl,
) -> Result<Sl, NoPath> {
    let routes = context.view().desired.routes.as_ref();
    let engine = routes.map_or(sl, |routes| routes.sl.sl(from, to, dlid, sl));
    match wanted.sl {
        Some(asked) if asked != engine => Err(NoPath::EngineSl(engine)),
        _ => Ok(engine),
    }
}
