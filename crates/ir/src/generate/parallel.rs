//! What only W threads have: `total` instructions, `mask`, operations across threads, one shared counter.

use super::body::Body;
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::{Access, InstData, Op};
use crate::ops::{BinOp, Horizontal, IntPred, Ordering, ReduceOp, RmwOp};
use crate::types::Type;

impl Body<'_> {
    pub(super) fn across_threads(&mut self) {
        if self.options.horizontal && self.rng.below(3) > 0 {
            return self.horizontal();
        }
        if !self.options.predicates {
            return self.int_binary();
        }
        if self.rng.one_in(4) {
            let inst = self.push(InstData::new(Op::Mask, Type::I1, &[]));
            let value = self.f.result(inst);
            // Passive threads get it too, so it must stay in its block.
            let predicated = std::mem::replace(&mut self.predicated, true);
            self.know(value, None);
            self.predicated = predicated;
            return;
        }
        // All threads execute it: nothing that may trap.
        self.total = true;
        let ty = self.palette.ints[self.rng.below(self.palette.ints.len())];
        let args = [self.pick_plain(ty, true), self.pick_plain(ty, true)];
        match self.rng.below(3) {
            0 => {
                let pred = IntPred::ALL[self.rng.below(10)];
                self.emit(Op::ICmp(pred), Type::I1, &args, Flags::NONE, false);
            }
            1 => {
                let condition = self.pick_plain(Type::I1, true);
                let args = [condition, args[0], args[1]];
                self.emit(Op::Select, ty, &args, Flags::NONE, false);
            }
            _ => {
                let op = [BinOp::Add, BinOp::Xor, BinOp::Mul][self.rng.below(3)];
                self.emit(Op::Binary(op), ty, &args, Flags::NONE, false);
            }
        }
        self.total = false;
    }

    fn horizontal(&mut self) {
        let ty = self.palette.number(self.rng);
        let int = [Type::I32, Type::I64, Type::I16][self.rng.below(3)];
        let flag = self.pick_safe(Type::I1);
        self.total = self.options.predicates && self.is_entry() && self.rng.one_in(4);
        let op = Horizontal::PLAIN[self.rng.below(11)];
        let (op, ty, args): (Horizontal, Type, Vec<Value>) = match op {
            _ if self.rng.one_in(2) => {
                let reduce = ReduceOp::ALL[self.rng.below(ReduceOp::ALL.len())];
                let float = matches!(
                    reduce,
                    ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax
                );
                let ty = match float {
                    true => self.palette.float(self.rng),
                    false => Some(self.palette.int(self.rng)),
                };
                let Some(ty) = ty else {
                    self.total = false;
                    return;
                };
                (Horizontal::Reduce(reduce), ty, vec![self.pick_plain(ty, true)])
            }
            Horizontal::Any | Horizontal::All => (op, Type::I1, vec![flag]),
            Horizontal::Ballot | Horizontal::Popcount => (op, int, vec![flag]),
            Horizontal::Lane | Horizontal::Lanes => (op, int, vec![]),
            Horizontal::Broadcast => (op, ty, vec![self.pick_plain(ty, true)]),
            Horizontal::Extract | Horizontal::Shuffle => {
                let lane = self.rng.below(4) as i128;
                let lane = if self.rng.one_in(2) {
                    self.int(Type::I32, lane)
                } else {
                    self.pick_plain(Type::I32, true)
                };
                (op, ty, vec![self.pick_plain(ty, true), lane])
            }
            Horizontal::Insert => {
                let lane = self.rng.below(4) as i128;
                let lane = self.int(Type::I32, lane);
                let (a, b) = (self.pick_plain(ty, true), self.pick_plain(ty, true));
                (op, ty, vec![a, lane, b])
            }
            _ => (op, ty, vec![self.pick_plain(ty, true), flag]),
        };
        let risky = matches!(op, Horizontal::Extract | Horizontal::Shuffle | Horizontal::Compact);
        self.emit(Op::Horizontal(op), ty, &args, Flags::NONE, risky);
        self.total = false;
    }

    /// One update of a counter that all threads share, executed once by each.
    pub(super) fn shared_atomic(&mut self) {
        let name = self.palette.counter();
        let place = self.global(&name, Type::I32, false);
        let mut access = Access::aligned(4);
        access.ordering = Ordering::Monotonic;
        let op = [RmwOp::Add, RmwOp::Xchg, RmwOp::Sub, RmwOp::Nand][self.rng.below(4)];
        let value = self.pick_safe(Type::I32);
        let args = [place, value];
        self.emit(Op::AtomicRmw(op, access), Type::I32, &args, Flags::NONE, false);
    }
}
