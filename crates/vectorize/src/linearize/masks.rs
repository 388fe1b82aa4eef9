//! Masks of blocks and edges: `true` where all threads of the region are active.
//!
//! Conditions are combined with `select`, not `and`: on threads that are not in the mask a condition may be poison, which `and`
//! would pass on.

use crate::edit::Shape;
use lw_divergence::{Divergence, Stride};
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, Horizontal};
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Type, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

pub(super) struct Masks {
    on: Value,
    off: Value,
    varies: Vec<bool>,
    /// The mask of each block that was reached.
    of_block: FxHashMap<Block, Value>,
    /// Blocks with the mask of another.
    same: FxHashMap<Block, Block>,
    /// The condition of a branch that was folded.
    conditions: FxHashMap<Block, Value>,
    kept: FxHashMap<Block, bool>,
    /// Masks of edges that were computed.
    edges: FxHashMap<(Block, usize), Value>,
    any: FxHashMap<(Value, Block), Value>,
}

impl Masks {
    pub(super) fn new(
        function: &mut Function,
        divergence: &Divergence<Stride>,
        shape: &Shape,
    ) -> Masks {
        let mut varies = vec![false; function.block_count()];
        for &b in function.blocks() {
            varies[node(b).index()] = divergence.activation_varies(b);
        }
        let mut same = FxHashMap::default();
        for l in shape.loops.loops() {
            let entering = shape.loops.entering_edges(l)[0];
            same.insert(block(shape.loops.header(l)), block(shape.graph.source(entering)));
        }
        Masks {
            on: function.constant(Constant::bool(true)),
            off: function.constant(Constant::bool(false)),
            varies,
            of_block: FxHashMap::default(),
            same,
            conditions: FxHashMap::default(),
            kept: FxHashMap::default(),
            edges: FxHashMap::default(),
            any: FxHashMap::default(),
        }
    }

    /// Whether some threads may execute a block while others do not.
    pub(super) fn varies(&self, b: Block) -> bool {
        self.varies.get(node(b).index()).copied().unwrap_or(false)
    }

    pub(super) fn off(&self) -> Value {
        self.off
    }

    pub(super) fn is_on(&self, mask: Value) -> bool {
        mask == self.on
    }

    /// A block has the mask of another.
    pub(super) fn same(&mut self, b: Block, other: Block) {
        self.same.insert(b, other);
    }

    pub(super) fn set(&mut self, b: Block, mask: Value) {
        self.of_block.insert(b, mask);
    }

    /// The mask of a block that was reached.
    pub(super) fn of(&self, b: Block) -> Value {
        let mut at = b;
        loop {
            if let Some(&mask) = self.of_block.get(&at) {
                return mask;
            }
            match self.same.get(&at) {
                Some(&other) if self.varies(b) || !self.known(b) => at = other,
                _ => return self.on,
            }
        }
    }

    fn known(&self, b: Block) -> bool {
        node(b).index() < self.varies.len()
    }

    /// Keeps what a branch decides by.
    pub(super) fn remember_branch(
        &mut self,
        function: &Function,
        b: Block,
        terminator: Inst,
        kept: bool,
    ) {
        self.kept.insert(b, kept);
        if function[terminator].op == Op::CondBr {
            self.conditions.insert(b, function[terminator].args[0]);
        }
    }

    fn insert(&self, function: &mut Function, before: Inst, op: Op, args: &[Value]) -> Value {
        let data = InstData::new(op, Type::I1, args).made_from(&function[before]);
        let inst = function.insert(InsertAt::Before(before), data);
        function[inst].total = true;
        function.result(inst)
    }

    /// The mask of an edge of the program, computed before an instruction of `from` or of a block behind it.
    pub(super) fn edge(
        &mut self,
        function: &mut Function,
        before: Inst,
        from: Block,
        position: usize,
    ) -> Value {
        let mask = self.of(from);
        if self.kept[&from] {
            return mask;
        }
        let Some(&condition) = self.conditions.get(&from) else { return mask };
        if let Some(&known) = self.edges.get(&(from, position)) {
            return known;
        }
        let taken = match position {
            0 => condition,
            _ => self.insert(function, before, Op::Binary(BinOp::Xor), &[condition, self.on]),
        };
        let edge = if mask == self.on {
            taken
        } else {
            self.insert(function, before, Op::Select, &[mask, taken, self.off])
        };
        self.edges.insert((from, position), edge);
        edge
    }

    /// The union of two masks.
    pub(super) fn or(&self, function: &mut Function, before: Inst, a: Value, b: Value) -> Value {
        if a == self.off || a == b || b == self.on {
            return b;
        }
        if b == self.off || a == self.on {
            return a;
        }
        self.insert(function, before, Op::Binary(BinOp::Or), &[a, b])
    }

    /// Whether a thread is in the mask.
    pub(super) fn any(&mut self, function: &mut Function, before: Inst, mask: Value) -> Value {
        let at = function.block_of(before).expect("it stands in a block");
        if let Some(&known) = self.any.get(&(mask, at)) {
            return known;
        }
        let any = self.insert(function, before, Op::Horizontal(Horizontal::Any), &[mask]);
        self.any.insert((mask, at), any);
        any
    }
}
