//! The format of `opt -passes='print<uniformity>'`.

use super::cycles::Cycles;
use super::rules::{Gpu, Rule};
use super::uniformity::Uniformity;
use crate::control::Control;
use lw_graph::{DominatorTree, Loop, Node};
use lw_ir::{Block, Function, Inst, Value};
use lw_sparse::function::node;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// How LLVM prints what a function consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// The name of the function.
    pub function: String,
    /// The parameters: `i32 %n`.
    pub params: Vec<String>,
    /// The blocks, by number.
    pub blocks: Vec<BlockWords>,
}

/// How LLVM prints a block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockWords {
    /// Its name or number.
    pub name: String,
    /// Its instructions, each with the indentation LLVM gives it.
    pub insts: Vec<String>,
}

/// Writes what was found as LLVM does. `words` describe the same function. Where LLVM lists things in the order of their addresses
/// in memory, this follows the program.
pub fn print(function: &Function, found: &Uniformity, gpu: Gpu, words: &Words) -> String {
    let mut out = format!("UniformityInfo for function '{}':\n", words.function);
    let verdicts = Verdicts { function, found, gpu };
    let left = found.control().map(left_loops).unwrap_or_default();
    let params = function.params().iter().zip(&words.params);
    let params: Vec<&String> =
        params.filter(|&(&param, _)| !found.is_uniform(param)).map(|(_, word)| word).collect();
    let any_inst = || {
        let blocks = function.blocks().iter();
        blocks.clone().any(|&b| function.insts(b).iter().any(|&i| verdicts.is_divergent(b, i)))
    };
    if params.is_empty() && left.is_empty() && !any_inst() {
        out.push_str("ALL VALUES UNIFORM\n");
        return out;
    }
    if !params.is_empty() {
        out.push_str("DIVERGENT ARGUMENTS:\n");
        params.iter().for_each(|word| line(&mut out, "  DIVERGENT: ", word));
    }
    if let Some(control) = found.control() {
        verdicts.loops(&mut out, control, &left, words);
    }
    for &block in function.blocks() {
        let of = &words.blocks[node(block).index()];
        let _ = writeln!(out, "\nBLOCK {}\nDEFINITIONS", of.name);
        let insts = function.insts(block).iter().zip(&of.insts);
        let (terminators, definitions): (Vec<_>, Vec<_>) =
            insts.partition(|&(&inst, _)| function[inst].op.is_terminator());
        for (heading, insts) in [("", definitions), ("TERMINATORS\n", terminators)] {
            out.push_str(heading);
            for (&inst, word) in insts {
                let divergent = verdicts.is_divergent(block, inst);
                line(&mut out, if divergent { "  DIVERGENT: " } else { "             " }, word);
            }
        }
        out.push_str("END BLOCK\n");
    }
    out
}

fn line(out: &mut String, before: &str, words: &str) {
    out.push_str(before);
    out.push_str(words);
    out.push('\n');
}

struct Verdicts<'a> {
    function: &'a Function,
    found: &'a Uniformity,
    gpu: Gpu,
}

impl Verdicts<'_> {
    /// LLVM's verdict on an instruction, whether it has a result or not.
    fn is_divergent(&self, block: Block, this: Inst) -> bool {
        let data = &self.function[this];
        if let (Some(result), false) = (data.result.expand(), data.op.is_terminator()) {
            return !self.found.is_uniform(result);
        }
        if !self.found.is_reachable(block) {
            return false;
        }
        match self.gpu.rule(self.function, this) {
            Rule::Varying => true,
            Rule::Uniform => false,
            Rule::OfOperands => {
                let varying = |&arg: &Value| self.varies_at(this, arg);
                let parts = data.op.is_terminator() && self.found.is_divergent(block);
                parts || data.args.iter().any(varying)
            }
        }
    }

    fn varies_at(&self, user: Inst, operand: Value) -> bool {
        !self.found.is_uniform_at(self.function, user, operand)
    }

    /// What is said about loops.
    fn loops(&self, out: &mut String, control: &Control, left: &[Loop], words: &Words) {
        let cycles = Cycles::new(control.graph(), control.loops(), words);
        let assumed: Vec<Loop> = scrambled_loops(control);
        if !assumed.is_empty() {
            out.push_str("CYCLES ASSUMED DIVERGENT:\n");
            assumed.iter().for_each(|&l| line(out, "  ", &cycles.name(l)));
        }
        if !left.is_empty() {
            out.push_str("CYCLES WITH DIVERGENT EXIT:\n");
            left.iter().for_each(|&l| line(out, "  ", &cycles.name(l)));
        }
        let within = |l: &Loop| assumed.iter().any(|&a| control.loops().encloses(a, *l));
        let followed: Vec<Loop> = left.iter().copied().filter(|l| !within(l)).collect();
        if !followed.is_empty() {
            self.temporal(out, control, &followed, &cycles, words);
        }
    }

    /// The uses behind loops that are left in different iterations.
    fn temporal(
        &self,
        out: &mut String,
        control: &Control,
        left: &[Loop],
        cycles: &Cycles<'_>,
        words: &Words,
    ) {
        let mut users: FxHashMap<Value, Vec<(Node, usize)>> = FxHashMap::default();
        for &block in self.function.blocks() {
            for (i, &inst) in self.function.insts(block).iter().enumerate() {
                for &arg in &self.function[inst].args {
                    users.entry(arg).or_default().push((node(block), i));
                }
            }
        }
        let loops = control.loops();
        let dominators = DominatorTree::compute(control.graph());
        let mut any = false;
        for &l in left {
            let exits = loops.exits(l);
            for block in cycles.blocks(l) {
                if !exits.iter().any(|&exit| dominators.dominates(block, exit)) {
                    continue;
                }
                let insts = self.function.insts(lw_sparse::function::block(block));
                for (i, &inst) in insts.iter().enumerate() {
                    let result = self.function[inst].result.expand();
                    let used = result.and_then(|result| users.get(&result));
                    for &(at, user) in used.into_iter().flatten().rev() {
                        if loops.contains(l, at) {
                            continue;
                        }
                        if !std::mem::replace(&mut any, true) {
                            out.push_str("\nTEMPORAL DIVERGENCE LIST:\n");
                        }
                        let value = &words.blocks[block.index()].insts[i];
                        let user = &words.blocks[at.index()].insts[user];
                        let _ = write!(
                            out,
                            "Value         :{value}\nUsed by       :{user}\nOutside cycle :{}\n\n",
                            cycles.name(l)
                        );
                    }
                }
            }
        }
    }
}

/// The loops that LLVM says are left in different iterations: of those around a branch, the outermost that an exit leaves.
fn left_loops(control: &Control) -> Vec<Loop> {
    let mut left: Vec<Loop> = control.left().collect();
    left.sort_unstable_by_key(|&l| control.loops().header(l));
    left
}

fn scrambled_loops(control: &Control) -> Vec<Loop> {
    let loops = control.loops();
    let scrambled =
        |l: &Loop| !loops.is_loop_reducible(*l) && control.scrambled(loops.header(*l)).is_some();
    loops.loops().filter(scrambled).collect()
}
