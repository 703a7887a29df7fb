//! From the model to text.

use std::fmt::Write as _;

use super::words::{MEMBERS, PORTS};
use super::{GroupFlags, Item, Member, PartitionsConf, Statement, Who};

/// Writes a partitions.conf. [`super::parse`] reads the same model back, unless the model was
/// refused or holds what no file can say, such as a comma in a name.
#[must_use]
pub fn write(conf: &PartitionsConf) -> String {
    let mut out = String::new();
    for statement in &conf.statements {
        header(&mut out, statement);
        items(&mut out, &statement.items);
    }
    out
}

// Writing to a String cannot fail, so the results are dropped.

fn header(out: &mut String, statement: &Statement) {
    if let Some(name) = &statement.name {
        out.push_str(&name.value);
    }
    if let Some(key) = statement.pkey {
        let _ = write!(out, "=0x{:04x}", key.value);
    }
    if statement.index0 {
        out.push_str(", indx0");
    }
    if statement.ipoib {
        out.push_str(", ipoib");
    }
    if let Some(member) = statement.default_member {
        let _ = write!(out, ", defmember={}", word(member.value));
    }
    flags(out, &statement.flags);
    out.push_str(" :");
}

fn flags(out: &mut String, flags: &GroupFlags) {
    if let Some(mtu) = flags.mtu {
        let _ = write!(out, ", mtu={}", mtu.value);
    }
    if let Some(rate) = flags.rate {
        let _ = write!(out, ", rate={}", rate.value);
    }
    if let Some(sl) = flags.sl {
        let _ = write!(out, ", sl={}", sl.value);
    }
    for scope in &flags.scopes {
        let _ = write!(out, ", scope={}", scope.value);
    }
    if let Some(key) = flags.q_key {
        let _ = write!(out, ", Q_Key=0x{:x}", key.value);
    }
    if let Some(class) = flags.t_class {
        let _ = write!(out, ", TClass={}", class.value);
    }
    if let Some(label) = flags.flow_label {
        let _ = write!(out, ", FlowLabel=0x{:x}", label.value);
    }
}

/// Ports up to the next group on one line, each group on a line of its own: its flags go to the
/// end of the line. The `;` must not stand alone.
fn items(out: &mut String, items: &[Item]) {
    let mut separator = " ";
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Ports { who, member } => {
                let _ = write!(out, "{separator}{}", ports(who.value));
                if let Some(member) = member {
                    let _ = write!(out, "={}", word(member.value));
                }
                separator = ", ";
            }
            Item::Group { mgid, flags: own } => {
                let _ = write!(out, "\n  mgid={}", mgid.value);
                flags(out, own);
                separator = "\n  ";
                if at + 1 == items.len() {
                    separator = "";
                }
            }
        }
    }
    out.push_str(" ;\n");
}

fn ports(who: Who) -> String {
    match who {
        Who::Guid(guid) => guid.to_string(),
        set => PORTS
            .iter()
            .find(|(known, _)| *known == set)
            .map_or_else(String::new, |(_, name)| (*name).to_owned()),
    }
}

fn word(member: Member) -> &'static str {
    MEMBERS.iter().find(|(known, _)| *known == member).map_or("", |(_, name)| name)
}
