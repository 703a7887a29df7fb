//! What a node is: NodeInfo and NodeDescription, which only the hardware changes, and the
//! vendor's extended port information.

use lk_wire::{Attribute, MlnxExtPortInfo, NodeDescription, Status};

use super::{Agent, Data, Done};
use crate::power_on;

impl Agent<'_> {
    pub(super) fn get_node_info(&self) -> Data {
        let own = self.plan.port_guid(self.own());
        power_on::node_info(self.node(), self.plan.caps, own, self.ingress).to_data()
    }

    pub(super) fn get_description(&self) -> Data {
        let text = self.state.renamed.as_deref().unwrap_or(&self.node().description);
        NodeDescription::from_text(text).to_data()
    }

    pub(super) fn get_mlnx(&self, modifier: u32) -> Result<Data, Status> {
        let number = self.mlnx_port(modifier)?;
        let row = self.state.mlnx.get(usize::from(number));
        Ok(row.copied().unwrap_or_else(|| self.plan.fresh_mlnx()))
    }

    /// Only LinkSpeedEnabled and StateChangeEnable can be written. A new speed is used when the
    /// link comes up the next time.
    pub(super) fn set_mlnx(&mut self, modifier: u32, data: &Data) -> Result<Done, Status> {
        let number = self.mlnx_port(modifier)?;
        let wanted = MlnxExtPortInfo::from_data(data);
        let mut info = MlnxExtPortInfo::from_data(&self.get_mlnx(modifier)?);
        if wanted.link_speed_enabled() & !info.link_speed_supported() != 0 {
            return Err(Status::INVALID_VALUE);
        }
        info.set_link_speed_enabled(wanted.link_speed_enabled());
        info.set_state_change_enable(wanted.state_change_enable());
        let data = info.to_data();
        let (slots, fresh) = (self.plan.slots(), self.plan.fresh_mlnx());
        if let Some(row) = self.state.mlnx.get_mut(usize::from(number), slots, |_| fresh) {
            *row = data;
        }
        Ok(data.into())
    }

    fn mlnx_port(&self, modifier: u32) -> Result<u8, Status> {
        if self.plan.has_mlnx() {
            self.port_number(modifier)
        } else {
            Err(Status::METHOD_ATTR_UNSUPPORTED)
        }
    }
}
