//! From LLVM to the lock-step IR.

mod attrs;
mod constants;
mod inst;
mod module;
mod types;

use crate::bridge::{Bridge, SideTable};
use crate::ffi::{self, InstDesc};
use cranelift_entity::packed_option::ReservedValue;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::entities::AttrList;
use lw_ir::types::{CompoundData, Signature, Types};
use lw_ir::{Block, Function, InsertAt, Inst, Origin, Symbol, Type, Value};
use rustc_hash::FxHashMap;
use std::ffi::c_void;

/// What an import has seen so far. Keys are LLVM's pointers, which stay put while the bridge lives.
pub(crate) struct Importer<'b, 'm, 'ctx> {
    bridge: &'b mut Bridge<'m, 'ctx>,
    raw: LLVMValueRef,
    function: Function,
    side: SideTable,
    types: FxHashMap<LLVMTypeRef, Type>,
    values: FxHashMap<LLVMValueRef, Value>,
    blocks: FxHashMap<LLVMBasicBlockRef, Block>,
    symbols: FxHashMap<LLVMValueRef, Symbol>,
    attrs: FxHashMap<*mut c_void, AttrList>,
    /// Operands that were met before their definition.
    later: Vec<(Inst, usize, LLVMValueRef)>,
}

/// Imports the body of `raw`, a definition in the bridge's module.
pub(crate) fn function(bridge: &mut Bridge<'_, '_>, raw: LLVMValueRef) -> (Function, SideTable) {
    let mut types = FxHashMap::default();
    let mut table = Types::default();
    // SAFETY: `raw` is a function of the living module.
    let ty = unsafe {
        types::import(&mut bridge.tables, &mut types, &mut table, LLVMGlobalGetValueType(raw))
    };
    let signature = match table.compound(ty) {
        Some(CompoundData::Function(signature)) => signature.clone(),
        _ => Signature { ret: Type::Void, params: Box::default(), varargs: false },
    };
    let name = bridge.tables.symbol_name(raw);
    let mut importer = Importer::new(bridge, raw, Function::new(name, signature, table), types);
    importer.header();
    importer.body();
    let Importer { function, side, .. } = importer;
    (function, side)
}

impl<'b, 'm, 'ctx> Importer<'b, 'm, 'ctx> {
    fn new(
        bridge: &'b mut Bridge<'m, 'ctx>,
        raw: LLVMValueRef,
        function: Function,
        types: FxHashMap<LLVMTypeRef, Type>,
    ) -> Self {
        Importer {
            bridge,
            raw,
            function,
            side: SideTable::default(),
            types,
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            symbols: FxHashMap::default(),
            attrs: FxHashMap::default(),
            later: Vec::new(),
        }
    }

    fn header(&mut self) {
        // SAFETY: reads properties of a living function.
        unsafe {
            self.function.convention = LLVMGetFunctionCallConv(self.raw);
            let raw = ffi::lw_function_attributes(self.raw);
            self.function.attrs = self.attributes(raw);
            for (index, param) in self.function.params().to_vec().into_iter().enumerate() {
                let arg = LLVMGetParam(self.raw, index as u32);
                self.values.insert(arg, param);
                let name = ffi::lw_value_name(arg).bytes();
                if !name.is_empty() {
                    self.function.set_value_name(param, Some(name.into()));
                }
            }
        }
        self.function.sync_scopes = self.bridge.tables.scopes[2..].to_vec();
    }

    fn body(&mut self) {
        let mut blocks = Vec::new();
        // SAFETY: walks the blocks of a living function.
        unsafe {
            let mut raw = LLVMGetFirstBasicBlock(self.raw);
            while !raw.is_null() {
                let block = self.function.add_block();
                let name = ffi::lw_value_name(LLVMBasicBlockAsValue(raw)).bytes();
                if !name.is_empty() {
                    self.function.set_block_name(block, Some(name.into()));
                }
                self.blocks.insert(raw, block);
                blocks.push((raw, block));
                raw = LLVMGetNextBasicBlock(raw);
            }
        }
        for (raw, block) in blocks {
            self.block(raw, block);
        }
        for (inst, index, raw) in std::mem::take(&mut self.later) {
            self.function[inst].args[index] = self.value(raw);
        }
    }

    fn block(&mut self, raw: LLVMBasicBlockRef, block: Block) {
        let mut desc = InstDesc::default();
        // SAFETY: walks the instructions of a living block; the description lies in the scratch until the next call, and
        // `instruction` copies all of it before it makes one.
        unsafe {
            let mut inst = LLVMGetFirstInstruction(raw);
            while !inst.is_null() {
                ffi::lw_describe(inst, self.bridge.scratch.raw(), &mut desc);
                self.instruction(block, inst, &desc);
                inst = LLVMGetNextInstruction(inst);
            }
            if ffi::lw_has_address_taken(raw) {
                let terminator = self.side.insts.len() as u32 - 1;
                self.side.addressed_blocks.push((raw, terminator));
            }
        }
    }

    /// # Safety
    /// `desc` must describe `raw`, and what it points to must be alive.
    unsafe fn instruction(&mut self, block: Block, raw: LLVMValueRef, desc: &InstDesc) {
        // SAFETY: the caller vouches for the description; operands are copied before anything else is described.
        let (args, targets, name) = unsafe {
            let args: smallvec::SmallVec<[LLVMValueRef; 8]> =
                ffi::slice(desc.args, desc.num_args).into();
            let targets: lw_ir::inst::Targets =
                ffi::slice(desc.targets, desc.num_targets).iter().map(|t| self.blocks[t]).collect();
            (args, targets, desc.name.bytes())
        };
        let mut data = self.describe(desc);
        data.targets = targets;
        data.origin = Some(Origin::from_u32(self.side.insts.len() as u32)).into();
        self.side.insts.push(raw);
        let inst = self.function.insert(InsertAt::End(block), data);
        if let Some(result) = self.function[inst].result.expand() {
            self.values.insert(raw, result);
            if !name.is_empty() {
                self.function.set_value_name(result, Some(name.into()));
            }
        }
        for (index, &arg) in args.iter().enumerate() {
            let value = self.operand(arg).unwrap_or_else(|| {
                self.later.push((inst, index, arg));
                Value::reserved_value()
            });
            self.function[inst].args.push(value);
        }
    }

    /// The value for an operand, unless it is an instruction that comes later.
    fn operand(&mut self, raw: LLVMValueRef) -> Option<Value> {
        if let Some(&known) = self.values.get(&raw) {
            return Some(known);
        }
        // SAFETY: `raw` is an operand of a living instruction.
        let later = unsafe { !LLVMIsAInstruction(raw).is_null() };
        (!later).then(|| self.value(raw))
    }

    /// The value for a parameter, an instruction that was imported, or a constant.
    fn value(&mut self, raw: LLVMValueRef) -> Value {
        if let Some(&known) = self.values.get(&raw) {
            return known;
        }
        let constant = self.constant(raw);
        let value = self.function.constant(constant);
        self.values.insert(raw, value);
        value
    }

    fn ty(&mut self, raw: LLVMTypeRef) -> Type {
        types::import(&mut self.bridge.tables, &mut self.types, &mut self.function.types, raw)
    }
}
