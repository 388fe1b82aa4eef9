//! Calls: of functions by name, through pointers, of intrinsics, and of what is outside.

use lw_cfa::flow::{Lambda, Node, Op as FlowOp, Rest, Value as FlowValue};
use lw_ir::{Inst, Type, Value};

use crate::body::Body;
use crate::build::SiteData;
use crate::constants::Val;
use crate::known::{self, Effect};
use crate::objects::Place;
use crate::world::{FuncId, Target};

impl Body<'_, '_> {
    pub(crate) fn call(&mut self, inst: Inst) {
        let data = &self.function[inst];
        let Some(info) = data.op.call() else { return };
        let end = data.args.len() - info.bundle_operands();
        let (callee, args) = (data.args[0], &data.args[1..end]);
        data.args[end..].iter().for_each(|arg| self.escape(*arg));
        if self.named(callee) == Some(Target::Intrinsic) {
            let symbol = self.function.as_symbol(callee);
            let name = symbol.and_then(|symbol| self.function.symbols.get(symbol).name.as_str());
            let name = name.unwrap_or_default().strip_prefix("llvm.").unwrap_or_default();
            return self.intrinsic(inst, name, args);
        }
        let val = self.val(callee);
        match self.build.node(val) {
            Some(Node::Value(value)) if (value as usize) < self.build.funcs.len() => {
                let id = FuncId(value);
                self.build.direct.push((self.id, inst, id));
                match self.build.world.functions[id.index()].place {
                    Some(_) => self.direct(inst, id, args),
                    None => self.outside(inst, id, args),
                }
            }
            callee => self.indirect(inst, callee, args),
        }
    }

    /// A call by name. What it yields is what the callee returns to anybody.
    fn direct(&mut self, inst: Inst, id: FuncId, args: &[Value]) {
        let vars = self.build.funcs[id.index()].clone();
        for (index, arg) in args.iter().enumerate() {
            if !self.carries(self.function.ty(*arg)) {
                continue;
            }
            let Some(src) = self.node(*arg) else { continue };
            match (vars.params.get(index), vars.rest) {
                (Some(param), _) => self.copy(*param, src),
                (None, Some((_, collected, _))) => self.copy(collected, src),
                (None, None) => {}
            }
        }
        if let Some((list, _, holder)) = vars.rest
            && args.len() > vars.params.len()
        {
            self.copy(holder, Node::Value(list));
        }
        if self.calls(id) {
            self.build.push(FlowOp::Goto { to: id.0 });
        }
        self.set(inst, Val::Node(Node::Var(vars.ret)));
    }

    /// A call through a pointer: the callee gets to know where it returns to.
    fn indirect(&mut self, inst: Inst, callee: Option<Node>, args: &[Value]) {
        let (function, arguments) = (self.id, args.len());
        self.build.sites.push(SiteData { function, inst, callee, arguments });
        let nothing = Node::Var(self.build.nothing);
        let k = match self.carries(self.function[inst].ty) {
            true => {
                let var = self.build.fresh();
                let body = self.build.nowhere;
                let lambda = Lambda { params: vec![var], rest: Rest::Ignored, body };
                self.set(inst, Val::Node(Node::Var(var)));
                Node::Value(self.build.value(FlowValue::Lambda(lambda), None))
            }
            false => nothing,
        };
        let Some(f) = callee else { return };
        let mut all = vec![k];
        for arg in args {
            let carries = self.carries(self.function.ty(*arg));
            let node = if carries { self.node(*arg) } else { None };
            all.push(node.unwrap_or(nothing));
        }
        self.build.push(FlowOp::Call { f, args: all, spread: None });
    }

    /// A call by name of a function outside.
    fn outside(&mut self, inst: Inst, id: FuncId, args: &[Value]) {
        if self.calls(id) {
            self.build.push(FlowOp::Goto { to: id.0 });
        }
        let name = self.build.world.functions[id.index()].name;
        match name.as_str().map_or(Effect::Unknown, known::effect) {
            Effect::Nothing => self.set(inst, Val::Nothing),
            Effect::Unknown => self.unknown(inst, args),
            Effect::Within(at) => {
                let base = args.get(at).map_or(Val::Nothing, |arg| self.val(*arg));
                let within = self.build.anywhere(base);
                self.set(inst, within);
            }
            Effect::Allocates => {
                let size = self.allocated(name.as_str().unwrap_or_default(), args);
                let start = self.allocate(size);
                self.set(inst, Val::Node(start));
            }
            Effect::Reallocates => {
                // What the old memory has is in the pot from now on.
                args.first().into_iter().for_each(|arg| self.escape(*arg));
                self.set(inst, Val::Node(Node::Value(self.build.unknown)));
            }
            Effect::AllocatesInto => {
                if let Some(into) = args.first() {
                    let (into, word) = (self.val(*into), self.build.word);
                    self.store_to(into, Node::Value(self.build.unknown), word);
                }
            }
            Effect::Copies => {
                // `bcopy` has them the other way round.
                if let [to, from, rest @ ..] = args {
                    let bytes = rest.first().and_then(|bytes| self.integer(*bytes));
                    let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
                    let (first, second) = (self.val(*to), self.val(*from));
                    match name.as_str() {
                        Some("bcopy") => self.copy_memory(second, first, bytes),
                        _ => self.copy_memory(first, second, bytes),
                    }
                    let result = if name.as_str() == Some("mempcpy") {
                        self.build.anywhere(first)
                    } else {
                        first
                    };
                    self.set(inst, result);
                }
            }
        }
    }

    /// The size of what is allocated, if it is constant.
    fn allocated(&self, name: &str, args: &[Value]) -> Option<u64> {
        let number = |at: usize| u64::try_from(self.integer(*args.get(at)?)?).ok();
        match name {
            "malloc" | "valloc" | "_Znwm" | "_Znam" | "alloca" => number(0),
            "calloc" => number(0)?.checked_mul(number(1)?),
            "__rust_alloc" | "__rust_alloc_zeroed" => number(0),
            _ => None,
        }
    }

    /// New memory; if nobody knows how much, it is part of what is not followed.
    fn allocate(&mut self, size: Option<u64>) -> Node {
        let Some(size) = size else { return Node::Value(self.build.unknown) };
        let object = self.build.object(Some(size), None);
        Node::Value(self.build.objects[object as usize].start)
    }

    /// Nobody knows what the callee does.
    fn unknown(&mut self, inst: Inst, args: &[Value]) {
        args.iter().for_each(|arg| self.escape(*arg));
        self.set(inst, Val::Node(Node::Value(self.build.unknown)));
    }

    fn intrinsic(&mut self, inst: Inst, name: &str, args: &[Value]) {
        let starts = |prefix: &str| name.starts_with(prefix);
        let ty = self.function[inst].ty;
        if starts("memcpy") || starts("memmove") {
            let (to, from) = (self.val(args[0]), self.val(args[1]));
            let bytes = self.integer(args[2]).and_then(|bytes| u64::try_from(bytes).ok());
            self.copy_memory(to, from, bytes);
        } else if starts("va_start") {
            let Some((_, collected, holder)) = self.build.funcs[self.id.index()].rest else {
                return;
            };
            let object = self.build.object(Some(1), None);
            for dst in self.build.write_vars(object, Place::Somewhere, 0, 1) {
                self.copy(dst, Node::Var(collected));
            }
            let start = self.build.objects[object as usize].start;
            let list = self.val(args[0]);
            let list = self.build.anywhere(list);
            let word = self.build.word;
            self.store_to(list, Node::Value(start), word);
            // From outside come unknown arguments.
            self.store_to(list, Node::Var(holder), word);
        } else if starts("va_copy") {
            let (to, from) = (self.val(args[0]), self.val(args[1]));
            self.copy_memory(to, from, None);
        } else if starts("load.relative") {
            let table = self.val(args[0]);
            let table = self.build.anywhere(table);
            let found = self.load_from(table, Type::PTR);
            self.set(inst, found);
        } else if starts("masked.load") || starts("masked.expandload") || starts("masked.gather") {
            let address = self.val(args[0]);
            let address = self.build.anywhere(address);
            let loaded = self.load_from(address, ty);
            let loaded = self.build.node(loaded);
            let other =
                self.carries(ty).then(|| args.last().and_then(|arg| self.node(*arg))).flatten();
            let nodes: Vec<Node> = loaded.into_iter().chain(other).collect();
            let joined = self.join(&nodes);
            self.set(inst, joined);
        } else if starts("masked.store")
            || starts("masked.compressstore")
            || starts("masked.scatter")
        {
            let address = self.val(args[1]);
            let address = self.build.anywhere(address);
            if self.carries(self.function.ty(args[0]))
                && let Some(src) = self.node(args[0])
            {
                let word = self.build.word;
                self.store_to(address, src, word);
            }
        } else if starts("threadlocal.address")
            || starts("launder.invariant")
            || starts("strip.invariant")
            || starts("expect")
            || starts("ssa.copy")
            || starts("ptr.annotation")
            || starts("annotation")
        {
            let same = self.val(args[0]);
            self.set(inst, same);
        } else if self.carries(ty) {
            // Numbers made of pointers, vectors put together.
            let mut nodes = Vec::new();
            for arg in args {
                if self.carries(self.function.ty(*arg))
                    && let Some(node) = self.node(*arg)
                {
                    nodes.push(node);
                    nodes.push(self.build.within(node));
                }
            }
            let joined = self.join(&nodes);
            self.set(inst, joined);
        }
    }
}
