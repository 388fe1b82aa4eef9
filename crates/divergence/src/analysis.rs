//! The analysis on the sparse engine: data divergence along def-use chains, control divergence through pseudo-uses.
//!
//! Versions of values start at ⊥ and rise. A value changes its shape at loop exits, so the strategy splits live ranges there
//! (loop-closed form), and where a branch tests for equality. When the version a branch decides by is no longer uniform,
//! [`Control`] says which φs depend on it, and they are evaluated again (property LINK of 003).

use crate::activation::{Activation, Growing};
use crate::control::{Control, News};
use crate::fact::{Fact, Object};
use crate::known::writes_shared;
use crate::lattice::Lattice;
use crate::llvm::Rule;
use crate::objects::{Cause as ObjectCause, Objects};
use crate::products::Known;
use crate::sources::Sources;
use crate::summaries::Callees;
use crate::users::{self, Users};
use crate::{Options, merge};
use lw_graph::Node;
use lw_ir::ValueDef;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::function::{block, inst, node, value, var};
use lw_sparse::{Analysis, At, Code, Cx, Def, Instr, Pos, Strategy, Var, Version, View, Wake};

/// "Never" in tables of times.
pub(crate) const NEVER: u32 = u32::MAX;

/// The state of the analysis.
pub(crate) struct State<'a, L> {
    pub(crate) function: &'a Function,
    pub(crate) sources: &'a Sources<L>,
    pub(crate) options: &'a Options,
    pub(crate) control: Control,
    pub(crate) objects: Objects,
    /// Because of which branches blocks have a varying control mask; known in the end.
    pub(crate) activation: Activation,
    /// Which of them have one so far, if an instruction asks.
    growing: Option<Growing>,
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
    /// Whether φs may leave out what is undefined: nothing is frozen, which would make different values of it.
    pub(crate) ignores_undefined: bool,
    /// By block: whether its φs depend on control.
    pub(crate) touched: Vec<bool>,
    users: Users,
    /// By variable: whether an edge may say something about it, so that its versions differ by more than the loops that were left.
    pub(crate) tested: Vec<bool>,
    /// The functions of the module.
    pub(crate) callees: Option<&'a dyn Callees<L>>,
    pub(crate) ranges: Known,
}

impl<'a, L: Lattice> State<'a, L> {
    pub(crate) fn new(
        function: &'a Function,
        view: &View,
        control: Control,
        sources: &'a Sources<L>,
        options: &'a Options,
    ) -> State<'a, L> {
        let code = view.code();
        let given = |value: Value| sources.values.contains_key(&value);
        let objects = match options.stack {
            true => Objects::find(function, code, &control, &given, &sources.objects),
            false => Objects::default(),
        };
        let n = code.graph().node_count();
        let mut own = vec![None; code.variable_count()];
        for version in view.versions() {
            if matches!(view.def(version), Def::Param | Def::Instr(_)) {
                own[view.var(version).index()] = Some(version);
            }
        }
        let mut tested = vec![false; code.variable_count()];
        view.sigmas().iter().for_each(|sigma| tested[sigma.var.index()] = true);
        let blocks = function.blocks();
        let (users, at_once) = Users::find(function, view, &control, &objects);
        let freezes =
            |&b: &Block| function.insts(b).iter().any(|&i| matches!(function[i].op, Op::Freeze));
        let mut state = State {
            function,
            sources,
            options,
            activation: Activation::none(n),
            growing: (!users.activation.is_empty()).then(|| Growing::new(&control)),
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
            ignores_undefined: options.llvm.is_some() || !blocks.iter().any(freezes),
            touched: vec![false; n],
            users,
            tested,
            callees: None,
            ranges: Known::default(),
        };
        // Everything is evaluated once anyway, so nobody needs to be woken.
        for branch in at_once {
            state.diverge(view, branch, &mut Wake::default());
        }
        state
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
            self.grow_activation(branch, &news, wake);
            for object in self.objects.meet(&self.control, branch, &news) {
                self.wake_loads(view, object, wake);
            }
            // Threads that execute a predicated block passively follow those that are active there. Where a block executes
            // several times for the same tag there may be none to follow.
            for &l in news.scrambled.iter().chain(&news.desynchronized) {
                let alone = |&b: &Node| self.function.predicate(block(b)).is_some();
                let blocks = self.control.blocks(l).filter(alone);
                branches.extend(blocks.filter(|&b| users::is_branch(self.control.graph(), b)));
            }
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
        for &l in news.scrambled.iter().chain(&news.desynchronized) {
            for at in self.control.blocks(l) {
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
            self.users.any[v.index()] = true;
            let blocks = self.users.phis.entry(v).or_default();
            if blocks.last() != Some(&at) {
                blocks.push(at);
            }
        }
    }

    /// More blocks have a varying control mask.
    fn grow_activation(&mut self, branch: Node, news: &News, wake: &mut Wake) {
        if let Some(growing) = &mut self.growing {
            for at in growing.diverge(&self.control, branch, news) {
                self.wake_activated(at, wake);
            }
        }
    }

    fn wake_activated(&self, at: Node, wake: &mut Wake) {
        let users = self.users.activation.get(&at).into_iter().flatten();
        users.for_each(|&pos| wake.instr(pos));
    }

    /// Whether a block has a varying control mask, as far as is known.
    pub(crate) fn activation_varies(&self, at: Node) -> bool {
        self.growing.as_ref().is_some_and(|growing| growing.varies(at))
    }

    /// All divergent branches were found: what they mean for activation, if an instruction asks.
    pub(crate) fn settle_activation(&mut self) {
        if self.growing.is_some() {
            self.activation = Activation::compute(&self.control);
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

    /// Whether a φ has so many operands that searching them would take long.
    pub(crate) fn is_wide(&self, phi: Inst) -> bool {
        self.users.wide_phis.contains_key(&phi)
    }

    /// What a φ reads when control comes from a block.
    pub(crate) fn phi_operand(&self, phi: Inst, from: Block) -> Option<Value> {
        match self.users.wide_phis.get(&phi) {
            Some(operands) => operands.get(&from).copied(),
            None => self.function[phi].incoming().find(|&(_, b)| b == from).map(|(arg, _)| arg),
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
}

impl<L: Lattice> Analysis<Function> for State<'_, L> {
    type Domain = Fact<L>;
    const NAME: &'static str = "divergence";

    fn strategy(&self, function: &Function, v: Var) -> Strategy {
        Strategy::LOOP_EXITS_DOWN | strategy(function, self.options, v)
    }

    fn top(&self) -> Fact<L> {
        Fact::bottom()
    }

    fn is_final(&self, fact: &Fact<L>) -> bool {
        fact.own.is_empty() && fact.shape.is_varying()
    }

    fn settled(&self, function: &Function, instr: Instr, v: Var) -> Option<Fact<L>> {
        if self.sources.values.contains_key(&value(v)) {
            return None;
        }
        match self.options.llvm?.rule(function, inst(instr)) {
            Rule::Varying => Some(Fact::plain(L::varying())),
            Rule::Uniform => Some(Fact::plain(L::uniform())),
            Rule::OfOperands => None,
        }
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
                match self.phi_operand(inst(cx.code.instr(pos)), from) {
                    Some(arg) if self.function.as_constant(arg).is_some() => self.constant(arg),
                    Some(arg) => cx.of(var(arg)).clone(),
                    None => Fact::bottom(),
                }
            }
            At::Branch(edge) => self.on_edge(cx, edge, v),
        }
    }

    fn join(&self, view: &View, result: Version, merged: Fact<L>) -> Fact<L> {
        let mut fact = merge::merge(self, view, result, merged);
        self.reduce(view.var(result), &mut fact);
        fact
    }

    fn changed(&mut self, view: &View, version: Version, fact: &Fact<L>, wake: &mut Wake) {
        self.facts[version.index()] = fact.clone();
        let v = view.var(version);
        if self.since[version.index()] == NEVER && !fact.is_uniform() {
            self.since[version.index()] = self.tick();
        }
        if !self.users.any[v.index()] {
            return;
        }
        for &at in self.users.entries.get(&v).into_iter().flatten() {
            wake.phis(at);
        }
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
                self.wake_activated(at, wake);
                for pos in view.code().body(at) {
                    if matches!(self.function[inst(view.code().instr(pos))].op, Op::Store(_)) {
                        self.store(view, pos, wake);
                    }
                }
            }
        }
    }
}

/// Where the live range of a value is split if it does not leave a loop.
pub(crate) fn strategy(function: &Function, options: &Options, v: Var) -> Strategy {
    let scalar = match function.ty(value(v)) {
        Type::Scalar(Scalar::Int(_) | Scalar::Ptr(_)) => options.equalities,
        _ => false,
    };
    if scalar { Strategy::SSA | Strategy::EQ_CONDS_DOWN } else { Strategy::SSA }
}

/// By variable: whether it is used outside of a loop in which it is defined. Most are not, and need no search of their live range.
pub(crate) fn leaving_loops(code: &Code) -> Vec<bool> {
    let mut leaves = vec![false; code.variable_count()];
    let loops = code.loops();
    let mut see = |v: Var, at: Node| {
        let defined = code.definition(v).and_then(|pos| loops.innermost(code.block(pos)));
        leaves[v.index()] |= defined.is_some_and(|l| !loops.contains(l, at));
    };
    for &at in code.block_index().order() {
        for pos in code.phis(at) {
            for (v, edge) in code.phi_uses(pos) {
                see(v, code.graph().source(edge));
            }
        }
        for pos in code.body(at) {
            code.uses(pos).iter().for_each(|&v| see(v, at));
        }
    }
    leaves
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
