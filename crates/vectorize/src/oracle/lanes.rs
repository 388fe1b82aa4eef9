//! W values of a type as one of the widened type, and back.

use lw_ir::Function;
use lw_ir::interp::Val;
use lw_ir::types::Type;

fn elements(function: &Function, ty: Type) -> Vec<Type> {
    let count = function.types.element_count(ty).unwrap_or(0);
    let elem = |i| match ty {
        Type::Vector(scalar, _) => Type::Scalar(scalar),
        _ => function.types.element(ty, i).unwrap_or(Type::Void),
    };
    (0..count).map(elem).collect()
}

/// The values of all threads as one value of the widened program.
pub fn packed(function: &Function, ty: Type, values: &[Val]) -> Val {
    if let Type::Scalar(_) = ty {
        return Val::elems(values.iter().cloned());
    }
    let part = |(i, elem): (usize, Type)| {
        let values: Vec<Val> = values.iter().map(|v| v.element(i).clone()).collect();
        packed(function, elem, &values)
    };
    Val::elems(elements(function, ty).into_iter().enumerate().map(part))
}

/// The value of one thread.
pub fn unpacked(function: &Function, ty: Type, value: &Val, thread: usize) -> Val {
    if let Type::Scalar(_) = ty {
        return value.element(thread).clone();
    }
    let part = |(i, elem): (usize, Type)| unpacked(function, elem, value.element(i), thread);
    Val::elems(elements(function, ty).into_iter().enumerate().map(part))
}
