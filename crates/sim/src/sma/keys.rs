//! P_KeyTable and GUIDInfo (IBA 14.2.5.7 and 14.2.5.5).

use lk_wire::{GuidInfo, Status};

use super::{Agent, Data, Done};
use crate::blueprint::Blueprint;

impl Agent<'_> {
    pub(super) fn get_pkeys(&self, modifier: u32) -> Result<Data, Status> {
        let (port, block) = self.pkey_block(modifier)?;
        let row = self.plan.pkey_row(port, block);
        Ok(self.state.pkeys.get(row).copied().unwrap_or_else(|| self.plan.fresh_pkeys(row)))
    }

    /// Entries beyond the capability read as 0.
    pub(super) fn set_pkeys(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let (port, block) = self.pkey_block(modifier)?;
        let plan = self.plan;
        let mut keys = *data;
        let held = plan.pkey_cap(port) - block * Blueprint::PKEYS;
        keys.iter_mut().skip(2 * held).for_each(|byte| *byte = 0);
        let (row, rows) = (plan.pkey_row(port, block), plan.pkey_rows());
        if let Some(stored) = self.state.pkeys.get_mut(row, rows, |r| plan.fresh_pkeys(r)) {
            *stored = keys;
        }
        Ok(keys.into())
    }

    /// Block in bits 15 to 0; on a switch the port in bits 31 to 16. An adapter's table is that
    /// of the port that was asked.
    fn pkey_block(&self, modifier: u32) -> Result<(u8, usize), Status> {
        let on_switch = self.plan.is_switch();
        let port = if on_switch { self.port_number(modifier >> 16)? } else { self.own() };
        let block = (modifier & 0xFFFF) as usize;
        match self.plan.pkey_cap(port).div_ceil(Blueprint::PKEYS) {
            0 => Err(Status::METHOD_ATTR_UNSUPPORTED),
            blocks if block < blocks => Ok((port, block)),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    pub(super) fn get_guids(&self, modifier: u32) -> Result<Data, Status> {
        let block = self.guid_block(modifier)?;
        let row = self.plan.guid_row(self.own(), block);
        Ok(self.state.guids.get(row).copied().unwrap_or_else(|| self.plan.fresh_guids(row)))
    }

    /// The first GUID of block 0 is the port's own and stays; entries beyond GUIDCap read as 0.
    pub(super) fn set_guids(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let block = self.guid_block(modifier)?;
        let (own, plan) = (self.own(), self.plan);
        let mut info = GuidInfo(*data);
        if block == 0 {
            info.set_guid_0(plan.port_guid(own).0);
        }
        let held = usize::from(plan.port_caps(own).guid_cap) - block * Blueprint::GUIDS;
        info.0.iter_mut().skip(8 * held).for_each(|byte| *byte = 0);
        let (row, rows) = (plan.guid_row(own, block), plan.guid_rows());
        if let Some(stored) = self.state.guids.get_mut(row, rows, |r| plan.fresh_guids(r)) {
            *stored = info.0;
        }
        Ok(info.0.into())
    }

    fn guid_block(&self, modifier: u32) -> Result<usize, Status> {
        let block = modifier as usize;
        let cap = usize::from(self.plan.port_caps(self.own()).guid_cap);
        if block < cap.div_ceil(Blueprint::GUIDS) { Ok(block) } else { Err(Status::INVALID_VALUE) }
    }
}
