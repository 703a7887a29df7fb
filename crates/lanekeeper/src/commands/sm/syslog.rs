//! The system's log: what concerns the whole subnet goes there too, as opensm sends it.

use std::os::unix::net::UnixDatagram;
use std::path::Path;

/// Where a Linux system takes messages.
pub(super) const SOCKET: &str = "/dev/log";

/// Facility "user", severity "info" (RFC 3164, section 4.1.1).
const PRIORITY: u8 = 1 << 3 | 6;

/// An open way to the system's log.
pub(super) struct Syslog {
    socket: UnixDatagram,
    /// `log_prefix`, with a blank behind it.
    prefix: String,
}

impl Syslog {
    /// Opens the way. `None`: this system takes no messages there, which is no failure.
    pub(super) fn open(socket: &Path, prefix: Option<&str>) -> Option<Self> {
        let way = UnixDatagram::unbound().ok()?;
        way.connect(socket).ok()?;
        // The log must never hold the manager up.
        way.set_nonblocking(true).ok()?;
        let prefix = prefix.map(|text| format!("{text} ")).unwrap_or_default();
        Some(Self { socket: way, prefix })
    }

    /// Sends a message. One that the system does not take is lost: the log file has it.
    pub(super) fn send(&self, text: &str) {
        let id = std::process::id();
        let message = format!("<{PRIORITY}>OpenSM[{id}]: {}{text}", self.prefix);
        let _ = self.socket.send(message.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_carry_the_prefix() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("log");
        let system = UnixDatagram::bind(&path).unwrap();
        let take = || {
            let mut bytes = [0; 200];
            let n = system.recv(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes[..n]).into_owned()
        };
        Syslog::open(&path, Some("rail-1")).unwrap().send("SUBNET UP");
        let id = std::process::id();
        assert_eq!(take(), format!("<14>OpenSM[{id}]: rail-1 SUBNET UP"));
        Syslog::open(&path, None).unwrap().send("Exiting SM");
        assert_eq!(take(), format!("<14>OpenSM[{id}]: Exiting SM"));
    }

    #[test]
    fn a_system_without_a_log_is_no_failure() {
        let folder = tempfile::TempDir::new().unwrap();
        assert!(Syslog::open(&folder.path().join("none"), None).is_none());
    }
}
