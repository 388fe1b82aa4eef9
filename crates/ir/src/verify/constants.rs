//! Types and constants: what they are made of fits together. Whoever builds them elsewhere may rely on it.

use super::Report;
use super::types::{MAX_ALIGN_LOG2, Verdict, binary, cast, ensure, is_pointer};
use crate::constant::{Constant, ConstantExpr, ConstantKind};
use crate::infer;
use crate::inst::Op;
use crate::module::Module;
use crate::ops::{BinOp, CastOp};
use crate::symbols::SymbolName;
use crate::types::{CompoundData, FloatKind, Lanes, Scalar, Type, Types};

pub(super) fn check(report: &mut Report<'_>) {
    let function = report.function;
    for (_, data) in function.types.iter() {
        if let Err(message) = check_type(&function.types, data) {
            report.add(None, None, message);
        }
    }
    let signature = &function.signature;
    if signature.params.iter().any(|&ty| !is_value(&function.types, ty)) {
        report.add(None, None, "parameters are values");
    }
    if !report.errors.is_empty() {
        return;
    }
    for (block, inst) in function.all_insts() {
        for &arg in &function[inst].args {
            let Some(constant) = function.as_constant(arg) else { continue };
            if let Err(message) = check_constant(&function.types, constant) {
                report.inst(block, inst, message);
            }
        }
    }
}

/// Checks the types, global variables and aliases of a module.
pub(super) fn check_globals(module: &Module) -> Vec<String> {
    let types = &module.types;
    let mut errors: Vec<String> =
        types.iter().filter_map(|(_, data)| check_type(types, data).err()).collect();
    let mut check = |name: &SymbolName, holds: bool, rule: &str, constant: Option<&Constant>| {
        let verdict = ensure(holds, rule)
            .and_then(|()| constant.map_or(Ok(()), |constant| check_constant(types, constant)));
        errors.extend(verdict.err().map(|message| format!("{name}: {message}")));
    };
    for global in &module.globals {
        let aligned = global.align_log2.is_none_or(|align| align <= MAX_ALIGN_LOG2);
        check(&global.name, aligned, "is aligned to at most 2^32", None);
        check(&global.name, is_sized(types, global.ty), "a global has a size", None);
        let init = global.init.as_ref();
        let same = init.is_none_or(|init| init.ty == global.ty);
        check(&global.name, same, "a global holds what it says", init);
    }
    for alias in &module.aliases {
        let holds = is_pointer(alias.target.ty) && alias.ty != Type::Void;
        check(&alias.name, holds, "an alias is an address", Some(&alias.target));
    }
    errors
}

/// Whether a variable can hold it.
fn is_value(types: &Types, ty: Type) -> bool {
    match types.compound(ty) {
        Some(CompoundData::Function(_)) => false,
        _ => ty != Type::Void,
    }
}

/// Whether it lies in memory with a size that is known here or at run time.
pub(super) fn is_sized(types: &Types, ty: Type) -> bool {
    match (ty, types.compound(ty)) {
        (Type::Scalar(_) | Type::Vector(..), _) => true,
        (_, Some(CompoundData::Array { elem, .. })) => is_sized(types, *elem),
        (_, Some(CompoundData::Struct { fields, .. })) => {
            fields.as_ref().is_some_and(|fields| fields.iter().all(|&f| is_sized(types, f)))
        }
        (_, Some(CompoundData::Target { .. })) => true,
        _ => false,
    }
}

fn check_type(types: &Types, data: &CompoundData) -> Verdict {
    let element = |ty: Type| is_value(types, ty) && !matches!(ty, Type::Token | Type::Metadata);
    match data {
        CompoundData::Array { elem, .. } => ensure(element(*elem), "arrays hold values"),
        CompoundData::Struct { fields, .. } => {
            let fields = fields.as_deref().unwrap_or_default();
            ensure(fields.iter().all(|&f| element(f)), "fields of structs are values")
        }
        CompoundData::Function(signature) => {
            let fits = signature.params.iter().all(|&p| is_value(types, p));
            ensure(fits && signature.ret != Type::Metadata, "functions take and return values")
        }
        CompoundData::Target { .. } => Ok(()),
    }
}

fn check_constant(types: &Types, constant: &Constant) -> Verdict {
    let ty = constant.ty;
    ensure(is_value(types, ty), "constants are values")?;
    let fits = match &constant.kind {
        ConstantKind::Int(bits) => match ty {
            Type::Scalar(Scalar::Int(width)) => bits.words().len() == width.div_ceil(64) as usize,
            _ => false,
        },
        ConstantKind::Float(bits) => match ty {
            Type::Scalar(Scalar::Float(kind)) => {
                bits.words().len() == kind.bits().div_ceil(64) as usize
            }
            _ => false,
        },
        ConstantKind::Zero => is_sized(types, ty) || ty == Type::Token,
        ConstantKind::Undef | ConstantKind::Poison => ty != Type::Metadata,
        ConstantKind::Symbol(_) | ConstantKind::BlockAddress(_) => is_pointer(ty),
        ConstantKind::Aggregate(elements) => {
            for element in elements {
                check_constant(types, element)?;
            }
            let wanted = types.element_count(ty);
            let same = |(i, c): (usize, &Constant)| Some(c.ty) == element_type(types, ty, i as u64);
            wanted == Some(elements.len() as u64)
                && (ty.lanes().is_none() || !elements.is_empty())
                && elements.iter().enumerate().all(same)
        }
        ConstantKind::Data(bytes) => data_size(types, ty) == Some(bytes.len() as u64),
        ConstantKind::Expr(expr) => return check_expr(types, ty, expr),
        ConstantKind::Foreign(_) => true,
    };
    ensure(fits, "a constant has the type it is given")
}

fn element_type(types: &Types, ty: Type, index: u64) -> Option<Type> {
    match ty {
        Type::Vector(elem, _) => Some(Type::Scalar(elem)),
        _ => types.element(ty, index),
    }
}

/// How many bytes describe an array or vector of numbers whose elements are whole bytes.
fn data_size(types: &Types, ty: Type) -> Option<u64> {
    let elem = match (ty, types.compound(ty)) {
        (Type::Vector(elem, Lanes { scalable: false, .. }), _) => elem,
        (_, Some(CompoundData::Array { elem: Type::Scalar(elem), .. })) => *elem,
        _ => return None,
    };
    let bits = match elem {
        Scalar::Int(bits @ (8 | 16 | 32 | 64)) => bits,
        Scalar::Float(kind) if kind.bits() <= 64 && kind != FloatKind::X86Fp80 => kind.bits(),
        _ => return None,
    };
    types.element_count(ty)?.checked_mul(u64::from(bits / 8)).filter(|&size| size > 0)
}

fn check_expr(table: &Types, ty: Type, expr: &ConstantExpr) -> Verdict {
    for arg in &expr.args {
        check_constant(table, arg)?;
    }
    let types: Vec<Type> = expr.args.iter().map(|arg| arg.ty).collect();
    let count =
        |wanted: usize| ensure(types.len() == wanted, "a constant expression has all operands");
    match &expr.op {
        Op::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Xor)) => {
            count(2)?;
            binary(*op, &types, ty)
        }
        Op::Cast(
            op @ (CastOp::Trunc
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast),
        ) => {
            count(1)?;
            cast(*op, types[0], ty)
        }
        Op::Gep(elem) => {
            ensure(types.len() > 1, "a constant expression has all operands")?;
            ensure(infer::address(&types) == ty, "a constant has the type it is given")?;
            let index = |i: usize| expr.args.get(i).and_then(Constant::as_index);
            check_path(table, *elem, &types, index)
        }
        Op::ExtractElement => {
            count(2)?;
            ensure(
                types[0].lanes().is_some() && types[1].int_bits().is_some(),
                "takes a vector and an index",
            )?;
            ensure(
                types[0].scalar().map(Type::Scalar) == Some(ty),
                "a constant has the type it is given",
            )
        }
        Op::InsertElement => {
            count(3)?;
            ensure(
                types[0].lanes().is_some() && types[2].int_bits().is_some(),
                "takes a vector and an index",
            )?;
            let element = types[0].scalar().map(Type::Scalar) == Some(types[1]);
            ensure(element && types[0] == ty, "a constant has the type it is given")
        }
        Op::ShuffleVector(mask) => {
            count(2)?;
            ensure(types[0] == types[1], "shuffles two vectors of one type")?;
            let lanes = types[0].lanes().map_or(0, |lanes| i64::from(lanes.count));
            let fits = mask.iter().all(|&lane| (-1..2 * lanes).contains(&i64::from(lane)));
            ensure(
                fits && infer::shuffle(types[0], mask.len()) == Some(ty),
                "the mask names lanes of the operands",
            )
        }
        op => Err(format!("`{}` is not an operation on constants", op.mnemonic())),
    }
}

/// The indices of an address computation on `elem`: those of structs are constants that name a field.
/// `types` are the types of the pointer and the indices, `constant` the values of constant ones.
pub(super) fn check_path(
    table: &Types,
    elem: Type,
    types: &[Type],
    constant: impl Fn(usize) -> Option<u128>,
) -> Verdict {
    ensure(types[0].is_ptr(), "computes on a pointer")?;
    ensure(types[1..].iter().all(|ty| ty.int_bits().is_some()), "indices are integers")?;
    ensure(is_sized(table, elem), "the element has a size")?;
    let mut ty = elem;
    for i in 2..types.len() {
        let next = match (ty, table.compound(ty)) {
            (Type::Vector(elem, _), _) => Some(Type::Scalar(elem)),
            (_, Some(CompoundData::Array { elem, .. })) => Some(*elem),
            (_, Some(CompoundData::Struct { .. })) => {
                let index = constant(i).and_then(|i| u64::try_from(i).ok());
                index.and_then(|index| table.element(ty, index))
            }
            _ => None,
        };
        ty = next.ok_or("an index leads nowhere")?;
    }
    Ok(())
}
