//! From modules to a program for the flow engines.
//!
//! Each function is an expression: its operations count once it is reached. A function is a lambda expression whose first parameter is
//! where it returns to, as in continuation-passing style; a direct call needs no such detour, since its result is what the callee
//! returns to anybody. Code outside of the program is the unknown value of [`lw_cfa::flow`]: it calls and changes what it gets to see.

use lw_cfa::flow::{Expr, Lambda, Node, Op, Program, Rest, Value, ValueId, Var};
use lw_cfa::prims::Class;
use lw_ir::symbols::SymbolName;
use lw_ir::{Constant, Inst, Linkage};
use rustc_hash::FxHashMap;

use crate::constants::Scope;
use crate::known::{self, Effect};
use crate::objects::{
    EVERY_WITHIN, Object, ObjectId, Place, Pointee, READ, STILL_WITHIN, WITHIN, WRITE,
};
use crate::world::{FuncData, FuncId, Target, World};
use crate::{Roots, body, elements};

/// The variables of a function.
#[derive(Clone, Debug)]
pub(crate) struct FuncVars {
    /// Where it returns to.
    pub(crate) k: Var,
    pub(crate) params: Vec<Var>,
    pub(crate) ret: Var,
    /// Further arguments: the value that stands for all of them, the variable that collects them, and the one that holds the value.
    pub(crate) rest: Option<(ValueId, Var, Var)>,
}

/// A call whose callee is not known by name.
#[derive(Clone, Debug)]
pub(crate) struct SiteData {
    pub(crate) function: FuncId,
    pub(crate) inst: Inst,
    /// What is called; `None` if it is never a function.
    pub(crate) callee: Option<Node>,
    /// How many arguments it has.
    pub(crate) arguments: usize,
}

/// The program for the engines, and what it stands for.
pub(crate) struct Build<'m> {
    pub(crate) world: &'m World<'m>,
    pub(crate) flow: Program,
    /// What holds whatever is reached.
    pub(crate) always: Vec<Op>,
    pub(crate) objects: Vec<Object>,
    /// Ranges of variables that are memory.
    pub(crate) memory: Vec<(Var, u32)>,
    /// By value of the flow program.
    pub(crate) pointees: Vec<Pointee>,
    /// The size of a pointer in bytes.
    pub(crate) word: u64,
    /// The sizes of elements, in slots, that pointers are moved by without losing track of fields.
    pub(crate) strides: Vec<u64>,
    /// A variable without values.
    pub(crate) nothing: Var,
    pub(crate) escape: Var,
    pub(crate) unknown: ValueId,
    /// Where calls from outside return to, and where nothing happens.
    pub(crate) nowhere: Expr,
    pub(crate) funcs: Vec<FuncVars>,
    pub(crate) sites: Vec<SiteData>,
    pub(crate) direct: Vec<(FuncId, Inst, FuncId)>,
    /// Whether the address of each function is used other than for calling it by name.
    pub(crate) taken: Vec<bool>,
    globals: FxHashMap<(usize, usize), Option<ObjectId>>,
    /// Global variables whose initializers are still to be read.
    pending: Vec<(usize, usize, ObjectId)>,
}

impl<'m> Build<'m> {
    /// The program of all functions.
    pub(crate) fn run(world: &'m World<'m>, roots: &Roots) -> Build<'m> {
        let bits = world.parts.first().map_or(64, |part| part.module.layout.pointer_bits(0));
        let count = world.functions.len() as Expr;
        let word = u64::from(bits).div_ceil(8).max(1);
        let mut build = Build {
            world,
            flow: Program::default(),
            always: Vec::new(),
            objects: Vec::new(),
            memory: Vec::new(),
            taken: Vec::new(),
            pointees: Vec::new(),
            word,
            strides: elements::strides(world, word),
            nothing: 0,
            escape: 1,
            unknown: count,
            nowhere: count,
            funcs: Vec::new(),
            sites: Vec::new(),
            direct: Vec::new(),
            globals: FxHashMap::default(),
            pending: Vec::new(),
        };
        build.flow.vars = 2;
        build.flow.escape = Some(build.escape);
        build.declare();
        for at in 0..count {
            build.flow.starts.push(build.flow.ops.len() as u32);
            let id = FuncId(at);
            match world.body(id) {
                Some((part, function)) => body::run(&mut build, id, part, function),
                None => build.outside(id, world.functions[id.index()].name),
            }
        }
        // Where calls from outside return to does nothing.
        build.flow.starts.push(build.flow.ops.len() as u32);
        build.flow.entry = build.flow.starts.len() as Expr;
        build.flow.starts.push(build.flow.ops.len() as u32);
        build.roots(roots);
        build.initializers();
        let always = std::mem::take(&mut build.always);
        build.flow.ops.extend(always);
        build.flow.starts.push(build.flow.ops.len() as u32);
        build.taken = build.find_taken();
        // Who is called from outside returns there.
        let mut leaked = build.taken.clone();
        for (var, value) in &build.flow.init {
            if let Some(leaked) = leaked.get_mut(*value as usize).filter(|_| *var == build.escape) {
                *leaked = true;
            }
        }
        build.tame(&leaked);
        build
    }

    /// The functions whose address is used other than for calling them by name.
    fn find_taken(&self) -> Vec<bool> {
        let mut all = vec![false; self.funcs.len()];
        let mut take = |node: &Node| {
            if let Node::Value(value) = node
                && let Some(taken) = all.get_mut(*value as usize)
            {
                *taken = true;
            }
        };
        for op in &self.flow.ops {
            match op {
                Op::Copy { src, .. } | Op::Store { src, .. } => take(src),
                Op::Call { args, .. } => args.iter().for_each(&mut take),
                _ => {}
            }
        }
        for (var, value) in &self.flow.init {
            if *var != self.escape {
                take(&Node::Value(*value));
            }
        }
        all
    }

    pub(crate) fn fresh(&mut self) -> Var {
        self.fresh_many(1)
    }

    pub(crate) fn fresh_many(&mut self, count: u32) -> Var {
        self.flow.vars += count;
        self.flow.vars - count
    }

    pub(crate) fn value(&mut self, value: Value, pointee: Pointee) -> ValueId {
        self.flow.values.push(value);
        self.pointees.push(pointee);
        self.flow.values.len() as ValueId - 1
    }

    /// The values of functions come first, with their numbers; then the unknown one.
    fn declare(&mut self) {
        let world = self.world;
        let lambda = |rest, params: Vec<Var>, body| Value::Lambda(Lambda { params, rest, body });
        let mut rests = Vec::new();
        for (at, data) in world.functions.iter().enumerate() {
            let first = self.fresh_many(2 + data.params as u32);
            let vars = FuncVars {
                k: first,
                ret: first + 1,
                params: (0..data.params as u32).map(|i| first + 2 + i).collect(),
                rest: None,
            };
            let params = std::iter::once(vars.k).chain(vars.params.iter().copied()).collect();
            // A caller that passes too much does no harm.
            self.value(lambda(Rest::Ignored, params, at as Expr), None);
            self.funcs.push(vars);
            if data.varargs {
                rests.push(at);
            }
        }
        self.value(Value::Basic(Class::Unknown), None);
        self.flow.basics = vec![None; Class::Unknown as usize];
        self.flow.basics.push(Some(self.unknown));
        for at in rests {
            let (list, collected) = self.argument_list();
            let holder = self.fresh();
            self.funcs[at].rest = Some((list, collected, holder));
            if let Value::Lambda(lambda) = &mut self.flow.values[at] {
                lambda.rest = Rest::List(holder, list);
            }
        }
    }

    /// A function outside of the program, when it is called through a pointer.
    fn outside(&mut self, id: FuncId, name: &SymbolName) {
        let vars = self.funcs[id.index()].clone();
        let Some((_, arguments, _)) = vars.rest else { return };
        let args = Node::Var(arguments);
        match name.as_str().map_or(Effect::Unknown, known::effect) {
            Effect::Nothing => {}
            Effect::Unknown => {
                self.push(Op::Copy { dst: self.escape, src: args });
                self.push(Op::Copy { dst: vars.ret, src: Node::Value(self.unknown) });
            }
            Effect::Allocates => {
                self.push(Op::Copy { dst: vars.ret, src: Node::Value(self.unknown) });
            }
            Effect::Reallocates => {
                self.push(Op::Copy { dst: self.escape, src: args });
                self.push(Op::Copy { dst: vars.ret, src: Node::Value(self.unknown) });
            }
            Effect::AllocatesInto => {
                let (into, src) = (self.within(args), Node::Value(self.unknown));
                self.push(Op::Store { base: into, field: WRITE, src });
            }
            Effect::Copies => {
                let (all, moved) = (self.within(args), self.fresh());
                self.push(Op::Load { dst: moved, base: all, field: READ });
                self.push(Op::Store { base: all, field: WRITE, src: Node::Var(moved) });
                self.push(Op::Copy { dst: vars.ret, src: args });
            }
            Effect::Within(_) => {
                let within = self.within(args);
                self.push(Op::Copy { dst: vars.ret, src: within });
            }
        }
        let k = Node::Var(vars.k);
        self.push(Op::Call { f: k, args: vec![Node::Var(vars.ret)], spread: None });
    }

    pub(crate) fn push(&mut self, op: Op) {
        self.flow.ops.push(op);
    }

    /// Pointers to somewhere within what a value points to.
    pub(crate) fn within(&mut self, node: Node) -> Node {
        if let Node::Value(value) = node {
            return match self.pointees[value as usize] {
                Some((object, _)) => Node::Value(self.objects[object as usize].somewhere),
                None => node,
            };
        }
        let dst = self.fresh();
        for field in [WITHIN, EVERY_WITHIN, STILL_WITHIN] {
            self.push(Op::Load { dst, base: node, field });
        }
        Node::Var(dst)
    }

    /// The object of a global variable; `None` if it can hold no pointers.
    pub(crate) fn global(&mut self, part: usize, index: usize) -> Option<ObjectId> {
        if let Some(known) = self.globals.get(&(part, index)) {
            return *known;
        }
        let module = self.world.parts[part].module;
        let global = &module.globals[index];
        let size = module.layout.alloc_size(&module.types, global.ty);
        let empty = global.constant && !global.init.as_ref().is_some_and(mentions_symbols);
        let object = (!empty && size.is_none_or(|size| size >= 4)).then(|| {
            let targets = &self.world.globals[part];
            let scope = Scope { targets, types: &module.types, layout: &module.layout };
            let stride = elements::stride(self.word, &scope, global.ty, false);
            let object = self.object(size, stride);
            self.pending.push((part, index, object));
            object
        });
        self.globals.insert((part, index), object);
        object
    }

    /// Reads initializers until no further global is mentioned.
    fn initializers(&mut self) {
        while let Some((part, index, object)) = self.pending.pop() {
            let module = self.world.parts[part].module;
            if let Some(init) = &module.globals[index].init {
                let targets = &self.world.globals[part];
                let layout = &module.layout;
                let scope = Scope { targets, types: &module.types, layout };
                scope.fill(self, object, 0, init);
            }
        }
    }

    /// What code outside sees and calls from the start.
    fn roots(&mut self, roots: &Roots) {
        let world = self.world;
        for (at, data) in world.functions.iter().enumerate() {
            let from_outside = match roots {
                Roots::Exported => matches!(data.linkage, Linkage::Strong | Linkage::Weak),
                Roots::Named(names) => is_named(names, data),
            };
            if data.place.is_none() || !from_outside || data.replaced {
                continue;
            }
            if matches!(roots, Roots::Named(_)) && data.name.as_str() == Some("main") {
                // What `main` gets are numbers and text.
                self.always.push(Op::Goto { to: at as Expr });
            } else {
                self.flow.init.push((self.escape, at as ValueId));
            }
        }
        for (at, part) in world.parts.iter().enumerate() {
            for name in &part.linkages.used {
                if let Some(Target::Function(id)) = world.find(at, name) {
                    self.flow.init.push((self.escape, id.0));
                }
            }
            for (index, global) in part.module.globals.iter().enumerate() {
                let special = global.name.as_str().is_some_and(|name| {
                    matches!(name, "llvm.used" | "llvm.compiler.used")
                        || matches!(name, "llvm.global_ctors" | "llvm.global_dtors")
                });
                let shared = match roots {
                    Roots::Exported => {
                        world.find(at, &global.name) == Some(Target::Variable(at, index))
                            && part.linkages.get(&global.name) != Linkage::Local
                    }
                    Roots::Named(_) => false,
                };
                if !special && !shared {
                    continue;
                }
                let Some(object) = self.global(at, index) else { continue };
                let whole = [Node::Value(self.objects[object as usize].start)];
                let content =
                    self.read_vars(object, Place::Somewhere, 0, 0).into_iter().map(Node::Var);
                let seen: Vec<Node> =
                    if global.constant || special { content.collect() } else { whole.into() };
                let escape = self.escape;
                self.always.extend(seen.into_iter().map(|src| Op::Copy { dst: escape, src }));
            }
        }
    }
}

fn is_named(names: &[String], data: &FuncData<'_>) -> bool {
    data.linkage != Linkage::Local
        && data.name.as_str().is_some_and(|name| names.iter().any(|wanted| wanted == name))
}

/// Whether the address of anything is in a constant.
pub(crate) fn mentions_symbols(constant: &Constant) -> bool {
    use lw_ir::ConstantKind::*;
    match &constant.kind {
        Symbol(_) | Foreign(_) => true,
        Aggregate(parts) => parts.iter().any(mentions_symbols),
        Expr(expr) => expr.args.iter().any(mentions_symbols),
        _ => false,
    }
}
