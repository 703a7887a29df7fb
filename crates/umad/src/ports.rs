//! Which ports there are, and which one to take.

use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::io;

use lk_wire::{Guid, Lid, PhysState, PortState};

use crate::api::{CA_NAME_LEN, RawCa, RawPort};
use crate::{ChooseError, Library, UmadError};

/// A port of this machine as the system describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortDescription {
    /// The device, for example `mlx5_0`.
    pub ca: String,
    /// The port on the device.
    pub port: u8,
    /// The port's GUID.
    pub guid: Guid,
    /// State of the link layer.
    pub state: PortState,
    /// State of the physical layer.
    pub phys_state: PhysState,
    /// The base LID; 0 before a subnet manager has set it.
    pub lid: Lid,
    /// The LID mask control.
    pub lmc: u8,
    /// LID of the master subnet manager.
    pub sm_lid: Lid,
    /// The rate of the link in Gbit/s, as libibumad gives it.
    pub rate: u32,
    /// Whether the port is an InfiniBand one (and not, for example, RoCE).
    pub infiniband: bool,
}

impl fmt::Display for PortDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} port {} GUID {} {}", self.ca, self.port, self.guid, self.state)?;
        if !self.infiniband {
            f.write_str(" (not InfiniBand)")?;
        }
        Ok(())
    }
}

/// The port to work on, as opensm takes it: the one with `guid`; without a GUID the first that is
/// Active, else the first whose link is up, else the first. Ports that are not InfiniBand are left
/// out.
///
/// # Errors
/// There is no port, or none with this GUID. The error lists what there is.
pub fn choose(
    ports: &[PortDescription],
    guid: Option<Guid>,
) -> Result<&PortDescription, ChooseError> {
    let usable = || ports.iter().filter(|port| port.infiniband);
    let Some(first) = usable().next() else {
        return Err(ChooseError::NoPort(ports.to_vec()));
    };
    if let Some(guid) = guid {
        return usable()
            .find(|port| port.guid == guid)
            .ok_or_else(|| ChooseError::NoSuchGuid { guid, ports: usable().cloned().collect() });
    }
    let active = usable().find(|port| port.state == PortState::ACTIVE);
    let up = || usable().find(|port| port.phys_state == PhysState::LINK_UP);
    Ok(active.or_else(up).unwrap_or(first))
}

/// The most devices that are listed, as in libibumad.
const MAX_DEVICES: usize = 32;

impl Library {
    /// The ports of this machine, device by device, in libibumad's order.
    ///
    /// # Errors
    /// The system's list of devices cannot be read. No device is no error: the list is empty.
    pub fn ports(&self) -> Result<Vec<PortDescription>, UmadError> {
        let functions = self.functions();
        let mut names = [[0; CA_NAME_LEN]; MAX_DEVICES];
        // SAFETY: `names` has MAX_DEVICES entries of the length that the library expects.
        let found =
            unsafe { (functions.umad_get_cas_names)(names.as_mut_ptr(), MAX_DEVICES as i32) };
        let Ok(found) = usize::try_from(found) else {
            return Err(UmadError::List(io::Error::last_os_error()));
        };
        let mut ports = Vec::new();
        for name in names.iter().take(found) {
            // A device that vanishes meanwhile, or one that libibumad cannot read, has no ports.
            if let Ok(name) = CString::new(text(name)) {
                ports.extend(self.ports_of(&name));
            }
        }
        Ok(ports)
    }

    /// The ports of one device; none when it cannot be read.
    fn ports_of(&self, name: &CStr) -> Vec<PortDescription> {
        let functions = self.functions();
        // SAFETY: all of RawCa's fields are integers and pointers, for which zeros are valid.
        let mut ca: RawCa = unsafe { std::mem::zeroed() };
        // SAFETY: `name` ends in NUL, `ca` is laid out as the library expects.
        if unsafe { (functions.umad_get_ca)(name.as_ptr(), &raw mut ca) } < 0 {
            return Vec::new();
        }
        let ports = ca.ports.iter().filter(|port| !port.is_null()).map(|&port| {
            // SAFETY: the library has set it to a port that lives until umad_release_ca.
            describe(unsafe { &*port })
        });
        let ports = ports.collect();
        // SAFETY: `ca` comes from umad_get_ca and is not used again.
        unsafe { (functions.umad_release_ca)(&raw mut ca) };
        ports
    }
}

/// What libibumad's struct says. Numbers that do not fit are nonsense and become 0.
fn describe(raw: &RawPort) -> PortDescription {
    let byte = |number: u32| u8::try_from(number).unwrap_or_default();
    let lid = |number: u32| Lid(u16::try_from(number).unwrap_or_default());
    PortDescription {
        ca: text(&raw.ca_name),
        port: u8::try_from(raw.portnum).unwrap_or_default(),
        guid: Guid(u64::from_be(raw.port_guid)),
        state: PortState(byte(raw.state)),
        phys_state: PhysState(byte(raw.phys_state)),
        lid: lid(raw.base_lid),
        lmc: byte(raw.lmc),
        sm_lid: lid(raw.sm_lid),
        rate: raw.rate,
        infiniband: text(&raw.link_layer) != "Ethernet",
    }
}

/// The text in a C array up to its NUL, or all of it when there is none.
fn text(array: &[c_char]) -> String {
    let bytes: Vec<u8> = array.iter().map(|&c| c as u8).take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(n: u8, state: PortState, phys_state: PhysState) -> PortDescription {
        PortDescription {
            ca: "mlx5_0".to_owned(),
            port: n,
            guid: Guid(u64::from(n)),
            state,
            phys_state,
            lid: Lid(0),
            lmc: 0,
            sm_lid: Lid(0),
            rate: 100,
            infiniband: true,
        }
    }

    fn chosen(ports: &[PortDescription]) -> u8 {
        choose(ports, None).expect("there is a port").port
    }

    #[test]
    fn active_comes_before_up_and_up_before_down() {
        let down = port(1, PortState::DOWN, PhysState::POLLING);
        let up = port(2, PortState::INIT, PhysState::LINK_UP);
        let active = port(3, PortState::ACTIVE, PhysState::LINK_UP);
        assert_eq!(chosen(&[down.clone(), up.clone(), active]), 3);
        assert_eq!(chosen(&[down.clone(), up]), 2);
        assert_eq!(chosen(&[down.clone(), PortDescription { port: 9, ..down }]), 1);
    }

    #[test]
    fn a_guid_takes_its_port_whatever_its_state() {
        let ports = [
            port(1, PortState::ACTIVE, PhysState::LINK_UP),
            port(2, PortState::DOWN, PhysState::POLLING),
        ];
        assert_eq!(choose(&ports, Some(Guid(2))).expect("it is there").port, 2);
        let error = choose(&ports, Some(Guid(3))).expect_err("it is not there").to_string();
        assert!(error.contains("0x0000000000000003"), "{error}");
        assert!(error.contains("mlx5_0 port 2 GUID 0x0000000000000002 Down"), "{error}");
    }

    #[test]
    fn ports_that_are_not_infiniband_do_not_count() {
        let mut ethernet = port(1, PortState::ACTIVE, PhysState::LINK_UP);
        ethernet.infiniband = false;
        let down = port(2, PortState::DOWN, PhysState::POLLING);
        assert_eq!(chosen(&[ethernet.clone(), down]), 2);
        let error = choose(&[ethernet], None).expect_err("none counts").to_string();
        assert!(error.contains("not InfiniBand"), "{error}");
        let error = choose(&[], None).expect_err("there is none").to_string();
        assert!(error.contains("rdma-core") && error.contains("ib_umad"), "{error}");
    }
}
