//! The constraints of one function.
//!
//! A *carrier* is a value that can hold a pointer: by its type, or because it is a byte that is only copied. Values that are copies
//! of others have no variable of their own, nor has what is loaded from a known place: flow is the same at every point.

use cranelift_entity::EntityRef;
use lw_cfa::flow::{Node, Op as FlowOp};
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::{CompoundData, Lanes, Scalar};
use lw_ir::{Block, ConstantKind, Flags, Function, Inst, Op, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::Build;
use crate::constants::{Scope, Val};
use crate::distance;
use crate::elements;
use crate::world::{FuncId, Target};

pub(crate) struct Body<'b, 'm> {
    pub(crate) build: &'b mut Build<'m>,
    pub(crate) id: FuncId,
    pub(crate) function: &'m Function,
    pub(crate) scope: Scope<'m>,
    vals: Vec<Option<Val>>,
    /// Pointers into the middle of something, once they are needed as values.
    within: FxHashMap<Value, Node>,
    /// Stack memory that is only read and written as a whole.
    pub(crate) plain: FxHashSet<Value>,
    /// Bytes that are loaded and stored elsewhere as they are.
    pub(crate) copied: FxHashSet<Value>,
    /// The functions that it calls, each once.
    called: FxHashSet<FuncId>,
}

pub(crate) fn run<'m>(build: &mut Build<'m>, id: FuncId, part: usize, function: &'m Function) {
    let world = build.world;
    let index = world.functions[id.index()].place.map_or(0, |(_, index)| index);
    let scope = Scope {
        targets: &world.symbols[part][index],
        types: &function.types,
        layout: &world.parts[part].module.layout,
    };
    let vals = vec![None; function.value_count()];
    let mut body = Body {
        build,
        id,
        function,
        scope,
        vals,
        within: FxHashMap::default(),
        plain: FxHashSet::default(),
        copied: FxHashSet::default(),
        called: FxHashSet::default(),
    };
    body.look_at_memory();
    for (index, param) in function.params().iter().enumerate() {
        let var = body.build.funcs[id.index()].params[index];
        body.vals[param.index()] = Some(Val::Node(Node::Var(var)));
    }
    let order = order(function);
    for &block in &order {
        for &inst in function.insts(block) {
            body.instruction(inst);
        }
    }
    for &block in &order {
        for phi in function.phis(block) {
            body.phi(phi);
        }
    }
    if body.carries(function.signature.ret) {
        let vars = &body.build.funcs[id.index()];
        let (f, args) = (Node::Var(vars.k), vec![Node::Var(vars.ret)]);
        body.build.push(FlowOp::Call { f, args, spread: None });
    }
}

/// The blocks that can be reached, such that dominators come first.
fn order(function: &Function) -> Vec<Block> {
    let Some(entry) = function.entry() else { return Vec::new() };
    let mut seen = vec![false; function.block_count()];
    seen[entry.index()] = true;
    let (mut stack, mut order) = (vec![(entry, 0)], Vec::new());
    while let Some((block, next)) = stack.last_mut() {
        let target = function.successors(*block).get(*next).copied();
        *next += 1;
        match target {
            Some(target) => {
                if !std::mem::replace(&mut seen[target.index()], true) {
                    stack.push((target, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

impl<'m> Body<'_, 'm> {
    /// Whether values of a type can hold a pointer.
    pub(crate) fn carries(&self, ty: Type) -> bool {
        let word = 8 * self.build.word as u32;
        match ty {
            Type::Scalar(Scalar::Ptr(_)) | Type::Vector(Scalar::Ptr(_), _) => true,
            Type::Scalar(Scalar::Int(bits)) => bits >= word,
            Type::Vector(Scalar::Int(bits), Lanes { count, scalable }) => {
                scalable || bits.saturating_mul(count) >= word
            }
            Type::Compound(id) => match self.function.types.get(id) {
                CompoundData::Array { elem, .. } => {
                    self.carries(*elem) || self.size(ty) >= self.build.word && self.is_bytes(*elem)
                }
                CompoundData::Struct { fields, .. } => {
                    fields.as_ref().is_none_or(|fields| fields.iter().any(|ty| self.carries(*ty)))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_bytes(&self, ty: Type) -> bool {
        matches!(ty, Type::Scalar(Scalar::Int(_)))
    }

    pub(crate) fn size(&self, ty: Type) -> u64 {
        self.scope.layout.store_size(&self.function.types, ty).unwrap_or(self.build.word)
    }

    pub(crate) fn is_carrier(&self, value: Value) -> bool {
        self.carries(self.function.ty(value)) || self.copied.contains(&value)
    }

    /// What an operand may point to.
    pub(crate) fn val(&mut self, value: Value) -> Val {
        if let Some(known) = self.vals[value.index()] {
            return known;
        }
        let function = self.function;
        let val = match function.def(value) {
            ValueDef::Const(constant) => self.scope.value(self.build, constant),
            // In a block that is never reached, or a φ.
            _ if self.is_carrier(value) => Val::Node(Node::Var(self.build.fresh())),
            _ => Val::Nothing,
        };
        self.vals[value.index()] = Some(val);
        val
    }

    /// The same as a node.
    pub(crate) fn node(&mut self, value: Value) -> Option<Node> {
        let val = self.val(value);
        if !matches!(val, Val::At { base: Node::Var(_), .. }) {
            return self.build.node(val);
        }
        if let Some(node) = self.within.get(&value) {
            return Some(*node);
        }
        let node = self.build.node(val)?;
        self.within.insert(value, node);
        Some(node)
    }

    /// The constant integer that an operand is.
    pub(crate) fn integer(&self, value: Value) -> Option<i128> {
        let constant = self.function.as_constant(value)?;
        match constant.kind {
            ConstantKind::Zero => Some(0),
            _ => constant.as_i128(),
        }
    }

    /// Says what an instruction yields. A use in a φ may have come first.
    pub(crate) fn set(&mut self, inst: Inst, val: Val) {
        let Some(result) = self.function[inst].result.expand() else { return };
        let val = if self.is_carrier(result) { val } else { Val::Nothing };
        match self.vals[result.index()] {
            None => self.vals[result.index()] = Some(val),
            Some(Val::Node(Node::Var(dst))) => {
                if let Some(src) = self.build.node(val) {
                    self.copy(dst, src);
                }
            }
            Some(_) => {}
        }
    }

    pub(crate) fn copy(&mut self, dst: u32, src: Node) {
        if src != Node::Var(dst) {
            self.build.push(FlowOp::Copy { dst, src });
        }
    }

    /// The union of what operands point to.
    pub(crate) fn union(&mut self, values: &[Value]) -> Val {
        let nodes: Vec<Node> = values.iter().filter_map(|value| self.node(*value)).collect();
        self.join(&nodes)
    }

    pub(crate) fn join(&mut self, nodes: &[Node]) -> Val {
        match nodes {
            [] => Val::Nothing,
            [first, rest @ ..] if rest.iter().all(|node| node == first) => Val::Node(*first),
            _ => {
                let dst = self.build.fresh();
                nodes.iter().for_each(|src| self.copy(dst, *src));
                Val::Node(Node::Var(dst))
            }
        }
    }

    fn phi(&mut self, inst: Inst) {
        let data = &self.function[inst];
        let Some(result) = data.result.expand().filter(|result| self.is_carrier(*result)) else {
            return;
        };
        let Val::Node(Node::Var(dst)) = self.val(result) else { return };
        for arg in &data.args {
            if let Some(src) = self.node(*arg) {
                self.copy(dst, src);
            }
        }
    }

    fn instruction(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function[inst];
        let args = &data.args;
        match &data.op {
            Op::Phi => {}
            Op::Alloca(info) => self.alloca(inst, info.ty),
            Op::Load(_) => {
                let loaded = self.load(args[0], data.ty, data.result.expand());
                self.set(inst, loaded);
            }
            Op::Store(_) => self.store(args[0], args[1]),
            Op::AtomicRmw(..) => {
                let old = self.load(args[0], data.ty, data.result.expand());
                self.set(inst, old);
                self.store(args[1], args[0]);
            }
            Op::CmpXchg(_) => {
                let old = self.load(args[0], function.ty(args[2]), None);
                self.set(inst, old);
                self.store(args[2], args[0]);
            }
            Op::Gep(elem) => {
                let base = self.val(args[0]);
                let (types, layout) = (&function.types, self.scope.layout);
                let index = |at: usize| distance::of_value(function, args[at + 1]);
                let by = distance::of_gep(types, layout, *elem, args.len() - 1, index);
                let moved = self.build.moved(base, by, data.flags.contains(Flags::INBOUNDS));
                self.set(inst, moved);
            }
            Op::Cast(CastOp::FpToUi | CastOp::FpToSi | CastOp::UiToFp | CastOp::SiToFp) => {}
            Op::Cast(_) | Op::Freeze => {
                let same = self.val(args[0]);
                self.set(inst, same);
            }
            Op::Binary(BinOp::Sub) => self.arithmetic(inst, &args[..1]),
            Op::Binary(
                BinOp::Add
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Shl
                | BinOp::LShr
                | BinOp::AShr,
            ) => self.arithmetic(inst, args),
            Op::Binary(_) | Op::ICmp(_) | Op::FCmp(_) | Op::FNeg => {}
            Op::Select => {
                if data.result.expand().is_some_and(|result| self.is_carrier(result)) {
                    let either = self.union(&args[1..]);
                    self.set(inst, either);
                }
            }
            Op::VaArg => {
                let list = self.load(args[0], Type::PTR, None);
                let inner = self.load_from(list, data.ty);
                self.set(inst, inner);
            }
            Op::Call(_) | Op::Invoke(_) => self.call(inst),
            Op::Ret => {
                let ret = self.build.funcs[self.id.index()].ret;
                if let Some(&value) = args.first()
                    && self.carries(function.signature.ret)
                    && let Some(src) = self.node(value)
                {
                    self.copy(ret, src);
                }
            }
            Op::LandingPad(_) => self.set(inst, Val::Node(Node::Value(self.build.unknown))),
            Op::Opaque(_) | Op::Resume => {
                args.iter().for_each(|arg| self.escape(*arg));
                self.set(inst, Val::Node(Node::Value(self.build.unknown)));
            }
            Op::Br
            | Op::CondBr
            | Op::Switch
            | Op::IndirectBr
            | Op::Unreachable
            | Op::Fence(_)
            | Op::Mask => {}
            Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector(_)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::Horizontal(_) => {
                if data.result.expand().is_some_and(|result| self.is_carrier(result)) {
                    let all = self.union(args);
                    self.set(inst, all);
                }
            }
        }
    }

    /// Memory on the stack.
    fn alloca(&mut self, inst: Inst, ty: Type) {
        let Some(result) = self.function[inst].result.expand() else { return };
        if self.plain.contains(&result) {
            // Its content; nothing else ever sees the address.
            let var = self.build.fresh();
            self.vals[result.index()] = Some(Val::Node(Node::Var(var)));
            return;
        }
        let one = self.integer(self.function[inst].args[0]);
        let size = self.scope.layout.alloc_size(&self.function.types, ty);
        let stride = elements::stride(self.build.word, &self.scope, ty, one != Some(1));
        let object = self.build.object(size.filter(|_| one == Some(1)), stride);
        let start = self.build.objects[object as usize].start;
        self.set(inst, Val::Node(Node::Value(start)));
    }

    /// Numbers made of pointers lead to somewhere within the same objects.
    fn arithmetic(&mut self, inst: Inst, operands: &[Value]) {
        let carries = self.function[inst].result.expand().is_some_and(|v| self.is_carrier(v));
        if !carries {
            return;
        }
        let mut nodes = Vec::new();
        for operand in operands {
            if let Some(node) = self.node(*operand) {
                nodes.push(node);
                let within = self.build.within(node);
                if within != node {
                    nodes.push(within);
                }
            }
        }
        let joined = self.join(&nodes);
        self.set(inst, joined);
    }

    /// What code outside gets to see.
    pub(crate) fn escape(&mut self, value: Value) {
        if self.is_carrier(value)
            && let Some(src) = self.node(value)
        {
            self.copy(self.build.escape, src);
        }
    }

    /// What the callee of a call stands for, if it is named.
    pub(crate) fn named(&self, callee: Value) -> Option<Target> {
        let symbol = self.function.as_symbol(callee)?;
        Some(self.scope.targets[symbol.as_u32() as usize])
    }

    /// Notes that a function is called by name; whether this is new.
    pub(crate) fn calls(&mut self, callee: FuncId) -> bool {
        self.called.insert(callee)
    }
}
