//! What code costs, by LLVM's tables of the target: reciprocal throughput, in units of a simple instruction.

use crate::bridge::{Bridge, Origins, SideTable};
use crate::emit;
use crate::error::Result;
use crate::ffi;
use crate::import;
use crate::loops::likelihoods;
use crate::target::TargetMachine;
use llvm_sys::core::LLVMGetLastFunction;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use lw_ir::{Function, Inst};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;

/// LLVM's cost tables.
pub struct CostTables<'a> {
    analyses: *mut c_void,
    owned: *mut ffi::TablesImpl,
    lent: PhantomData<&'a ()>,
}

/// A function as LLVM simplifies it, and what its instructions cost.
pub struct Costed {
    /// The function.
    pub function: Function,
    /// By the [origins](lw_ir::Origin) of its instructions; `None` if the target cannot do it.
    pub costs: Vec<Option<f64>>,
    /// The origins of branches, and how likely each goes to its first target, as far as that is known.
    pub likelihoods: Vec<(u32, f64)>,
}

impl<'a> CostTables<'a> {
    /// Those of the compiler that runs us as a plug-in.
    ///
    /// # Safety
    /// `analyses` is a `FunctionAnalysisManager` with LLVM's analyses that nobody else uses while the tables live.
    pub unsafe fn lent(analyses: *mut c_void) -> CostTables<'a> {
        CostTables { analyses, owned: null_mut(), lent: PhantomData }
    }

    /// Those of a target. What functions say of their processor counts.
    pub fn of(machine: &'a TargetMachine) -> CostTables<'a> {
        // SAFETY: the machine outlives the tables, and `Drop` frees them once.
        unsafe {
            let owned = ffi::lw_tables(machine.raw());
            CostTables { analyses: ffi::lw_tables_analyses(owned), owned, lent: PhantomData }
        }
    }

    /// The costs of instructions of a function, each done for so many lanes at once.
    ///
    /// # Safety
    /// They are alive and belong to the function.
    unsafe fn costs(
        &self,
        function: LLVMValueRef,
        insts: &[LLVMValueRef],
        lanes: u32,
    ) -> Vec<Option<f64>> {
        let mut costs = vec![0.0; insts.len()];
        let (first, out) = (insts.as_ptr(), costs.as_mut_ptr());
        // SAFETY: as promised; the table is as long as we say.
        unsafe { ffi::lw_costs(self.analyses, function, first, insts.len(), lanes, out) };
        costs.into_iter().map(|cost| (cost >= 0.0).then_some(cost)).collect()
    }
}

impl Drop for CostTables<'_> {
    fn drop(&mut self) {
        if !self.owned.is_null() {
            // SAFETY: made by `of`, freed once.
            unsafe { ffi::lw_tables_free(self.owned) }
        }
    }
}

impl Bridge<'_, '_> {
    /// What the instructions of a function cost as they are, by their origins; `None` if the target cannot do one.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn costs(&self, tables: &CostTables<'_>, origins: &Origins) -> Result<Vec<Option<f64>>> {
        self.costs_of_lanes(tables, origins, 1)
    }

    /// The same if each instruction is done for so many lanes at once, of which each has its own values.
    ///
    /// # Errors
    /// If the body was replaced in the meantime.
    pub fn costs_of_lanes(
        &self,
        tables: &CostTables<'_>,
        origins: &Origins,
        lanes: u32,
    ) -> Result<Vec<Option<f64>>> {
        let raw = self.check(origins)?;
        // SAFETY: the body was not replaced, so the instructions are alive.
        Ok(unsafe { tables.costs(raw, &origins.side.insts, lanes) })
    }

    /// What a function would cost that is not part of the module: it is built, simplified, looked at and deleted. `likely` says of
    /// branches how likely they go to their first target.
    ///
    /// # Errors
    /// If the function cannot be built. The module is as it was either way.
    pub fn costs_of(
        &mut self,
        tables: &CostTables<'_>,
        function: &Function,
        likely: impl Fn(Inst) -> Option<f64>,
    ) -> Result<Costed> {
        let mut function = function.clone();
        function.name = "laneweaver.costs".into();
        // SAFETY: the module is alive; nobody else uses it.
        let last = unsafe { LLVMGetLastFunction(self.module.raw()) };
        let module = self.module.raw();
        let mut scratch = Scratch { analyses: tables.analyses, module, function: null_mut(), last };
        scratch.function = emit::add_scratch(self, &function, &likely)?;
        let raw = scratch.function;
        // SAFETY: the analyses are those of LLVM, and the function was just built.
        unsafe { ffi::lw_simplify(tables.analyses, raw) };
        let (function, SideTable { insts, .. }) = import::function(self, raw);
        // SAFETY: the instructions are those of the function.
        let (costs, likelihoods) = unsafe { (tables.costs(raw, &insts, 1), likelihoods(&insts)) };
        Ok(Costed { function, costs, likelihoods })
    }
}

/// A function that is built to be looked at, and what is declared for it: gone when we are done, whatever happens.
struct Scratch {
    analyses: *mut c_void,
    module: LLVMModuleRef,
    /// Null as long as it is not built.
    function: LLVMValueRef,
    /// The function that was the last one of the module before.
    last: LLVMValueRef,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: nothing mentions the function any more, nor what was declared for it.
        unsafe { ffi::lw_drop_scratch(self.analyses, self.module, self.function, self.last) }
    }
}
