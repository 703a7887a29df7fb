//! The performance management agent of a node: what it answers about the counters of its ports
//! (IBA 16.1).
//!
//! [`counts`] is what the ports count; here is how it is asked for and put back.

pub(crate) mod counts;

use lk_fabric::{NodeId, PortId};
use lk_wire::perf::{
    PERF_DATA, PortCounters, PortCountersExtended, PortDataSl, perf_attr, perf_cap,
};
use lk_wire::sa::ClassPortInfo;
use lk_wire::{MadHeader, Status, attr, method};

use crate::sim_fabric::SimFabric;
use counts::Counts;

/// PortSelect of all ports.
const ALL_PORTS: u8 = 255;
/// RespTimeValue: 4.096 µs · 2^18, about a second.
const RESPONSE_TIME: u8 = 18;

impl SimFabric {
    /// Answers a request of performance management that has come to a node. The method is Get or
    /// Set.
    pub(crate) fn pma(&mut self, node: NodeId, request: &[u8; 256]) -> [u8; 256] {
        let mut answer = *request;
        let mut header = MadHeader::parse(request).unwrap_or_default();
        let status = if header.base_version() != 1 || header.class_version() != 1 {
            Status::BAD_VERSION
        } else {
            let set = header.method() == method::SET;
            match self.pma_data(node, set, header.attr_id(), &mut answer[PERF_DATA..]) {
                Ok(()) => Status::OK,
                Err(status) => status,
            }
        };
        header.set_method(method::GET_RESP);
        header.set_status(status.0);
        answer[..MadHeader::LEN].copy_from_slice(header.as_bytes());
        answer
    }

    /// Carries a request out and makes of its data the answer's.
    fn pma_data(
        &mut self,
        node: NodeId,
        set: bool,
        attribute: u16,
        data: &mut [u8],
    ) -> Result<(), Status> {
        if attribute == attr::CLASS_PORT_INFO {
            // Set would only name who takes traps; there are none.
            class_port_info(data);
            return Ok(());
        }
        let select = data.get(1).copied().unwrap_or_default();
        let ports = self.selected(node, select)?;
        if set {
            for port in &ports {
                let counts = self.counts.of_mut(*port);
                match attribute {
                    perf_attr::PORT_COUNTERS => counts.write(&read(data)),
                    perf_attr::PORT_COUNTERS_EXTENDED => counts.write_extended(&read_ext(data)),
                    perf_attr::PORT_XMIT_DATA_SL => {
                        write_sl(&mut counts.xmit_data_sl, &read_sl(data));
                    }
                    perf_attr::PORT_RCV_DATA_SL => {
                        write_sl(&mut counts.rcv_data_sl, &read_sl(data));
                    }
                    _ => return Err(Status::METHOD_ATTR_UNSUPPORTED),
                }
            }
        }
        let mut sum = Counts::default();
        for port in &ports {
            if let Some(counts) = self.counts.of(*port) {
                sum.add(counts);
            }
        }
        let answer = match attribute {
            perf_attr::PORT_COUNTERS => sum.shown(select).0.to_vec(),
            perf_attr::PORT_COUNTERS_EXTENDED => sum.shown_extended(select).0.to_vec(),
            perf_attr::PORT_XMIT_DATA_SL => shown_sl(&sum.xmit_data_sl, select).0.to_vec(),
            perf_attr::PORT_RCV_DATA_SL => shown_sl(&sum.rcv_data_sl, select).0.to_vec(),
            _ => return Err(Status::METHOD_ATTR_UNSUPPORTED),
        };
        data.fill(0);
        if let Some(place) = data.get_mut(..answer.len()) {
            place.copy_from_slice(&answer);
        }
        Ok(())
    }

    /// The ports that PortSelect means: 0 is a switch's own port, 255 all that there are.
    fn selected(&self, node: NodeId, select: u8) -> Result<Vec<PortId>, Status> {
        let n = self.fabric.node(node);
        let slot = |number: u8| PortId(n.first.0 + u32::from(number));
        let first = if self.wiring.on_switch(n.first) { 0 } else { 1 };
        if select == ALL_PORTS {
            Ok((first..=n.num_ports).map(slot).collect())
        } else if (first..=n.num_ports).contains(&select) {
            Ok(vec![slot(select)])
        } else {
            Err(Status::INVALID_VALUE)
        }
    }

    /// The counters of a port (IBA 16.1.3.5) since power-on or since they were put back. They
    /// count packets on data lanes; SMPs travel apart and are not counted.
    #[must_use]
    pub fn port_counters(&self, port: PortId) -> PortCounters {
        let number = self.wiring.number(port);
        self.counts.of(port).cloned().unwrap_or_default().shown(number)
    }
}

/// ClassPortInfo as it is answered.
fn class_port_info(data: &mut [u8]) {
    let mut info = ClassPortInfo::default();
    info.set_base_version(1);
    info.set_class_version(1);
    info.set_capability_mask(perf_cap::ALL_PORT_SELECT | perf_cap::EXTENDED | perf_cap::XMIT_WAIT);
    info.set_resp_time(RESPONSE_TIME);
    data.fill(0);
    if let Some(place) = data.get_mut(..ClassPortInfo::LEN) {
        place.copy_from_slice(info.as_bytes());
    }
}

fn read(data: &[u8]) -> PortCounters {
    PortCounters::parse(data).unwrap_or_default()
}

fn read_ext(data: &[u8]) -> PortCountersExtended {
    PortCountersExtended::parse(data).unwrap_or_default()
}

fn read_sl(data: &[u8]) -> PortDataSl {
    PortDataSl::parse(data).unwrap_or_default()
}

fn write_sl(counters: &mut [u32; 16], wanted: &PortDataSl) {
    for (sl, counter) in (0..).zip(counters) {
        if wanted.counter_select() >> sl & 1 == 1 {
            *counter = wanted.counter(sl);
        }
    }
}

fn shown_sl(counters: &[u32; 16], select: u8) -> PortDataSl {
    let mut data = PortDataSl::default();
    data.set_port_select(select);
    for (sl, counter) in (0..).zip(counters) {
        data.set_counter(sl, *counter);
    }
    data
}
