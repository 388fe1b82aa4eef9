//! Running what was generated, in this process.

use crate::error::{Error, Result};
use crate::module::Module;
use crate::passes::check;
use crate::target::{FileKind, TargetMachine};
use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;
use std::ffi::CString;
use std::ptr::null_mut;

/// Machine code of modules, loaded into this process by ORC.
pub struct Jit {
    raw: LLVMOrcLLJITRef,
}

impl Jit {
    /// An empty JIT. Functions of this process (the C library among them) can be called from the code it loads.
    pub fn new() -> Result<Jit> {
        let mut raw = null_mut();
        // SAFETY: a null builder asks for the defaults; initialization may happen any number of times.
        unsafe {
            llvm_sys::target::LLVM_InitializeNativeTarget();
            llvm_sys::target::LLVM_InitializeNativeAsmPrinter();
            check(LLVMOrcCreateLLJIT(&mut raw, null_mut()))?;
        }
        let jit = Jit { raw };
        let mut generator = null_mut();
        // SAFETY: the JIT is alive; the generator is handed over to its library.
        unsafe {
            check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                &mut generator,
                LLVMOrcLLJITGetGlobalPrefix(raw),
                None,
                null_mut(),
            ))?;
            LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(raw), generator);
        }
        Ok(jit)
    }

    /// Generates code for `module` and loads it.
    pub fn add(&mut self, module: &mut Module<'_>, target: &TargetMachine) -> Result<()> {
        let object = target.generate(module, FileKind::Object)?;
        // SAFETY: the buffer is a copy that the JIT takes over.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                c"module.o".as_ptr(),
            );
            let library = LLVMOrcLLJITGetMainJITDylib(self.raw);
            check(LLVMOrcLLJITAddObjectFile(self.raw, library, buffer))
        }
    }

    /// The address of a function or variable.
    ///
    /// Calling through it is up to the caller, who must know its type; it stays valid as long as the JIT lives.
    pub fn address(&self, name: &str) -> Result<u64> {
        let text = CString::new(name).map_err(|_| Error::Llvm(format!("`{name}` contains NUL")))?;
        let mut address = 0;
        // SAFETY: the JIT is alive and the name ends with NUL.
        unsafe { check(LLVMOrcLLJITLookup(self.raw, &mut address, text.as_ptr()))? };
        Ok(address)
    }

    /// Calls the function `name` of type `void (ptr)` with the address of `memory`.
    ///
    /// # Safety
    /// The function must have that type, and must only do what this process can bear: touch `memory` and its own
    /// variables, and return.
    pub unsafe fn call_packed(&self, name: &str, memory: &mut [u8]) -> Result<()> {
        let address = self.address(name)?;
        // SAFETY: the caller vouches for the function behind the address.
        unsafe {
            let function: extern "C" fn(*mut u8) = std::mem::transmute(address as usize);
            function(memory.as_mut_ptr());
        }
        Ok(())
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: ours, disposed of once. What it has to say about failing to clean up helps nobody.
        unsafe { drop(check(LLVMOrcDisposeLLJIT(self.raw))) }
    }
}
