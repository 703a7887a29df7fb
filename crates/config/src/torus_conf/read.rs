//! From lines to the model.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span, nearest};
use lk_wire::Guid;

use super::line::{Findings, Word, words};
use super::{DATELINES, DIRECTIONS, Placed, Seed, SeedLink, Shape, TorusConf, seeds};
use crate::codes;

const KEYWORDS: [&str; 6] =
    ["torus", "mesh", "next_seed", "portgroup_max_ports", "port_order", "max_changes"];

pub(super) fn read(source: &SourceFile) -> (TorusConf, Diagnostics) {
    let findings = Findings { source, list: Diagnostics::new(), refused: false };
    let conf = TorusConf::default();
    let mut reader = Reader { findings, conf, seed: Seed::default(), sized: false, begun: None };
    if let Some((_, first)) = source.undecodable() {
        let message = "the file has bytes that are not UTF-8";
        let found = Diagnostic::warning(codes::NOT_UTF8, message).at(source, first, "");
        reader.findings.list.push(found);
    }
    for (_, span, text) in source.lines() {
        // A mark of byte order at the start of the file is no part of its first word.
        let rest = text.strip_prefix('\u{feff}').filter(|_| span.start == 0).unwrap_or(text);
        let words = words(rest, span.start + text.len() - rest.len());
        if let Some((keyword, arguments)) = words.split_first()
            && !keyword.text.starts_with('#')
        {
            reader.line(*keyword, arguments);
        }
    }
    let end = Span::point(source.text().len());
    reader.end_seed(end);
    let Reader { mut findings, mut conf, sized, .. } = reader;
    match conf.shape {
        None if sized => {}
        None => {
            let message = "there is no line that starts with torus or mesh";
            findings.refuse(end, message, "add the sizes, for example `torus 6 5 1`");
        }
        Some(shape) => seeds::check(&mut findings, shape, &conf.seeds),
    }
    conf.refused = findings.refused;
    (conf, findings.list)
}

struct Reader<'a> {
    findings: Findings<'a>,
    conf: TorusConf,
    seed: Seed,
    /// Whether a torus or mesh line was there, however faulty.
    sized: bool,
    /// The `next_seed` that began the seed at hand.
    begun: Option<Span>,
}

impl Reader<'_> {
    fn line(&mut self, keyword: Word<'_>, arguments: &[Word<'_>]) {
        if let Some(direction) = DIRECTIONS.iter().position(|d| *d == keyword.text) {
            return self.link(direction, keyword, arguments);
        }
        if let Some(dimension) = DATELINES.iter().position(|d| *d == keyword.text) {
            return self.dateline(dimension, keyword, arguments);
        }
        match keyword.text {
            "torus" | "mesh" => self.shape(keyword, arguments),
            "next_seed" => {
                self.end_seed(keyword.place);
                self.begun = Some(keyword.place);
                self.findings.unused(arguments);
            }
            "portgroup_max_ports" => {
                if let Some(n) = self.single(keyword, arguments, self.conf.portgroup_max_ports) {
                    self.conf.portgroup_max_ports = Some(n);
                }
            }
            "max_changes" => {
                if let Some(n) = self.single(keyword, arguments, self.conf.max_changes) {
                    self.conf.max_changes = Some(n);
                }
            }
            "port_order" => self.port_order(arguments),
            other => {
                let known = KEYWORDS.into_iter().chain(DIRECTIONS).chain(DATELINES);
                let help = nearest(other, known).map(|n| format!("did you mean `{n}`?"));
                let message = format!("`{other}` is no keyword of torus-2QoS.conf");
                self.findings.refuse(keyword.place, message, &help.unwrap_or_default());
            }
        }
    }

    /// The arguments of a keyword, as many as it needs; refused where there are fewer.
    fn arguments<'w, const N: usize>(
        &mut self,
        keyword: Word<'_>,
        arguments: &'w [Word<'w>],
        form: &str,
    ) -> Option<[Word<'w>; N]> {
        let Some((needed, rest)) = arguments.split_first_chunk::<N>() else {
            let end = arguments.last().map_or(keyword.place, |w| keyword.place.cover(w.place));
            let message = format!("{} needs more arguments", keyword.text);
            self.findings.refuse(end, message, &format!("write `{} {form}`", keyword.text));
            return None;
        };
        self.findings.unused(rest);
        Some(*needed)
    }

    fn shape(&mut self, keyword: Word<'_>, arguments: &[Word<'_>]) {
        self.sized = true;
        if let Some(first) = self.conf.shape {
            let message = format!("a second `{}` line is ignored; the first counts", keyword.text);
            self.findings.list.push(
                Diagnostic::warning(codes::SET_TWICE, message)
                    .at(self.findings.source, keyword.place, "ignored")
                    .also(self.findings.source, first.place, "this one counts")
                    .note("OpenSM does not route at all by a file with two such lines"),
            );
            return;
        }
        let Some(sizes) = self.arguments::<3>(keyword, arguments, "X Y Z") else { return };
        let mut shape = Shape { radix: [0; 3], open: [keyword.text == "mesh"; 3] };
        for ((word, radix), open) in sizes.into_iter().zip(&mut shape.radix).zip(&mut shape.open) {
            let (text, is_open) = match word.text.strip_suffix(['m', 'M']) {
                Some(text) => (text, Some(true)),
                None => match word.text.strip_suffix(['t', 'T']) {
                    Some(text) => (text, Some(false)),
                    None => (word.text, None),
                },
            };
            let number = Word { text, place: word.place };
            *radix = self.findings.count(number, "number of switches").map_or(0, |n| n.value);
            *open = is_open.unwrap_or(*open);
            if *radix == 0 {
                let help = "a dimension that is absent has size 1";
                self.findings.refuse(word.place, "a size is 1 or more", help);
            }
        }
        let place = sizes.into_iter().fold(keyword.place, |all, w| all.cover(w.place));
        self.conf.shape = Some(Placed { value: shape, place });
    }

    fn link(&mut self, direction: usize, keyword: Word<'_>, arguments: &[Word<'_>]) {
        let form = "GUID-OF-THE-SEED-SWITCH GUID-OF-ITS-NEIGHBOUR";
        let Some(guids) = self.arguments::<2>(keyword, arguments, form) else { return };
        let [from, to] = guids.map(|word| {
            let number = self.findings.number(word, "GUID")?;
            // A number that C reads has 64 bits, and a negative one wraps around.
            Some(Guid(number.value as u64))
        });
        let (Some(from), Some(to)) = (from, to) else { return };
        let place = keyword.place.cover(guids[1].place);
        let slot = self.seed.links.get_mut(direction);
        let link = Placed { value: SeedLink { from, to }, place };
        if let Some(before) = slot.and_then(|slot| slot.replace(link)) {
            self.twice(keyword, before.place);
        }
    }

    fn dateline(&mut self, dimension: usize, keyword: Word<'_>, arguments: &[Word<'_>]) {
        let Some([word]) = self.arguments::<1>(keyword, arguments, "POSITION") else { return };
        let Some(number) = self.findings.number(word, "position") else { return };
        let Some(shape) = self.conf.shape else {
            let message = format!("{} stands before the torus or mesh line", keyword.text);
            let help = "OpenSM needs the sizes first: move the torus or mesh line to the top";
            return self.findings.refuse(keyword.place, message, help);
        };
        let radix = shape.value.radix.get(dimension).copied().unwrap_or(0);
        let value = i32::try_from(number.value).ok().filter(|v| v.unsigned_abs() < radix);
        let Some(value) = value else {
            let message = format!("a dateline at {} is out of range", number.value);
            let most = i64::from(radix) - 1;
            let help = format!("the dimension has size {radix}: write {} to {most}", -most);
            return self.findings.refuse(word.place, message, &help);
        };
        let slot = self.seed.datelines.get_mut(dimension);
        if let Some(before) = slot.and_then(|s| s.replace(Placed { value, place: word.place })) {
            self.twice(keyword, before.place);
        }
    }

    fn single(
        &mut self,
        keyword: Word<'_>,
        arguments: &[Word<'_>],
        before: Option<Placed<u32>>,
    ) -> Option<Placed<u32>> {
        let [word] = self.arguments::<1>(keyword, arguments, "NUMBER")?;
        let number = self.findings.count(word, "number")?;
        if let Some(before) = before {
            self.twice(keyword, before.place);
        }
        Some(number)
    }

    fn port_order(&mut self, arguments: &[Word<'_>]) {
        for (at, word) in arguments.iter().enumerate() {
            if word.text.starts_with('#') {
                let place = arguments.iter().skip(at).fold(word.place, |p, w| p.cover(w.place));
                let message = "OpenSM takes the words of this comment for ports";
                let found = Diagnostic::warning(codes::READ_OTHERWISE, message);
                let found = found.at(self.findings.source, place, "not used here");
                return self.findings.list.push(found);
            }
            let Some(port) = self.findings.count(*word, "port") else { continue };
            if self.conf.port_order.contains(&port) {
                let message = format!("port {} stands in the list already", port.value);
                let found = Diagnostic::warning(codes::TORUS_UNUSED, message);
                self.findings.list.push(found.at(self.findings.source, port.place, "not used"));
            } else {
                self.conf.port_order.push(port);
            }
        }
    }

    fn twice(&mut self, keyword: Word<'_>, before: Span) {
        let message = format!("`{}` is given twice; the last one counts", keyword.text);
        self.findings.list.push(
            Diagnostic::warning(codes::SET_TWICE, message)
                .at(self.findings.source, keyword.place, "this one counts")
                .also(self.findings.source, before, "given before"),
        );
    }

    /// Puts the seed away. One without links is none; its datelines say nothing then.
    fn end_seed(&mut self, place: Span) {
        let (seed, begun) = (std::mem::take(&mut self.seed), self.begun.take());
        if seed.links.iter().any(Option::is_some) {
            self.conf.seeds.push(seed);
            return;
        }
        if let Some(dateline) = seed.datelines.iter().flatten().next() {
            let message = "a dateline without a link line is not used";
            self.findings.list.push(
                Diagnostic::warning(codes::TORUS_UNUSED, message)
                    .at(self.findings.source, dateline.place, "")
                    .also(self.findings.source, place, "its seed ends here"),
            );
        } else if let Some(begun) = begun {
            let message = "no link line follows `next_seed`: it begins no seed";
            let found = Diagnostic::warning(codes::TORUS_UNUSED, message);
            self.findings.list.push(found.at(self.findings.source, begun, "not used"));
        }
    }
}
