//! Loops: strip mining, and what iterations hand on to each other.
//!
//! ```
//! use lw_vectorize::loops::{LoopOptions, vectorize_loop};
//!
//! let module = lw_ir::parse_module(
//!     "func @sum(ptr %a, i64 %n) -> i32 {
//!      entry:
//!        br label %loop
//!      loop:
//!        %i = phi i64 [ 0, %entry ], [ %next, %body ]
//!        %s = phi i32 [ 0, %entry ], [ %t, %body ]
//!        %more = icmp slt i64 %i, %n
//!        br i1 %more, label %body, label %end
//!      body:
//!        %p = getelementptr i32, ptr %a, i64 %i
//!        %x = load i32, ptr %p, align 4
//!        %t = add i32 %s, %x
//!        %next = add i64 %i, 1
//!        br label %loop
//!      end:
//!        ret i32 %s
//!      }",
//! )
//! .unwrap();
//! let scalar = &module.functions[0];
//! let options = LoopOptions::new(8, module.layout.clone());
//! let (vector, statistics) = vectorize_loop(scalar, scalar.blocks()[1], &options).unwrap();
//! assert_eq!(statistics.widened.contiguous, 1);
//! assert!(vector.to_string().contains("llvm.vector.reduce.add.v8i32"));
//! ```
//!
//! | | |
//! | --- | --- |
//! | which loop is it? | `find` |
//! | one way in, one way out | `shape` |
//! | counters that are merged | `merges` |
//! | what is read for the next iteration | `reloads` |
//! | what LLVM was not asked to simplify | `plain` |
//! | what follows from the number of the iteration | `numbered` |
//! | what belongs to the best so far | `remembered`, `looked_up`, `postponed` |
//! | what iterations hand on | `recurrences`, `web`, `groups`, `comparisons`, `before`, `logical` |
//! | how many iterations there are | `bound`, `count`, `moving` |
//! | what each iteration has for itself | `private` |
//! | what iterations do one after the other | `updates` |
//! | the loop as a program of W threads | `spmd` |
//! | the vectorized program in front of the scalar loop | `splice` |
//! | which of both is faster | [`trial`] |

mod alike;
mod before;
mod bound;
mod comparisons;
mod count;
mod decisions;
mod find;
mod first;
mod groups;
mod guarded;
mod logical;
mod looked_up;
mod merges;
mod moving;
mod numbered;
mod plain;
mod postponed;
mod private;
mod recurrences;
mod reloads;
mod remembered;
mod shape;
mod splice;
mod spmd;
mod test;
pub mod trial;
mod updates;
mod web;

use crate::across::{PREFIX, one_lane_in};
use crate::callee;
use crate::calls::Calls;
use crate::decline::Declined;
use crate::pipeline::{Pipeline, Stage, Statistics};
use crate::region::Region;
use crate::worth::{Boscc, Likelihoods, Times};
pub(crate) use count::advance_by;
pub use find::FoundLoop;
use lw_divergence::Stride;
use lw_ir::{Block, DataLayout, Function, Inst, Op, Value};
pub(crate) use recurrences::Step;
use recurrences::{HeaderPhi, Recurrences, Role};
use shape::LoopShape;
use splice::Splice;
use spmd::{Plan, Spmd};
use std::collections::HashSet;
use std::sync::Arc;
use test::Test;
use trial::Trial;
use updates::Updates;

/// What is done with the iterations that do not fill a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Remainder {
    /// The scalar loop does them.
    #[default]
    Scalar,
    /// They are done at once, by lanes that are switched off one by one. Where the number of iterations is not known well enough,
    /// the scalar loop does them all the same.
    Masked,
}

/// How a loop is vectorized.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopOptions {
    /// The number W of iterations that are done together.
    pub width: u32,
    /// Whether sums and products of floats may be computed in another order.
    pub reorder: bool,
    /// Whether iterations hand on nothing else than what is combined, as those of OpenMP: what is undefined in the first one is so in all.
    pub apart: bool,
    /// Whether iterations are known not to depend on each other through memory, so that stack objects that only the loop uses can be
    /// given to each lane.
    pub parallel: bool,
    /// Objects that iterations share, and update one after the other: of `sum[key[i]] += x[i]`, the array. Iterations are independent
    /// otherwise.
    pub in_turn: Vec<Value>,
    /// Numbers that are 0 or 1, as `bool` is in memory.
    pub truths: Arc<HashSet<Value>>,
    /// A truth value that is known before the loop: only if it holds are iterations done together.
    pub only_if: Option<Value>,
    /// Where lanes part, both loops are tried, and the faster one is taken.
    pub trial: Option<Trial>,
    /// Whether each lane goes its own way where lanes ask each other (`lw_any`), as it does in the scalar loop.
    pub alone: bool,
    /// What is done with the rest.
    pub remainder: Remainder,
    /// Where BOSCC gadgets are put (001 §9.2).
    pub boscc: Boscc,
    /// What is known of branches.
    pub likelihoods: Likelihoods,
    /// How long instructions take all lanes together, as far as that is known.
    pub times: Times,
    /// What calls become.
    pub calls: Arc<Calls>,
    /// Sizes and alignments.
    pub layout: DataLayout,
}

impl LoopOptions {
    /// A loop whose iterations are independent; floats stay in order.
    pub fn new(width: u32, layout: DataLayout) -> LoopOptions {
        LoopOptions {
            width,
            reorder: false,
            apart: false,
            parallel: true,
            in_turn: Vec::new(),
            truths: Arc::default(),
            only_if: None,
            trial: None,
            alone: false,
            remainder: Remainder::Scalar,
            boscc: Boscc::Never,
            likelihoods: Likelihoods::default(),
            times: Times::default(),
            calls: Arc::default(),
            layout,
        }
    }
}

/// A loop on its way through the pipeline.
pub struct LoopPipeline {
    /// The program of W threads, and the stages.
    pub pipeline: Pipeline,
    function: Function,
    shape: LoopShape,
    roles: Recurrences,
    test: Test,
    spmd: Spmd,
    /// Whether something is done by one lane after the other.
    in_turn: bool,
    masked_tail: bool,
    options: LoopOptions,
}

impl LoopPipeline {
    /// The program of W threads that does the iterations of the loop with this header.
    ///
    /// # Errors
    /// If the loop cannot be strip-mined.
    pub fn new(
        function: &Function,
        header: Block,
        options: &LoopOptions,
    ) -> Result<LoopPipeline, Declined> {
        let mut f = function.clone();
        crate::terminates::make_calls(&mut f);
        let mut shape = LoopShape::normalize(&mut f, header)?;
        if options.alone {
            one_lane_in(&mut f, &shape.blocks);
        }
        if options.parallel {
            shape.read_bound(&mut f);
            shape.read_again(&mut f);
        }
        shape.compute_merged(&mut f);
        shape.compute_steps(&mut f, &options.layout);
        shape.compute_early(&mut f);
        shape.remember(&mut f, options.parallel);
        shape.postpone(&mut f);
        let private = shape.private_objects(&mut f, options.parallel)?;
        let updates =
            Updates::find(&mut f, &shape, &options.layout, &options.in_turn, options.reorder)?;
        let find = |f: &Function| {
            let roles =
                Recurrences::of(f, &shape, &options.layout, options.reorder, &options.truths)?;
            let test = Test::of(f, &shape, &roles, &options.layout)?;
            Ok((roles, test))
        };
        let (roles, test) = find(&f).or_else(|declined: Declined| {
            // Updates are about instructions as they are.
            if !updates.units.is_empty() {
                return Err(declined);
            }
            if options.apart {
                shape.forget_undefined(&mut f);
            }
            shape.make_plain(&mut f, &options.truths);
            shape.compute_from_number(&mut f, &options.layout);
            find(&f).map_err(|_| declined)
        })?;
        let masked_tail = options.remainder == Remainder::Masked
            && test.exact
            && !roles.keeps_last
            && (!shape.tested_first() || ends_at_top(&f, &shape));
        let wanted = match shape.tested_first() || roles.keeps_last {
            true => Vec::new(),
            false => splice::wanted(&f, &shape, &roles),
        };
        let plan = Plan {
            f: &f,
            shape: &shape,
            roles: &roles,
            width: options.width,
            layout: &options.layout,
            private: &private,
            updates: &updates,
            masked_tail,
            wanted: &wanted,
        };
        let spmd = plan.build();
        let uniform = vec![Stride::uniform_aligned(1); spmd.function.params().len()];
        let region = Region {
            params: uniform,
            uniform_result: true,
            boscc: options.boscc,
            likelihoods: options.likelihoods.clone(),
            times: options.times.clone(),
            calls: options.calls.clone(),
            ..Region::new(options.width, options.layout.clone())
        };
        let pipeline = Pipeline::new(&spmd.function, &region)?;
        let (options, in_turn) = (options.clone(), !updates.units.is_empty());
        Ok(LoopPipeline {
            pipeline,
            function: f,
            shape,
            roles,
            test,
            spmd,
            in_turn,
            masked_tail,
            options,
        })
    }

    /// Whether the results are those of the scalar loop, bit by bit: nothing is summed in another order, or computed by other
    /// functions.
    fn is_exact(&self) -> bool {
        let in_order = |phi: &HeaderPhi| {
            phi.ty.float_kind().is_none()
                || !matches!(phi.role, Role::Reduction(_) | Role::Chosen(_))
        };
        let together = self.pipeline.statistics.widened.together > 0;
        self.roles.phis.iter().all(in_order) && !self.in_turn && !together
    }

    /// Whether lanes ask each other only where to go, so that each may as well go its own way.
    pub fn asks_where_to_go(&self) -> bool {
        asks_lanes(&self.function, &self.shape) == Asked::WhereToGo
    }

    /// What decides at run time whether the vectorized loop is taken, if something does. All stages have run.
    pub fn trial(&self) -> Option<&Trial> {
        let asked = asks_lanes(&self.function, &self.shape);
        let part = self.pipeline.statistics.divergent_loops > 0 || asked == Asked::WhereToGo;
        let same = self.is_exact() && asked != Asked::WhatTheyHave;
        self.options.trial.as_ref().filter(|_| part && same)
    }

    /// Runs all stages.
    ///
    /// # Errors
    /// Why the loop cannot be vectorized.
    pub fn run(&mut self) -> Result<(), Declined> {
        Stage::ALL.into_iter().try_for_each(|stage| self.pipeline.run(stage).map(|_| ()))
    }

    /// The function with the vectorized loop in it. All stages have run.
    pub fn finish(mut self) -> (Function, Statistics) {
        let trial = self.trial().cloned();
        self.pipeline.statistics.tried = trial.is_some();
        let splice = Splice {
            shape: &self.shape,
            roles: &self.roles,
            test: &self.test,
            layout: &self.options.layout,
            width: self.options.width,
            masked_tail: self.masked_tail,
            only_if: self.options.only_if,
            trial: trial.as_ref(),
        };
        splice.apply(&mut self.function, &self.spmd, &self.pipeline.function);
        (self.function, self.pipeline.statistics)
    }
}

/// Vectorizes the loop with this header: the function with the vectorized loop in it, and what was done.
///
/// # Errors
/// Why it cannot be vectorized. Nothing was changed.
pub fn vectorize_loop(
    function: &Function,
    header: Block,
    options: &LoopOptions,
) -> Result<(Function, Statistics), Declined> {
    let mut it = LoopPipeline::new(function, header, options)?;
    it.run()?;
    Ok(it.finish())
}

/// What lanes ask each other, by calls of `laneweaver.h`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Asked {
    Nothing,
    /// Whether one of them, all or most have to go somewhere: one lane alone would go there or not, but the user lets lanes go along.
    WhereToGo,
    /// Something that depends on how many there are.
    WhatTheyHave,
}

fn asks_lanes(f: &Function, shape: &LoopShape) -> Asked {
    let asked = |&inst: &Inst| match callee::name(f, inst)?.strip_prefix(PREFIX)? {
        "any" | "all" | "most" => Some(Asked::WhereToGo),
        _ => Some(Asked::WhatTheyHave),
    };
    let insts = shape.blocks.iter().flat_map(|&b| f.insts(b));
    insts.filter_map(asked).max().unwrap_or(Asked::Nothing)
}

/// Whether a loop that is tested at the top does nothing else there, so that the last test can be left out.
fn ends_at_top(f: &Function, shape: &LoopShape) -> bool {
    let computes =
        |&inst: &Inst| matches!(f[inst].op, Op::Phi | Op::CondBr) || crate::edit::computes(f, inst);
    let carried = |value| !shape.defines(f, value) || shape.is_header_phi(f, value);
    f.insts(shape.header).iter().all(computes)
        && shape.live_outs(f).iter().all(|&(_, value)| carried(value))
}
