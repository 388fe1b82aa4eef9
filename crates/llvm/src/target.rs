//! Targets: what code is generated for, and the code as assembly or object.

use crate::error::{Error, Result};
use crate::ffi;
use crate::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::ffi::{CStr, CString, c_char};
use std::ptr::null_mut;
use std::sync::Once;

/// How much the code generator optimizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OptLevel {
    /// Not at all, as fast as it can.
    None,
    /// A little.
    Less,
    /// As `-O2` does.
    #[default]
    Default,
    /// As `-O3` does.
    Aggressive,
}

/// What to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Assembly text.
    Assembly,
    /// A relocatable object.
    Object,
}

/// A target with a CPU and features.
pub struct TargetMachine {
    raw: LLVMTargetMachineRef,
}

/// What the processor of this machine is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    /// Its target triple.
    pub triple: String,
    /// The name LLVM gives the processor.
    pub cpu: String,
    /// Its features in LLVM's notation: `+avx2,-sse4a,…`.
    pub features: String,
}

impl Host {
    /// Asks LLVM about this machine.
    pub fn detect() -> Host {
        // SAFETY: LLVM gives us strings that `take_message` disposes of.
        unsafe {
            Host {
                triple: take_message(LLVMGetDefaultTargetTriple()),
                cpu: take_message(LLVMGetHostCPUName()),
                features: take_message(LLVMGetHostCPUFeatures()),
            }
        }
    }

    /// Whether the processor has a feature.
    pub fn has(&self, feature: &str) -> bool {
        self.features.split(',').any(|f| f.strip_prefix('+') == Some(feature))
    }
}

impl TargetMachine {
    /// This machine, with all its features.
    pub fn host(level: OptLevel) -> Result<TargetMachine> {
        let host = Host::detect();
        TargetMachine::new(&host.triple, &host.cpu, &host.features, level)
    }

    /// The target of a triple, for a CPU (empty: generic) with features (`+avx2,…`).
    pub fn new(triple: &str, cpu: &str, features: &str, level: OptLevel) -> Result<TargetMachine> {
        let text =
            |s: &str| CString::new(s).map_err(|_| Error::Llvm(format!("`{s}` contains NUL")));
        let (name, cpu, features) = (text(triple)?, text(cpu)?, text(features)?);
        let level = match level {
            OptLevel::None => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            OptLevel::Less => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            OptLevel::Default => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            OptLevel::Aggressive => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        let mut target = null_mut();
        let mut message: *mut c_char = null_mut();
        register_targets();
        // SAFETY: strings live for the calls.
        let raw = unsafe {
            if LLVMGetTargetFromTriple(name.as_ptr(), &mut target, &mut message) != 0 {
                return Err(Error::Llvm(take_message(message)));
            }
            LLVMCreateTargetMachine(
                target,
                name.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            )
        };
        if raw.is_null() {
            return Err(Error::Llvm(format!("no machine for `{triple}`")));
        }
        Ok(TargetMachine { raw })
    }

    pub(crate) fn raw(&self) -> LLVMTargetMachineRef {
        self.raw
    }

    /// The data-layout string of the target.
    pub fn layout_text(&self) -> String {
        // SAFETY: the layout is ours and disposed of; so is the text.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(self.raw);
            let text = take_message(LLVMCopyStringRepOfTargetData(layout));
            LLVMDisposeTargetData(layout);
            text
        }
    }

    /// The code for a module. The module takes the triple and layout of the target where it has none.
    pub fn generate(&self, module: &mut Module<'_>, kind: FileKind) -> Result<Vec<u8>> {
        if module.triple().is_empty() {
            // SAFETY: LLVM gives us the string.
            module.set_triple(&unsafe { take_message(LLVMGetTargetMachineTriple(self.raw)) });
        }
        if module.layout_text().is_empty() {
            module.set_layout_text(&self.layout_text())?;
        }
        let kind = match kind {
            FileKind::Assembly => LLVMCodeGenFileType::LLVMAssemblyFile,
            FileKind::Object => LLVMCodeGenFileType::LLVMObjectFile,
        };
        let mut message: *mut c_char = null_mut();
        let mut buffer: LLVMMemoryBufferRef = null_mut();
        // SAFETY: module and target are alive; the buffer is ours and disposed of after it was copied.
        unsafe {
            let failed = LLVMTargetMachineEmitToMemoryBuffer(
                self.raw,
                module.raw(),
                kind,
                &mut message,
                &mut buffer,
            );
            if failed != 0 {
                return Err(Error::Llvm(take_message(message)));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = ffi::slice(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            let complaints = module.context().take_diagnostics();
            if complaints.is_empty() { Ok(bytes) } else { Err(Error::Llvm(complaints)) }
        }
    }
}

/// Registers all targets, once: LLVM's list of them is not made for two threads that add to it.
fn register_targets() {
    static REGISTERED: Once = Once::new();
    // SAFETY: nobody else registers targets.
    REGISTERED.call_once(|| unsafe {
        LLVM_InitializeAllTargetInfos();
        LLVM_InitializeAllTargets();
        LLVM_InitializeAllTargetMCs();
        LLVM_InitializeAllAsmPrinters();
        LLVM_InitializeAllAsmParsers();
    });
}

impl Drop for TargetMachine {
    fn drop(&mut self) {
        // SAFETY: ours, disposed of once.
        unsafe { LLVMDisposeTargetMachine(self.raw) }
    }
}

/// The text of a message that LLVM gives us, which is disposed of.
///
/// # Safety
/// `message` must be null or a string that the caller owns.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for the string.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
