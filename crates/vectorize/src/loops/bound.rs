//! Bounds that are read anew for each test: `i < list->length`.
//!
//! If iterations are independent, none writes what the test of the next one reads. So it can be read once, before the loop, where the first
//! test reads it.

use super::plain::may_write;
use super::shape::LoopShape;
use lw_graph::DominatorTree;
use lw_ir::{Function, InsertAt, Inst, Op, Value};
use lw_sparse::Program;
use lw_sparse::function::node;

impl LoopShape {
    /// Reads the bound of a loop of independent iterations before it.
    pub(super) fn read_bound(&self, f: &mut Function) {
        for (compared, _) in self.tested_values(f) {
            let compare = f.def_inst(compared).filter(|&c| matches!(f[c].op, Op::ICmp(_)));
            for operand in compare.map(|c| f[c].args.clone()).into_iter().flatten() {
                self.read_before(f, operand);
                self.hoist(f, operand);
            }
        }
    }

    /// Moves the loads that a value is computed from, and that all read the same in each iteration.
    fn read_before(&self, f: &mut Function, value: Value) {
        let Some(inst) = f.def_inst(value).filter(|_| self.defines(f, value)) else { return };
        match f[inst].op {
            Op::Load(access) if access.is_simple() => {
                let address = f[inst].args[0];
                if self.hoist(f, address) && self.can_be_read(f, inst, address) {
                    let end = f.terminator(self.preheader).expect("it goes to the loop");
                    f.move_inst(inst, InsertAt::Before(end));
                }
            }
            Op::Cast(_) | Op::Binary(_) => {
                for operand in f[inst].args.clone() {
                    self.read_before(f, operand);
                }
            }
            _ => {}
        }
    }

    /// Whether the test of the first iteration reads this, before anything is written: at the top of the loop, or in front of it if
    /// LLVM moved that test there. Behind a body that nobody tested before it, an iteration may read what itself wrote.
    fn can_be_read(&self, f: &Function, load: Inst, address: Value) -> bool {
        if self.tested_first() {
            let writes = |&inst: &Inst| may_write(f, inst);
            let mut before = f.insts(self.header).iter().take_while(|&&inst| inst != load);
            return f.block_of(load) == Some(self.header) && !before.any(writes);
        }
        let dominators = DominatorTree::compute(&f.graph());
        let same = |inst: Inst| {
            matches!(f[inst].op, Op::Load(_))
                && f[inst].args[0] == address
                && f[inst].ty == f[load].ty
        };
        f.blocks().iter().any(|&b| {
            let test = f.terminator(b).filter(|&t| f[t].op == Op::CondBr);
            dominators.dominates(node(b), node(self.preheader))
                && test.is_some_and(|test| is_computed_from(f, f[test].args[0], &same, DEPTH))
        })
    }
}

/// Tests are followed so deep.
const DEPTH: usize = 4;

/// Whether a number is computed from such an instruction.
fn is_computed_from(f: &Function, value: Value, it: &dyn Fn(Inst) -> bool, depth: usize) -> bool {
    let Some(inst) = f.def_inst(value) else { return false };
    it(inst)
        || depth > 0
            && matches!(f[inst].op, Op::ICmp(_) | Op::Cast(_) | Op::Binary(_))
            && f[inst].args.iter().any(|&arg| is_computed_from(f, arg, it, depth - 1))
}
