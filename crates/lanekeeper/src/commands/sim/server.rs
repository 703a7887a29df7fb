//! The fabric in real time: one thread that waits for programs, for time-outs and for its end.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use lk_fabric::NodeId;
use lk_sim::SimFabric;
use lk_sim::kernel::{ClientId, Kernel, Limits};
use lk_umad_standin::protocol::kind;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use super::connection::{Connection, Role};
use super::issm::Issm;
use super::messages;
use super::program::{Program, Watched};
use super::questions::Asked;
use super::script::Script;
use super::socket::Place;
use crate::failure::Failure;

/// The longest that is waited for nothing.
const LONGEST_NAP: u64 = 60_000_000_000;
/// Messages that one program gets before the next one's turn.
const TURN: usize = 256;

/// A fabric that is served.
pub(super) struct Server {
    sim: SimFabric,
    kernel: Kernel,
    issm: Issm,
    first: NodeId,
    listener: UnixListener,
    connections: BTreeMap<u64, Connection>,
    /// The connection of each client's port.
    ports: BTreeMap<ClientId, u64>,
    next_key: u64,
    script: Option<Script>,
    start: Instant,
}

/// What the server waits for besides programs.
struct Ends {
    interrupt: UnixStream,
    terminate: UnixStream,
    /// Closed when the command has ended.
    command: UnixStream,
}

/// What a wait has found.
#[derive(Default)]
struct Found {
    newcomers: bool,
    issm: bool,
    interrupted: bool,
    terminated: bool,
    command_ended: bool,
    readable: Vec<u64>,
    writable: Vec<u64>,
}

impl Server {
    pub(super) fn new(
        sim: SimFabric,
        first: NodeId,
        place: &Place,
        script: Option<Script>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            sim,
            kernel: Kernel::new(Limits::default()),
            issm: Issm::new(place.folder())?,
            first,
            listener: place.listen()?,
            connections: BTreeMap::new(),
            ports: BTreeMap::new(),
            next_key: 1,
            script,
            start: Instant::now(),
        })
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Serves until the command ends, and gives its exit code; without a command until a signal
    /// comes.
    pub(super) fn run(&mut self, command: Option<Program>) -> Result<Option<ExitCode>, Failure> {
        let pair = || UnixStream::pair().context("cannot make a pair of sockets");
        let (interrupt, on_interrupt) = pair()?;
        let (terminate, on_terminate) = pair()?;
        let (command_end, on_end) = pair()?;
        pipe::register(SIGINT, on_interrupt).context("cannot listen for signals")?;
        pipe::register(SIGTERM, on_terminate).context("cannot listen for signals")?;
        let ends = Ends { interrupt, terminate, command: command_end };
        let (command, _kept) = match command {
            Some(command) => (Some(command.watch(on_end)), None),
            None => (None, Some(on_end)),
        };
        loop {
            let next = self.step();
            let found = self.wait(&ends, next)?;
            if found.command_ended {
                return command.map(Watched::code).transpose();
            }
            // Whoever presses Ctrl-C sends the signal to the command, too; it decides.
            if let Some(command) = &command {
                if found.terminated {
                    command.terminate();
                }
            } else if found.interrupted || found.terminated {
                return Ok(None);
            }
            drain(&ends.interrupt, found.interrupted);
            drain(&ends.terminate, found.terminated);
            self.serve(&found);
        }
    }

    /// Lets everything happen that is due; says when the next thing is.
    fn step(&mut self) -> u64 {
        let now = self.now();
        let script = self.script.as_mut().and_then(|script| script.run(&mut self.sim, now));
        // Nobody but the kernel's clients takes anything here.
        let _ = self.kernel.run(&mut self.sim, now);
        self.hand_out();
        // What could not be handed out waits for room, not for time.
        let due = [self.kernel.next_time(), self.sim.next_delivery(), script];
        due.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Gives programs what has come for them, as far as they read it.
    fn hand_out(&mut self) {
        let ready: Vec<ClientId> = self.kernel.all_ready().collect();
        for client in ready {
            let connection = self.ports.get(&client).and_then(|key| self.connections.get_mut(key));
            let Some(connection) = connection else { continue };
            for _ in 0..TURN {
                if !connection.has_room() {
                    break;
                }
                let Some(message) = self.kernel.receive(client) else { break };
                connection.send(kind::MESSAGE, &messages::for_program(&message));
            }
        }
    }

    /// Whether messages wait that there is room for.
    fn has_more(&self) -> bool {
        self.kernel.all_ready().any(|client| {
            let key = self.ports.get(&client);
            key.and_then(|key| self.connections.get(key)).is_some_and(Connection::has_room)
        })
    }

    fn wait(&self, ends: &Ends, next: u64) -> Result<Found, Failure> {
        let mut fds = Vec::with_capacity(self.connections.len() + 8);
        let input = PollFlags::IN;
        fds.push(PollFd::new(&self.listener, input));
        fds.push(PollFd::from_borrowed_fd(self.issm.events(), input));
        fds.push(PollFd::new(&ends.interrupt, input));
        fds.push(PollFd::new(&ends.terminate, input));
        fds.push(PollFd::new(&ends.command, input));
        let fixed = fds.len();
        for connection in self.connections.values() {
            let output = if connection.is_waiting() { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::new(&connection.stream, input | output));
        }
        let held = fds.len();
        fds.extend(self.issm.held().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::empty())));
        let script = self.script.as_ref().and_then(Script::live);
        let live = fds.len();
        fds.extend(script.map(|stream| PollFd::from_borrowed_fd(stream.as_fd(), input)));
        let nap = if self.has_more() { 0 } else { next.saturating_sub(self.now()) };
        let nap = nap.min(LONGEST_NAP);
        let nap = Timespec {
            tv_sec: (nap / 1_000_000_000) as i64,
            tv_nsec: (nap % 1_000_000_000) as i64,
        };
        match poll(&mut fds, Some(&nap)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Found::default()),
            Err(error) => return Err(anyhow::Error::from(error).context("cannot wait").into()),
        }
        let some = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let mut found = Found {
            newcomers: some(&fds[0]),
            issm: some(&fds[1]) || fds[held..live].iter().any(some),
            interrupted: some(&fds[2]),
            terminated: some(&fds[3]),
            command_ended: some(&fds[4]),
            ..Found::default()
        };
        for (key, fd) in self.connections.keys().zip(&fds[fixed..held]) {
            let out = fd.revents().contains(PollFlags::OUT);
            if out {
                found.writable.push(*key);
            }
            if fd.revents() != PollFlags::OUT && some(fd) {
                found.readable.push(*key);
            }
        }
        Ok(found)
    }

    /// Serves those who have something. Open ports come first: one that was closed has to be gone
    /// before somebody else opens it anew.
    fn serve(&mut self, found: &Found) {
        if found.issm {
            let now = self.now();
            for (port, is_sm) in self.issm.look() {
                self.sim.set_is_sm(now, port, is_sm);
            }
        }
        for key in &found.writable {
            if let Some(connection) = self.connections.get_mut(key) {
                connection.write();
            }
        }
        let is_port = |server: &Self, key: &u64| {
            server.connections.get(key).is_some_and(|c| c.role != Role::Asking)
        };
        let (ports, asking): (Vec<u64>, Vec<u64>) =
            found.readable.iter().partition(|key| is_port(self, key));
        for key in ports.into_iter().chain(asking) {
            self.read(key);
        }
        if found.newcomers {
            while let Ok((stream, _)) = self.listener.accept() {
                if let Ok(connection) = Connection::new(stream) {
                    self.connections.insert(self.next_key, connection);
                    self.next_key += 1;
                }
            }
        }
    }

    fn read(&mut self, key: u64) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        connection.read();
        let frames = connection.frames();
        for (kind, body) in frames {
            let role = self.connections.get(&key).map(|connection| connection.role);
            match role {
                Some(Role::Port(client)) if kind == kind::MESSAGE => self.send(client, &body),
                Some(Role::Asking) => self.answer(key, kind, &body),
                _ => {}
            }
        }
        if self.connections.get(&key).is_some_and(Connection::has_ended) {
            self.forget(key);
        }
    }

    /// A program sends a message. What cannot be sent is dropped: the program has its own
    /// time-outs, and the stand-in has looked at what it can see.
    fn send(&mut self, client: ClientId, body: &[u8]) {
        let Some((header, to, bytes)) = messages::from_program(body) else { return };
        let Ok(agent) = u8::try_from(header.agent) else { return };
        let (timeout, retries) = (header.timeout, header.retries);
        let now = self.now();
        let _ = self.kernel.send(&mut self.sim, now, client, agent, &to, bytes, timeout, retries);
    }

    fn answer(&mut self, key: u64, kind: u32, body: &[u8]) {
        let now = self.now();
        let connections = &self.connections;
        let client = |key: u64| match connections.get(&key)?.role {
            Role::Port(client) => Some(client),
            Role::Asking => None,
        };
        let mut asked = Asked {
            sim: &mut self.sim,
            kernel: &mut self.kernel,
            issm: &mut self.issm,
            first: self.first,
            client: &client,
            next_key: key,
            now,
        };
        let answer = asked.answer(kind, body);
        let closed = answer.as_ref().ok().and_then(|answer| answer.closed);
        if let Some(port) = closed.and_then(|client| self.ports.remove(&client)) {
            self.connections.remove(&port);
        }
        let Some(connection) = self.connections.get_mut(&key) else { return };
        match answer {
            Ok(answer) => {
                if let Some(client) = answer.opened {
                    connection.role = Role::Port(client);
                    self.ports.insert(client, key);
                }
                connection.send(kind::OK, &answer.body);
            }
            Err(refusal) => connection.send(kind::ERROR, &refusal.body()),
        }
    }

    /// A program has gone.
    fn forget(&mut self, key: u64) {
        let Some(connection) = self.connections.remove(&key) else { return };
        if let Role::Port(client) = connection.role {
            self.ports.remove(&client);
            let now = self.now();
            self.kernel.close(&mut self.sim, now, client);
        }
    }
}

/// Takes the byte that a signal has left, so that the next one is seen.
fn drain(mut stream: &UnixStream, there: bool) {
    use std::io::Read;
    if there {
        // One byte or more are there, so that this does not wait.
        let _ = stream.read(&mut [0; 64]);
    }
}
