//! Constants in text. The type stands before them wherever they are written.

use super::{Scope, Ty};
use crate::bits::Bits;
use crate::constant::{Constant, ConstantExpr, ConstantKind, InRange};
use crate::inst::Op;
use crate::name::write_quoted;
use crate::types::{CompoundData, FloatKind, Type};
use std::fmt::{self, Write};

/// Writes a constant without its type.
pub(crate) fn write_constant(f: &mut impl Write, scope: &Scope<'_>, c: &Constant) -> fmt::Result {
    match &c.kind {
        ConstantKind::Int(bits) => write_int(f, c.ty.int_bits().unwrap_or(64), bits),
        ConstantKind::Float(bits) => write_float(f, c.ty.float_kind(), bits),
        ConstantKind::Zero => f.write_str(match c.ty {
            Type::Scalar(_) => "null",
            Type::Token => "none",
            _ => "zeroinitializer",
        }),
        ConstantKind::Undef => f.write_str("undef"),
        ConstantKind::Poison => f.write_str("poison"),
        ConstantKind::Symbol(symbol) => write!(f, "{}", scope.symbols.get(*symbol).name),
        ConstantKind::BlockAddress(block) => match scope.names {
            Some(names) => write!(f, "blockaddress({})", names.block(*block)),
            None => write!(f, "blockaddress(%{block})"),
        },
        ConstantKind::Aggregate(elements) => {
            let (open, close) = brackets(scope, c.ty);
            f.write_str(open)?;
            write_list(f, scope, elements)?;
            f.write_str(close)
        }
        ConstantKind::Data(bytes) => {
            f.write_char('c')?;
            write_quoted(f, bytes)
        }
        ConstantKind::Expr(expr) => write_expr(f, scope, c.ty, expr),
        ConstantKind::Foreign(index) => write!(f, "foreign {index}"),
    }
}

fn brackets(scope: &Scope<'_>, ty: Type) -> (&'static str, &'static str) {
    match scope.types.compound(ty) {
        Some(CompoundData::Struct { packed: true, .. }) => ("<{", "}>"),
        Some(CompoundData::Struct { .. }) => ("{", "}"),
        Some(_) => ("[", "]"),
        None => ("<", ">"),
    }
}

fn write_list(f: &mut impl Write, scope: &Scope<'_>, list: &[Constant]) -> fmt::Result {
    for (i, element) in list.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{} ", Ty(scope.types, element.ty))?;
        write_constant(f, scope, element)?;
    }
    Ok(())
}

/// Writes an integer: `true` and `false` for one bit, decimal and signed up to 128, else hexadecimal.
pub(super) fn write_int(f: &mut impl Write, width: u32, bits: &Bits) -> fmt::Result {
    if width == 1 {
        return f.write_str(if bits.is_zero() { "false" } else { "true" });
    }
    match bits.to_i128(width) {
        Some(value) => write!(f, "{value}"),
        None => write_hex(f, bits),
    }
}

fn write_hex(f: &mut impl Write, bits: &Bits) -> fmt::Result {
    f.write_str("0x")?;
    for word in bits.words().iter().rev() {
        write!(f, "{word:016x}")?;
    }
    Ok(())
}

/// Writes finite floats and doubles in decimal, all else by its bits.
fn write_float(f: &mut impl Write, kind: Option<FloatKind>, bits: &Bits) -> fmt::Result {
    let raw = bits.to_u64().unwrap_or_default();
    match kind {
        Some(FloatKind::Float) if f32::from_bits(raw as u32).is_finite() => {
            write!(f, "{:?}", f32::from_bits(raw as u32))
        }
        Some(FloatKind::Double) if f64::from_bits(raw).is_finite() => {
            write!(f, "{:?}", f64::from_bits(raw))
        }
        _ => write_hex(f, bits),
    }
}

fn write_expr(f: &mut impl Write, scope: &Scope<'_>, ty: Type, expr: &ConstantExpr) -> fmt::Result {
    write!(f, "{} {}", super::inst::mnemonic(&expr.op), expr.flags)?;
    if let Some(InRange { bits, low, high }) = &expr.inrange {
        write!(f, "inrange(i{bits} ")?;
        write_int(f, *bits, low)?;
        f.write_str(", ")?;
        write_int(f, *bits, high)?;
        f.write_str(") ")?;
    }
    f.write_char('(')?;
    if let Op::Gep(elem) = expr.op {
        write!(f, "{}, ", Ty(scope.types, elem))?;
    }
    write_list(f, scope, &expr.args)?;
    match &expr.op {
        Op::Cast(_) => write!(f, " to {}", Ty(scope.types, ty))?,
        Op::ShuffleVector(mask) => write!(f, ", {mask:?}")?,
        _ => {}
    }
    f.write_char(')')
}
