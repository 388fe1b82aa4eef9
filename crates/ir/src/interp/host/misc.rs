//! Intrinsics that say something rather than do something, stop the program, or ask about its surroundings.

use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::eval_int::undefined_use;
use crate::interp::memory::{AllocKind, Image, state};
use crate::interp::value::{Ptr, Val};
use crate::types::{FloatKind, Scalar, Type};
use std::sync::Arc;

/// Those whose result is all they do.
pub(super) fn find_pure(base: &str) -> Option<Arc<HostFn>> {
    let first: Arc<HostFn> = Arc::new(|call| call.arg(0).cloned());
    if let Some(register) = base.strip_prefix("nvvm.read.ptx.sreg.") {
        return special_register(register);
    }
    Some(match base {
        "expect"
        | "expect.with.probability"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "threadlocal.address"
        | "ptr.annotation"
        | "annotation"
        | "ssa.copy"
        | "arithmetic.fence" => first,
        "is.constant" => Arc::new(|call| {
            call.set_nondeterministic();
            Ok(Val::bool(false))
        }),
        "vscale" => Arc::new(|_| Ok(Val::Int(1))),
        "ptrmask" => Arc::new(|call| {
            let wide =
                call.types.get(1).and_then(|ty| ty.int_bits()).is_some_and(|bits| bits >= 64);
            call.lanes(|args| match (args[0], args[1]) {
                (Val::Ptr(ptr), Val::Int(mask)) => {
                    let mask = *mask as u64 | if wide { 0 } else { !(u64::from(u32::MAX)) };
                    Ok(Val::Ptr(Ptr { addr: ptr.addr & mask, ..*ptr }))
                }
                _ => Ok(Val::Poison),
            })
        }),
        _ => return None,
    })
}

pub(super) fn find(base: &str) -> Option<Arc<HostFn>> {
    let nothing: Arc<HostFn> = Arc::new(|_| Ok(Val::Unit));
    if base.starts_with("dbg.") {
        return Some(nothing);
    }
    Some(match base {
        "experimental.noalias.scope.decl"
        | "donothing"
        | "sideeffect"
        | "prefetch"
        | "stackrestore"
        | "va_end"
        | "var.annotation"
        | "invariant.end"
        | "debugtrap"
        | "pseudoprobe"
        | "fake.use"
        // In lock step, barriers have nothing left to do.
        | "nvvm.barrier0"
        | "nvvm.barrier.cta.sync.all"
        | "nvvm.barrier.cta.sync.aligned.all"
        | "nvvm.bar.warp.sync"
        | "amdgcn.s.barrier"
        | "codeview.annotation" => nothing,
        "lifetime.start" | "lifetime.end" => Arc::new(lifetime),
        "invariant.start" | "stacksave" | "frameaddress" | "returnaddress" => {
            Arc::new(|_| Ok(Val::address(0)))
        }
        "assume" => Arc::new(|call| match call.arg(0)? {
            Val::Int(0) => Err(ErrorKind::Undefined("an assumption that does not hold".into())),
            Val::Int(_) => Ok(Val::Unit),
            other => Err(undefined_use(other, "an assumption")),
        }),
        "trap" => Arc::new(|_| Err(ErrorKind::Stopped("llvm.trap".into()))),
        "ubsantrap" => {
            Arc::new(|call| Err(ErrorKind::Stopped(format!("llvm.ubsantrap({})", call.int(0)?))))
        }
        "objectsize" => Arc::new(object_size),
        "load.relative" => Arc::new(load_relative),
        "va_start" => Arc::new(va_start),
        "va_copy" => Arc::new(|call| {
            let (to, from) = (call.ptr(0)?, call.ptr(1)?);
            call.memory.copy(to, from, 24)?;
            Ok(Val::Unit)
        }),
        "readcyclecounter" | "readsteadycounter" => Arc::new(|call| {
            call.set_nondeterministic();
            Ok(Val::Int(0))
        }),
        "allow.runtime.check" | "allow.ubsan.check" => Arc::new(|_| Ok(Val::bool(true))),
        "get.rounding" => Arc::new(|_| Ok(Val::Int(1))),
        _ => return None,
    })
}

/// The W threads are one block of one dimension.
fn special_register(name: &str) -> Option<Arc<HostFn>> {
    Some(match name {
        "tid.x" | "laneid" => Arc::new(|call| Ok(Val::i32(call.thread as i32))),
        "ntid.x" | "warpsize" => Arc::new(|call| Ok(Val::i32(call.threads as i32))),
        "ntid.y" | "ntid.z" | "nctaid.x" | "nctaid.y" | "nctaid.z" => Arc::new(|_| Ok(Val::i32(1))),
        "tid.y" | "tid.z" | "ctaid.x" | "ctaid.y" | "ctaid.z" => Arc::new(|_| Ok(Val::i32(0))),
        _ => return None,
    })
}

/// Stack memory holds nothing before its life and after.
fn lifetime(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let Some(ptr) = call.args.last().and_then(Val::as_ptr) else { return Ok(Val::Unit) };
    let Some(alloc) = call.memory.get_mut(ptr.prov) else { return Ok(Val::Unit) };
    if alloc.kind == AllocKind::Stack && alloc.base == ptr.addr {
        alloc.states.fill(state::UNDEF);
    }
    Ok(Val::Unit)
}

/// How much of the object lies behind the pointer. A compiler that cannot see it says that it does not know.
fn object_size(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    call.set_nondeterministic();
    let width = call.ret.int_bits().ok_or_else(|| call.unsupported())?;
    let unknown = if call.int(1)? == 1 { 0 } else { -1 };
    let room = call.arg(0)?.as_ptr().and_then(|ptr| {
        let (prov, offset) = call.memory.resolve(ptr, 0).ok()?;
        Some(call.memory.get(prov)?.size.saturating_sub(offset))
    });
    Ok(Val::int(width, room.map_or(unknown, i128::from)))
}

/// `base + *(i32*)(base + offset)`.
fn load_relative(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let (base, offset) = (call.ptr(0)?, call.int(1)? as u64);
    let at = Ptr { addr: base.addr.wrapping_add(offset), ..base };
    let entry = crate::interp::eval_mem::load(call.sizes, call.memory, Type::I32, at)?;
    let Some(relative) = entry.as_signed(32) else {
        return Err(undefined_use(&entry, "a relative address"));
    };
    let addr = base.addr.wrapping_add(relative as u64);
    Ok(Val::Ptr(Ptr { addr, prov: call.memory.provenance_of(addr) }))
}

/// Fills in a `va_list` of x86-64 System V whose register area is used up: all arguments lie in the overflow area.
fn va_start(call: &mut HostCall<'_>) -> Result<Val, ErrorKind> {
    let mut area = Image::default();
    for value in call.varargs {
        let ty = match value {
            Val::Float(kind, _) => Type::Scalar(Scalar::Float(*kind)),
            Val::Ptr(_) => Type::PTR,
            Val::Elems(_) | Val::Big(_) => {
                return Err(ErrorKind::Unsupported("aggregates as variable arguments".into()));
            }
            _ => Type::I64,
        };
        if matches!(ty.float_kind(), Some(FloatKind::X86Fp80 | FloatKind::Fp128)) {
            area.pad_to(area.bytes.len().next_multiple_of(16));
        }
        call.sizes.encode(ty, value, &mut area)?;
        area.pad_to(area.bytes.len().next_multiple_of(8));
    }
    let overflow = call.memory.alloc(area.bytes.len() as u64, 16, AllocKind::Stack)?;
    call.stack.push(overflow.prov);
    call.memory.write(overflow, &area)?;
    let mut list = Image::default();
    list.push(&48u32.to_le_bytes(), state::DEFINED);
    list.push(&304u32.to_le_bytes(), state::DEFINED);
    call.sizes.encode(Type::PTR, &Val::Ptr(overflow), &mut list)?;
    call.sizes.encode(Type::PTR, &Val::address(0), &mut list)?;
    let to = call.ptr(0)?;
    call.memory.write(to, &list)?;
    Ok(Val::Unit)
}
