//! Commands of ibsim's console in a net file: `do link "a"[1] "b"[2]`.
//!
//! Those that change the graph are followed: `link`, `unlink`, `relink`, `clear`, `guid` and
//! `baselid`, each in any case and cut short as far as one likes. They see the nodes above their
//! line only. Cables of port lines are made after the whole file is read, so `unlink` can take
//! away only what `link` has made. Everything else a console can do (faults, counters, waiting)
//! has no place in a graph and is reported.

use lk_diag::Diagnostic;

use super::super::draft::{DraftEnd, DraftPort, Enabled, Place};
use super::super::findings::{COMMAND, MALFORMED, UNKNOWN_NODE};
use super::super::record::Cursor;
use super::{Reader, modifiers};
use crate::graph::{LinkRate, NodeKind};

/// ibsim's commands in the order in which it looks up a word that is cut short. (The ibsim 0.10 of
/// Debian wants whole words.)
const COMMANDS: [&str; 18] = [
    "dump",
    "route",
    "link",
    "unlink",
    "clear",
    "guid",
    "error",
    "baselid",
    "start",
    "verbose",
    "wait",
    "attached",
    "x",
    "help",
    "?",
    "quit",
    "relink",
    "performanceset",
];

impl Reader<'_> {
    pub(super) fn command(&mut self, place: Place, text: &str) {
        let mut cursor = Cursor::new(text);
        cursor.blanks();
        let word = cursor.run(|c| !c.is_whitespace() && c != '"').to_ascii_lowercase();
        if word.is_empty() || word.starts_with('#') {
            return;
        }
        let name = COMMANDS.iter().find(|c| c.starts_with(&word)).copied().unwrap_or_default();
        let done = match name {
            "link" => self.link(place, &mut cursor),
            "unlink" => self.unlink(&mut cursor, false),
            "clear" => self.unlink(&mut cursor, true),
            "relink" => self.relink(place, &mut cursor),
            "guid" => self.set_guid(place, &mut cursor),
            "baselid" => self.set_lid(&mut cursor),
            _ => {
                let message = format!("ibsim's command `{word}` changes nothing of the fabric");
                return self.say(Diagnostic::info(COMMAND, message), place, "left out");
            }
        };
        if let Err((code, why)) = done {
            let message = format!("{why}; ibsim refuses the file");
            self.say(Diagnostic::error(code, message), place, "left out");
        }
    }

    /// The node and the port number that a command names.
    fn node_and_port(&self, cursor: &mut Cursor<'_>) -> Result<(u32, Option<u8>), Refusal> {
        let (id, port) = Self::operand(cursor)
            .ok_or_else(|| (MALFORMED, "the command names no node in quotes".to_owned()))?;
        let full = self.expand(id);
        let node = self
            .draft
            .find(&full)
            .ok_or_else(|| (UNKNOWN_NODE, format!("no node `{full}` stands above this line")))?;
        let ports = self.draft.nodes[node as usize].spec.num_ports;
        let port =
            match port {
                None => None,
                Some(n) => Some(u8::try_from(n).ok().filter(|n| *n <= ports).ok_or_else(|| {
                    (MALFORMED, format!("`{full}` has ports 1 to {ports}, not {n}"))
                })?),
            };
        Ok((node, port))
    }

    fn external(&self, cursor: &mut Cursor<'_>) -> Result<(u32, u8), Refusal> {
        match self.node_and_port(cursor)? {
            (node, Some(port)) if port > 0 => Ok((node, port)),
            _ => Err((MALFORMED, "the command names no port".to_owned())),
        }
    }

    fn link(&mut self, place: Place, cursor: &mut Cursor<'_>) -> Done {
        let a = self.external(cursor)?;
        let b = self.external(cursor)?;
        if self.linked(a).is_some() || self.linked(b).is_some() {
            return Err((COMMAND, "one of the ports is linked already".to_owned()));
        }
        self.join(place, a, b);
        Ok(())
    }

    /// What a port was linked to by a command.
    fn linked(&self, at: (u32, u8)) -> Option<(u32, u8)> {
        self.joined.get(&at).copied()
    }

    fn join(&mut self, place: Place, a: (u32, u8), b: (u32, u8)) {
        for (this, far) in [(a, b), (b, a)] {
            self.joined.insert(this, far);
            self.unlinked.remove(&this);
            let (far_name, far_port) = (self.draft.nodes[far.0 as usize].name, u32::from(far.1));
            if let Some(end) = self.ends.get(&this).and_then(|i| self.draft.ends.get_mut(*i)) {
                end.far = far_name;
                end.far_port = far_port;
                end.by_alias = false;
                continue;
            }
            self.ends.insert(this, self.draft.ends.len());
            self.draft.ends.push(DraftEnd {
                node: this.0,
                port: this.1,
                place,
                this: DraftPort::default(),
                far: far_name,
                far_port,
                far_guid: None,
                far_lid: None,
                rate: LinkRate::default(),
                enabled: (self.enabled != Enabled::default()).then_some(self.enabled),
                by_alias: false,
            });
        }
    }

    fn unlink(&mut self, cursor: &mut Cursor<'_>, clear: bool) -> Done {
        let (node, port) = self.node_and_port(cursor)?;
        let ports = match port {
            Some(port) => port..=port,
            None => 1..=self.draft.nodes[node as usize].spec.num_ports,
        };
        let mut any = false;
        for here in ports.map(|p| (node, p)) {
            let Some(far) = self.joined.remove(&here) else { continue };
            self.joined.remove(&far);
            self.unlinked.insert(here, far);
            self.unlinked.insert(far, here);
            any = true;
        }
        if port.is_some() && !any && !clear {
            return Err((COMMAND, "no command has linked this port".to_owned()));
        }
        Ok(())
    }

    fn relink(&mut self, place: Place, cursor: &mut Cursor<'_>) -> Done {
        let (node, port) = self.node_and_port(cursor)?;
        let ports = match port {
            Some(port) => port..=port,
            None => 1..=self.draft.nodes[node as usize].spec.num_ports,
        };
        let mut any = false;
        for here in ports.map(|p| (node, p)) {
            let Some(far) = self.unlinked.get(&here).copied() else { continue };
            if self.linked(here).is_none() && self.linked(far).is_none() {
                self.join(place, here, far);
                any = true;
            }
        }
        if port.is_some() && !any {
            return Err((COMMAND, "no command has unlinked this port".to_owned()));
        }
        Ok(())
    }

    fn set_guid(&mut self, place: Place, cursor: &mut Cursor<'_>) -> Done {
        let (node, port) = self.node_and_port(cursor)?;
        let Some(guid) = modifiers::number(cursor.rest()).filter(|_| port.is_none()) else {
            let message = "ibsim sets a node's GUID only, by a number behind the node's id";
            self.say(Diagnostic::info(COMMAND, message), place, "without effect");
            return Ok(());
        };
        // The ports keep the GUIDs that they have by the node's old one.
        let described = &mut self.draft.nodes[node as usize];
        let old = std::mem::replace(&mut described.spec.guid, guid.into());
        described.port0.guid.get_or_insert(old);
        for port in 1..=described.spec.num_ports {
            let end = self.ends.get(&(node, port)).and_then(|i| self.draft.ends.get_mut(*i));
            if let Some(end) = end {
                end.this.guid.get_or_insert(old.0.wrapping_add(u64::from(port)).into());
            }
        }
        Ok(())
    }

    fn set_lid(&mut self, cursor: &mut Cursor<'_>) -> Done {
        let (node, port) = self.node_and_port(cursor)?;
        let mut numbers = cursor.rest().split_whitespace();
        let lid = numbers.next().and_then(modifiers::number).and_then(|n| u16::try_from(n).ok());
        let lid = lid.filter(|n| (1..=0xBFFF).contains(n));
        let lid = lid.ok_or_else(|| (MALFORMED, "the command names no LID".to_owned()))?;
        let lmc = numbers.next().and_then(modifiers::number).filter(|n| (1..=7).contains(n));
        let is_switch = self.draft.nodes[node as usize].spec.kind == NodeKind::Switch;
        let slot = match port {
            Some(0) if is_switch => Some(&mut self.draft.nodes[node as usize].port0),
            Some(0) | None => return Err((MALFORMED, "the command names no port".to_owned())),
            Some(_) if is_switch => None,
            Some(port) => self
                .ends
                .get(&(node, port))
                .and_then(|i| self.draft.ends.get_mut(*i))
                .map(|end| &mut end.this),
        };
        if let Some(slot) = slot {
            slot.lid = Some(lid);
            slot.lmc = lmc.map_or(slot.lmc, |n| n as u8);
        }
        Ok(())
    }
}

/// Why a command is refused.
type Refusal = (lk_diag::Code, String);
type Done = Result<(), Refusal>;
