//! The arguments of a run, as they are written on the command line.

use crate::failure::Failure;
use lw_ir::Function;
use lw_ir::interp::{Machine, Ptr, Val};
use lw_ir::types::{FloatKind, Scalar, Type};

/// Memory that was asked for on the command line.
pub(super) struct Buffer {
    /// Which parameter points to it, from 0.
    pub(super) parameter: usize,
    pub(super) element: Element,
    pub(super) count: usize,
    pub(super) base: Ptr,
}

/// The type of the elements of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Int(u32),
    Float(FloatKind),
}

impl Element {
    fn from_name(name: &str) -> Option<Element> {
        Some(match name {
            "i8" => Element::Int(8),
            "i16" => Element::Int(16),
            "i32" => Element::Int(32),
            "i64" => Element::Int(64),
            "f32" => Element::Float(FloatKind::Float),
            "f64" => Element::Float(FloatKind::Double),
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Element::Int(bits) => bits as usize / 8,
            Element::Float(kind) => kind.bits() as usize / 8,
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Element::Int(bits) => format!("i{bits}"),
            Element::Float(kind) => format!("f{}", kind.bits()),
        }
    }

    fn scalar(self) -> Scalar {
        match self {
            Element::Int(bits) => Scalar::Int(bits),
            Element::Float(kind) => Scalar::Float(kind),
        }
    }
}

/// The values of all parameters for each thread, and the buffers that were made for them.
pub(super) fn bind(
    machine: &mut Machine<'_>,
    function: &Function,
    threads: usize,
    texts: &[String],
) -> Result<(Vec<Vec<Val>>, Vec<Buffer>), Failure> {
    let types = &function.signature.params;
    if texts.len() != types.len() {
        let wanted: Vec<String> =
            function.params().iter().map(|&p| show_type(function.ty(p))).collect();
        let message = format!(
            "{} takes {} arguments ({}), {} were given",
            function.name,
            types.len(),
            wanted.join(", "),
            texts.len()
        );
        return Err(Failure::cannot(message));
    }
    let mut buffers = Vec::new();
    let mut values = vec![Vec::new(); threads];
    for (parameter, (text, &ty)) in texts.iter().zip(types).enumerate() {
        let fail = |reason: String| {
            let wanted = show_type(ty);
            Failure::cannot(format!("argument {} `{text}` ({wanted}): {reason}", parameter + 1))
        };
        let lanes = if ty == Type::PTR {
            let (buffer, per_lane) = make_buffer(machine, parameter, text).map_err(fail)?;
            let step = if per_lane { buffer.element.size() as u64 } else { 0 };
            let base = buffer.base;
            buffers.push(buffer);
            let at = |t: u64| Val::Ptr(Ptr { addr: base.addr + t * step, ..base });
            (0..threads as u64).map(at).collect()
        } else {
            numbers(text, ty, threads).map_err(fail)?
        };
        for (thread, value) in values.iter_mut().zip(lanes) {
            thread.push(value);
        }
    }
    Ok((values, buffers))
}

pub(crate) fn show_type(ty: Type) -> String {
    match ty {
        Type::Scalar(scalar) => scalar.to_string(),
        Type::Vector(elem, lanes) => format!("<{} x {elem}>", lanes.count),
        _ => "an aggregate".into(),
    }
}

/// One number for each thread.
fn numbers(text: &str, ty: Type, threads: usize) -> Result<Vec<Val>, String> {
    if let Type::Vector(elem, lanes) = ty {
        let inner = text.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
        let inner = inner.ok_or("a vector is written <1,2,3>")?;
        let list = list(inner, elem)?;
        if list.len() != lanes.count as usize {
            return Err(format!("the vector has {} lanes", lanes.count));
        }
        return Ok(vec![Val::elems(list); threads]);
    }
    let Type::Scalar(scalar) = ty else {
        return Err("structs and arrays cannot be given on the command line".into());
    };
    if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let list = list(inner, scalar)?;
        if list.len() != threads {
            return Err(format!("there are {threads} threads, but {} values", list.len()));
        }
        return Ok(list);
    }
    if let Some(rest) = text.strip_prefix("lane") {
        let (factor, offset) = linear(rest).ok_or("expected lane, lane*K, lane+B or lane*K+B")?;
        return (0..threads).map(|t| from_f64(t as f64 * factor + offset, scalar)).collect();
    }
    Ok(vec![number(text, scalar)?; threads])
}

/// `*K+B` after `lane`.
fn linear(rest: &str) -> Option<(f64, f64)> {
    let (factor, rest) = match rest.strip_prefix('*') {
        Some(rest) => {
            let end = rest[1.min(rest.len())..].find(['+', '-']).map_or(rest.len(), |i| i + 1);
            (rest[..end].parse().ok()?, &rest[end..])
        }
        None => (1.0, rest),
    };
    let offset =
        if rest.is_empty() { 0.0 } else { rest.strip_prefix('+').unwrap_or(rest).parse().ok()? };
    Some((factor, offset))
}

fn from_f64(value: f64, scalar: Scalar) -> Result<Val, String> {
    match scalar {
        Scalar::Int(_) if value.fract() == 0.0 => number(&format!("{value:.0}"), scalar),
        _ => number(&value.to_string(), scalar),
    }
}

fn list(inner: &str, scalar: Scalar) -> Result<Vec<Val>, String> {
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    inner.split(',').map(|part| number(part.trim(), scalar)).collect()
}

fn number(text: &str, scalar: Scalar) -> Result<Val, String> {
    match scalar {
        Scalar::Int(bits) => {
            let value = match text {
                "true" => Ok(1),
                "false" => Ok(0),
                _ => match text.strip_prefix("0x") {
                    Some(hex) => u128::from_str_radix(hex, 16).map(|v| v as i128),
                    None => text.parse::<i128>(),
                },
            };
            let value = value.map_err(|_| format!("`{text}` is not an integer"))?;
            let fits = bits >= 127 || (-(1i128 << (bits - 1))..1i128 << bits).contains(&value);
            if !fits {
                return Err(format!("{value} does not fit into i{bits}"));
            }
            Ok(Val::int(bits, value))
        }
        Scalar::Float(FloatKind::Float) => {
            text.parse().map(Val::f32).map_err(|_| format!("`{text}` is not a number"))
        }
        Scalar::Float(FloatKind::Double) => {
            text.parse().map(Val::f64).map_err(|_| format!("`{text}` is not a number"))
        }
        Scalar::Float(kind) => {
            let hex = text.strip_prefix("0x").and_then(|h| u128::from_str_radix(h, 16).ok());
            let bits = hex.ok_or(format!("a {} is given by its bits: 0x…", kind.name()))?;
            Ok(Val::Float(kind, bits))
        }
        Scalar::Ptr(_) => Err("expected a buffer such as i32*16 or f32:[1,2]".into()),
    }
}

/// `i32:[1,2]`, `i32*16`, each perhaps with `@lane`. Also whether each thread gets its own element.
fn make_buffer(
    machine: &mut Machine<'_>,
    parameter: usize,
    text: &str,
) -> Result<(Buffer, bool), String> {
    let usage = "expected a buffer such as i32*16, f32:[1,2] or i64*8@lane";
    let (text, per_lane) = match text.strip_suffix("@lane") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (name, rest) = text.split_at(text.find(['*', ':']).ok_or(usage)?);
    let element = Element::from_name(name).ok_or(usage)?;
    let bytes: Vec<u8> = if let Some(count) = rest.strip_prefix('*') {
        let count: usize = count.parse().map_err(|_| usage.to_string())?;
        let size = count.checked_mul(element.size()).filter(|&s| s <= 1 << 30);
        vec![0; size.ok_or("a buffer has at most 1 GiB")?]
    } else {
        let inner = rest.strip_prefix(":[").and_then(|r| r.strip_suffix(']')).ok_or(usage)?;
        let values = list(inner, element.scalar())?;
        let bytes = |value: &Val| {
            let bits = match value {
                Val::Int(bits) | Val::Float(_, bits) => *bits,
                _ => 0,
            };
            bits.to_le_bytes()[..element.size()].to_vec()
        };
        values.iter().flat_map(bytes).collect()
    };
    let count = bytes.len() / element.size();
    let base = machine.alloc_buffer(&bytes).map_err(|e| e.to_string())?;
    Ok((Buffer { parameter, element, count, base }, per_lane))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_each_thread() {
        let ints = |text| numbers(text, Type::I32, 3);
        assert_eq!(ints("7"), Ok(vec![Val::i32(7); 3]));
        assert_eq!(ints("lane*4-1"), Ok(vec![Val::i32(-1), Val::i32(3), Val::i32(7)]));
        assert_eq!(ints("[1,-2,3]"), Ok(vec![Val::i32(1), Val::i32(-2), Val::i32(3)]));
        assert!(ints("[1,2]").unwrap_err().contains("3 threads"));
        assert!(ints("5000000000").unwrap_err().contains("does not fit"));
        assert!(ints("x").unwrap_err().contains("not an integer"));
        assert_eq!(numbers("lane*0.5", Type::FLOAT, 2), Ok(vec![Val::f32(0.0), Val::f32(0.5)]));
    }
}
