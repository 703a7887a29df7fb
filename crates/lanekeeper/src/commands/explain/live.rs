//! The subnet administration of a real subnet: that of whichever manager is its master.

use anyhow::Context;
use lk_audit::explain::{Question, Spot};
use lk_sm::Settings;
use lk_umad::{Address, Library, Port, Received, Registration, choose};
use lk_wire::sa::Message;
use lk_wire::{Lid, Status, class};

use super::asking::{Administration, Reply};
use crate::failure::Failure;

/// How long an answer may take, in milliseconds, and how often the request is sent.
const TIMEOUT: u32 = 1000;
const TRIES: usize = 3;

/// A port from which it is asked.
pub(super) struct Live {
    port: Port,
    sa: Address,
    /// The number of the last request.
    token: u32,
}

impl Live {
    /// Opens the port that `-g` names or the first that is up.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub(super) fn open(settings: &Settings) -> Result<Self, Failure> {
        let library = Library::load().context("cannot use this machine's InfiniBand ports")?;
        let ports = library.ports().context("cannot list this machine's ports")?;
        let guid = Some(settings.options.guid).filter(|guid| guid.0 != 0);
        let chosen = choose(&ports, guid).context("no port to ask from")?;
        let asks =
            Registration { class: class::SUBN_ADM, version: 2, rmpp_version: 0, methods: &[] };
        let sm_lid = chosen.sm_lid;
        let port = Port::open(&library, chosen, &[asks]).context("cannot ask from this port")?;
        let sa = Address { qp: 1, q_key: Address::GSI_Q_KEY, ..Address::smi(sm_lid) };
        Ok(Self { port, sa, token: 0 })
    }
}

impl Administration for Live {
    /// It is this machine that asks, whichever port the question is about.
    fn ask(&mut self, _from: Lid, request: &[u8]) -> Option<Reply> {
        self.token += 1;
        let mut request = request.to_vec();
        // The lower half of the transaction identifier; the upper one is the kernel's.
        request.get_mut(12..16)?.copy_from_slice(&self.token.to_be_bytes());
        for _ in 0..TRIES {
            self.port.send(self.sa, &request, TIMEOUT).ok()?;
            while let Ok(Received::Mad { bytes, .. }) = self.port.recv(TIMEOUT) {
                let Ok(message) = Message::parse(&bytes) else { continue };
                let header = &message.header;
                // An answer to a request that was given up may still come.
                if header.is_response() && header.tid() as u32 == self.token {
                    let record = (!message.data.is_empty()).then(|| message.data.to_vec());
                    return Some((Status(header.status()), record));
                }
            }
        }
        None
    }

    fn why_no_path(&self, _question: &Question, _ends: (Spot, Spot)) -> String {
        "the subnet administration has none that it shows this machine: see the partitions of the \
         three ports, and whether the SL is dropped on the way"
            .to_owned()
    }
}
