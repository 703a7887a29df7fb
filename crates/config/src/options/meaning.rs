//! What a code means: some options hold a number that stands for something else.

use super::value::Value;

/// What the value of an option stands for, when the number alone does not say it.
#[must_use]
pub fn meaning(key: &str, value: &Value) -> Option<String> {
    let Value::U8(n) = *value else { return None };
    Some(match key {
        "max_op_vls" => match lanes(n) {
            Some(lanes) => lanes.to_owned(),
            None if n == 0 => "OperVLs 0: no VL is masked out".to_owned(),
            None => "no limit".to_owned(),
        },
        "packet_life_time" | "head_of_queue_lifetime" | "leaf_head_of_queue_lifetime" => {
            if n >= 0x14 { "for ever".to_owned() } else { duration(n) }
        }
        "subnet_timeout" => duration(n.min(31)),
        "force_link_speed" => speeds(n, 15, &["2.5", "5", "10"])?,
        "force_link_speed_ext" if n == 30 => "extended speeds off".to_owned(),
        "force_link_speed_ext" => speeds(n, 31, &["14.0625", "25.78125", "53.125", "106.25"])?,
        "force_link_width" if n == 255 => "all that a port supports".to_owned(),
        "force_link_width" if n == 0 => "left as it is".to_owned(),
        "force_link_width" => bits(n, &["1x", "4x", "8x", "12x", "2x"], " or ")?,
        "fdr10" => ["left alone", "enabled", "disabled"].get(usize::from(n))?.to_string(),
        "log_flags" if n == 0 => "nothing".to_owned(),
        "log_flags" => bits(
            n,
            &["errors", "info", "verbose", "debug", "functions", "frames", "routing", "syslog"],
            ", ",
        )?,
        _ => return None,
    })
}

/// The data VLs that a code of VLCap or OperVLs stands for (IBA 14.2.5.6).
#[must_use]
pub const fn lanes(code: u8) -> Option<&'static str> {
    Some(match code {
        1 => "VL0",
        2 => "VL0-1",
        3 => "VL0-3",
        4 => "VL0-7",
        5 => "VL0-14",
        _ => return None,
    })
}

/// 4.096 us * 2^code; the code is below 32.
fn duration(code: u8) -> String {
    let nanos = 4096u64 << code.min(31);
    let (unit, name) = match nanos {
        0..1_000_000 => (1_000, "us"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    // Three digits after the point are exact enough for a person.
    let thousandths = nanos / (unit / 1000);
    let (whole, part) = (thousandths / 1000, thousandths % 1000);
    let text = format!("{whole}.{part:03}");
    format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
}

fn speeds(n: u8, all: u8, names: &[&str]) -> Option<String> {
    if n == 0 {
        return Some("left as it is".to_owned());
    }
    if n == all {
        return Some("all that a port supports".to_owned());
    }
    bits(n, names, " or ").map(|list| format!("{list} Gb/s a lane"))
}

/// The names of the bits that are set; `None` when one has no name or none is set.
fn bits(n: u8, names: &[&str], between: &str) -> Option<String> {
    if n == 0 || u32::from(n) >> names.len() != 0 {
        return None;
    }
    let set = names.iter().enumerate().filter(|(i, _)| n >> i & 1 == 1).map(|(_, name)| *name);
    Some(set.collect::<Vec<_>>().join(between))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_in_words() {
        for (key, n, expected) in [
            ("max_op_vls", 4, Some("VL0-7")),
            ("max_op_vls", 2, Some("VL0-1")),
            ("max_op_vls", 0, Some("OperVLs 0: no VL is masked out")),
            ("max_op_vls", 9, Some("no limit")),
            ("subnet_timeout", 18, Some("1.073 s")),
            ("packet_life_time", 0x12, Some("1.073 s")),
            ("packet_life_time", 0x14, Some("for ever")),
            ("head_of_queue_lifetime", 0, Some("4.096 us")),
            ("head_of_queue_lifetime", 10, Some("4.194 ms")),
            ("force_link_speed_ext", 7, Some("14.0625 or 25.78125 or 53.125 Gb/s a lane")),
            ("force_link_speed_ext", 31, Some("all that a port supports")),
            ("force_link_width", 3, Some("1x or 4x")),
            ("force_link_width", 32, None),
            ("log_flags", 0x43, Some("errors, info, routing")),
            ("sm_sl", 3, None),
        ] {
            assert_eq!(meaning(key, &Value::U8(n)).as_deref(), expected, "{key} {n}");
        }
    }
}
