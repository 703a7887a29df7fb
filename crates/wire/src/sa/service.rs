//! ServiceRecord.

use super::record::{components, gids, record};
use crate::field::attribute;

attribute! {
    /// ServiceRecord (IBA 15.2.5.14).
    ServiceRecord: 176 bytes {
        0, 64, service_id / set_service_id: u64, "ServiceID", "Number of the service.";
        64, 128, port;
        192, 16, pkey / set_pkey: u16, "ServiceP_Key", "Partition that the service is in.";
        208, 16, reserved_208;
        224, 32, lease / set_lease: u32, "ServiceLease",
            "Seconds that the record lives; 0xFFFFFFFF: for ever.";
        256, 64, key_high / set_key_high: u64, "ServiceKeyHigh",
            "Upper half of the key that has to be shown to change the record.";
        320, 64, key_low / set_key_low: u64, "ServiceKeyLow", "Lower half of that key.";
        384, 512, text;
        896, 512, data;
    }
}

record! {
    ServiceRecord: crate::sa::sa_attr::SERVICE_RECORD;
}

gids! {
    ServiceRecord {
        64, gid / set_gid, "GID of the port that serves.";
    }
}

components! {
    /// Components of [`super::ServiceRecord`].
    service_mask {
        SERVICE_ID = 0, 0, 64;
        GID = 1, 64, 128;
        PKEY = 2, 192, 16;
        RESERVED = 3, 208, 16;
        LEASE = 4, 224, 32;
        KEY = 5, 256, 128;
        NAME = 6, 384, 512;
        DATA8_0 = 7, 896, 8;
        DATA8_1 = 8, 904, 8;
        DATA8_2 = 9, 912, 8;
        DATA8_3 = 10, 920, 8;
        DATA8_4 = 11, 928, 8;
        DATA8_5 = 12, 936, 8;
        DATA8_6 = 13, 944, 8;
        DATA8_7 = 14, 952, 8;
        DATA8_8 = 15, 960, 8;
        DATA8_9 = 16, 968, 8;
        DATA8_10 = 17, 976, 8;
        DATA8_11 = 18, 984, 8;
        DATA8_12 = 19, 992, 8;
        DATA8_13 = 20, 1000, 8;
        DATA8_14 = 21, 1008, 8;
        DATA8_15 = 22, 1016, 8;
        DATA16_0 = 23, 1024, 16;
        DATA16_1 = 24, 1040, 16;
        DATA16_2 = 25, 1056, 16;
        DATA16_3 = 26, 1072, 16;
        DATA16_4 = 27, 1088, 16;
        DATA16_5 = 28, 1104, 16;
        DATA16_6 = 29, 1120, 16;
        DATA16_7 = 30, 1136, 16;
        DATA32_0 = 31, 1152, 32;
        DATA32_1 = 32, 1184, 32;
        DATA32_2 = 33, 1216, 32;
        DATA32_3 = 34, 1248, 32;
        DATA64_0 = 35, 1280, 64;
        DATA64_1 = 36, 1344, 64;
    }
}

impl ServiceRecord {
    /// A lease that never ends.
    pub const FOREVER: u32 = 0xFFFF_FFFF;

    /// The name: its bytes up to the first zero.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let name = &self.0[48..112];
        &name[..name.iter().position(|b| *b == 0).unwrap_or(name.len())]
    }

    /// Sets [`Self::name`]; what does not fit in 64 bytes is cut off.
    pub fn set_name(&mut self, name: &[u8]) {
        let length = name.len().min(64);
        self.0[48..112].fill(0);
        self.0[48..48 + length].copy_from_slice(&name[..length]);
    }

    /// The 64 bytes that the service has given to its clients.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.0[112..176]
    }

    /// Sets the first bytes of [`Self::data`]; what does not fit in 64 bytes is cut off.
    pub fn set_data(&mut self, data: &[u8]) {
        let length = data.len().min(64);
        self.0[112..112 + length].copy_from_slice(&data[..length]);
    }

    /// Whether the other record is of the same service: number, port and partition.
    #[must_use]
    pub fn is_same_service(&self, other: &Self) -> bool {
        self.0[..26] == other.0[..26]
    }

    /// Takes the key out of it.
    pub const fn hide_key(&mut self) {
        self.set_key_high(0);
        self.set_key_low(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_ends_at_the_first_zero() {
        let mut s = ServiceRecord([0xFF; 176]);
        s.set_name(b"DAPL Address Translation Service");
        assert_eq!(s.name(), b"DAPL Address Translation Service");
        s.set_name(&[b'x'; 70]);
        assert_eq!((s.name().len(), s.data()[0]), (64, 0xFF));
        s.hide_key();
        assert!(s.0[32..48].iter().all(|b| *b == 0) && s.0[31] == 0xFF && s.0[48] == b'x');
    }
}
