//! Places in random loops that are read again: `if (t[i] < t[best]) best = i;`.

use crate::edit;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::generate::Rng;
use lw_ir::inst::Access;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::symbols::SymbolKind;
use lw_ir::types::Type;
use lw_ir::{Block, Builder, Flags, Function, Global, Value};

/// How the table is called, and how many bytes it has.
const TABLE: &str = "loop.table";
const LENGTH: u32 = 16;

/// What is read: few different bytes, so that some are equally good.
pub(super) fn table(rng: &mut Rng) -> Global {
    let ty = Type::int(LENGTH * 8);
    let byte = |all: u128, _| all << 8 | [3, 120, 130, 250][rng.below(4)];
    Global {
        name: TABLE.into(),
        ty,
        address_space: 0,
        constant: true,
        align_log2: None,
        init: Some(Constant::int(ty, (0..LENGTH).fold(0, byte) as i128)),
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// When another place is taken.
    better: IntPred,
    /// Whether there is a branch around taking it.
    branches: bool,
    /// Whether something else must hold, too.
    sometimes: bool,
    /// Whether what is read is widened before it is compared.
    wider: bool,
    /// Whether it is only asked in some iterations.
    seldom: bool,
    /// Whether there may be no place yet; in some, what is taken may be taken for none.
    none: Option<bool>,
    /// Whether another place is taken than that of what was compared, so that there is nothing to remember.
    aside: bool,
}

impl Places {
    pub(super) fn random(rng: &mut Rng) -> Places {
        use IntPred::{Sge, Slt, Ugt, Ule};
        Places {
            better: [Slt, Ugt, Sge, Ule][rng.below(4)],
            branches: rng.one_in(2),
            sometimes: rng.one_in(3),
            wider: rng.one_in(3),
            seldom: rng.one_in(3),
            none: rng.one_in(2).then(|| rng.one_in(3)),
            aside: rng.one_in(5),
        }
    }

    /// Chooses between the place so far and the counter, in a block that goes on to another: the place from now on.
    pub(super) fn choose(
        self,
        out: &mut Function,
        at: Block,
        next: Block,
        [best, i]: [Value; 2],
    ) -> Value {
        if self.seldom || self.none.is_some() {
            return self.choose_among_some(out, at, next, [best, i]);
        }
        let (old, new) = (self.read(out, at, best), self.read(out, at, i));
        let mut b = Builder::new(out);
        b.switch_to(at);
        let mut better = b.icmp(self.better, new, old);
        let one = b.int(Type::I64, 1);
        if self.sometimes {
            let odd = b.cast(CastOp::Trunc, i, Type::I1);
            better = b.binary(BinOp::And, odd, better);
        }
        let taken = if self.aside { b.binary(BinOp::Xor, i, one) } else { i };
        if !self.branches {
            let place = b.select(better, taken, best);
            edit::jump(out, at, next);
            return place;
        }
        let (take, join) = (out.add_named_block("take"), out.add_named_block("taken"));
        edit::branch(out, at, better, [take, join]);
        edit::jump(out, take, join);
        let mut b = Builder::new(out);
        b.switch_to(join);
        let place = b.phi(Type::I64, &[(taken, take), (best, at)]);
        edit::jump(out, join, next);
        place
    }

    /// The same, where what is there is not read in each iteration.
    fn choose_among_some(
        self,
        out: &mut Function,
        at: Block,
        next: Block,
        [best, i]: [Value; 2],
    ) -> Value {
        let [ask, compare, take, join] =
            ["ask", "compare", "take", "taken"].map(|name| out.add_named_block(name));
        let mut kept = vec![(best, compare)];
        let mut b = Builder::new(out);
        b.switch_to(at);
        let one = b.int(Type::I64, 1);
        if self.seldom {
            let odd = b.cast(CastOp::Trunc, i, Type::I1);
            edit::branch(out, at, odd, [ask, join]);
            kept.push((best, at));
        } else {
            edit::jump(out, at, ask);
        }
        let mut b = Builder::new(out);
        b.switch_to(ask);
        let (bits, more) = (b.int(Type::I64, 255), b.int(Type::I64, 3));
        let place = b.binary(BinOp::And, i, bits);
        let place = match self.none {
            Some(false) => b.binary_with(BinOp::Add, Flags::NSW, place, more),
            _ => place,
        };
        if self.none.is_some() {
            let none = b.icmp(IntPred::Slt, best, more);
            edit::branch(out, ask, none, [take, compare]);
        } else {
            edit::jump(out, ask, compare);
        }
        let (old, new) = (self.read(out, compare, best), self.read(out, compare, place));
        let mut b = Builder::new(out);
        b.switch_to(compare);
        let better = b.icmp(self.better, new, old);
        edit::branch(out, compare, better, [take, join]);
        let mut b = Builder::new(out);
        b.switch_to(take);
        let taken = if self.aside { b.binary(BinOp::Xor, place, one) } else { place };
        edit::jump(out, take, join);
        let mut b = Builder::new(out);
        b.switch_to(join);
        kept.push((taken, take));
        let place = b.phi(Type::I64, &kept);
        edit::jump(out, join, next);
        place
    }

    fn read(self, out: &mut Function, at: Block, place: Value) -> Value {
        let byte = read(out, at, place);
        let mut b = Builder::new(out);
        b.switch_to(at);
        if self.wider { b.cast(CastOp::SExt, byte, Type::I32) } else { byte }
    }
}

/// Reads a byte of the table at the end of a block.
pub(super) fn read(out: &mut Function, at: Block, place: Value) -> Value {
    let variable = || SymbolKind::Variable { ty: Type::int(LENGTH * 8), constant: true };
    let symbol = out.symbols.intern(TABLE.into(), variable);
    let mut b = Builder::new(out);
    b.switch_to(at);
    let table = b.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) });
    let last = b.int(Type::I64, i128::from(LENGTH) - 1);
    let place = b.binary(BinOp::And, place, last);
    let address = b.gep(Type::I8, Flags::NONE, table, &[place]);
    b.load(Type::I8, address, Access::aligned(1))
}
