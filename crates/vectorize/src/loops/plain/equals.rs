//! Constants that LLVM wrote for what is carried, where it knows them to be equal: `at == -1 && a[i] > x ? i : -1`.

use crate::loops::decisions::{Fact, is_known};
use crate::loops::shape::LoopShape;
use crate::loops::web::merged;
use lw_ir::ops::IntPred;
use lw_ir::{Function, Inst, Op, Value};

/// A comparison of a header φ with a constant.
struct Compared {
    phi: Value,
    constant: Value,
    /// When they are equal.
    equal: Fact,
}

impl LoopShape {
    /// Writes header φs in merges, in place of constants that they are equal to there.
    pub(super) fn name_equals(&self, f: &mut Function) {
        let insts = || self.blocks.iter().flat_map(|&b| f.insts(b).iter().copied());
        let all: Vec<Compared> = insts().filter_map(|it| self.compared(f, it)).collect();
        let merges: Vec<Inst> = match all.is_empty() {
            true => Vec::new(),
            false => insts().filter(|&it| !merged(f, it).is_empty()).collect(),
        };
        for merge in merges {
            let home = f.block_of(merge).expect("it is in the loop");
            if home == self.header && f[merge].op == Op::Phi {
                continue;
            }
            let chosen = usize::from(f[merge].op == Op::Select);
            for i in chosen..f[merge].args.len() {
                let same = |it: &&Compared| {
                    it.constant == f[merge].args[i]
                        && is_known(f, self.header, merge, i, &[it.equal])
                };
                if let Some(same) = all.iter().find(same) {
                    f[merge].args[i] = same.phi;
                }
            }
        }
    }

    fn compared(&self, f: &Function, inst: Inst) -> Option<Compared> {
        let equal = match f[inst].op {
            Op::ICmp(IntPred::Eq) => true,
            Op::ICmp(IntPred::Ne) => false,
            _ => return None,
        };
        let &[phi, constant] = &f[inst].args[..] else { return None };
        let fits = self.is_header_phi(f, phi) && f.as_constant(constant).is_some();
        fits.then(|| Compared { phi, constant, equal: (f.result(inst), equal) })
    }
}
