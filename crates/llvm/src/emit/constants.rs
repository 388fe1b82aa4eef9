//! Constants and globals.

use super::Emitter;
use crate::error::Result;
use crate::ffi::{self, ConstDesc, ConstKind, Text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::Symbol;
use lw_ir::constant::{Constant, ConstantExpr, ConstantKind, InRange};
use lw_ir::symbols::{SymbolKind, SymbolName};

impl Emitter<'_, '_, '_> {
    pub(super) fn constant(&mut self, constant: &Constant) -> Result<LLVMValueRef> {
        let ty = self.ty(constant.ty)?;
        let mut args = Vec::new();
        let mut words = Vec::new();
        let mut desc = ConstDesc::new(ConstKind::Zero, ty);
        match &constant.kind {
            ConstantKind::Symbol(symbol) => return self.symbol(*symbol),
            ConstantKind::Foreign(index) => {
                return match self.side.and_then(|side| side.foreign.get(*index as usize)) {
                    Some(&raw) => Ok(raw),
                    None => self.error(format!("the origin of `foreign {index}` is unknown")),
                };
            }
            ConstantKind::Int(bits) => {
                desc.kind = ConstKind::Int;
                words.extend_from_slice(bits.words());
            }
            ConstantKind::Float(bits) => {
                desc.kind = ConstKind::Float;
                words.extend_from_slice(bits.words());
            }
            ConstantKind::Zero => {}
            ConstantKind::Undef => desc.kind = ConstKind::Undef,
            ConstantKind::Poison => desc.kind = ConstKind::Poison,
            ConstantKind::BlockAddress(block) => {
                desc.kind = ConstKind::BlockAddress;
                desc.block = self.block(*block);
            }
            ConstantKind::Aggregate(elements) => {
                desc.kind = ConstKind::Aggregate;
                args = self.constants(elements)?;
            }
            ConstantKind::Data(bytes) => {
                desc.kind = ConstKind::Data;
                // SAFETY (lifetime): the constant outlives the call below; `Text` is only stored for its duration.
                desc.bytes =
                    unsafe { std::mem::transmute::<Text<'_>, Text<'static>>(Text::new(bytes)) };
            }
            ConstantKind::Expr(expr) => {
                desc.kind = ConstKind::Expr;
                args = self.constants(&expr.args)?;
                self.expression(expr, &mut desc, &mut words)?;
            }
        }
        desc.words = words.as_ptr();
        desc.num_words = words.len();
        desc.expr.args = args.as_mut_ptr();
        desc.expr.num_args = args.len();
        // SAFETY: all that the description points to lives for the call, and its types belong to the context.
        let raw = unsafe { ffi::lw_build_constant(&desc) };
        if raw.is_null() { self.error("a constant has no counterpart in LLVM") } else { Ok(raw) }
    }

    fn constants(&mut self, list: &[Constant]) -> Result<Vec<LLVMValueRef>> {
        list.iter().map(|constant| self.constant(constant)).collect()
    }

    fn expression(
        &mut self,
        expr: &ConstantExpr,
        desc: &mut ConstDesc,
        words: &mut Vec<u64>,
    ) -> Result<()> {
        self.operation(&expr.op, &mut desc.expr)?;
        desc.expr.ty = desc.ty;
        desc.expr.flags = expr.flags.bits();
        if let Some(InRange { bits, low, high }) = &expr.inrange {
            desc.inrange_bits = *bits;
            words.extend_from_slice(low.words());
            words.extend_from_slice(high.words());
        }
        Ok(())
    }

    /// The global of the module that a symbol names, declared if it is not there.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> Result<LLVMValueRef> {
        if let Some(known) = self.symbols[symbol] {
            return Ok(known);
        }
        let function = self.function;
        let data = function.symbols.get(symbol);
        let raw = match &data.name {
            SymbolName::Numbered(number) => {
                match self.bridge.tables.unnamed.get(*number as usize) {
                    Some(&raw) => raw,
                    None => return self.error(format!("the module has no global @{number}")),
                }
            }
            SymbolName::Named(name) => {
                let module = self.bridge.module.raw();
                let text = Text::new(name.as_bytes());
                // SAFETY: the module is alive.
                let known = unsafe { ffi::lw_named_global(module, text) };
                if known.is_null() { self.declare_symbol(text, &data.kind)? } else { known }
            }
        };
        self.symbols[symbol] = Some(raw);
        Ok(raw)
    }

    fn declare_symbol(&mut self, name: Text<'_>, kind: &SymbolKind) -> Result<LLVMValueRef> {
        let module = self.bridge.module.raw();
        let raw = match kind {
            SymbolKind::Function { ty, attrs } => {
                let ty = self.ty(*ty)?;
                let attrs = self.attributes(attrs)?;
                // SAFETY: the module is alive and the type belongs to its context.
                unsafe {
                    let raw = LLVMAddFunction(module, c"".as_ptr(), ty);
                    ffi::lw_set_function_attributes(raw, attrs);
                    raw
                }
            }
            SymbolKind::Variable { ty, constant } => {
                let ty = self.ty(*ty)?;
                // SAFETY: the module is alive and the type belongs to its context.
                unsafe {
                    let raw = LLVMAddGlobal(module, ty, c"".as_ptr());
                    LLVMSetGlobalConstant(raw, (*constant).into());
                    raw
                }
            }
        };
        // SAFETY: the name is copied. It may make the function an intrinsic; one that nobody described gets the attributes
        // that LLVM gives it, without which passes take it for a call with any effect.
        unsafe {
            ffi::lw_set_value_name(raw, name);
            if matches!(kind, SymbolKind::Function { attrs, .. } if attrs.is_empty()) {
                ffi::lw_set_intrinsic_attributes(raw);
            }
        }
        Ok(raw)
    }
}
