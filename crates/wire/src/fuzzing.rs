//! Entry points for fuzzing: every view of this crate on bytes of any content and length.
//!
//! The folder `fuzz` beside the crates has targets that call these; the crate's own tests call
//! them with bytes that look random. Nothing is returned: what is looked for is a panic, and a
//! value that does not come back as it was.

use std::fmt::{Debug, Display, Write};

use crate::{
    Attribute, DirPath, GuidInfo, LinearForwardingTable, MadHeader, MlnxExtPortInfo,
    MulticastForwardingTable, NodeDescription, NodeInfo, Notice, PKeyTable, PortInfo, SlToVlTable,
    SmInfo, Smp, SwitchInfo, Trap, VlArbTable,
};

/// Takes whatever is printed to it.
struct Sink;

impl Write for Sink {
    fn write_str(&mut self, _: &str) -> std::fmt::Result {
        Ok(())
    }
}

/// Prints a value in both forms. The sink never fails, so neither does this.
fn print(value: &(impl Debug + Display)) {
    let _ = write!(Sink, "{value}{value:?}");
}

/// Reads an attribute from an SMP, prints it and puts it back.
fn attribute<A: Attribute + Debug + Display + PartialEq>(smp: &Smp) {
    let value: A = smp.attribute();
    print(&value);
    let mut copy = *smp;
    copy.set_attribute(&value);
    assert!(copy.attribute::<A>() == value, "{value:?} does not come back from an SMP");
}

/// A directed-route or LID-routed SMP and every attribute that it may carry.
pub fn smp(bytes: &[u8]) {
    if let Ok(header) = MadHeader::parse(bytes) {
        print(&header);
    }
    let Ok(smp) = Smp::parse(bytes) else { return };
    print(&smp);
    print(&smp.status());
    let _ = write!(Sink, "{}", smp.summary());
    assert!(smp.path().is_some() == (smp.hop_count() <= DirPath::MAX_HOPS));
    let answer = smp.response(smp.status());
    assert!(answer.is_response() && answer.tid() == smp.tid() && answer.status() == smp.status());

    attribute::<NodeDescription>(&smp);
    attribute::<NodeInfo>(&smp);
    attribute::<SwitchInfo>(&smp);
    attribute::<GuidInfo>(&smp);
    attribute::<PortInfo>(&smp);
    attribute::<PKeyTable>(&smp);
    attribute::<SlToVlTable>(&smp);
    attribute::<VlArbTable>(&smp);
    attribute::<SmInfo>(&smp);
    attribute::<MlnxExtPortInfo>(&smp);
    attribute::<Notice>(&smp);
    let _ = write!(
        Sink,
        "{:?}{:?}",
        smp.attribute::<LinearForwardingTable>(),
        smp.attribute::<MulticastForwardingTable>()
    );
    notice(smp.data());
}

/// A notice, from an SMP (64 bytes) or a class management datagram (80), and its trap.
pub fn notice(bytes: &[u8]) {
    let Some(data) = bytes.first_chunk() else { return };
    let notice = Notice::parse(bytes).unwrap_or_else(|_| Notice::from_data(data));
    print(&notice);
    let _ = write!(Sink, "{:?}{}", notice.producer(), notice.issuer_gid());
    if let Some(trap) = Trap::parse(&notice) {
        let _ = write!(Sink, "{trap:?}");
        if let Trap::BadMKey(violation) = trap {
            assert!(violation.return_path().len() <= 30);
        }
        let again = trap.notice(crate::NodeType::SWITCH, crate::Lid(notice.issuer_lid()));
        assert!(Trap::parse(&again) == Some(trap), "{trap:?} does not come back from a notice");
    }
}

/// The text of a directed route.
pub fn dr_path(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match text.parse::<DirPath>() {
        Ok(path) => assert!(path.to_string().parse() == Ok(path)),
        Err(error) => drop(error.to_string()),
    }
}
