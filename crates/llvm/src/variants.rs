//! What writers of vector variants need from LLVM: who wants which, how they are linked, and remarks.

use crate::bridge::{Bridge, FunctionId};
use crate::ffi::{self, Text};
use crate::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};

/// What a remark is about. LLVM shows them by `-Rpass`, `-Rpass-missed` and `-Rpass-analysis`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemarkKind {
    /// Something was done.
    Passed,
    /// Something was not done.
    Missed,
    /// What was found out.
    Analysis,
}

impl Module<'_> {
    /// The names of the functions whose bodies are those that will be called.
    pub fn bodies(&self) -> Vec<String> {
        // SAFETY: the functions belong to this module; names are copied.
        let name = |&f: &LLVMValueRef| unsafe {
            let name = ffi::lw_value_name(f).bytes();
            ffi::lw_is_definitive(f).then(|| String::from_utf8(name.to_vec()).ok()).flatten()
        };
        self.raw_functions().iter().filter_map(name).filter(|name| !name.is_empty()).collect()
    }

    /// The functions with a body that want vector variants, with the mangled names of those that are not there yet.
    pub fn variant_names(&self) -> Vec<(String, Vec<String>)> {
        let of = |f| {
            // SAFETY: the function belongs to this module; the text is given to us.
            let (name, names) = unsafe {
                (ffi::lw_value_name(f).bytes().to_vec(), ffi::lw_variant_names(f).take())
            };
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let names =
                names.split(|&b| b == 0).filter(|name| !name.is_empty()).map(text).collect();
            (text(&name), names)
        };
        let all = self.raw_functions().into_iter().map(of);
        all.filter(|(_, names): &(_, Vec<_>)| !names.is_empty()).collect()
    }

    /// Whether only this module can call a function.
    pub fn is_local(&self, function: &str) -> bool {
        // SAFETY: the function belongs to this module.
        let local = |f: LLVMValueRef| unsafe {
            let linkage = LLVMGetLinkage(f);
            matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
        };
        self.named(function).is_some_and(local)
    }

    /// Lets a function no longer want some variants: then nobody calls them.
    pub fn forget_variants(&mut self, function: &str, names: &[String]) {
        let Some(f) = self.named(function) else { return };
        for name in names {
            let index = LLVMAttributeFunctionIndex;
            // SAFETY: the function belongs to this module; the name is read only.
            unsafe {
                LLVMRemoveStringAttributeAtIndex(f, index, name.as_ptr().cast(), name.len() as u32)
            };
        }
    }

    fn named(&self, function: &str) -> Option<LLVMValueRef> {
        // SAFETY: the functions belong to this module.
        let is_it =
            |&f: &LLVMValueRef| unsafe { ffi::lw_value_name(f).bytes() } == function.as_bytes();
        self.raw_functions().into_iter().find(is_it)
    }

    /// The functions that call functions whose names begin with a prefix.
    pub fn callers_of(&self, prefix: &str) -> Vec<String> {
        let mut callers: Vec<String> = Vec::new();
        // SAFETY: walks lists of a living module; users of functions that are calls stand in functions of the module.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.raw());
            while !function.is_null() {
                if ffi::lw_value_name(function).bytes().starts_with(prefix.as_bytes()) {
                    let mut each = LLVMGetFirstUse(function);
                    while !each.is_null() {
                        let call = LLVMIsACallInst(LLVMGetUser(each));
                        if !call.is_null() {
                            let block = LLVMGetInstructionParent(call);
                            let name = ffi::lw_value_name(LLVMGetBasicBlockParent(block)).bytes();
                            let name = String::from_utf8_lossy(name).into_owned();
                            if !callers.contains(&name) {
                                callers.push(name);
                            }
                        }
                        each = LLVMGetNextUse(each);
                    }
                }
                function = LLVMGetNextFunction(function);
            }
        }
        callers
    }

    /// Tells the user of the compiler something about a function: a remark of the pass `laneweaver`. Does nothing if there is no
    /// such function.
    pub fn remark(&self, function: &str, kind: RemarkKind, name: &str, message: &str) {
        let (name, message) = (Text::new(name.as_bytes()), Text::new(message.as_bytes()));
        if let Some(f) = self.named(function) {
            // SAFETY: the function belongs to this module and has a body; the texts are copied.
            unsafe { ffi::lw_remark(f, kind as u32, name, message) };
        }
    }
}

impl Bridge<'_, '_> {
    /// Lets other modules see a function that was made from another one.
    pub fn export(&mut self, function: FunctionId, from: FunctionId) {
        let (to, from) = (self.raw(function), self.raw(from));
        // SAFETY: both belong to the module of this bridge.
        unsafe { ffi::lw_export(to, from) }
    }

    /// Lets no other module see a function.
    pub fn hide(&mut self, function: FunctionId) {
        // SAFETY: it belongs to the module of this bridge, and has a body.
        unsafe { LLVMSetLinkage(self.raw(function), LLVMLinkage::LLVMInternalLinkage) }
    }

    /// Lets the function of that name that another module has take the place of this one.
    pub fn let_others_replace(&mut self, function: FunctionId) {
        // SAFETY: it belongs to the module of this bridge, and has a body.
        unsafe { LLVMSetLinkage(self.raw(function), LLVMLinkage::LLVMWeakAnyLinkage) }
    }

    /// Lets a function be linked as another one is.
    pub fn link_like(&mut self, function: FunctionId, like: FunctionId) {
        let (to, like) = (self.raw(function), self.raw(like));
        // SAFETY: both belong to the module of this bridge.
        unsafe { ffi::lw_link_like(to, like) }
    }
}
