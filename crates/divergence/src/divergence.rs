//! What was found.

use crate::Options;
use crate::activation::Activation;
use crate::analysis::{NEVER, State, leaving_loops, strategy};
use crate::causes::Recorded;
use crate::control::Control;
use crate::fact::Fact;
use crate::lattice::Lattice;
use crate::objects::{Cause as ObjectCause, Objects};
use crate::products::Known;
use crate::sources::Sources;
use crate::summaries::Callees;
use lw_graph::DepthFirst;
use lw_ir::{Block, Function, Inst, Value};
use lw_sparse::function::{block, node, var};
use lw_sparse::{Code, Point, Ssify, Strategy, Version, View, solve_on};
use std::sync::{Arc, OnceLock};

/// Shapes of values, divergent branches and loops, and enough to say why.
#[derive(Clone, Debug)]
pub struct Divergence<L> {
    pub(crate) view: View,
    pub(crate) facts: Vec<Fact<L>>,
    pub(crate) own: Vec<Option<Version>>,
    pub(crate) control: Control,
    activation: OnceLock<Activation>,
    pub(crate) predicate_varies: Vec<bool>,
    pub(crate) objects: Objects,
    pub(crate) since: Vec<u32>,
    pub(crate) recorded: Vec<Option<Recorded>>,
    /// How many sites the engine evaluated.
    pub evaluations: u64,
}

/// Analyses a function.
///
/// # Panics
/// If the entry block has predecessors.
pub fn analyze<L: Lattice>(
    function: &Function,
    sources: &Sources<L>,
    options: &Options,
) -> Divergence<L> {
    analyze_in(function, sources, options, None)
}

/// Analyses a function of a module.
pub(crate) fn analyze_in<'a, L: Lattice>(
    function: &'a Function,
    sources: &'a Sources<L>,
    options: &'a Options,
    callees: Option<&'a dyn Callees<L>>,
) -> Divergence<L> {
    let mut code = Arc::new(Code::new(function));
    let ranges = Known::compute(function, &code, options);
    let control = match options.llvm {
        Some(_) => Control::as_llvm(code.graph(), code.loops(), &DepthFirst::compute(code.graph())),
        None => Control::new(code.graph(), code.loops(), code.block_index()),
    };
    if control.is_copied() {
        code = Arc::new(Code::clone(&code).with_loops(control.loops().clone()));
    }
    let leaves = leaving_loops(&code);
    let view = Ssify::new(code).view_each(|v| match leaves[v.index()] {
        true => Strategy::LOOP_EXITS_DOWN | strategy(function, options, v),
        false => strategy(function, options, v),
    });
    let mut state = State::new(function, &view, control, sources, options);
    state.callees = callees;
    state.ranges = ranges;
    let solution = solve_on(function, &view, &mut state, lw_sparse::Options::default());
    let recorded = if options.causes {
        state.settle_activation();
        crate::causes::record(&state, &view)
    } else {
        vec![None; view.version_count()]
    };
    let State { facts, own, control, predicate_varies, objects, since, .. } = state;
    Divergence {
        activation: OnceLock::new(),
        evaluations: solution.evaluations,
        view,
        facts,
        own,
        control,
        predicate_varies,
        objects,
        since,
        recorded,
    }
}

impl<L: Lattice> Divergence<L> {
    /// What is known of a value where it is defined. ⊥ in unreachable code; constants are uniform.
    pub fn fact(&self, value: Value) -> Fact<L> {
        match self.own.get(var(value).index()).copied().flatten() {
            Some(version) => self.facts[version.index()].clone(),
            None => Fact::bottom(),
        }
    }

    /// The shape of a value where it is defined.
    pub fn shape(&self, value: Value) -> L {
        self.fact(value).value()
    }

    /// What is known of a value at a point where it is live: behind a loop it may have another shape than inside.
    pub fn fact_at(&self, value: Value, point: Point) -> Option<Fact<L>> {
        let version = self.view.version_at(var(value), point)?;
        Some(self.facts[version.index()].clone())
    }

    /// What is known of an operand where an instruction reads it; `None` if it is no operand, or a constant.
    pub fn fact_at_use(&self, function: &Function, user: Inst, operand: Value) -> Option<Fact<L>> {
        let version = self.version_at_use(function, user, operand)?;
        Some(self.facts[version.index()].clone())
    }

    /// The version of an operand that an instruction reads.
    pub(crate) fn version_at_use(
        &self,
        function: &Function,
        user: Inst,
        operand: Value,
    ) -> Option<Version> {
        let at = node(function.block_of(user)?);
        let code = self.view.code();
        let number = lw_sparse::function::instr(user);
        let pos = code.positions(at).find(|&pos| code.instr(pos) == number)?;
        self.view.used(pos, var(operand))
    }

    /// Whether a value is the same for all threads that define it at once.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.fact(value).is_uniform()
    }

    /// Whether threads may part at the end of a block.
    pub fn is_divergent(&self, at: Block) -> bool {
        self.control.is_divergent(node(at))
    }

    /// The blocks at whose end threads may part, in the order in which they were found.
    pub fn divergent_branches(&self) -> impl Iterator<Item = Block> + '_ {
        self.control.branches().iter().map(|&n| block(n))
    }

    /// The divergent branch because of which threads enter a block over different edges.
    pub fn join(&self, at: Block) -> Option<Block> {
        self.control.join(node(at)).map(block)
    }

    /// The headers of loops that threads leave in different iterations, each with a branch that makes them.
    pub fn divergent_loops(&self) -> impl Iterator<Item = (Block, Block)> + '_ {
        let loops = self.control.loops();
        let divergent = loops.loops().filter_map(|l| Some((l, self.control.divergent_loop(l)?)));
        divergent.map(|(l, branch)| (block(self.control.header(l)), block(branch)))
    }

    /// Whether some threads may execute a block while others do not: because of a divergent branch, or its predicate.
    pub fn activation_varies(&self, at: Block) -> bool {
        let activation = self.activation.get_or_init(|| Activation::compute(&self.control));
        activation.varies(node(at)).is_some() || self.predicate_varies[node(at).index()]
    }

    /// The divergent branch that decides whether a thread executes a block.
    pub fn activation_branch(&self, at: Block) -> Option<Block> {
        let activation = self.activation.get_or_init(|| Activation::compute(&self.control));
        activation.varies(node(at)).map(block)
    }

    /// Why the copies of a stack object differ between threads; `None` if they do not. The object is one of a [`Fact`].
    pub fn object_varies(&self, object: crate::Object) -> Option<ObjectCause> {
        self.objects.varying(object)
    }

    /// The `alloca` of a stack object.
    pub fn alloca(&self, object: crate::Object) -> Inst {
        self.objects.alloca(object)
    }

    /// Whether the stack object of this `alloca` is the same on all threads. Objects whose address gets out of sight are not.
    pub fn is_uniform_object(&self, alloca: Inst) -> bool {
        self.objects.of_alloca(alloca).is_some_and(|o| self.objects.varying(o).is_none())
    }

    /// What follows from the divergent branches.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The versions that values were split into.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What is known of a version.
    pub fn of(&self, version: Version) -> &Fact<L> {
        &self.facts[version.index()]
    }

    /// When a version stopped being uniform, as a number that orders causes before effects.
    pub fn since(&self, version: Version) -> Option<u32> {
        Some(self.since[version.index()]).filter(|&since| since != NEVER)
    }
}
