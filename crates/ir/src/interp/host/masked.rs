//! Masked memory accesses of vectors: lanes that are off touch no memory.
//!
//! LLVM 22 writes the alignment as an attribute of the pointer; older versions have it as an operand. Both are read.

use super::vector::lanes;
use super::{HostCall, HostFn};
use crate::interp::error::ErrorKind;
use crate::interp::eval_int::undefined_use;
use crate::interp::eval_mem::{load, pointer, store};
use crate::interp::memory::Image;
use crate::interp::value::{Ptr, Val};
use crate::types::{Scalar, Type};
use std::sync::Arc;

pub(super) fn find(base: &str) -> Option<Arc<HostFn>> {
    Some(match base {
        "masked.load" => Arc::new(|call| read(call, Places::Row)),
        "masked.gather" => Arc::new(|call| read(call, Places::Lanes)),
        "masked.expandload" => Arc::new(|call| read(call, Places::Packed)),
        "masked.store" => Arc::new(|call| write(call, Places::Row)),
        "masked.scatter" => Arc::new(|call| write(call, Places::Lanes)),
        "masked.compressstore" => Arc::new(|call| write(call, Places::Packed)),
        _ => return None,
    })
}

/// Where the lanes lie.
#[derive(Clone, Copy, PartialEq)]
enum Places {
    /// One after the other.
    Row,
    /// Each at its own address.
    Lanes,
    /// One after the other, without gaps for lanes that are off.
    Packed,
}

/// The operands without an alignment operand.
fn operands(call: &HostCall<'_>) -> Vec<(Val, Type)> {
    let is_align = |ty: &Type| matches!(ty, Type::Scalar(Scalar::Int(_)));
    call.args
        .iter()
        .cloned()
        .zip(call.types.iter().copied())
        .filter(|(_, ty)| !is_align(ty))
        .collect()
}

fn is_on(mask: &Val, lane: usize) -> Result<bool, ErrorKind> {
    let bit = mask.element(lane);
    bit.as_bool().ok_or_else(|| undefined_use(bit, "the mask of a memory access"))
}

fn place(
    call: &HostCall<'_>,
    places: Places,
    base: &Val,
    elem: Type,
    lane: usize,
    used: u64,
) -> Result<Ptr, ErrorKind> {
    let size = call.sizes.store_size(elem)?;
    let at = match places {
        Places::Lanes => return pointer(base.element(lane)),
        Places::Row => lane as u64,
        Places::Packed => used,
    };
    let ptr = pointer(base)?;
    Ok(Ptr { addr: ptr.addr.wrapping_add(at * size), ..ptr })
}

/// `pointer(s), mask, passthru`; `expandload` too.
fn read(call: &mut HostCall<'_>, places: Places) -> Result<Val, ErrorKind> {
    let operands = operands(call);
    let [(base, _), (mask, _), (pass, _)] = operands.as_slice() else {
        return Err(call.unsupported());
    };
    let elem = call.ret.scalar().map(Type::Scalar).ok_or_else(|| call.unsupported())?;
    let mut used = 0;
    let mut all = Vec::new();
    for lane in 0..lanes(call.ret) {
        if is_on(mask, lane)? {
            let ptr = place(call, places, base, elem, lane, used)?;
            all.push(load(call.sizes, call.memory, elem, ptr)?);
            used += 1;
        } else {
            all.push(pass.element(lane).clone());
        }
    }
    Ok(Val::elems(all))
}

/// `value, pointer(s), mask`.
fn write(call: &mut HostCall<'_>, places: Places) -> Result<Val, ErrorKind> {
    let operands = operands(call);
    let [(value, ty), (base, _), (mask, _)] = operands.as_slice() else {
        return Err(call.unsupported());
    };
    let elem = ty.scalar().map(Type::Scalar).ok_or_else(|| call.unsupported())?;
    let mut used = 0;
    for lane in 0..lanes(*ty) {
        if is_on(mask, lane)? {
            let ptr = place(call, places, base, elem, lane, used)?;
            store(call.sizes, call.memory, elem, ptr, value.element(lane), &mut Image::default())?;
            used += 1;
        }
    }
    Ok(Val::Unit)
}
