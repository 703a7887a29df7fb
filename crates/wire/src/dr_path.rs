//! Directed routes: the egress ports from the sender to a node (IBA 14.2.2).

use std::fmt;
use std::str::FromStr;

use crate::PortNum;

/// A directed route: the port that each node on the way sends the SMP out of, at most 63 hops.
///
/// Prints and parses as the field's tools write it, `0,1,4`: the leading 0 stands for the node
/// where the route starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirPath {
    hops: u8,
    ports: [u8; 64],
}

impl Default for DirPath {
    fn default() -> Self {
        Self::LOCAL
    }
}

impl DirPath {
    /// The most hops that a directed route can have (IBA 14.2.2.1).
    pub const MAX_HOPS: u8 = 63;
    /// The route of no hops: the node where the SMP starts.
    pub const LOCAL: Self = Self { hops: 0, ports: [0; 64] };

    /// The route that goes on from the end of this one out of `port`, or `None` past 63 hops.
    #[must_use]
    pub fn then(&self, port: PortNum) -> Option<Self> {
        if self.hops >= Self::MAX_HOPS {
            return None;
        }
        let mut next = *self;
        next.hops += 1;
        // In bounds: hops is at most 63 here.
        next.ports[usize::from(next.hops)] = port.0;
        Some(next)
    }

    /// The route of these egress ports, or `None` when there are more than 63.
    #[must_use]
    pub fn from_ports(ports: &[u8]) -> Option<Self> {
        ports.iter().try_fold(Self::LOCAL, |path, &port| path.then(PortNum(port)))
    }

    /// The number of hops, 0 to 63.
    #[must_use]
    pub const fn hops(&self) -> u8 {
        self.hops
    }

    /// The egress ports, one for each hop.
    #[must_use]
    pub fn ports(&self) -> &[u8] {
        // In bounds: hops is at most 63.
        &self.ports[1..=usize::from(self.hops)]
    }

    /// The last egress port, or `None` for the local route.
    #[must_use]
    pub fn last(&self) -> Option<PortNum> {
        self.ports().last().copied().map(PortNum)
    }

    /// The route without its last hop, or `None` for the local route.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let hops = self.hops.checked_sub(1)?;
        let mut up = *self;
        // In bounds: hops is at most 63. Cleared so that equal routes have equal bytes.
        up.ports[usize::from(self.hops)] = 0;
        up.hops = hops;
        Some(up)
    }

    /// The initial path field of an SMP: entry 0 is not used, entry `n` is the egress port of
    /// hop `n`.
    #[must_use]
    pub const fn initial_path(&self) -> &[u8; 64] {
        &self.ports
    }
}

impl fmt::Display for DirPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0")?;
        self.ports().iter().try_for_each(|port| write!(f, ",{port}"))
    }
}

impl fmt::Debug for DirPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DirPath({self})")
    }
}

/// Why a text is not a directed route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirPathError {
    /// The first entry is not 0, the node where the route starts.
    NoStart,
    /// An entry is not a port number from 0 to 255.
    Port(String),
    /// More than 63 hops.
    TooLong,
}

impl fmt::Display for DirPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStart => f.write_str("a directed route starts with 0"),
            Self::Port(text) => write!(f, "not a port number: {text:?}"),
            Self::TooLong => f.write_str("a directed route has at most 63 hops"),
        }
    }
}

impl std::error::Error for DirPathError {}

impl FromStr for DirPath {
    type Err = DirPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut entries = text.split(',').map(str::trim);
        if entries.next() != Some("0") {
            return Err(DirPathError::NoStart);
        }
        entries.try_fold(Self::LOCAL, |path, entry| {
            let port = entry.parse().map_err(|_| DirPathError::Port(entry.to_owned()))?;
            path.then(PortNum(port)).ok_or(DirPathError::TooLong)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_hop_by_hop_and_prints_as_the_tools_write_it() {
        let path = DirPath::LOCAL.then(PortNum(1)).and_then(|p| p.then(PortNum(36)));
        let path = path.expect("two hops");
        assert_eq!(path.to_string(), "0,1,36");
        assert_eq!((path.hops(), path.ports(), path.last()), (2, &[1, 36][..], Some(PortNum(36))));
        assert_eq!(path.initial_path()[..4], [0, 1, 36, 0]);
        assert_eq!(DirPath::LOCAL.to_string(), "0");
        assert_eq!(DirPath::LOCAL.last(), None);
    }

    #[test]
    fn parent_undoes_then() {
        let one = DirPath::LOCAL.then(PortNum(7)).expect("one hop");
        let two = one.then(PortNum(9)).expect("two hops");
        assert_eq!(two.parent(), Some(one));
        assert_eq!(one.parent(), Some(DirPath::LOCAL));
        assert_eq!(DirPath::LOCAL.parent(), None);
    }

    #[test]
    fn has_at_most_63_hops() {
        let longest = DirPath::from_ports(&[2; 63]).expect("63 hops");
        assert_eq!(longest.hops(), 63);
        assert_eq!(longest.then(PortNum(1)), None);
        assert_eq!(DirPath::from_ports(&[2; 64]), None);
        assert_eq!(longest.to_string().parse(), Ok(longest));
        assert_eq!(format!("{longest},1").parse::<DirPath>(), Err(DirPathError::TooLong));
    }

    #[test]
    fn refuses_what_is_no_route() {
        assert_eq!("0, 1 ,4".parse(), Ok(DirPath::from_ports(&[1, 4]).expect("two hops")));
        assert_eq!("1,4".parse::<DirPath>(), Err(DirPathError::NoStart));
        assert_eq!("".parse::<DirPath>(), Err(DirPathError::NoStart));
        let port = |text: &str| Err(DirPathError::Port(text.to_owned()));
        assert_eq!("0,256".parse::<DirPath>(), port("256"));
        assert_eq!("0,1,".parse::<DirPath>(), port(""));
    }
}
