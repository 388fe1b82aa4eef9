//! Blocks of memory: `memcpy` and its kin, as intrinsics and as C functions, and strings.

use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::memory::state;
use crate::interp::value::{Ptr, Val};
use std::sync::Arc;

pub(super) fn find(name: &str) -> Option<Arc<HostFn>> {
    Some(match name {
        "memcpy" | "__memcpy_chk" => Arc::new(|call| copy(call, false)),
        "memmove" | "__memmove_chk" => Arc::new(|call| copy(call, true)),
        "memset" | "__memset_chk" => Arc::new(fill),
        "memcmp" | "bcmp" => Arc::new(|call| {
            let (a, b, size) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
            if size == 0 {
                return Ok(Val::i32(0));
            }
            let order = defined(call, a, size)?.cmp(&defined(call, b, size)?);
            Ok(Val::i32(order as i32))
        }),
        "memchr" => Arc::new(|call| {
            let (ptr, byte, size) = (call.ptr(0)?, call.int(1)? as u8, call.size(2)?);
            let found = if size == 0 {
                None
            } else {
                defined(call, ptr, size)?.iter().position(|&b| b == byte)
            };
            Ok(found
                .map_or(Val::address(0), |i| Val::Ptr(Ptr { addr: ptr.addr + i as u64, ..ptr })))
        }),
        "strlen" => Arc::new(|call| {
            let ptr = call.ptr(0)?;
            Ok(Val::i64(c_string(call, ptr)?.len() as i64))
        }),
        "strcmp" => Arc::new(|call| {
            let (a, b) = (call.ptr(0)?, call.ptr(1)?);
            let order = c_string(call, a)?.cmp(&c_string(call, b)?);
            Ok(Val::i32(order as i32))
        }),
        _ => return None,
    })
}

pub(super) fn find_intrinsic(base: &str) -> Option<Arc<HostFn>> {
    Some(match base {
        "memcpy" | "memcpy.inline" => Arc::new(|call| copy(call, false).map(|_| Val::Unit)),
        "memmove" => Arc::new(|call| copy(call, true).map(|_| Val::Unit)),
        "memset" | "memset.inline" => Arc::new(|call| fill(call).map(|_| Val::Unit)),
        _ => return None,
    })
}

fn copy(call: &mut HostCall<'_>, may_overlap: bool) -> Result<Val, ErrorKind> {
    let size = call.size(2)?;
    if size == 0 {
        return Ok(call.arg(0)?.clone());
    }
    let (to, from) = (call.ptr(0)?, call.ptr(1)?);
    let distance = to.addr.abs_diff(from.addr);
    if !may_overlap && distance < size && distance != 0 {
        let what = format!("memcpy of {size} bytes between places that overlap; use memmove");
        return Err(ErrorKind::Undefined(what));
    }
    call.memory.copy(to, from, size)?;
    Ok(Val::Ptr(to))
}

fn fill(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let size = call.size(2)?;
    if size == 0 {
        return Ok(call.arg(0)?.clone());
    }
    let to = call.ptr(0)?;
    let (byte, byte_state) = match call.arg(1)? {
        Val::Int(byte) => (*byte as u8, state::DEFINED),
        Val::Poison => (0, state::POISON),
        _ => (0, state::UNDEF),
    };
    call.memory.fill(to, byte, byte_state, size)?;
    Ok(Val::Ptr(to))
}

/// Bytes that must be defined.
pub(super) fn defined(call: &HostCall<'_>, ptr: Ptr, size: u64) -> Result<Vec<u8>, ErrorKind> {
    let piece = call.memory.read(ptr, size)?;
    if piece.states.iter().any(|&s| s == state::UNDEF || s == state::POISON) {
        return Err(ErrorKind::UndefinedUse("memory that a host function reads"));
    }
    Ok(piece.bytes.to_vec())
}

/// The bytes up to a zero.
pub(super) fn c_string(call: &HostCall<'_>, ptr: Ptr) -> Result<Vec<u8>, ErrorKind> {
    let mut text = Vec::new();
    loop {
        let at = Ptr { addr: ptr.addr.wrapping_add(text.len() as u64), ..ptr };
        match defined(call, at, 1)?[0] {
            0 => return Ok(text),
            byte => text.push(byte),
        }
    }
}
