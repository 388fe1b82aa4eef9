//! `a && b` as control flow.
//!
//! What clang writes for the condition of a loop, `i < n && i < 10`, brings a truth value to one block and branches there: false from
//! the block that found `i < n` false, and `i < 10` from the other. Analyses learn from branches, and that one says nothing of
//! what was compared. So who brings a constant goes where it leads, and the last condition is branched on itself.

use lw_ir::{Block, Function, Inst, Op, Value};
use std::collections::HashMap;

/// Leads all edges past branches that they decide.
pub(super) fn branch_on_conditions(function: &mut Function) {
    let mut uses: HashMap<Value, usize> = HashMap::new();
    for (_, inst) in function.all_insts() {
        function[inst].args.iter().for_each(|&value| *uses.entry(value).or_default() += 1);
    }
    for at in function.blocks().to_vec() {
        if let Some(join) = Join::at(function, at, &uses) {
            join.lead_past(function);
        }
    }
}

/// A block that only merges a condition, and branches on it.
struct Join {
    block: Block,
    phi: Inst,
    branch: Inst,
}

impl Join {
    fn at(function: &Function, block: Block, uses: &HashMap<Value, usize>) -> Option<Join> {
        let &[phi, branch] = function.insts(block) else { return None };
        let (merged, test) = (&function[phi], &function[branch]);
        let joins = merged.op == Op::Phi && merged.shadow().is_none() && test.op == Op::CondBr;
        let condition = merged.result.expand()?;
        let decides = joins
            && test.args[0] == condition
            && test.targets[0] != test.targets[1]
            && !test.targets.contains(&block)
            && uses.get(&condition) == Some(&1);
        decides.then_some(Join { block, phi, branch })
    }

    /// The block is still reached: somebody brings a condition that is not known.
    fn lead_past(&self, function: &mut Function) {
        let incoming: Vec<(Value, Block)> = function[self.phi].incoming().collect();
        let known = |function: &Function, value: Value| function.as_small_int(value);
        if incoming.iter().all(|&(value, _)| known(function, value).is_some()) {
            return;
        }
        for (value, from) in incoming {
            let Some(truth) = known(function, value) else { continue };
            let to = function[self.branch].targets[usize::from(truth == 0)];
            self.redirect(function, from, to);
        }
        if let [only] = *function[self.phi].args {
            function[self.branch].args[0] = only;
            function.erase(self.phi);
        }
    }

    /// One edge into the block leads to a successor of it instead, unless another edge of the same block does already.
    fn redirect(&self, function: &mut Function, from: Block, to: Block) {
        let Some(leaves) = function.terminator(from) else { return };
        let targets = &function[leaves].targets;
        let once = targets.iter().filter(|&&target| target == self.block).count() == 1;
        if !once || targets.contains(&to) || !matches!(function[leaves].op, Op::Br | Op::CondBr) {
            return;
        }
        for target in &mut function[leaves].targets {
            if *target == self.block {
                *target = to;
            }
        }
        // What the successor gets from here it gets from there: nothing is computed in between.
        for phi in function.phis(to).collect::<Vec<_>>() {
            let found = function[phi].incoming().find(|&(_, block)| block == self.block);
            let (value, _) = found.expect("a φ has an entry for each edge");
            function[phi].args.push(value);
            function[phi].targets.push(from);
        }
        let entry = function[self.phi].targets.iter().position(|&block| block == from);
        let entry = entry.expect("a φ has an entry for each edge");
        function[self.phi].args.remove(entry);
        function[self.phi].targets.remove(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::branch_on_conditions;

    #[test]
    fn the_last_condition_is_branched_on_itself() {
        let text = "func @f(i32 %n, i32 %i) -> i32 {
entry:
  %a = icmp slt i32 %i, %n
  br i1 %a, label %next, label %join
next:
  %b = icmp slt i32 %i, 10
  br i1 %b, label %last, label %join
last:
  %c = icmp sgt i32 %i, 0
  br label %join
join:
  %all = phi i1 [ false, %entry ], [ false, %next ], [ %c, %last ]
  br i1 %all, label %yes, label %no
yes:
  ret i32 1
no:
  %d = phi i32 [ %n, %join ]
  ret i32 %d
}
";
        let mut module = lw_ir::parse_module(text).expect("it is correct");
        let function = &mut module.functions[0];
        branch_on_conditions(function);
        lw_ir::verify(function).expect("it is still correct");
        let after = function.to_string();
        assert!(after.contains("br i1 %c, label %yes, label %no"), "{after}");
        assert!(after.contains("br i1 %a, label %next, label %no"), "{after}");
        assert!(
            after.contains("%d = phi i32 [ %n, %join ], [ %n, %entry ], [ %n, %next ]"),
            "{after}"
        );
    }
}
