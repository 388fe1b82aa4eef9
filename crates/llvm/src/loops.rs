//! Loops that the user marked for vectorization: what the marks say, whether LLVM's analyses let iterations be done together, and
//! remarks at their lines.

use crate::bridge::{Bridge, FunctionId, Origins};
use crate::error::Result;
use crate::ffi::{self, Text};
use crate::module::Module;
use crate::variants::RemarkKind;
use llvm_sys::prelude::LLVMValueRef;

/// A loop of an imported function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkedLoop {
    /// The [origin](lw_ir::Origin) of the terminator of its latch, by which it is named.
    pub latch: u32,
    /// How many iterations are to be done together, if the user said so.
    pub width: Option<u32>,
    /// Whether the user promises that iterations do not depend on each other through memory.
    pub parallel: bool,
    /// Whether it is a loop of OpenMP, in which sums may be computed in another order. Only known behind
    /// [`Module::keep_marked_loops`].
    pub openmp: bool,
}

impl Module<'_> {
    /// Notes at the start of LLVM's pipeline what its passes forget about marked loops, and keeps them from being unrolled. Whether
    /// there were any.
    pub fn keep_marked_loops(&mut self) -> bool {
        // SAFETY: the module is alive, and nobody else uses it.
        unsafe { ffi::lw_keep_marked_loops(self.raw()) }
    }

    /// Whether a function has marked loops.
    pub fn has_marked_loops(&self) -> bool {
        // SAFETY: the functions belong to this module and have bodies.
        self.raw_functions().into_iter().any(|f| unsafe { ffi::lw_has_marked_loops(f) })
    }
}

impl Bridge<'_, '_> {
    /// The functions with marked loops.
    pub fn functions_with_marked_loops(&self) -> Vec<FunctionId> {
        // SAFETY: the functions belong to the module of this bridge and have bodies.
        let marked = |&id: &FunctionId| unsafe { ffi::lw_has_marked_loops(self.raw(id)) };
        self.functions().into_iter().filter(marked).collect()
    }

    /// The marked loops of an imported function, or `all` loops that nobody excluded; outer ones first.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn loops(&mut self, origins: &Origins, all: bool) -> Result<Vec<MarkedLoop>> {
        let function = self.check(origins)?;
        let mut list = std::ptr::null();
        // SAFETY: the function is alive; the list lies in the scratch, which lives until the copy is made.
        let marks = unsafe {
            let count = ffi::lw_loops(function, all, self.scratch.raw(), &mut list);
            ffi::slice(list, count).to_vec()
        };
        let find = |inst| origins.side.insts.iter().position(|&known| known == inst);
        let of = |mark: &ffi::LoopMarkDesc| {
            Some(MarkedLoop {
                latch: find(mark.terminator)? as u32,
                width: (mark.width > 0).then_some(mark.width),
                parallel: mark.flags & 1 != 0,
                openmp: mark.flags & 2 != 0,
            })
        };
        Ok(marks.iter().filter_map(of).collect())
    }

    fn inst(&self, origins: &Origins, origin: u32) -> Result<Option<LLVMValueRef>> {
        self.check(origins)?;
        Ok(origins.side.insts.get(origin as usize).copied())
    }

    /// Why `width` iterations of a loop cannot be done together, as far as LLVM's dependence analysis can tell; `None` if they can.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn conflict(&self, origins: &Origins, latch: u32, width: u32) -> Result<Option<String>> {
        let Some(terminator) = self.inst(origins, latch)? else { return Ok(None) };
        // SAFETY: the instruction is alive; the text is given to us.
        let text = unsafe { ffi::lw_loop_conflict(terminator, width).take() };
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok((!text.is_empty()).then_some(text))
    }

    /// Says what became of a loop: what is left of one that was vectorized is not vectorized again, and one that was not has the
    /// marks that the user gave it.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn settle_loop(&mut self, origins: &Origins, latch: u32, vectorized: bool) -> Result<()> {
        let Some(terminator) = self.inst(origins, latch)? else { return Ok(()) };
        // SAFETY: the instruction is alive.
        unsafe {
            match vectorized {
                true => ffi::lw_set_loop_vectorized(terminator),
                false => ffi::lw_release_loop(terminator),
            }
        }
        Ok(())
    }

    /// A remark at the line of an instruction, or of the loop whose latch it ends if it is about the `whole` loop.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn remark_at(
        &self,
        origins: &Origins,
        origin: u32,
        whole: bool,
        kind: RemarkKind,
        name: &str,
        message: &str,
    ) -> Result<()> {
        let Some(inst) = self.inst(origins, origin)? else { return Ok(()) };
        let (name, message) = (Text::new(name.as_bytes()), Text::new(message.as_bytes()));
        // SAFETY: the instruction is alive; the texts are copied.
        unsafe { ffi::lw_remark_at(inst, whole, kind as u32, name, message) };
        Ok(())
    }
}
