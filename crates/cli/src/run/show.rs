//! What a run prints.

use super::args::{Buffer, Element};
use crate::failure::Failure;
use lw_ir::interp::{Machine, Next, Outcome, Trace, Val};
use lw_ir::types::{FloatKind, Scalar, Type};
use lw_ir::{Block, Function, Module};
use std::fmt::Write;

/// One line for each thread, or a single line where all return the same.
pub(super) fn results(function: &Function, outcome: &Outcome) -> String {
    let mut text = String::new();
    if function.signature.ret == Type::Void {
        return text;
    }
    for (thread, result) in outcome.results.iter().enumerate() {
        let shown =
            result.as_ref().map_or("did not end".into(), |v| value(v, function.signature.ret));
        let _ = writeln!(text, "thread {thread}: {shown}");
    }
    text
}

/// A value of a type; integers are signed.
pub(super) fn value(value: &Val, ty: Type) -> String {
    match (value, ty) {
        (Val::Int(bits), Type::Scalar(Scalar::Int(1))) => (*bits != 0).to_string(),
        (Val::Int(_), Type::Scalar(Scalar::Int(width))) => {
            value.as_signed(width).map_or(value.to_string(), |v| v.to_string())
        }
        (Val::Elems(elements), Type::Vector(elem, _)) => {
            let all: Vec<String> =
                elements.iter().map(|e| self::value(e, Type::Scalar(elem))).collect();
            format!("<{}>", all.join(", "))
        }
        _ => value.to_string(),
    }
}

/// The content of a buffer after the run. `?` is memory that holds no defined value.
pub(super) fn buffer(machine: &Machine<'_>, buffer: &Buffer) -> Result<String, Failure> {
    let size = buffer.element.size();
    let bytes =
        machine.read_bytes(buffer.base, (buffer.count * size) as u64).map_err(Failure::cannot)?;
    let element = |bytes: &[Option<u8>]| {
        let mut raw = [0u8; 16];
        for (to, from) in raw.iter_mut().zip(bytes) {
            match from {
                Some(byte) => *to = *byte,
                None => return "?".to_string(),
            }
        }
        let bits = u128::from_le_bytes(raw);
        match buffer.element {
            Element::Int(width) => value(&Val::Int(bits), Type::Scalar(Scalar::Int(width))),
            Element::Float(FloatKind::Float) => format!("{:?}", f32::from_bits(bits as u32)),
            Element::Float(_) => format!("{:?}", f64::from_bits(bits as u64)),
        }
    };
    let all: Vec<String> = bytes.chunks(size).map(element).collect();
    let name = buffer.element.name();
    Ok(format!("argument {}: {name}:[{}]\n", buffer.parameter + 1, all.join(", ")))
}

/// A line for each block that was scheduled: for each thread `#` active, `.` passive, and its iteration in loops.
pub(super) fn trace(module: &Module, trace: &Trace) -> String {
    let mut text =
        String::from("step  block             active    per thread: where it is, <iteration>\n");
    for (number, step) in trace.steps.iter().enumerate() {
        let function = &module.functions[step.function];
        let name = |block: Block| function.display_block(block);
        let active: String = step.active.iter().map(|&a| if a { '#' } else { '.' }).collect();
        let threads: Vec<String> = step
            .before
            .iter()
            .zip(&step.tags)
            .map(|(control, tag)| match &control.next {
                Next::Block(block) => format!("{}{tag}", name(*block)),
                Next::Any => "any".into(),
                Next::Done(_) => "done".into(),
            })
            .collect();
        let place = format!("{}{}", "  ".repeat(step.depth), name(step.block));
        let _ =
            writeln!(text, "{:>4}  {place:<16}  {active:<8}  {}", number + 1, threads.join("  "));
    }
    text
}
