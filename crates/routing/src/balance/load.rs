//! What the links of one switch carry, and which of several is the least loaded.

/// The load on the links of one switch, by place in its row.
///
/// Two things are counted: LIDs whose traffic passes, and the weight of that traffic (the number
/// of sources). On a tree they say the same. On other graphs a few LIDs may carry most of the
/// weight, and after a failure a switch may get many LIDs with one source each; a link is as
/// loaded as the worse of the two says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Load {
    weight: Vec<u64>,
    lids: Vec<u32>,
    all_weight: u64,
    all_lids: u64,
    lid_mean: u64,
    link_mean: u64,
}

impl Load {
    /// No load on `links` links.
    pub(crate) fn new(links: usize) -> Self {
        Self { weight: vec![0; links], lids: vec![0; links], ..Self::default() }
    }

    /// Counts one LID with the weight of its sources. A LID that no end port sends to by this
    /// switch is not counted, only weighed.
    pub(crate) fn add(&mut self, link: usize, weight: u32, used: bool) {
        self.weight[link] += u64::from(weight);
        self.all_weight += u64::from(weight);
        self.lids[link] += u32::from(used);
        self.all_lids += u64::from(used);
    }

    /// Brings the means up to date with what was added. They need not be exact, and a division
    /// for each LID is slow, so this is called once for a group of LIDs.
    pub(crate) fn settle(&mut self) {
        self.lid_mean = self.all_weight / self.all_lids.max(1);
        self.link_mean = self.all_weight / self.weight.len().max(1) as u64;
    }

    /// The load of a link, in units of weight: its LIDs count with the mean weight.
    fn of(&self, link: usize) -> u64 {
        self.weight[link].max(u64::from(self.lids[link]) * self.lid_mean)
    }

    /// The least loaded link of a set; of equal ones the first. `None` for the empty set.
    pub(crate) fn least(&self, set: impl Iterator<Item = usize>) -> Option<usize> {
        set.min_by_key(|link| self.of(*link))
    }

    /// Whether a link is loaded clearly above the mean of all the switch's links, so that it is
    /// worth looking for another.
    pub(crate) fn stands_out(&self, link: usize, weight: u32) -> bool {
        over(self.of(link), self.link_mean, weight)
    }

    /// Whether the first link is loaded so much more than the second that a LID of this weight
    /// should rather take the second.
    pub(crate) fn outweighs(&self, link: usize, other: usize, weight: u32) -> bool {
        over(self.of(link), self.of(other), weight)
    }
}

/// More by an eighth and four such LIDs.
fn over(load: u64, other: u64, weight: u32) -> bool {
    load > other + other / 8 + 4 * u64::from(weight)
}
