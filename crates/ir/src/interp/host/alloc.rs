//! The heap, of C, C++ and Rust.

use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::memory::{AllocKind, state};
use crate::interp::value::{Ptr, Val};
use std::sync::Arc;

pub(super) fn find(name: &str) -> Option<Arc<HostFn>> {
    // Rust's allocator has mangled names, with a hash of the compiler in front of these.
    if name.starts_with("_RNvC") && name.contains("7___rustc") {
        return name.rsplit_once("___rust_").and_then(|(_, last)| rust(last));
    }
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
                release(call, old)?;
            }
            Ok(Val::Ptr(new))
        }),
        "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => Arc::new(|call| {
            let ptr = call.ptr(0)?;
            if ptr.addr != 0 {
                release(call, ptr)?;
            }
            Ok(Val::Unit)
        }),
        _ => return None,
    })
}

fn rust(name: &str) -> Option<Arc<HostFn>> {
    Some(match name {
        "no_alloc_shim_is_unstable_v2" => Arc::new(|_| Ok(Val::Unit)),
        "alloc" => Arc::new(|call| {
            let (size, align) = (call.size(0)?, call.size(1)?);
            Ok(Val::Ptr(call.memory.alloc(size, align, AllocKind::Heap)?))
        }),
        "alloc_zeroed" => Arc::new(|call| {
            let (size, align) = (call.size(0)?, call.size(1)?);
            let ptr = call.memory.alloc(size, align, AllocKind::Heap)?;
            call.memory.fill(ptr, 0, state::DEFINED, size)?;
            Ok(Val::Ptr(ptr))
        }),
        "realloc" => Arc::new(|call| {
            let (old, align, size) = (call.ptr(0)?, call.size(2)?, call.size(3)?);
            let room = owned(call, old)?;
            let new = call.memory.alloc(size, align, AllocKind::Heap)?;
            call.memory.copy(new, old, room.min(size))?;
            release(call, old)?;
            Ok(Val::Ptr(new))
        }),
        "dealloc" => Arc::new(|call| {
            let ptr = call.ptr(0)?;
            release(call, ptr)?;
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

fn release(call: &mut HostCall<'_>, ptr: Ptr) -> Result<(), ErrorKind> {
    owned(call, ptr)?;
    let (prov, _) = call.memory.resolve(ptr, 0)?;
    call.memory.release(prov);
    Ok(())
}
