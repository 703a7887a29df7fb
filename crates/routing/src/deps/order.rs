//! An order of links in which turns lead forward, as far as there is one.

use super::turns::Turns;

/// Whether all turns of some weight fit one order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ordered {
    /// Each link's rank: they do.
    All(Vec<u32>),
    /// Each link's rank: some turns lead back.
    Most(Vec<u32>),
}

/// Orders the links by the turns that have a weight.
///
/// Links that nothing leads to come first and those that lead nowhere last, again and again. Where
/// neither is left, the link goes next whose turns ahead weigh most against those behind (Eades,
/// Lin and Smyth, 1993).
pub(crate) fn order(turns: &Turns<'_>, weights: &[u32]) -> Ordered {
    let links = turns.links();
    let (mut ahead, mut behind) = (vec![0_u64; links], vec![0_u64; links]);
    for (link, ahead) in ahead.iter_mut().enumerate() {
        let (after, first) = turns.after(link);
        for (turn, next) in after.zip(first..) {
            *ahead += u64::from(weights[turn]);
            behind[next] += u64::from(weights[turn]);
        }
    }
    let mut sources: Vec<usize> = (0..links).filter(|l| behind[*l] == 0).collect();
    let mut placed = vec![false; links];
    let mut ranks = vec![0; links];
    let mut rank = 0;
    let mut whole = true;
    let mut left: Vec<usize> = Vec::new();
    loop {
        while let Some(link) = sources.pop() {
            if std::mem::replace(&mut placed[link], true) {
                continue;
            }
            ranks[link] = rank;
            rank += 1;
            let (after, first) = turns.after(link);
            for (turn, next) in after.zip(first..) {
                let weight = u64::from(weights[turn]);
                if weight > 0 && !placed[next] {
                    behind[next] -= weight;
                    if behind[next] == 0 {
                        sources.push(next);
                    }
                }
            }
            for (turn, last) in turns.before(link) {
                ahead[last] -= u64::from(weights[turn]);
            }
        }
        if left.is_empty() && whole {
            left = (0..links).collect();
        }
        left.retain(|l| !placed[*l]);
        let Some(best) = left.iter().copied().max_by_key(|l| {
            let gain = ahead[*l] as i64 - behind[*l] as i64;
            (gain, std::cmp::Reverse(*l))
        }) else {
            break;
        };
        whole = false;
        sources.push(best);
    }
    if whole { Ordered::All(ranks) } else { Ordered::Most(ranks) }
}
