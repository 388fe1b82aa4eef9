//! A vectorized function with the signature of the ABI.

use super::lanes::Lanes;
use super::name::{Isa, ParamKind, Step, VariantName};
use super::plan::{Arrives, Plan};
use super::registers::{MaskForm, Passing};
use super::scalable;
use crate::across;
use crate::calls::{self, Calls};
use crate::decline::Declined;
use crate::edit;
use crate::pipeline::{Statistics, vectorize};
use crate::region::Region;
use crate::target;
use lw_divergence::Stride;
use lw_ir::attrs::Attr;
use lw_ir::inst::Access;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::symbols::SymbolName;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Builder, DataLayout, Flags, Function, InstData, Op, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Vectorizes a function for a variant, and gives it the name and signature that callers expect. Calls become what `calls` says.
///
/// # Errors
/// Why there cannot be such a variant.
pub fn abi_function(
    function: &Function,
    variant: &VariantName,
    layout: &DataLayout,
    calls: &Calls,
) -> Result<(Function, Statistics), Declined> {
    make(function, function, variant, layout, calls)
}

/// A variant of a function that cannot be vectorized: it calls the function for each lane that is active.
///
/// # Errors
/// Why there cannot be such a variant: callers could not pass what the function takes, or the function asks what other lanes have.
pub fn abi_calls(
    function: &Function,
    variant: &VariantName,
    layout: &DataLayout,
) -> Result<(Function, Statistics), Declined> {
    if across::asks(function) {
        let help = "what asks other lanes has to be vectorized";
        return Err(Declined::region("it uses `laneweaver.h`", help));
    }
    make(function, &calls::pass_on(function), variant, layout, &Calls::default())
}

/// A variant of a function that does what `body` does.
fn make(
    function: &Function,
    body: &Function,
    variant: &VariantName,
    layout: &DataLayout,
    calls: &Calls,
) -> Result<(Function, Statistics), Declined> {
    let lanes = match (variant.isa, variant.lanes) {
        (Isa::Sve, _) => scalable::lanes(function, variant, layout)?,
        (_, Some(lanes)) => lanes,
        (_, None) => {
            let reason = format!("the variant `{variant}`");
            return Err(Declined::region(reason, "only SVE has scalable vectors"));
        }
    };
    let plan = Plan::new(&function.signature, &function.attrs, variant, lanes, layout)?;
    let calls = Calls { isa: Some(variant.isa), ..calls.clone() };
    let region = Region {
        masked: variant.masked,
        params: shapes(function, &plan, layout),
        calls: Arc::new(calls),
        ..Region::new(plan.lanes, layout.clone())
    };
    let (vector, statistics) = vectorize(body, &region)?;
    let entry = Entry { plan, layout };
    let made = match variant.isa {
        Isa::Sve => entry.scalable(function, &vector),
        _ => entry.function(function, &vector),
    };
    Ok((made, statistics))
}

/// What a variant knows of its parameters.
fn shapes(function: &Function, plan: &Plan<'_>, layout: &DataLayout) -> Vec<Stride> {
    let (types, lanes) = (function.signature.params.iter(), plan.lanes);
    let shape = |(i, (&ty, &(kind, align))): (usize, (&Type, &(ParamKind, Option<u64>)))| {
        let align = align.unwrap_or(1);
        if let Arrives::Values(bytes, _) = plan.params[i] {
            return Stride::strided(64, bytes as i64, bytes, Some(lanes));
        }
        match (kind.step(), ty) {
            (None, _) if kind == ParamKind::Uniform => Stride::uniform_aligned(align),
            (Some(Step::Constant(step)), Type::Scalar(Scalar::Int(bits))) => {
                let fits = i128::from(step).abs() < 1 << (bits - 1).min(64);
                match fits && is_signed(function, i) {
                    true => Stride::exact(bits, step, align),
                    false => Stride::strided(bits, step, align, Some(lanes)),
                }
            }
            (Some(Step::Constant(step)), Type::Scalar(Scalar::Ptr(space))) => {
                Stride::strided(layout.pointer_bits(space), step, align, Some(lanes))
            }
            _ => Stride::varying_aligned(align),
        }
    };
    types.zip(&plan.variant.params).enumerate().map(shape).collect()
}

/// Whether a linear parameter is a signed integer, so that none of its lanes wraps around: OpenMP says that lane *t* has *t* steps
/// more than lane 0, and the overflow of signed integers is undefined. Names of variants do not tell signed integers from others,
/// but what is done with them does.
fn is_signed(function: &Function, position: usize) -> bool {
    let param = function.params()[position];
    let unsigned = |data: &InstData| match data.op {
        Op::Cast(CastOp::ZExt | CastOp::UiToFp) => !data.flags.contains(Flags::NNEG),
        Op::Binary(BinOp::UDiv | BinOp::URem) => true,
        Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl) => {
            !data.flags.contains(Flags::NSW)
        }
        _ => false,
    };
    let mut insts = function.all_insts().map(|(_, inst)| &function[inst]);
    function.ty(param).int_bits().is_some()
        && !insts.any(|data| data.args.contains(&param) && unsigned(data))
}

/// A variant that is built.
pub(super) struct Entry<'a> {
    pub(super) plan: Plan<'a>,
    pub(super) layout: &'a DataLayout,
}

impl Entry<'_> {
    fn attributes(&self, function: &Function, out: &mut Function) {
        let mut attrs = std::mem::take(&mut out.attrs);
        attrs.ret.clear();
        attrs.params.clear();
        let ours = |attr: &Attr| match attr {
            Attr::Text(key, _) => !key.starts_with(b"_ZGV"),
            attr => attr.name() != Some("memory") || self.plan.in_memory().is_none(),
        };
        attrs.function.retain(ours);
        target::add_features(&mut attrs, self.plan.variant.isa);
        // Vectors of this size are arguments, so they are legal.
        target::allow_vectors(&mut attrs, self.plan.widest(self.layout));
        if let Some(attr) = self.plan.result_attr(&mut out.types) {
            attrs.params.push((0, vec![attr]));
        }
        // How scalars are extended is part of the ABI.
        let mut at = u32::from(self.plan.in_memory().is_some());
        for (i, arrives) in self.plan.params.iter().enumerate() {
            let extend = |attr: &&Attr| matches!(attr.name(), Some("signext" | "zeroext"));
            match arrives {
                Arrives::Lanes(pieces) => {
                    at += match self.plan.passing(*pieces) {
                        Passing::Each => pieces.count,
                        Passing::Array | Passing::Memory => 1,
                    }
                }
                _ => {
                    let kept: Vec<Attr> =
                        function.attrs.param(i).iter().filter(extend).cloned().collect();
                    if !kept.is_empty() {
                        attrs.params.push((at, kept));
                    }
                    at += 1;
                }
            }
        }
        out.attrs = attrs;
    }

    /// The variant without its body.
    pub(super) fn declaration(&self, function: &Function, vector: &Function) -> Function {
        let mut types = vector.types.clone();
        let signature = self.plan.signature(&function.signature, &mut types);
        let mut out = edit::empty_like(vector, signature);
        out.types = types;
        out.convention = self.plan.variant.isa.convention();
        out.name = SymbolName::Named(self.plan.variant.to_string().into_bytes().into());
        self.attributes(function, &mut out);
        out
    }

    /// The function that takes what the ABI passes, makes of it what `vector` takes, and does what `vector` does.
    fn function(&self, function: &Function, vector: &Function) -> Function {
        let mut out = self.declaration(function, vector);
        let first = out.add_named_block("arguments");
        let mut arguments = out.params().to_vec().into_iter();
        let memory = self.plan.in_memory().and_then(|_| arguments.next());
        let mut at = Lanes { b: Builder::new(&mut out), width: self.plan.lanes };
        let mut next = || arguments.next().expect("the signature has it");
        let mut scalars = Vec::new();
        for &arrives in &self.plan.params {
            scalars.push(match arrives {
                Arrives::Lanes(pieces) => {
                    let passing = self.plan.passing(pieces);
                    let parts = at.received(pieces, passing, self.layout, &mut next);
                    at.join(&parts, pieces)
                }
                Arrives::Values(bytes, step) => {
                    let ty = Type::int(bytes as u32 * 8);
                    let first = at.b.load(ty, next(), Access::aligned(bytes));
                    let room = at.room(bytes * u64::from(self.plan.lanes));
                    at.fill(room, first, bytes, step);
                    room
                }
                _ => next(),
            });
        }
        let mut values: FxHashMap<Value, Value> = FxHashMap::default();
        for (i, &param) in vector.params().iter().enumerate().take(self.plan.params.len()) {
            let mut value = scalars[i];
            if let Arrives::Steps(step) = self.plan.params[i] {
                value = at.steps(value, scalars[step as usize]);
            }
            values.insert(param, at.as_type(value, vector.ty(param)));
        }
        if let (Some(form), Some(&param)) = (self.plan.mask, vector.params().last()) {
            let mask = match form {
                MaskForm::Bits(_) => at.bits(next()),
                MaskForm::Predicate(_) => unreachable!("it belongs to scalable vectors"),
                MaskForm::Vectors(pieces) => {
                    let passing = self.plan.passing(pieces);
                    let parts = at.received(pieces, passing, self.layout, &mut next);
                    let lanes = at.join(&parts, pieces);
                    let zero = at.zero(lanes);
                    at.b.icmp(IntPred::Ne, lanes, zero)
                }
            };
            values.insert(param, mask);
        }
        let blocks = edit::copy_body(vector, &mut out, values);
        if let Some(body) = vector.entry() {
            edit::jump(&mut out, first, blocks[&body]);
        }
        for &b in blocks.values() {
            self.give_result(&mut out, b, memory);
        }
        out
    }

    /// Gives the result of a block that returns one as the ABI wants it.
    fn give_result(&self, out: &mut Function, b: lw_ir::Block, memory: Option<Value>) {
        let (Some(ret), Some(pieces)) = (out.terminator(b), self.plan.result) else { return };
        if !matches!(out[ret].op, Op::Ret) {
            return;
        }
        let value = out[ret].args[0];
        out.erase(ret);
        let mut at = Lanes { b: Builder::new(out), width: self.plan.lanes };
        at.b.switch_to(b);
        let parts = at.cut(value, pieces);
        let passing = self.plan.returning(pieces);
        let room = || memory.expect("the signature has it");
        let passed = at.passed(parts, pieces, passing, self.layout, room);
        at.b.ret(memory.is_none().then(|| passed[0]));
    }
}
