//! The control flow of an example's region before and after linearization, as pictures.

use super::examples::Example;
use crate::failure::Failure;
use lw_ir::{Block, Function, Inst, Op};
use lw_llvm::{Bridge, Context, Imported, Module, OptLevel, TargetMachine};
use lw_report::drawing::{Drawing, Edge, Node};
use lw_vectorize::calls::Calls;
use lw_vectorize::loops::{FoundLoop, LoopOptions, LoopPipeline};
use lw_vectorize::{Declined, Pipeline, Region, Stage};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What clang does before the plug-in vectorizes loops.
const PASSES: &str = "thinlto-pre-link<O3>";

/// Lines of source that a box shows; more are counted.
const LINES: usize = 5;

/// Letters of a line that a box shows.
const LETTERS: usize = 46;

/// The region as it goes in, and as it comes out of linearization.
pub(super) struct Stages {
    pub(super) before: Picture,
    pub(super) after: Picture,
}

/// A control-flow graph.
pub(super) struct Picture {
    pub(super) svg: String,
    pub(super) blocks: usize,
    /// Branches at which lanes part.
    pub(super) divergent: usize,
    /// Branches that all lanes take together.
    pub(super) uniform: usize,
    /// Blocks that only some lanes take part in.
    pub(super) masked: usize,
}

impl Picture {
    /// Its width in pixels.
    pub(super) fn width(&self) -> u32 {
        let value = self.svg.split_once(" width=\"").and_then(|(_, rest)| rest.split_once('"'));
        value.and_then(|(number, _)| number.parse().ok()).unwrap_or(0)
    }
}

/// The stages of an example, for so many lanes.
pub(super) fn stages(example: &Example, bitcode: &Path, width: u32) -> Result<Stages, Failure> {
    let context = Context::new();
    let mut module = context.read_module(bitcode)?;
    module.keep_loops(false);
    let target = TargetMachine::host(OptLevel::Aggressive)?;
    module.run_passes(PASSES, Some(&target))?;
    let calls = calls(&module);
    let mut bridge = module.bridge()?;
    let id = bridge.find(example.kernel)?;
    let imported = bridge.import(id);
    let source = Lines::of(&mut bridge, &imported, example.shown())?;
    let declined = |declined: Declined| Failure::cannot(format!("{}: {declined}", example.file));
    let mut pipeline = match example.shapes {
        Some(shapes) => {
            let region = Region { calls, ..Region::new(width, bridge.layout().clone()) };
            let region = region.read_shapes(&imported.function, shapes).map_err(Failure::cannot)?;
            Pipeline::new(&imported.function, &region).map_err(declined)?
        }
        None => {
            let header = marked_loop(&mut bridge, &imported)?;
            let mut options = LoopOptions::new(width, bridge.layout().clone());
            options.reorder = true;
            options.calls = calls;
            let whole = LoopPipeline::new(&imported.function, header, &options);
            whole.map_err(declined)?.pipeline
        }
    };
    pipeline.run(Stage::Canonicalize).map_err(declined)?;
    let before = source.picture(&pipeline);
    for stage in [Stage::DivergentLoops, Stage::Gadgets, Stage::Linearize] {
        pipeline.run(stage).map_err(declined)?;
    }
    let after = source.picture(&pipeline);
    Ok(Stages { before, after })
}

fn calls(module: &Module<'_>) -> Arc<Calls> {
    Arc::new(Calls { bodies: module.bodies().into_iter().collect(), ..Calls::default() })
}

/// The header of the loop with the pragma.
fn marked_loop(bridge: &mut Bridge<'_, '_>, imported: &Imported) -> Result<Block, Failure> {
    let marks = bridge.loops(&imported.origins, false)?;
    let found = marks.iter().find_map(|mark| FoundLoop::by_latch(&imported.function, mark.latch));
    let gone = || Failure::cannot("the loop with the pragma is gone");
    Ok(found.ok_or_else(gone)?.header)
}

/// Which line of the source an instruction was made from.
struct Lines<'s> {
    text: Vec<&'s str>,
    by_origin: BTreeMap<u32, u32>,
}

impl<'s> Lines<'s> {
    fn of(
        bridge: &mut Bridge<'_, '_>,
        imported: &Imported,
        text: &'s str,
    ) -> Result<Lines<'s>, Failure> {
        let source = bridge.source(imported)?;
        let function = &imported.function;
        let place = |(_, inst): (Block, Inst)| {
            let origin = function[inst].origin.expand()?.as_u32();
            Some((origin, source.insts[inst].as_ref()?.line))
        };
        let by_origin = function.all_insts().filter_map(place).collect();
        Ok(Lines { text: text.lines().collect(), by_origin })
    }

    fn picture(&self, pipeline: &Pipeline) -> Picture {
        let function = &pipeline.function;
        let divergence = pipeline.analyze();
        let (mut divergent, mut uniform, mut masked) = (0, 0, 0);
        let mut drawing = Drawing::default();
        let mut numbers: BTreeMap<Block, usize> = BTreeMap::new();
        for &at in function.blocks() {
            let mut class = Vec::new();
            if function.successors(at).len() > 1 {
                match divergence.is_divergent(at) {
                    true => {
                        divergent += 1;
                        class.push("divergent");
                    }
                    false => uniform += 1,
                }
            }
            if function.predicate(at).is_some() {
                masked += 1;
                class.push("masked");
            }
            let label = self.label(function, at);
            numbers.insert(at, drawing.node(Node::new("", label).class(class.join(" "))));
        }
        for &at in function.blocks() {
            let is_test = function.terminator(at).is_some_and(|t| function[t].op == Op::CondBr);
            let class = if divergence.is_divergent(at) { "divergent" } else { "" };
            for (i, to) in function.successors(at).iter().enumerate() {
                let label = if is_test { ["yes", "no"][i.min(1)] } else { "" };
                drawing.edge(Edge::new(numbers[&at], numbers[to]).label(label).class(class));
            }
        }
        let blocks = function.blocks().len();
        Picture { svg: drawing.svg(), blocks, divergent, uniform, masked }
    }

    /// What stands in the box of a block: the lines of the source that its instructions come from.
    fn label(&self, function: &Function, at: Block) -> Vec<String> {
        let insts = function.insts(at);
        let line =
            |&inst: &Inst| self.by_origin.get(&function[inst].origin.expand()?.as_u32()).copied();
        let mut lines: Vec<u32> = insts.iter().filter_map(line).collect();
        lines.sort_unstable();
        lines.dedup();
        let text = |&line: &u32| {
            let text = self.text.get(line.checked_sub(1)? as usize)?.trim();
            (!text.is_empty()).then_some((line, text))
        };
        let shown: Vec<(u32, &str)> = lines.iter().filter_map(text).collect();
        let mut label: Vec<String> = shown
            .iter()
            .take(LINES)
            .map(|(line, text)| format!("{line:>2} {}", cut(text)))
            .collect();
        if shown.len() > LINES {
            label.push(format!("   … {} more lines", shown.len() - LINES));
        }
        if label.is_empty() {
            label.push(function.display_block(at));
        }
        label
    }
}

fn cut(text: &str) -> String {
    match text.chars().count() > LETTERS {
        true => text.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}
