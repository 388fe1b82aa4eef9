//! From the lock-step IR to LLVM.
//!
//! A body is built beside the old one, instruction by instruction, from the IR alone; only what the IR calls opaque is
//! copied from where it came from. Then metadata and debug records are attached from the side table and rebound to the
//! new values, and the old body is deleted.

mod attrs;
mod check;
mod constants;
mod inst;
mod module;
mod types;

use crate::bridge::{Bridge, SideTable};
use crate::error::{Error, Result};
use crate::ffi::{self, Remap, Text};
use cranelift_entity::SecondaryMap;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::entities::{AttrList, Compound};
use lw_ir::{Block, Function, Inst, Op, Symbol, Value};
use std::ffi::c_void;
use std::ptr::null_mut;

type PerEntity<K, V> = SecondaryMap<K, Option<V>>;

/// What an emission has built so far.
pub(crate) struct Emitter<'e, 'm, 'ctx> {
    bridge: &'e mut Bridge<'m, 'ctx>,
    function: &'e Function,
    side: Option<&'e SideTable>,
    remap: Remap,
    types: PerEntity<Compound, LLVMTypeRef>,
    values: PerEntity<Value, LLVMValueRef>,
    blocks: PerEntity<Block, LLVMBasicBlockRef>,
    symbols: PerEntity<Symbol, LLVMValueRef>,
    attrs: PerEntity<AttrList, *mut c_void>,
    insts: Vec<(Inst, LLVMValueRef)>,
    /// Operands that were needed before their definition.
    later: Vec<(Inst, LLVMValueRef, usize, Value)>,
}

/// Replaces the body of `raw`, from which `function` was imported, and its attributes.
pub(crate) fn replace_body(
    bridge: &mut Bridge<'_, '_>,
    raw: LLVMValueRef,
    function: &Function,
    side: &SideTable,
) -> Result<()> {
    check::representable(function, Some(side))?;
    let mut emitter = Emitter::new(bridge, function, Some(side));
    emitter.same_signature(raw)?;
    let attrs = emitter.attributes(&function.attrs)?;
    let addressed = emitter.addressed_blocks(side)?;
    let first = emitter.body(raw)?;
    // SAFETY: the new body is complete and nothing of it mentions the old one any more.
    unsafe {
        ffi::lw_set_function_attributes(raw, attrs);
        for (old, new) in addressed {
            ffi::lw_move_block_address(old, emitter.block(new));
        }
        ffi::lw_rebind_metadata(emitter.remap.raw());
        ffi::lw_delete_blocks_before(first);
    }
    emitter.set_names();
    // SAFETY: the function is complete.
    unsafe { ffi::lw_make_invokes(raw) };
    Ok(())
}

/// Builds `function` as a new function, with metadata from the function it was imported from, if it was.
pub(crate) fn add_function(
    bridge: &mut Bridge<'_, '_>,
    function: &Function,
    from: Option<(LLVMValueRef, &SideTable)>,
) -> Result<LLVMValueRef> {
    check::representable(function, from.map(|(_, side)| side))?;
    let mut emitter = Emitter::new(bridge, function, from.map(|(_, side)| side));
    let (raw, fresh) = emitter.declare()?;
    let built = emitter.body(raw);
    match built {
        Ok(_) => {}
        Err(error) => {
            if fresh {
                // SAFETY: the function was made here and nothing uses it.
                unsafe { LLVMDeleteFunction(raw) };
            }
            return Err(error);
        }
    }
    // SAFETY: the new body is complete.
    unsafe {
        ffi::lw_rebind_metadata(emitter.remap.raw());
        if let Some((from, _)) = from {
            ffi::lw_adopt_function(raw, from, emitter.remap.raw());
        }
    }
    emitter.set_names();
    // SAFETY: the function is complete.
    unsafe { ffi::lw_make_invokes(raw) };
    Ok(raw)
}

/// Builds `function` as a new function that is soon deleted: without metadata but how likely its branches are taken. On error
/// declarations may be left.
pub(crate) fn add_scratch(
    bridge: &mut Bridge<'_, '_>,
    function: &Function,
    likely: &dyn Fn(Inst) -> Option<f64>,
) -> Result<LLVMValueRef> {
    check::representable(function, None)?;
    let mut emitter = Emitter::new(bridge, function, None);
    let (raw, _) = emitter.declare()?;
    // On error it is a declaration.
    emitter.body(raw)?;
    for &(inst, raw) in &emitter.insts {
        if let Some(likely) = likely(inst) {
            // SAFETY: the instruction was just built.
            unsafe { ffi::lw_set_likelihood(raw, likely) };
        }
    }
    Ok(raw)
}

impl<'e, 'm, 'ctx> Emitter<'e, 'm, 'ctx> {
    fn new(
        bridge: &'e mut Bridge<'m, 'ctx>,
        function: &'e Function,
        side: Option<&'e SideTable>,
    ) -> Self {
        Emitter {
            bridge,
            function,
            side,
            remap: Remap::new(),
            types: SecondaryMap::new(),
            values: SecondaryMap::with_capacity(function.value_count()),
            blocks: SecondaryMap::with_capacity(function.block_count()),
            symbols: SecondaryMap::new(),
            attrs: SecondaryMap::new(),
            insts: Vec::with_capacity(function.inst_count()),
            later: Vec::new(),
        }
    }

    fn error<T>(&self, reason: impl Into<String>) -> Result<T> {
        let function = self.function.name.to_string();
        Err(Error::Emit { function, reason: reason.into() })
    }

    fn context(&self) -> LLVMContextRef {
        self.bridge.module.context().raw()
    }

    /// Checks that the function still has the type of the one it replaces.
    fn same_signature(&mut self, raw: LLVMValueRef) -> Result<()> {
        let wanted = self.signature(&self.function.signature)?;
        // SAFETY: `raw` is a function of the living module.
        if wanted != unsafe { LLVMGlobalGetValueType(raw) } {
            return self.error("its signature differs from that of the function it replaces");
        }
        Ok(())
    }

    /// The declaration to fill: one that is there without a body, or a new one.
    fn declare(&mut self) -> Result<(LLVMValueRef, bool)> {
        let ty = self.signature(&self.function.signature)?;
        let attrs = self.attributes(&self.function.attrs)?;
        let name = match &self.function.name {
            lw_ir::symbols::SymbolName::Named(name) => name.as_bytes().to_vec(),
            lw_ir::symbols::SymbolName::Numbered(_) => Vec::new(),
        };
        // SAFETY: the module is alive, the type belongs to its context, the name is copied.
        unsafe {
            let known = ffi::lw_named_global(self.bridge.module.raw(), Text::new(&name));
            let fresh = known.is_null() || name.is_empty();
            let raw = if fresh {
                let raw = LLVMAddFunction(self.bridge.module.raw(), c"".as_ptr(), ty);
                ffi::lw_set_value_name(raw, Text::new(&name));
                raw
            } else if LLVMIsAFunction(known).is_null()
                || LLVMIsDeclaration(known) == 0
                || LLVMGlobalGetValueType(known) != ty
            {
                return self.error("the module has something else of this name");
            } else {
                known
            };
            ffi::lw_set_function_attributes(raw, attrs);
            LLVMSetFunctionCallConv(raw, self.function.convention);
            Ok((raw, fresh))
        }
    }

    /// Builds all blocks behind those that `raw` has. Returns the first; on error none is left.
    fn body(&mut self, raw: LLVMValueRef) -> Result<LLVMBasicBlockRef> {
        for (index, &param) in self.function.params().iter().enumerate() {
            // SAFETY: the signature was checked, so the parameter is there.
            self.values[param] = Some(unsafe { LLVMGetParam(raw, index as u32) });
        }
        let mut first: LLVMBasicBlockRef = null_mut();
        for &block in self.function.blocks() {
            // SAFETY: `raw` is a function of the context.
            let new = unsafe { LLVMAppendBasicBlockInContext(self.context(), raw, c"".as_ptr()) };
            if first.is_null() {
                first = new;
            }
            self.blocks[block] = Some(new);
        }
        let built = self.fill();
        if built.is_err() && !first.is_null() {
            // SAFETY: these are the blocks just made; nothing outside them mentions them.
            unsafe { ffi::lw_delete_blocks_from(first) };
        }
        built.map(|()| first)
    }

    fn fill(&mut self) -> Result<()> {
        for &block in self.function.blocks() {
            let into = self.blocks[block].expect("every block was made");
            for &inst in self.function.insts(block) {
                self.instruction(into, inst)?;
            }
        }
        self.resolve_later()?;
        self.attach();
        Ok(())
    }

    /// Fills in operands that were needed before they were built, and the operands of φs.
    fn resolve_later(&mut self) -> Result<()> {
        for (inst, raw, index, value) in std::mem::take(&mut self.later) {
            let value = self.value(value)?;
            // SAFETY: `raw` was built from `inst`, which has this operand.
            unsafe {
                match (&self.function[inst].op, self.origin(inst)) {
                    (Op::Opaque(_), Some(origin)) => {
                        ffi::lw_set_opaque_arg(raw, origin, index as u32, value);
                    }
                    (Op::Phi, _) => {
                        let from = self.block(self.function[inst].targets[index]);
                        ffi::lw_add_incoming(raw, value, from);
                    }
                    _ => ffi::lw_set_arg(raw, index as u32, value),
                }
            }
        }
        Ok(())
    }

    /// The instruction of LLVM that `inst` was imported from, or made from.
    fn origin(&self, inst: Inst) -> Option<LLVMValueRef> {
        let origin = self.function[inst].origin.expand()?;
        self.side?.insts.get(origin.as_u32() as usize).copied()
    }

    fn attach(&mut self) {
        for &(inst, raw) in &self.insts {
            if let Some(origin) = self.origin(inst) {
                // SAFETY: both are instructions of the living module.
                unsafe {
                    match self.function[inst].derived {
                        true => ffi::lw_attach_place(raw, origin),
                        false => ffi::lw_attach(raw, origin, self.remap.raw()),
                    }
                }
            }
        }
    }

    /// The old blocks whose addresses are taken, and the blocks that their terminators are in now.
    fn addressed_blocks(&self, side: &SideTable) -> Result<Vec<(LLVMBasicBlockRef, Block)>> {
        let mut found = Vec::new();
        for &(old, terminator) in &side.addressed_blocks {
            let is_it = |&(_, inst): &(Block, Inst)| {
                let data = &self.function[inst];
                !data.derived && data.origin.expand().map(|o| o.as_u32()) == Some(terminator)
            };
            match self.function.all_insts().find(is_it) {
                Some((block, _)) => found.push((old, block)),
                None => return self.error("a block whose address is taken is gone"),
            }
        }
        Ok(found)
    }

    /// Names come last, when the old body no longer has them.
    fn set_names(&mut self) {
        let values = self.insts.iter().filter_map(|&(inst, raw)| {
            let value = self.function[inst].result.expand()?;
            Some((self.function.value_name(value)?, raw))
        });
        let blocks = self.function.blocks().iter().filter_map(|&block| {
            // SAFETY: the block was just built.
            let raw = unsafe { LLVMBasicBlockAsValue(self.block(block)) };
            Some((self.function.block_name(block)?, raw))
        });
        let params = self
            .function
            .params()
            .iter()
            .filter_map(|&param| Some((self.function.value_name(param)?, self.values[param]?)));
        for (name, raw) in params.chain(blocks).chain(values) {
            // SAFETY: the value is alive; the name is copied.
            unsafe { ffi::lw_set_value_name(raw, Text::new(name.as_bytes())) };
        }
    }

    fn block(&self, block: Block) -> LLVMBasicBlockRef {
        self.blocks[block].expect("every block was made")
    }

    /// The value of LLVM for an operand; null if it is an instruction that is not built yet.
    fn operand(&mut self, value: Value) -> Result<LLVMValueRef> {
        match (self.values[value], self.function.def_inst(value)) {
            (Some(known), _) => Ok(known),
            (None, Some(_)) => Ok(null_mut()),
            (None, None) => self.value(value),
        }
    }

    /// The value of LLVM for a parameter, an instruction that was built, or a constant.
    fn value(&mut self, value: Value) -> Result<LLVMValueRef> {
        if let Some(known) = self.values[value] {
            return Ok(known);
        }
        let function = self.function;
        match function.as_constant(value) {
            Some(constant) => {
                let raw = self.constant(constant)?;
                self.values[value] = Some(raw);
                Ok(raw)
            }
            None => self.error(format!("{} has no definition", function.display_value(value))),
        }
    }
}
