//! A vectorized function with the signature of the ABI.

use super::name::{Isa, ParamKind, Step, VariantName};
use super::registers::{MaskForm, Pieces};
use crate::decline::Declined;
use crate::edit;
use crate::pipeline::{Statistics, vectorize};
use crate::region::Region;
use lw_divergence::Stride;
use lw_ir::attrs::Attr;

use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::inst::Access;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::symbols::SymbolName;
use lw_ir::types::{Scalar, Signature, Type};
use lw_ir::{Builder, DataLayout, Flags, Function, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// Vectorizes a function for a variant, and gives it the name and signature that callers expect.
///
/// # Errors
/// Why there cannot be such a variant.
pub fn abi_function(
    function: &Function,
    variant: &VariantName,
    layout: &DataLayout,
) -> Result<(Function, Statistics), Declined> {
    let plan = Plan::new(function, variant, layout)?;
    let (vector, statistics) = vectorize(function, &plan.region)?;
    Ok((plan.entry(function, &vector), statistics))
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

/// How a parameter arrives.
#[derive(Clone, Copy, Debug)]
enum Arrives {
    /// As it is: it is uniform, or the value of the first lane.
    Scalar,
    /// The value of the first lane, and a parameter says by how much it grows.
    Steps(u32),
    /// In registers.
    Lanes(Pieces),
}

struct Plan<'a> {
    variant: &'a VariantName,
    region: Region,
    params: Vec<Arrives>,
    mask: Option<MaskForm>,
    /// The registers of the result.
    result: Option<Pieces>,
}

impl<'a> Plan<'a> {
    fn new(
        function: &Function,
        variant: &'a VariantName,
        layout: &DataLayout,
    ) -> Result<Plan<'a>, Declined> {
        let decline = |reason: String, help: &str| Err(Declined::region(reason, help));
        let lanes = match (variant.isa, variant.lanes) {
            (Isa::Sse | Isa::Avx | Isa::Avx2 | Isa::Avx512, Some(lanes)) => lanes,
            _ => {
                return decline(
                    format!("the variant `{variant}`"),
                    "only x86 variants are made so far",
                );
            }
        };
        let types = &function.signature.params;
        if types.len() != variant.params.len() || function.signature.varargs {
            let reason = format!("`{variant}` does not fit the {} parameters", types.len());
            return decline(reason, "declare the variant for this signature");
        }
        let mut region = Region::new(lanes, layout.clone());
        region.masked = variant.masked;
        let mut params = Vec::new();
        for (i, (&ty, &(kind, align))) in types.iter().zip(&variant.params).enumerate() {
            let align = align.unwrap_or(1);
            let bits = match ty {
                Type::Scalar(Scalar::Int(bits)) if bits <= 64 => Some(bits),
                Type::Scalar(Scalar::Ptr(space)) => Some(layout.pointer_bits(space)),
                _ => None,
            };
            let (arrives, shape) = match (kind, bits) {
                (ParamKind::Uniform, _) => (Arrives::Scalar, Stride::uniform_aligned(align)),
                (ParamKind::Linear(Step::Constant(step)), Some(bits)) => {
                    let shape = match is_signed(function, i) {
                        true => Stride::exact(bits, step, align),
                        false => Stride::strided(bits, step, align, Some(lanes)),
                    };
                    (Arrives::Scalar, shape)
                }
                (ParamKind::Linear(Step::Param(step)), Some(_)) => {
                    let uniform = variant.params.get(step as usize).map(|&(kind, _)| kind);
                    let wide = types.get(step as usize).and_then(|ty| ty.int_bits());
                    if uniform != Some(ParamKind::Uniform) || wide.is_none() {
                        let reason = format!("the step of parameter {i} of `{variant}`");
                        return decline(reason, "a step is a uniform integer parameter");
                    }
                    (Arrives::Steps(step), Stride::varying_aligned(align))
                }
                (ParamKind::Vector, _) => match Pieces::of(variant.isa, lanes, ty, layout) {
                    Some(pieces) => (Arrives::Lanes(pieces), Stride::varying_aligned(align)),
                    None => {
                        let reason =
                            format!("no vectors are passed for parameter {i} of `{variant}`");
                        return decline(reason, "declare it uniform, or pass its parts");
                    }
                },
                _ => {
                    let reason = format!("parameter {i} of `{variant}`");
                    return decline(
                        reason,
                        "only integers and pointers are linear, and no references",
                    );
                }
            };
            params.push(arrives);
            region.params.push(shape);
        }
        let result = match function.signature.ret {
            Type::Void => None,
            ty => match Pieces::of(variant.isa, lanes, ty, layout) {
                Some(pieces) => Some(pieces),
                None => {
                    return decline(
                        format!("the result of `{variant}`"),
                        "return a number or a pointer",
                    );
                }
            },
        };
        let mask = match variant.masked {
            false => None,
            true => {
                let varying =
                    variant.params.iter().position(|&(kind, _)| kind == ParamKind::Vector);
                let characteristic = match (function.signature.ret, varying) {
                    (Type::Void, Some(i)) => types[i],
                    (Type::Void, None) => Type::I32,
                    (ret, _) => ret,
                };
                let form = MaskForm::of(variant.isa, lanes, characteristic, layout);
                if form.is_none() {
                    return decline(format!("the mask of `{variant}`"), "use fewer lanes");
                }
                form
            }
        };
        Ok(Plan { variant, region, params, mask, result })
    }

    /// Whether the result is written to memory.
    fn in_memory(&self) -> Option<Pieces> {
        self.result.filter(|pieces| pieces.count > 1)
    }

    fn signature(&self, function: &Function) -> Signature {
        let mut params: Vec<Type> = self.in_memory().map(|_| Type::PTR).into_iter().collect();
        for (&arrives, &ty) in self.params.iter().zip(&function.signature.params) {
            match arrives {
                Arrives::Scalar | Arrives::Steps(_) => params.push(ty),
                Arrives::Lanes(pieces) => {
                    params.extend(std::iter::repeat_n(pieces.ty, pieces.count as usize));
                }
            }
        }
        match self.mask {
            None => {}
            Some(MaskForm::Bits(ty)) => params.push(ty),
            Some(MaskForm::Vectors(pieces)) => {
                params.extend(std::iter::repeat_n(pieces.ty, pieces.count as usize));
            }
        }
        let ret = match self.result {
            Some(pieces) if pieces.count == 1 => pieces.ty,
            _ => Type::Void,
        };
        Signature { ret, params: params.into(), varargs: false }
    }

    fn attributes(&self, function: &Function, out: &mut Function) {
        let mut attrs = std::mem::take(&mut out.attrs);
        attrs.ret.clear();
        attrs.params.clear();
        let ours = |attr: &Attr| match attr {
            Attr::Text(key, _) => !key.starts_with(b"_ZGV") && &**key != b"min-legal-vector-width",
            attr => attr.name() != Some("memory") || self.in_memory().is_none(),
        };
        attrs.function.retain(ours);
        let features = self.variant.isa.features().as_bytes();
        let known = attrs.function.iter_mut().find_map(|attr| match attr {
            Attr::Text(key, value) if &**key == b"target-features" => Some(value),
            _ => None,
        });
        match known {
            Some(value) => *value = [value, &b","[..], features].concat().into(),
            None => attrs.function.push(Attr::Text((*b"target-features").into(), features.into())),
        }
        // Vectors of this size are arguments, so they are legal.
        let widest = out.signature.params.iter().chain([&out.signature.ret]).map(|&ty| match ty {
            Type::Vector(scalar, lanes) => lanes.count * self.region.layout.scalar_bits(scalar),
            _ => 0,
        });
        let widest = widest.max().unwrap_or(0).to_string();
        let legal = Attr::Text((*b"min-legal-vector-width").into(), widest.into_bytes().into());
        attrs.function.push(legal);
        // How scalars are extended is part of the ABI.
        let mut at = u32::from(self.in_memory().is_some());
        for (i, arrives) in self.params.iter().enumerate() {
            let extend = |attr: &&Attr| matches!(attr.name(), Some("signext" | "zeroext"));
            match arrives {
                Arrives::Lanes(pieces) => at += pieces.count,
                Arrives::Scalar | Arrives::Steps(_) => {
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

    /// The function that takes what the ABI passes, makes of it what `vector` takes, and does what `vector` does.
    fn entry(&self, function: &Function, vector: &Function) -> Function {
        let mut out = edit::empty_like(vector, self.signature(function));
        out.name = SymbolName::Named(self.variant.to_string().into_bytes().into());
        self.attributes(function, &mut out);
        let first = out.add_named_block("arguments");
        let mut arguments = out.params().to_vec().into_iter();
        let memory = self.in_memory().and_then(|_| arguments.next());
        let mut at = Lanes { b: Builder::new(&mut out), width: self.region.width };
        let mut scalars = Vec::new();
        for &arrives in &self.params {
            scalars.push(match arrives {
                Arrives::Lanes(pieces) => {
                    let parts: Vec<Value> =
                        arguments.by_ref().take(pieces.count as usize).collect();
                    at.join(&parts, pieces)
                }
                _ => arguments.next().expect("the signature has it"),
            });
        }
        let mut values: FxHashMap<Value, Value> = FxHashMap::default();
        for (i, &param) in vector.params().iter().enumerate().take(self.params.len()) {
            let mut value = scalars[i];
            if let Arrives::Steps(step) = self.params[i] {
                value = at.steps(value, scalars[step as usize]);
            }
            values.insert(param, at.as_type(value, vector.ty(param)));
        }
        if let (Some(form), Some(&param)) = (self.mask, vector.params().last()) {
            let mask = match form {
                MaskForm::Bits(_) => at.bits(arguments.next().expect("the signature has it")),
                MaskForm::Vectors(pieces) => {
                    let parts: Vec<Value> = arguments.collect();
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
        let (Some(ret), Some(pieces)) = (out.terminator(b), self.result) else { return };
        if !matches!(out[ret].op, Op::Ret) {
            return;
        }
        let value = out[ret].args[0];
        out.erase(ret);
        let mut at = Lanes { b: Builder::new(out), width: self.region.width };
        at.b.switch_to(b);
        let parts = at.cut(value, pieces);
        match memory {
            None => at.b.ret(Some(parts[0])),
            Some(memory) => {
                let bytes =
                    u64::from(pieces.lanes * self.region.layout.scalar_bits(pieces.element)) / 8;
                for (i, &part) in parts.iter().enumerate() {
                    let offset = at.b.int(Type::I64, i128::from(i as u64 * bytes));
                    let address = at.b.gep(Type::I8, Flags::NONE, memory, &[offset]);
                    at.b.store(part, address, Access::aligned(bytes));
                }
                at.b.ret(None)
            }
        };
    }
}

/// Makes vectors of registers and registers of vectors.
struct Lanes<'f> {
    b: Builder<'f>,
    width: u32,
}

impl Lanes<'_> {
    fn op(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        let inst = self.b.push(InstData::new(op, ty, args));
        self.b.function.result(inst)
    }

    fn shuffle(&mut self, a: Value, b: Value, mask: impl Iterator<Item = u32>) -> Value {
        let mask: Box<[i32]> = mask.map(|lane| lane as i32).collect();
        let scalar = self.b.function.ty(a).scalar().expect("a vector has elements");
        let ty = Type::vector(scalar, mask.len() as u32);
        self.op(Op::ShuffleVector(mask), ty, &[a, b])
    }

    /// All lanes as one vector.
    fn join(&mut self, parts: &[Value], pieces: Pieces) -> Value {
        let whole = Type::vector(pieces.element, pieces.lanes);
        let mut parts: Vec<Value> = parts.iter().map(|&part| self.as_vector(part, whole)).collect();
        let mut lanes = pieces.lanes;
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|two| self.shuffle(two[0], two[1], 0..2 * lanes)).collect();
            lanes *= 2;
        }
        parts[0]
    }

    fn as_vector(&mut self, part: Value, ty: Type) -> Value {
        match self.b.function.ty(part) {
            Type::Scalar(_) => self.b.cast(CastOp::BitCast, part, ty),
            _ => part,
        }
    }

    /// The registers of a vector of all lanes.
    fn cut(&mut self, value: Value, pieces: Pieces) -> Vec<Value> {
        let value = self.as_type(value, Type::vector(pieces.element, self.width));
        let poison = self.b.function.constant(Constant::poison(self.b.function.ty(value)));
        let one = |at: &mut Self, i: u32| {
            let first = i * pieces.lanes;
            let part = match pieces.count {
                1 => value,
                _ => at.shuffle(value, poison, first..first + pieces.lanes),
            };
            match pieces.ty {
                Type::Scalar(_) => at.b.cast(CastOp::BitCast, part, pieces.ty),
                _ => part,
            }
        };
        (0..pieces.count).map(|i| one(self, i)).collect()
    }

    /// Bytes as bits and back; everything else is of its type already.
    fn as_type(&mut self, value: Value, ty: Type) -> Value {
        let from = self.b.function.ty(value);
        if from == ty {
            return value;
        }
        match (from.int_bits(), ty.int_bits()) {
            (Some(8), Some(1)) => {
                let zero = self.zero(value);
                self.b.icmp(IntPred::Ne, value, zero)
            }
            _ => self.b.cast(CastOp::ZExt, value, ty),
        }
    }

    fn zero(&mut self, like: Value) -> Value {
        let ty = self.b.function.ty(like);
        self.b.constant(Constant::zero(ty))
    }

    fn splat(&mut self, scalar: Value) -> Value {
        let ty = self.b.function.ty(scalar).scalar().map(|s| Type::vector(s, self.width));
        let ty = ty.expect("only numbers and pointers are linear");
        let poison = self.b.constant(Constant::poison(ty));
        let zero = self.b.int(Type::I64, 0);
        let first = self.op(Op::InsertElement, ty, &[poison, scalar, zero]);
        self.shuffle(first, poison, std::iter::repeat_n(0, self.width as usize))
    }

    fn numbers(&mut self, ty: Type) -> Value {
        let each = |lane: u32| Constant::int(ty, i128::from(lane));
        let all = (0..self.width).map(each).collect();
        let scalar = ty.scalar().expect("a number");
        let ty = Type::vector(scalar, self.width);
        self.b.constant(Constant { ty, kind: ConstantKind::Aggregate(all) })
    }

    /// `first`, `first + step`, …; of pointers in bytes.
    fn steps(&mut self, first: Value, step: Value) -> Value {
        let ty = self.b.function.ty(first);
        let wide = match ty {
            Type::Scalar(Scalar::Ptr(_)) => Type::I64,
            ty => ty,
        };
        let (have, want) = (self.b.function.ty(step).int_bits(), wide.int_bits());
        let step = match have.cmp(&want) {
            std::cmp::Ordering::Less => self.b.cast(CastOp::SExt, step, wide),
            std::cmp::Ordering::Equal => step,
            std::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, step, wide),
        };
        let (steps, lanes) = (self.splat(step), self.numbers(wide));
        let offsets = self.b.binary(BinOp::Mul, steps, lanes);
        match ty {
            Type::Scalar(Scalar::Ptr(_)) => self.b.gep(Type::I8, Flags::NONE, first, &[offsets]),
            _ => {
                let first = self.splat(first);
                self.b.binary(BinOp::Add, first, offsets)
            }
        }
    }

    /// The lanes whose bit is set.
    fn bits(&mut self, bits: Value) -> Value {
        let narrow = match self.b.function.ty(bits).int_bits() {
            Some(have) if have > self.width => {
                self.b.cast(CastOp::Trunc, bits, Type::int(self.width))
            }
            _ => bits,
        };
        self.b.cast(CastOp::BitCast, narrow, Type::vector(Scalar::Int(1), self.width))
    }
}
