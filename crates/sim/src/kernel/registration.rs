//! Who is to have which datagrams: agents of management classes, as the kernel keeps them for
//! each port.

use std::collections::BTreeMap;

use lk_wire::rmpp::RmppHeader;
use lk_wire::{MAD_LEN, class, method};

/// Whether the kernel does RMPP for an agent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Rmpp {
    /// The class has no long messages, or the agent wants none.
    #[default]
    None,
    /// The kernel cuts and joins long messages.
    Kernel,
    /// The agent does it itself and gets each segment as it is.
    User,
}

/// What an agent registers for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Registration {
    /// The queue pair: 0 for subnet management, 1 for all else.
    pub qp: u32,
    /// The management class; 0 for an agent that only asks.
    pub class: u8,
    /// The version of the class.
    pub version: u8,
    /// The vendor's OUI, for classes 0x30 to 0x4F.
    pub oui: [u8; 3],
    /// The methods of requests that it takes, a bit each.
    pub methods: u128,
    /// How long messages are done.
    pub rmpp: Rmpp,
}

impl Registration {
    /// An agent of a class that takes requests with these methods.
    #[must_use]
    pub fn new(class: u8, version: u8, methods: &[u8], rmpp: Rmpp) -> Self {
        let methods = methods.iter().fold(0, |mask, m| mask | 1 << (m & !method::RESPONSE_BIT));
        let qp = u32::from(!is_smp_class(class));
        Self { qp, class, version, oui: [0; 3], methods, rmpp }
    }
}

/// Why an agent cannot be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RegisterError {
    /// There is no such class or no such version of a class.
    #[error("no such management class")]
    Class,
    /// The class belongs to the other queue pair.
    #[error("the class is not for this queue pair")]
    QueuePair,
    /// A vendor's class needs an OUI.
    #[error("a vendor's class needs an OUI")]
    Oui,
    /// The class has no long messages.
    #[error("the class has no RMPP")]
    Rmpp,
    /// Somebody else takes one of the methods at this port.
    #[error("another agent takes one of the methods")]
    InUse,
    /// The client has as many agents as it may have.
    #[error("too many agents")]
    TooMany,
    /// There is no such client.
    #[error("no such client")]
    NoClient,
}

/// An agent's name for the whole fabric: the upper half of the transaction identifiers of its
/// requests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct AgentId(pub(super) u32);

/// Classes from here on do not exist, but for that of directed routes.
const END_OF_CLASSES: u8 = 0x50;
/// Versions from here on do not exist.
const END_OF_VERSIONS: u8 = 0x83;

fn is_smp_class(class: u8) -> bool {
    matches!(class, class::SUBN_LID | class::SUBN_DR)
}

/// A vendor's class with an OUI.
fn has_oui(class: u8) -> bool {
    (0x30..=0x4F).contains(&class)
}

/// Whether a registration can be at all.
pub(super) fn check(wanted: &Registration) -> Result<(), RegisterError> {
    if wanted.qp > 1 {
        return Err(RegisterError::QueuePair);
    }
    if wanted.class == 0 {
        return if wanted.rmpp == Rmpp::None { Ok(()) } else { Err(RegisterError::Rmpp) };
    }
    let known = wanted.class < END_OF_CLASSES || wanted.class == class::SUBN_DR;
    if !known || wanted.version >= END_OF_VERSIONS {
        return Err(RegisterError::Class);
    }
    if has_oui(wanted.class) && wanted.oui == [0; 3] {
        return Err(RegisterError::Oui);
    }
    if wanted.rmpp != Rmpp::None && RmppHeader::data_offset(wanted.class).is_none() {
        return Err(RegisterError::Rmpp);
    }
    if is_smp_class(wanted.class) != (wanted.qp == 0) {
        return Err(RegisterError::QueuePair);
    }
    Ok(())
}

/// Version, class and OUI, which for other classes than a vendor's is zeros.
type Key = (u8, u8, [u8; 3]);

/// The agents of one port that take requests.
#[derive(Clone, Default, Debug)]
pub(super) struct Takers(BTreeMap<Key, Vec<(u128, AgentId)>>);

impl Takers {
    pub(super) fn add(&mut self, wanted: &Registration, id: AgentId) -> Result<(), RegisterError> {
        if wanted.methods == 0 || wanted.class == 0 {
            return Ok(());
        }
        let oui = if has_oui(wanted.class) { wanted.oui } else { [0; 3] };
        let row = self.0.entry((wanted.version, wanted.class, oui)).or_default();
        if row.iter().any(|(taken, _)| taken & wanted.methods != 0) {
            return Err(RegisterError::InUse);
        }
        row.push((wanted.methods, id));
        Ok(())
    }

    pub(super) fn remove(&mut self, id: AgentId) {
        for row in self.0.values_mut() {
            row.retain(|(_, owner)| *owner != id);
        }
        self.0.retain(|_, row| !row.is_empty());
    }

    /// The agent that takes a request.
    pub(super) fn taker(&self, mad: &[u8; MAD_LEN]) -> Option<AgentId> {
        let (class, version, asked) = (mad[1], mad[2], mad[3]);
        // Behind the RMPP header and a reserved byte.
        let oui = if has_oui(class) { [mad[37], mad[38], mad[39]] } else { [0; 3] };
        let row = self.0.get(&(version, class, oui))?;
        let mask = 1_u128.checked_shl(asked.into())?;
        row.iter().find(|(methods, _)| methods & mask != 0).map(|(_, id)| *id)
    }
}

/// Whether a datagram answers another: then its transaction identifier names the agent.
pub(super) fn is_response(mad: &[u8]) -> bool {
    let at = |place: usize| mad.get(place).copied().unwrap_or_default();
    at(3) & method::RESPONSE_BIT != 0
        || at(3) == method::TRAP_REPRESS
        || at(1) == class::BM && at(23) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused() {
        let sa = Registration::new(class::SUBN_ADM, 2, &[method::GET], Rmpp::Kernel);
        assert_eq!(check(&sa), Ok(()));
        let smp = Registration::new(class::SUBN_DR, 1, &[method::GET], Rmpp::None);
        assert_eq!((check(&smp), smp.qp), (Ok(()), 0));
        use RegisterError as E;
        for (wanted, error) in [
            (Registration { qp: 0, ..sa }, E::QueuePair),
            (Registration { qp: 2, ..sa }, E::QueuePair),
            (Registration { qp: 1, ..smp }, E::QueuePair),
            (Registration { rmpp: Rmpp::Kernel, ..smp }, E::Rmpp),
            (Registration { class: 4, ..sa }, E::Rmpp),
            (Registration { class: 0x30, ..sa }, E::Oui),
            (Registration { class: 0x50, ..sa }, E::Class),
            (Registration { class: 0x82, ..sa }, E::Class),
            (Registration { version: 0x83, ..sa }, E::Class),
            (Registration { class: 0, ..sa }, E::Rmpp),
        ] {
            assert_eq!(check(&wanted), Err(error), "{wanted:?}");
        }
    }

    #[test]
    fn a_method_has_one_taker() {
        let mut takers = Takers::default();
        let sa = Registration::new(class::SUBN_ADM, 2, &[method::GET, method::SET], Rmpp::Kernel);
        takers.add(&sa, AgentId(1)).unwrap();
        assert_eq!(takers.add(&sa, AgentId(2)), Err(RegisterError::InUse));
        let other = Registration { version: 1, ..sa };
        takers.add(&other, AgentId(3)).unwrap();
        let none = Registration { methods: 0, ..sa };
        takers.add(&none, AgentId(4)).unwrap();
        let mut mad = [0; MAD_LEN];
        mad[..4].copy_from_slice(&[1, 3, 2, 2]);
        assert_eq!(takers.taker(&mad), Some(AgentId(1)));
        mad[3] = 0x12;
        assert_eq!(takers.taker(&mad), None);
        mad[3] = 0x92;
        assert_eq!(takers.taker(&mad), None);
        takers.remove(AgentId(1));
        takers.add(&sa, AgentId(5)).unwrap();
    }

    #[test]
    fn vendors_are_told_apart_by_their_oui() {
        let mut takers = Takers::default();
        let one =
            Registration { oui: [0, 2, 0xc9], ..Registration::new(0x32, 1, &[1], Rmpp::None) };
        takers.add(&one, AgentId(1)).unwrap();
        takers.add(&Registration { oui: [0, 2, 0xca], ..one }, AgentId(2)).unwrap();
        let mut mad = [0; MAD_LEN];
        mad[..4].copy_from_slice(&[1, 0x32, 1, 1]);
        mad[37..40].copy_from_slice(&[0, 2, 0xca]);
        assert_eq!(takers.taker(&mad), Some(AgentId(2)));
        mad[39] = 0;
        assert_eq!(takers.taker(&mad), None);
    }
}
