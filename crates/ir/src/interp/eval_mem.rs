//! Addresses and memory accesses of one thread (001 §4.9.1).

use super::bytes::Sizes;
use super::error::ErrorKind;
use super::eval_int::{icmp, undefined, undefined_use};
use super::memory::{Image, Memory, state};
use super::value::{Provenance, Ptr, Val, is_loose_nan, signed};
use super::{eval_float, eval_int, host};
use crate::flags::Flags;
use crate::inst::Access;
use crate::ops::{BinOp, IntPred, RmwOp};
use crate::types::{CompoundData, Lanes, Scalar, Type};

/// How an address is computed from the indices.
#[derive(Clone, Debug)]
pub(crate) struct GepPlan(Vec<Step>);

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The offset of a field.
    Field(u64),
    /// The index at this position, from zero, times a size.
    Scaled(usize, u64),
}

impl GepPlan {
    /// The plan for `count` indices into `elem`; `constant` yields the indices of structs.
    pub(crate) fn new(
        sizes: Sizes<'_>,
        elem: Type,
        count: usize,
        constant: impl Fn(usize) -> Option<u64>,
    ) -> Result<GepPlan, ErrorKind> {
        let bad =
            |ty: Type| ErrorKind::Unsupported(format!("an address computation on the type {ty:?}"));
        let mut steps = Vec::new();
        let mut ty = elem;
        for i in 0..count {
            if i == 0 {
                steps.push(Step::Scaled(0, sizes.alloc_size(elem)?));
                continue;
            }
            ty = match (ty, sizes.types.compound(ty)) {
                (_, Some(CompoundData::Array { elem, .. })) => {
                    steps.push(Step::Scaled(i, sizes.alloc_size(*elem)?));
                    *elem
                }
                (_, Some(CompoundData::Struct { .. })) => {
                    let index = constant(i).ok_or_else(|| bad(ty))?;
                    let (offsets, _) =
                        sizes.layout.struct_layout(sizes.types, ty).ok_or_else(|| bad(ty))?;
                    let offset = offsets.get(index as usize).ok_or_else(|| bad(ty))?;
                    steps.push(Step::Field(*offset));
                    sizes.types.element(ty, index).ok_or_else(|| bad(ty))?
                }
                (Type::Vector(elem, Lanes { scalable: false, .. }), _) => {
                    let elem = Type::Scalar(elem);
                    steps.push(Step::Scaled(i, sizes.store_size(elem)?));
                    elem
                }
                _ => return Err(bad(ty)),
            };
        }
        Ok(GepPlan(steps))
    }
}

/// `getelementptr`; `args` are the pointer and the indices, each perhaps a vector.
pub(crate) fn gep(
    plan: &GepPlan,
    flags: Flags,
    sizes: Sizes<'_>,
    memory: &Memory,
    ty: Type,
    types: &[Type],
    args: &[&Val],
) -> Result<Val, ErrorKind> {
    let index_bits = match ty.scalar() {
        Some(Scalar::Ptr(space)) => sizes.layout.index_bits(space).min(64),
        _ => 64,
    };
    let widths: Vec<u32> = types[1..].iter().map(|ty| ty.int_bits().unwrap_or(64)).collect();
    let one = |lane: Option<usize>| {
        let pick = |i: usize| match (lane, types[i].lanes()) {
            (Some(lane), Some(_)) => args[i].element(lane),
            _ => args[i],
        };
        let operands: Vec<&Val> = (0..args.len()).map(pick).collect();
        match (undefined(operands.iter().copied()), operands[0]) {
            (Some(undefined), _) => Ok(undefined),
            (None, Val::Ptr(ptr)) => {
                Ok(address(plan, flags, index_bits, memory, *ptr, &operands[1..], &widths))
            }
            (None, other) => {
                Err(ErrorKind::Unsupported(format!("an address computation on {other}")))
            }
        }
    };
    match ty.lanes() {
        None => one(None),
        Some(lanes) => {
            let all: Result<Vec<Val>, ErrorKind> =
                (0..lanes.count as usize).map(|i| one(Some(i))).collect();
            Ok(Val::elems(all?))
        }
    }
}

fn address(
    plan: &GepPlan,
    flags: Flags,
    index_bits: u32,
    memory: &Memory,
    ptr: Ptr,
    indices: &[&Val],
    widths: &[u32],
) -> Val {
    let inbounds = flags.contains(Flags::INBOUNDS);
    let nusw = inbounds || flags.contains(Flags::NUSW);
    let nuw = flags.contains(Flags::NUW);
    let cut = |value: i128| signed(index_bits, value as u128);
    let unsigned_limit = 1i128 << index_bits;
    let base = i128::from(ptr.addr);
    let bounds = inbounds.then(|| {
        let prov =
            if ptr.prov == Provenance::NONE { memory.provenance_of(ptr.addr) } else { ptr.prov };
        memory
            .get(prov)
            .map(|alloc| (i128::from(alloc.base), i128::from(alloc.base) + i128::from(alloc.size)))
    });
    let (mut total, mut unsigned_total, mut broken) = (0i128, 0i128, false);
    for step in &plan.0 {
        let (offset, unsigned) = match *step {
            Step::Field(offset) => (i128::from(offset), i128::from(offset)),
            Step::Scaled(i, size) => {
                let raw = match indices[i] {
                    Val::Int(raw) => signed(widths[i], *raw),
                    Val::Big(bits) => bits.words()[0] as i64 as i128,
                    _ => 0,
                };
                let index = cut(raw);
                broken |= nusw && index != raw;
                let size = i128::from(size);
                let index_unsigned = index & (unsigned_limit - 1);
                (index.wrapping_mul(size), index_unsigned.wrapping_mul(size))
            }
        };
        broken |=
            nusw && (cut(offset) != offset || cut(total + cut(offset)) != total + cut(offset));
        unsigned_total = unsigned_total.saturating_add(unsigned);
        broken |= nuw && (unsigned >= unsigned_limit || unsigned_total >= unsigned_limit);
        total = cut(total.wrapping_add(cut(offset)));
        let here = base + total;
        broken |= nusw && !(0..1 << 64).contains(&here);
        if offset != 0 {
            broken |= match bounds {
                Some(Some((low, high))) => here < low || here > high || base < low || base > high,
                Some(None) => true,
                None => false,
            };
        }
    }
    broken |= nuw && base + unsigned_total >= 1 << 64;
    if broken {
        return Val::Poison;
    }
    // The bits of the address above the index width stay.
    let low = super::value::mask(index_bits) as u64;
    let addr = ptr.addr & !low | ptr.addr.wrapping_add(total as u64) & low;
    Val::Ptr(Ptr { addr, prov: ptr.prov })
}

/// The pointer an access goes through.
pub(crate) fn pointer(value: &Val) -> Result<Ptr, ErrorKind> {
    match value {
        Val::Ptr(ptr) => Ok(*ptr),
        other if other.is_undefined() => {
            Err(undefined_use(other, "the address of a memory access"))
        }
        other => Err(ErrorKind::Unsupported(format!("a memory access through {other}"))),
    }
}

/// The pointer of an access with a promised alignment.
pub(crate) fn aligned(value: &Val, align_log2: u8) -> Result<Ptr, ErrorKind> {
    let ptr = pointer(value)?;
    let align = 1u64.checked_shl(align_log2.into()).unwrap_or(1);
    if ptr.addr & (align - 1) != 0 {
        return Err(ErrorKind::Misaligned { addr: ptr.addr, align });
    }
    Ok(ptr)
}

/// *read* for one thread.
pub(crate) fn load(
    sizes: Sizes<'_>,
    memory: &Memory,
    ty: Type,
    ptr: Ptr,
) -> Result<Val, ErrorKind> {
    let piece = memory.read(ptr, sizes.store_size(ty)?)?;
    sizes.decode(ty, &piece, 0)
}

/// *write* for one thread.
pub(crate) fn store(
    sizes: Sizes<'_>,
    memory: &mut Memory,
    ty: Type,
    ptr: Ptr,
    value: &Val,
    scratch: &mut Image,
) -> Result<(), ErrorKind> {
    if value.has_passive() {
        return Err(ErrorKind::PassiveUse("the stored value"));
    }
    // The common case: one word whose bytes go where they are.
    if let (Val::Int(word), false) = (value, sizes.layout.big_endian)
        && let Ok(size @ 1..=16) = sizes.store_size(ty)
    {
        let alloc = memory.writable(ptr, size)?;
        let start = (ptr.addr - alloc.base) as usize;
        let range = start..start + size as usize;
        alloc.bytes[range.clone()].copy_from_slice(&word.to_le_bytes()[..size as usize]);
        alloc.states[range].fill(state::DEFINED);
        return Ok(());
    }
    scratch.clear();
    sizes.encode(ty, value, scratch)?;
    memory.write(ptr, scratch)
}

/// `atomicrmw`: yields the old value.
pub(crate) fn rmw(
    sizes: Sizes<'_>,
    memory: &mut Memory,
    op: RmwOp,
    access: Access,
    ty: Type,
    ptr: &Val,
    operand: &Val,
) -> Result<Val, ErrorKind> {
    let ptr = aligned(ptr, access.align_log2)?;
    let old = load(sizes, memory, ty, ptr)?;
    let new = eval_int::map2(ty, &old, operand, |x, y| combine(sizes, op, ty, x, y))?;
    store(sizes, memory, ty, ptr, &new, &mut Image::default())?;
    Ok(old)
}

fn combine(sizes: Sizes<'_>, op: RmwOp, ty: Type, x: &Val, y: &Val) -> Result<Val, ErrorKind> {
    if op == RmwOp::Xchg {
        return Ok(y.clone());
    }
    if let Some(undefined) = undefined([x, y]) {
        return Ok(undefined);
    }
    let width = ty.scalar().map_or(0, |scalar| sizes.layout.scalar_bits(scalar));
    let int = |op: BinOp| eval_int::binary(op, Flags::NONE, width, x, y);
    let pick = |pred: IntPred| {
        let first = icmp(pred, Flags::NONE, width, x, y)?;
        Ok(if first == Val::bool(true) { x.clone() } else { y.clone() })
    };
    let float = |op: BinOp| match ty.float_kind() {
        Some(kind) => eval_float::binary(op, Flags::NONE, kind, x, y),
        None => Err(ErrorKind::Unsupported(format!("`atomicrmw {}` on integers", op.name()))),
    };
    let below = |pred: IntPred| {
        Ok::<bool, ErrorKind>(icmp(pred, Flags::NONE, width, x, y)? == Val::bool(true))
    };
    let one = Val::from_bits(width, crate::bits::Bits::new(width.max(1), 1));
    let zero = Val::from_bits(width, crate::bits::Bits::new(width.max(1), 0));
    match op {
        RmwOp::Xchg => Ok(y.clone()),
        RmwOp::Add => int(BinOp::Add),
        RmwOp::Sub => int(BinOp::Sub),
        RmwOp::And => int(BinOp::And),
        RmwOp::Nand => {
            let all = eval_int::binary(BinOp::Sub, Flags::NONE, width, &zero, &one)?;
            eval_int::binary(BinOp::Xor, Flags::NONE, width, &int(BinOp::And)?, &all)
        }
        RmwOp::Or => int(BinOp::Or),
        RmwOp::Xor => int(BinOp::Xor),
        RmwOp::Max => pick(IntPred::Sgt),
        RmwOp::Min => pick(IntPred::Slt),
        RmwOp::UMax => pick(IntPred::Ugt),
        RmwOp::UMin => pick(IntPred::Ult),
        RmwOp::FAdd => float(BinOp::FAdd),
        RmwOp::FSub => float(BinOp::FSub),
        RmwOp::FMax | RmwOp::FMin | RmwOp::FMaximum | RmwOp::FMinimum => {
            host::float::extremum(op, x, y)
        }
        RmwOp::UIncWrap if below(IntPred::Uge)? => Ok(zero),
        RmwOp::UIncWrap => eval_int::binary(BinOp::Add, Flags::NONE, width, x, &one),
        RmwOp::UDecWrap if *x == zero || below(IntPred::Ugt)? => Ok(y.clone()),
        RmwOp::UDecWrap => eval_int::binary(BinOp::Sub, Flags::NONE, width, x, &one),
        RmwOp::USubCond if below(IntPred::Uge)? => int(BinOp::Sub),
        RmwOp::USubCond => Ok(x.clone()),
        RmwOp::USubSat if below(IntPred::Uge)? => int(BinOp::Sub),
        RmwOp::USubSat => Ok(zero),
    }
}

/// `cmpxchg`: yields the old value and whether it was the expected one.
pub(crate) fn cmpxchg(
    sizes: Sizes<'_>,
    memory: &mut Memory,
    access: Access,
    ty: Type,
    [ptr, expected, new]: [&Val; 3],
) -> Result<Val, ErrorKind> {
    let ptr = aligned(ptr, access.align_log2)?;
    let old = load(sizes, memory, ty, ptr)?;
    if let Some(bad) = [&old, expected].into_iter().find(|v| v.is_undefined()) {
        return Err(undefined_use(bad, "what `cmpxchg` compares"));
    }
    let same = match (&old, expected) {
        (Val::Ptr(a), Val::Ptr(b)) => a.addr == b.addr,
        (a, b) => a == b,
    };
    if same {
        store(sizes, memory, ty, ptr, new, &mut Image::default())?;
    }
    Ok(Val::elems([old, Val::bool(same)]))
}

/// Whether storing or reinterpreting this value shows bits the program does not say.
pub(crate) fn is_loose(value: &Val) -> bool {
    match value {
        Val::Float(kind, bits) => is_loose_nan(*kind, *bits),
        Val::Elems(all) => all.iter().any(is_loose),
        _ => false,
    }
}
