//! What an address computation adds to its pointer, index by index.

use lw_ir::constant::Constant;
use lw_ir::types::{CompoundData, Type};
use lw_ir::{DataLayout, Function, Inst, Op, Value};

/// What an index adds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offset {
    /// So many bytes.
    Fixed(i64),
    /// So many bytes for each that the index counts.
    Index(Value, i64),
}

impl Offset {
    /// What the number of bytes is a multiple of.
    pub(crate) fn unit(self) -> i64 {
        match self {
            Offset::Fixed(bytes) | Offset::Index(_, bytes) => bytes,
        }
    }
}

/// What each index of an address computation adds; `None` where sizes are unknown.
pub(crate) fn offsets(layout: &DataLayout, function: &Function, gep: Inst) -> Vec<Option<Offset>> {
    let Op::Gep(elem) = function[gep].op else { return Vec::new() };
    let mut ty = Some(elem);
    let indices = function[gep].args[1..].iter().enumerate();
    indices.map(|(i, &index)| offset(layout, function, index, i == 0, &mut ty)).collect()
}

/// What an index into `ty` adds; `ty` becomes the type that it leads to. The first index counts whole values of it.
fn offset(
    layout: &DataLayout,
    function: &Function,
    index: Value,
    first: bool,
    ty: &mut Option<Type>,
) -> Option<Offset> {
    let fixed = function.as_constant(index).and_then(Constant::as_i128);
    let whole = (*ty)?;
    let inner = match (whole, function.types.compound(whole)) {
        _ if first => whole,
        (Type::Vector(scalar, _), _) => Type::Scalar(scalar),
        (_, Some(CompoundData::Array { elem, .. })) => *elem,
        (_, Some(CompoundData::Struct { .. })) => {
            let field = fixed.and_then(|field| usize::try_from(field).ok());
            *ty = field.and_then(|field| function.types.element(whole, field as u64));
            let (starts, _) = layout.struct_layout(&function.types, whole)?;
            return Some(Offset::Fixed(i64::try_from(*starts.get(field?)?).ok()?));
        }
        _ => {
            *ty = None;
            return None;
        }
    };
    *ty = Some(inner);
    let scale = i64::try_from(layout.alloc_size(&function.types, inner)?).ok()?;
    Some(match fixed {
        Some(index) => Offset::Fixed(i64::try_from(index).ok()?.checked_mul(scale)?),
        None => Offset::Index(index, scale),
    })
}
