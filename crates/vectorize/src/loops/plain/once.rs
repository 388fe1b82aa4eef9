//! One value for what is computed or read twice.

use crate::callee;
use crate::edit::{self, Shape};
use crate::loops::shape::LoopShape;
use lw_graph::DominatorTree;
use lw_ir::types::Type;
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// What is computed: the operation (of loads nothing but that it is one), its type and its operands.
type Key = (Option<Op>, Type, Vec<Value>);

impl LoopShape {
    /// Lets what is computed or read again in an iteration be what it was before.
    pub(super) fn compute_once(&self, f: &mut Function) {
        let shape = Shape::of(f);
        let dominators = DominatorTree::compute(&shape.graph);
        let order: Vec<Block> =
            shape.index.order().iter().map(|&n| block(n)).filter(|&b| self.contains(b)).collect();
        let writes = order.iter().any(|&b| f.insts(b).iter().any(|&inst| may_write(f, inst)));
        let mut seen: FxHashMap<Key, Vec<Inst>> = FxHashMap::default();
        let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
        let mut gone: Vec<Inst> = Vec::new();
        for &b in &order {
            for inst in f.insts(b).to_vec() {
                let data = &f[inst];
                let reads = matches!(data.op, Op::Load(access) if access.is_simple());
                // Each execution of a freeze chooses anew.
                if !reads && (!edit::computes(f, inst) || data.op == Op::Freeze) {
                    continue;
                }
                let now = |arg: &Value| replaced.get(arg).copied().unwrap_or(*arg);
                let args = data.args.iter().map(now).collect();
                let known =
                    seen.entry(((!reads).then(|| data.op.clone()), data.ty, args)).or_default();
                let same = known.iter().copied().find(|&other| {
                    let home = f.block_of(other).expect("it is in the loop");
                    dominators.dominates(node(home), node(b))
                        && (!reads || !writes || untouched(f, &shape, other, inst))
                });
                let Some(same) = same else {
                    known.push(inst);
                    continue;
                };
                replaced.insert(f.result(inst), f.result(same));
                let flags = f[same].flags & f[inst].flags;
                f[same].flags = flags;
                if reads {
                    gone.push(inst);
                }
            }
        }
        edit::replace_all(f, &replaced);
        gone.into_iter().for_each(|inst| f.erase(inst));
    }
}

/// Whether nothing is written between two loads, the first of which dominates the other: control has one way between them.
fn untouched(f: &Function, shape: &Shape, first: Inst, second: Inst) -> bool {
    let (home, start) = f.position(first);
    let (mut at, mut end) = f.position(second);
    loop {
        let begin = if at == home { start + 1 } else { 0 };
        if f.insts(at)[begin..end].iter().any(|&inst| may_write(f, inst)) {
            return false;
        }
        if at == home {
            return true;
        }
        let mut before = shape.graph.predecessors(node(at));
        let (Some(one), None) = (before.next(), before.next()) else { return false };
        at = block(one);
        end = f.insts(at).len();
    }
}

/// Whether an instruction may change memory.
pub(in crate::loops) fn may_write(f: &Function, inst: Inst) -> bool {
    match f[inst].op {
        Op::Phi | Op::Br | Op::CondBr | Op::Switch | Op::Unreachable => false,
        Op::Load(access) => !access.is_simple(),
        Op::Binary(_) | Op::ExtractValue(_) | Op::InsertValue(_) => false,
        Op::Call(_) => !callee::is_dropped(f, inst) && f.call_memory(inst).writes,
        _ => !edit::computes(f, inst),
    }
}
