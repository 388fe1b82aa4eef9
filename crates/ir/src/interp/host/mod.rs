//! The table of host functions: what programs call and no module defines. One family per file.

mod alloc;
pub(crate) mod float;
mod int;
mod masked;
mod math;
mod mem;
mod misc;
mod stdio;
mod vector;

use super::bytes::Sizes;
use super::error::ErrorKind;
use super::eval_int::{undefined, undefined_use};
use super::memory::Memory;
use super::value::{Provenance, Ptr, Val};
use crate::flags::Flags;
use crate::types::Type;
use std::sync::Arc;

/// A function of the host, called once for each active thread in thread order.
pub type HostFn = dyn Fn(&mut HostCall<'_>) -> Result<Val, ErrorKind> + Send + Sync;

/// A host function by name.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) function: Arc<HostFn>,
    /// Whether the result is all it does, so that ⊤ in gives ⊤ out and is no error yet.
    pub(crate) pure: bool,
}

/// A call of a host function by one thread.
pub struct HostCall<'a> {
    pub(crate) name: &'a str,
    /// The arguments.
    pub args: &'a [Val],
    /// The types of the arguments.
    pub types: &'a [Type],
    /// The type of the result.
    pub ret: Type,
    pub(crate) flags: Flags,
    pub(crate) sizes: Sizes<'a>,
    /// The memory of the machine.
    pub memory: &'a mut Memory,
    /// What the program prints.
    pub output: &'a mut Vec<u8>,
    /// Allocations to be released when the caller returns.
    pub(crate) stack: &'a mut Vec<Provenance>,
    /// The variable arguments of the caller.
    pub(crate) varargs: &'a [Val],
    /// The thread that calls.
    pub thread: usize,
    /// The number W of threads.
    pub threads: usize,
    pub(crate) loose: &'a mut bool,
}

impl HostCall<'_> {
    /// An argument.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn arg(&self, index: usize) -> Result<&Val, ErrorKind> {
        let missing = || {
            ErrorKind::Undefined(format!(
                "a call of {} with {} arguments",
                self.name,
                self.args.len()
            ))
        };
        self.args.get(index).ok_or_else(missing)
    }

    /// An argument that must be a defined integer.
    ///
    /// # Errors
    /// If it is none.
    pub fn int(&self, index: usize) -> Result<u128, ErrorKind> {
        let value = self.arg(index)?;
        value.as_u128().ok_or_else(|| undefined_use(value, "an argument of a host function"))
    }

    /// An argument that must be a defined integer of at most 64 bits.
    ///
    /// # Errors
    /// If it is none.
    pub fn size(&self, index: usize) -> Result<u64, ErrorKind> {
        let value = self.int(index)?;
        u64::try_from(value)
            .map_err(|_| ErrorKind::Undefined(format!("{} with a size of {value}", self.name)))
    }

    /// An argument that must be a defined pointer.
    ///
    /// # Errors
    /// If it is none.
    pub fn ptr(&self, index: usize) -> Result<Ptr, ErrorKind> {
        super::eval_mem::pointer(self.arg(index)?)
    }

    /// Says that another execution may yield another result.
    pub fn set_nondeterministic(&mut self) {
        *self.loose = true;
    }

    /// `f` on each lane of the result. Arguments that are no vectors are the same on every lane. Where one is
    /// undefined, so is the result.
    pub(crate) fn lanes(
        &self,
        mut f: impl FnMut(&[&Val]) -> Result<Val, ErrorKind>,
    ) -> Result<Val, ErrorKind> {
        self.lanes_of(self.ret, &mut f)
    }

    pub(crate) fn lanes_of(
        &self,
        ty: Type,
        f: &mut dyn FnMut(&[&Val]) -> Result<Val, ErrorKind>,
    ) -> Result<Val, ErrorKind> {
        let mut one = |lane: usize| {
            let pick = |(arg, ty): (&'_ Val, &Type)| -> Val {
                if ty.lanes().is_some() { arg.element(lane).clone() } else { arg.clone() }
            };
            let picked: Vec<Val> = self.args.iter().zip(self.types).map(pick).collect();
            match undefined(&picked) {
                Some(undefined) => Ok(undefined),
                None => f(&picked.iter().collect::<Vec<_>>()),
            }
        };
        match ty.lanes() {
            None => one(0),
            Some(lanes) => {
                let all: Result<Vec<Val>, ErrorKind> = (0..lanes.count as usize).map(one).collect();
                Ok(Val::elems(all?))
            }
        }
    }

    pub(crate) fn unsupported(&self) -> ErrorKind {
        ErrorKind::Unsupported(format!("this form of {}", self.name))
    }
}

/// The built-in host function of a name.
pub(crate) fn find(name: &str) -> Option<Host> {
    let host = |function: Arc<HostFn>, pure: bool| Some(Host { name: name.into(), function, pure });
    let Some(intrinsic) = name.strip_prefix("llvm.") else {
        let libraries = [math::find, mem::find, alloc::find, stdio::find];
        return libraries
            .iter()
            .find_map(|find| find(name))
            .and_then(|function| host(function, false));
    };
    // The suffix names the types: cut it piece by piece until a family knows the rest.
    let mut base = intrinsic;
    loop {
        let pure = [int::find, float::find, vector::find, misc::find_pure];
        if let Some(function) = pure.iter().find_map(|find| find(base)) {
            return host(function, true);
        }
        let math = if math::is_intrinsic(base) { math::find(base) } else { None };
        if let Some(function) = math {
            return host(function, true);
        }
        let effects = [mem::find_intrinsic, masked::find, misc::find];
        if let Some(function) = effects.iter().find_map(|find| find(base)) {
            return host(function, false);
        }
        base = base.rsplit_once('.')?.0;
    }
}
