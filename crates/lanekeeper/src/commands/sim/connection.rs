//! The far end of a program: bytes that come and go in frames.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

use lk_sim::kernel::ClientId;
use lk_umad_standin::protocol::{self, HEAD};

/// Bytes that may wait for a program that does not read; what comes then stays with the kernel.
const HIGH_WATER: usize = 1 << 20;
/// Bytes that are read in one go.
const CHUNK: usize = 1 << 16;

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// It asks questions.
    Asking,
    /// It is an open port's.
    Port(ClientId),
}

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: UnixStream,
    pub(super) role: Role,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    /// How much of `outgoing` is written.
    written: usize,
    ended: bool,
}

impl Connection {
    pub(super) fn new(stream: UnixStream) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        let (incoming, outgoing) = (Vec::new(), Vec::new());
        Ok(Self { stream, role: Role::Asking, incoming, outgoing, written: 0, ended: false })
    }

    /// Whether the program has gone, or has sent what is no frame.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether bytes wait to be written.
    pub(super) fn is_waiting(&self) -> bool {
        self.written < self.outgoing.len()
    }

    /// Whether more may be written.
    pub(super) fn has_room(&self) -> bool {
        !self.ended && self.outgoing.len() - self.written < HIGH_WATER
    }

    /// Reads what has come.
    pub(super) fn read(&mut self) {
        let mut chunk = [0; CHUNK];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => self.ended = true,
                Ok(got) => {
                    self.incoming.extend_from_slice(&chunk[..got]);
                    // A flood of one must not keep the others waiting.
                    if got == CHUNK {
                        return;
                    }
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => self.ended = true,
            }
            return;
        }
    }

    /// Takes the whole frames that have come.
    pub(super) fn frames(&mut self) -> Vec<(u32, Vec<u8>)> {
        let mut frames = Vec::new();
        let mut done = 0;
        loop {
            let rest = &self.incoming[done..];
            match protocol::head(rest) {
                Ok(Some((length, kind))) if rest.len() >= HEAD + length => {
                    frames.push((kind, rest[HEAD..HEAD + length].to_vec()));
                    done += HEAD + length;
                }
                Ok(_) => break,
                Err(_) => {
                    self.ended = true;
                    break;
                }
            }
        }
        self.incoming.drain(..done);
        if self.incoming.is_empty() {
            self.incoming = Vec::new();
        }
        frames
    }

    /// Puts a frame in and writes what can be written.
    pub(super) fn send(&mut self, kind: u32, body: &[u8]) {
        self.outgoing.extend_from_slice(&protocol::frame(kind, body));
        self.write();
    }

    /// Writes what can be written.
    pub(super) fn write(&mut self) {
        while self.is_waiting() && !self.ended {
            match self.stream.write(&self.outgoing[self.written..]) {
                Ok(sent) => self.written += sent,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.ended = true,
            }
        }
        self.outgoing = Vec::new();
        self.written = 0;
    }
}
