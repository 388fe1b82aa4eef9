//! How results of the vector functions that calls ask for are passed: conditions as bytes.
//!
//! LLVM passes them like this anyway, but a call that returns a vector of `i1` ends its fast instruction selection (`-O0`) with
//! an error where masks have registers of their own.

use lw_ir::ops::CastOp;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Builder, Function, InstData, Op, Value};

/// The type that a result of a type is passed as.
pub(crate) fn passed(function: &mut Function, ty: Type) -> Type {
    if let Type::Vector(Scalar::Int(1), lanes) = ty {
        return Type::Vector(Scalar::Int(8), lanes);
    }
    let Some(fields) = function.types.fields(ty).map(<[Type]>::to_vec) else { return ty };
    let fields: Vec<Type> = fields.into_iter().map(|field| passed(function, field)).collect();
    function.types.structure(&fields)
}

/// A result as a type whose conditions are bytes, or the other way round.
pub(crate) fn converted(b: &mut Builder<'_>, value: Value, to: Type) -> Value {
    let from = b.function.ty(value);
    if from == to {
        return value;
    }
    let fields = |b: &Builder<'_>, ty: Type| b.function.types.fields(ty).map(<[Type]>::to_vec);
    let Some(types) = fields(b, to) else {
        let is_passed = from.scalar() == Some(Scalar::Int(1));
        return b.cast(if is_passed { CastOp::ZExt } else { CastOp::Trunc }, value, to);
    };
    let was = fields(b, from).expect("both are structs");
    let mut whole = b.constant(lw_ir::constant::Constant::poison(to));
    for (i, (was, ty)) in was.into_iter().zip(types).enumerate() {
        let at: Box<[u32]> = [i as u32].into();
        let part = b.push(InstData::new(Op::ExtractValue(at.clone()), was, &[value]));
        let part = converted(b, b.function.result(part), ty);
        let next = b.push(InstData::new(Op::InsertValue(at), to, &[whole, part]));
        whole = b.function.result(next);
    }
    whole
}

/// Lets a vector function pass its results so.
pub(super) fn pass(vector: &mut Function) {
    let ty = passed(vector, vector.signature.ret);
    if ty == vector.signature.ret {
        return;
    }
    vector.signature.ret = ty;
    for block in vector.blocks().to_vec() {
        let Some(ret) = vector.terminator(block) else { continue };
        if vector[ret].op == Op::Ret {
            let value = vector[ret].args[0];
            vector.erase(ret);
            let mut b = Builder::new(vector);
            b.switch_to(block);
            let value = converted(&mut b, value, ty);
            b.ret(Some(value));
        }
    }
}
