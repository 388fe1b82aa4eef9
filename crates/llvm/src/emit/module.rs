//! Whole modules.

use super::Emitter;
use crate::bridge::Bridge;
use crate::error::{Error, Result};
use crate::ffi::{self, Text};
use crate::module::{Context, Module};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::symbols::SymbolName;
use lw_ir::types::Signature;
use lw_ir::{Function, Type};

impl Context {
    /// An LLVM module with the globals and functions of `source`. The layout is that of `source`.
    pub fn emit_module(&self, name: &str, source: &lw_ir::Module) -> Result<Module<'_>> {
        lw_ir::verify_module(source).map_err(|errors| {
            let reason = errors[0].to_string();
            Error::Emit { function: name.into(), reason }
        })?;
        let mut module = self.new_module(name);
        module.set_layout_text(source.layout.text())?;
        let mut bridge = module.bridge()?;
        bridge.emit_globals(source)?;
        // Declared first, so that they stay in order whoever calls whom.
        for function in &source.functions {
            if let SymbolName::Named(_) = function.name {
                Emitter::new(&mut bridge, function, None).declare()?;
            }
        }
        for function in &source.functions {
            bridge.add_function(function, None)?;
        }
        bridge.emit_aliases(source)?;
        module.verify()?;
        Ok(module)
    }
}

impl Bridge<'_, '_> {
    /// Aliases come last, when what they stand for is defined; a declaration of the same name gives way.
    fn emit_aliases(&mut self, source: &lw_ir::Module) -> Result<()> {
        let holder = holder(source);
        for alias in &source.aliases {
            let mut emitter = Emitter::new(self, &holder, None);
            let ty = emitter.ty(alias.ty)?;
            let target = emitter.constant(&alias.target)?;
            let module = self.module.raw();
            // SAFETY: the module is alive, types and target belong to it, names are copied.
            unsafe {
                let raw = LLVMAddAlias2(module, ty, 0, target, c"".as_ptr());
                if let SymbolName::Named(name) = &alias.name {
                    let text = Text::new(name.as_bytes());
                    let declared = ffi::lw_named_global(module, text);
                    if !declared.is_null() {
                        LLVMReplaceAllUsesWith(declared, raw);
                        ffi::lw_set_value_name(declared, Text::default());
                        ffi::lw_erase_declaration(declared);
                    }
                    ffi::lw_set_value_name(raw, text);
                }
            }
        }
        Ok(())
    }

    fn emit_globals(&mut self, source: &lw_ir::Module) -> Result<()> {
        let holder = holder(source);
        let mut emitter = Emitter::new(self, &holder, None);
        let mut raws: Vec<LLVMValueRef> = Vec::new();
        for global in &source.globals {
            let ty = emitter.ty(global.ty)?;
            let module = emitter.bridge.module.raw();
            // SAFETY: the module is alive, the type belongs to its context, the name is copied.
            unsafe {
                let raw =
                    LLVMAddGlobalInAddressSpace(module, ty, c"".as_ptr(), global.address_space);
                if let SymbolName::Named(name) = &global.name {
                    ffi::lw_set_value_name(raw, Text::new(name.as_bytes()));
                } else {
                    emitter.bridge.tables.unnamed.push(raw);
                }
                LLVMSetGlobalConstant(raw, global.constant.into());
                if let Some(align) = global.align_log2 {
                    LLVMSetAlignment(raw, 1 << align);
                }
                raws.push(raw);
            }
        }
        for (global, raw) in source.globals.iter().zip(raws) {
            if let Some(init) = &global.init {
                let init = emitter.constant(init)?;
                // SAFETY: the initializer has the type of the global.
                unsafe { LLVMSetInitializer(raw, init) };
            }
        }
        Ok(())
    }
}

/// Initializers are constants like any other; a function without blocks lends its tables.
fn holder(source: &lw_ir::Module) -> Function {
    let signature = Signature { ret: Type::Void, params: Box::default(), varargs: false };
    let mut holder = Function::new("", signature, source.types.clone());
    holder.symbols = source.symbols.clone();
    holder
}
