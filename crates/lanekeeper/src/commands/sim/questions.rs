//! What programs may ask besides sending messages.

use lk_fabric::NodeId;
use lk_sim::SimFabric;
use lk_sim::kernel::{ClientId, Kernel, RegisterError, Registration, Rmpp};
use lk_umad_standin::protocol::{Agent, Reader, VERSION, Writer, kind};

use super::host;
use super::issm::Issm;

const EIO: u32 = 5;
const ENOMEM: u32 = 12;
const ENODEV: u32 = 19;
const EINVAL: u32 = 22;
const EPROTO: u32 = 71;

/// Why a question has no answer: an error number, and what to tell the user where that says more.
pub(super) struct Refusal(u32, String);

impl Refusal {
    const fn plain(errno: u32) -> Self {
        Self(errno, String::new())
    }

    /// The refusal as a body.
    pub(super) fn body(&self) -> Vec<u8> {
        Writer::new(self.0).text(&self.1).body()
    }
}

/// An answer, and the client of a port that the connection is for from now on.
pub(super) struct Answer {
    pub(super) body: Vec<u8>,
    pub(super) opened: Option<ClientId>,
    /// The client whose port was closed.
    pub(super) closed: Option<ClientId>,
}

impl Answer {
    fn of(body: Vec<u8>) -> Self {
        Self { body, opened: None, closed: None }
    }
}

/// What questions are about.
pub(super) struct Asked<'a> {
    pub(super) sim: &'a mut SimFabric,
    pub(super) kernel: &'a mut Kernel,
    pub(super) issm: &'a mut Issm,
    /// The node of programs that name none.
    pub(super) first: NodeId,
    /// The clients by their keys.
    pub(super) client: &'a dyn Fn(u64) -> Option<ClientId>,
    /// The key of the next client.
    pub(super) next_key: u64,
    pub(super) now: u64,
}

impl Asked<'_> {
    /// Answers a question.
    pub(super) fn answer(&mut self, kind: u32, body: &[u8]) -> Result<Answer, Refusal> {
        let mut r = Reader(body);
        match kind {
            kind::DEVICE => {
                let node = self.node(&mut r)?;
                Ok(Answer::of(host::device(self.sim, node).body()))
            }
            kind::OPEN => self.open(&mut r),
            kind::REGISTER => self.register(&mut r),
            kind::UNREGISTER => {
                let client = self.client(&mut r)?;
                let agent = number(&mut r)?;
                let agent = u8::try_from(agent).map_err(|_| Refusal::plain(EINVAL))?;
                if self.kernel.unregister(client, agent) {
                    Ok(Answer::of(Vec::new()))
                } else {
                    Err(Refusal::plain(EINVAL))
                }
            }
            kind::CLOSE => {
                let client = self.client(&mut r)?;
                self.kernel.close(self.sim, self.now, client);
                Ok(Answer { body: Vec::new(), opened: None, closed: Some(client) })
            }
            kind::ISSM => {
                let node = self.node(&mut r)?;
                let port = host::port(self.sim.fabric(), node, number(&mut r)?);
                let port = port.ok_or(Refusal::plain(EINVAL))?;
                let path = self.issm.path(port).map_err(|e| Refusal(EIO, format!("{e:#}")))?;
                Ok(Answer::of(path.as_os_str().as_encoded_bytes().to_vec()))
            }
            _ => Err(Refusal::plain(EPROTO)),
        }
    }

    /// The node on which the asking program sits.
    fn node(&self, r: &mut Reader<'_>) -> Result<NodeId, Refusal> {
        if r.u32() != Some(VERSION) {
            let why = "the stand-in is of another version of lanekeeper than the fabric's server";
            return Err(Refusal(EPROTO, why.to_owned()));
        }
        match r.text() {
            Some(name) if name.is_empty() => Ok(self.first),
            Some(name) => host::find(self.sim.fabric(), &name).map_err(|why| Refusal(ENODEV, why)),
            None => Err(Refusal::plain(EPROTO)),
        }
    }

    fn client(&self, r: &mut Reader<'_>) -> Result<ClientId, Refusal> {
        r.u64().and_then(|key| (self.client)(key)).ok_or(Refusal::plain(EINVAL))
    }

    fn open(&mut self, r: &mut Reader<'_>) -> Result<Answer, Refusal> {
        let node = self.node(r)?;
        let port = host::port(self.sim.fabric(), node, number(r)?);
        let client = port.and_then(|port| self.kernel.open(self.sim, port));
        let client = client.ok_or(Refusal::plain(EINVAL))?;
        let body = Writer::default().u64(self.next_key).body();
        Ok(Answer { body, opened: Some(client), closed: None })
    }

    fn register(&mut self, r: &mut Reader<'_>) -> Result<Answer, Refusal> {
        let client = self.client(r)?;
        let agent = Agent::read(r).ok_or(Refusal::plain(EPROTO))?;
        let wanted = registration(&agent).ok_or(Refusal::plain(EINVAL))?;
        match self.kernel.register(client, &wanted) {
            Ok(number) => Ok(Answer::of(Writer::new(number.into()).body())),
            Err(RegisterError::TooMany) => Err(Refusal::plain(ENOMEM)),
            Err(_) => Err(Refusal::plain(EINVAL)),
        }
    }
}

fn number(r: &mut Reader<'_>) -> Result<u32, Refusal> {
    r.u32().ok_or(Refusal::plain(EPROTO))
}

/// A registration as the kernel takes it; `None` where a number is none of its kind.
fn registration(agent: &Agent) -> Option<Registration> {
    let [_, oui @ ..] = agent.oui.to_be_bytes();
    let rmpp = match (agent.rmpp, agent.user_rmpp) {
        (0, _) => Rmpp::None,
        (1, 0) => Rmpp::Kernel,
        (1, _) => Rmpp::User,
        _ => return None,
    };
    let [low, high] = agent.methods.map(u128::from);
    Some(Registration {
        qp: agent.qp,
        class: u8::try_from(agent.class).ok()?,
        version: u8::try_from(agent.version).ok()?,
        oui,
        methods: low | high << 64,
        rmpp,
    })
}
