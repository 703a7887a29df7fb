//! The subnet administration's part in the core's turns.

use super::*;
use crate::io::{GsiAddress, Outgoing};
use crate::sa::Effects;

/// How many requests are answered before more input is taken. Fewer than a driver takes in at
/// once, so that who asks too much is told so before it fills what lies below.
pub(super) const TURNS: u32 = 16;

impl Sm {
    /// Answers from this view from now on.
    pub(super) fn serve(&mut self, view: Arc<View>) {
        if self.state == SmState::Master {
            self.sa.install(view);
        }
    }

    /// A message of a general services class came in.
    pub(super) fn message(&mut self, from: GsiAddress, bytes: &[u8]) {
        if self.state == SmState::Master
            && let Some(refusal) = self.sa.take(self.now, from, bytes)
        {
            self.out.push_back(Output::Gmp(Box::new(refusal)));
        }
    }

    /// The next message that goes out, if it is time for one.
    pub(super) fn next_message(&mut self) -> Option<Outgoing> {
        if let Some(report) = self.sa.next_report(self.now) {
            return Some(report);
        }
        while self.turns > 0 && self.sa.has_work() {
            self.turns -= 1;
            let mut effects = Effects::default();
            let answer = self.sa.answer_next(self.now, &mut effects);
            self.carry_out(effects);
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    /// Does what requests have caused.
    fn carry_out(&mut self, effects: Effects) {
        for trap in effects.notices {
            self.sa.tell(&trap);
        }
    }
}
