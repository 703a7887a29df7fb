//! libibumad's header before each message (`ib_user_mad` with P_Key index), 64 bytes.

/// The header's length.
pub const HEADER: usize = 64;

/// The header, with its numbers in the machine's order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UserMad {
    /// The agent.
    pub agent: u32,
    /// 0, or the error number of a message that was sent and failed.
    pub status: u32,
    /// How long to wait for an answer, in milliseconds.
    pub timeout: u32,
    /// How often to send again.
    pub retries: u32,
    /// The length of header and message.
    pub length: u32,
    /// The other end's queue pair.
    pub qpn: u32,
    /// Its Q_Key.
    pub qkey: u32,
    /// Its LID.
    pub lid: u16,
    /// The service level.
    pub sl: u8,
    /// The own LID's low bits.
    pub path_bits: u8,
    /// Whether there is a global route header: hop limit, traffic class, flow label.
    pub grh: Option<(u8, u8, u32)>,
    /// The own GID's place.
    pub gid_index: u8,
    /// The other end's GID.
    pub gid: [u8; 16],
    /// The P_Key's place.
    pub pkey_index: u16,
}

impl UserMad {
    /// Reads the header.
    #[must_use]
    pub fn read(bytes: &[u8; HEADER]) -> Self {
        let chunk = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let own = |at| u32::from_ne_bytes(chunk(at));
        let wire = |at| u32::from_be_bytes(chunk(at));
        let mut gid = [0; 16];
        gid.copy_from_slice(&bytes[36..52]);
        Self {
            agent: own(0),
            status: own(4),
            timeout: own(8),
            retries: own(12),
            length: own(16),
            qpn: wire(20),
            qkey: wire(24),
            lid: u16::from_be_bytes([bytes[28], bytes[29]]),
            sl: bytes[30],
            path_bits: bytes[31],
            grh: (bytes[32] != 0).then(|| (bytes[34], bytes[35], wire(52))),
            gid_index: bytes[33],
            gid,
            pkey_index: u16::from_ne_bytes([bytes[56], bytes[57]]),
        }
    }

    /// Writes the header.
    #[must_use]
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        for (at, number) in [
            (0, self.agent),
            (4, self.status),
            (8, self.timeout),
            (12, self.retries),
            (16, self.length),
        ] {
            bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        bytes[20..24].copy_from_slice(&self.qpn.to_be_bytes());
        bytes[24..28].copy_from_slice(&self.qkey.to_be_bytes());
        bytes[28..30].copy_from_slice(&self.lid.to_be_bytes());
        bytes[30] = self.sl;
        bytes[31] = self.path_bits;
        bytes[33] = self.gid_index;
        if let Some((hop_limit, traffic_class, flow_label)) = self.grh {
            bytes[32] = 1;
            bytes[34] = hop_limit;
            bytes[35] = traffic_class;
            bytes[52..56].copy_from_slice(&flow_label.to_be_bytes());
        }
        bytes[36..52].copy_from_slice(&self.gid);
        bytes[56..58].copy_from_slice(&self.pkey_index.to_ne_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_as_it_was() {
        let header = UserMad {
            agent: 3,
            status: 110,
            timeout: 1000,
            retries: 2,
            length: 320,
            qpn: 1,
            qkey: 0x8001_0000,
            lid: 0x1234,
            sl: 5,
            path_bits: 1,
            grh: Some((64, 7, 0x12345)),
            gid_index: 2,
            gid: *b"0123456789abcdef",
            pkey_index: 9,
        };
        assert_eq!(UserMad::read(&header.bytes()), header);
    }
}
