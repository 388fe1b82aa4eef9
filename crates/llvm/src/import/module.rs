//! Whole modules: every function with a body, and the global variables with what they hold at first.

use super::Importer;
use crate::bridge::Bridge;
use crate::error::Result;
use crate::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::types::{Signature, Types};
use lw_ir::{Constant, Function, Global, Type};

impl Module<'_> {
    /// The module as plain data: to print, to run in the interpreter, to analyse.
    ///
    /// Opaque instructions and foreign constants stay as indices that only an open [`Bridge`] understands.
    pub fn import(&mut self) -> Result<lw_ir::Module> {
        let mut bridge = self.bridge()?;
        let mut module = lw_ir::Module { layout: bridge.layout.clone(), ..Default::default() };
        bridge.import_globals(&mut module);
        for id in bridge.functions() {
            module.functions.push(bridge.import(id).function);
        }
        Ok(module)
    }
}

impl Bridge<'_, '_> {
    fn import_globals(&mut self, module: &mut lw_ir::Module) {
        let mut globals = Vec::new();
        // SAFETY: walks the global variables of a living module.
        unsafe {
            let mut raw = LLVMGetFirstGlobal(self.module.raw());
            while !raw.is_null() {
                globals.push(raw);
                raw = LLVMGetNextGlobal(raw);
            }
        }
        // Initializers are constants like any other; a function without blocks lends its tables.
        let signature = Signature { ret: Type::Void, params: Box::default(), varargs: false };
        let holder = Function::new("", signature, Types::default());
        let mut importer = Importer::new(self, std::ptr::null_mut(), holder, Default::default());
        for raw in globals {
            let global = importer.global(raw);
            module.globals.push(global);
        }
        module.types = importer.function.types;
        module.symbols = importer.function.symbols;
    }
}

impl Importer<'_, '_, '_> {
    fn global(&mut self, raw: LLVMValueRef) -> Global {
        // SAFETY: reads properties of a living global variable.
        unsafe {
            let init = LLVMGetInitializer(raw);
            let align = LLVMGetAlignment(raw);
            Global {
                name: self.bridge.tables.symbol_name(raw),
                ty: self.ty(LLVMGlobalGetValueType(raw)),
                address_space: LLVMGetPointerAddressSpace(LLVMTypeOf(raw)),
                constant: LLVMIsGlobalConstant(raw) != 0,
                align_log2: (align > 0).then(|| align.trailing_zeros() as u8),
                init: (!init.is_null()).then(|| self.constant(init) as Constant),
            }
        }
    }
}
