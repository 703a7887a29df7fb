//! LinearForwardingTable and MulticastForwardingTable of a switch (IBA 14.2.5.10 and 14.2.5.12).

use lk_wire::Status;

use super::{Agent, Data, Done};
use crate::rows::NO_PORT;

/// LIDs of an LFT block.
const LIDS: usize = 64;

impl Agent<'_> {
    pub(super) fn get_lft(&self, modifier: u32) -> Result<Data, Status> {
        let block = self.lft_block(modifier)?;
        let stored = self.state.switch.as_ref().and_then(|s| s.lft.block(block));
        Ok(stored.copied().unwrap_or([NO_PORT; LIDS]))
    }

    /// Entries of LIDs beyond the table stay empty.
    pub(super) fn set_lft(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let block = self.lft_block(modifier)?;
        let Some(switch) = &mut self.state.switch else {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        };
        let mut ports = *data;
        let held = usize::from(switch.info.linear_fdb_cap()) - block * LIDS;
        ports.iter_mut().skip(held).for_each(|port| *port = NO_PORT);
        switch.lft.set_block(block, &ports);
        Ok(ports.into())
    }

    /// A block that starts below LinearFDBCap.
    fn lft_block(&self, modifier: u32) -> Result<usize, Status> {
        let Some(switch) = &self.state.switch else {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        };
        let block = modifier as usize;
        let blocks = usize::from(switch.info.linear_fdb_cap()).div_ceil(LIDS);
        if block < blocks { Ok(block) } else { Err(Status::INVALID_VALUE) }
    }

    pub(super) fn get_mft(&self, modifier: u32) -> Result<Data, Status> {
        let row = self.mft_row(modifier)?;
        let stored = self.state.switch.as_ref().and_then(|s| s.mft.get(row));
        Ok(stored.copied().unwrap_or([0; 64]))
    }

    pub(super) fn set_mft(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let row = self.mft_row(modifier)?;
        let rows = self.plan.mft_rows();
        let Some(switch) = &mut self.state.switch else {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        };
        if let Some(block) = switch.mft.get_mut(row, rows, |_| [0; 64]) {
            *block = *data;
        }
        Ok((*data).into())
    }

    /// Bits 31 to 28 are the position (16 ports each), bits 8 to 0 the block of 32 multicast LIDs.
    fn mft_row(&self, modifier: u32) -> Result<usize, Status> {
        let multicast = self.state.switch.as_ref().is_some_and(|s| s.info.multicast_fdb_cap() > 0);
        if !multicast {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        }
        let plan = self.plan;
        let (position, block) = ((modifier >> 28) as usize, (modifier & 0x0FFF_FFFF) as usize);
        if position < plan.mft_positions() && block < plan.mft_blocks() {
            Ok(plan.mft_row(block, position))
        } else {
            Err(Status::INVALID_VALUE)
        }
    }
}
