//! Explanations that go through calls: into functions of the module, and back to their callers.
//!
//! The chain of a value ([`Divergence::explain`]) takes a call as one step. Where the function that is called has a summary the chain
//! goes on in it: from what it returns back to a source in it, or to a parameter, and from there to the argument.

use crate::causes::{Cause, Link};
use crate::divergence::Divergence;
use crate::lattice::Lattice;
use crate::summaries::Program;
use lw_ir::{Block, Function, Inst, Op, Value, ValueDef};

/// A step of an explanation, in the function it speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Step<'m> {
    /// The function.
    pub function: &'m Function,
    /// A value of it, and why it is not uniform.
    pub link: Link,
}

/// How many calls a chain goes into, one inside of the other.
const DEPTH: usize = 8;

/// Where a chain in a function ends.
enum End {
    /// In the function, or in one that it calls.
    Here,
    /// At this parameter.
    Param(usize),
}

impl<'m, L: Lattice> Program<'m, L> {
    /// The chain of causes from a value back to where divergence starts, through calls of functions of the module. `found` is what
    /// [`analyze`](Program::analyze) found in the function.
    pub fn explain(
        &self,
        function: &'m Function,
        found: &Divergence<L>,
        of: Value,
    ) -> Vec<Step<'m>> {
        let mut steps = Vec::new();
        self.follow(function, found, &found.explain(of), DEPTH, &mut steps);
        steps
    }

    /// The same for the branch at the end of a block.
    pub fn explain_branch(
        &self,
        function: &'m Function,
        found: &Divergence<L>,
        branch: Block,
    ) -> Vec<Step<'m>> {
        let mut steps = Vec::new();
        let chain = found.explain_branch(function, branch);
        self.follow(function, found, &chain, DEPTH, &mut steps);
        steps
    }

    fn follow(
        &self,
        function: &'m Function,
        found: &Divergence<L>,
        chain: &[Link],
        depth: usize,
        steps: &mut Vec<Step<'m>>,
    ) -> End {
        let mut chain = chain.to_vec();
        let mut next = 0;
        while let Some(&link) = chain.get(next) {
            next += 1;
            let call = function.def_inst(link.value).filter(|&inst| is_call(function, inst));
            let entered = call.filter(|_| depth > 0).and_then(|call| {
                let (callee, inside) = self.inside(function, found, call)?;
                Some((call, callee, returned(callee, &inside)?, inside))
            });
            let Some((call, callee, back, inside)) = entered else {
                steps.push(Step { function, link });
                continue;
            };
            steps.push(Step { function, link: Link { cause: Cause::Returned, ..link } });
            steps.extend(back.first.map(|link| Step { function: callee, link }));
            match self.follow(callee, &inside, &back.chain, depth - 1, steps) {
                End::Here => return End::Here,
                End::Param(i) => {
                    let argument = function[call].args[1 + i];
                    if let Some(last) = steps.last_mut() {
                        last.link.cause = Cause::Argument;
                    }
                    if !found.came_first(function, argument, call) {
                        return End::Here;
                    }
                    chain = found.explain_use(function, call, argument);
                    next = 0;
                }
            }
        }
        let last = chain.last().filter(|link| link.cause == Cause::Source);
        match last.map(|link| function.def(link.value)) {
            Some(ValueDef::Param(i)) => End::Param(*i as usize),
            _ => End::Here,
        }
    }
}

fn is_call(function: &Function, inst: Inst) -> bool {
    matches!(function[inst].op, Op::Call(_) | Op::Invoke(_))
}

/// Why a function does not return the same to all threads.
struct Back {
    /// A step before the chain.
    first: Option<Link>,
    chain: Vec<Link>,
}

fn returned<L: Lattice>(function: &Function, found: &Divergence<L>) -> Option<Back> {
    let returns = || {
        let ends = function.blocks().iter().filter_map(|&block| function.terminator(block));
        ends.filter(|&end| function[end].op == Op::Ret).filter_map(|end| {
            let &operand = function[end].args.first()?;
            Some((end, operand))
        })
    };
    let varies = |&(end, operand): &(Inst, Value)| {
        found.fact_at_use(function, end, operand).is_some_and(|fact| !fact.is_uniform())
    };
    if let Some((end, operand)) = returns().find(varies) {
        return Some(Back { first: None, chain: found.explain_use(function, end, operand) });
    }
    // All are uniform, and threads mix what they return.
    let (_, operand) = returns().nth(1)?;
    let branch = found.divergent_branches().next()?;
    let first = Link { value: operand, cause: Cause::Returns { branch } };
    Some(Back { first: Some(first), chain: found.explain_branch(function, branch) })
}
