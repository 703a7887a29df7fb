//! M_Key protection: who may read and write (IBA 14.2.4).

use lk_wire::{MKey, PortInfo, method};

/// What an agent does with a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The key is right, or none is needed. A lease that runs out is stopped.
    Valid,
    /// The key is wrong, but at this level of protection the request may be read all the same.
    Tolerated,
    /// The request is dropped without an answer, counted as a violation and told by trap 256.
    Violation,
}

/// Judges a request by the M_Key and the protection bits of the port that it came to.
///
/// Without an M_Key set everything is allowed. Levels 0 and 1 protect Set and TrapRepress, levels
/// 2 and 3 also Get.
pub(crate) fn judge(port: &PortInfo, request: u8, key: MKey) -> Verdict {
    if port.m_key() == 0 || port.m_key() == key.0 {
        Verdict::Valid
    } else if request == method::GET && port.m_key_protect() < 2 {
        Verdict::Tolerated
    } else {
        Verdict::Violation
    }
}

/// Whether an answer with PortInfo shows the M_Key: not at level 1 to one who does not know it.
pub(crate) fn shows_key(port: &PortInfo, key: MKey) -> bool {
    port.m_key_protect() == 0 || port.m_key() == key.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_protection() {
        use Verdict::{Tolerated, Valid, Violation};
        let key = 0x1234;
        // (M_Key set, protection bits, key in the request) → verdict for Get, Set, TrapRepress
        // and whether PortInfo shows the key.
        let table = [
            (0, 0, 0, [Valid, Valid, Valid], true),
            (0, 3, 99, [Valid, Valid, Valid], false),
            (key, 0, key, [Valid, Valid, Valid], true),
            (key, 0, 99, [Tolerated, Violation, Violation], true),
            (key, 1, key, [Valid, Valid, Valid], true),
            (key, 1, 99, [Tolerated, Violation, Violation], false),
            (key, 1, 0, [Tolerated, Violation, Violation], false),
            (key, 2, key, [Valid, Valid, Valid], true),
            (key, 2, 99, [Violation, Violation, Violation], false),
            (key, 3, key, [Valid, Valid, Valid], true),
            (key, 3, 99, [Violation, Violation, Violation], false),
        ];
        for (set, level, sent, verdicts, shown) in table {
            let mut port = PortInfo::default();
            port.set_m_key(set);
            port.set_m_key_protect(level);
            let judged = [method::GET, method::SET, method::TRAP_REPRESS]
                .map(|m| judge(&port, m, MKey(sent)));
            assert_eq!(judged, verdicts, "level {level}, key {sent:#x}");
            assert_eq!(shows_key(&port, MKey(sent)), shown, "level {level}, key {sent:#x}");
        }
    }
}
