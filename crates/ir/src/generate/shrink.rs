//! Making a program that fails smaller while it keeps failing.
//!
//! Each step tries one change on a copy: fewer functions, jumps instead of branches, constants or operands instead of
//! instructions, no flags. A copy that does not verify is not tried. Many instructions go at once first, then fewer.

use crate::constant::Constant;
use crate::entities::{Block, Inst, Value};
use crate::flags::Flags;
use crate::function::Function;
use crate::inst::{InsertAt, InstData, Op};
use crate::module::Module;
use crate::types::{Scalar, Type};
use crate::verify::verify;
use lw_graph::DominatorTree;

/// How long shrinking may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkOptions {
    /// How many candidates may be tried.
    pub budget: usize,
}

impl Default for ShrinkOptions {
    fn default() -> Self {
        ShrinkOptions { budget: 5_000 }
    }
}

/// A smaller module for which `fails` still holds. It must hold for `module` itself.
pub fn shrink(
    module: &Module,
    options: ShrinkOptions,
    fails: impl FnMut(&Module) -> bool,
) -> Module {
    let mut shrinker = Shrinker { best: module.clone(), left: options.budget, fails };
    loop {
        let before = shrinker.left;
        let mut changed = false;
        changed |= shrinker.drop_functions();
        changed |= shrinker.branches();
        changed |= shrinker.instructions();
        changed |= shrinker.merge_blocks();
        changed |= shrinker.operands();
        changed |= shrinker.modifiers();
        if !changed || shrinker.left == 0 || shrinker.left == before {
            break;
        }
    }
    shrinker.clean();
    shrinker.best
}

struct Shrinker<F> {
    best: Module,
    left: usize,
    fails: F,
}

impl<F: FnMut(&Module) -> bool> Shrinker<F> {
    /// Keeps a candidate if it is well formed and still fails.
    fn attempt(&mut self, candidate: Module) -> bool {
        if self.left == 0 || !candidate.functions.iter().all(|f| verify(f).is_ok()) {
            return false;
        }
        self.left -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// Tries a change of one function.
    fn change(&mut self, index: usize, change: impl FnOnce(&mut Function) -> bool) -> bool {
        if self.left == 0 {
            return false;
        }
        let mut candidate = self.best.clone();
        let function = &mut candidate.functions[index];
        change(function) && self.attempt(candidate)
    }

    fn drop_functions(&mut self) -> bool {
        let mut changed = false;
        for i in (0..self.best.functions.len()).rev() {
            let mut candidate = self.best.clone();
            candidate.functions.remove(i);
            changed |= self.attempt(candidate);
        }
        for i in (0..self.best.globals.len()).rev() {
            let mut candidate = self.best.clone();
            candidate.globals.remove(i);
            changed |= self.attempt(candidate);
        }
        changed
    }

    /// Branches become jumps, and blocks return early.
    fn branches(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.best.functions.len() {
            for block in self.best.functions[i].blocks().to_vec() {
                let function = &self.best.functions[i];
                if !function.blocks().contains(&block) {
                    continue;
                }
                let Some(terminator) = function.terminator(block) else { continue };
                if function[terminator].op != Op::Ret {
                    changed |= self.change(i, |f| {
                        let value = match f.signature.ret {
                            Type::Void => None,
                            ty => Some(f.constant(simple(ty))),
                        };
                        let data = InstData::new(Op::Ret, Type::Void, value.as_slice());
                        set_terminator(f, block, data)
                    });
                }
                let function = &self.best.functions[i];
                if !function.blocks().contains(&block) {
                    continue;
                }
                let mut targets = function.successors(block).to_vec();
                let count = targets.len();
                targets.sort();
                targets.dedup();
                if count > 1 {
                    for target in targets {
                        changed |= self.change(i, |f| {
                            let data =
                                InstData::new(Op::Br, Type::Void, &[]).with_targets(&[target]);
                            set_terminator(f, block, data)
                        });
                    }
                }
                changed |= self.fewer_cases(i, block);
            }
        }
        changed
    }

    fn fewer_cases(&mut self, index: usize, block: Block) -> bool {
        let mut changed = false;
        loop {
            let function = &self.best.functions[index];
            if !function.blocks().contains(&block) {
                return changed;
            }
            let Some(inst) = function.terminator(block) else { return changed };
            let cases = function[inst].targets.len();
            if function[inst].op != Op::Switch || cases < 2 {
                return changed;
            }
            let dropped = (1..cases).rev().any(|case| {
                self.change(index, |f| {
                    let mut data = f[inst].clone();
                    data.args.remove(case);
                    data.targets.remove(case);
                    set_terminator(f, block, data)
                })
            });
            if !dropped {
                return changed;
            }
            changed = true;
        }
    }

    /// Instructions go, many at once and then fewer; what they yield becomes something simple.
    fn instructions(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.best.functions.len() {
            let body = |f: &Function| -> Vec<Inst> {
                let all = f.all_insts().map(|(_, inst)| inst);
                all.filter(|&inst| !f[inst].op.is_terminator()).collect()
            };
            let mut size = body(&self.best.functions[i]).len().div_ceil(2).max(1);
            loop {
                let mut end = body(&self.best.functions[i]).len();
                while end > 0 {
                    let start = end.saturating_sub(size);
                    let chunk = body(&self.best.functions[i])[start..end].to_vec();
                    changed |= self.change(i, |f| {
                        for &inst in chunk.iter().rev() {
                            remove(f, inst, None);
                        }
                        true
                    });
                    if size == 1 && self.best.functions[i].block_of(chunk[0]).is_some() {
                        changed |= self.by_operand(i, chunk[0]);
                    }
                    end = start.min(body(&self.best.functions[i]).len());
                }
                if size == 1 {
                    break;
                }
                size = size.div_ceil(2);
            }
        }
        changed
    }

    /// An instruction becomes one of its operands, or a parameter.
    fn by_operand(&mut self, index: usize, inst: Inst) -> bool {
        let function = &self.best.functions[index];
        let ty = function[inst].ty;
        let mut others: Vec<Value> = function[inst].args.to_vec();
        others.extend_from_slice(function.params());
        others.retain(|&v| function.ty(v) == ty && function[inst].result.expand() != Some(v));
        others.dedup();
        others.into_iter().any(|other| {
            self.change(index, |f| {
                remove(f, inst, Some(other));
                true
            })
        })
    }

    /// A block and its only successor become one.
    fn merge_blocks(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.best.functions.len() {
            for block in self.best.functions[i].blocks().to_vec() {
                while self.best.functions[i].blocks().contains(&block)
                    && self.change(i, |f| merge(f, block))
                {
                    changed = true;
                }
            }
        }
        changed
    }

    /// Operands become simple constants.
    fn operands(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.best.functions.len() {
            let all: Vec<Inst> = self.best.functions[i].all_insts().map(|(_, inst)| inst).collect();
            for inst in all {
                for operand in 0..self.best.functions[i][inst].args.len() {
                    let function = &self.best.functions[i];
                    let value = function[inst].args[operand];
                    let ty = function.ty(value);
                    let mut simpler = vec![simple(ty)];
                    if ty.int_bits().is_some() && ty.lanes().is_none() {
                        simpler.push(Constant::int(ty, 1));
                    }
                    if let Some(at) = function
                        .as_constant(value)
                        .and_then(|c| simpler.iter().position(|s| s == c))
                    {
                        simpler.truncate(at);
                    }
                    changed |= simpler.into_iter().any(|constant| {
                        self.change(i, |f| {
                            let new = f.constant(constant);
                            f[inst].args[operand] = new;
                            true
                        })
                    });
                }
            }
        }
        changed
    }

    /// Flags, `total`, predicates, shadows and names go.
    fn modifiers(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.best.functions.len() {
            let blocks = self.best.functions[i].blocks().to_vec();
            for &block in &blocks {
                if self.best.functions[i].predicate(block).is_some() {
                    changed |= self.change(i, |f| {
                        f.set_predicate(block, None);
                        true
                    });
                }
            }
            let all: Vec<Inst> = self.best.functions[i].all_insts().map(|(_, inst)| inst).collect();
            for inst in all {
                let data = &self.best.functions[i][inst];
                let (flags, total, shadow) = (data.flags, data.total, data.shadow());
                for &(flag, _) in Flags::ALL {
                    if flags.contains(flag) {
                        changed |= self.change(i, |f| {
                            f[inst].flags = f[inst].flags.without(flag);
                            true
                        });
                    }
                }
                if total {
                    changed |= self.change(i, |f| {
                        f[inst].total = false;
                        true
                    });
                }
                if shadow.is_some() {
                    changed |= self.change(i, |f| f[inst].args.pop().is_some());
                }
            }
        }
        changed
    }

    /// What nothing mentions any more goes by printing and parsing.
    fn clean(&mut self) {
        let mut candidate = self.best.clone();
        for function in &mut candidate.functions {
            let values: Vec<Value> = function
                .all_insts()
                .filter_map(|(_, inst)| function[inst].result.expand())
                .chain(function.params().iter().copied())
                .collect();
            for value in values {
                function.set_value_name(value, None);
            }
            for block in function.blocks().to_vec() {
                function.set_block_name(block, None);
            }
        }
        self.left = self.left.max(1);
        self.attempt(candidate);
        if let Ok(parsed) = crate::parse::parse_module(&self.best.to_string()) {
            self.left = self.left.max(1);
            self.attempt(parsed);
        }
    }
}

/// The simplest constant of a type.
fn simple(ty: Type) -> Constant {
    match ty {
        Type::Scalar(Scalar::Int(_)) => Constant::int(ty, 0),
        _ => Constant::zero(ty),
    }
}

/// Takes an instruction out; `other`, or a simple constant, stands for what it yielded.
fn remove(f: &mut Function, inst: Inst, other: Option<Value>) {
    if let Some(result) = f[inst].result.expand() {
        let other = other.unwrap_or_else(|| f.constant(simple(f.ty(result))));
        f.replace_uses(result, other);
    }
    f.erase(inst);
}

/// Ends a block in another way. φs lose the edges that are gone, and blocks that nothing leads to go. `false` if the new
/// end has edges the old one had not.
fn set_terminator(f: &mut Function, block: Block, data: InstData) -> bool {
    let Some(old) = f.terminator(block) else { return false };
    let mut gone = f[old].targets.to_vec();
    if !data.op.is_terminator() {
        return false;
    }
    for target in &data.targets {
        match gone.iter().position(|b| b == target) {
            Some(at) => drop(gone.swap_remove(at)),
            None => return false,
        }
    }
    if let Some(result) = f[old].result.expand() {
        let other = f.constant(simple(f.ty(result)));
        f.replace_uses(result, other);
    }
    f.erase(old);
    for to in gone {
        drop_edge(f, block, to);
    }
    let mut data = data;
    data.result = None.into();
    f.insert(InsertAt::End(block), data);
    sweep(f);
    true
}

fn drop_edge(f: &mut Function, from: Block, to: Block) {
    for phi in f.phis(to).collect::<Vec<_>>() {
        let data = &mut f[phi];
        if let Some(at) = data.targets.iter().position(|&b| b == from) {
            data.targets.remove(at);
            data.args.remove(at);
        }
    }
}

/// Removes blocks that nothing leads to, and φs without edges.
fn sweep(f: &mut Function) {
    let Some(cfg) = crate::cfg::Cfg::compute(f) else { return };
    let dominators = DominatorTree::compute(cfg.graph());
    let dead: Vec<Block> = (f.blocks().iter().copied())
        .filter(|&block| !dominators.is_reachable(cfg.node(block)))
        .collect();
    for &block in &dead {
        for to in f.successors(block).to_vec() {
            drop_edge(f, block, to);
        }
    }
    for &block in &dead {
        for inst in f.insts(block).to_vec() {
            if let Some(result) = f[inst].result.expand() {
                let other = f.constant(simple(f.ty(result)));
                f.replace_uses(result, other);
            }
        }
        f.erase_block(block);
    }
}

/// Appends the only successor of a block to it, if nothing else leads there.
fn merge(f: &mut Function, block: Block) -> bool {
    let &[next] = f.successors(block) else { return false };
    let into = f.blocks().iter().flat_map(|&b| f.successors(b)).filter(|&&b| b == next).count();
    if into != 1 || next == block || f.predicate(next).is_some() || f.predicate(block).is_some() {
        return false;
    }
    for phi in f.phis(next).collect::<Vec<_>>() {
        let value = f[phi].args[0];
        if f[phi].result.expand() == Some(value) {
            return false;
        }
        remove(f, phi, Some(value));
    }
    let terminator = f.terminator(block).expect("it has a successor");
    f.erase(terminator);
    for inst in f.insts(next).to_vec() {
        f.move_inst(inst, InsertAt::End(block));
    }
    for to in f.successors(block).to_vec() {
        for phi in f.phis(to).collect::<Vec<_>>() {
            for target in &mut f[phi].targets {
                if *target == next {
                    *target = block;
                }
            }
        }
    }
    f.erase_block(next);
    true
}
