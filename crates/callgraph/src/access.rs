//! What loads, stores and copies do with memory.

use lw_cfa::flow::{Node, Op as FlowOp};
use lw_ir::{Op, Type, Value};
use rustc_hash::FxHashSet;

use crate::body::Body;
use crate::constants::Val;
use crate::distance::Distance;
use crate::objects::{MAX_SLOTS, READ, WRITE};

impl Body<'_, '_> {
    /// Finds stack memory that needs no address, and bytes that are copied.
    pub(crate) fn look_at_memory(&mut self) {
        let function = self.function;
        let mut loaded = FxHashSet::default();
        for (_, inst) in function.all_insts() {
            let data = &function[inst];
            let Some(result) = data.result.expand() else { continue };
            match data.op {
                Op::Alloca(_) => drop(self.plain.insert(result)),
                Op::Load(_) if data.ty == Type::I8 => drop(loaded.insert(result)),
                _ => {}
            }
        }
        for (_, inst) in function.all_insts() {
            let data = &function[inst];
            for (at, arg) in data.args.iter().enumerate() {
                let whole = match &data.op {
                    Op::Load(_) => true,
                    Op::Store(_) => at == 1,
                    Op::Call(_) => self.is_lifetime(data.args[0]),
                    _ => false,
                };
                if !whole {
                    self.plain.remove(arg);
                }
            }
            if let (Op::Store(_), Some(value)) = (&data.op, data.args.first())
                && loaded.contains(value)
            {
                self.copied.insert(*value);
            }
        }
    }

    fn is_lifetime(&self, callee: Value) -> bool {
        let symbol = self.function.as_symbol(callee);
        let name = symbol.and_then(|symbol| self.function.symbols.get(symbol).name.as_str());
        name.is_some_and(|name| name.starts_with("llvm.lifetime."))
    }

    /// What a load yields.
    pub(crate) fn load(&mut self, pointer: Value, ty: Type, result: Option<Value>) -> Val {
        if !self.carries(ty) && !result.is_some_and(|result| self.copied.contains(&result)) {
            return Val::Nothing;
        }
        let address = self.val(pointer);
        if self.plain.contains(&pointer) {
            return address;
        }
        self.load_from(address, ty)
    }

    /// What is found at an address.
    pub(crate) fn load_from(&mut self, address: Val, ty: Type) -> Val {
        let bytes = self.size(ty);
        let (base, offset) = match address {
            Val::Nothing => return Val::Nothing,
            Val::Node(base) => (base, 0),
            Val::At { base, by, .. } => (base, by),
        };
        match base {
            Node::Value(value) if value == self.build.unknown => Val::Node(base),
            Node::Value(value) => match self.build.pointees[value as usize] {
                Some((object, place)) => {
                    let vars = self.build.read_vars(object, place, offset, bytes);
                    let nodes: Vec<Node> = vars.into_iter().map(Node::Var).collect();
                    self.join(&nodes)
                }
                None => Val::Nothing,
            },
            Node::Var(_) => {
                let dst = self.build.fresh();
                match self.build.slot_range(offset, bytes) {
                    Some((low, high)) => {
                        for at in low..=high {
                            let [exact, every] = [self.build.slot(at), self.build.slot_read(at)];
                            self.build.push(FlowOp::Load { dst, base, field: exact });
                            self.build.push(FlowOp::Load { dst, base, field: every });
                        }
                        self.build.push(FlowOp::Load { dst, base, field: READ });
                    }
                    None => {
                        let base = self.build.within(base);
                        self.build.push(FlowOp::Load { dst, base, field: READ });
                    }
                }
                Val::Node(Node::Var(dst))
            }
        }
    }

    /// What a store does.
    pub(crate) fn store(&mut self, value: Value, pointer: Value) {
        if !self.is_carrier(value) {
            return;
        }
        let Some(src) = self.node(value) else { return };
        let address = self.val(pointer);
        if self.plain.contains(&pointer) {
            if let Val::Node(Node::Var(dst)) = address {
                self.copy(dst, src);
            }
            return;
        }
        self.store_to(address, src, self.size(self.function.ty(value)));
    }

    /// Puts something at an address.
    pub(crate) fn store_to(&mut self, address: Val, src: Node, bytes: u64) {
        let (base, offset) = match address {
            Val::Nothing => return,
            Val::Node(base) => (base, 0),
            Val::At { base, by, .. } => (base, by),
        };
        match base {
            Node::Value(value) if value == self.build.unknown => self.copy(self.build.escape, src),
            Node::Value(value) => {
                if let Some((object, place)) = self.build.pointees[value as usize] {
                    for dst in self.build.write_vars(object, place, offset, bytes) {
                        self.copy(dst, src);
                    }
                }
            }
            Node::Var(_) => match self.build.slot_range(offset, bytes) {
                Some((low, high)) => {
                    for at in low..=high {
                        let [exact, every] = [self.build.slot(at), self.build.slot_write(at)];
                        self.build.push(FlowOp::Store { base, field: exact, src });
                        self.build.push(FlowOp::Store { base, field: every, src });
                    }
                    self.build.push(FlowOp::Store { base, field: WRITE, src });
                }
                None => {
                    let base = self.build.within(base);
                    self.build.push(FlowOp::Store { base, field: WRITE, src });
                }
            },
        }
    }

    /// Copies memory; `bytes` is `None` if nobody knows how much.
    pub(crate) fn copy_memory(&mut self, to: Val, from: Val, bytes: Option<u64>) {
        let word = self.build.word;
        match bytes {
            Some(bytes) if bytes < word => {}
            Some(bytes) if bytes <= MAX_SLOTS * word => {
                for at in 0..bytes / word {
                    let by = Distance::exactly((at * word) as i64);
                    let from = self.build.moved(from, by, false);
                    let content = self.load_from(from, Type::PTR);
                    if let Some(src) = self.build.node(content) {
                        let to = self.build.moved(to, by, false);
                        self.store_to(to, src, word);
                    }
                }
            }
            _ => {
                let from = self.build.anywhere(from);
                let content = self.load_from(from, Type::PTR);
                if let Some(src) = self.build.node(content) {
                    let to = self.build.anywhere(to);
                    self.store_to(to, src, word);
                }
            }
        }
    }
}
