//! The kinds of ports: a picture of lanes and shares, and the same as tables.

use lk_qos::{ArbTables, PortTables};
use lk_wire::{Sl, Vl, VlArbEntry};

use crate::kinds::PortKind;
use crate::picture::lanes::{self, Lanes};
use crate::picture::{escaped, within};
use crate::site::Site;

/// What the page shows of a kind of ports.
#[derive(Clone, PartialEq, Debug)]
pub struct PortClassPicture {
    /// The kinds of ports in words.
    pub names: Vec<String>,
    /// What they can do and hold, line by line.
    pub facts: Vec<String>,
    /// The lane that the options ask for, for each SL.
    pub asked: [u8; 16],
    /// Lanes and shares.
    pub lanes: Lanes,
    /// The weights of each of these lanes, in the high and in the low table.
    pub weights: Vec<[String; 2]>,
}

impl PortClassPicture {
    /// The pictures of a site; kinds that hold and are asked for the same have one together.
    #[must_use]
    pub fn of_site(site: &Site<'_>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for kind in &site.kinds {
            let new = Self::new(site, kind);
            let same = |a: &&mut Self| {
                let of = |p: &Self| (p.facts.clone(), p.asked, p.weights.clone());
                of(a) == of(&new) && a.lanes == new.lanes
            };
            match all.iter_mut().find(same) {
                Some(earlier) => earlier.names.extend(new.names),
                None => all.push(new),
            }
        }
        all
    }

    fn name(&self) -> String {
        match self.names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    fn new(site: &Site<'_>, kind: &PortKind) -> Self {
        let held: PortTables = site.held(kind);
        let lanes = Lanes::new(&held, kind.port.oper_vls, kind.full_packet());
        let tables = ArbTables::of_port(&held);
        let weights = |vl: u8| {
            let of = |list: fn(&ArbTables) -> &Vec<VlArbEntry>| {
                let entries = tables.iter().flat_map(list);
                let entries = entries.filter(|entry| entry.vl == Vl(vl) && entry.weight > 0);
                let words: Vec<String> = entries.map(|entry| entry.weight.to_string()).collect();
                if words.is_empty() { "none".to_owned() } else { words.join(" + ") }
            };
            [of(|tables| &tables.high), of(|tables| &tables.low)]
        };
        let limit = match held.high_limit {
            0 => "0: one packet".to_owned(),
            255 => "255: no limit".to_owned(),
            n => format!("{n}: {} bytes", u32::from(n) * 4096),
        };
        let wish = site.wish(kind);
        Self {
            names: vec![kind.name()],
            facts: vec![
                format!("{} of {} operate", kind.port.oper_vls, kind.port.vl_cap),
                format!("MTU {}", kind.mtu),
                format!("high limit {limit}"),
            ],
            asked: std::array::from_fn(|sl| wish.sl2vl.get(Sl(sl as u8)).0),
            weights: lanes.lanes.iter().map(|bar| weights(bar.vl)).collect(),
            lanes,
        }
    }
}

/// The section.
pub(super) fn section(out: &mut String, kinds: &[PortClassPicture]) {
    if kinds.is_empty() {
        return;
    }
    out.push_str(
        "<section id=\"lanes\">\n<h2>Lanes and shares</h2>\n<p>From SL to VL to the share of the \
         link that the VL gets while all of them have full packets to send. SLs on one VL have its \
         share together. <span class=\"key\"><i class=\"high\"></i>by the high-priority table; \
         <i class=\"low\"></i>by the low-priority table</span></p>\n<div class=\"cards\">\n",
    );
    for kind in kinds {
        card(out, kind);
    }
    out.push_str("</div>\n</section>\n");
}

fn card(out: &mut String, kind: &PortClassPicture) {
    let words = kind.name();
    let name = escaped(&words);
    out.push_str(&format!("<figure class=\"card\">\n<figcaption><h3>{name}</h3>"));
    out.push_str(&format!(
        "<p class=\"soft\">{}</p></figcaption>\n",
        escaped(&kind.facts.join("; "))
    ));
    out.push_str(&within(&lanes::draw(&kind.lanes), lanes::SIZE, &words, &kind.lanes.words()));
    out.push_str("<details><summary>The same as tables</summary>\n");
    sl_table(out, kind, &name);
    vl_table(out, kind, &name);
    out.push_str("</details>\n</figure>\n");
}

fn sl_table(out: &mut String, kind: &PortClassPicture, name: &str) {
    out.push_str(&format!(
        "<table><caption>SLs of {name}</caption><thead><tr><th scope=\"col\">SL</th><th \
         scope=\"col\">VL asked for</th><th scope=\"col\">VL held</th></tr></thead><tbody>\n"
    ));
    let word = |vl: u8| if vl == 15 { "15, dropped".to_owned() } else { vl.to_string() };
    for (sl, (asked, held)) in kind.asked.iter().zip(kind.lanes.sls).enumerate() {
        let class = if held == 15 {
            " class=\"bad\""
        } else if *asked != held {
            " class=\"other\""
        } else {
            ""
        };
        out.push_str(&format!(
            "<tr{class}><th scope=\"row\">{sl}</th><td>{}</td><td>{}</td></tr>\n",
            word(*asked),
            word(held)
        ));
    }
    out.push_str("</tbody></table>\n");
}

fn vl_table(out: &mut String, kind: &PortClassPicture, name: &str) {
    out.push_str(&format!(
        "<table><caption>VLs of {name}</caption><thead><tr><th scope=\"col\">VL</th><th \
         scope=\"col\">Weight, high</th><th scope=\"col\">Weight, low</th><th scope=\"col\">Share\
         </th></tr></thead><tbody>\n"
    ));
    for (bar, [high, low]) in kind.lanes.lanes.iter().zip(&kind.weights) {
        let class = if bar.stands() { " class=\"bad\"" } else { "" };
        out.push_str(&format!(
            "<tr{class}><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            bar.vl,
            escaped(high),
            escaped(low),
            bar.words()
        ));
    }
    out.push_str("</tbody></table>\n");
}
