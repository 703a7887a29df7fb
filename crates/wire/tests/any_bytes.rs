//! Every view on bytes that look random: the entry points of the fuzz targets, 100,000 times.

use lk_wire::fuzzing;
use lk_wire::{Smp, attr, class};

/// A stream of words that looks random (xorshift64*).
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}

#[test]
fn smps_of_any_bytes() {
    let mut words = Words(1);
    let mut bytes = [0; 256];
    for round in 0..100_000_u32 {
        words.fill(&mut bytes);
        if round % 2 == 0 {
            // Half of them look like what there is, so that more than the first check is reached.
            let mut smp = Smp(bytes);
            smp.set_mgmt_class(class::SUBN_DR);
            smp.set_hop_count(bytes[7] % 80);
            smp.set_attr_id(attr::NODE_DESCRIPTION + u16::from(bytes[0] % 16));
            bytes = smp.0;
        }
        let length = if round % 16 == 1 { usize::from(bytes[255]) } else { 256 };
        fuzzing::smp(&bytes[..length]);
    }
}

#[test]
fn notices_of_any_bytes() {
    const NUMBERS: [u16; 16] =
        [64, 65, 66, 67, 68, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259, 260];
    let mut words = Words(2);
    let mut bytes = [0; 80];
    for round in 0..100_000_usize {
        words.fill(&mut bytes);
        bytes[0] |= 0x80;
        bytes[4..6].copy_from_slice(&NUMBERS[round % 16].to_be_bytes());
        fuzzing::notice(if round % 3 == 0 { &bytes[..64] } else { &bytes });
    }
}

#[test]
fn routes_of_any_text() {
    const ALPHABET: &[u8] = b"0123456789,, -x";
    let mut words = Words(3);
    for _ in 0..100_000 {
        let length = words.next() % 24;
        let mut text = b"0,".to_vec();
        text.extend((0..length).map(|_| ALPHABET[(words.next() % 15) as usize]));
        fuzzing::dr_path(&text);
    }
}
