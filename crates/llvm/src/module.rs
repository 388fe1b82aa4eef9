//! Contexts and modules, owned and borrowed as Rust wants it: a module cannot outlive its context.

use crate::error::{Error, Result};
use crate::ffi::{self, Counts, Text};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::{CStr, CString, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;

/// An LLVM context: the owner of types and constants.
pub struct Context {
    raw: LLVMContextRef,
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl Context {
    /// A new context. LLVM's complaints are kept instead of printed.
    pub fn new() -> Context {
        // SAFETY: creating a context has no preconditions; `Drop` disposes of it once.
        unsafe {
            let raw = LLVMContextCreate();
            ffi::lw_collect_diagnostics(raw);
            Context { raw }
        }
    }

    pub(crate) fn raw(&self) -> LLVMContextRef {
        self.raw
    }

    /// The errors LLVM reported since the last call.
    pub(crate) fn take_diagnostics(&self) -> String {
        // SAFETY: the context is alive and has our handler.
        let text = unsafe { ffi::lw_take_diagnostics(self.raw).take() };
        String::from_utf8_lossy(&text).into_owned()
    }

    /// An empty module.
    pub fn new_module(&self, name: &str) -> Module<'_> {
        let name = CString::new(name.replace('\0', "")).unwrap_or_default();
        // SAFETY: the context is alive and the name ends with NUL.
        let raw = unsafe { LLVMModuleCreateWithNameInContext(name.as_ptr(), self.raw) };
        Module { raw, context: self }
    }

    /// Reads a `.ll` or `.bc` file and checks it with LLVM's verifier.
    pub fn read_module(&self, path: &Path) -> Result<Module<'_>> {
        let data = std::fs::read(path).map_err(|source| Error::Io { path: path.into(), source })?;
        self.parse_module(&data, &path.display().to_string())
    }

    /// Reads LLVM's text or bitcode and checks it with LLVM's verifier. `name` stands in messages.
    pub fn parse_module(&self, data: &[u8], name: &str) -> Result<Module<'_>> {
        // LLVM's reader wants a NUL behind the text.
        let mut owned = data.to_vec();
        owned.push(0);
        let (mut line, mut column) = (0, 0);
        let mut message = Text::default();
        // SAFETY: the buffers live for the call; on failure the shim gives us the message.
        let raw = unsafe {
            ffi::lw_parse_ir(
                self.raw,
                Text::new(&owned[..data.len()]),
                Text::new(name.as_bytes()),
                &mut line,
                &mut column,
                &mut message,
            )
        };
        if raw.is_null() {
            // SAFETY: set by the shim because it returned null.
            let mut message = String::from_utf8_lossy(&unsafe { message.take() }).into_owned();
            let more = self.take_diagnostics();
            if !more.is_empty() && !message.contains(&more) {
                message = format!("{message}: {more}");
            }
            let line = (line > 0).then_some((line, column));
            return Err(Error::Parse { name: name.into(), line, message });
        }
        let module = Module { raw, context: self };
        module.verify()?;
        Ok(module)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// An LLVM module.
pub struct Module<'ctx> {
    raw: LLVMModuleRef,
    context: &'ctx Context,
}

impl Module<'_> {
    /// Works on a module that belongs to somebody else: the compiler that runs us as a plug-in.
    ///
    /// # Safety
    /// `raw` is an `LLVMModuleRef` that is alive, and nobody else uses the module or its context until this returns.
    pub unsafe fn lent<R>(raw: *mut c_void, work: impl FnOnce(&mut Module<'_>) -> R) -> R {
        let raw: LLVMModuleRef = raw.cast();
        // SAFETY: the module is alive. Neither it nor its context is ours to dispose of.
        let context = ManuallyDrop::new(Context { raw: unsafe { LLVMGetModuleContext(raw) } });
        work(&mut ManuallyDrop::new(Module { raw, context: &context }))
    }
}

impl<'ctx> Module<'ctx> {
    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// The context it belongs to.
    pub fn context(&self) -> &'ctx Context {
        self.context
    }

    /// Checks the module with LLVM's verifier.
    pub fn verify(&self) -> Result<()> {
        // SAFETY: the module is alive; the text is given to us.
        let text = unsafe { ffi::lw_verify_module(self.raw).take() };
        if text.is_empty() {
            Ok(())
        } else {
            Err(Error::Broken(String::from_utf8_lossy(&text).into_owned()))
        }
    }

    /// How much there is in it.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        // SAFETY: the module is alive.
        unsafe { ffi::lw_count(self.raw, &mut counts) };
        counts
    }

    /// Its text, as `llvm-dis` would write it. Names that are not UTF-8 are escaped by LLVM.
    pub fn to_text(&self) -> String {
        // SAFETY: the module is alive; the text is given to us.
        let text = unsafe { ffi::lw_print_module(self.raw).take() };
        String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into())
    }

    /// Its bitcode.
    pub fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is alive; the buffer is ours and disposed of after it was copied.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = ffi::slice(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// The target triple.
    pub fn triple(&self) -> String {
        // SAFETY: LLVM returns a string that lives as long as the module.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw)) }.to_string_lossy().into_owned()
    }

    /// Changes the target triple.
    pub fn set_triple(&mut self, triple: &str) {
        let triple = CString::new(triple.replace('\0', "")).unwrap_or_default();
        // SAFETY: the module is alive and copies the string.
        unsafe { LLVMSetTarget(self.raw, triple.as_ptr()) }
    }

    /// The data-layout string.
    pub fn layout_text(&self) -> String {
        // SAFETY: LLVM returns a string that lives as long as the module.
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.raw)) }.to_string_lossy().into_owned()
    }

    /// The sizes and alignments of the target.
    pub fn layout(&self) -> Result<lw_ir::DataLayout> {
        lw_ir::DataLayout::parse(&self.layout_text()).map_err(|e| Error::Llvm(e.to_string()))
    }

    pub(crate) fn set_layout_text(&mut self, layout: &str) -> Result<()> {
        // SAFETY: the module is alive; the message is given to us.
        let message = unsafe { ffi::lw_set_layout(self.raw, Text::new(layout.as_bytes())).take() };
        if message.is_empty() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&message).into_owned();
        Err(Error::Llvm(format!("bad data layout `{layout}`: {message}")))
    }

    /// The names of the functions that have a body, in order.
    pub fn function_names(&self) -> Vec<String> {
        let named = self.raw_functions().into_iter().map(|f| {
            // SAFETY: the function belongs to this module.
            String::from_utf8_lossy(unsafe { ffi::lw_value_name(f).bytes() }).into_owned()
        });
        named.filter(|name| !name.is_empty()).collect()
    }

    /// The functions that have a body, in order.
    pub(crate) fn raw_functions(&self) -> Vec<LLVMValueRef> {
        let mut functions = Vec::new();
        // SAFETY: walks the function list of a living module.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                if LLVMIsDeclaration(function) == 0 {
                    functions.push(function);
                }
                function = LLVMGetNextFunction(function);
            }
        }
        functions
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours and its context outlives it.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

/// The version of the LLVM that is linked: `22.1.8`.
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: fills three numbers.
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}
