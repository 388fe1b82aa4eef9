//! Numbers that are widened, computed with, and cut again.
//!
//! ```text
//! %wide = sext i8 %s to i32                 %next = add i8 %s, %x
//! %more = sext i8 %x to i32         becomes
//! %sum = add nsw i32 %wide, %more
//! %next = trunc i32 %sum to i8
//! ```
//!
//! The lower bits of a sum, difference, product or bit operation are those of the lower bits. A sum, difference, product or quotient of
//! floats that is rounded twice is the one that is rounded once, if the wider format has more than twice as many digits. Truth values
//! (`_Bool`) are bytes in memory, and so are the φs that memory became: those become bits.

use crate::edit;
use crate::loops::shape::LoopShape;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{FloatKind, Scalar, Type};
use lw_ir::{Block, Flags, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// Operations are followed so deep.
const DEPTH: usize = 12;

impl LoopShape {
    /// Computes numbers in their own width.
    pub(super) fn compute_narrow(&self, f: &mut Function) {
        let headers: Vec<Block> = {
            let shape = edit::Shape::of(f);
            self.blocks.iter().copied().filter(|&b| shape.is_header(b)).collect()
        };
        let mut narrow = Narrow { f, shape: self, headers, made: FxHashMap::default() };
        narrow.truths();
        // What was found in one round may be what the next one needs.
        for _ in 0..3 {
            narrow.round();
        }
    }
}

pub(super) struct Narrow<'a> {
    pub(super) f: &'a mut Function,
    shape: &'a LoopShape,
    /// The headers of this loop and of those in it.
    headers: Vec<Block>,
    made: FxHashMap<(Value, Type), Value>,
}

impl Narrow<'_> {
    /// Values that are cut, and comparisons of widened ones.
    fn round(&mut self) {
        let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
        for &b in &self.shape.blocks {
            for inst in self.f.insts(b).to_vec() {
                let (op, ty) = (self.f[inst].op.clone(), self.f[inst].ty);
                let value = self.f[inst].args.first().copied();
                match (op, value) {
                    (Op::Cast(CastOp::Trunc), Some(value)) if self.has_part(value, ty, DEPTH) => {
                        replaced.insert(self.f.result(inst), self.cut(value, ty, DEPTH));
                    }
                    (Op::Cast(CastOp::FpTrunc), Some(value)) if self.rounds_once(value, ty) => {
                        replaced.insert(self.f.result(inst), self.cut(value, ty, DEPTH));
                    }
                    (Op::ICmp(IntPred::Ne), Some(value))
                        if self.is_zero(inst) && self.has_part(value, Type::I1, DEPTH) =>
                    {
                        if let Some(set) = self.is_set(value, DEPTH) {
                            replaced.insert(self.f.result(inst), set);
                        }
                    }
                    (Op::ICmp(_) | Op::FCmp(_), _) => self.compare_narrow(inst),
                    _ => {}
                }
            }
        }
        edit::replace_all(self.f, &replaced);
        self.made.clear();
    }

    pub(super) fn op(&self, value: Value) -> Option<&Op> {
        self.f.def_inst(value).map(|inst| &self.f[inst].op)
    }

    pub(super) fn args(&self, value: Value) -> &[Value] {
        self.f.def_inst(value).map_or(&[], |inst| &self.f[inst].args)
    }

    /// What a value is widened from, and how.
    fn widened(&self, value: Value) -> Option<(CastOp, Value)> {
        match self.op(value)? {
            &Op::Cast(op @ (CastOp::SExt | CastOp::ZExt | CastOp::FpExt)) => {
                Some((op, self.args(value)[0]))
            }
            _ => None,
        }
    }

    /// What is merged by a φ that is no header's, or by a `select`.
    fn merged(&self, value: Value) -> Option<Vec<Value>> {
        let inst = self.f.def_inst(value).filter(|_| self.shape.defines(self.f, value))?;
        let home = self.f.block_of(inst)?;
        match self.f[inst].op {
            Op::Phi if !self.headers.contains(&home) => Some(self.f[inst].args.to_vec()),
            Op::Select => Some(self.f[inst].args[1..].to_vec()),
            _ => None,
        }
    }

    /// The operands of an operation whose lower bits are those of the lower bits of its operands.
    fn combined(&self, value: Value) -> Option<[Value; 2]> {
        let &[a, b] = self.args(value) else { return None };
        let fits = match self.op(value)? {
            Op::Binary(op) => matches!(
                op,
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor
            ),
            _ => false,
        };
        (fits && self.shape.defines(self.f, value)).then_some([a, b])
    }

    /// Whether something of this type was widened to compute an integer.
    fn has_part(&self, value: Value, ty: Type, depth: usize) -> bool {
        let part = |&v: &Value| depth > 0 && self.has_part(v, ty, depth - 1);
        match self.widened(value) {
            Some((_, from)) => self.f.ty(from) == ty,
            None => {
                self.combined(value).is_some_and(|both| both.iter().any(part))
                    || self.merged(value).is_some_and(|all| all.iter().any(part))
            }
        }
    }

    /// Whether a float is one operation on numbers of a narrower type, so that it need not be rounded twice.
    fn rounds_once(&self, value: Value, ty: Type) -> bool {
        let digits = |ty: Type| match ty.float_kind()? {
            FloatKind::Half => Some(11),
            FloatKind::BFloat => Some(8),
            FloatKind::Float => Some(24),
            FloatKind::Double => Some(53),
            _ => None,
        };
        let enough = digits(self.f.ty(value))
            .zip(digits(ty))
            .is_some_and(|(wide, narrow)| wide >= 2 * narrow + 2);
        enough && self.is_computed(value, ty, DEPTH)
    }

    fn is_computed(&self, value: Value, ty: Type, depth: usize) -> bool {
        if depth == 0 {
            return false;
        }
        if let Some(all) = self.merged(value) {
            return all.iter().all(|&v| self.is_computed(v, ty, depth - 1));
        }
        let fits = match self.op(value) {
            Some(Op::Binary(op)) => {
                matches!(op, BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv)
            }
            _ => false,
        };
        match fits && self.shape.defines(self.f, value) {
            true => self.args(value).iter().all(|&v| self.is_exact(v, ty, depth - 1)),
            false => self.is_exact(value, ty, depth),
        }
    }

    /// Whether a float is a number of a narrower type.
    fn is_exact(&self, value: Value, ty: Type, depth: usize) -> bool {
        if let Some((_, from)) = self.widened(value) {
            return self.f.ty(from) == ty;
        }
        if let Some(all) = self.merged(value) {
            return depth > 0 && all.iter().all(|&v| self.is_exact(v, ty, depth - 1));
        }
        self.f.as_constant(value).is_some_and(is_small)
    }

    /// Whether an integer is zero or one; if `with` is.
    fn is_truth(&self, value: Value, with: Option<Value>, depth: usize) -> bool {
        if Some(value) == with {
            return true;
        }
        if let Some(constant) = self.f.as_constant(value) {
            return matches!(constant.as_i128(), Some(0 | 1));
        }
        if let Some((op, from)) = self.widened(value) {
            return op == CastOp::ZExt && self.f.ty(from) == Type::I1;
        }
        let truth = |&v: &Value| depth > 0 && self.is_truth(v, with, depth - 1);
        if let Some(all) = self.merged(value) {
            return all.iter().all(truth);
        }
        let Some(both) = self.combined(value) else { return false };
        match self.op(value) {
            Some(Op::Binary(BinOp::And)) => both.iter().any(truth),
            Some(Op::Binary(BinOp::Or | BinOp::Xor)) => both.iter().all(truth),
            _ => false,
        }
    }

    /// Whether a number is not zero, by those that it is put together from: the truth values among them and the others.
    fn is_set(&mut self, value: Value, depth: usize) -> Option<Value> {
        if self.is_truth(value, None, depth) {
            return Some(self.cut(value, Type::I1, depth));
        }
        let inst =
            self.f.def_inst(value).filter(|_| self.shape.defines(self.f, value) && depth > 0)?;
        if self.f[inst].op != Op::Binary(BinOp::Or) {
            return None;
        }
        let mut both = Vec::new();
        for part in self.f[inst].args.clone() {
            let set = self.is_set(part, depth - 1).unwrap_or_else(|| {
                let zero = self.f.constant(Constant::zero(self.f.ty(part)));
                let compare = InstData::new(Op::ICmp(IntPred::Ne), Type::I1, &[part, zero]);
                let compare = self.f.insert(InsertAt::Before(inst), compare);
                self.f.result(compare)
            });
            both.push(set);
        }
        let any = InstData::new(Op::Binary(BinOp::Or), Type::I1, &both).made_from(&self.f[inst]);
        let any = self.f.insert(InsertAt::After(inst), any);
        Some(self.f.result(any))
    }

    fn is_zero(&self, compare: Inst) -> bool {
        let with = self.f.as_constant(self.f[compare].args[1]);
        with.and_then(Constant::as_i128) == Some(0)
    }

    /// Makes bits of header φs that are zero or one.
    fn truths(&mut self) {
        for phi in self.f.phis(self.shape.header).collect::<Vec<_>>() {
            let (value, ty) = (self.f.result(phi), self.f[phi].ty);
            let all = self.f[phi].args.to_vec();
            let truths = |&v: &Value| self.is_truth(v, Some(value), DEPTH);
            if ty.int_bits().is_none_or(|bits| bits < 2) || !all.iter().all(truths) {
                continue;
            }
            let data = InstData::new(Op::Phi, Type::I1, &all);
            let data = data.with_targets(&self.f[phi].targets).made_from(&self.f[phi]);
            let bit = self.f.insert(InsertAt::Start(self.shape.header), data);
            let bit_value = self.f.result(bit);
            self.made.insert((value, Type::I1), bit_value);
            for (at, &arg) in all.iter().enumerate() {
                let cut = self.cut(arg, Type::I1, DEPTH);
                self.f[bit].args[at] = cut;
            }
            let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
            replaced.insert(value, self.widen(bit_value, ty, self.shape.header));
            // Those behind the loop widen what it leaves.
            let mut gone = Vec::new();
            for (passed, left) in self.shape.live_outs(self.f) {
                if self.f.ty(left) == ty && self.is_truth(left, Some(value), DEPTH) {
                    gone.push(passed);
                    let left = self.cut(left, Type::I1, DEPTH);
                    let data = InstData::new(Op::Phi, Type::I1, &[left]);
                    let data = data.with_targets(&self.f[passed].targets);
                    let bit = self.f.insert(InsertAt::Start(self.shape.exit), data);
                    let wide = self.widen(self.f.result(bit), ty, self.shape.exit);
                    replaced.insert(self.f.result(passed), wide);
                }
            }
            self.f.erase_all(self.shape.exit, &gone);
            edit::replace_all(self.f, &replaced);
            self.made.clear();
        }
    }

    fn widen(&mut self, bit: Value, ty: Type, at: Block) -> Value {
        let wide = InstData::new(Op::Cast(CastOp::ZExt), ty, &[bit]);
        let wide = self.f.insert(InsertAt::Start(at), wide);
        self.f.result(wide)
    }

    /// A value in a narrower type: what is computed from others is computed again.
    fn cut(&mut self, value: Value, ty: Type, depth: usize) -> Value {
        if let Some(&made) = self.made.get(&(value, ty)) {
            return made;
        }
        let cut = self.cut_anew(value, ty, depth);
        self.made.insert((value, ty), cut);
        cut
    }

    fn cut_anew(&mut self, value: Value, ty: Type, depth: usize) -> Value {
        if let Some(number) = self.f.as_constant(value).and_then(Constant::as_i128) {
            return self.f.constant(Constant::int(ty, number));
        }
        let deeper = depth.saturating_sub(1);
        let Some(inst) = self.f.def_inst(value).filter(|_| depth > 0) else {
            return self.cut_as_it_is(value, ty);
        };
        if let Some((op, from)) = self.widened(value) {
            let bits = |ty: Type| ty.scalar().map_or(0, scalar_bits);
            return match bits(self.f.ty(from)).cmp(&bits(ty)) {
                std::cmp::Ordering::Equal if self.f.ty(from) == ty => from,
                std::cmp::Ordering::Less if ty.float_kind().is_none() => {
                    let cast = InstData::new(Op::Cast(op), ty, &[from]).made_from(&self.f[inst]);
                    let cast = self.f.insert(after(self.f, inst), cast);
                    self.f.result(cast)
                }
                _ => self.cut_as_it_is(value, ty),
            };
        }
        let float = ty.float_kind().is_some();
        let merges = self.merged(value).is_some();
        if !merges && !float && self.combined(value).is_none() {
            return self.cut_as_it_is(value, ty);
        }
        if !merges && float && !matches!(self.f[inst].op, Op::Binary(_)) {
            return self.cut_as_it_is(value, ty);
        }
        let mut args = self.f[inst].args.to_vec();
        let first = usize::from(self.f[inst].op == Op::Select);
        for arg in &mut args[first..] {
            *arg = self.cut(*arg, ty, deeper);
        }
        // A float is the number that it was; what was promised of wider integers need not hold of narrower ones.
        let flags = if float { self.f[inst].flags } else { Flags::NONE };
        let data = &self.f[inst];
        let new = InstData::new(data.op.clone(), ty, &args).with_flags(flags);
        let new = new.with_targets(&data.targets).made_from(data);
        let at = after(self.f, inst);
        let new = self.f.insert(at, new);
        self.f.result(new)
    }

    pub(super) fn cut_as_it_is(&mut self, value: Value, ty: Type) -> Value {
        let op = if ty.float_kind().is_some() { CastOp::FpTrunc } else { CastOp::Trunc };
        let at = match self.f.def_inst(value) {
            Some(inst) => after(self.f, inst),
            None => {
                let end = self.f.terminator(self.shape.preheader).expect("it goes to the loop");
                InsertAt::Before(end)
            }
        };
        let cut = self.f.insert(at, InstData::new(Op::Cast(op), ty, &[value]));
        self.f.result(cut)
    }

    /// Compares numbers that were widened alike, or one with a constant, as they were.
    fn compare_narrow(&mut self, inst: Inst) {
        let &[a, b] = &self.f[inst].args[..] else { return };
        let Some((op, from)) = self.widened(a).or_else(|| self.widened(b)) else { return };
        let ty = self.f.ty(from);
        let fits = |v: Value| match self.widened(v) {
            Some(it) => it.0 == op && self.f.ty(it.1) == ty,
            None => match (self.f.as_constant(v), ty.int_bits()) {
                (Some(constant), Some(bits)) if bits < 127 => {
                    let number = constant.as_i128();
                    let low = if op == CastOp::SExt { -(1 << (bits - 1)) } else { 0 };
                    number.is_some_and(|number| (low..low + (1 << bits)).contains(&number))
                }
                (Some(constant), None) => is_small(constant),
                _ => self.is_low_part(v, op, ty),
            },
        };
        if !fits(a) || !fits(b) {
            return;
        }
        let narrow = match self.f[inst].op {
            Op::ICmp(IntPred::Ne) if ty == Type::I1 => Op::Binary(BinOp::Xor),
            Op::ICmp(pred) if op == CastOp::ZExt => Op::ICmp(unsigned(pred)),
            ref other => other.clone(),
        };
        let args = [a, b].map(|v| match self.is_low_part(v, op, ty) {
            true => self.low_part(v, ty),
            false => self.cut(v, ty, 1),
        });
        let data = &mut self.f[inst];
        data.op = narrow;
        data.args = args.into_iter().collect();
        if !matches!(data.op, Op::FCmp(_)) {
            data.flags = Flags::NONE;
        }
    }
}

/// Behind an instruction, and behind the φs if it is one.
fn after(f: &Function, inst: Inst) -> InsertAt {
    match (&f[inst].op, f.block_of(inst)) {
        (Op::Phi, Some(home)) => InsertAt::Start(home),
        _ => InsertAt::After(inst),
    }
}

fn scalar_bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Int(bits) => bits,
        Scalar::Float(kind) => kind.bits(),
        Scalar::Ptr(_) => 0,
    }
}

/// Whether a float has few digits: a half or a whole number of at most six bits is one of each format.
fn is_small(constant: &Constant) -> bool {
    let (ConstantKind::Float(bits), Some(kind)) = (&constant.kind, constant.ty.float_kind()) else {
        return false;
    };
    let number = match (kind, bits.to_u128()) {
        (FloatKind::Float, Some(bits)) => f64::from(f32::from_bits(bits as u32)),
        (FloatKind::Double, Some(bits)) => f64::from_bits(bits as u64),
        _ => return false,
    };
    number.abs() <= 32.0 && (2.0 * number).fract() == 0.0
}

/// How numbers are compared whose sign bits are clear.
fn unsigned(pred: IntPred) -> IntPred {
    match pred {
        IntPred::Slt => IntPred::Ult,
        IntPred::Sle => IntPred::Ule,
        IntPred::Sgt => IntPred::Ugt,
        IntPred::Sge => IntPred::Uge,
        other => other,
    }
}
