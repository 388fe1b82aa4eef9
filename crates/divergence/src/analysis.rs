//! The analysis on the sparse engine: data divergence along def-use chains, control divergence through pseudo-uses.
//!
//! Versions of values start at ⊥ and rise. A value changes its shape at loop exits, so the strategy splits live ranges there
//! (loop-closed form), and where a branch tests for equality. When the version a branch decides by is no longer uniform,
//! [`Control`] says which φs depend on it, and they are evaluated again (property LINK of 003).

use crate::activation::Activation;
use crate::control::{Control, News};
use crate::fact::{Fact, Object};
use crate::lattice::Lattice;
use crate::objects::{Cause as ObjectCause, Objects};
use crate::sources::Sources;
use crate::{Options, merge};
use lw_graph::Node;
use lw_ir::ValueDef;
use lw_ir::ops::IntPred;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Function, Inst, Op, Value};
use lw_sparse::function::{block, inst, node, value, var};
use lw_sparse::meaning::{Arg, Fact as Known, Meaning};
use lw_sparse::{Analysis, At, Cx, Def, Pos, Strategy, Var, Version, View, Wake};
use rustc_hash::FxHashMap;

/// "Never" in tables of times.
pub(crate) const NEVER: u32 = u32::MAX;

/// The state of the analysis.
pub(crate) struct State<'a, L> {
    pub(crate) function: &'a Function,
    pub(crate) sources: &'a Sources<L>,
    pub(crate) options: &'a Options,
    pub(crate) control: Control,
    pub(crate) objects: Objects,
    pub(crate) activation: Activation,
    /// By block: whether its predicate is not uniform.
    pub(crate) predicate_varies: Vec<bool>,
    /// By version.
    pub(crate) facts: Vec<Fact<L>>,
    /// By variable: the version its definition writes.
    pub(crate) own: Vec<Option<Version>>,
    /// When a version stopped being uniform, and when a branch turned divergent: causes come before effects.
    pub(crate) since: Vec<u32>,
    pub(crate) branch_since: Vec<u32>,
    clock: u32,
    /// Whether threads may write memory that others read.
    pub(crate) writes_shared: bool,
    pub(crate) has_predicates: bool,
    /// By block: whether its φs depend on control.
    pub(crate) touched: Vec<bool>,
    users: Users,
}

/// What depends on a variable beside the instructions that use it.
#[derive(Default)]
struct Users {
    /// Blocks whose terminator decides by it.
    branches: FxHashMap<Var, Vec<Node>>,
    /// Blocks whose predicate it is.
    predicates: FxHashMap<Var, Vec<Node>>,
    /// Stores to tracked objects that read it.
    stores: FxHashMap<Var, Vec<Pos>>,
    /// Blocks whose φs read its definition, wherever a version of it is used.
    phis: FxHashMap<Var, Vec<Node>>,
    /// `total` instructions that read it.
    total: FxHashMap<Var, Vec<Pos>>,
    /// Instructions that depend on activation.
    activation: Vec<Pos>,
}

impl<'a, L: Lattice> State<'a, L> {
    pub(crate) fn new(
        function: &'a Function,
        view: &View,
        sources: &'a Sources<L>,
        options: &'a Options,
    ) -> State<'a, L> {
        let code = view.code();
        let control = Control::new(code.graph(), code.loops(), code.block_index());
        let objects =
            if options.stack { Objects::find(function, code) } else { Objects::default() };
        let n = code.graph().node_count();
        let mut own = vec![None; code.variable_count()];
        for version in view.versions() {
            if matches!(view.def(version), Def::Param | Def::Instr(_)) {
                own[view.var(version).index()] = Some(version);
            }
        }
        let blocks = function.blocks();
        let mut state = State {
            function,
            sources,
            options,
            activation: Activation::none(n),
            control,
            writes_shared: blocks
                .iter()
                .any(|&b| function.insts(b).iter().any(|&i| writes_shared(function, &objects, i))),
            objects,
            predicate_varies: vec![false; n],
            facts: vec![Fact::bottom(); view.version_count()],
            own,
            since: vec![NEVER; view.version_count()],
            branch_since: vec![NEVER; n],
            clock: 0,
            has_predicates: blocks.iter().any(|&b| function.predicate(b).is_some()),
            touched: vec![false; n],
            users: Users::default(),
        };
        state.find_users(view);
        state
    }

    fn find_users(&mut self, view: &View) {
        let (function, code) = (self.function, view.code());
        let variable = |value: Value| function.as_constant(value).is_none().then(|| var(value));
        let mut at_once = Vec::new();
        for &at in code.block_index().order() {
            for pos in code.positions(at) {
                let data = &function[inst(code.instr(pos))];
                match &data.op {
                    Op::CondBr | Op::Switch | Op::IndirectBr if self.is_branch(at) => {
                        let decides = variable(data.args[0]);
                        decides.into_iter().for_each(|v| {
                            self.users.branches.entry(v).or_default().push(at);
                        });
                    }
                    Op::Invoke(_) | Op::Opaque(_)
                        if data.op.is_terminator() && self.is_branch(at) =>
                    {
                        at_once.push(at);
                    }
                    Op::Store(_) if !self.objects.pointees(data.args[1]).is_empty() => {
                        for v in data.args.iter().filter_map(|&arg| variable(arg)) {
                            self.users.stores.entry(v).or_default().push(pos);
                        }
                    }
                    _ => {}
                }
                let shadow = data.shadow().is_some();
                if data.total || data.op == Op::Mask || shadow {
                    self.users.activation.push(pos);
                }
                if data.total {
                    for v in data.args.iter().filter_map(|&arg| variable(arg)) {
                        self.users.total.entry(v).or_default().push(pos);
                    }
                }
            }
            if let Some(predicate) = function.predicate(block(at)).and_then(variable) {
                self.users.predicates.entry(predicate).or_default().push(at);
            }
        }
        // Everything is evaluated once anyway, so nobody needs to be woken.
        for branch in at_once {
            self.diverge(view, branch, &mut Wake::default());
        }
    }

    /// Whether control may leave a block to different blocks.
    fn is_branch(&self, at: Node) -> bool {
        let successors = self.control.graph().successors(at);
        successors.windows(2).any(|pair| pair[0] != pair[1])
    }

    fn tick(&mut self) -> u32 {
        self.clock += 1;
        self.clock
    }

    /// A branch is divergent: finds out what follows, and wakes what depends on it.
    fn diverge(&mut self, view: &View, branch: Node, wake: &mut Wake) {
        let mut branches = vec![branch];
        while let Some(branch) = branches.pop() {
            let Some(news) = self.control.diverge(branch) else { continue };
            self.branch_since[branch.index()] = self.tick();
            self.spread(view, &news, wake);
            // Threads that execute a predicated block passively follow those that are active there. Where a block executes
            // several times for the same tag there may be none to follow.
            let loops = self.control.loops().clone();
            for &l in news.scrambled.iter().chain(&news.desynchronized) {
                let alone = |&&b: &&Node| self.function.predicate(block(b)).is_some();
                let blocks = loops.blocks(l).iter().filter(alone).copied();
                branches.extend(blocks.filter(|&b| self.is_branch(b)));
            }
        }
        self.update_activation(wake);
        for object in self.objects.meet(&self.control) {
            self.wake_loads(view, object, wake);
        }
    }

    fn spread(&mut self, view: &View, news: &News, wake: &mut Wake) {
        let code = view.code();
        for &at in &news.blocks {
            if !std::mem::replace(&mut self.touched[at.index()], true) {
                self.link_phis(view, at);
            }
            wake.phis(at);
        }
        let loops = self.control.loops();
        for &l in news.scrambled.iter().chain(&news.desynchronized) {
            for &at in loops.blocks(l) {
                self.touched[at.index()] = true;
                wake.phis(at);
                code.body(at).for_each(|pos| wake.instr(pos));
            }
        }
    }

    /// From now on, the φs of a block may read the definitions of what they merge.
    fn link_phis(&mut self, view: &View, at: Node) {
        let code = view.code();
        let merged = view.phis_at(at).iter().map(|&phi| view.phis()[phi as usize].var);
        let read = code.phis(at).flat_map(|pos| code.uses(pos).iter().copied());
        for v in merged.chain(read) {
            let blocks = self.users.phis.entry(v).or_default();
            if blocks.last() != Some(&at) {
                blocks.push(at);
            }
        }
    }

    fn update_activation(&mut self, wake: &mut Wake) {
        if !self.users.activation.is_empty() {
            self.activation = Activation::compute(&self.control);
            self.users.activation.iter().for_each(|&pos| wake.instr(pos));
        }
    }

    fn wake_loads(&self, view: &View, object: Object, wake: &mut Wake) {
        for &load in self.objects.loads(object) {
            let result = self.function[load].result.expand();
            result.and_then(|v| view.code().definition(var(v))).into_iter().for_each(|pos| {
                wake.instr(pos);
            });
        }
    }

    /// [DA-STORE-D]: what a store does to stack objects.
    fn store(&mut self, view: &View, pos: Pos, wake: &mut Wake) {
        let code = view.code();
        let at = code.block(pos);
        let store = inst(code.instr(pos));
        let function = self.function;
        let data = &function[store];
        let [stored, pointer] = [0, 1].map(|i| self.used(view, pos, data.args[i]));
        if stored.is_bottom() || pointer.is_bottom() {
            return;
        }
        let same =
            stored.is_uniform() && pointer.shape.is_uniform() && !self.predicate_varies[at.index()];
        if same && !pointer.own.is_empty() {
            return;
        }
        let lost = pointer.own.is_empty();
        let written = if lost { self.objects.pointees(data.args[1]) } else { pointer.own };
        for object in written.iter() {
            if self.objects.make_varying(object, ObjectCause::Store(store)) {
                self.wake_loads(view, object, wake);
            }
        }
    }

    /// The fact about an operand as an instruction that is no φ sees it.
    pub(crate) fn used(&self, view: &View, pos: Pos, operand: Value) -> Fact<L> {
        if self.function.as_constant(operand).is_some() {
            return self.constant(operand);
        }
        let version = view.used(pos, var(operand));
        version.map_or_else(Fact::bottom, |version| self.facts[version.index()].clone())
    }

    /// The fact about a constant.
    pub(crate) fn constant(&self, constant: Value) -> Fact<L> {
        let known = self.function.as_constant(constant).and_then(|c| c.as_u128());
        Fact::plain(match (self.bits(self.function.ty(constant)), known) {
            (Some(bits), Some(known)) => L::constant(bits, known),
            _ => L::uniform(),
        })
    }

    /// The width of integers and pointers of at most 64 bits.
    pub(crate) fn bits(&self, ty: Type) -> Option<u32> {
        self.options.bits(ty)
    }

    /// The fact about a variable where it is defined.
    pub(crate) fn own_fact(&self, v: Var) -> Fact<L> {
        self.own[v.index()].map_or_else(Fact::bottom, |own| self.facts[own.index()].clone())
    }

    /// What an edge says about a variable: `x == u` makes `x` what `u` is, for as long as `u` stays the same.
    fn on_edge(&self, cx: &Cx<'_, Function, Fact<L>>, edge: lw_graph::Edge, v: Var) -> Fact<L> {
        let here = cx.of(v);
        let graph = cx.code.graph();
        let (from, to) = (graph.source(edge), graph.target(edge));
        // Threads that execute the branch passively follow others, whatever the condition says. And threads on parallel
        // edges go together, with different values.
        let alone = graph.successors(from).iter().filter(|&&other| other == to).count() == 1;
        if here.is_uniform() || !alone || self.function.predicate(block(from)).is_some() {
            return here.clone();
        }
        let mut found: Option<Fact<L>> = None;
        let position = graph.position(edge);
        self.function.facts(from, position, &mut |known| {
            let Known::Compare(IntPred::Eq, bits, args) = known else { return };
            let other = match args {
                [Arg::Var(x), other] if x == v => other,
                [other, Arg::Var(x)] if x == v => other,
                _ => return,
            };
            let fact = match other {
                Arg::Var(other) if self.outlives(cx, from, v, other) => return,
                Arg::Var(other) => cx.of(other).clone(),
                Arg::Int(constant) if (1..=64).contains(&bits) => {
                    Fact::plain(L::constant(bits, constant))
                }
                Arg::Int(_) | Arg::Null | Arg::Global(_) => Fact::plain(L::uniform()),
                Arg::Other => return,
            };
            if fact.is_uniform() && found.is_none() {
                found = Some(fact);
            }
        });
        found.unwrap_or_else(|| here.clone())
    }
}

impl<L: Lattice> State<'_, L> {
    /// Whether `x` can leave a loop around a branch in which `u` is another value in each iteration. Live ranges are split at the
    /// exits of loops in which `x` is defined, so that is where knowledge from inside may end.
    fn outlives(&self, cx: &Cx<'_, Function, Fact<L>>, branch: Node, x: Var, u: Var) -> bool {
        let loops = cx.code.loops();
        let place = |v: Var| cx.code.definition(v).map(|pos| cx.code.block(pos));
        let around = place(u).and_then(|at| loops.common(at, branch));
        around.is_some_and(|l| place(x).is_none_or(|at| !loops.contains(l, at)))
    }
}

/// Whether an instruction may write memory that other threads read.
fn writes_shared(function: &Function, objects: &Objects, at: Inst) -> bool {
    let data = &function[at];
    match &data.op {
        Op::Store(_) => objects.pointees(data.args[1]).is_empty(),
        Op::AtomicRmw(..) | Op::CmpXchg(_) | Op::VaArg => true,
        Op::Call(info) | Op::Invoke(info) => {
            let callee = data.args.first().and_then(|&callee| function.as_symbol(callee));
            let declared = callee.map(|symbol| &function.symbols.get(symbol).kind);
            let pure = match declared {
                Some(lw_ir::symbols::SymbolKind::Function { attrs, .. }) => !attrs.memory().writes,
                _ => false,
            };
            !pure
                && function.call_attrs(info.attrs).memory().writes
                && !crate::known::is_pure(crate::known::callee(function, at).unwrap_or_default())
        }
        Op::Opaque(info) => info.effects.writes,
        _ => false,
    }
}

impl<L: Lattice> Analysis<Function> for State<'_, L> {
    type Domain = Fact<L>;
    const NAME: &'static str = "divergence";

    fn strategy(&self, function: &Function, v: Var) -> Strategy {
        strategy(function, self.options, v)
    }

    fn top(&self) -> Fact<L> {
        Fact::bottom()
    }

    fn meet(&self, into: &mut Fact<L>, with: &Fact<L>) {
        into.join(with);
    }

    fn entry(&self, function: &Function, v: Var) -> Fact<L> {
        let param = value(v);
        if let Some(shape) = self.sources.values.get(&param) {
            return Fact::plain(shape.clone());
        }
        match function.def(param) {
            ValueDef::Param(position) => Fact::plain(self.sources.param(*position as usize)),
            _ => Fact::plain(L::varying()),
        }
    }

    fn transfer(&self, cx: &Cx<'_, Function, Fact<L>>, at: At, v: Var) -> Fact<L> {
        match at {
            At::Define(pos) => self.define(cx, pos, v),
            At::Pass(_) => cx.of(v).clone(),
            At::Phi(pos, edge) => {
                let from = block(cx.code.graph().source(edge));
                let data = &self.function[inst(cx.code.instr(pos))];
                match data.incoming().find(|&(_, b)| b == from) {
                    Some((arg, _)) if self.function.as_constant(arg).is_some() => {
                        self.constant(arg)
                    }
                    Some((arg, _)) => cx.of(var(arg)).clone(),
                    None => Fact::bottom(),
                }
            }
            At::Branch(edge) => self.on_edge(cx, edge, v),
        }
    }

    fn join(&self, view: &View, result: Version, merged: Fact<L>) -> Fact<L> {
        merge::merge(self, view, result, merged)
    }

    fn changed(&mut self, view: &View, version: Version, fact: &Fact<L>, wake: &mut Wake) {
        self.facts[version.index()] = fact.clone();
        let v = view.var(version);
        if self.own[v.index()] == Some(version) {
            for &at in self.users.phis.get(&v).into_iter().flatten() {
                wake.phis(at);
            }
            for &pos in self.users.total.get(&v).into_iter().flatten() {
                wake.instr(pos);
            }
        }
        for pos in self.users.stores.get(&v).cloned().into_iter().flatten() {
            self.store(view, pos, wake);
        }
        if fact.is_uniform() {
            return;
        }
        if self.since[version.index()] == NEVER {
            self.since[version.index()] = self.tick();
        }
        let reads = |at: Node| {
            let terminator = view.code().positions(at).last();
            terminator.is_some_and(|pos| view.used(pos, v) == Some(version))
        };
        for at in self.users.branches.get(&v).cloned().into_iter().flatten() {
            if reads(at) {
                self.diverge(view, at, wake);
            }
        }
        for at in self.users.predicates.get(&v).cloned().into_iter().flatten() {
            if reads(at) && !std::mem::replace(&mut self.predicate_varies[at.index()], true) {
                self.update_activation(wake);
                for pos in view.code().body(at) {
                    if matches!(self.function[inst(view.code().instr(pos))].op, Op::Store(_)) {
                        self.store(view, pos, wake);
                    }
                }
            }
        }
    }
}

/// Where the live range of a value is split.
pub(crate) fn strategy(function: &Function, options: &Options, v: Var) -> Strategy {
    let scalar = match function.ty(value(v)) {
        Type::Scalar(Scalar::Int(_) | Scalar::Ptr(_)) => options.equalities,
        _ => false,
    };
    if scalar { Strategy::DIVERGENCE | Strategy::EQ_CONDS_DOWN } else { Strategy::DIVERGENCE }
}

/// The block of the definition of a version.
pub(crate) fn place(view: &View, version: Version) -> Node {
    let code = view.code();
    match view.def(version) {
        Def::Param => code.graph().entry(),
        Def::Instr(pos) => code.block(pos),
        Def::Phi(phi) => view.phis()[phi as usize].block,
        Def::Sigma(_, edge) => code.graph().source(edge),
        Def::Copy(copy) => code.block(view.copies()[copy as usize].pos),
    }
}

/// The node of the block an instruction stands in.
pub(crate) fn node_of(function: &Function, at: Inst) -> Option<Node> {
    function.block_of(at).map(node)
}
