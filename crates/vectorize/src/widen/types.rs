//! Types of the widened program, and what memory looks like.

use lw_ir::types::{CompoundData, FloatKind, Scalar, Type};
use lw_ir::{DataLayout, Function};

/// The types of the elements of a vector, array or struct.
pub(super) fn elements(function: &Function, ty: Type) -> Vec<Type> {
    match ty {
        Type::Vector(elem, lanes) => vec![Type::Scalar(elem); lanes.count as usize],
        _ => match function.types.compound(ty) {
            Some(CompoundData::Array { elem, len }) => vec![*elem; *len as usize],
            Some(CompoundData::Struct { fields: Some(fields), .. }) => fields.to_vec(),
            _ => Vec::new(),
        },
    }
}

/// What W values of a type are: a vector, or a struct of what W values of the elements are.
pub(super) fn widened(function: &mut Function, ty: Type, width: u32) -> Type {
    match ty {
        Type::Void => Type::Void,
        Type::Scalar(scalar) => Type::vector(scalar, width),
        _ => {
            let fields: Vec<Type> = elements(function, ty)
                .into_iter()
                .map(|elem| widened(function, elem, width))
                .collect();
            function.types.structure(&fields)
        }
    }
}

/// How the name of an intrinsic mentions a type.
pub(super) fn mangled(ty: Type) -> Option<String> {
    let scalar = |scalar: Scalar| match scalar {
        Scalar::Int(bits) => format!("i{bits}"),
        Scalar::Ptr(space) => format!("p{space}"),
        Scalar::Float(kind) => match kind {
            FloatKind::Half => "f16".into(),
            FloatKind::BFloat => "bf16".into(),
            FloatKind::Float => "f32".into(),
            FloatKind::Double => "f64".into(),
            FloatKind::X86Fp80 => "f80".into(),
            FloatKind::Fp128 => "f128".into(),
            FloatKind::PpcFp128 => "ppcf128".into(),
        },
    };
    match ty {
        Type::Scalar(s) => Some(scalar(s)),
        Type::Vector(s, lanes) if !lanes.scalable => Some(format!("v{}{}", lanes.count, scalar(s))),
        _ => None,
    }
}

/// The distance in bytes between neighbours in memory if they lie there as the elements of a vector do.
pub(crate) fn packed_size(layout: &DataLayout, function: &Function, ty: Type) -> Option<i64> {
    let Type::Scalar(scalar) = ty else { return None };
    let bits = u64::from(layout.scalar_bits(scalar));
    let size = layout.alloc_size(&function.types, ty)?;
    (size * 8 == bits).then_some(size as i64)
}

/// Where the numbers and pointers that a value is made of lie in memory, from its start; `None` if some share a byte.
pub(super) fn leaves(
    layout: &DataLayout,
    function: &Function,
    ty: Type,
) -> Option<Vec<(u64, Type)>> {
    let mut all = Vec::new();
    collect(layout, function, ty, 0, &mut all)?;
    Some(all)
}

fn collect(
    layout: &DataLayout,
    function: &Function,
    ty: Type,
    at: u64,
    all: &mut Vec<(u64, Type)>,
) -> Option<()> {
    match ty {
        Type::Scalar(_) => all.push((at, ty)),
        Type::Vector(elem, lanes) => {
            let bits = u64::from(layout.scalar_bits(elem));
            if lanes.scalable || !bits.is_multiple_of(8) {
                return None;
            }
            let each = |i: u64| (at + i * bits / 8, Type::Scalar(elem));
            all.extend((0..u64::from(lanes.count)).map(each));
        }
        _ => match function.types.compound(ty)? {
            CompoundData::Array { elem, len } => {
                let size = layout.alloc_size(&function.types, *elem)?;
                for i in 0..*len {
                    collect(layout, function, *elem, at + i * size, all)?;
                }
            }
            CompoundData::Struct { fields, .. } => {
                let (offsets, _) = layout.struct_layout(&function.types, ty)?;
                for (&field, offset) in fields.as_ref()?.iter().zip(offsets) {
                    collect(layout, function, field, at + offset, all)?;
                }
            }
            _ => return None,
        },
    }
    Some(())
}
