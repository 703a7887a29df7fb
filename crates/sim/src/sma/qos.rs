//! SLtoVLMappingTable and VLArbitrationTable (IBA 14.2.5.8 and 14.2.5.9).

use std::ops::RangeInclusive;

use lk_wire::{SlToVlModifier, SlToVlPort, Status, VlArbTable, VlCode, cap_mask};

use super::{Agent, Data, Done};

/// Bytes of SLtoVLMappingTable.
const SL2VL_BYTES: usize = 8;
/// The modifier's bits that have a meaning.
const SL2VL_BITS: u32 = 0xFFFF | SlToVlModifier::ALL_IN | SlToVlModifier::ALL_OUT;

impl Agent<'_> {
    pub(super) fn get_sl2vl(&self, modifier: u32) -> Result<Data, Status> {
        let (inputs, outputs) = self.sl2vl_ports(modifier, false)?;
        let (input, output) = (*inputs.start(), *outputs.start());
        let row = self.plan.sl2vl_row(input, output);
        let stored = self.state.sl2vl.get(row).copied();
        Ok(padded(&stored.unwrap_or_else(|| self.plan.fresh_sl2vl(row))))
    }

    pub(super) fn set_sl2vl(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let (inputs, outputs) = self.sl2vl_ports(modifier, true)?;
        let mut table = [0; SL2VL_BYTES];
        table.copy_from_slice(&data[..SL2VL_BYTES]);
        let plan = self.plan;
        for output in outputs {
            for input in inputs.clone() {
                let (row, rows) = (plan.sl2vl_row(input, output), plan.sl2vl_rows());
                if let Some(stored) = self.state.sl2vl.get_mut(row, rows, |r| plan.fresh_sl2vl(r)) {
                    *stored = table;
                }
            }
        }
        Ok(padded(&table).into())
    }

    /// The ingress and the egress ports that a modifier names. Wildcards are for Sets, on switches
    /// that say so. An adapter has one table for each port, whatever the modifier.
    fn sl2vl_ports(
        &self,
        modifier: u32,
        wildcards: bool,
    ) -> Result<(RangeInclusive<u8>, RangeInclusive<u8>), Status> {
        let own = self.own();
        if !self.port(own).has_capability(cap_mask::SL_MAPPING) {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        }
        let Some(switch) = &self.state.switch else {
            return Ok((0..=0, own..=own));
        };
        if modifier & !SL2VL_BITS != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let num_ports = self.node().num_ports;
        let wildcards = wildcards && switch.info.takes_sl2vl_wildcards();
        let range = |port, first: u8| match port {
            SlToVlPort::One(p) if p.0 <= num_ports => Ok(p.0..=p.0),
            SlToVlPort::All if wildcards => Ok(first..=num_ports),
            _ => Err(Status::INVALID_VALUE),
        };
        let SlToVlModifier { input, output } = SlToVlModifier::parse(modifier);
        // A base port 0 is no data port: "all egress ports" leaves it out.
        let first_output = u8::from(switch.info.enhanced_port0() == 0);
        Ok((range(input, 0)?, range(output, first_output)?))
    }

    pub(super) fn get_vlarb(&self, modifier: u32) -> Result<Data, Status> {
        let (port, block, _) = self.vlarb_block(modifier)?;
        let row = self.plan.vlarb_row(port, block);
        Ok(self.state.vlarb.get(row).copied().unwrap_or_else(|| self.plan.fresh_vlarb(row)))
    }

    /// Entries beyond the port's capability read as 0.
    pub(super) fn set_vlarb(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let (port, block, held) = self.vlarb_block(modifier)?;
        let mut entries = *data;
        entries.iter_mut().skip(2 * held).for_each(|byte| *byte = 0);
        let plan = self.plan;
        let (row, rows) = (plan.vlarb_row(port, block), plan.vlarb_rows());
        if let Some(stored) = self.state.vlarb.get_mut(row, rows, |r| plan.fresh_vlarb(r)) {
            *stored = entries;
        }
        Ok(entries.into())
    }

    /// Port, block and how many of the block's 32 entries the port has. The table is there on
    /// ports with more than one data lane; the block is in bits 31 to 16 of the modifier, the port
    /// in bits 15 to 0 (not looked at on an adapter).
    fn vlarb_block(&self, modifier: u32) -> Result<(u8, usize, usize), Status> {
        let port =
            if self.plan.is_switch() { self.port_number(modifier & 0xFFFF)? } else { self.own() };
        let info = self.port(port);
        if VlCode(info.vl_cap()).data_vls() <= 1 {
            return Err(Status::METHOD_ATTR_UNSUPPORTED);
        }
        let (low, high) = (info.vl_arb_low_cap(), info.vl_arb_high_cap());
        let Ok(block) = u8::try_from(modifier >> 16) else { return Err(Status::INVALID_VALUE) };
        let entries = VlArbTable::ENTRIES;
        let held = match block {
            VlArbTable::LOW => usize::from(low).min(entries),
            VlArbTable::LOW_SECOND => usize::from(low).saturating_sub(entries).min(entries),
            VlArbTable::HIGH => usize::from(high).min(entries),
            VlArbTable::HIGH_SECOND => usize::from(high).saturating_sub(entries).min(entries),
            _ => 0,
        };
        if held == 0 { Err(Status::INVALID_VALUE) } else { Ok((port, usize::from(block), held)) }
    }
}

fn padded(table: &[u8; SL2VL_BYTES]) -> Data {
    let mut data = [0; 64];
    data[..SL2VL_BYTES].copy_from_slice(table);
    data
}
