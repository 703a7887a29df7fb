//! Numbers and lists in words.

use super::report::{Hop, Lane, Weight};

/// Numbers with commas, and `and` before the last.
pub(super) fn list<T: ToString>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    match words.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Ascending numbers, with those in a row as a range.
pub(super) fn ranges(numbers: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => parts.push((*number, *number)),
        }
    }
    let part = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// A share of 0 to 1.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Gbit/s, with as many digits as say something.
pub(super) fn gigabits(value: f64) -> String {
    if value >= 100.0 || (value - value.round()).abs() < 0.005 {
        format!("{value:.0} Gb/s")
    } else if value >= 1.0 {
        format!("{value:.1} Gb/s")
    } else {
        format!("{value:.2} Gb/s")
    }
}

/// A count of bytes with the time that they take on the link.
pub(super) fn wait(bytes: u64, microseconds: Option<f64>) -> String {
    match microseconds {
        Some(time) => format!("{bytes} bytes ({time:.2} µs)"),
        None => format!("{bytes} bytes"),
    }
}

/// Lanes that operate.
pub(super) fn lanes(hop: &Hop) -> String {
    let range = |n: u8| if n == 1 { "VL0".to_owned() } else { format!("VL0-{}", n - 1) };
    match (hop.lanes, hop.lanes_supported) {
        (0, _) => "lanes not read".to_owned(),
        (now, all) if now == all => format!("{} operate", range(now)),
        (now, all) => format!("{} of {} operate", range(now), range(all)),
    }
}

/// The entries of a lane in one table, with what they come to.
pub(super) fn weights(entries: &[Weight], packet: u32) -> String {
    let weights: Vec<u8> = entries.iter().map(|entry| entry.weight).collect();
    let payload = packet.saturating_sub(crate::kinds::OVERHEAD);
    let unit = |bytes: u32| match bytes {
        bytes if payload > 0 && bytes.is_multiple_of(payload) => {
            let packets = bytes / payload;
            format!("{packets} packet{}", if packets == 1 { "" } else { "s" })
        }
        bytes if bytes < payload => "part of a packet, which counts as one".to_owned(),
        _ => "no whole number of packets, so the last one runs over".to_owned(),
    };
    match entries {
        [] => "none".to_owned(),
        [one] => format!("{} ({} bytes: {})", one.weight, one.bytes, unit(one.bytes)),
        several => {
            let same = several.iter().all(|entry| entry.weight == several[0].weight);
            let all: u32 = several.iter().map(|entry| entry.bytes).sum();
            let each = unit(several[0].bytes);
            match same {
                true => {
                    format!("{} times {} ({all} bytes; each {each})", several.len(), weights[0])
                }
                false => format!("{} ({all} bytes)", list(&weights)),
            }
        }
    }
}

/// What a lane gets, in two lines: its share, and how long its packets may wait.
pub(super) fn share(lane: &Lane) -> Option<[String; 2]> {
    let share = lane.share.as_ref()?;
    let against = match share.against.as_slice() {
        [] => "no other lane has an SL".to_owned(),
        lanes => format!("against VL {}", list(lanes)),
    };
    let mut text = format!("share: {} when all SLs send, {against}", percent(share.guaranteed));
    if let Some(busy) = share.busy {
        text.push_str(&format!("; {} beside those of --busy", percent(busy)));
    }
    text.push_str(&format!("; {} alone", percent(share.alone)));
    let wait = match (share.wait_bytes, share.alone > 0.0) {
        (_, false) => "never sent: the lane has no weight in either table".to_owned(),
        (None, true) => "waits for ever while all SLs send".to_owned(),
        (Some(0), true) => "waits for no other lane".to_owned(),
        (Some(bytes), true) => format!(
            "waits for {} of other lanes at most, for packets of {} bytes",
            wait(bytes, share.wait_microseconds),
            share.packet
        ),
    };
    Some([text, wait])
}
