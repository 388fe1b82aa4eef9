//! Who may see the globals of a module.

use crate::bridge::Bridge;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::{Linkage, Linkages};

impl Bridge<'_, '_> {
    /// The linkage of all functions, variables, aliases and ifuncs.
    ///
    /// ```
    /// use lw_ir::Linkage;
    ///
    /// let text = b"define internal void @a() { ret void }  define weak void @b() { ret void }  declare void @c()";
    /// let context = lw_llvm::Context::new();
    /// let mut module = context.parse_module(text, "example")?;
    /// let linkages = module.bridge()?.linkages();
    /// assert_eq!(linkages.get(&"a".into()), Linkage::Local);
    /// assert_eq!(linkages.get(&"b".into()), Linkage::Weak);
    /// assert_eq!(linkages.get(&"c".into()), Linkage::Outside);
    /// # Ok::<(), lw_llvm::Error>(())
    /// ```
    pub fn linkages(&self) -> Linkages {
        let mut linkages = Linkages::default();
        let module = self.module.raw();
        type Next = unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef;
        // SAFETY: walks the lists of a living module and reads properties of what is in them.
        unsafe {
            let lists: [(LLVMValueRef, Next); 4] = [
                (LLVMGetFirstFunction(module), LLVMGetNextFunction),
                (LLVMGetFirstGlobal(module), LLVMGetNextGlobal),
                (LLVMGetFirstGlobalAlias(module), LLVMGetNextGlobalAlias),
                (LLVMGetFirstGlobalIFunc(module), LLVMGetNextGlobalIFunc),
            ];
            for (mut global, next) in lists {
                while !global.is_null() {
                    let name = self.tables.symbol_name(global);
                    linkages.set(name, linkage(global));
                    global = next(global);
                }
            }
            let mut function = LLVMGetFirstFunction(module);
            while !function.is_null() {
                if LLVMHasPersonalityFn(function) != 0 {
                    linkages.used.push(self.tables.symbol_name(LLVMGetPersonalityFn(function)));
                }
                function = LLVMGetNextFunction(function);
            }
            let mut ifunc = LLVMGetFirstGlobalIFunc(module);
            while !ifunc.is_null() {
                linkages.used.push(self.tables.symbol_name(LLVMGetGlobalIFuncResolver(ifunc)));
                ifunc = LLVMGetNextGlobalIFunc(ifunc);
            }
        }
        linkages.used.sort();
        linkages.used.dedup();
        linkages
    }
}

/// # Safety
/// `global` must be a living global.
unsafe fn linkage(global: LLVMValueRef) -> Linkage {
    use LLVMLinkage::*;
    // SAFETY: the caller vouches for it.
    let (linkage, declaration) =
        unsafe { (LLVMGetLinkage(global), LLVMIsDeclaration(global) != 0) };
    match linkage {
        LLVMInternalLinkage
        | LLVMPrivateLinkage
        | LLVMLinkerPrivateLinkage
        | LLVMLinkerPrivateWeakLinkage => Linkage::Local,
        _ if declaration => Linkage::Outside,
        // A copy of what is defined elsewhere is as good as the original.
        LLVMAvailableExternallyLinkage
        | LLVMLinkOnceAnyLinkage
        | LLVMLinkOnceODRLinkage
        | LLVMWeakAnyLinkage
        | LLVMWeakODRLinkage
        | LLVMCommonLinkage
        | LLVMExternalWeakLinkage => Linkage::Weak,
        // Lists such as `llvm.global_ctors`: each module has its own.
        LLVMAppendingLinkage => Linkage::Local,
        _ => Linkage::Strong,
    }
}
