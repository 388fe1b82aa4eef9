//! Printing into the output of the machine, and stopping.

use super::mem::c_string;
use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::value::{Val, signed};
use std::sync::Arc;

pub(super) fn find(name: &str) -> Option<Arc<HostFn>> {
    Some(match name {
        "putchar" => Arc::new(|call| {
            let byte = call.int(0)? as u8;
            call.output.push(byte);
            Ok(Val::i32(byte.into()))
        }),
        "puts" => Arc::new(|call| {
            let ptr = call.ptr(0)?;
            let text = c_string(call, ptr)?;
            call.output.extend(&text);
            call.output.push(b'\n');
            Ok(Val::i32(text.len() as i32 + 1))
        }),
        "printf" => Arc::new(printf),
        "abort" | "__assert_fail" | "_ZSt9terminatev" => {
            Arc::new(|_| Err(ErrorKind::Stopped("abort".into())))
        }
        "exit" | "_exit" => Arc::new(|call| {
            let code = signed(32, call.int(0)?);
            Err(ErrorKind::Stopped(format!("exit({code})")))
        }),
        // Rust's `core::panicking::*`, in both ways of mangling it.
        name if name.contains("4core9panicking") => {
            Arc::new(|_| Err(ErrorKind::Stopped("panic".into())))
        }
        _ => return None,
    })
}

/// The conversions `d i u x X o c s p f F e g %` with flags, width and precision.
fn printf(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let start = call.ptr(0)?;
    let format = c_string(call, start)?;
    let mut out = Vec::new();
    let mut next = 1;
    let mut rest = format.as_slice();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let end = rest.iter().position(|b| b"diuxXocspfFeEgG%".contains(b));
        let Some(end) = end else {
            return Err(ErrorKind::Unsupported("this printf format".into()));
        };
        let spec = &rest[..end];
        let conversion = rest[end];
        rest = &rest[end + 1..];
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let text = convert(call, spec, conversion, next)?;
        next += 1;
        pad(&mut out, spec, text);
    }
    call.output.extend(&out);
    Ok(Val::i32(out.len() as i32))
}

fn precision(spec: &[u8]) -> Option<usize> {
    let at = spec.iter().position(|&b| b == b'.')?;
    let digits: Vec<u8> = spec[at + 1..].iter().copied().take_while(u8::is_ascii_digit).collect();
    Some(String::from_utf8(digits).ok()?.parse().unwrap_or(0).min(1000))
}

fn convert(
    call: &HostCall<'_>,
    spec: &[u8],
    conversion: u8,
    index: usize,
) -> Result<Vec<u8>, ErrorKind> {
    let width = call.types.get(index).and_then(|ty| ty.int_bits()).unwrap_or(32);
    Ok(match conversion {
        b'd' | b'i' => signed(width, call.int(index)?).to_string().into_bytes(),
        b'u' => call.int(index)?.to_string().into_bytes(),
        b'x' => format!("{:x}", call.int(index)?).into_bytes(),
        b'X' => format!("{:X}", call.int(index)?).into_bytes(),
        b'o' => format!("{:o}", call.int(index)?).into_bytes(),
        b'c' => vec![call.int(index)? as u8],
        b's' => {
            let mut text = c_string(call, call.ptr(index)?)?;
            text.truncate(precision(spec).unwrap_or(usize::MAX));
            text
        }
        b'p' => format!("0x{:x}", call.ptr(index)?.addr).into_bytes(),
        _ => {
            let value = call.arg(index)?;
            let number = value.as_f64().ok_or(ErrorKind::UndefinedUse("an argument of printf"))?;
            let digits = precision(spec).unwrap_or(6);
            match conversion {
                b'f' | b'F' => format!("{number:.digits$}").into_bytes(),
                b'e' | b'E' => {
                    let text = format!("{number:.digits$e}");
                    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                    let exponent: i32 = exponent.parse().unwrap_or(0);
                    let sign = if exponent < 0 { '-' } else { '+' };
                    format!("{mantissa}e{sign}{:02}", exponent.abs()).into_bytes()
                }
                _ => format!("{number}").into_bytes(),
            }
        }
    })
}

fn pad(out: &mut Vec<u8>, spec: &[u8], text: Vec<u8>) {
    let flags = spec.iter().take_while(|b| b"-+ #0".contains(b)).count();
    let left = spec[..flags].contains(&b'-');
    let fill = if spec[..flags].contains(&b'0') && !left { b'0' } else { b' ' };
    let digits: Vec<u8> = spec[flags..].iter().copied().take_while(u8::is_ascii_digit).collect();
    let width: usize = String::from_utf8(digits).ok().and_then(|d| d.parse().ok()).unwrap_or(0);
    let missing = width.min(1 << 16).saturating_sub(text.len());
    if left {
        out.extend(text);
        out.extend(vec![b' '; missing]);
    } else {
        out.extend(vec![fill; missing]);
        out.extend(text);
    }
}
