//! Requests from outside: traps, and other subnet managers that ask who is here.

use lk_wire::{Lid, Notice, PortInfo, SmInfo, Status, Trap, attr, method, trap_number};

use super::*;

impl Sm {
    pub(super) fn request_from_outside(&mut self, from: Lid, smp: &Smp) {
        if self.mode == Mode::Read {
            return;
        }
        match (smp.method(), smp.attr_id()) {
            (method::TRAP, attr::NOTICE) => self.trap(from, smp),
            (method::GET, attr::SM_INFO) => self.who_is_here(from, smp),
            // A TrapRepress for a trap of our own, which this SM has none of.
            (method::TRAP_REPRESS, _) => {}
            (method, attribute) => self.event(Event::UnexpectedMad {
                method,
                attribute,
                why: "the SM does not serve it",
            }),
        }
    }

    fn trap(&mut self, from: Lid, smp: &Smp) {
        let notice: Notice = smp.attribute();
        self.reply(from, smp, smp.response(Status::OK));
        let number = notice.trap_number();
        let text = Trap::parse(&notice).map_or_else(|| "unknown".to_owned(), |t| words(&t));
        self.event(Event::Trap { number, lid: Lid(notice.issuer_lid()), text });
        self.hear(&notice);
        let changes = matches!(number, trap_number::LINK_STATE_CHANGE | trap_number::LOCAL_CHANGE);
        let own = self.seen.as_ref().and_then(|s| s.port_info(s.sm_port)).map(PortInfo::lid);
        // The own port's bit that says that an SM is here is no news.
        let is_own = number == trap_number::LOCAL_CHANGE && own == Some(notice.issuer_lid());
        if changes && !is_own && self.options().sweep_on_trap && self.state == SmState::Master {
            self.want(Reason::Trap(number));
        }
    }

    fn who_is_here(&mut self, from: Lid, smp: &Smp) {
        let guid = self.seen.as_ref().map_or(0, |s| s.fabric.port(s.sm_port).guid.0);
        let mut info = SmInfo::default();
        info.set_guid(guid);
        info.set_act_count(self.figures.gets.wrapping_add(self.figures.sets) as u32);
        info.set_priority(self.options().sm_priority & 0xF);
        info.set_sm_state(self.state.code());
        let mut answer = smp.response(Status::OK);
        answer.set_attribute(&info);
        self.reply(from, smp, answer);
    }

    fn reply(&mut self, from: Lid, request: &Smp, answer: Smp) {
        let to = if request.is_directed() { Lid::PERMISSIVE } else { from };
        self.out.push_back(Output::Reply { to, smp: Box::new(answer) });
    }
}

/// A trap in words.
fn words(trap: &Trap) -> String {
    match trap {
        Trap::LinkStateChange(lid) => format!("a port of the switch with LID {lid} changed state"),
        Trap::LinkIntegrity(lid, port) => format!("link integrity errors at LID {lid} port {port}"),
        Trap::BufferOverrun(lid, port) => format!("buffer overruns at LID {lid} port {port}"),
        Trap::FlowControl(lid, port) => format!("no flow control packets at LID {lid} port {port}"),
        Trap::LocalChange(_) => "capabilities, name or enabled speeds changed".to_owned(),
        Trap::GidInService(gid) => format!("port {gid} can be reached"),
        Trap::GidOutOfService(gid) => format!("port {gid} can no longer be reached"),
        Trap::GroupCreated(gid) => format!("multicast group {gid} was created"),
        Trap::GroupDeleted(gid) => format!("multicast group {gid} was deleted"),
        Trap::SystemImageGuid(lid, guid) => format!("LID {lid} has system image GUID {guid} now"),
        // Nobody should find keys in a log.
        Trap::BadMKey(_) => "an SMP with a wrong M_Key was dropped".to_owned(),
        Trap::BadPKey(_) | Trap::SwitchBadPKey(_) => {
            "a packet with a wrong P_Key was dropped".to_owned()
        }
        Trap::BadQKey(_) => "a packet with a wrong Q_Key was dropped".to_owned(),
    }
}
