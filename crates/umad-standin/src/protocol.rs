//! What the stand-in and the simulated fabric say to each other over a Unix socket.
//!
//! Frames both ways: length of the body and kind, four bytes each, then the body. Numbers are in
//! the machine's own order: both ends are on it. A connection begins with a question and may go
//! on with more; [`kind::OPEN`] makes it a port's own, on which from then on only messages travel,
//! so that its descriptor can be waited for.

use std::io::{self, Read};

/// The variable that names the socket.
pub const SOCKET: &str = "LANEKEEPER_SIM_SOCKET";
/// The variable that names the node on which the program sits.
pub const NODE: &str = "LANEKEEPER_SIM_NODE";

/// The version of this protocol: the first number of every question.
pub const VERSION: u32 = 1;
/// Length and kind.
pub const HEAD: usize = 8;
/// The longest body.
pub const LONGEST: usize = 256 << 20;

/// Kinds of frames.
pub mod kind {
    /// Which device is here? Node's name. Answer: a [`super::Device`].
    pub const DEVICE: u32 = 1;
    /// Open a port: node's name, port. Answer: the port's key. The connection is the port's then.
    pub const OPEN: u32 = 2;
    /// Register an agent: key and a [`super::Agent`]. Answer: its number.
    pub const REGISTER: u32 = 3;
    /// Take an agent away: key, its number. Answer: nothing.
    pub const UNREGISTER: u32 = 4;
    /// Close a port: key. Answer: nothing.
    pub const CLOSE: u32 = 5;
    /// The file that makes a port a subnet manager's while it is open: node's name, port. Answer:
    /// its path.
    pub const ISSM: u32 = 6;
    /// A message, either way: libibumad's header and the bytes behind it.
    pub const MESSAGE: u32 = 7;
    /// An answer to a question.
    pub const OK: u32 = 8;
    /// A question that has no answer: an error number, and why.
    pub const ERROR: u32 = 9;
}

/// Puts a frame together.
#[must_use]
pub fn frame(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEAD + body.len());
    frame.extend_from_slice(&(body.len() as u32).to_ne_bytes());
    frame.extend_from_slice(&kind.to_ne_bytes());
    frame.extend_from_slice(body);
    frame
}

/// Length and kind of a frame from its first bytes; `None` as long as there are too few.
///
/// # Errors
/// No frame is so long.
pub fn head(bytes: &[u8]) -> io::Result<Option<(usize, u32)>> {
    let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let Some(kind) = rest.first_chunk() else { return Ok(None) };
    let length = u32::from_ne_bytes(*length) as usize;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame that is too long"));
    }
    Ok(Some((length, u32::from_ne_bytes(*kind))))
}

/// Reads a whole frame.
///
/// # Errors
/// The connection has ended, or what comes is no frame.
pub fn read_frame(from: &mut impl Read) -> io::Result<(u32, Vec<u8>)> {
    let mut start = [0; HEAD];
    from.read_exact(&mut start)?;
    let (length, kind) = head(&start)?.unwrap_or_default();
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok((kind, body))
}

/// Writes the fields of a body.
#[derive(Clone, Default, Debug)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// A body that starts with this number.
    #[must_use]
    pub fn new(first: u32) -> Self {
        Self::default().u32(first)
    }

    /// Adds a number.
    #[must_use]
    pub fn u32(mut self, number: u32) -> Self {
        self.0.extend_from_slice(&number.to_ne_bytes());
        self
    }

    /// Adds a number.
    #[must_use]
    pub fn u64(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_ne_bytes());
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        let mut longer = self.u32(text.len() as u32);
        longer.0.extend_from_slice(text.as_bytes());
        longer
    }

    /// The body.
    #[must_use]
    pub fn body(self) -> Vec<u8> {
        self.0
    }
}

/// Reads the fields of a body. Each is `None` where the body is too short.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// The next number.
    pub fn u32(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_ne_bytes(*number))
    }

    /// The next number.
    pub fn u64(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*number))
    }

    /// The next text.
    pub fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

/// A device with its ports, as a node of the fabric has them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Device {
    /// Its name on this machine.
    pub name: String,
    /// 1 an adapter, 2 a switch, 3 a router.
    pub node_type: u32,
    /// The node GUID.
    pub node_guid: u64,
    /// The system image GUID.
    pub system_guid: u64,
    /// The ports.
    pub ports: Vec<Port>,
}

/// A port of a device.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Port {
    /// Its number; 0 on a switch.
    pub number: u32,
    /// Its GUID.
    pub guid: u64,
    /// The subnet prefix.
    pub prefix: u64,
    /// LID, LMC, LID and SL of the subnet manager, state, physical state, rate in Gbit/s and
    /// capability mask, in this order.
    pub numbers: [u32; 8],
    /// The P_Key table.
    pub pkeys: Vec<u16>,
}

impl Device {
    /// The device as a body.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let mut w = Writer::default().text(&self.name).u32(self.node_type);
        w = w.u64(self.node_guid).u64(self.system_guid).u32(self.ports.len() as u32);
        for port in &self.ports {
            w = w.u32(port.number).u64(port.guid).u64(port.prefix);
            w = port.numbers.iter().fold(w, |w, number| w.u32(*number));
            w = w.u32(port.pkeys.len() as u32);
            w = port.pkeys.iter().fold(w, |w, key| w.u32((*key).into()));
        }
        w.body()
    }

    /// The device that a body holds.
    #[must_use]
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut r = Reader(body);
        let (name, node_type) = (r.text()?, r.u32()?);
        let (node_guid, system_guid) = (r.u64()?, r.u64()?);
        let mut ports = Vec::new();
        for _ in 0..r.u32()? {
            let mut port =
                Port { number: r.u32()?, guid: r.u64()?, prefix: r.u64()?, ..Port::default() };
            for number in &mut port.numbers {
                *number = r.u32()?;
            }
            for _ in 0..r.u32()? {
                port.pkeys.push(r.u32()? as u16);
            }
            ports.push(port);
        }
        Some(Self { name, node_type, node_guid, system_guid, ports })
    }
}

/// What an agent is registered for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Agent {
    /// The queue pair.
    pub qp: u32,
    /// The management class.
    pub class: u32,
    /// The version of the class.
    pub version: u32,
    /// The version of RMPP; 0 for none.
    pub rmpp: u32,
    /// Not 0: the program does RMPP itself.
    pub user_rmpp: u32,
    /// The OUI, its three bytes as a number.
    pub oui: u32,
    /// Methods 0 to 63 and 64 to 127.
    pub methods: [u64; 2],
}

impl Agent {
    /// Adds the agent to a body.
    #[must_use]
    pub fn write(&self, w: Writer) -> Writer {
        let w = w.u32(self.qp).u32(self.class).u32(self.version).u32(self.rmpp);
        let w = w.u32(self.user_rmpp).u32(self.oui);
        w.u64(self.methods[0]).u64(self.methods[1])
    }

    /// The agent that comes next in a body.
    pub fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            qp: r.u32()?,
            class: r.u32()?,
            version: r.u32()?,
            rmpp: r.u32()?,
            user_rmpp: r.u32()?,
            oui: r.u32()?,
            methods: [r.u64()?, r.u64()?],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_comes_back_as_it_was() {
        let port = |number| Port {
            number,
            guid: 0x11,
            prefix: 0xfe80 << 48,
            numbers: [1, 2, 3, 4, 5, 6, 7, number],
            pkeys: vec![0xffff, 0x7fff],
        };
        let device = Device {
            name: "sim0".to_owned(),
            node_type: 1,
            node_guid: 0x10,
            system_guid: 0x12,
            ports: vec![port(1), port(2)],
        };
        let body = device.body();
        assert_eq!(Device::read(&body), Some(device));
        assert!((0..body.len()).all(|end| Device::read(&body[..end]).is_none()));
    }

    #[test]
    fn frames_come_back_as_they_were() {
        let bytes = frame(kind::MESSAGE, b"body");
        assert_eq!(
            read_frame(&mut &bytes[..]).expect("a frame"),
            (kind::MESSAGE, b"body".to_vec())
        );
        assert_eq!(head(&bytes[..7]).expect("too few"), None);
        assert!(head(&[0xFF; 8]).is_err());
    }
}
