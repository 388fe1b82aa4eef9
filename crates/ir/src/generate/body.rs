//! The body of one function: blocks are filled in reverse postorder, so that a value is known before it is used; what
//! φs get over back edges comes last.

use super::calls::Callee;
use super::constants;
use super::inputs::Inputs;
use super::palette::Palette;
use super::skeleton::{Role, Skeleton};
use super::{Options, Rng};
use crate::constant::Constant;
use crate::entities::{Block, Inst, Value};
use crate::flags::Flags;
use crate::function::Function;
use crate::inst::{InsertAt, InstData, Op};
use crate::module::Module;
use crate::types::{Signature, Type};
use cranelift_entity::SecondaryMap;
use lw_graph::{DepthFirst, DominatorTree, Graph};

/// A value that may be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) value: Value,
    pub(super) ty: Type,
    /// What it points to, if it is a pointer.
    pub(super) cell: Option<Cell>,
    /// Whether it means nothing outside its block: it was assigned by passive threads too, or not by all.
    local: bool,
}

impl Known {
    /// Whether it points to a value that another one follows.
    pub(super) fn is_followed(&self) -> bool {
        self.cell.is_some_and(|cell| cell.followed)
    }
}

/// The memory behind a pointer: at least one value of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) ty: Type,
    pub(super) class: Class,
    /// Whether addresses may be less aligned than the type wants.
    pub(super) packed: bool,
    /// Whether a second value follows.
    pub(super) followed: bool,
}

/// What may be done with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Only read.
    Constant,
    /// Read and written; what it holds is defined.
    Variable,
    /// Read and written; what it holds may be undefined.
    Wild,
}

/// A value that a φ gets over an edge from a block that is not filled yet.
struct Pending {
    phi: Inst,
    operand: usize,
    from: usize,
    want: Want,
}

/// What is asked of a value.
#[derive(Clone, Copy)]
enum Want {
    /// This value.
    Exactly(Value),
    /// One of a type.
    Any { ty: Type, cell: Option<Cell>, safe: bool, block: Block },
}

/// The loop counter of a loop: the φ and what it becomes.
pub(super) type Counter = (Value, Value);

pub(super) struct Body<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) options: &'a Options,
    pub(super) palette: &'a Palette,
    pub(super) module: &'a Module,
    pub(super) callees: &'a [Callee],
    /// The function itself, if it may call itself.
    pub(super) this: Option<&'a Callee>,
    pub(super) f: Function,
    pub(super) skeleton: Skeleton,
    pub(super) blocks: Vec<Block>,
    /// The block that is filled.
    pub(super) block: Block,
    pub(super) node: usize,
    pub(super) scope: Vec<Known>,
    /// Values that may be undefined.
    tainted: SecondaryMap<Value, bool>,
    /// The private memory of the thread, and the memory that is only read.
    pub(super) own: Option<Value>,
    pub(super) table: Option<Value>,
    /// Where loops that count in memory do.
    pub(super) fuel: Option<Value>,
    pub(super) limits: Vec<Value>,
    pub(super) counters: Vec<Option<Counter>>,
    pending: Vec<Pending>,
    /// What is known at the end of each block that is filled.
    ends: Vec<Option<Vec<Known>>>,
    /// Whether the instructions that are added are `total`.
    pub(super) total: bool,
    /// Whether the block has a predicate.
    pub(super) predicated: bool,
    pub(super) called_itself: bool,
}

impl<'a> Body<'a> {
    /// The body of the function that is run.
    pub(super) fn entry(
        rng: &'a mut Rng,
        options: &'a Options,
        palette: &'a Palette,
        module: &'a Module,
        callees: &'a [Callee],
        inputs: &Inputs,
    ) -> Body<'a> {
        let passed = palette.passed(rng, &module.layout);
        let ret = if rng.one_in(6) { Type::Void } else { passed };
        let signature = Signature { ret, params: inputs.types().into(), varargs: false };
        let name = options.name.clone();
        Body::new(rng, options, palette, module, callees, None, &name, signature)
    }

    /// The body of a function that others call.
    pub(super) fn helper(
        rng: &'a mut Rng,
        options: &'a Options,
        palette: &'a Palette,
        module: &'a Module,
        callees: &'a [Callee],
        callee: &'a Callee,
    ) -> Body<'a> {
        let signature = callee.signature();
        Body::new(rng, options, palette, module, callees, Some(callee), &callee.name, signature)
    }

    #[allow(clippy::too_many_arguments)]
    fn new(
        rng: &'a mut Rng,
        options: &'a Options,
        palette: &'a Palette,
        module: &'a Module,
        callees: &'a [Callee],
        this: Option<&'a Callee>,
        name: &str,
        signature: Signature,
    ) -> Body<'a> {
        let mut skeleton = Skeleton::random(rng, options);
        if this.is_some() {
            // Where the recursion ends.
            let end = skeleton.nodes.len();
            let depth = 0;
            let last = super::skeleton::Node { role: Role::Return, edges: Vec::new(), depth };
            skeleton.nodes.push(last);
            skeleton.layout.push(end);
            skeleton.nodes[0].edges.truncate(1);
            skeleton.nodes[0].edges.push(end);
        }
        let mut f = Function::new(name, signature, palette.types.clone());
        f.convention = this.map_or(0, |callee| callee.convention);
        f.attrs = super::calls::function_attrs(rng);
        let blocks: Vec<Block> = skeleton.nodes.iter().map(|_| f.add_block()).collect();
        f.reorder_blocks(skeleton.layout.iter().map(|&node| blocks[node]).collect());
        let ends = vec![None; blocks.len()];
        let counters = vec![None; skeleton.loops.len()];
        Body {
            rng,
            options,
            palette,
            module,
            callees,
            this,
            f,
            skeleton,
            block: blocks[0],
            blocks,
            node: 0,
            scope: Vec::new(),
            tainted: SecondaryMap::new(),
            own: None,
            table: None,
            fuel: None,
            limits: Vec::new(),
            counters,
            pending: Vec::new(),
            ends,
            total: false,
            predicated: false,
            called_itself: false,
        }
    }

    pub(super) fn build(mut self) -> Function {
        let successors: Vec<&[usize]> =
            self.skeleton.nodes.iter().map(|node| node.edges.as_slice()).collect();
        let graph = Graph::from_successors(&successors);
        let order: Vec<usize> =
            DepthFirst::compute(&graph).reverse_postorder().map(|node| node.index()).collect();
        let dominators = DominatorTree::compute(&graph);
        let predecessors = self.skeleton.predecessors();
        self.name_params();
        let params: Vec<Known> = self.scope.clone();
        for &node in &order {
            let above = dominators.immediate(lw_graph::Node::new(node)).map(|n| n.index());
            self.scope = match above {
                Some(above) => self.ends[above].clone().expect("dominators come first"),
                None => params.clone(),
            };
            self.fill(node, &predecessors[node]);
        }
        for (node, predecessors) in predecessors.iter().enumerate() {
            if self.ends[node].is_none() {
                self.scope = params.clone();
                self.fill(node, predecessors);
            }
        }
        self.resolve_pending();
        if self.rng.one_in(2) {
            super::names::give(self.rng, &mut self.f);
        }
        self.f
    }

    fn name_params(&mut self) {
        for value in self.f.params().to_vec() {
            let ty = self.f.ty(value);
            if !ty.is_ptr() {
                self.scope.push(Known { value, ty, cell: None, local: false });
            }
        }
    }

    fn fill(&mut self, node: usize, predecessors: &[usize]) {
        self.node = node;
        self.block = self.blocks[node];
        self.predicated = false;
        self.phis(predecessors);
        if node == 0 {
            self.prologue();
        }
        self.count(predecessors);
        let role = self.skeleton.nodes[node].role;
        if role == Role::Plain {
            self.begin_predicate();
        }
        self.behind_phis();
        let most = if role == Role::Plain { self.options.insts } else { self.options.insts / 3 };
        let count = self.rng.below(most + 1);
        for _ in 0..count {
            self.random_inst();
        }
        self.observe();
        self.terminator(role);
        self.scope.retain(|known| !known.local);
        self.ends[node] = Some(self.scope.clone());
    }

    // ---- φs ----

    fn phis(&mut self, predecessors: &[usize]) {
        let mut distinct = predecessors.to_vec();
        distinct.sort();
        distinct.dedup();
        let count = match distinct.len() {
            0 => 0,
            1 => usize::from(self.rng.one_in(8)),
            _ => self.rng.below(4),
        };
        let mut made = Vec::new();
        for _ in 0..count {
            let mut pointers = self.scope_of(|k| k.cell.is_some());
            let followed = self.options.records && self.rng.one_in(3);
            if followed {
                pointers.retain(Known::is_followed);
            }
            let (ty, cell) = if (followed || self.rng.one_in(8)) && !pointers.is_empty() {
                let known = pointers[self.rng.below(pointers.len())];
                (known.ty, known.cell)
            } else {
                (self.palette.value(self.rng), None)
            };
            let safe = cell.is_some() || self.options.undefined == 0 || !self.rng.one_in(6);
            let want = Want::Any { ty, cell, safe, block: self.block };
            made.push((self.phi(ty, predecessors, |_, _| want), ty, cell, safe));
        }
        for (value, ty, cell, safe) in made {
            let inst = self.f.def_inst(value).expect("a φ");
            let mut local = false;
            // 001 §4.8: what passive threads get instead.
            if self.options.predicates && cell.is_none() && self.rng.one_in(4) {
                let constant = constants::random(self.rng, &self.f.types, ty);
                let shadow = self.f.constant(constant);
                self.f[inst].args.push(shadow);
                local = true;
            }
            self.tainted[value] = !safe;
            self.scope.push(Known { value, ty, cell, local });
        }
    }

    /// A φ. What comes from a block that is filled is chosen now, the rest when all are.
    fn phi(
        &mut self,
        ty: Type,
        predecessors: &[usize],
        want: impl Fn(&Self, usize) -> Want,
    ) -> Value {
        let targets: Vec<Block> = predecessors.iter().map(|&p| self.blocks[p]).collect();
        let at = self.f.phis(self.block).count();
        let placeholder = self.f.constant(Constant::poison(ty));
        let args = vec![placeholder; predecessors.len()];
        let data = InstData::new(Op::Phi, ty, &args).with_targets(&targets);
        let place = match self.f.insts(self.block).get(at).copied() {
            Some(next) => InsertAt::Before(next),
            None => InsertAt::End(self.block),
        };
        let phi = self.f.insert(place, data);
        for (operand, &from) in predecessors.iter().enumerate() {
            let pending = Pending { phi, operand, from, want: want(self, from) };
            if self.ends[from].is_some() {
                self.resolve(&pending);
            } else {
                self.pending.push(pending);
            }
        }
        self.f.result(phi)
    }

    fn resolve(&mut self, pending: &Pending) {
        let &Pending { phi, operand, from, want } = pending;
        let earlier = (0..operand).find(|&i| self.f[phi].targets[i] == self.blocks[from]);
        let value = match (earlier, want) {
            // Parallel edges bring the same value.
            (Some(earlier), _) => self.f[phi].args[earlier],
            (None, Want::Exactly(value)) => value,
            (None, Want::Any { ty, cell, safe, block }) => {
                let scope = self.ends[from].clone().expect("the block is filled");
                let siblings: Vec<Value> = (self.f.phis(block).map(|i| self.f.result(i)))
                    .filter(|&v| self.f.ty(v) == ty && (!safe || !self.tainted[v]))
                    .filter(|&v| scope.iter().any(|k| k.value == v && k.cell == cell))
                    .collect();
                let kept = std::mem::replace(&mut self.scope, scope);
                let value = if !siblings.is_empty() && self.rng.one_in(3) {
                    siblings[self.rng.below(siblings.len())]
                } else {
                    match cell {
                        Some(cell) => self.pointer_in_scope(cell),
                        None => self.pick_plain(ty, safe),
                    }
                };
                self.scope = kept;
                value
            }
        };
        self.f[phi].args[operand] = value;
    }

    fn resolve_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.resolve(&pending);
        }
    }

    /// A pointer to such memory; null if there is none, which happens only where nothing leads.
    fn pointer_in_scope(&mut self, cell: Cell) -> Value {
        let all: Vec<Value> =
            self.scope.iter().filter(|k| k.cell == Some(cell)).map(|k| k.value).collect();
        if all.is_empty() {
            return self.f.constant(Constant::zero(Type::PTR));
        }
        all[self.rng.below(all.len())]
    }

    /// The counter of the loop that this block is the header of.
    fn count(&mut self, predecessors: &[usize]) {
        let Some(number) = self.skeleton.loops.iter().position(|l| l.header == self.node) else {
            return;
        };
        if self.skeleton.loops[number].in_memory {
            return;
        }
        let ty = Type::I32;
        let start = self.f.constant(Constant::int(ty, 0));
        // The addition is made first, so that the φ can name it; it moves behind the φs by being placed after it.
        let placeholder = InstData::new(Op::Freeze, ty, &[start]);
        let place = match self.f.phis(self.block).last() {
            Some(phi) => InsertAt::After(phi),
            None => InsertAt::Start(self.block),
        };
        let step = self.f.insert(place, placeholder);
        let next = self.f.result(step);
        let ends: Vec<bool> = self.ends.iter().map(Option::is_some).collect();
        let count = self
            .phi(ty, predecessors, |_, from| Want::Exactly(if ends[from] { start } else { next }));
        let one = self.f.constant(Constant::int(ty, 1));
        let data = &mut self.f[step];
        data.op = Op::Binary(crate::ops::BinOp::Add);
        data.args = [count, one].as_slice().into();
        data.flags = Flags::NUW | Flags::NSW;
        for value in [count, next] {
            self.scope.push(Known { value, ty, cell: None, local: false });
        }
        self.counters[number] = Some((count, next));
    }

    // ---- values ----

    /// Whether a promise may be broken here.
    pub(super) fn risky(&mut self) -> bool {
        self.options.undefined > 0 && self.rng.below(100) < self.options.undefined
    }

    pub(super) fn is_tainted(&self, value: Value) -> bool {
        self.tainted[value]
    }

    /// Adds an instruction.
    pub(super) fn push(&mut self, data: InstData) -> Inst {
        let mut data = data;
        data.total = self.total && !data.op.is_terminator() && !matches!(data.op, Op::Mask);
        self.f.insert(InsertAt::End(self.block), data)
    }

    /// Adds an instruction that yields a value; with `risky`, the value may be undefined even if the operands are not.
    pub(super) fn emit(
        &mut self,
        op: Op,
        ty: Type,
        args: &[Value],
        flags: Flags,
        risky: bool,
    ) -> Value {
        let tainted = risky || args.iter().any(|&arg| self.tainted[arg]);
        let inst = self.push(InstData::new(op, ty, args).with_flags(flags));
        let value = self.f.result(inst);
        self.tainted[value] = tainted;
        self.know(value, None);
        value
    }

    /// Lets later instructions use a value.
    pub(super) fn know(&mut self, value: Value, cell: Option<Cell>) {
        let ty = self.f.ty(value);
        let local = self.total || self.predicated;
        self.scope.push(Known { value, ty, cell, local });
    }

    /// Says that a value may be undefined, or is not although an operand may be.
    pub(super) fn set_tainted(&mut self, value: Value, tainted: bool) {
        self.tainted[value] = tainted;
    }

    pub(super) fn int(&mut self, ty: Type, value: i128) -> Value {
        let constant = Constant::int(ty, value);
        let constant = match constant.kind {
            crate::constant::ConstantKind::Aggregate(elements) => {
                constants::aggregate(&self.f.types, ty, elements.into_vec())
            }
            _ => constant,
        };
        self.f.constant(constant)
    }

    pub(super) fn constant(&mut self, ty: Type, safe: bool) -> Value {
        let constant = if !safe && self.rng.one_in(6) {
            if self.rng.one_in(2) { Constant::undef(ty) } else { Constant::poison(ty) }
        } else {
            constants::random(self.rng, &self.f.types, ty)
        };
        let undefined = matches!(
            constant.kind,
            crate::constant::ConstantKind::Undef | crate::constant::ConstantKind::Poison
        );
        let value = self.f.constant(constant);
        self.tainted[value] = undefined;
        value
    }

    /// A value of a type that is no pointer, without adding instructions. `safe` ones are never undefined.
    pub(super) fn pick_plain(&mut self, ty: Type, safe: bool) -> Value {
        let fits = |k: &&Known| k.ty == ty && k.cell.is_none() && !(safe && self.tainted[k.value]);
        let count = self.scope.iter().filter(fits).count();
        if count == 0 || self.rng.one_in(7) {
            let risky = !safe && self.risky();
            return self.constant(ty, !risky);
        }
        // Recent values are likelier.
        let (a, b) = (self.rng.below(count), self.rng.below(count));
        let chosen = self.scope.iter().filter(fits).nth(a.max(b));
        chosen.expect("counted before").value
    }

    /// A value of a type, perhaps by converting another.
    pub(super) fn pick(&mut self, ty: Type) -> Value {
        self.pick_as(ty, false)
    }

    /// A value of a type that is never undefined.
    pub(super) fn pick_safe(&mut self, ty: Type) -> Value {
        self.pick_as(ty, true)
    }

    fn pick_as(&mut self, ty: Type, safe: bool) -> Value {
        let known = self
            .scope
            .iter()
            .any(|k| k.ty == ty && k.cell.is_none() && !(safe && self.tainted[k.value]));
        if !known
            && self.rng.one_in(2)
            && let Some(value) = self.converted(ty, safe)
        {
            return value;
        }
        let value = self.pick_plain(ty, safe);
        if !safe && self.options.predicates && self.predicated && self.rng.one_in(40) {
            return self.mask_or(value, ty);
        }
        value
    }

    pub(super) fn scope_of(&self, wanted: impl Fn(&Known) -> bool) -> Vec<Known> {
        self.scope.iter().copied().filter(|k| wanted(k)).collect()
    }

    pub(super) fn ty_of(&self, value: Value) -> Type {
        self.f.ty(value)
    }

    pub(super) fn loop_depth(&self) -> usize {
        self.skeleton.nodes[self.node].depth
    }

    pub(super) fn is_entry(&self) -> bool {
        self.node == 0
    }
}
