//! The short way to LLVM's verdicts: everything is uniform until divergence comes to it.
//!
//! With what LLVM knows, a fact is one bit, and whatever is not decided beforehand is varying as soon as an operand is. So nothing of
//! the sparse engine is needed but the order of its work:
//!
//! 1. One pass over the program, in reverse postorder, finds all that is varying by data alone, but for what comes around loops, and
//!    leaves a list of what is still uniform.
//! 2. From then on only that list is looked at: chains from values to their users are made for it when something changes, graph
//!    and loops when a divergent branch can matter: because φs are still uniform, or because there are loops.
//!
//! Values that leave a loop are varying behind it once threads leave the loop in different iterations. Live ranges are not split for
//! that: all exits of such a loop are divergent, so it is enough to know where a value is defined and where it is used.
//!
//! Functions with predicates or shadows go the long way, through [`analyze`]. Both ways give the same verdicts where both can be
//! gone (`tests/llvm/short.rs`).

use super::rules::{Gpu, Rule};
use crate::control::Control;
use crate::{Basic, Divergence, analyze};
use cranelift_entity::EntityRef;
use lw_graph::{DepthFirst, DisjointPaths, Loop, LoopForest, Node};
use lw_ir::constant::ConstantKind;
use lw_ir::{Block, Function, Inst, InstData, Op, Value};
use lw_sparse::function::node;

/// LLVM's verdicts on a function: which values and branches are uniform, and which loops are left in step.
#[derive(Clone, Debug)]
pub struct Uniformity {
    found: Found,
}

#[derive(Clone, Debug)]
enum Found {
    Short(Short),
    Long(Box<Divergence<Basic>>),
}

#[derive(Clone, Debug)]
struct Short {
    /// By value.
    varying: Bits,
    /// By block: whether threads part at its end.
    divergent: Bits,
    /// By block, unless all can be reached.
    reachable: Option<Bits>,
    /// What follows from divergent branches, as far as it had to be known.
    control: Option<Box<Control>>,
}

impl Uniformity {
    /// Whether a value is the same for all threads where it is defined. In code that cannot be reached all are.
    pub fn is_uniform(&self, value: Value) -> bool {
        match &self.found {
            Found::Short(found) => !found.varying.get(value.index()),
            Found::Long(found) => found.is_uniform(value),
        }
    }

    /// Whether an operand is the same for all threads where an instruction reads it: behind a loop it may not be.
    pub fn is_uniform_at(&self, function: &Function, user: Inst, operand: Value) -> bool {
        let found = match &self.found {
            Found::Long(found) => {
                let fact = found.fact_at_use(function, user, operand);
                return fact.is_none_or(|fact| fact.is_uniform());
            }
            Found::Short(found) => found,
        };
        let leaves = || {
            let control = found.control.as_ref()?;
            let defined = node(function.block_of(function.def_inst(operand)?)?);
            let at = node(function.block_of(user)?);
            let loops = control.loops();
            let around = std::iter::successors(loops.innermost(defined), |&l| loops.parent(l));
            let mut left = around.take_while(|&l| !loops.contains(l, at));
            left.any(|l| control.is_left(l)).then_some(())
        };
        !found.varying.get(operand.index()) && leaves().is_none()
    }

    /// Whether threads may part at the end of a block.
    pub fn is_divergent(&self, block: Block) -> bool {
        match &self.found {
            Found::Short(found) => found.divergent.get(block.index()),
            Found::Long(found) => found.is_divergent(block),
        }
    }

    /// Whether control can come to a block.
    pub fn is_reachable(&self, block: Block) -> bool {
        match &self.found {
            Found::Short(found) => {
                found.reachable.as_ref().is_none_or(|reachable| reachable.get(block.index()))
            }
            Found::Long(found) => found.view().code().is_reachable(node(block)),
        }
    }

    /// What follows from divergent branches; `None` if nothing does.
    pub fn control(&self) -> Option<&Control> {
        match &self.found {
            Found::Short(found) => found.control.as_deref(),
            Found::Long(found) => Some(found.control()),
        }
    }
}

/// Finds [`Uniformity`]. Holds the memory for that, so keep it for the next function.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// Blocks in postorder.
    order: Vec<Block>,
    visited: Vec<Visit>,
    stack: Vec<(Block, usize)>,
    /// What is uniform so far and depends on its operands: values, and branches.
    open: Vec<Inst>,
    open_phis: Vec<Inst>,
    /// Open φs that merge different values; some may have changed since.
    candidates: Vec<Inst>,
    /// Values that are varying now and whose users are still to be told.
    changed: Vec<Value>,
    /// By value: the first of its open users in `links`, each with the next one.
    first: Vec<u32>,
    links: Vec<(Inst, u32)>,
    /// Branches that are divergent now and not followed yet.
    branches: Vec<Block>,
    paths: DisjointPaths,
}

/// How far the depth-first search is with a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visit {
    New,
    Open,
    Done,
}

const NONE: u32 = u32::MAX;

impl Solver {
    /// No memory yet; it grows with the first function.
    pub fn new() -> Solver {
        Solver::default()
    }

    /// Decides as LLVM does for a target.
    pub fn solve(&mut self, function: &Function, gpu: Gpu) -> Uniformity {
        let found = match self.short(function, gpu) {
            Some(found) => Found::Short(found),
            None => {
                let sources = super::sources(function, gpu);
                Found::Long(Box::new(analyze(function, &sources, &super::options(gpu))))
            }
        };
        Uniformity { found }
    }

    fn short(&mut self, function: &Function, gpu: Gpu) -> Option<Short> {
        let cyclic = self.search(function)?;
        let mut run = Run {
            function,
            varying: Bits::new(function.value_count()),
            divergent: Bits::new(function.block_count()),
            all_reachable: self.order.len() == function.blocks().len(),
            chained: false,
            leaving: Leaving::default(),
            solver: self,
        };
        for (i, &param) in function.params().iter().enumerate() {
            if gpu.is_varying_param(function, i) {
                run.varying.set(param.index());
            }
        }
        run.sweep(gpu)?;
        if cyclic {
            run.look_around_loops();
        }
        run.follow();
        let mut control = None;
        if !run.solver.branches.is_empty() && (run.find_candidates() || cyclic) {
            let mut known = Box::new(run.control());
            run.spread(&mut known);
            run.solver.paths = known.give_back();
            control = Some(known);
        }
        let (varying, divergent) = (run.varying, run.divergent);
        let reachable = (!run.all_reachable).then(|| {
            let mut reachable = Bits::new(function.block_count());
            self.order.iter().for_each(|block| reachable.set(block.index()));
            reachable
        });
        Some(Short { varying, divergent, reachable, control })
    }

    /// Orders the blocks. Whether there is a cycle; nothing if there are no blocks.
    fn search(&mut self, function: &Function) -> Option<bool> {
        let entry = function.entry()?;
        self.order.clear();
        self.visited.clear();
        self.visited.resize(function.block_count(), Visit::New);
        let mut cyclic = false;
        self.stack.push((entry, 0));
        self.visited[entry.index()] = Visit::Open;
        while let Some((block, next)) = self.stack.last_mut() {
            match function.successors(*block).get(*next) {
                Some(&target) => {
                    *next += 1;
                    match self.visited[target.index()] {
                        Visit::New => {
                            self.visited[target.index()] = Visit::Open;
                            self.stack.push((target, 0));
                        }
                        Visit::Open => cyclic = true,
                        Visit::Done => {}
                    }
                }
                None => {
                    self.visited[block.index()] = Visit::Done;
                    self.order.push(*block);
                    self.stack.pop();
                }
            }
        }
        Some(cyclic)
    }
}

/// Values that are read outside of a loop in which they are defined.
#[derive(Default)]
struct Leaving {
    /// Where it is defined, where it is read, and by whom.
    uses: Vec<(Node, Node, Inst)>,
    /// How many loops were known to be left when they were looked at.
    seen: usize,
}

/// One function.
struct Run<'a> {
    function: &'a Function,
    varying: Bits,
    divergent: Bits,
    all_reachable: bool,
    /// Whether the chains are made.
    chained: bool,
    leaving: Leaving,
    solver: &'a mut Solver,
}

impl Run<'_> {
    /// What is varying by data, in one pass; `None` if the function needs more than this solver knows.
    fn sweep(&mut self, gpu: Gpu) -> Option<()> {
        let function = self.function;
        let solver = &mut *self.solver;
        solver.open.clear();
        solver.open_phis.clear();
        solver.branches.clear();
        for &block in solver.order.iter().rev() {
            if function.predicate(block).is_some() {
                return None;
            }
            for &inst in function.insts(block) {
                let data = &function[inst];
                let Some(result) = data.result.expand() else {
                    match data.op {
                        Op::CondBr | Op::Switch | Op::IndirectBr if parts(data) => {
                            if self.varying.get(data.args[0].index()) {
                                self.divergent.set(block.index());
                                solver.branches.push(block);
                            } else {
                                solver.open.push(inst);
                            }
                        }
                        Op::Invoke(_) | Op::Opaque(_) if data.op.is_terminator() && parts(data) => {
                            self.divergent.set(block.index());
                            solver.branches.push(block);
                        }
                        _ => {}
                    }
                    continue;
                };
                match gpu.rule(function, inst) {
                    Rule::Uniform => {}
                    Rule::Varying => self.varying.set(result.index()),
                    Rule::OfOperands if matches!(data.op, Op::Phi) => {
                        if data.args.len() > data.targets.len() {
                            return None;
                        }
                        let visited = &solver.visited;
                        let varying = &self.varying;
                        let comes = |from: Block| {
                            self.all_reachable || visited[from.index()] == Visit::Done
                        };
                        let mut incoming = data.incoming();
                        if incoming.any(|(arg, from)| varying.get(arg.index()) && comes(from)) {
                            self.varying.set(result.index());
                        } else {
                            solver.open.push(inst);
                            solver.open_phis.push(inst);
                        }
                    }
                    Rule::OfOperands => {
                        if data.args.iter().any(|arg| self.varying.get(arg.index())) {
                            self.varying.set(result.index());
                        } else {
                            solver.open.push(inst);
                        }
                    }
                }
                // Calls that end a block may go two ways.
                if matches!(data.op, Op::Invoke(_) | Op::Opaque(_))
                    && data.op.is_terminator()
                    && parts(data)
                {
                    self.divergent.set(block.index());
                    solver.branches.push(block);
                }
            }
        }
        Some(())
    }

    /// φs of headers were seen before what comes around their loops.
    fn look_around_loops(&mut self) {
        for i in 0..self.solver.open_phis.len() {
            let phi = self.solver.open_phis[i];
            let data = &self.function[phi];
            let varies = |(arg, from): (Value, Block)| {
                self.varying.get(arg.index()) && self.comes_from(from)
            };
            if data.incoming().any(varies) {
                self.vary(phi);
            }
        }
    }

    fn comes_from(&self, block: Block) -> bool {
        self.all_reachable || self.solver.visited[block.index()] == Visit::Done
    }

    /// An open instruction is varying, or the branch that it is divergent.
    fn vary(&mut self, inst: Inst) {
        match self.function[inst].result.expand() {
            Some(result) => {
                if !self.varying.get(result.index()) {
                    self.varying.set(result.index());
                    self.solver.changed.push(result);
                }
            }
            None => {
                let block = self.function.block_of(inst);
                if let Some(block) = block.filter(|block| !self.divergent.get(block.index())) {
                    self.divergent.set(block.index());
                    self.solver.branches.push(block);
                }
            }
        }
    }

    /// Follows what has changed along the chains.
    fn follow(&mut self) {
        if self.solver.changed.is_empty() {
            return;
        }
        if !std::mem::replace(&mut self.chained, true) {
            self.chain();
        }
        while let Some(value) = self.solver.changed.pop() {
            let mut link = self.solver.first[value.index()];
            while link != NONE {
                let (user, next) = self.solver.links[link as usize];
                let data = &self.function[user];
                let comes = !matches!(data.op, Op::Phi)
                    || self.all_reachable
                    || data.incoming().any(|(arg, from)| arg == value && self.comes_from(from));
                if comes {
                    self.vary(user);
                }
                link = next;
            }
        }
    }

    /// Chains from values to their open users.
    fn chain(&mut self) {
        let solver = &mut *self.solver;
        solver.links.clear();
        solver.first.clear();
        solver.first.resize(self.function.value_count(), NONE);
        for &user in &solver.open {
            let data = &self.function[user];
            // A branch reads one operand; the others are the cases of a switch.
            let read = if data.result.is_none() { &data.args[..1] } else { &data.args[..] };
            for arg in read {
                let first = &mut solver.first[arg.index()];
                let next = std::mem::replace(first, solver.links.len() as u32);
                solver.links.push((user, next));
            }
        }
    }

    /// Finds the open φs that merge different values; whether there are some.
    fn find_candidates(&mut self) -> bool {
        let mut candidates = std::mem::take(&mut self.solver.candidates);
        candidates.clear();
        let phis = self.solver.open_phis.iter().copied();
        candidates.extend(phis.filter(|&phi| self.is_open(phi) && self.merges(phi)));
        self.solver.candidates = candidates;
        !self.solver.candidates.is_empty()
    }

    /// Whether the value an instruction yields is still uniform.
    fn is_open(&self, inst: Inst) -> bool {
        let result = self.function[inst].result.expand();
        result.is_some_and(|result| !self.varying.get(result.index()))
    }

    /// The operands of a φ that count: neither the φ itself nor undefined ones.
    fn merged(&self, phi: Inst) -> impl Iterator<Item = (Value, Block)> + '_ {
        let data = &self.function[phi];
        data.incoming().filter(|&(arg, from)| {
            let undefined = || {
                let constant = self.function.as_constant(arg);
                matches!(
                    constant.map(|constant| &constant.kind),
                    Some(ConstantKind::Undef | ConstantKind::Poison)
                )
            };
            data.result.expand() != Some(arg) && self.comes_from(from) && !undefined()
        })
    }

    fn merges(&self, phi: Inst) -> bool {
        let mut merged = self.merged(phi);
        merged.next().is_some_and(|(first, _)| merged.any(|(arg, _)| arg != first))
    }

    /// The tables of control flow, and where values leave loops.
    fn control(&mut self) -> Control {
        let function = self.function;
        let graph = lw_sparse::Program::graph(function);
        let dfs = DepthFirst::compute(&graph);
        let loops = LoopForest::compute_with(&graph, &dfs);
        if !loops.is_empty() {
            for &user in &self.solver.open {
                let data = &function[user];
                let Some(at) = function.block_of(user).map(node) else { continue };
                for (i, &arg) in data.args.iter().enumerate() {
                    let from = matches!(data.op, Op::Phi).then(|| data.targets[i]);
                    if from.is_some_and(|from| !self.comes_from(from)) {
                        continue;
                    }
                    let defined = function.def_inst(arg).and_then(|inst| function.block_of(inst));
                    let Some(defined) = defined.map(node) else { continue };
                    let Some(l) = loops.innermost(defined) else { continue };
                    let mut read = |at: Node| {
                        if !loops.contains(l, at) {
                            self.leaving.uses.push((defined, at, user));
                        }
                    };
                    read(at);
                    // A φ reads at the end of another block. That makes a difference in irreducible cycles only.
                    from.into_iter().for_each(|from| read(node(from)));
                }
            }
        }
        let memory = std::mem::take(&mut self.solver.paths);
        Control::as_llvm(&graph, &loops, &dfs).with_memory(memory)
    }

    /// Follows divergent branches until nothing changes.
    fn spread(&mut self, control: &mut Control) {
        loop {
            while let Some(block) = self.solver.branches.pop() {
                if self.matters(control, node(block))
                    && let Some(news) = control.diverge(node(block))
                {
                    news.blocks.iter().for_each(|&at| self.join(control, at));
                    news.scrambled.iter().for_each(|&l| self.scramble(control, l));
                }
                self.follow();
            }
            self.leave(control);
            self.follow();
            if self.solver.branches.is_empty() {
                return;
            }
        }
    }

    /// Whether something may follow from a divergent branch: a φ is still uniform, or a loop around it is not left yet.
    fn matters(&mut self, control: &Control, branch: Node) -> bool {
        let loops = control.loops();
        let mut around = std::iter::successors(loops.innermost(branch), |&l| loops.parent(l));
        self.has_candidates() || control.gives_up_cycles() || around.any(|l| !control.is_left(l))
    }

    fn has_candidates(&mut self) -> bool {
        while let Some(&phi) = self.solver.candidates.last() {
            if self.is_open(phi) {
                return true;
            }
            self.solver.candidates.pop();
        }
        false
    }

    /// φs of a block at which threads meet.
    fn join(&mut self, control: &Control, at: Node) {
        let function = self.function;
        let block = lw_sparse::function::block(at);
        if control.join(at).is_none() {
            return;
        }
        let around = control.loops().headed_by(at);
        for phi in function.phis(block) {
            let mixes = |(_, from): (Value, Block)| {
                let back = around.is_some_and(|l| control.loops().contains(l, node(from)));
                control.meets(at, back)
            };
            if self.is_open(phi) && self.merges(phi) && self.merged(phi).any(mixes) {
                self.vary(phi);
            }
        }
    }

    /// Reads of values behind loops that are left in different iterations.
    fn leave(&mut self, control: &Control) {
        let known = control.loops().loops().filter(|&l| control.is_left(l)).count();
        if std::mem::replace(&mut self.leaving.seen, known) == known {
            return;
        }
        let loops = control.loops();
        // By loop: the innermost loop around it, or itself, that is left in different iterations.
        let mut nearest = vec![None; loops.len()];
        for l in loops.loops() {
            let above = loops.parent(l).and_then(|up| nearest[up.index()]);
            nearest[l.index()] = if control.is_left(l) { Some(l) } else { above };
        }
        for (defined, at, user) in std::mem::take(&mut self.leaving.uses) {
            match loops.innermost(defined).and_then(|l| nearest[l.index()]) {
                Some(left) if !loops.contains(left, at) => self.vary(user),
                _ => self.leaving.uses.push((defined, at, user)),
            }
        }
    }

    /// What is defined in an irreducible cycle.
    fn scramble(&mut self, control: &Control, cycle: Loop) {
        for i in 0..self.solver.open.len() {
            let inst = self.solver.open[i];
            let at = self.function.block_of(inst).map(node);
            let within = at.is_some_and(|at| control.loops().contains(cycle, at));
            if within && self.function[inst].result.is_some() {
                self.vary(inst);
            }
        }
    }
}

/// Whether control may go on in different blocks.
fn parts(data: &InstData) -> bool {
    data.targets.windows(2).any(|pair| pair[0] != pair[1])
}

/// A set of small numbers.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(len: usize) -> Bits {
        Bits(vec![0; len.div_ceil(64)])
    }

    #[inline]
    fn get(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    #[inline]
    fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
}
