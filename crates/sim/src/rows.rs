//! Tables that cost nothing until somebody writes to them.
//!
//! At the LID limit a fabric has hundreds of thousands of ports, and most tables of most of them
//! keep their power-on content for long. [`Rows`] holds the rows of one attribute of one node,
//! [`ForwardingTable`] the LFT of one switch in pages; both take memory at the first write.

/// Rows of `N` bytes: the blocks of one attribute of one node, flattened to one index.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Rows<const N: usize> {
    rows: Option<Box<[[u8; N]]>>,
}

impl<const N: usize> Rows<N> {
    /// The row, if any row of this table was ever written.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8; N]> {
        self.rows.as_ref()?.get(index)
    }

    /// The row to write to. The first write makes all `count` rows, each as `power_on` says.
    /// `None` when `index` is not below `count`.
    pub(crate) fn get_mut(
        &mut self,
        index: usize,
        count: usize,
        power_on: impl FnMut(usize) -> [u8; N],
    ) -> Option<&mut [u8; N]> {
        if index >= count {
            return None;
        }
        let rows = self.rows.get_or_insert_with(|| (0..count).map(power_on).collect());
        rows.get_mut(index)
    }

    /// All rows, if any was ever written.
    pub(crate) fn all(&self) -> Option<&[[u8; N]]> {
        self.rows.as_deref()
    }
}

/// LIDs of one page of a [`ForwardingTable`].
const PAGE: usize = 4096;
/// Pages that hold all unicast LIDs.
const PAGES: usize = 0xC000 / PAGE;
/// What an entry holds at power-on: no port, packets are dropped (IBA 14.2.5.9).
pub(crate) const NO_PORT: u8 = 0xFF;

/// The linear forwarding table of one switch, LID to port number.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct ForwardingTable {
    pages: [Option<Box<[u8; PAGE]>>; PAGES],
}

impl ForwardingTable {
    /// The port for a LID.
    pub(crate) fn port(&self, lid: u16) -> u8 {
        let lid = usize::from(lid);
        match self.pages.get(lid / PAGE) {
            Some(Some(page)) => page[lid % PAGE],
            _ => NO_PORT,
        }
    }

    /// Block `block` of 64 LIDs, if its page was ever written.
    pub(crate) fn block(&self, block: usize) -> Option<&[u8; 64]> {
        let first = block * 64;
        let page = self.pages.get(first / PAGE)?.as_deref()?;
        page.get(first % PAGE..)?.first_chunk()
    }

    /// Writes a block; blocks beyond the unicast LIDs are ignored.
    pub(crate) fn set_block(&mut self, block: usize, ports: &[u8; 64]) {
        let first = block * 64;
        let Some(page) = self.pages.get_mut(first / PAGE) else { return };
        let page = page.get_or_insert_with(|| Box::new([NO_PORT; PAGE]));
        page[first % PAGE..][..64].copy_from_slice(ports);
    }

    /// How many blocks the table spans.
    pub(crate) const BLOCKS: usize = PAGES * PAGE / 64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_as_at_power_on() {
        let mut rows = Rows::<2>::default();
        assert_eq!((rows.get(0), rows.all()), (None, None));
        assert!(rows.get_mut(3, 3, |_| [0; 2]).is_none());
        assert!(rows.all().is_none(), "a refused write takes no memory");
        rows.get_mut(1, 3, |i| [i as u8; 2]).unwrap()[0] = 9;
        assert_eq!(rows.all(), Some(&[[0, 0], [9, 1], [2, 2]][..]));
    }

    #[test]
    fn forwarding_blocks_do_not_touch_each_other() {
        let mut lft = ForwardingTable::default();
        assert_eq!((lft.port(5), lft.port(0xFFFF), lft.block(0)), (NO_PORT, NO_PORT, None));
        lft.set_block(64, &[7; 64]);
        lft.set_block(ForwardingTable::BLOCKS - 1, &[8; 64]);
        lft.set_block(ForwardingTable::BLOCKS, &[9; 64]);
        assert_eq!((lft.port(4095), lft.port(4096), lft.port(4159)), (NO_PORT, 7, 7));
        assert_eq!((lft.port(4160), lft.port(0xBFFF)), (NO_PORT, 8));
        assert_eq!(lft.block(64), Some(&[7; 64]));
        assert_eq!(lft.block(65), Some(&[NO_PORT; 64]));
    }
}
