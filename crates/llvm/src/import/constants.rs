//! Constants and the globals they mention.

use super::{Importer, types};
use crate::ffi::{self, ConstDesc, ConstKind};
use llvm_sys::prelude::*;
use lw_ir::bits::Bits;
use lw_ir::constant::{Constant, ConstantExpr, ConstantKind, InRange};
use lw_ir::symbols::SymbolKind;
use lw_ir::types::Type;
use lw_ir::{Flags, Symbol};

impl Importer<'_, '_, '_> {
    pub(super) fn constant(&mut self, raw: LLVMValueRef) -> Constant {
        let mut desc = ConstDesc::new(ConstKind::Foreign, std::ptr::null_mut());
        // SAFETY: `raw` is a constant or metadata operand of the living module; what the description points to is
        // copied below before the scratch is used again.
        let (words, bytes, args) = unsafe {
            ffi::lw_describe_constant(raw, self.bridge.scratch.raw(), &mut desc);
            (
                ffi::slice(desc.words, desc.num_words).to_vec(),
                desc.bytes.bytes(),
                ffi::slice(desc.expr.args, desc.expr.num_args).to_vec(),
            )
        };
        let ty = self.ty(desc.ty);
        let kind = match desc.kind {
            ConstKind::Int => {
                ConstantKind::Int(Bits::from_words(ty.int_bits().unwrap_or(64), &words))
            }
            ConstKind::Float => {
                let width = ty.float_kind().map_or(64, |kind| kind.bits());
                ConstantKind::Float(Bits::from_words(width, &words))
            }
            ConstKind::Zero => ConstantKind::Zero,
            ConstKind::Undef => ConstantKind::Undef,
            ConstKind::Poison => ConstantKind::Poison,
            ConstKind::Global => ConstantKind::Symbol(self.symbol(raw)),
            ConstKind::BlockAddress if desc.function == self.raw => {
                ConstantKind::BlockAddress(self.blocks[&desc.block])
            }
            ConstKind::Aggregate => {
                ConstantKind::Aggregate(args.iter().map(|&arg| self.constant(arg)).collect())
            }
            ConstKind::Data => ConstantKind::Data(bytes.into()),
            ConstKind::Expr => {
                let op = self.describe(&desc.expr).op;
                let args = args.iter().map(|&arg| self.constant(arg)).collect();
                let half = words.len() / 2;
                let bits = desc.inrange_bits;
                let inrange = (bits > 0).then(|| InRange {
                    bits,
                    low: Bits::from_words(bits, &words[..half]),
                    high: Bits::from_words(bits, &words[half..]),
                });
                let flags = Flags::from_bits(desc.expr.flags);
                ConstantKind::Expr(Box::new(ConstantExpr { op, flags, args, inrange }))
            }
            ConstKind::BlockAddress | ConstKind::Foreign => {
                self.side.foreign.push(raw);
                ConstantKind::Foreign(self.side.foreign.len() as u32 - 1)
            }
        };
        Constant { ty, kind }
    }

    pub(super) fn symbol(&mut self, raw: LLVMValueRef) -> Symbol {
        if let Some(&known) = self.symbols.get(&raw) {
            return known;
        }
        let (kind, ty) = types::global_kind(raw);
        let ty: Type = self.ty(ty);
        let kind = match kind {
            0 => {
                // SAFETY: `raw` is a function of the living module.
                let list = unsafe { ffi::lw_function_attributes(raw) };
                SymbolKind::Function { ty, attrs: self.shared_attributes(list) }
            }
            // An alias of a function is called like one.
            3 if self.function.types.signature(ty).is_some() => {
                SymbolKind::Function { ty, attrs: Default::default() }
            }
            kind => SymbolKind::Variable { ty, constant: kind == 2 },
        };
        let name = self.bridge.tables.symbol_name(raw);
        let symbol = self.function.symbols.intern(name, || kind);
        self.symbols.insert(raw, symbol);
        symbol
    }
}
