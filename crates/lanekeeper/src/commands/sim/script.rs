//! What happens to a fabric while it is served: a script, a command on each line.
//!
//! The words are those of ibsim's console where it has any, in any case of letters; what is
//! behind a `#` is a comment. NODE is a node's description, in quotes where it has a space, or its
//! GUID; `[PORT]` may follow at once.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::anyhow;
use lk_fabric::{Fabric, NodeId, PortId};
use lk_sim::{Chance, Fault, Scope, SimFabric};
use lk_wire::PortNum;

use super::host;
use crate::failure::Failure;
use crate::{input, terminal};

const SECOND: f64 = 1e9;

/// One line of a script.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    /// So many nanoseconds pass.
    Wait(u64),
    /// These things happen.
    Apply(Vec<Fault>),
}

/// A script under way.
#[derive(Debug)]
pub(super) struct Script {
    steps: VecDeque<Step>,
    next_at: u64,
    live: Option<Live>,
}

/// Lines that are still to come.
#[derive(Debug)]
struct Live {
    lines: Receiver<String>,
    /// Has a byte for each line.
    bell: UnixStream,
}

/// Reads a script; `-` is standard input, whose lines are carried out as they come.
pub(super) fn read(path: &Path, fabric: &Fabric) -> Result<Script, Failure> {
    if path == Path::new("-") {
        let (bell, mut ring) = UnixStream::pair().map_err(anyhow::Error::from)?;
        bell.set_nonblocking(true).map_err(anyhow::Error::from)?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(std::io::stdin()).lines().map_while(Result::ok) {
                if sender.send(line).is_err() || ring.write_all(b"\n").is_err() {
                    return;
                }
            }
        });
        return Ok(Script { steps: VecDeque::new(), next_at: 0, live: Some(Live { lines, bell }) });
    }
    let source = input::source(path)?;
    let mut steps = VecDeque::new();
    for (number, line) in (1..).zip(source.text().lines()) {
        let step =
            parse(line, fabric).map_err(|why| anyhow!("{}:{number}: {why}", source.name()))?;
        steps.extend(step);
    }
    Ok(Script { steps, next_at: 0, live: None })
}

impl Script {
    /// What tells that a line has come.
    pub(super) fn live(&self) -> Option<&UnixStream> {
        self.live.as_ref().map(|live| &live.bell)
    }

    /// Lets everything happen that is due; says when the next thing is.
    pub(super) fn run(&mut self, sim: &mut SimFabric, now: u64) -> Option<u64> {
        self.take_lines(sim.fabric());
        while self.next_at <= now {
            match self.steps.pop_front()? {
                Step::Wait(time) => self.next_at = self.next_at.max(now).saturating_add(time),
                Step::Apply(faults) => {
                    for fault in faults {
                        sim.apply(now, fault);
                    }
                }
            }
        }
        (!self.steps.is_empty()).then_some(self.next_at)
    }

    fn take_lines(&mut self, fabric: &Fabric) {
        use std::io::Read;
        let Some(live) = &mut self.live else { return };
        let mut rung = [0; 256];
        // At the end of the input the bell would ring for ever.
        if live.bell.read(&mut rung).is_ok_and(|got| got == 0) {
            let left: Vec<String> = live.lines.try_iter().collect();
            self.live = None;
            return self.add(left, fabric);
        }
        let lines: Vec<String> = live.lines.try_iter().collect();
        self.add(lines, fabric);
    }

    fn add(&mut self, lines: Vec<String>, fabric: &Fabric) {
        for line in lines {
            match parse(&line, fabric) {
                Ok(step) => self.steps.extend(step),
                Err(why) => terminal::complain(&format!("lanekeeper: {why}")),
            }
        }
    }
}

/// The words of a line; what is in quotes is one, with a port in brackets right behind it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '#' if !quoted && word.is_none() => break,
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// What a line means; `None` for an empty one.
fn parse(line: &str, fabric: &Fabric) -> Result<Option<Step>, String> {
    let words = words(line);
    let Some((command, rest)) = words.split_first() else { return Ok(None) };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let command = command.to_lowercase();
    let usage = |form: &str| format!("{command}: write {form}");
    let faults = match (command.as_str(), &rest[..]) {
        ("wait", [time]) => {
            let seconds = time.parse::<f64>().ok().filter(|t| (0.0..1e9).contains(t));
            let seconds = seconds.ok_or_else(|| usage("wait SECONDS"))?;
            return Ok(Some(Step::Wait((seconds * SECOND) as u64)));
        }
        ("unlink", [place]) => ports(fabric, place)?.into_iter().map(Fault::LinkDown).collect(),
        ("relink", [place]) => ports(fabric, place)?.into_iter().map(Fault::LinkUp).collect(),
        ("flap", [place]) => ports(fabric, place)?.into_iter().map(Fault::LinkFlap).collect(),
        ("off", [node]) => vec![Fault::PowerOff(host::find(fabric, node)?)],
        // Clear of ibsim sets a node back, which is a restart here.
        ("on" | "clear", [node]) => vec![Fault::PowerOn(host::find(fabric, node)?)],
        ("rename", [node, name]) => {
            vec![Fault::Rename { node: host::find(fabric, node)?, description: (*name).to_owned() }]
        }
        ("lose", [nodes, share]) => {
            let scope = scope(fabric, nodes)?;
            let chance = percent(share).ok_or_else(|| usage("lose NODE|all PERCENT"))?;
            vec![Fault::LoseRequests { scope, chance }, Fault::LoseAnswers { scope, chance }]
        }
        ("double", [nodes, share]) => {
            let chance = percent(share).ok_or_else(|| usage("double NODE|all PERCENT"))?;
            vec![Fault::Duplicate { scope: scope(fabric, nodes)?, chance }]
        }
        ("delay", [nodes, least, most]) => {
            let time = |text: &str| text.parse::<u64>().ok()?.checked_mul(1000);
            let times = time(least).zip(time(most)).filter(|(least, most)| least <= most);
            let (min, max) =
                times.ok_or_else(|| usage("delay NODE|all MICROSECONDS MICROSECONDS"))?;
            vec![Fault::Delay { scope: scope(fabric, nodes)?, min, max }]
        }
        ("heal", [nodes]) => vec![Fault::Heal(scope(fabric, nodes)?)],
        ("wait", _) => return Err(usage("wait SECONDS")),
        ("unlink" | "relink" | "flap", _) => return Err(usage("the word and NODE or NODE[PORT]")),
        ("off" | "on" | "clear" | "heal", _) => return Err(usage("the word and NODE")),
        ("rename", _) => return Err(usage("rename NODE \"NAME\"")),
        ("lose" | "double", _) => return Err(usage("the word, NODE or all, and PERCENT")),
        ("delay", _) => return Err(usage("delay NODE|all MICROSECONDS MICROSECONDS")),
        _ => {
            let known =
                "wait, unlink, relink, flap, off, on, clear, rename, lose, double, delay, heal";
            return Err(format!("{command} is no command; there are: {known}"));
        }
    };
    Ok(Some(Step::Apply(faults)))
}

fn percent(text: &str) -> Option<Chance> {
    let share = text.trim_end_matches('%').parse::<f64>().ok()?;
    (0.0..=100.0).contains(&share).then_some(Chance((share * 10_000.0) as u32))
}

fn scope(fabric: &Fabric, name: &str) -> Result<Scope, String> {
    if name.eq_ignore_ascii_case("all") {
        return Ok(Scope::All);
    }
    host::find(fabric, name).map(Scope::Node)
}

/// The cabled ports of a node, or the one that is named.
fn ports(fabric: &Fabric, place: &str) -> Result<Vec<PortId>, String> {
    let (name, port) = match place.strip_suffix(']').and_then(|place| place.rsplit_once('[')) {
        Some((name, port)) => (name, Some(port)),
        None => (place, None),
    };
    let node: NodeId = host::find(fabric, name)?;
    let Some(port) = port else {
        return Ok(fabric.external_ports(node).filter(|p| fabric.peer(*p).is_some()).collect());
    };
    let number = port.parse().ok().filter(|number| *number != 0);
    let found = number.and_then(|number| fabric.port_at(node, PortNum(number)));
    match found {
        Some(port) if fabric.peer(port).is_some() => Ok(vec![port]),
        Some(_) => Err(format!("port {port} of {name} has no cable")),
        None => Err(format!("{name} has no port {port}")),
    }
}

#[cfg(test)]
mod tests {
    use lk_fabric::{FabricBuilder, NodeKind, NodeSpec};
    use lk_wire::Guid;

    use super::*;

    fn fabric() -> Fabric {
        let mut b = FabricBuilder::new();
        let host = b.add_node(NodeSpec::new(Guid(0x10), NodeKind::Ca, "the host", 2));
        let switch = b.add_node(NodeSpec::new(Guid(0x20), NodeKind::Switch, "leaf[1]", 4));
        let (host, switch) = (host.expect("new"), switch.expect("new"));
        b.connect((host, 1), (switch, 3)).expect("free ports");
        b.build()
    }

    #[test]
    fn lines_mean_what_ibsims_console_means_by_them() {
        let fabric = fabric();
        let node = |guid| fabric.node_by_guid(Guid(guid)).expect("there");
        let port = |guid, number| fabric.port_at(node(guid), PortNum(number)).expect("there");
        for (line, step) in [
            ("# nothing", None),
            ("wait 0.5  # half a second", Some(Step::Wait(500_000_000))),
            ("Unlink \"the host\"[1]", Some(Step::Apply(vec![Fault::LinkDown(port(0x10, 1))]))),
            ("relink 0x20", Some(Step::Apply(vec![Fault::LinkUp(port(0x20, 3))]))),
            ("off leaf[1]", Some(Step::Apply(vec![Fault::PowerOff(node(0x20))]))),
            ("heal ALL", Some(Step::Apply(vec![Fault::Heal(Scope::All)]))),
        ] {
            assert_eq!(parse(line, &fabric), Ok(step), "{line}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let fabric = fabric();
        for (line, part) in [
            ("wait long", "wait SECONDS"),
            ("unlink \"the host\"[2]", "has no cable"),
            ("unlink \"the host\"[9]", "has no port 9"),
            ("off nobody", "no node called nobody"),
            ("off 0x99", "no node with the GUID"),
            ("lose all 101", "PERCENT"),
            ("explode", "there are: wait"),
        ] {
            let why = parse(line, &fabric).expect_err(line);
            assert!(why.contains(part), "{line}: {why}");
        }
    }
}
