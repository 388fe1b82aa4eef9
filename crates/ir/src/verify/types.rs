//! The types of operands and results.

use super::Report;
use super::constants::{check_path, is_sized};
use crate::entities::Inst;
use crate::function::Function;
use crate::infer;
use crate::inst::{Access, CallInfo, Op};
use crate::ops::{BinOp, CastOp, Horizontal, Ordering, ReduceOp};
use crate::print::Ty;
use crate::symbols::SymbolKind;
use crate::types::{Lanes, Scalar, Type};
use smallvec::SmallVec;

/// The largest alignment LLVM has.
pub(super) const MAX_ALIGN_LOG2: u8 = 32;

pub(super) type Verdict = Result<(), String>;

pub(super) fn check(report: &mut Report<'_>) {
    for (block, inst) in report.function.all_insts() {
        if let Err(message) = check_inst(report.function, inst) {
            report.inst(block, inst, message);
        }
    }
}

pub(super) fn ensure(holds: bool, message: &str) -> Verdict {
    if holds { Ok(()) } else { Err(message.into()) }
}

fn is_int(ty: Type) -> bool {
    ty.int_bits().is_some()
}

fn is_float(ty: Type) -> bool {
    ty.float_kind().is_some()
}

fn is_scalar_int(ty: Type) -> bool {
    is_int(ty) && ty.lanes().is_none()
}

fn check_inst(function: &Function, inst: Inst) -> Verdict {
    let data = &function[inst];
    let types: SmallVec<[Type; 4]> = data.args.iter().map(|&arg| function.ty(arg)).collect();
    let ty = data.ty;
    let yields = |wanted: Type| {
        if wanted == ty {
            return Ok(());
        }
        let (wanted, ty) = (Ty(&function.types, wanted), Ty(&function.types, ty));
        Err(format!("yields {wanted}, not {ty}"))
    };
    match &data.op {
        Op::FNeg => ensure(is_float(ty) && types[0] == ty, "negates a float"),
        Op::Binary(op) => binary(*op, &types, ty),
        Op::Cast(op) => cast(*op, types[0], ty),
        Op::ICmp(_) => {
            ensure(types[0] == types[1], "compares values of one type")?;
            ensure(is_int(types[0]) || types[0].is_ptr(), "compares integers or pointers")?;
            yields(infer::comparison(types[0]))
        }
        Op::FCmp(_) => {
            ensure(types[0] == types[1], "compares values of one type")?;
            ensure(is_float(types[0]), "compares floats")?;
            yields(infer::comparison(types[0]))
        }
        Op::Select => {
            let lanes_fit = types[0].lanes().is_none() || types[0].lanes() == ty.lanes();
            ensure(
                types[0].int_bits() == Some(1) && lanes_fit,
                "chooses by an i1 or one for each lane",
            )?;
            ensure(types[1] == ty && types[2] == ty, "chooses between values of its type")
        }
        Op::Freeze => ensure(types[0] == ty, "yields the type of its operand"),
        Op::Phi => {
            ensure(ty != Type::Void, "a φ has a value")?;
            ensure(types.iter().all(|&t| t == ty), "all operands of a φ have its type")
        }
        Op::ExtractElement => {
            ensure(
                types[0].lanes().is_some() && is_scalar_int(types[1]),
                "takes a vector and an index",
            )?;
            ensure(ty.lanes().is_none() && ty.scalar() == types[0].scalar(), "yields an element")
        }
        Op::InsertElement => {
            ensure(
                types[0].lanes().is_some() && is_scalar_int(types[2]),
                "takes a vector and an index",
            )?;
            ensure(
                types[1].lanes().is_none() && types[1].scalar() == types[0].scalar(),
                "inserts an element",
            )?;
            yields(types[0])
        }
        Op::ShuffleVector(mask) => {
            ensure(
                types[0] == types[1] && types[0].lanes().is_some(),
                "shuffles two vectors of one type",
            )?;
            let Some(Lanes { count, scalable }) = types[0].lanes() else { return Ok(()) };
            let lanes = -1..i64::from(count) * 2;
            let fits = mask.iter().all(|&lane| lanes.contains(&i64::from(lane)));
            let splat =
                mask.iter().all(|&lane| lane == mask[0]) && mask.first().is_none_or(|&l| l <= 0);
            ensure(fits && (!scalable || splat), "the mask names lanes of the operands")?;
            yields(infer::shuffle(types[0], mask.len()).unwrap_or(ty))
        }
        Op::ExtractValue(path) => {
            let member = infer::member(&function.types, types[0], path);
            ensure(!path.is_empty() && member == Some(ty), "yields what is at the end of its path")
        }
        Op::InsertValue(path) => {
            let member = infer::member(&function.types, types[0], path);
            ensure(
                !path.is_empty() && member == Some(types[1]),
                "inserts what fits at the end of its path",
            )?;
            yields(types[0])
        }
        Op::Alloca(info) => {
            ensure(is_scalar_int(types[0]), "the count is an integer")?;
            ensure(is_sized(&function.types, info.ty), "what is allocated has a size")?;
            ensure(info.align_log2 <= MAX_ALIGN_LOG2, "is aligned to at most 2^32")?;
            ensure(is_pointer(ty), "yields a pointer")
        }
        Op::Load(access) => {
            ensure(is_pointer(types[0]), "loads through a pointer")?;
            access_fits(function, access)?;
            ensure(
                !matches!(access.ordering, Ordering::Release | Ordering::AcqRel),
                "loads do not release",
            )?;
            ensure(is_sized(&function.types, ty), "what is loaded has a size")
        }
        Op::Store(access) => {
            ensure(is_pointer(types[1]), "stores through a pointer")?;
            access_fits(function, access)?;
            ensure(is_sized(&function.types, types[0]), "what is stored has a size")?;
            ensure(
                !matches!(access.ordering, Ordering::Acquire | Ordering::AcqRel),
                "stores do not acquire",
            )
        }
        Op::Gep(elem) => {
            let index = |i: usize| function.as_constant(data.args[i])?.as_index();
            check_path(&function.types, *elem, &types, index)?;
            yields(infer::address(&types))
        }
        Op::AtomicRmw(_, access) => {
            ensure(is_pointer(types[0]), "works through a pointer")?;
            access_fits(function, access)?;
            ensure(access.ordering > Ordering::Unordered, "is ordered")?;
            yields(types[1])
        }
        Op::CmpXchg(info) => {
            ensure(is_pointer(types[0]), "works through a pointer")?;
            ensure(types[1] == types[2], "compares and stores values of one type")?;
            access_fits(function, &info.access)?;
            let both = info.access.ordering.min(info.failure);
            ensure(both > Ordering::Unordered, "is ordered")?;
            let fields = function.types.fields(ty);
            ensure(fields == Some(&[types[1], Type::I1]), "yields the old value and success")
        }
        Op::Fence(access) => {
            access_fits(function, access)?;
            ensure(access.ordering > Ordering::Monotonic, "a fence orders")
        }
        Op::VaArg => ensure(is_pointer(types[0]), "takes a pointer"),
        Op::Call(info) | Op::Invoke(info) => call(function, inst, info, &types),
        Op::CondBr => ensure(types[0] == Type::I1, "branches on an i1"),
        Op::Switch => {
            ensure(is_scalar_int(types[0]), "switches on an integer")?;
            let cases = &data.args[1..];
            let constant =
                |&case: &_| function.as_constant(case).is_some_and(|c| c.as_i128().is_some());
            ensure(types.iter().all(|&t| t == types[0]), "cases have the type of the value")?;
            ensure(cases.iter().all(constant), "cases are integer constants")?;
            let mut sorted = cases.to_vec();
            sorted.sort();
            sorted.dedup();
            ensure(sorted.len() == cases.len(), "no case comes twice")
        }
        Op::IndirectBr => ensure(is_pointer(types[0]), "jumps to a pointer"),
        Op::Ret => {
            let found = types.first().copied().unwrap_or(Type::Void);
            ensure(found == function.signature.ret, "returns the type of the function")
        }
        Op::Mask => ensure(ty == Type::I1, "yields an i1"),
        Op::Horizontal(op) => horizontal(*op, &types, ty),
        Op::LandingPad(_) => {
            let constant = |&arg: &_| function.as_constant(arg).is_some();
            ensure(data.args.iter().all(constant), "clauses are constants")
        }
        Op::Br | Op::Unreachable | Op::Resume | Op::Opaque(_) => Ok(()),
    }
}

pub(super) fn is_pointer(ty: Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Ptr(_)))
}

/// The alignment is one LLVM has, and the scope is in the table.
fn access_fits(function: &Function, access: &Access) -> Verdict {
    ensure(access.align_log2 <= MAX_ALIGN_LOG2, "is aligned to at most 2^32")?;
    let known = usize::from(access.scope.0) < function.sync_scopes.len() + 2;
    ensure(known, "names a synchronization scope of the function")
}

pub(super) fn binary(op: BinOp, types: &[Type], ty: Type) -> Verdict {
    ensure(types[0] == ty && types[1] == ty, "both operands have the type of the result")?;
    if op.is_float() {
        ensure(is_float(ty), "computes on floats")
    } else {
        ensure(is_int(ty), "computes on integers")
    }
}

pub(super) fn cast(op: CastOp, from: Type, to: Type) -> Verdict {
    let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else {
        return Err("converts numbers and pointers".into());
    };
    if op != CastOp::BitCast {
        ensure(from.lanes() == to.lanes(), "keeps the number of lanes")?;
    }
    let fits = match (op, a, b) {
        (CastOp::Trunc, Scalar::Int(a), Scalar::Int(b)) => a > b,
        (CastOp::ZExt | CastOp::SExt, Scalar::Int(a), Scalar::Int(b)) => a < b,
        (CastOp::FpTrunc, Scalar::Float(a), Scalar::Float(b)) => a.bits() > b.bits(),
        (CastOp::FpExt, Scalar::Float(a), Scalar::Float(b)) => a.bits() < b.bits(),
        (CastOp::FpToUi | CastOp::FpToSi, Scalar::Float(_), Scalar::Int(_)) => true,
        (CastOp::UiToFp | CastOp::SiToFp, Scalar::Int(_), Scalar::Float(_)) => true,
        (CastOp::PtrToInt | CastOp::PtrToAddr, Scalar::Ptr(_), Scalar::Int(_)) => true,
        (CastOp::IntToPtr, Scalar::Int(_), Scalar::Ptr(_)) => true,
        (CastOp::AddrSpaceCast, Scalar::Ptr(a), Scalar::Ptr(b)) => a != b,
        (CastOp::BitCast, Scalar::Ptr(a), Scalar::Ptr(b)) => a == b && from.lanes() == to.lanes(),
        (CastOp::BitCast, Scalar::Ptr(_), _) | (CastOp::BitCast, _, Scalar::Ptr(_)) => false,
        (CastOp::BitCast, _, _) => bit_size(from) == bit_size(to),
        _ => false,
    };
    ensure(fits, "does not convert between these types")
}

/// Size in bits of a number or a vector of numbers, with whether it scales.
fn bit_size(ty: Type) -> Option<(u64, bool)> {
    let bits = match ty.scalar()? {
        Scalar::Int(bits) => bits,
        Scalar::Float(kind) => kind.bits(),
        Scalar::Ptr(_) => return None,
    };
    let lanes = ty.lanes().unwrap_or(Lanes { count: 1, scalable: false });
    Some((u64::from(bits) * u64::from(lanes.count), lanes.scalable))
}

fn call(function: &Function, inst: Inst, info: &CallInfo, types: &[Type]) -> Verdict {
    let data = &function[inst];
    ensure(is_pointer(types[0]), "calls a pointer")?;
    let Some(signature) = function.types.signature(info.ty) else {
        return Err("the type of a call is a function type".into());
    };
    ensure(data.ty == signature.ret, "yields what the function type returns")?;
    let args = &types[1..types.len() - info.bundle_operands()];
    let fixed = signature.params.len();
    let count_fits = args.len() == fixed || (signature.varargs && args.len() > fixed);
    ensure(count_fits, "passes as many arguments as the function type has parameters")?;
    ensure(args[..fixed] == *signature.params, "arguments have the types of the parameters")?;
    // 001 Def. 11, rule 2.
    match function.as_symbol(data.args[0]).map(|s| &function.symbols.get(s).kind) {
        Some(SymbolKind::Variable { ty, .. }) if *ty != Type::Void => {
            Err("calls a function, not a variable (001 Def. 11.2)".into())
        }
        _ => Ok(()),
    }
}

fn horizontal(op: Horizontal, types: &[Type], ty: Type) -> Verdict {
    match op {
        Horizontal::Any | Horizontal::All => {
            ensure(types[0] == Type::I1 && ty == Type::I1, "takes and yields an i1")
        }
        Horizontal::Ballot | Horizontal::Popcount => {
            ensure(types[0] == Type::I1, "takes an i1")?;
            ensure(is_scalar_int(ty), "yields an integer")
        }
        Horizontal::Lane | Horizontal::Lanes => ensure(is_scalar_int(ty), "yields an integer"),
        Horizontal::Broadcast => ensure(types[0] == ty, "yields the type of its operand"),
        Horizontal::Extract | Horizontal::Shuffle => {
            ensure(types[0] == ty, "yields the type of its operand")?;
            ensure(is_scalar_int(types[1]), "the lane is an integer")
        }
        Horizontal::Insert => {
            ensure(types[0] == ty && types[2] == ty, "inserts a value of its type")?;
            ensure(is_scalar_int(types[1]), "the lane is an integer")
        }
        Horizontal::Compact => {
            ensure(types[0] == ty, "yields the type of its operand")?;
            ensure(types[1] == Type::I1, "the flag is an i1")
        }
        Horizontal::Reduce(op) => {
            ensure(types[0] == ty, "yields the type of its operand")?;
            let float =
                matches!(op, ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax);
            ensure(if float { is_float(ty) } else { is_int(ty) }, "combines numbers of its kind")
        }
    }
}
