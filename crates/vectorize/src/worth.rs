//! Is a BOSCC gadget worth its branch (001 §9.2)?
//!
//! A gadget skips the code behind an edge if no thread takes it. What that gains is the time of the code times the share of visits in
//! which no thread comes; what it costs is a test, and now and then a branch that is predicted wrong.

use crate::callee;
use crate::costs::rounds;
use crate::edit::Shape;
use lw_graph::dominators::DominatorTree;
use lw_ir::ops::BinOp;
use lw_ir::{Block, Function, Inst, Op};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where BOSCC gadgets are put.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Boscc {
    /// Nowhere.
    #[default]
    Never,
    /// Where they are expected to save time.
    Worthwhile,
    /// Wherever they can be.
    Always,
}

/// How likely branches go to their first target, by the origins of the branches.
pub type Likelihoods = Arc<FxHashMap<u32, f64>>;

/// How long instructions take all lanes together, by their origins: what LLVM's tables say of them.
pub type Times = Arc<FxHashMap<u32, f64>>;

/// The time of a test and a branch, in simple instructions.
const TEST: f64 = 4.0;
/// The time that a wrong prediction takes.
pub(crate) const MISS: f64 = 30.0;

/// So many gadgets are put into one region. In a chain of them, as a large `switch` becomes, each skips little more than the next, and LLVM takes time
/// that grows with the square of its length.
const MOST: usize = 48;

/// What decides about gadgets in one function.
pub(crate) struct Worth<'a> {
    boscc: Boscc,
    likelihoods: &'a Likelihoods,
    threads: u32,
    /// By block: the time of the code that only it leads to.
    times: FxHashMap<Block, f64>,
}

impl<'a> Worth<'a> {
    pub(crate) fn new(
        function: &Function,
        boscc: Boscc,
        likelihoods: &'a Likelihoods,
        known: &Times,
        threads: u32,
    ) -> Worth<'a> {
        let mut worth = Worth { boscc, likelihoods, threads, times: FxHashMap::default() };
        if boscc == Boscc::Worthwhile {
            worth.times = times(function, known);
        }
        worth
    }

    /// Whether a gadget is worth it that skips the code behind a branch's target of this number, beside so many others.
    pub(crate) fn skips(
        &self,
        function: &Function,
        branch: Inst,
        target: usize,
        others: usize,
    ) -> bool {
        match self.boscc {
            Boscc::Never => false,
            Boscc::Always => true,
            Boscc::Worthwhile if others >= MOST => false,
            Boscc::Worthwhile => {
                let time = self.times.get(&function[branch].targets[target]);
                // Unless someone knows better, threads come as often as not.
                let none = match self.likelihood(function, branch, target) {
                    Some(likely) => (1.0 - likely).powi(self.threads as i32),
                    None => 0.5,
                };
                time.copied().unwrap_or(0.0) * none > TEST + MISS * none.min(1.0 - none)
            }
        }
    }

    fn likelihood(&self, function: &Function, branch: Inst, target: usize) -> Option<f64> {
        // A branch that is made from another goes the same ways.
        let origin = function[branch].origin.expand()?;
        let first = *self.likelihoods.get(&origin.as_u32())?;
        Some(if target == 0 { first } else { 1.0 - first })
    }
}

/// By block: the time of the code that only it leads to, where inner loops count as often as they go [round](rounds).
fn times(function: &Function, known: &Times) -> FxHashMap<Block, f64> {
    let shape = Shape::of(function);
    let dominators = DominatorTree::compute(&shape.graph);
    let mut times: FxHashMap<Block, f64> = FxHashMap::default();
    for &n in dominators.preorder().iter().rev() {
        let own: f64 =
            function.insts(block(n)).iter().map(|&inst| time(function, known, inst)).sum();
        let sum = own * rounds(shape.loops.depth(n)) + times.get(&block(n)).copied().unwrap_or(0.0);
        times.insert(block(n), sum);
        if let Some(parent) = dominators.immediate(n) {
            *times.entry(block(parent)).or_default() += sum;
        }
    }
    // Seen from the block itself.
    for (&b, time) in &mut times {
        *time /= rounds(shape.loops.depth(node(b)));
    }
    times
}

/// How long an instruction takes all threads, in simple instructions: what is known of it, else a guess.
fn time(function: &Function, known: &Times, inst: Inst) -> f64 {
    let data = &function[inst];
    let computes = match &data.op {
        Op::Binary(_) | Op::FNeg | Op::ICmp(_) | Op::FCmp(_) | Op::Cast(_) | Op::Select => true,
        Op::Call(_) => callee::name(function, inst).is_some_and(is_simple),
        // Whether an access is a gather shows later.
        _ => false,
    };
    let known = data.origin.expand().filter(|_| computes).and_then(|o| known.get(&o.as_u32()));
    known.copied().unwrap_or_else(|| guess(function, inst))
}

fn guess(function: &Function, inst: Inst) -> f64 {
    use BinOp::*;
    match &function[inst].op {
        Op::Phi | Op::Br | Op::CondBr | Op::Cast(_) | Op::Freeze => 0.0,
        Op::Binary(FDiv | FRem | UDiv | SDiv | URem | SRem) => 12.0,
        Op::Load(_) | Op::Store(_) => 4.0,
        Op::Call(_) if callee::is_dropped(function, inst) => 0.0,
        Op::Call(_) => match callee::name(function, inst) {
            Some(name) if name.starts_with("llvm.sqrt.") => 12.0,
            Some(name) if is_simple(name) => 1.0,
            _ => 60.0,
        },
        _ => 1.0,
    }
}

/// Whether an intrinsic is an instruction or two.
fn is_simple(name: &str) -> bool {
    const FUNCTIONS: [&str; 11] =
        ["sin", "cos", "tan", "exp", "log", "pow", "asin", "acos", "atan", "ldexp", "mem"];
    name.strip_prefix("llvm.").is_some_and(|name| !FUNCTIONS.iter().any(|f| name.starts_with(f)))
}
