//! The way between an LLVM module and the lock-step IR.
//!
//! A [`Bridge`] borrows a module exclusively: while it lives nobody else can change the module, so what it imported stays
//! valid. [`Origins`] remember where instructions came from; they only work with the bridge that made them, and only
//! until the body they came from is replaced. Both are checked, so no dead LLVM value can be reached from safe code.

use crate::emit;
use crate::error::{Error, Result};
use crate::ffi::{self, Scratch};
use crate::import;
use crate::module::Module;
use llvm_sys::prelude::*;
use lw_ir::attrs::AttrListData;
use lw_ir::symbols::SymbolName;
use lw_ir::{DataLayout, Function, Name};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;

/// A function of the module behind a [`Bridge`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId(u32);

/// A function that was imported, and where its instructions came from.
pub struct Imported {
    /// The function. It may be changed, printed, parsed and cloned.
    pub function: Function,
    /// Where the instructions of the function came from.
    pub origins: Origins,
}

/// Where the instructions of an imported function came from: the side table behind [`lw_ir::Origin`].
pub struct Origins {
    bridge: Rc<()>,
    function: FunctionId,
    generation: u32,
    pub(crate) side: SideTable,
}

/// What the indices in an imported function stand for.
#[derive(Default)]
pub(crate) struct SideTable {
    /// By [`lw_ir::Origin`].
    pub(crate) insts: Vec<LLVMValueRef>,
    /// By the index of a foreign constant.
    pub(crate) foreign: Vec<LLVMValueRef>,
    /// Blocks whose address is taken, each with the origin of its terminator.
    pub(crate) addressed_blocks: Vec<(LLVMBasicBlockRef, u32)>,
}

/// Imports functions of a module and puts new bodies in their place.
pub struct Bridge<'m, 'ctx> {
    pub(crate) module: &'m mut Module<'ctx>,
    pub(crate) scratch: Scratch,
    pub(crate) layout: DataLayout,
    pub(crate) tables: Tables,
    identity: Rc<()>,
    functions: Vec<(LLVMValueRef, u32)>,
}

/// What is the same for all functions of a module.
pub(crate) struct Tables {
    /// The globals without a name, by number.
    pub(crate) unnamed: Vec<LLVMValueRef>,
    pub(crate) numbers: FxHashMap<LLVMValueRef, u32>,
    /// The names of the synchronization scopes by LLVM's number.
    pub(crate) scopes: Vec<Name>,
    /// The attributes of declarations, by LLVM's list.
    pub(crate) attrs: FxHashMap<*mut c_void, Arc<AttrListData>>,
    /// Structs that have an identity but no name, under the names the IR gives them.
    pub(crate) anonymous: FxHashMap<LLVMTypeRef, Name>,
    pub(crate) anonymous_types: FxHashMap<Name, LLVMTypeRef>,
}

impl<'ctx> Module<'ctx> {
    /// The way to the lock-step IR and back.
    pub fn bridge<'m>(&'m mut self) -> Result<Bridge<'m, 'ctx>> {
        let layout = self.layout()?;
        let mut scratch = Scratch::new();
        let tables = Tables::new(self, &mut scratch);
        let functions = self.raw_functions().into_iter().map(|f| (f, 0)).collect();
        Ok(Bridge { module: self, scratch, layout, tables, identity: Rc::new(()), functions })
    }
}

impl Tables {
    fn new(module: &Module<'_>, scratch: &mut Scratch) -> Tables {
        let mut list = std::ptr::null();
        // SAFETY: the list lies in the scratch, which lives until the copy is made.
        let unnamed = unsafe {
            let count = ffi::lw_unnamed_globals(module.raw(), scratch.raw(), &mut list);
            ffi::slice(list, count).to_vec()
        };
        // SAFETY: the context is alive; the text is given to us.
        let scopes = unsafe { ffi::lw_sync_scopes(module.context().raw()).take() };
        let mut scopes: Vec<Name> = scopes.split(|&b| b == 0).map(Name::from).collect();
        scopes.pop();
        let numbers = unnamed.iter().enumerate().map(|(i, &g)| (g, i as u32)).collect();
        Tables {
            unnamed,
            numbers,
            scopes,
            attrs: FxHashMap::default(),
            anonymous: FxHashMap::default(),
            anonymous_types: FxHashMap::default(),
        }
    }

    /// How the IR calls a global.
    pub(crate) fn symbol_name(&self, global: LLVMValueRef) -> SymbolName {
        match self.numbers.get(&global) {
            Some(&number) => SymbolName::Numbered(number),
            // SAFETY: the global is alive; the name is copied.
            None => SymbolName::Named(unsafe { ffi::lw_value_name(global).bytes() }.into()),
        }
    }
}

impl<'m, 'ctx> Bridge<'m, 'ctx> {
    /// The functions that have a body, in order.
    pub fn functions(&self) -> Vec<FunctionId> {
        (0..self.functions.len() as u32).map(FunctionId).collect()
    }

    /// How a function is called.
    pub fn name(&self, id: FunctionId) -> SymbolName {
        self.tables.symbol_name(self.functions[id.0 as usize].0)
    }

    /// The function of this name that has a body.
    pub fn find(&self, name: &str) -> Result<FunctionId> {
        let found = self.functions().into_iter().find(|&f| self.name(f).as_str() == Some(name));
        found.ok_or_else(|| Error::NoFunction {
            name: name.into(),
            available: self.module.function_names(),
        })
    }

    /// The sizes and alignments of the target.
    pub fn layout(&self) -> &DataLayout {
        &self.layout
    }

    /// Imports the body of a function.
    pub fn import(&mut self, id: FunctionId) -> Imported {
        let (raw, generation) = self.functions[id.0 as usize];
        let (function, side) = import::function(self, raw);
        let bridge = self.identity.clone();
        Imported { function, origins: Origins { bridge, function: id, generation, side } }
    }

    /// Builds `function` beside the body it was imported from, and deletes that body. The attributes are those of `function` then.
    ///
    /// On error the module is as it was.
    pub fn replace_body(&mut self, function: &Function, origins: &Origins) -> Result<()> {
        let raw = self.check(origins)?;
        emit::replace_body(self, raw, function, &origins.side)?;
        self.forget_imports(origins.function);
        Ok(())
    }

    /// Builds `function` as a new function of its own name. With `origins`, its instructions get the metadata, debug
    /// locations and records of those they came from (what was made from others: their debug locations), in a subprogram of
    /// its own.
    ///
    /// On error the module is as it was, but for declarations that may have been added.
    pub fn add_function(
        &mut self,
        function: &Function,
        origins: Option<&Origins>,
    ) -> Result<FunctionId> {
        let from = origins.map(|origins| self.check(origins)).transpose()?;
        let raw = emit::add_function(self, function, from.zip(origins.map(|o| &o.side)))?;
        self.functions.push((raw, 0));
        Ok(FunctionId(self.functions.len() as u32 - 1))
    }

    /// Adds a variable that only this module sees, zero at first.
    pub fn add_variable(&mut self, name: &str, bytes: u64) {
        // SAFETY: the module is alive and only used here; the name is copied.
        unsafe { ffi::lw_add_variable(self.module.raw(), ffi::Text::new(name.as_bytes()), bytes) };
    }

    /// Forgets what is known of the effects of a function and its callers: it uses variables that were added.
    pub fn forget_effects(&mut self, function: FunctionId) {
        // SAFETY: the function belongs to the module of this bridge.
        unsafe { ffi::lw_forget_effects(self.raw(function)) };
    }

    pub(crate) fn raw(&self, id: FunctionId) -> LLVMValueRef {
        self.functions[id.0 as usize].0
    }

    /// Instructions of the function are gone: what was imported before says nothing of it any more.
    pub(crate) fn forget_imports(&mut self, id: FunctionId) {
        self.functions[id.0 as usize].1 += 1;
    }

    /// The function the origins belong to, if its body is still there.
    pub(crate) fn check(&self, origins: &Origins) -> Result<LLVMValueRef> {
        if !Rc::ptr_eq(&origins.bridge, &self.identity) {
            return Err(Error::StaleOrigins);
        }
        match self.functions.get(origins.function.0 as usize) {
            Some(&(raw, generation)) if generation == origins.generation => Ok(raw),
            _ => Err(Error::StaleOrigins),
        }
    }
}
