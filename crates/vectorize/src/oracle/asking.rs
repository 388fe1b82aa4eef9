//! Conditions of random loops that decide whether they are asked again.

use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::generate::Rng;
use lw_ir::ops::{BinOp, IntPred};
use lw_ir::types::Type;
use lw_ir::{Block, Builder, Function, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    /// The value that stays once it is found.
    stays: bool,
    /// Whether there is a branch around the question.
    branches: bool,
    /// Whether it is found out again all the same, so that nothing stays.
    again: bool,
    /// What is asked about.
    than: i128,
}

impl Asking {
    pub(super) fn random(rng: &mut Rng) -> Asking {
        Asking {
            stays: rng.one_in(2),
            branches: rng.one_in(2),
            again: rng.one_in(8),
            than: 1 + rng.below(3) as i128,
        }
    }

    /// What is known before the loop.
    pub(super) fn phi(self, b: &mut Builder<'_>, entry: Block) -> Value {
        let init = b.constant(Constant::bool(!self.stays));
        b.phi(Type::I1, &[(init, entry)])
    }

    /// Asks about an integer at the end of a block: the block it ends in now, and the answer.
    pub(super) fn ask(
        self,
        out: &mut Function,
        at: Block,
        known: Value,
        about: Value,
    ) -> (Block, Value) {
        let find = |b: &mut Builder<'_>| {
            let ty = b.function.ty(about);
            let (few, than) = (b.int(ty, 3), b.int(ty, self.than));
            let few = b.binary(BinOp::And, about, few);
            b.icmp(if self.stays { IntPred::Ult } else { IntPred::Uge }, few, than)
        };
        let mut b = Builder::new(out);
        b.switch_to(at);
        let stays = b.constant(Constant::bool(self.stays));
        let otherwise = if self.again { find(&mut b) } else { stays };
        if !self.branches {
            let found = find(&mut b);
            let (then, otherwise) =
                if self.stays { (otherwise, found) } else { (found, otherwise) };
            return (at, b.select(known, then, otherwise));
        }
        let (ask, asked) = (out.add_named_block("ask"), out.add_named_block("asked"));
        edit::branch(out, at, known, if self.stays { [asked, ask] } else { [ask, asked] });
        let mut b = Builder::new(out);
        b.switch_to(ask);
        let found = find(&mut b);
        b.switch_to(asked);
        let answer = b.phi(Type::I1, &[(otherwise, at), (found, ask)]);
        edit::jump(out, ask, asked);
        (asked, answer)
    }
}
