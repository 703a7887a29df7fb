//! Requests from outside: traps, and other subnet managers that ask who is here.

use lk_wire::{Lid, Notice, SmInfo, Status, attr, method};

use super::*;

/// The link state of a switch's port changed (IBA 14.3.4).
const TRAP_LINK_STATE: u16 = 128;
/// A port's capabilities, name or LID claims changed.
const TRAP_LOCAL_CHANGE: u16 = 144;

impl Sm {
    pub(super) fn request_from_outside(&mut self, smp: &Smp) {
        match (smp.method(), smp.attr_id()) {
            (method::TRAP, attr::NOTICE) => self.trap(smp),
            (method::GET, attr::SM_INFO) => self.who_is_here(smp),
            (method, attribute) => self.event(Event::UnexpectedMad {
                method,
                attribute,
                why: "the SM does not serve it",
            }),
        }
    }

    fn trap(&mut self, smp: &Smp) {
        let notice: Notice = smp.attribute();
        let lid = Lid(notice.issuer_lid());
        self.reply(smp.is_directed(), lid, smp.response(Status::OK));
        let number = notice.trap_number();
        self.event(Event::Trap { number, lid, text: notice.to_string() });
        let changes = matches!(number, TRAP_LINK_STATE | TRAP_LOCAL_CHANGE);
        if changes && self.options().sweep_on_trap && self.state == SmState::Master {
            self.want(Reason::Trap(number));
        }
    }

    fn who_is_here(&mut self, smp: &Smp) {
        let guid = self.seen.as_ref().map_or(0, |s| s.fabric.port(s.sm_port).guid.0);
        let mut info = SmInfo::default();
        info.set_guid(guid);
        info.set_act_count(self.now.0 as u32);
        info.set_priority(self.options().sm_priority & 0xF);
        info.set_sm_state(self.state.code());
        let mut answer = smp.response(Status::OK);
        answer.set_attribute(&info);
        // Subnet managers ask each other along directed routes.
        self.reply(true, Lid::PERMISSIVE, answer);
    }

    fn reply(&mut self, directed: bool, lid: Lid, smp: Smp) {
        let to = if directed { Lid::PERMISSIVE } else { lid };
        self.out.push_back(Output::Reply { to, smp: Box::new(smp) });
    }
}
