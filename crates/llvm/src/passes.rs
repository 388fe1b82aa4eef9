//! LLVM's pass pipelines, by text as for `opt -passes=…`.

use crate::error::{Error, Result};
use crate::module::Module;
use crate::target::TargetMachine;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, CString};
use std::ptr::null_mut;

impl Module<'_> {
    /// Runs a pipeline such as `default<O2>` or `function(mem2reg,loop-simplify,lcssa)`, and checks the result.
    ///
    /// With a target, passes know its costs and features.
    pub fn run_passes(&mut self, pipeline: &str, target: Option<&TargetMachine>) -> Result<()> {
        let text = CString::new(pipeline)
            .map_err(|_| Error::Llvm("the pipeline contains NUL".to_string()))?;
        let machine = target.map_or(null_mut(), TargetMachine::raw);
        // SAFETY: the module and the target are alive; options are ours and disposed of.
        let error = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw(), text.as_ptr(), machine, options);
            LLVMDisposePassBuilderOptions(options);
            error
        };
        check(error)?;
        self.verify()
    }
}

/// An error of LLVM as one of ours.
pub(crate) fn check(error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is not null and consumed here; the message is copied and disposed of.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(Error::Llvm(text))
    }
}
