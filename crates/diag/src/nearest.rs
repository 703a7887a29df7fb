//! The word that was probably meant.

/// The candidate nearest to `name` by edit distance, if any is near enough to be worth naming:
/// at most one change for each three letters of `name`, and always one. Changes are a letter
/// more, less or other, or two neighbours swapped. Upper and lower case count as the same, and
/// so do `-` and `_`. Of equally near candidates the first wins; an exact match is distance 0.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer words are not misspelt options but something else altogether.
    const LONGEST: usize = 200;
    let wanted = folded(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let limit = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let word = folded(candidate);
        if word.len().abs_diff(wanted.len()) > limit {
            continue;
        }
        let d = distance(&wanted, &word);
        if d <= limit && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, c)| c)
}

fn folded(word: &str) -> Vec<char> {
    word.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Restricted Damerau-Levenshtein distance, row by row.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            // Every row has b.len() + 1 cells, so j + 1 is within `above`, j within `row`.
            let mut d = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                d = d.min(before[j - 1] + 1);
            }
            row.push(d);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 5] = ["qos", "log_flags", "log_file", "max_op_vls", "routing_engine"];

    #[test]
    fn misspellings_find_their_word() {
        for (typed, meant) in [
            ("qoz", Some("qos")),
            ("QOS", Some("qos")),
            ("max-op-vls", Some("max_op_vls")),
            ("max_opvls", Some("max_op_vls")),
            ("rotuing_engine", Some("routing_engine")),
            ("log_flie", Some("log_file")),
            ("wholly_different", None),
            ("q", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, NAMES), meant, "{typed}");
        }
    }

    #[test]
    fn distances() {
        let d = |a: &str, b: &str| {
            distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
        };
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("abc", ""), 3);
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("ab", "ba"), 1);
        assert_eq!(d("ca", "abc"), 3);
    }

    proptest! {
        #[test]
        fn a_distance_is_symmetric_and_zero_only_for_equals(a in "[abc]{0,8}", b in "[abc]{0,8}") {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(distance(&x, &y), distance(&y, &x));
            prop_assert_eq!(distance(&x, &y) == 0, a == b);
            prop_assert!(distance(&x, &y) >= x.len().abs_diff(y.len()));
        }
    }
}
