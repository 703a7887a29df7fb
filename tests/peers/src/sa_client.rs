//! A client of subnet administration, small enough to be believed: one PathRecord a datagram, many
//! at a time.
//!
//! It goes through libibumad, by the product's own binding to it: that one is also what the subnet
//! manager under test runs on. What the datagrams hold is written down here once more, from IBA
//! 15.2.1 and 15.2.5.16.

use std::collections::HashMap;

use lk_umad::{Address, Library, Port, Received, Registration};

const CLASS: u8 = 3;
const GET: u8 = 0x01;
const GET_RESPONSE: u8 = 0x81;
const PATH_RECORD: u16 = 0x0035;
/// DLID, SLID, NumbPath.
const MASK: u64 = 1 << 4 | 1 << 5 | 1 << 12;
/// Where the record starts: behind the common header, that of RMPP and that of SA.
const RECORD: usize = 56;
/// How many questions are asked at a time.
const WINDOW: usize = 16;
/// How often one is asked again.
const TRIES: u32 = 5;
/// How long an answer may take, in milliseconds.
const TIMEOUT: u32 = 2000;

/// What came of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The SL of the path.
    Sl(u8),
    /// A status that is not 0, as it is in the datagram.
    Status(u16),
}

/// A client on the port that stands for this process.
pub struct SaClient {
    port: Port,
    sa: Address,
}

impl SaClient {
    /// Opens the first port.
    ///
    /// # Errors
    /// No library, no port.
    pub fn open() -> Result<Self, Box<dyn std::error::Error>> {
        let library = Library::load()?;
        let ports = library.ports()?;
        let description = lk_umad::choose(&ports, None)?;
        let class = Registration { class: CLASS, version: 2, rmpp_version: 0, methods: &[] };
        let port = Port::open(&library, description, &[class])?;
        let sa = Address { qp: 1, q_key: Address::GSI_Q_KEY, ..Address::smi(description.sm_lid) };
        Ok(Self { port, sa })
    }

    /// The SLs of paths from one LID to another, in the order of the pairs.
    ///
    /// # Errors
    /// A question that stays without an answer.
    pub fn path_sls(
        &self,
        pairs: &[(u16, u16)],
    ) -> Result<Vec<Answer>, Box<dyn std::error::Error>> {
        let mut answers = vec![None; pairs.len()];
        let mut waiting: HashMap<u32, u32> = HashMap::new();
        let mut next = 0;
        let mut done = 0;
        while done < pairs.len() {
            while waiting.len() < WINDOW && next < pairs.len() {
                self.ask(next as u32, pairs[next])?;
                waiting.insert(next as u32, 1);
                next += 1;
            }
            match self.port.recv(TIMEOUT)? {
                Received::Mad { bytes, .. } => {
                    let Some((token, answer)) = read(&bytes) else { continue };
                    if waiting.remove(&token).is_some() {
                        answers[token as usize] = Some(answer);
                        done += 1;
                    }
                }
                Received::SendFailed { token, .. } => self.again(token, pairs, &mut waiting)?,
                Received::Nothing => {
                    let late: Vec<u32> = waiting.keys().copied().collect();
                    for token in late {
                        self.again(token, pairs, &mut waiting)?;
                    }
                }
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn ask(&self, token: u32, pair: (u16, u16)) -> Result<(), Box<dyn std::error::Error>> {
        Ok(self.port.send(self.sa, &question(token, pair), TIMEOUT)?)
    }

    fn again(
        &self,
        token: u32,
        pairs: &[(u16, u16)],
        waiting: &mut HashMap<u32, u32>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let Some(tries) = waiting.get_mut(&token) else { return Ok(()) };
        *tries += 1;
        let (from, to) = pairs[token as usize];
        if *tries > TRIES {
            return Err(format!("no answer about the path from LID {from} to {to}").into());
        }
        self.ask(token, (from, to))
    }
}

/// SubnAdmGet(PathRecord) for one path from a LID to a LID.
fn question(token: u32, (from, to): (u16, u16)) -> [u8; 256] {
    let mut mad = [0; 256];
    mad[..4].copy_from_slice(&[1, CLASS, 2, GET]);
    mad[12..16].copy_from_slice(&token.to_be_bytes());
    mad[16..18].copy_from_slice(&PATH_RECORD.to_be_bytes());
    mad[48..56].copy_from_slice(&MASK.to_be_bytes());
    let record = &mut mad[RECORD..];
    record[40..42].copy_from_slice(&to.to_be_bytes());
    record[42..44].copy_from_slice(&from.to_be_bytes());
    // One path.
    record[49] = 1;
    mad
}

/// The token of the question, and what the answer says.
fn read(mad: &[u8]) -> Option<(u32, Answer)> {
    let word = |at: usize| Some(u16::from_be_bytes([*mad.get(at)?, *mad.get(at + 1)?]));
    if (mad.get(1), mad.get(3)) != (Some(&CLASS), Some(&GET_RESPONSE)) || word(16)? != PATH_RECORD {
        return None;
    }
    let token = u32::from_be_bytes(*mad.get(12..16)?.first_chunk()?);
    let answer = match word(4)? {
        // The low four bits of the word behind the P_Key; the others are the QoS class.
        0 => Answer::Sl((word(RECORD + 52)? & 15) as u8),
        status => Answer::Status(status),
    };
    Some((token, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_gives_its_sl_or_its_status() {
        let mut mad = question(0x0102_0304, (5, 6));
        assert_eq!(read(&mad), None, "a question is no answer");
        mad[3] = GET_RESPONSE;
        mad[RECORD + 52..RECORD + 54].copy_from_slice(&[0xab, 0xc7]);
        assert_eq!(read(&mad), Some((0x0102_0304, Answer::Sl(7))));
        mad[4..6].copy_from_slice(&[3, 0]);
        assert_eq!(read(&mad), Some((0x0102_0304, Answer::Status(0x300))));
        assert_eq!(read(&mad[..50]), Some((0x0102_0304, Answer::Status(0x300))));
        assert_eq!(read(&mad[..3]), None);
    }
}
