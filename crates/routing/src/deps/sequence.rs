//! Links in a row, in which some can be put elsewhere without touching the others.

/// Links in an order, each with a label that is greater than those of all before it.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// By link.
    spots: Vec<Spot>,
    /// By link, and last for both ends of the row: the link before it and the one behind it.
    beside: Vec<[u32; 2]>,
}

/// What searches need to know of a link.
#[derive(Clone, Copy, Debug)]
struct Spot {
    label: u64,
    mark: u32,
}

impl Sequence {
    /// The links by their ranks, which are those from 0 on, each once.
    pub(crate) fn new(ranks: &[u32]) -> Self {
        let mut links = vec![0; ranks.len()];
        for (link, rank) in (0..).zip(ranks) {
            links[*rank as usize] = link;
        }
        let spots = vec![Spot { label: 0, mark: 0 }; ranks.len()];
        let mut sequence = Self { spots, beside: vec![[0; 2]; ranks.len() + 1] };
        let end = sequence.end();
        let mut last = end;
        for link in links.into_iter().chain([end]) {
            sequence.join(last, link);
            last = link;
        }
        sequence.label_anew();
        sequence
    }

    /// Stands before the first link and behind the last one.
    const fn end(&self) -> u32 {
        self.spots.len() as u32
    }

    /// The label of a link, until something is moved.
    #[inline]
    pub(crate) fn label(&self, link: usize) -> u64 {
        self.spots[link].label
    }

    /// The label of a link and its mark.
    #[inline]
    pub(crate) fn spot(&self, link: usize) -> (u64, u32) {
        let Spot { label, mark } = self.spots[link];
        (label, mark)
    }

    /// Marks a link.
    #[inline]
    pub(crate) fn mark(&mut self, link: usize, mark: u32) {
        self.spots[link].mark = mark;
    }

    /// Gives all links the mark 0.
    pub(crate) fn clear_marks(&mut self) {
        self.spots.iter_mut().for_each(|spot| spot.mark = 0);
    }

    /// The links in their order.
    pub(crate) fn links(&self) -> impl Iterator<Item = u32> + '_ {
        let behind = |link: u32| {
            let next = self.beside[link as usize][1];
            (next != self.end()).then_some(next)
        };
        std::iter::successors(behind(self.end()), move |link| behind(*link))
    }

    /// Puts some links right behind another that is none of them. They keep their order.
    pub(crate) fn put_behind(&mut self, moved: &mut [u32], at: usize) {
        self.take_out(moved);
        let next = self.beside[at][1];
        self.put_between(moved, at as u32, next);
    }

    /// Puts some links right before another that is none of them. They keep their order.
    pub(crate) fn put_before(&mut self, moved: &mut [u32], at: usize) {
        self.take_out(moved);
        let last = self.beside[at][0];
        self.put_between(moved, last, at as u32);
    }

    fn take_out(&mut self, moved: &mut [u32]) {
        moved.sort_unstable_by_key(|link| self.spots[*link as usize].label);
        for link in &*moved {
            let [last, next] = self.beside[*link as usize];
            self.join(last, next);
        }
    }

    fn put_between(&mut self, moved: &[u32], mut last: u32, next: u32) {
        let low = self.spots.get(last as usize).map_or(0, |spot| spot.label);
        let high = self.spots.get(next as usize).map_or(u64::MAX, |spot| spot.label);
        let step = (high - low) / (moved.len() as u64 + 1);
        let mut label = low;
        for link in moved {
            self.join(last, *link);
            last = *link;
            label += step;
            self.spots[last as usize].label = label;
        }
        self.join(last, next);
        if step == 0 {
            self.label_anew();
        }
    }

    fn join(&mut self, last: u32, next: u32) {
        self.beside[last as usize][1] = next;
        self.beside[next as usize][0] = last;
    }

    /// Gives all links labels with the same room between any two.
    fn label_anew(&mut self) {
        let step = u64::MAX / (self.spots.len() as u64 + 1);
        let mut label = 0;
        let mut at = self.beside[self.spots.len()][1] as usize;
        while let Some(spot) = self.spots.get_mut(at) {
            label += step;
            spot.label = label;
            at = self.beside[at][1] as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds moves against those of a plain list, so many that labels run out of room.
    #[test]
    fn moved_links_stand_where_they_were_put() {
        let ranks = [3, 0, 4, 1, 6, 2, 5];
        let mut sequence = Sequence::new(&ranks);
        let mut plain = vec![1, 3, 5, 0, 2, 6, 4];
        assert_eq!(sequence.links().collect::<Vec<_>>(), plain);
        let mut random = 1_u64;
        for _ in 0..5_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (at, set) = ((random >> 33) as u32 % 7, (random >> 40) as u32 % 128);
            let is_moved = |link: &u32| *link != at && set >> *link & 1 == 1;
            let behind = random >> 60 & 1 == 1;
            let mut moved: Vec<u32> = (0..7).filter(is_moved).collect();
            if behind {
                sequence.put_behind(&mut moved, at as usize);
            } else {
                sequence.put_before(&mut moved, at as usize);
            }
            let (moved, mut rest): (Vec<u32>, Vec<u32>) = plain.into_iter().partition(is_moved);
            let place = rest.iter().position(|link| *link == at).expect("it stays");
            let place = place + usize::from(behind);
            rest.splice(place..place, moved);
            plain = rest;
            assert_eq!(sequence.links().collect::<Vec<_>>(), plain);
            for pair in plain.windows(2) {
                assert!(sequence.label(pair[0] as usize) < sequence.label(pair[1] as usize));
            }
        }
    }
}
