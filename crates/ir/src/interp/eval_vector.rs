//! Vectors and aggregates: taking them apart and putting them together.

use super::error::ErrorKind;
use super::eval_int::undefined;
use super::value::Val;
use crate::types::{Type, Types};
use std::sync::Arc;

/// How many elements a value of type `ty` has.
fn count(types: &Types, ty: Type) -> Result<usize, ErrorKind> {
    let lanes = ty.lanes().map(|lanes| u64::from(lanes.count));
    match lanes.or_else(|| types.element_count(ty)) {
        Some(count) if count <= 1 << 24 => Ok(count as usize),
        _ => Err(ErrorKind::Unsupported(format!("values of the type {ty:?}"))),
    }
}

/// The elements, also of a value that is undefined as a whole, to be changed.
fn elements(value: &Val, count: usize) -> Arc<[Val]> {
    match value {
        Val::Elems(elements) => elements.clone(),
        other => vec![other.clone(); count].into(),
    }
}

/// The index as a number if it is one; a larger one is beyond every end.
fn index(value: &Val) -> Option<u128> {
    match value {
        Val::Big(bits) => Some(bits.to_u128().unwrap_or(u128::MAX)),
        other => other.as_u128(),
    }
}

/// `extractelement`. Beyond the end there is poison.
pub(crate) fn extract_element(ty: Type, vector: &Val, at: &Val) -> Val {
    match index(at) {
        Some(i) if ty.lanes().is_some_and(|lanes| i < lanes.count.into()) => {
            vector.element(i as usize).clone()
        }
        Some(_) => Val::Poison,
        None if *at == Val::Passive => Val::Passive,
        None => Val::Poison,
    }
}

/// `insertelement`. Beyond the end the result is poison.
pub(crate) fn insert_element(
    types: &Types,
    ty: Type,
    vector: &Val,
    element: &Val,
    at: &Val,
) -> Result<Val, ErrorKind> {
    let count = count(types, ty)?;
    match index(at) {
        Some(i) if i < count as u128 => {
            let mut all = elements(vector, count);
            Arc::make_mut(&mut all)[i as usize] = element.clone();
            Ok(Val::Elems(all))
        }
        Some(_) => Ok(Val::Poison),
        None if *at == Val::Passive => Ok(Val::Passive),
        None => Ok(Val::Poison),
    }
}

/// `shufflevector` of two vectors of type `ty`.
pub(crate) fn shuffle_vector(
    types: &Types,
    ty: Type,
    a: &Val,
    b: &Val,
    mask: &[i32],
) -> Result<Val, ErrorKind> {
    let count = count(types, ty)?;
    let pick = |&i: &i32| match usize::try_from(i) {
        Err(_) => Val::Poison,
        Ok(i) if i < count => a.element(i).clone(),
        Ok(i) => b.element(i - count).clone(),
    };
    Ok(Val::elems(mask.iter().map(pick)))
}

/// `extractvalue`.
pub(crate) fn extract_value(aggregate: &Val, path: &[u32]) -> Val {
    path.iter().fold(aggregate, |value, &i| value.element(i as usize)).clone()
}

/// `insertvalue` into a value of type `ty`.
pub(crate) fn insert_value(
    types: &Types,
    ty: Type,
    aggregate: &Val,
    element: &Val,
    path: &[u32],
) -> Result<Val, ErrorKind> {
    let Some((&first, rest)) = path.split_first() else { return Ok(element.clone()) };
    let mut all = elements(aggregate, count(types, ty)?);
    let at = first as usize;
    let inner = types.element(ty, first.into());
    let (Some(old), Some(inner)) = (all.get(at), inner) else {
        return Err(ErrorKind::Unsupported(format!("`insertvalue` at {first} of the type {ty:?}")));
    };
    let new = insert_value(types, inner, old, element, rest)?;
    Arc::make_mut(&mut all)[at] = new;
    Ok(Val::Elems(all))
}

/// `select`. Only the side that the condition picks matters.
pub(crate) fn select(condition: &Val, then: &Val, otherwise: &Val, lanes: Option<usize>) -> Val {
    let one = |condition: &Val, then: &Val, otherwise: &Val| match condition {
        Val::Int(0) => otherwise.clone(),
        Val::Int(_) => then.clone(),
        Val::Undef | Val::Passive => undecided(condition, then, otherwise),
        other => undefined([other]).unwrap_or(Val::Poison),
    };
    match (condition, lanes) {
        (Val::Elems(conditions), Some(lanes)) => Val::elems((0..lanes).map(|i| {
            one(conditions.get(i).unwrap_or(&Val::Poison), then.element(i), otherwise.element(i))
        })),
        _ => one(condition, then, otherwise),
    }
}

/// What is left of two values if nobody knows which it is: the parts in which they are equal. Of the rest, what the condition is.
fn undecided(condition: &Val, then: &Val, otherwise: &Val) -> Val {
    match (then, otherwise) {
        (Val::Elems(a), Val::Elems(b)) if a.len() == b.len() => {
            Val::elems(a.iter().zip(b.iter()).map(|(a, b)| undecided(condition, a, b)))
        }
        _ if then == otherwise && then.is_defined() => then.clone(),
        _ => undefined([condition]).unwrap_or(Val::Poison),
    }
}

/// `freeze`: every undefined part becomes zero. Says whether there was one.
pub(crate) fn freeze(types: &Types, ty: Type, value: &Val) -> Result<(Val, bool), ErrorKind> {
    if value.is_defined() {
        return Ok((value.clone(), false));
    }
    if value.has_passive() {
        return Ok((Val::Passive, false));
    }
    match (ty, value) {
        (Type::Scalar(_), _) => Ok((zero(types, ty)?, true)),
        (Type::Vector(elem, _), Val::Elems(all)) => {
            let part = zero(types, Type::Scalar(elem))?;
            let fixed = all.iter().map(|e| if e.is_undefined() { part.clone() } else { e.clone() });
            Ok((Val::elems(fixed), true))
        }
        (_, Val::Elems(all)) => {
            let mut fixed = Vec::new();
            for (i, element) in all.iter().enumerate() {
                let part = types.element(ty, i as u64).unwrap_or(Type::Void);
                fixed.push(freeze(types, part, element)?.0);
            }
            Ok((Val::elems(fixed), true))
        }
        _ => Ok((zero(types, ty)?, true)),
    }
}

/// Zero of any type.
pub(crate) fn zero(types: &Types, ty: Type) -> Result<Val, ErrorKind> {
    use crate::bits::Bits;
    use crate::types::Scalar;
    Ok(match ty {
        Type::Scalar(Scalar::Int(bits)) => Val::from_bits(bits, Bits::new(bits, 0)),
        Type::Scalar(Scalar::Float(kind)) => Val::Float(kind, 0),
        Type::Scalar(Scalar::Ptr(_)) => Val::address(0),
        Type::Vector(elem, _) => {
            let part = zero(types, Type::Scalar(elem))?;
            Val::elems(vec![part; count(types, ty)?])
        }
        Type::Compound(_) => {
            let parts = 0..count(types, ty)? as u64;
            let all: Result<Vec<Val>, ErrorKind> =
                parts.map(|i| zero(types, types.element(ty, i).unwrap_or(Type::Void))).collect();
            Val::elems(all?)
        }
        Type::Void | Type::Token | Type::Metadata => Val::Unit,
    })
}
