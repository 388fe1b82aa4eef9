//! Bounds that are read anew for each test: `i < list->length`.
//!
//! If iterations are independent, none writes what the test of another one reads. So it can be read once, before the loop, where the first
//! test would read it or somebody has read it before.

use super::shape::LoopShape;
use lw_graph::DominatorTree;
use lw_ir::{Function, InsertAt, Inst, Op, Value};
use lw_sparse::Program;
use lw_sparse::function::node;

impl LoopShape {
    /// Reads the bound of a loop of independent iterations before it.
    pub(super) fn read_bound(&self, f: &mut Function) {
        let test = f.terminator(self.exiting).expect("it is left from here");
        let Some(compare) = f.def_inst(f[test].args[0]).filter(|&c| matches!(f[c].op, Op::ICmp(_)))
        else {
            return;
        };
        for operand in f[compare].args.clone() {
            self.read_before(f, operand);
            self.hoist(f, operand);
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

    /// Whether a load does not trap before the loop: the first test, which comes before everything else, has it, or it was done before.
    fn can_be_read(&self, f: &Function, load: Inst, address: Value) -> bool {
        if self.tested_first() && f.block_of(load) == Some(self.header) {
            return true;
        }
        let dominators = DominatorTree::compute(&f.graph());
        let before = |b| dominators.dominates(node(b), node(self.preheader));
        let same = |inst: Inst| {
            matches!(f[inst].op, Op::Load(_))
                && f[inst].args[0] == address
                && f[inst].ty == f[load].ty
        };
        f.all_insts().any(|(b, inst)| before(b) && same(inst))
    }
}
