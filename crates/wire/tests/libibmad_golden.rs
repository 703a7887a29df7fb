//! Every field and every name against libibmad, the library behind smpquery and its kin.
//!
//! Needs python3 and the Debian package libibmad5, which infiniband-diags brings.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lk_wire::*;

/// A running libibmad_fields.py.
struct Libibmad {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Libibmad {
    fn start() -> Self {
        let mut child = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/libibmad_fields.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // libibmad warns of undefined values.
            .stderr(Stdio::piped())
            .spawn()
            .expect("python3 is not there: install the package python3");
        let requests = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        // Its warnings would fill the pipe.
        let mut warnings = BufReader::new(child.stderr.take().expect("it is piped"));
        std::thread::spawn(move || {
            let mut line = String::new();
            while warnings.read_line(&mut line).is_ok_and(|n| n > 0) {
                if !line.starts_with("ibwarn:") {
                    #[allow(clippy::print_stderr)]
                    {
                        eprint!("{line}");
                    }
                }
                line.clear();
            }
        });
        Self { child, requests, answers }
    }

    fn ask(&mut self, request: &str) -> String {
        let sent = writeln!(self.requests, "{request}");
        let mut answer = String::new();
        let got = self.answers.read_line(&mut answer);
        assert!(
            sent.is_ok() && got.is_ok_and(|n| n > 0),
            "libibmad gives no answer; is the package libibmad5 installed?"
        );
        answer.trim_end_matches('\n').to_owned()
    }

    /// The fields as libibmad reads them.
    fn fields(&mut self, attribute: &str, bytes: &[u8]) -> Vec<(String, u64)> {
        let answer = self.ask(&format!("fields {attribute} {}", hex(bytes)));
        let parse = |pair: &str| {
            let (label, number) = pair.split_once('=').expect("LABEL=NUMBER");
            (label.to_owned(), number.parse().expect("a number"))
        };
        answer.split('\t').map(parse).collect()
    }

    /// What libibmad prints for a number.
    fn text(&mut self, function: &str, number: u32) -> String {
        self.ask(&format!("text {function} {number}"))
    }
}

impl Drop for Libibmad {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A stream of words that looks random (splitmix64).
fn words(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Compares all numbers of an attribute with libibmad's, for bytes with one field set and for
/// bytes that are random everywhere. `without` are fields that libibmad does not know.
fn compare(libibmad: &mut Libibmad, name: &str, fields: &[Field], length: usize, without: &[&str]) {
    let known = |field: &&Field| field.is_number() && !without.contains(&field.label);
    let mut samples: Vec<Vec<u8>> = fields
        .iter()
        .filter(|field| field.is_number())
        .map(|field| {
            let mut bytes = vec![0; length];
            set_bits(&mut bytes, field.offset, field.length, u64::MAX);
            bytes
        })
        .collect();
    let mut next = words(length as u64);
    for _ in 0..200 {
        samples.push((0..length).map(|_| next() as u8).collect());
    }
    for bytes in samples {
        let ours: Vec<(String, u64)> = fields
            .iter()
            .filter(known)
            .map(|f| (f.label.to_owned(), get_bits(&bytes, f.offset, f.length)))
            .collect();
        let mut theirs = libibmad.fields(name, &bytes);
        // libibmad has them in the order of its own numbers.
        theirs.sort_by_key(|(label, _)| ours.iter().position(|(ours, _)| ours == label));
        assert_eq!(ours, theirs, "{name} {}", hex(&bytes));
    }
}

#[test]
fn every_field_is_where_libibmad_has_it() {
    let libibmad = &mut Libibmad::start();
    compare(libibmad, "PortInfo", PortInfo::FIELDS, 64, &[]);
    compare(libibmad, "NodeInfo", NodeInfo::FIELDS, 40, &[]);
    compare(libibmad, "SwitchInfo", SwitchInfo::FIELDS, 20, &[]);
    compare(libibmad, "SmInfo", SmInfo::FIELDS, 24, &[]);
    compare(libibmad, "GuidInfo", GuidInfo::FIELDS, 64, &[]);
    compare(libibmad, "MlnxExtPortInfo", MlnxExtPortInfo::FIELDS, 64, &[]);
    // libibmad takes the response bit for a field of its own.
    compare(libibmad, "Smp", Smp::FIELDS, 256, &["MadMethod"]);
    compare(libibmad, "Notice", Notice::FIELDS, 80, &[]);
}

#[test]
fn names_are_those_that_the_tools_print() {
    let libibmad = &mut Libibmad::start();
    // The largest value of the field, libibmad's function, our text or nothing for an unknown one.
    type Case = (u32, &'static str, fn(u8) -> Option<String>);
    fn some(name: Option<&str>) -> Option<String> {
        name.map(str::to_owned)
    }
    let cases: [Case; 9] = [
        (15, "portstate", |n| some(PortState(n).name())),
        (15, "physportstate", |n| some(PhysState(n).name())),
        (255, "node_type", |n| some(NodeType(n).name())),
        (255, "linkwidth", |n| some(LinkWidth(n).name())),
        (15, "linkspeed", |n| some(LinkSpeed(n).name())),
        (15, "linkspeedext", |n| some(LinkSpeedExt(n).name())),
        (15, "mtu", |n| Some(Mtu(n).to_string())),
        (15, "vlcap", |n| Some(VlCode(n).to_string())),
        (15, "opervls", |n| (n != 0).then(|| VlCode(n).to_string())),
    ];
    for (last, function, ours) in cases {
        for n in 0..=last {
            let theirs = libibmad.text(function, n);
            match ours(n as u8) {
                Some(ours) => assert_eq!(ours, theirs, "{function} {n}"),
                None => assert!(
                    theirs.starts_with('?') || theirs.starts_with("undefined") || n == 0,
                    "{function} {n} is {theirs:?} for libibmad"
                ),
            }
        }
    }
}

#[test]
fn capability_bits_have_their_names() {
    let libibmad = &mut Libibmad::start();
    // Where libibmad's spelling is not the architecture's.
    let spelt = |theirs: &str| match theirs {
        "IsCommunicatonManagementSupported" => "IsCommunicationManagementSupported".to_owned(),
        "IsClientRegistrationSupported" => "IsClientReregistrationSupported".to_owned(),
        "IsSystemImageGUIDsupported" => "IsSystemImageGUIDSupported".to_owned(),
        other => other.to_owned(),
    };
    let mut check = |function: &str, bit: u32, ours: Option<&str>| {
        let text = libibmad.text(function, 1 << bit);
        let theirs = text.rsplit_once("\\t").map(|(_, name)| spelt(name));
        assert_eq!(ours, theirs.as_deref(), "{function} bit {bit}");
    };
    for bit in 0..32 {
        check("portcapmask", bit, cap_mask::name(bit));
    }
    for bit in 0..16 {
        check("portcapmask2", bit, cap_mask2::name(bit));
    }
}

#[test]
fn tables_are_read_as_libibmad_reads_them() {
    let libibmad = &mut Libibmad::start();
    let mut next = words(7);
    for _ in 0..100 {
        let bytes = next().to_be_bytes();
        let theirs = libibmad.ask(&format!("bytes sltovl {}", hex(&bytes)));
        assert_eq!(format!("{}\\n", SlToVlTable(bytes)), theirs);

        let mut bytes = [0; 64];
        bytes.fill_with(|| next() as u8);
        let theirs = libibmad.ask(&format!("bytes vlarbitration {}", hex(&bytes)));
        let table = VlArbTable(bytes);
        let mut ours = String::from("\\nVL    : |");
        for entry in table.iter() {
            ours += &format!("{:<4}|", format!("0x{:X}", entry.vl.0));
        }
        ours += "\\nWEIGHT: |";
        for entry in table.iter() {
            ours += &format!("{:<4}|", format!("0x{:X}", entry.weight));
        }
        ours += "\\n";
        assert_eq!(ours, theirs);
    }
}
