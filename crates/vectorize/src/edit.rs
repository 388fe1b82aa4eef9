//! Changes to functions that several stages need.

use lw_graph::{BlockIndex, DepthFirst, DominatorTree, Graph, LoopForest};
use lw_ir::constant::Constant;
use lw_ir::types::Signature;
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Type, Value, ValueDef};
use lw_sparse::Program;
use lw_sparse::function::{block, node};
use rustc_hash::{FxHashMap, FxHashSet};

/// The block graph with all that is known of it. Nodes are the indices of blocks.
pub(crate) struct Shape {
    pub(crate) graph: Graph,
    pub(crate) loops: LoopForest,
    pub(crate) index: BlockIndex,
}

impl Shape {
    pub(crate) fn of(function: &Function) -> Shape {
        let graph = function.graph();
        let dfs = DepthFirst::compute(&graph);
        let dominators = DominatorTree::compute_with(&graph, &dfs);
        let loops = LoopForest::compute_with(&graph, &dfs);
        let index = BlockIndex::compute_with(&graph, &dfs, &dominators, &loops);
        Shape { graph, loops, index }
    }

    /// The number of a block in the block index; `None` if it is new.
    pub(crate) fn number(&self, b: Block) -> Option<usize> {
        let known = node(b).index() < self.graph.node_count();
        if known { self.index.index(node(b)) } else { None }
    }

    /// Whether a block is the header of a loop.
    pub(crate) fn is_header(&self, b: Block) -> bool {
        self.number(b).is_some() && self.loops.headed_by(node(b)).is_some()
    }
}

/// Writes the blocks in the order of the block index.
pub(crate) fn order_blocks(function: &mut Function) {
    let shape = Shape::of(function);
    let mut order: Vec<Block> = shape.index.order().iter().map(|&n| block(n)).collect();
    let reachable = |&&b: &&Block| shape.index.index(node(b)).is_none();
    order.extend(function.blocks().iter().filter(reachable).copied().collect::<Vec<_>>());
    function.reorder_blocks(order);
}

/// A jump to a block at the end of another.
pub(crate) fn jump(function: &mut Function, from: Block, to: Block) -> Inst {
    let data = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[to]);
    function.insert(InsertAt::End(from), data)
}

/// A jump in place of a terminator.
pub(crate) fn jump_instead(function: &mut Function, terminator: Inst, to: Block) {
    let (from, _) = function.position(terminator);
    let data = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[to]);
    let data = data.made_from(&function[terminator]);
    function.erase(terminator);
    function.insert(InsertAt::End(from), data);
}

/// A branch at the end of a block.
pub(crate) fn branch(function: &mut Function, from: Block, c: Value, to: [Block; 2]) -> Inst {
    let data = InstData::new(Op::CondBr, Type::Void, &[c]).with_targets(&to);
    function.insert(InsertAt::End(from), data)
}

/// An empty block that is named after another.
pub(crate) fn block_beside(function: &mut Function, other: Block, suffix: &str) -> Block {
    let name = function.block_name(other).and_then(|name| name.as_str()).unwrap_or("").to_string();
    function.add_named_block(&format!("{name}.{suffix}"))
}

/// The entry of a φ for an incoming block.
pub(crate) fn incoming(function: &Function, phi: Inst, from: Block) -> Value {
    let found = function[phi].incoming().find(|&(_, b)| b == from);
    found.expect("a φ has an entry for each edge").0
}

/// Removes the entry of a φ for an incoming block, and returns its value.
pub(crate) fn remove_incoming(function: &mut Function, phi: Inst, from: Block) -> Value {
    let data = &mut function[phi];
    let at = data.targets.iter().position(|&b| b == from).expect("a φ has an entry for each edge");
    data.targets.remove(at);
    data.args.remove(at)
}

/// Removes the entries of a φ for incoming blocks, and returns their values in the order of the blocks.
pub(crate) fn remove_all_incoming(
    function: &mut Function,
    phi: Inst,
    from: &[Block],
) -> Vec<Value> {
    if from.len() < WIDE {
        return from.iter().map(|&b| remove_incoming(function, phi, b)).collect();
    }
    let gone: FxHashMap<Block, usize> = from.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let data = &mut function[phi];
    let mut values: Vec<Option<Value>> = vec![None; from.len()];
    let mut kept = 0;
    for i in 0..data.targets.len() {
        match gone.get(&data.targets[i]) {
            Some(&place) => values[place] = Some(data.args[i]),
            None => {
                (data.targets[kept], data.args[kept]) = (data.targets[i], data.args[i]);
                kept += 1;
            }
        }
    }
    // The shadow stays behind them.
    let shadow = data.args.get(data.targets.len()).copied();
    data.targets.truncate(kept);
    data.args.truncate(kept);
    data.args.extend(shadow);
    from.iter().map(|b| values[gone[b]].expect("a φ has an entry for each edge")).collect()
}

/// From how many entries on searching a φ takes long.
const WIDE: usize = 16;

/// What φs get from blocks, found at once also where there are many entries. It is that of the φs as they were when this was made.
#[derive(Default)]
pub(crate) struct Entries(FxHashMap<Inst, FxHashMap<Block, Value>>);

impl Entries {
    pub(crate) fn of(function: &Function) -> Entries {
        let phis = function.blocks().iter().flat_map(|&b| function.phis(b));
        let wide = phis.filter(|&phi| function[phi].targets.len() >= WIDE);
        let entries = |phi: Inst| function[phi].incoming().map(|(value, b)| (b, value)).collect();
        Entries(wide.map(|phi| (phi, entries(phi))).collect())
    }

    /// The entry of a φ for an incoming block.
    pub(crate) fn incoming(&self, function: &Function, phi: Inst, from: Block) -> Value {
        match self.0.get(&phi) {
            Some(entries) => entries[&from],
            None => incoming(function, phi, from),
        }
    }
}

/// Adds an entry to a φ, before its shadow.
pub(crate) fn add_incoming(function: &mut Function, phi: Inst, value: Value, from: Block) {
    let data = &mut function[phi];
    data.args.insert(data.targets.len(), value);
    data.targets.push(from);
}

/// Whether a value is poison, as a constant.
pub(crate) fn is_poison(function: &Function, value: Value) -> bool {
    let poison = |c: &Constant| c.kind == lw_ir::ConstantKind::Poison;
    function.as_constant(value).is_some_and(poison)
}

/// Whether a value is poison or undefined, as a constant.
pub(crate) fn is_undefined(function: &Function, value: Value) -> bool {
    use lw_ir::ConstantKind::{Poison, Undef};
    function.as_constant(value).is_some_and(|c| matches!(c.kind, Poison | Undef))
}

/// Puts other values in place of some, in operands and predicates. What replaces a value may itself be replaced.
pub(crate) fn replace_all(function: &mut Function, by: &FxHashMap<Value, Value>) {
    if by.is_empty() {
        return;
    }
    let find = |mut v: Value| {
        while let Some(&next) = by.get(&v) {
            v = next;
        }
        v
    };
    for b in function.blocks().to_vec() {
        if let Some(predicate) = function.predicate(b) {
            function.set_predicate(b, Some(find(predicate)));
        }
        for inst in function.insts(b).to_vec() {
            for arg in &mut function[inst].args {
                *arg = find(*arg);
            }
        }
    }
}

/// Whether an instruction computes a number from numbers, and may be executed where it was not.
pub(crate) fn computes(function: &Function, inst: Inst) -> bool {
    match &function[inst].op {
        // What divides is a number other than 0 and -1.
        Op::Binary(op) if op.may_trap() => function
            .as_constant(function[inst].args[1])
            .and_then(|by| by.as_i128())
            .is_some_and(|by| by != 0 && by != -1),
        Op::Binary(_) => true,
        Op::Cast(_) | Op::ICmp(_) | Op::FCmp(_) | Op::Select => true,
        Op::Gep(_) | Op::FNeg | Op::Freeze => true,
        _ => false,
    }
}

/// Whether an instruction may go if nobody uses its result.
fn is_idle(function: &Function, inst: Inst) -> bool {
    computes(function, inst)
        || matches!(
            function[inst].op,
            Op::Phi
                | Op::Mask
                | Op::Horizontal(_)
                | Op::ExtractElement
                | Op::InsertElement
                | Op::ShuffleVector(_)
                | Op::ExtractValue(_)
                | Op::InsertValue(_)
        )
}

/// Removes instructions without effect whose result nobody uses, φs that only use each other included.
pub(crate) fn remove_unused(function: &mut Function) {
    remove_unused_in(function, |_| true);
}

/// The same in some blocks.
pub(crate) fn remove_unused_in(function: &mut Function, within: impl Fn(Block) -> bool) {
    let mut used = vec![false; function.value_count()];
    let mut stack: Vec<Value> = Vec::new();
    let index = |v: Value| cranelift_entity::EntityRef::index(v);
    for &b in function.blocks() {
        stack.extend(function.predicate(b));
        for &inst in function.insts(b) {
            if !is_idle(function, inst) || !within(b) {
                stack.extend(&function[inst].args);
            }
        }
    }
    while let Some(value) = stack.pop() {
        if std::mem::replace(&mut used[index(value)], true) {
            continue;
        }
        if let Some(inst) = function.def_inst(value) {
            stack.extend(&function[inst].args);
        }
    }
    for b in function.blocks().iter().copied().filter(|&b| within(b)).collect::<Vec<_>>() {
        let idle = |&&inst: &&Inst| {
            is_idle(function, inst)
                && function[inst].result.expand().is_some_and(|result| !used[index(result)])
        };
        let gone: Vec<Inst> = function.insts(b).iter().filter(idle).copied().collect();
        function.erase_all(b, &gone);
    }
}

/// Removes those of some instructions whose results nobody uses any more, also those that only read.
pub(crate) fn erase_unused(function: &mut Function, insts: impl Iterator<Item = Inst>) {
    let mut left: Vec<Inst> = insts.filter(|&inst| function.block_of(inst).is_some()).collect();
    loop {
        let used: FxHashSet<Value> = function
            .all_insts()
            .flat_map(|(_, inst)| function[inst].args.iter().copied())
            .collect();
        let (kept, gone): (Vec<Inst>, Vec<Inst>) =
            left.into_iter().partition(|&inst| used.contains(&function.result(inst)));
        if gone.is_empty() {
            return;
        }
        gone.into_iter().for_each(|inst| function.erase(inst));
        left = kept;
    }
}

/// Moves the stack objects of a block to the start of the function: they are allocated once.
pub(crate) fn hoist_stack(function: &mut Function, from: Block) {
    let top = function.entry().expect("it has a body");
    for inst in function.insts(from).to_vec() {
        if matches!(function[inst].op, Op::Alloca(_)) {
            function.move_inst(inst, InsertAt::Start(top));
        }
    }
}

/// A function without blocks that has the name, attributes and tables of another.
pub(crate) fn empty_like(function: &Function, signature: Signature) -> Function {
    let mut out = Function::new(function.name.clone(), signature, function.types.clone());
    out.convention = function.convention;
    out.attrs = function.attrs.clone();
    out.attr_lists = function.attr_lists.clone();
    out.symbols = function.symbols.clone();
    out.sync_scopes = function.sync_scopes.clone();
    out
}

/// Copies the blocks of a function behind those of one that is [like](empty_like) it, and says what became of them. `values` says
/// what stands for the parameters.
pub(crate) fn copy_body(
    function: &Function,
    out: &mut Function,
    mut values: FxHashMap<Value, Value>,
) -> FxHashMap<Block, Block> {
    let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
    for &b in function.blocks() {
        let new = out.add_block();
        out.set_block_name(new, function.block_name(b).cloned());
        blocks.insert(b, new);
    }
    let mut copies = Vec::new();
    for (b, inst) in function.all_insts() {
        let data = &function[inst];
        let mut new = InstData::new(data.op.clone(), data.ty, &data.args).with_flags(data.flags);
        new.total = data.total;
        (new.origin, new.derived) = (data.origin, data.derived);
        new.targets = data.targets.iter().map(|t| blocks[t]).collect();
        let new = out.insert(InsertAt::End(blocks[&b]), new);
        if let Some(result) = data.result.expand() {
            values.insert(result, out.result(new));
            out.set_value_name(out.result(new), function.value_name(result).cloned());
        }
        copies.push(new);
    }
    for inst in copies {
        for i in 0..out[inst].args.len() {
            let old = out[inst].args[i];
            out[inst].args[i] = match function.def(old) {
                ValueDef::Const(constant) => out.constant((**constant).clone()),
                _ => values[&old],
            };
        }
    }
    blocks
}
