//! Types in text.

use crate::types::{CompoundData, Scalar, Type, Types};
use std::fmt::{self, Write};

/// A type beside the table it belongs to, for formatting.
pub(crate) struct Ty<'a>(pub(crate) &'a Types, pub(crate) Type);

impl fmt::Display for Ty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ty(types, ty) = *self;
        match ty {
            Type::Void => f.write_str("void"),
            Type::Token => f.write_str("token"),
            Type::Metadata => f.write_str("metadata"),
            Type::Scalar(scalar) => write!(f, "{scalar}"),
            Type::Vector(elem, lanes) => {
                let scale = if lanes.scalable { "vscale x " } else { "" };
                write!(f, "<{scale}{} x {elem}>", lanes.count)
            }
            Type::Compound(id) => match types.get(id) {
                CompoundData::Array { elem, len } => write!(f, "[{len} x {}]", Ty(types, *elem)),
                CompoundData::Struct { name: Some(name), .. } => write!(f, "%{name}"),
                CompoundData::Struct { fields, packed, .. } => {
                    write_struct(f, types, fields.as_deref(), *packed)
                }
                CompoundData::Function(sig) => {
                    f.write_str("fn ")?;
                    super::write_signature(f, types, sig)
                }
                CompoundData::Target { name, types: params, ints } => {
                    f.write_str("target(")?;
                    crate::name::write_quoted(f, name.as_bytes())?;
                    for &param in params {
                        write!(f, ", {}", Ty(types, param))?;
                    }
                    for int in ints {
                        write!(f, ", {int}")?;
                    }
                    f.write_char(')')
                }
            },
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(bits) => write!(f, "i{bits}"),
            Scalar::Float(kind) => f.write_str(kind.name()),
            Scalar::Ptr(0) => f.write_str("ptr"),
            Scalar::Ptr(space) => write!(f, "ptr addrspace({space})"),
        }
    }
}

/// Writes the body of a struct: `{ … }`, `<{ … }>`, or `opaque` where there is none.
pub(crate) fn write_struct(
    f: &mut impl Write,
    types: &Types,
    fields: Option<&[Type]>,
    packed: bool,
) -> fmt::Result {
    let Some(fields) = fields else { return f.write_str("opaque") };
    f.write_str(if packed { "<{ " } else { "{ " })?;
    write_params(f, types, fields, false)?;
    f.write_str(if packed { " }>" } else { " }" })
}

/// Writes types separated by commas, and `...` if more may follow.
pub(crate) fn write_params(
    f: &mut impl Write,
    types: &Types,
    list: &[Type],
    varargs: bool,
) -> fmt::Result {
    for (i, &ty) in list.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{}", Ty(types, ty))?;
    }
    match (varargs, list.is_empty()) {
        (true, true) => f.write_str("..."),
        (true, false) => f.write_str(", ..."),
        _ => Ok(()),
    }
}
