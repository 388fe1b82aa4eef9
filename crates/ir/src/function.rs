//! A function: tables of blocks, instructions and values, and all they mention. Plain data.

use crate::attrs::{AttrListData, Attrs, MemoryEffects};
use crate::brief::Brief;
use crate::constant::Constant;
use crate::entities::{AttrList, Block, Inst, Symbol, Value};
use crate::inst::{InsertAt, InstData, Op};
use crate::name::Name;
use crate::symbols::{SymbolKind, SymbolName, Symbols};
use crate::types::{Signature, Type, Types};
use cranelift_entity::PrimaryMap;
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

/// A function of the lock-step IR, scalar or already widened. It is executed by W threads in lock step.
#[derive(Clone, Debug)]
pub struct Function {
    /// How it is called.
    pub name: SymbolName,
    /// Its parameters and result.
    pub signature: Signature,
    /// The calling convention by LLVM's number; 0 is C.
    pub convention: u32,
    /// The attributes of the function, its result and its parameters.
    pub attrs: AttrListData,
    /// The compound types it mentions.
    pub types: Types,
    /// The attribute lists of its call sites.
    pub attr_lists: Attrs,
    /// The globals it mentions.
    pub symbols: Symbols,
    /// The names of the synchronization scopes of the target, from number 2 on.
    pub sync_scopes: Vec<Name>,
    pub(crate) blocks: PrimaryMap<Block, BlockData>,
    pub(crate) insts: PrimaryMap<Inst, InstData>,
    values: PrimaryMap<Value, ValueData>,
    /// Beside `values`.
    briefs: PrimaryMap<Value, Brief>,
    pub(crate) layout: Vec<Block>,
    params: Vec<Value>,
    constants: FxHashMap<Constant, Value>,
    value_names: FxHashMap<Value, Name>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BlockData {
    pub(crate) name: Option<Name>,
    pub(crate) predicate: PackedOption<Value>,
    pub(crate) insts: Vec<Inst>,
}

#[derive(Clone, Debug)]
pub(crate) struct ValueData {
    pub(crate) ty: Type,
    pub(crate) def: ValueDef,
}

/// What defines a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// The parameter at this position.
    Param(u32),
    /// An instruction.
    Inst(Inst),
    /// Nothing: it is a constant.
    Const(Box<Constant>),
}

impl Function {
    /// A function without blocks. The types of the signature are those of `types`.
    pub fn new(name: impl Into<SymbolName>, signature: Signature, types: Types) -> Function {
        let mut function = Function {
            name: name.into(),
            convention: 0,
            attrs: AttrListData::default(),
            types,
            attr_lists: Attrs::default(),
            symbols: Symbols::default(),
            sync_scopes: Vec::new(),
            blocks: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
            briefs: PrimaryMap::new(),
            layout: Vec::new(),
            params: Vec::new(),
            constants: FxHashMap::default(),
            value_names: FxHashMap::default(),
            signature,
        };
        for (index, &ty) in function.signature.params.iter().enumerate() {
            let def = ValueDef::Param(index as u32);
            function.briefs.push(Brief::param(ty));
            function.params.push(function.values.push(ValueData { ty, def }));
        }
        function
    }

    // ---- blocks ----

    /// Adds an empty block behind all others.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }

    /// Adds an empty block with a name behind all others.
    pub fn add_named_block(&mut self, name: &str) -> Block {
        let block = self.add_block();
        self.set_block_name(block, Some(name.into()));
        block
    }

    /// The blocks in the order they are written; the first is the entry.
    #[inline]
    pub fn blocks(&self) -> &[Block] {
        &self.layout
    }

    /// Changes the order of the blocks.
    ///
    /// # Panics
    /// If `order` does not hold the same blocks.
    pub fn reorder_blocks(&mut self, order: Vec<Block>) {
        let sorted = |mut blocks: Vec<Block>| {
            blocks.sort();
            blocks
        };
        assert_eq!(sorted(order.clone()), sorted(self.layout.clone()), "not a permutation");
        self.layout = order;
    }

    /// The block that executes first, if there is one.
    #[inline]
    pub fn entry(&self) -> Option<Block> {
        self.layout.first().copied()
    }

    /// The name of a block.
    pub fn block_name(&self, block: Block) -> Option<&Name> {
        self.blocks[block].name.as_ref()
    }

    /// Names a block. Names need not be unique until the function is printed.
    pub fn set_block_name(&mut self, block: Block, name: Option<Name>) {
        self.blocks[block].name = name;
    }

    /// The predicate of a block: threads on which it is false execute the block passively. `None` is `true`.
    #[inline]
    pub fn predicate(&self, block: Block) -> Option<Value> {
        self.blocks[block].predicate.expand()
    }

    /// Sets the predicate of a block.
    pub fn set_predicate(&mut self, block: Block, predicate: Option<Value>) {
        self.blocks[block].predicate = predicate.into();
    }

    /// The instructions of a block, φs first, terminator last.
    #[inline]
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.blocks[block].insts
    }

    /// The φs of a block.
    pub fn phis(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        self.insts(block).iter().copied().take_while(|&inst| matches!(self[inst].op, Op::Phi))
    }

    /// The last instruction of a block, if it is a terminator.
    #[inline]
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let last = *self.blocks[block].insts.last()?;
        self[last].op.is_terminator().then_some(last)
    }

    /// The successors of a block, one for each target of its terminator.
    #[inline]
    pub fn successors(&self, block: Block) -> &[Block] {
        self.terminator(block).map_or(&[], |inst| self[inst].successors())
    }

    // ---- instructions ----

    /// Adds an instruction at a place and returns it.
    pub fn insert(&mut self, at: InsertAt, data: InstData) -> Inst {
        let inst = self.make(data);
        self.place(at, inst);
        inst
    }

    /// Adds an instruction that stands in no block until it is [placed](Function::place_all).
    pub fn make(&mut self, data: InstData) -> Inst {
        let inst = self.insts.push(data);
        if self.insts[inst].ty != Type::Void {
            let data = ValueData { ty: self.insts[inst].ty, def: ValueDef::Inst(inst) };
            self.briefs.push(Brief::inst(data.ty, inst));
            self.insts[inst].result = Some(self.values.push(data)).into();
        }
        inst
    }

    pub(crate) fn place(&mut self, at: InsertAt, inst: Inst) {
        let (block, index) = match at {
            InsertAt::Start(block) => (block, self.phis(block).count()),
            InsertAt::End(block) => (block, self.blocks[block].insts.len()),
            InsertAt::Before(other) => self.position(other),
            InsertAt::After(other) => {
                let (block, index) = self.position(other);
                (block, index + 1)
            }
        };
        self.blocks[block].insts.insert(index, inst);
        self.insts[inst].block = Some(block).into();
    }

    /// The block and the index in it where an instruction stands.
    ///
    /// # Panics
    /// If it stands in no block.
    pub fn position(&self, inst: Inst) -> (Block, usize) {
        let block = self.block_of(inst).expect("the instruction stands in no block");
        let insts = &self.blocks[block].insts;
        // Most that is looked for is the terminator.
        if insts.last() == Some(&inst) {
            return (block, insts.len() - 1);
        }
        let found = insts.iter().position(|&i| i == inst);
        (block, found.expect("a block lists its instructions"))
    }

    /// The block of an instruction; `None` once it is erased.
    #[inline]
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.insts[inst].block.expand()
    }

    /// The number of instructions that stand in blocks.
    pub fn inst_count(&self) -> usize {
        self.layout.iter().map(|&block| self.insts(block).len()).sum()
    }

    /// All instructions in the order of the blocks.
    pub fn all_insts(&self) -> impl Iterator<Item = (Block, Inst)> + '_ {
        self.layout.iter().flat_map(|&b| self.insts(b).iter().map(move |&inst| (b, inst)))
    }

    // ---- values ----

    /// The parameters. They are the first values.
    #[inline]
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// What defines a value.
    #[inline]
    pub fn def(&self, value: Value) -> &ValueDef {
        &self.values[value].def
    }

    /// The instruction that defines a value.
    #[inline]
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        self.briefs[value].as_inst()
    }

    /// Whether a value is a constant.
    #[inline]
    pub fn is_constant(&self, value: Value) -> bool {
        self.briefs[value].is_constant()
    }

    /// The width of a value that is a scalar integer.
    #[inline]
    pub fn int_bits(&self, value: Value) -> Option<u32> {
        self.briefs[value].int_bits()
    }

    /// The number that a scalar integer constant is, unsigned, if it is below 2⁶⁴.
    #[inline]
    pub fn as_small_int(&self, value: Value) -> Option<u64> {
        self.briefs[value].as_int()
    }

    /// The constant that a value is.
    #[inline]
    pub fn as_constant(&self, value: Value) -> Option<&Constant> {
        if !self.is_constant(value) {
            return None;
        }
        match &self.values[value].def {
            ValueDef::Const(constant) => Some(constant),
            _ => None,
        }
    }

    /// The global whose address a value is.
    #[inline]
    pub fn as_symbol(&self, value: Value) -> Option<Symbol> {
        self.briefs[value].as_symbol()
    }

    /// The result of an instruction.
    ///
    /// # Panics
    /// If it yields none.
    pub fn result(&self, inst: Inst) -> Value {
        self.insts[inst].result.expect("the instruction yields no value")
    }

    /// The value that a constant is; the same for equal constants.
    pub fn constant(&mut self, constant: Constant) -> Value {
        if let Some(&known) = self.constants.get(&constant) {
            return known;
        }
        self.briefs.push(Brief::constant(&constant));
        let def = ValueDef::Const(Box::new(constant.clone()));
        let value = self.values.push(ValueData { ty: constant.ty, def });
        self.constants.insert(constant, value);
        value
    }

    /// The name of a value.
    pub fn value_name(&self, value: Value) -> Option<&Name> {
        self.value_names.get(&value)
    }

    /// Names a value. Names need not be unique until the function is printed.
    pub fn set_value_name(&mut self, value: Value, name: Option<Name>) {
        match name {
            Some(name) => self.value_names.insert(value, name),
            None => self.value_names.remove(&value),
        };
    }

    /// How many values there are or ever were: one more than the largest index.
    #[inline]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// How many blocks there are or ever were: one more than the largest index.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The attributes of a call or invoke.
    pub fn call_attrs(&self, list: AttrList) -> &AttrListData {
        self.attr_lists.get(list)
    }

    /// All that is promised of a call or invoke: by the declaration of what it names, if it does, and by itself.
    pub fn call_promises(&self, call: Inst) -> impl Iterator<Item = &AttrListData> {
        let data = &self[call];
        let symbol = data.args.first().and_then(|&callee| self.as_symbol(callee));
        let declared = symbol.and_then(|symbol| match &self.symbols.get(symbol).kind {
            SymbolKind::Function { attrs, .. } => Some(&**attrs),
            SymbolKind::Variable { .. } => None,
        });
        let own = data.op.call().map(|info| self.call_attrs(info.attrs));
        declared.filter(|_| own.is_some()).into_iter().chain(own)
    }

    /// Whether a call or invoke may read and write memory.
    pub fn call_memory(&self, call: Inst) -> MemoryEffects {
        self.call_promises(call).fold(MemoryEffects::ANY, |all, promise| {
            let memory = promise.memory();
            MemoryEffects { reads: all.reads && memory.reads, writes: all.writes && memory.writes }
        })
    }
}

impl std::ops::Index<Inst> for Function {
    type Output = InstData;
    #[inline]
    fn index(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }
}

impl std::ops::IndexMut<Inst> for Function {
    #[inline]
    fn index_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst]
    }
}
