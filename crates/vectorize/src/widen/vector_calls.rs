//! One call for all lanes: of libmvec, of a variant that was declared, or of a function that is vectorized for it.

use super::Widener;
use super::rep::Rep;
use super::types;
use crate::abi::lanes::Lanes;
use crate::abi::plan::{Arrives, Plan};
use crate::abi::registers::{MaskForm, Passing, Pieces};
use crate::abi::{Isa, ParamKind, Step, VariantName};
use crate::calls::{self, Math, math, results};
use crate::target;
use crate::terminates;
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::bits::Bits;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::entities::AttrList;
use lw_ir::inst::{AllocaInfo, CallInfo};
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::symbols::SymbolKind;
use lw_ir::types::{Scalar, Signature, Type};
use lw_ir::{Builder, Flags, InsertAt, Inst, InstData, Op, Value};

/// Larger strides are passed as vectors, so that recursion ends.
const LARGEST_STRIDE: i64 = 256;

/// Parameters with these attributes are passed in ways of their own.
const OTHER_WAYS: [&str; 8] =
    ["byval", "inalloca", "preallocated", "swiftself", "swifterror", "swiftasync", "nest", "byref"];

impl Widener<'_> {
    /// A call of a vector function in place of a call, if there is one. `Some(None)`: it has no result.
    pub(super) fn call_together(&mut self, inst: Inst, reps: &[Rep]) -> Option<Option<Rep>> {
        if let Some(rep) = self.call_math(inst, reps) {
            return Some(Some(rep));
        }
        if let Some(wanted) = self.wanted(inst, reps) {
            return Some(self.call_wanted(inst, reps, &wanted));
        }
        let variant = self.declared(inst, reps)?;
        Some(self.call_variant(inst, reps, &variant))
    }

    /// The registers that may be used.
    fn isa(&self) -> Option<Isa> {
        self.region.calls.isa.or_else(|| target::isa_of(self.src))
    }

    /// The vector function that is wanted for a call, if the body of what is called is at hand.
    fn wanted(&self, inst: Inst, reps: &[Rep]) -> Option<VariantName> {
        let data = &self.src[inst];
        let Op::Call(info) = &data.op else { return None };
        let name = crate::callee::name(self.src, inst)?;
        let other = |attr: &Attr| attr.name().is_some_and(|name| OTHER_WAYS.contains(&name));
        let mut params = self.src.call_promises(inst).flat_map(|promise| promise.params.iter());
        let odd = params.any(|(_, list)| list.iter().any(other));
        let symbol = self.src.as_symbol(data.args[0]).map(|s| &self.src.symbols.get(s).kind);
        let Some(SymbolKind::Function { ty, attrs }) = symbol else { return None };
        // More arguments than parameters have no place in a vector function.
        let variadic = self.src.types.signature(*ty).is_none_or(|signature| signature.varargs);
        if !self.region.calls.bodies.contains(name)
            || odd
            || variadic
            || *ty != info.ty
            || !target::includes(&self.src.attrs, attrs)
        {
            return None;
        }
        let kind = |(rep, &arg): (&Rep, &Value)| {
            let narrow = self.src.ty(arg).int_bits().is_some_and(|bits| bits < 64);
            match *rep {
                Rep::Uniform(_) => ParamKind::Uniform,
                Rep::Strided(_, stride)
                    if stride.abs() <= LARGEST_STRIDE
                        && (!narrow || self.kinds.exact_stride(arg).is_some()) =>
                {
                    ParamKind::Linear(Step::Constant(stride))
                }
                _ => ParamKind::Vector,
            }
        };
        let params = reps.iter().zip(&data.args[1..]).map(kind).map(|kind| (kind, None));
        Some(VariantName {
            isa: self.isa().unwrap_or(Isa::Sse),
            masked: self.mask.is_some(),
            lanes: Some(self.region.width),
            params: params.collect(),
            base: name.into(),
        })
    }

    /// Calls a function that is yet to be made. Where lanes may be off it is only called if one is active: else recursion would
    /// not end.
    fn call_wanted(&mut self, inst: Inst, reps: &[Rep], wanted: &VariantName) -> Option<Rep> {
        let data = self.src[inst].clone();
        let mut args = Vec::new();
        for ((rep, &arg), &(kind, _)) in reps.iter().zip(&data.args[1..]).zip(&wanted.params) {
            args.push(match (rep, kind) {
                (Rep::Uniform(value) | Rep::Strided(value, _), ParamKind::Uniform) => *value,
                (Rep::Strided(value, _), ParamKind::Linear(_)) => *value,
                _ => self.packed(rep, self.src.ty(arg)),
            });
        }
        args.extend(self.mask);
        let ret = types::widened(&mut self.out, data.ty, self.region.width);
        let passed = results::passed(&mut self.out, ret);
        // Both sides have the same registers for what is passed.
        let types = args.iter().map(|&arg| self.out.ty(arg)).chain([passed]);
        let widest = types.map(|ty| target::widest(&self.out.types, ty)).max().unwrap_or(0);
        target::allow_vectors(&mut self.out.attrs, widest);
        self.counts.together += 1;
        let symbol = self.src.as_symbol(data.args[0]).map(|s| &self.src.symbols.get(s).kind);
        let name = match symbol {
            Some(SymbolKind::Function { attrs, .. })
                if !target::same_target(&self.src.attrs, attrs) =>
            {
                calls::name_for(wanted, target::tag(&self.src.attrs))
            }
            _ => calls::name_of(wanted),
        };
        let value = self.if_any(passed, |this| {
            let attrs = this.out.attr_lists.empty();
            this.call_symbol(&name, passed, &args, (0, attrs), data.flags)
        })?;
        let width = self.region.width;
        let value = self.with_lanes(width, |at| results::converted(&mut at.b, value, ret));
        Some(self.unpacked(value, data.ty))
    }

    /// Does something if a lane is active.
    pub(super) fn if_any(
        &mut self,
        ty: Type,
        work: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        if self.mask.is_none() {
            return work(self);
        }
        let any = self.any_active();
        let (before, active, next) = (self.block, self.out.add_block(), self.out.add_block());
        let branch = InstData::new(Op::CondBr, Type::Void, &[any]);
        self.push(branch.with_targets(&[active, next]));
        self.block = active;
        let value = work(self);
        let active = self.block;
        self.push(InstData::new(Op::Br, Type::Void, &[]).with_targets(&[next]));
        self.block = next;
        let value = value?;
        let poison = self.poison(ty);
        let phi = InstData::new(Op::Phi, ty, &[poison, value]).with_targets(&[before, active]);
        self.push(phi)
    }

    fn call_symbol(
        &mut self,
        name: &str,
        ret: Type,
        args: &[Value],
        (convention, attrs): (u32, AttrList),
        flags: Flags,
    ) -> Option<Value> {
        let (_, ty, callee) = self.declare(name, &[], ret, args);
        let mut all = vec![callee];
        all.extend(args);
        let floats = matches!(ret, Type::Vector(Scalar::Float(_), _));
        let flags = if floats { flags } else { Flags::NONE };
        let attrs = self.with_end(attrs);
        let info = CallInfo { convention, ..CallInfo::new(ty, attrs) };
        let call = InstData::new(Op::Call(Box::new(info)), ret, &all);
        self.push(call.with_flags(flags))
    }

    /// Ends the program where the call that is widened does.
    fn with_end(&mut self, attrs: AttrList) -> AttrList {
        let from = self.from.and_then(|from| terminates::attr_of(self.src, from));
        let Some(attr) = from.cloned() else { return attrs };
        let mut list = self.out.call_attrs(attrs).clone();
        list.function.push(attr);
        self.out.attr_lists.intern(list)
    }

    /// The declared variant that fits a call best.
    fn declared(&self, inst: Inst, reps: &[Rep]) -> Option<Declared> {
        let isa = self.isa()?;
        let data = &self.src[inst];
        let Op::Call(info) = &data.op else { return None };
        let name = crate::callee::name(self.src, inst)?;
        let signature = self.src.types.signature(info.ty)?;
        let mut best: Option<(_, Declared)> = None;
        let none = AttrListData::default();
        let mut all: Vec<Declared> =
            self.src.call_promises(inst).flat_map(declared_variants).collect();
        let named: Vec<VariantName> = all.iter().map(|variant| variant.name.clone()).collect();
        for variant in all.iter_mut().filter(|variant| variant.symbol == variant.name.to_string()) {
            variant.name = variant.name.to_call(&named, signature, &self.region.layout);
            variant.symbol = variant.name.to_string();
        }
        for variant in all {
            let Some(lanes) = variant.name.lanes else { continue };
            let masked = self.mask.is_some();
            let redirected = variant.symbol != variant.name.to_string();
            if !self.region.width.is_multiple_of(lanes)
                || masked && !variant.name.masked
                || !calls::may_call(isa, variant.name.isa)
                || variant.name.base != name && !redirected
            {
                continue;
            }
            let args = || reps.iter().zip(&data.args[1..]);
            let fits = |((rep, &arg), &(kind, _)): ((&Rep, _), &(_, Option<u64>))| match rep {
                _ if ParamKind::is_vector(kind) => Some(0),
                Rep::Uniform(_) if kind == ParamKind::Uniform => Some(1),
                _ => match (kind.step()?, rep) {
                    (Step::Constant(step), Rep::Strided(_, have)) => (step == *have).then_some(1),
                    (Step::Constant(_), _) => None,
                    (Step::Param(at), rep) => {
                        let step = *data.args.get(1 + at as usize)?;
                        self.grows_by(arg, rep, step).then_some(1)
                    }
                },
            };
            let known: Option<Vec<usize>> = args().zip(&variant.name.params).map(fits).collect();
            let plan = Plan::new(signature, &none, &variant.name, lanes, &self.region.layout);
            let (Some(known), Ok(_)) = (known, plan) else { continue };
            // What knows more of its parameters, has no mask in vain, more lanes, and better instructions.
            let score = (
                known.iter().sum::<usize>(),
                variant.name.masked == masked,
                lanes,
                calls::may_call(variant.name.isa, Isa::Avx2),
                calls::may_call(variant.name.isa, Isa::Avx),
            );
            if best.as_ref().is_none_or(|(other, _)| *other < score) {
                best = Some((score, variant));
            }
        }
        best.map(|(_, variant)| variant)
    }

    fn call_variant(&mut self, inst: Inst, reps: &[Rep], variant: &Declared) -> Option<Rep> {
        let data = self.src[inst].clone();
        let Op::Call(info) = &data.op else { unreachable!("it is a call") };
        let signature = self.src.types.signature(info.ty).cloned().expect("a call has a type");
        let args: Vec<Passed> = reps
            .iter()
            .zip(&data.args[1..])
            .zip(&variant.name.params)
            .map(|((rep, &arg), &(kind, _))| match (rep, kind) {
                (Rep::Uniform(value), ParamKind::Uniform) => Passed::Scalar(*value, 0),
                (Rep::Strided(value, stride), kind) if kind.step().is_some() => {
                    Passed::Scalar(*value, *stride)
                }
                (&Rep::Lanes(value), ParamKind::Linear(Step::Param(at))) => {
                    let Rep::Uniform(step) = reps[at as usize] else {
                        unreachable!("it was planned before")
                    };
                    Passed::Steps(self.first_of(value, step), step)
                }
                _ => Passed::Lanes(self.packed(rep, self.src.ty(arg))),
            })
            .collect();
        let attrs = self.out.attr_lists.empty();
        self.counts.together += 1;
        let result = self.call_pieces(variant, &signature, &args, attrs, data.flags);
        result.map(Rep::Lanes)
    }

    /// Calls of libmvec or SLEEF, if they are allowed and there is such a function. Lanes that are off get an argument that does no harm.
    fn call_math(&mut self, inst: Inst, reps: &[Rep]) -> Option<Rep> {
        let known = math::known(self.src, inst)?;
        let uniform = reps.iter().all(|rep| matches!(rep, Rep::Uniform(_)));
        if uniform || !math::is_allowed(self.src, inst, self.region.calls.math) {
            return None;
        }
        if math::sets_errno(self.src, inst) {
            self.counts.errno += 1;
            return None;
        }
        let best = self.isa()?;
        let lanes = |isa: Isa| known.lanes(isa).unwrap_or(u32::MAX);
        // The largest registers that are full; the smallest if none is.
        let all = [Isa::Avx512, Isa::Avx2, Isa::Avx, Isa::Sse, Isa::Neon];
        let mut usable = all.into_iter().filter(|&isa| calls::may_call(best, isa));
        let least = usable.clone().next_back()?;
        let isa = usable.find(|&isa| lanes(isa) <= self.region.width).unwrap_or(least);
        let data = self.src[inst].clone();
        let name = VariantName {
            isa,
            masked: false,
            lanes: known.lanes(isa),
            params: vec![(ParamKind::Vector, None); known.arguments],
            base: known.symbol(),
        };
        let symbol = match self.region.calls.math {
            Math::Sleef => known.sleef(isa)?,
            _ => name.to_string(),
        };
        let variant = Declared { symbol, name };
        let signature = Signature {
            ret: data.ty,
            params: vec![data.ty; known.arguments].into(),
            varargs: false,
        };
        let mut args = Vec::new();
        for rep in reps {
            let mut lanes = self.lanes(rep);
            if let Some(mask) = self.mask {
                let bits = data.ty.float_kind().map_or(32, |kind| kind.bits());
                let kind = ConstantKind::Float(Bits::new(bits, known.harmless()));
                let harmless = self.out.constant(Constant { ty: data.ty, kind });
                let harmless = self.splat(harmless);
                lanes = self.op(Op::Select, self.vector(data.ty), &[mask, lanes, harmless]);
            }
            args.push(Passed::Lanes(lanes));
        }
        let pure = [Attr::Flag("nounwind".into()), Attr::Flag("willreturn".into())];
        let mut function = pure.to_vec();
        function.push(Attr::Int("memory".into(), 0));
        let attrs = AttrListData { function, ..AttrListData::default() };
        let attrs = self.out.attr_lists.intern(attrs);
        self.counts.together += 1;
        self.call_pieces(&variant, &signature, &args, attrs, data.flags).map(Rep::Lanes)
    }

    /// Builds registers of vectors and vectors of registers.
    pub(super) fn with_lanes<R>(
        &mut self,
        width: u32,
        build: impl FnOnce(&mut Lanes<'_>) -> R,
    ) -> R {
        let before = self.out.insts(self.block).len();
        let mut builder = Builder::new(&mut self.out);
        builder.switch_to(self.block);
        let result = build(&mut Lanes { b: builder, width });
        if let Some(from) = self.from {
            let new: Vec<Inst> = self.out.insts(self.block)[before..].to_vec();
            for inst in new {
                self.out[inst] = self.out[inst].clone().made_from(&self.src[from]);
            }
        }
        result
    }

    /// Calls a variant for as many lanes as it has, one group of lanes after the other; what is missing in the last group are copies of
    /// lane 0. The result of all lanes.
    fn call_pieces(
        &mut self,
        variant: &Declared,
        scalar: &Signature,
        args: &[Passed],
        attrs: AttrList,
        flags: Flags,
    ) -> Option<Value> {
        let layout = self.region.layout.clone();
        let none = AttrListData::default();
        let lanes = variant.name.lanes.expect("only such variants are called");
        let plan = Plan::new(scalar, &none, &variant.name, lanes, &layout);
        let plan = plan.expect("it was planned before");
        target::allow_vectors(&mut self.out.attrs, plan.widest(&layout));
        let signature = plan.signature(scalar, &mut self.out.types);
        let attrs = self.with_result_attr(attrs, &plan);
        let attrs = self.with_extensions(attrs, &plan, args);
        let width = self.region.width;
        let memory = plan.in_memory().map(|pieces| self.room(pieces));
        let mask = plan.mask.map(|form| (form, self.whole_mask()));
        let mut whole: Option<Value> = None;
        for first in (0..width).step_by(lanes as usize) {
            let group: Vec<u32> =
                (first..first + lanes).map(|lane| if lane < width { lane } else { 0 }).collect();
            let mut passed: Vec<Value> = memory.into_iter().collect();
            for (arg, &arrives) in args.iter().zip(&plan.params) {
                match (arg, arrives) {
                    (&Passed::Lanes(value), Arrives::Lanes(pieces)) => {
                        let part = self.with_lanes(lanes, |at| {
                            let part = group_of(at, value, &group, width);
                            at.cut(part, pieces)
                        });
                        passed.extend(self.pass(part, pieces, plan.passing(pieces)));
                    }
                    (&Passed::Scalar(value, stride), _) => {
                        passed.push(self.moved(value, i64::from(first) * stride));
                    }
                    (&Passed::Steps(value, step), _) => {
                        let count = self.int(Type::I64, first.into());
                        passed.push(match first {
                            0 => value,
                            _ => self.stepped(value, step, count, BinOp::Add),
                        });
                    }
                    _ => unreachable!("arguments are passed as planned"),
                }
            }
            if let Some((form, mask)) = mask {
                let part = self.with_lanes(lanes, |at| group_of(at, mask, &group, width));
                passed.extend(self.mask_as(part, form, &plan));
            }
            let way = (variant.name.isa.convention(), attrs);
            let result = self.call_symbol(&variant.symbol, signature.ret, &passed, way, flags);
            let Some(pieces) = plan.result else { continue };
            let ty = Type::vector(scalar.ret.scalar().expect("it is a number"), lanes);
            let returned = result.or(memory).expect("a result is somewhere");
            let part = self.with_lanes(lanes, |at| {
                let parts = at.received(pieces, plan.returning(pieces), &layout, || returned);
                let part = at.join(&parts, pieces);
                at.as_type(part, ty)
            });
            let count = (width - first).min(lanes);
            whole = Some(self.with_lanes(lanes, |at| put(at, whole, part, first, count, width)));
        }
        whole
    }

    /// Says of the first parameter that the result is returned through it, where the ABI wants to know.
    fn with_result_attr(&mut self, attrs: AttrList, plan: &Plan<'_>) -> AttrList {
        let Some(attr) = plan.result_attr(&mut self.out.types) else { return attrs };
        let mut list = self.out.call_attrs(attrs).clone();
        list.params.push((0, vec![attr]));
        self.out.attr_lists.intern(list)
    }

    /// Narrow integers that are passed as they are, the callee expects to be widened as in the scalar call.
    fn with_extensions(&mut self, attrs: AttrList, plan: &Plan<'_>, args: &[Passed]) -> AttrList {
        let call = self.from.map(|from| &self.src[from].op);
        let Some(Op::Call(info)) = call else { return attrs };
        let given = self.src.call_attrs(info.attrs);
        let extends = |attr: &&Attr| matches!(attr.name(), Some("signext" | "zeroext"));
        let mut at = u32::from(plan.in_memory().is_some());
        let mut list = self.out.call_attrs(attrs).clone();
        for (i, (arg, &arrives)) in args.iter().zip(&plan.params).enumerate() {
            at += match (arg, arrives) {
                (_, Arrives::Lanes(pieces)) => match plan.passing(pieces) {
                    Passing::Each => pieces.count,
                    Passing::Array | Passing::Memory => 1,
                },
                _ => {
                    let kept: Vec<Attr> = given.param(i).iter().filter(extends).cloned().collect();
                    if !kept.is_empty() {
                        list.params.push((at, kept));
                    }
                    1
                }
            };
        }
        self.out.attr_lists.intern(list)
    }

    /// What is passed for the pieces of an argument.
    fn pass(&mut self, parts: Vec<Value>, pieces: Pieces, passing: Passing) -> Vec<Value> {
        let room = (passing == Passing::Memory).then(|| self.room(pieces));
        let layout = self.region.layout.clone();
        self.with_lanes(pieces.lanes, |at| {
            at.passed(parts, pieces, passing, &layout, || room.expect("made for it"))
        })
    }

    /// A mask as a variant takes it.
    fn mask_as(&mut self, mask: Value, form: MaskForm, plan: &Plan<'_>) -> Vec<Value> {
        match form {
            MaskForm::Bits(ty) => self.with_lanes(plan.lanes, |at| {
                let bits = at.b.cast(CastOp::BitCast, mask, Type::int(at.width));
                let fits = ty.int_bits() == Some(at.width);
                vec![if fits { bits } else { at.b.cast(CastOp::ZExt, bits, ty) }]
            }),
            MaskForm::Vectors(pieces) => {
                let parts = self.with_lanes(plan.lanes, |at| {
                    let ty = Type::vector(pieces.element, at.width);
                    let lanes = at.b.cast(CastOp::SExt, mask, ty);
                    at.cut(lanes, pieces)
                });
                self.pass(parts, pieces, plan.passing(pieces))
            }
            MaskForm::Predicate(_) => unreachable!("scalable variants are not called"),
        }
    }

    /// Stack memory for the pieces of a value.
    fn room(&mut self, pieces: Pieces) -> Value {
        let bytes = u64::from(pieces.count) * pieces.bytes(&self.region.layout);
        let entry = self.out.entry().expect("there is an entry");
        let info = AllocaInfo { ty: Type::I8, align_log2: 6, inalloca: false, swifterror: false };
        let count = self.int(Type::I64, bytes.into());
        let data = InstData::new(Op::Alloca(Box::new(info)), Type::PTR, &[count]);
        let inst = self.out.insert(InsertAt::Start(entry), data);
        self.out.result(inst)
    }

    /// A number or pointer so much further.
    fn moved(&mut self, value: Value, by: i64) -> Value {
        let ty = self.out.ty(value);
        if by == 0 {
            return value;
        }
        match ty {
            Type::Scalar(Scalar::Ptr(_)) => {
                let by = self.int(Type::I64, by.into());
                self.op(Op::Gep(Type::I8), ty, &[value, by])
            }
            _ => {
                let by = self.int(ty, by.into());
                self.op(Op::Binary(BinOp::Add), ty, &[value, by])
            }
        }
    }
}

/// An argument of a variant.
#[derive(Clone, Copy)]
enum Passed {
    /// The scalar of lane 0, and by how much it grows.
    Scalar(Value, i64),
    /// The same, where that is not known before.
    Steps(Value, Value),
    /// A vector of all lanes.
    Lanes(Value),
}

/// A variant that was declared, with the name of the function that it is.
struct Declared {
    name: VariantName,
    symbol: String,
}

/// The variants that attributes declare: their names as keys, as `#pragma omp declare simd` leaves them, or in a list that maps names of
/// LLVM to functions.
fn declared_variants(attrs: &AttrListData) -> Vec<Declared> {
    let mut all = Vec::new();
    for attr in &attrs.function {
        let Attr::Text(key, value) = attr else { continue };
        let (Ok(key), Ok(value)) = (std::str::from_utf8(key), std::str::from_utf8(value)) else {
            continue;
        };
        if let Ok(name) = key.parse() {
            all.push(Declared { name, symbol: key.into() });
        }
        if key == "vector-function-abi-variant" {
            for entry in value.split(',') {
                let (name, symbol) = match entry.split_once('(') {
                    Some((name, symbol)) => (name, symbol.trim_end_matches(')')),
                    None => (entry, entry),
                };
                // Names of LLVM say nothing of registers; those of the functions may.
                let name: Result<VariantName, String> = symbol.parse().or_else(|_| name.parse());
                all.extend(name.ok().map(|name| Declared { name, symbol: symbol.into() }));
            }
        }
    }
    all
}

/// Some lanes of a vector of all.
fn group_of(at: &mut Lanes<'_>, value: Value, group: &[u32], width: u32) -> Value {
    if group.len() as u32 == width && group.iter().copied().eq(0..width) {
        return value;
    }
    let poison = at.b.function.constant(Constant::poison(at.b.function.ty(value)));
    at.shuffle(value, poison, group.iter().copied())
}

/// Puts the first lanes of a part where they belong.
fn put(
    at: &mut Lanes<'_>,
    whole: Option<Value>,
    part: Value,
    first: u32,
    count: u32,
    width: u32,
) -> Value {
    let lanes = at.b.function.ty(part).lanes().map_or(1, |lanes| lanes.count);
    if first == 0 && lanes == width {
        return part;
    }
    let poison = at.b.function.constant(Constant::poison(at.b.function.ty(part)));
    let spread = (0..width).map(|lane| {
        let here = (first..first + count).contains(&lane);
        if here { lane - first } else { 0 }
    });
    let spread = at.shuffle(part, poison, spread);
    match whole {
        None => spread,
        Some(whole) => {
            let pick = |lane: u32| if lane < first { lane } else { width + lane };
            at.shuffle(whole, spread, (0..width).map(pick))
        }
    }
}
