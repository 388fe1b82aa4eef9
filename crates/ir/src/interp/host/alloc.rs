//! The heap.

use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::memory::{AllocKind, state};
use crate::interp::value::{Ptr, Val};
use std::sync::Arc;

pub(super) fn find(name: &str) -> Option<Arc<HostFn>> {
    Some(match name {
        "malloc" | "_Znwm" | "_Znam" => Arc::new(|call| {
            let size = call.size(0)?;
            Ok(Val::Ptr(call.memory.alloc(size, 16, AllocKind::Heap)?))
        }),
        "aligned_alloc" => Arc::new(|call| {
            let (align, size) = (call.size(0)?, call.size(1)?);
            if !align.is_power_of_two() {
                return Ok(Val::address(0));
            }
            Ok(Val::Ptr(call.memory.alloc(size, align, AllocKind::Heap)?))
        }),
        "calloc" => Arc::new(|call| {
            let Some(size) = call.size(0)?.checked_mul(call.size(1)?) else {
                return Ok(Val::address(0));
            };
            let ptr = call.memory.alloc(size, 16, AllocKind::Heap)?;
            call.memory.fill(ptr, 0, state::DEFINED, size)?;
            Ok(Val::Ptr(ptr))
        }),
        "realloc" => Arc::new(|call| {
            let (old, size) = (call.ptr(0)?, call.size(1)?);
            let new = call.memory.alloc(size, 16, AllocKind::Heap)?;
            if old.addr != 0 {
                let room = owned(call, old)?;
                call.memory.copy(new, old, room.min(size))?;
                call.memory.release(old.prov);
            }
            Ok(Val::Ptr(new))
        }),
        "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => Arc::new(|call| {
            let ptr = call.ptr(0)?;
            if ptr.addr != 0 {
                owned(call, ptr)?;
                let (prov, _) = call.memory.resolve(ptr, 0)?;
                call.memory.release(prov);
            }
            Ok(Val::Unit)
        }),
        _ => return None,
    })
}

/// The size of a heap block that starts here and was not released yet.
fn owned(call: &HostCall<'_>, ptr: Ptr) -> Result<u64, ErrorKind> {
    let (prov, offset) = call.memory.resolve(ptr, 0)?;
    match call.memory.get(prov) {
        Some(alloc) if alloc.kind == AllocKind::Heap && offset == 0 => Ok(alloc.size),
        _ => Err(ErrorKind::Undefined(format!(
            "{} of 0x{:x}, which no allocation returned",
            call.name, ptr.addr
        ))),
    }
}
