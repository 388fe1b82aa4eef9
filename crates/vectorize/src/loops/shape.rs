//! The loops that can be strip-mined: one way in, one way out, at the top or at the bottom.

use crate::canonicalize::{gather, remove_unreachable};
use crate::decline::Declined;
use crate::edit::{self, Shape};
use lw_ir::constant::Constant;
use lw_ir::ops::BinOp;
use lw_ir::types::Type;
use lw_ir::{Block, DataLayout, Flags, Function, InsertAt, Inst, InstData, Op, Value};
use lw_sparse::function::{block, node};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop in the form that strip mining needs.
#[derive(Clone, Debug)]
pub(super) struct LoopShape {
    /// The block that control enters it by, and only jumps from.
    pub(super) preheader: Block,
    pub(super) header: Block,
    /// The block that goes back to the header.
    pub(super) latch: Block,
    /// The block that decides whether there is another iteration: the header or the latch.
    pub(super) exiting: Block,
    /// Where control goes then; nobody else goes there.
    pub(super) exit: Block,
    /// All blocks, in the order of the function. Those that control may go to from the loop but never comes back or returns from
    /// (a failed assertion) are among them.
    pub(super) blocks: Vec<Block>,
    inside: FxHashSet<Block>,
}

impl LoopShape {
    /// Brings the loop with this header into the form; what is used behind the loop passes a φ at its exit.
    pub(super) fn normalize(f: &mut Function, header: Block) -> Result<LoopShape, Declined> {
        let decline = |reason: &str, help: &str| Err(Declined::region(reason, help));
        remove_unreachable(f);
        let shape = Shape::of(f);
        let found = shape.number(header).and_then(|_| shape.loops.headed_by(node(header)));
        let Some(l) = found else {
            return decline("there is no loop here", "name the header of a loop");
        };
        if !shape.loops.is_loop_reducible(l) {
            return decline("the loop has several entries", "do not jump into it");
        }
        let sources = |edges: &[lw_graph::Edge]| -> Vec<Block> {
            let mut all: Vec<Block> = edges.iter().map(|&e| block(shape.graph.source(e))).collect();
            all.dedup();
            all
        };
        let mut inside: FxHashSet<Block> =
            shape.loops.blocks(l).iter().map(|&n| block(n)).collect();
        let target = |e: lw_graph::Edge| block(shape.graph.target(e));
        let dead_ends = dead_ends(f, &inside);
        // The program may end behind the loop in any case: the only way out is none of an iteration.
        match shape.loops.exiting_edges(l)[..] {
            [only] if dead_ends.contains(&target(only)) => {}
            _ => inside.extend(dead_ends),
        }
        let leaves = |e: &lw_graph::Edge| !inside.contains(&target(*e));
        let exits: Vec<_> = shape.loops.exiting_edges(l).into_iter().filter(leaves).collect();
        let [exit] = exits[..] else {
            let throws =
                |&b: &Block| f.terminator(b).is_some_and(|t| matches!(f[t].op, Op::Invoke(_)));
            if exits.len() > 1 && inside.iter().any(throws) {
                let help = "mark what is called `noexcept`, or the function";
                return decline("an exception may leave the loop", help);
            }
            let (reason, help) = match exits.len() {
                0 => ("the loop never ends", "give it a way out"),
                _ => (
                    "the loop is left from several places",
                    "remove `break`, `return` and `goto` out of the loop",
                ),
            };
            return match exits.get(1).and_then(|&e| f.terminator(block(shape.graph.source(e)))) {
                Some(terminator) => Err(Declined::at(f, terminator, reason, help)),
                None => decline(reason, help),
            };
        };
        let exiting = block(shape.graph.source(exit));
        let outside = sources(&shape.loops.entering_edges(l));
        let preheader = match outside[..] {
            [one] if f.successors(one).len() == 1 => one,
            _ => gather(f, &outside, header, "preheader"),
        };
        let latches = sources(shape.loops.back_edges(l));
        let latch = match latches[..] {
            [one] => one,
            _ => gather(f, &latches, header, "latch"),
        };
        inside.insert(latch);
        let terminator = f.terminator(exiting).expect("a block with successors has a terminator");
        if f[terminator].op != Op::CondBr || (exiting != header && exiting != latch) {
            let help = "test the condition at the top or at the bottom of the loop";
            return Err(Declined::at(f, terminator, "the loop is left from its middle", help));
        }
        let way_out = f[terminator].targets.iter().position(|b| !inside.contains(b));
        let exit = f.split_edge(exiting, way_out.expect("it is left from here"));
        let blocks = f.blocks().iter().copied().filter(|b| inside.contains(b)).collect();
        let shape = LoopShape { preheader, header, latch, exiting, exit, blocks, inside };
        // The bound may be computed anew for each test.
        for (compared, _) in shape.tested_values(f) {
            let compare = f.def_inst(compared).map(|compare| f[compare].args.clone());
            for operand in compare.into_iter().flatten() {
                shape.hoist(f, operand);
            }
        }
        shape.close(f);
        Ok(shape)
    }

    /// Whether the test comes before the body.
    pub(super) fn tested_first(&self) -> bool {
        self.exiting == self.header && self.header != self.latch
    }

    pub(super) fn contains(&self, b: Block) -> bool {
        self.inside.contains(&b)
    }

    /// Whether a value is computed in the loop.
    pub(super) fn defines(&self, f: &Function, value: Value) -> bool {
        let home = f.def_inst(value).and_then(|inst| f.block_of(inst));
        home.is_some_and(|b| self.contains(b))
    }

    /// Lets what is used behind the loop pass a φ at its exit.
    fn close(&self, f: &mut Function) {
        let mut phis: FxHashMap<Value, Value> = FxHashMap::default();
        let outside: Vec<Block> =
            f.blocks().iter().copied().filter(|&b| !self.contains(b)).collect();
        for b in outside {
            for inst in f.insts(b).to_vec() {
                for i in 0..f[inst].args.len() {
                    let value = f[inst].args[i];
                    // What a φ gets over an edge is used at the end of the edge's source.
                    let at_edge = f[inst].op == Op::Phi
                        && f[inst].targets.get(i).is_some_and(|&from| self.contains(from));
                    if at_edge || !self.defines(f, value) {
                        continue;
                    }
                    let passed = *phis.entry(value).or_insert_with(|| {
                        let data = InstData::new(Op::Phi, f.ty(value), &[value]);
                        let data = data.with_targets(&[self.exiting]);
                        let phi = f.insert(InsertAt::Start(self.exit), data);
                        f.result(phi)
                    });
                    f[inst].args[i] = passed;
                }
            }
        }
    }

    /// Computes a value before the loop if it does not change in it. Whether it is there now.
    pub(super) fn hoist(&self, f: &mut Function, value: Value) -> bool {
        if !self.defines(f, value) {
            return true;
        }
        let Some(inst) = f.def_inst(value) else { return true };
        let operands = f[inst].args.clone();
        if !edit::computes(f, inst) || !operands.into_iter().all(|operand| self.hoist(f, operand)) {
            return false;
        }
        let end = f.terminator(self.preheader).expect("it goes to the loop");
        f.move_inst(inst, InsertAt::Before(end));
        true
    }

    /// Lets iterations begin anew with what is undefined in the first one: a variable of the body that is not set on all ways, or one of a `private`
    /// clause. Iterations of OpenMP hand on nothing else than reductions.
    pub(super) fn forget_undefined(&self, f: &mut Function) {
        for phi in f.phis(self.header).collect::<Vec<_>>() {
            let (value, init) = (f.result(phi), edit::incoming(f, phi, self.preheader));
            if !edit::is_undefined(f, init) {
                continue;
            }
            for &b in &self.blocks {
                for inst in f.insts(b).to_vec() {
                    f[inst]
                        .args
                        .iter_mut()
                        .filter(|arg| **arg == value)
                        .for_each(|arg| *arg = init);
                }
            }
        }
        edit::remove_unused_in(f, |b| self.contains(b));
    }

    /// Whether a value is a φ of the header.
    pub(super) fn is_header_phi(&self, f: &Function, value: Value) -> bool {
        f.def_inst(value)
            .is_some_and(|inst| f[inst].op == Op::Phi && f.block_of(inst) == Some(self.header))
    }

    /// Computes steps of header φs before the loop if they do not change: what is subtracted becomes what is added, and elements that a
    /// pointer goes on by become bytes.
    pub(super) fn compute_steps(&self, f: &mut Function, layout: &DataLayout) {
        for phi in f.phis(self.header).collect::<Vec<_>>() {
            let (value, next) = (f.result(phi), edit::incoming(f, phi, self.latch));
            let Some(inst) = f.def_inst(next).filter(|_| self.defines(f, next)) else { continue };
            let &[from, by] = &f[inst].args[..] else { continue };
            if from != value || f.as_constant(by).is_some() || self.defines(f, by) {
                continue;
            }
            let ty = f.ty(by);
            let (op, factor) = match f[inst].op {
                Op::Binary(BinOp::Sub) => (Op::Binary(BinOp::Add), Some(-1)),
                Op::Gep(elem) if ty == Type::I64 => {
                    (Op::Gep(Type::I8), layout.alloc_size(&f.types, elem).map(i128::from))
                }
                _ => continue,
            };
            let Some(factor) = factor.filter(|&factor| factor != 1) else { continue };
            let factor = f.constant(Constant::int(ty, factor));
            let end = f.terminator(self.preheader).expect("it goes to the loop");
            let step = InstData::new(Op::Binary(BinOp::Mul), ty, &[by, factor]);
            let step = f.insert(InsertAt::Before(end), step);
            f[inst].args[1] = f.result(step);
            (f[inst].op, f[inst].flags) = (op, Flags::NONE);
        }
    }

    /// What the φs at the exit take from the loop.
    pub(super) fn live_outs(&self, f: &Function) -> Vec<(Inst, Value)> {
        f.phis(self.exit).map(|phi| (phi, edit::incoming(f, phi, self.exiting))).collect()
    }
}

/// The blocks that control may go to from `inside`, from which it neither comes back nor returns.
fn dead_ends(f: &Function, inside: &FxHashSet<Block>) -> Vec<Block> {
    let mut predecessors: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    let mut alive: FxHashSet<Block> = inside.clone();
    let mut stack: Vec<Block> = inside.iter().copied().collect();
    for &b in f.blocks() {
        for &to in f.successors(b) {
            predecessors.entry(to).or_default().push(b);
        }
        let stops = f.terminator(b).is_some_and(|t| f[t].op == Op::Unreachable);
        if f.successors(b).is_empty() && !stops && alive.insert(b) {
            stack.push(b);
        }
    }
    while let Some(b) = stack.pop() {
        for &from in predecessors.get(&b).into_iter().flatten() {
            if alive.insert(from) {
                stack.push(from);
            }
        }
    }
    let mut found: Vec<Block> = Vec::new();
    let mut stack: Vec<Block> = inside.iter().copied().collect();
    while let Some(b) = stack.pop() {
        for &to in f.successors(b) {
            if !alive.contains(&to) && !found.contains(&to) {
                found.push(to);
                stack.push(to);
            }
        }
    }
    found
}
