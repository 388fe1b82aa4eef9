//! Findings as a page: source coloured by shape, control flow, and chains of causes.

use super::access::Pattern;
use super::plain_name;
use super::study::{Study, Tone};
use super::text::spot;
use super::words::{Reason, Words};
use lw_ir::Block;
use lw_report::drawing::{Drawing, Edge, Node};
use lw_report::explorer::{Item, Mark, Stop, View, explorer};
use lw_report::{Place, Report};
use lw_sparse::function::{block, node};
use std::collections::BTreeMap;

const STYLE: &str = "
:root { --tone-uniform: #0b7a4b; --tone-strided: #1f5fc4; --tone-varying: #c2410c; --tone-barrier: #b3123b; --tone-join: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --tone-uniform: #4fc38a; --tone-strided: #7fb0ff; --tone-varying: #ff9a5c;
  --tone-barrier: #ff8097; --tone-join: #f0b849; } }
.uniform { --tone: var(--tone-uniform); } .strided { --tone: var(--tone-strided); } .varying { --tone: var(--tone-varying); }
.barrier { --tone: var(--tone-barrier); } .join { --tone: var(--tone-join); }
.line.uniform { --tone: color-mix(in srgb, var(--tone-uniform) 45%, transparent); }
.legend .divergent, .drawing .divergent { --tone: var(--tone-varying); }
.drawing .node.divergent rect { stroke-width: 2.2; } .drawing .node.join rect { stroke-dasharray: 5 3; stroke-width: 2.2; }
";

const LEGEND: &[(&str, &str)] = &[
    ("uniform", "the same for all threads"),
    ("strided", "a known distance apart"),
    ("varying", "differs between threads"),
    ("divergent", "threads part here (solid box)"),
    ("join", "and meet again (dashed box)"),
    ("barrier", "a barrier not all threads reach"),
];

/// Lines of instructions that a box shows; more are counted.
const LINES: usize = 6;

/// The page of a report.
pub(super) fn page(report: &Report, studies: &[Study<'_>]) -> String {
    let views: Vec<View> = studies.iter().map(|study| view(report, study)).collect();
    explorer(report, &views, LEGEND, STYLE)
}

fn view(report: &Report, study: &Study<'_>) -> View {
    let subject = &study.subject;
    let name = plain_name(subject.unit);
    let listing = subject.start.listing;
    let shown = report
        .listing(listing)
        .shown
        .iter()
        .find(|(.., function)| *function == subject.unit.name());
    let lines =
        shown.map_or((subject.start.line, subject.start.line), |&(first, last, _)| (first, last));
    let mut builder = Builder { study, report, lines, items: Vec::new(), blocks: BTreeMap::new() };
    let drawing = builder.drawing();
    let mut nodes = vec![None; builder.blocks.len()];
    builder.findings(&mut nodes);
    let (marks, margins) = builder.marks(listing.index());
    View {
        name,
        about: study.about.clone(),
        listing: listing.index(),
        lines,
        marks,
        margins,
        drawing,
        nodes,
        items: builder.items,
    }
}

struct Builder<'a, 'u> {
    study: &'a Study<'u>,
    report: &'a Report,
    /// The first and the last line that are shown.
    lines: (u32, u32),
    items: Vec<Item>,
    /// The number of the node of each block.
    blocks: BTreeMap<Block, usize>,
}

impl Builder<'_, '_> {
    fn line(&self, place: Option<Place>) -> Option<u32> {
        let here = self.study.subject.start.listing;
        let shown = self.lines.0.max(1)..=self.lines.1;
        let here = place.filter(|place| place.listing == here && shown.contains(&place.line));
        here.map(|place| place.line)
    }

    /// What stands at a place that is not shown: in a function that is called.
    fn elsewhere(&self, place: Option<Place>) -> String {
        let Some(at) = place.filter(|at| self.line(Some(*at)).is_none() && at.line > 0) else {
            return String::new();
        };
        let line = self.report.listing(at.listing).line(at.line).trim();
        format!(" — {} | {line}", spot(self.report, at))
    }

    fn stops(&self, why: &[Reason]) -> Vec<Stop> {
        let node = |reason: &Reason| reason.block.and_then(|at| self.blocks.get(&at).copied());
        why.iter()
            .map(|reason| Stop {
                text: format!("{}{}", reason.text, self.elsewhere(reason.place)),
                line: self.line(reason.place),
                node: node(reason),
            })
            .collect()
    }

    fn drawing(&mut self) -> Drawing {
        let study = self.study;
        let subject = &study.subject;
        let mut drawing = Drawing::default();
        for &at in &study.blocks {
            let fork = study.forks.iter().find(|fork| !fork.is_loop && fork.block == at);
            let join = study.forks.iter().any(|fork| fork.joins.contains(&at));
            let barrier = study
                .barriers
                .iter()
                .any(|b| b.divergent.is_some() && subject.function.block_of(b.inst) == Some(at));
            let class = [(barrier, "barrier"), (fork.is_some(), "divergent"), (join, "join")];
            let class: Vec<&str> =
                class.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
            let number = drawing.node(Node::new("", self.label(at)).class(class.join(" ")));
            self.blocks.insert(at, number);
        }
        let graph = subject.code.graph();
        for (&at, &from) in &self.blocks {
            let divergent = study.forks.iter().any(|fork| !fork.is_loop && fork.block == at);
            for edge in graph.successor_edges(node(at)) {
                let Some(&to) = self.blocks.get(&block(graph.target(edge))) else { continue };
                let label = match subject.truth(edge) {
                    Some((_, true)) => "yes",
                    Some((_, false)) => "no",
                    None => "",
                };
                let class = if divergent { "divergent" } else { "" };
                drawing.edge(Edge::new(from, to).label(label).class(class));
            }
        }
        drawing
    }

    /// What stands in the box of a block: its name, the lines of source it belongs to, or its instructions.
    fn label(&self, at: Block) -> Vec<String> {
        let subject = &self.study.subject;
        let mut label = vec![subject.printer.block(at)];
        let insts = subject.function.insts(at);
        if subject.has_source() {
            let mut lines: Vec<u32> =
                insts.iter().filter_map(|&inst| self.line(subject.own_place(inst))).collect();
            lines.sort_unstable();
            lines.dedup();
            match (lines.first(), lines.last()) {
                (Some(first), Some(last)) if first != last => {
                    label.push(format!("lines {first}–{last}"))
                }
                (Some(first), _) => label.push(format!("line {first}")),
                _ => {}
            }
        } else {
            label.extend(
                insts.iter().take(LINES).map(|&inst| subject.printer.inst(inst).trim().to_string()),
            );
            if insts.len() > LINES {
                label.push(format!("… {} more", insts.len() - LINES));
            }
        }
        let decides = subject
            .function
            .terminator(at)
            .filter(|_| subject.code.graph().successors(node(at)).len() > 1);
        if let Some(&condition) = decides.and_then(|t| subject.function[t].args.first()) {
            label.push(format!("{}?", Words::new(subject, false).value(condition)));
        }
        label
    }

    /// Items for what is worth being listed; `nodes`: which of them a click on a block shows.
    fn findings(&mut self, nodes: &mut [Option<usize>]) {
        let study = self.study;
        let words = Words::new(&study.subject, false);
        for barrier in &study.barriers {
            let Some((place, why)) = &barrier.divergent else { continue };
            let mut steps = self.stops(why);
            let text = "threads of the block part here".to_string();
            steps.insert(0, Stop { text, line: self.line(Some(*place)), node: None });
            let from = study
                .subject
                .function
                .block_of(barrier.inst)
                .and_then(|at| self.blocks.get(&at).copied());
            self.push(
                from,
                nodes,
                Item {
                    title: format!(
                        "{} is not reached by all threads of a block",
                        words.callee(barrier.inst)
                    ),
                    class: "barrier".into(),
                    line: self.line(Some(barrier.place)),
                    listed: true,
                    steps,
                    from,
                    to: Vec::new(),
                },
            );
        }
        for fork in &study.forks {
            let what = if fork.is_loop { "loop" } else { "branch" };
            let from = self.blocks.get(&fork.block).copied();
            let to = fork.joins.iter().filter_map(|join| self.blocks.get(join).copied()).collect();
            let item = Item {
                title: format!("divergent {what} on {} (depth {})", fork.condition, fork.depth),
                class: "varying".into(),
                line: self.line(Some(fork.place)),
                listed: true,
                steps: self.stops(&fork.why),
                from,
                to,
            };
            self.push(from, nodes, item);
        }
        for access in &study.accesses {
            let class = match access.class.pattern {
                Pattern::Uniform | Pattern::Contiguous => continue,
                Pattern::Strided(_) => "strided",
                Pattern::Gather => "varying",
            };
            let from = study
                .subject
                .function
                .block_of(access.inst)
                .and_then(|at| self.blocks.get(&at).copied());
            let item = Item {
                title: format!("{} {} is {}", access.what, access.target, access.class),
                class: class.into(),
                line: self.line(Some(access.place)),
                listed: true,
                steps: self.stops(&access.why),
                from,
                to: Vec::new(),
            };
            self.items.push(item);
        }
    }

    fn push(&mut self, at: Option<usize>, nodes: &mut [Option<usize>], item: Item) {
        if let Some(at) = at {
            nodes[at].get_or_insert(self.items.len());
        }
        self.items.push(item);
    }

    /// Coloured words, and the worst of each line for its margin.
    fn marks(&mut self, listing: usize) -> (Vec<Mark>, Vec<(u32, String)>) {
        let study = self.study;
        let words = Words::new(&study.subject, false);
        let mut worst: BTreeMap<u32, Tone> = BTreeMap::new();
        // The last value at a place is the whole of what stands there.
        let mut at: BTreeMap<(u32, u32), Mark> = BTreeMap::new();
        for value in &study.values {
            let place = value.place;
            let own = study
                .subject
                .function
                .def_inst(value.value)
                .and_then(|i| study.subject.own_place(i));
            if place.listing.index() != listing || own.is_none() {
                continue;
            }
            let tone = worst.entry(place.line).or_insert(value.tone);
            *tone = (*tone).max(value.tone);
            let name = words.value(value.value);
            let item = (value.tone != Tone::Uniform).then(|| {
                let block = study.subject.function.def_inst(value.value);
                let block = block.and_then(|inst| study.subject.function.block_of(inst));
                self.items.push(Item {
                    title: format!("{name} is {}: {}", value.tone.class(), value.shape),
                    class: value.tone.class().into(),
                    line: Some(place.line),
                    listed: false,
                    steps: self.stops(&value.why),
                    from: block.and_then(|block| self.blocks.get(&block).copied()),
                    to: Vec::new(),
                });
                self.items.len() - 1
            });
            let mark = Mark {
                line: place.line,
                column: place.column,
                class: value.tone.class().into(),
                title: format!("{name}: {} ({})", value.tone.class(), value.shape),
                item,
            };
            at.insert((place.line, place.column), mark);
        }
        let margins =
            worst.into_iter().map(|(line, tone)| (line, tone.class().to_string())).collect();
        (at.into_values().collect(), margins)
    }
}
