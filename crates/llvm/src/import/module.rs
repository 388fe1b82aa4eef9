//! Whole modules: every function with a body, and the global variables with what they hold at first.

use super::Importer;
use crate::bridge::Bridge;
use crate::error::Result;
use crate::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::types::{Signature, Types};
use lw_ir::{Alias, Constant, Function, Global, Type};

impl Module<'_> {
    /// The module as plain data: to print, to run in the interpreter, to analyse.
    ///
    /// Opaque instructions and foreign constants stay as indices that only an open [`Bridge`] understands.
    pub fn import(&mut self) -> Result<lw_ir::Module> {
        let mut bridge = self.bridge()?;
        let mut module = bridge.globals();
        for id in bridge.functions() {
            module.functions.push(bridge.import(id).function);
        }
        Ok(module)
    }
}

impl Bridge<'_, '_> {
    /// The module without its functions: global variables and aliases.
    pub fn globals(&mut self) -> lw_ir::Module {
        let mut module = lw_ir::Module { layout: self.layout.clone(), ..Default::default() };
        self.import_globals(&mut module);
        module
    }

    fn import_globals(&mut self, module: &mut lw_ir::Module) {
        let (mut globals, mut aliases) = (Vec::new(), Vec::new());
        // SAFETY: walks the global variables and aliases of a living module.
        unsafe {
            let mut raw = LLVMGetFirstGlobalAlias(self.module.raw());
            while !raw.is_null() {
                aliases.push(raw);
                raw = LLVMGetNextGlobalAlias(raw);
            }
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
        for raw in aliases {
            let alias = importer.alias(raw);
            module.aliases.push(alias);
        }
        module.types = importer.function.types;
        module.symbols = importer.function.symbols;
    }
}

impl Importer<'_, '_, '_> {
    fn alias(&mut self, raw: LLVMValueRef) -> Alias {
        // SAFETY: reads properties of a living alias.
        unsafe {
            Alias {
                name: self.bridge.tables.symbol_name(raw),
                ty: self.ty(LLVMGlobalGetValueType(raw)),
                target: self.constant(LLVMAliasGetAliasee(raw)),
            }
        }
    }

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

#[cfg(test)]
mod tests {
    use crate::module::Context;
    use llvm_sys::core::{LLVMGetFirstGlobal, LLVMGetNextGlobal, LLVMGlobalGetValueType};
    use llvm_sys::target::*;
    use std::fmt::Write;

    const LAYOUTS: [&str; 5] = [
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
        "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
        "E-m:m-p:32:32-i8:8:32-i16:16:32-i64:64-n32-S64",
        "",
    ];

    const TYPES: [&str; 26] = [
        "i1",
        "i7",
        "i8",
        "i16",
        "i24",
        "i32",
        "i48",
        "i64",
        "i65",
        "i128",
        "i200",
        "i256",
        "half",
        "bfloat",
        "float",
        "double",
        "x86_fp80",
        "fp128",
        "ptr",
        "ptr addrspace(6)",
        "<3 x i32>",
        "<4 x i1>",
        "<2 x ptr>",
        "<17 x i8>",
        "[5 x i24]",
        "<8 x half>",
    ];

    #[test]
    fn sizes_alignments_and_offsets_are_llvms() {
        let mut globals = String::new();
        for (i, a) in TYPES.iter().enumerate() {
            let b = TYPES[(i * 7 + 3) % TYPES.len()];
            for ty in [
                a.to_string(),
                format!("{{ i8, {a}, {b} }}"),
                format!("<{{ i8, {a} }}>"),
                format!("[3 x {{ {b}, {a} }}]"),
            ] {
                let _ = writeln!(globals, "@g{} = external global {ty}", globals.lines().count());
            }
        }
        let context = Context::new();
        for layout in LAYOUTS {
            let text = format!("target datalayout = \"{layout}\"\n{globals}");
            let mut module = context.parse_module(text.as_bytes(), "layout").unwrap();
            let imported = module.import().unwrap();
            let (ours, types) = (&imported.layout, &imported.types);
            // SAFETY: the module is alive and the layout string is one LLVM has accepted.
            unsafe {
                let theirs = LLVMGetModuleDataLayout(module.raw());
                let mut raw = LLVMGetFirstGlobal(module.raw());
                for global in &imported.globals {
                    let ty = LLVMGlobalGetValueType(raw);
                    let what = format!("{} in `{layout}`:\n{}", global.name, globals);
                    assert_eq!(
                        ours.alloc_size(types, global.ty),
                        Some(LLVMABISizeOfType(theirs, ty)),
                        "size of {what}"
                    );
                    assert_eq!(
                        ours.store_size(types, global.ty),
                        Some(LLVMStoreSizeOfType(theirs, ty)),
                        "store size of {what}"
                    );
                    let align = u64::from(LLVMABIAlignmentOfType(theirs, ty));
                    assert_eq!(ours.align(types, global.ty), Some(align), "alignment of {what}");
                    if let Some((offsets, _)) = ours.struct_layout(types, global.ty) {
                        for (field, offset) in offsets.iter().enumerate() {
                            let found = LLVMOffsetOfElement(theirs, ty, field as u32);
                            assert_eq!(*offset, found, "offset {field} of {what}");
                        }
                    }
                    raw = LLVMGetNextGlobal(raw);
                }
            }
        }
    }
}
