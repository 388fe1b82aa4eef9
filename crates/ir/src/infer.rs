//! The types that instructions yield, from those of their operands.

use crate::types::{Lanes, Scalar, Type, Types};

/// Of a comparison of values of type `operand`.
pub(crate) fn comparison(operand: Type) -> Type {
    operand.with_scalar(Scalar::Int(1))
}

/// Of an address computation: the pointer's type, with lanes if an operand has some.
pub(crate) fn address(operands: &[Type]) -> Type {
    let lanes = operands.iter().find_map(|ty| ty.lanes());
    match (operands[0], lanes) {
        (Type::Scalar(scalar), Some(lanes)) => Type::Vector(scalar, lanes),
        (base, _) => base,
    }
}

/// Of a shuffle of vectors of type `operand` with a mask of `count` entries.
pub(crate) fn shuffle(operand: Type, count: usize) -> Option<Type> {
    let Type::Vector(elem, lanes) = operand else { return None };
    Some(Type::Vector(elem, Lanes { count: count as u32, scalable: lanes.scalable }))
}

/// Of the part of an aggregate at the end of a path.
pub(crate) fn member(types: &Types, aggregate: Type, path: &[u32]) -> Option<Type> {
    path.iter().try_fold(aggregate, |ty, &index| types.element(ty, index.into()))
}
