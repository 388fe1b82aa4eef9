//! The pipeline, stage by stage. Each takes a function and returns a function.

use crate::canonicalize::canonicalize;
use crate::census::Census;
use crate::decline::Declined;
use crate::divergent_loops::{lower_switches, transform_divergent_loops};
use crate::gadgets::{guard_loops, insert_boscc};
use crate::interleave::interleave;
use crate::linearize::linearize;
use crate::masked::branch_on_mask;
use crate::region::{Region, check_width};
use crate::worth::{Boscc, Worth};
use lw_divergence::{Divergence, Sources, Stride, analyze};
use lw_ir::{Function, Inst};
use rustc_hash::FxHashSet;

/// The stages in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Canonical form.
    Canonicalize,
    /// Divergent loops are uniform loops.
    DivergentLoops,
    /// Branches skip code that no thread is active in.
    Gadgets,
    /// Divergent branches are predicates.
    Linearize,
    /// Stack objects are laid out as structures of arrays.
    Interleave,
    /// Threads are lanes.
    Widen,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 6] = [
        Stage::Canonicalize,
        Stage::DivergentLoops,
        Stage::Gadgets,
        Stage::Linearize,
        Stage::Interleave,
        Stage::Widen,
    ];

    /// How the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Canonicalize => "canonicalize",
            Stage::DivergentLoops => "divergent-loops",
            Stage::Gadgets => "gadgets",
            Stage::Linearize => "linearize",
            Stage::Interleave => "interleave",
            Stage::Widen => "widen",
        }
    }

    /// The stage of this name.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

/// What was done to a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// What there was.
    pub census: Census,
    /// Loops that threads left in different iterations.
    pub divergent_loops: usize,
    /// Those of them with several exits.
    pub several_exits: usize,
    /// Uniform loops that only some threads enter.
    pub guarded_loops: usize,
    /// BOSCC gadgets.
    pub boscc: usize,
    /// Divergent branches that were folded.
    pub folded_branches: usize,
    /// Conditional branches that are left.
    pub kept_branches: usize,
    /// Stack objects that are structures of arrays.
    pub interleaved: usize,
    /// Whether it is only taken where it was found to be faster than scalar code.
    pub tried: bool,
    /// What widening did.
    pub widened: crate::widen::Counts,
}

/// A region on its way through the pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The region.
    pub region: Region,
    /// The function as the last stage left it.
    pub function: Function,
    /// Where divergence starts, with the shapes that stages found out and a new analysis could not.
    pub sources: Sources<Stride>,
    /// The stack objects of which no two threads use the same byte.
    pub interleaved: FxHashSet<Inst>,
    /// What was done.
    pub statistics: Statistics,
}

impl Pipeline {
    /// A region that is still as it was.
    ///
    /// # Errors
    /// If the region makes no sense.
    pub fn new(function: &Function, region: &Region) -> Result<Pipeline, Declined> {
        check_width(region)?;
        let mut function = function.clone();
        crate::terminates::make_calls(&mut function);
        crate::across::recognise(&mut function);
        Ok(Pipeline {
            sources: region.sources(),
            interleaved: FxHashSet::default(),
            region: region.clone(),
            function,
            statistics: Statistics::default(),
        })
    }

    /// The analysis of the function as it is now.
    pub fn analyze(&self) -> Divergence<Stride> {
        analyze(&self.function, &self.sources, &self.region.options())
    }

    /// Keeps what is known of the values and stack objects there are. A stage leaves it true for the threads that execute a definition
    /// together, but the program it yields says less clearly which those are.
    fn pin(&mut self, divergence: &Divergence<Stride>) {
        for (_, inst) in self.function.all_insts() {
            if divergence.is_uniform_object(inst) {
                self.sources.objects.insert(inst);
            }
            let Some(value) = self.function[inst].result.expand() else { continue };
            let fact = divergence.fact(value);
            if fact.own.is_empty() && fact.shape.stride().is_some() {
                self.sources.values.insert(value, fact.shape);
            }
        }
    }

    /// Runs one stage. The stages before it have run.
    ///
    /// # Errors
    /// If the region cannot be vectorized.
    pub fn run(&mut self, stage: Stage) -> Result<(), Declined> {
        match stage {
            Stage::Canonicalize => {
                if self.region.masked {
                    self.function = branch_on_mask(&self.function);
                }
                self.function = canonicalize(&self.function)?;
            }
            Stage::DivergentLoops => {
                let mut divergence = self.analyze();
                if lower_switches(&mut self.function, &divergence) {
                    // Some of the new blocks may lie behind a loop that the switch was in.
                    self.function = canonicalize(&self.function)?;
                    divergence = self.analyze();
                }
                self.statistics.census = Census::of(&self.function, &divergence);
                self.pin(&divergence);
                let done = transform_divergent_loops(&mut self.function, &divergence);
                self.statistics.divergent_loops = done.loops;
                self.statistics.several_exits = done.several_exits;
            }
            Stage::Gadgets => {
                let divergence = self.analyze();
                if self.region.boscc != Boscc::Never {
                    let Region { boscc, likelihoods, times, width, .. } = &self.region;
                    let worth = Worth::new(&self.function, *boscc, likelihoods, times, *width);
                    self.statistics.boscc = insert_boscc(&mut self.function, &divergence, &worth);
                }
                let divergence = self.analyze();
                self.statistics.guarded_loops = guard_loops(&mut self.function, &divergence);
            }
            Stage::Linearize => {
                let divergence = self.analyze();
                self.statistics.folded_branches = divergence.divergent_branches().count();
                self.pin(&divergence);
                let pins = linearize(&mut self.function, &divergence)?;
                self.sources.values.extend(pins);
                let branches = |&&b: &&lw_ir::Block| self.function.successors(b).len() > 1;
                self.statistics.kept_branches =
                    self.function.blocks().iter().filter(branches).count();
            }
            Stage::Interleave => {
                let divergence = self.analyze();
                self.interleaved = interleave(&mut self.function, &divergence, &self.region);
                self.statistics.interleaved = self.interleaved.len();
            }
            Stage::Widen => {
                let divergence = self.analyze();
                let (function, counts) = crate::widen::widen(
                    &self.function,
                    &divergence,
                    &self.region,
                    &self.interleaved,
                )?;
                self.function = function;
                self.statistics.widened = counts;
            }
        }
        Ok(())
    }
}

/// Vectorizes a region: the vector function, and what was done.
///
/// # Errors
/// Why it cannot be vectorized. Nothing was changed.
pub fn vectorize(function: &Function, region: &Region) -> Result<(Function, Statistics), Declined> {
    let mut pipeline = Pipeline::new(function, region)?;
    for stage in Stage::ALL {
        pipeline.run(stage)?;
    }
    Ok((pipeline.function, pipeline.statistics))
}
