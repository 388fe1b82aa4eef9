//! An analysis is a value that implements [`Analysis`]: a lattice, a direction, a strategy, and transfer functions.

use crate::code::{Code, NONE, Pos};
use crate::engine::Wake;
use crate::program::{Instr, Program, Test, Var};
use crate::strategy::Strategy;
use crate::view::{Version, View};
use lw_graph::{Edge, Node};
use std::fmt::Debug;

/// Which way information flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From definitions to uses.
    Forward,
    /// From uses to definitions.
    Backward,
}

/// The node a transfer function belongs to, and what the variable has to do with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// The instruction defines the variable. Forward only.
    Define(Pos),
    /// The instruction uses the variable. Forward, it does not define it: this is the value behind the instruction, in
    /// terms of the values before. Backward: the value before, in terms of those behind.
    Pass(Pos),
    /// A φ of the program, on this edge. Forward, the variable is its result; backward, an operand.
    Phi(Pos, Edge),
    /// The fork at the start of this edge. Forward: the value on the edge in terms of those before the fork; backward the
    /// other way around.
    Branch(Edge),
}

/// A data-flow problem that is partitioned by variable (003 Def. 2).
///
/// # What must hold
/// * **Convergence.** [`meet`](Analysis::meet) is that of a lattice: associative, commutative, idempotent, with
///   [`top`](Analysis::top) as its identity. [`transfer`](Analysis::transfer) and [`feasible`](Analysis::feasible) are
///   *monotone*: lower values yield lower values, and feasible edges stay feasible. Chains of ever lower values are
///   finite, or [`widen`](Analysis::widen) makes them so. Then the solvers end, and without widening the sparse one yields
///   at every point where a variable is live what the dense one yields there: the greatest solution.
/// * **Splitting.** Where a transfer function is not trivial (the value itself), the strategy names the node with the
///   right direction: definitions always, uses if `Pass` does something, conditions if `Branch` does.
/// * **Link.** A transfer function reads no other variables than the node uses (forward) or defines (backward), or its
///   branch tests, or the variable itself. Others are announced by [`changed`](Analysis::changed).
pub trait Analysis<P: Program + ?Sized> {
    /// What is known of a variable.
    type Domain: Clone + PartialEq + Debug;

    /// How the analysis is called.
    const NAME: &'static str;

    /// Which way information flows.
    const DIRECTION: Direction = Direction::Forward;

    /// Whether code counts only once [`feasible`](Analysis::feasible) edges reach it. Forward only.
    const CONDITIONAL: bool = false;

    /// Whether it matters what branches test. If not, that is not in the tables ([`Code::of`]), and keeps nothing live.
    const TESTS: bool = true;

    /// Whether no [strategy](Analysis::strategy) names anything but definitions, forward, and conditions. If so, only what
    /// branches test is looked at when an SSA program is split.
    const ONLY_TESTS: bool = false;

    /// Whether anything can be known of a variable. The others need not be in the tables
    /// ([`Code::of`]); nothing may be asked about them then.
    fn follows(&self, _program: &P, _var: Var) -> bool {
        true
    }

    /// Where information about a variable arises.
    fn strategy(&self, program: &P, var: Var) -> Strategy;

    /// Whether the use of a variable by an instruction says something about it: [`At::Pass`] is not trivial. A strategy with
    /// uses splits nowhere else ([`Ssify::view_for`](crate::Ssify::view_for)).
    fn informs(&self, _program: &P, _instr: Instr, _var: Var) -> bool {
        true
    }

    /// Whether the use of a variable by an instruction says all there is to say of it, whatever is known of others.
    ///
    /// Backward, that is the least value: a variable of an SSA program has it wherever such a use can be reached, and is not
    /// split there. Forward, other uses say nothing any more behind it: [`At::Pass`] is trivial at each use that this one
    /// dominates, whatever branches say in between. An SSA program is not split there.
    fn settles(&self, _program: &P, _instr: Instr, _var: Var) -> bool {
        false
    }

    /// Nothing is known yet, everything is possible: the identity of [`meet`](Analysis::meet).
    fn top(&self) -> Self::Domain;

    /// Lowers `into` to what both allow.
    fn meet(&self, into: &mut Self::Domain, with: &Self::Domain);

    /// What is known of a parameter on entry. Forward only.
    fn entry(&self, _program: &P, _var: Var) -> Self::Domain {
        self.top()
    }

    /// What an instruction yields whatever its operands are, if that is so: it is then not evaluated. Must be what
    /// [`transfer`](Analysis::transfer) says. Forward, and only for instructions that are no φs.
    fn settled(&self, _program: &P, _instr: Instr, _var: Var) -> Option<Self::Domain> {
        None
    }

    /// Whether a φ of the program gives a variable on each edge what is known there of the one that it reads, if it reads one:
    /// it is not evaluated for that edge. Must be what [`transfer`](Analysis::transfer) says. Forward.
    fn passes_on(&self, _program: &P, _phi: Instr, _var: Var) -> bool {
        false
    }

    /// Whether nothing lies below this value: a version that has it is not evaluated again to lower it.
    #[inline]
    fn is_least(&self, value: &Self::Domain) -> bool {
        self.is_final(value)
    }

    /// Whether nothing can change this value any more: a version that has it is not evaluated again.
    #[inline]
    fn is_final(&self, _value: &Self::Domain) -> bool {
        false
    }

    /// The value of a variable on the other side of a node; see [`At`]. Trivial is `cx.of(var).clone()`.
    fn transfer(&self, cx: &Cx<'_, P, Self::Domain>, at: At, var: Var) -> Self::Domain;

    /// Whether control can take an edge out of a fork, given the values before it.
    fn feasible(&self, _cx: &Cx<'_, P, Self::Domain>, _edge: Edge) -> bool {
        true
    }

    /// What a fork says: which of some edges control can take, and the values there of variables that are split. It is what
    /// [`feasible`](Analysis::feasible) and [`transfer`](Analysis::transfer) say, which this asks; an analysis may share
    /// work between edges and variables instead.
    fn branch(&self, cx: &Cx<'_, P, Self::Domain>, ways: &[Way<'_>], out: &mut Out<Self::Domain>) {
        for way in ways {
            if !way.taken && !self.feasible(cx, way.edge) {
                continue;
            }
            out.take(way.edge);
            for split in way.split {
                let cx = cx.seeing(split.var, split.source);
                out.give(split, self.transfer(&cx, At::Branch(way.edge), split.var));
            }
        }
    }

    /// Something that lies below both and from which no endless descent starts.
    fn widen(&self, _old: &Self::Domain, new: &Self::Domain) -> Self::Domain {
        new.clone()
    }

    /// Something between `old` and the higher `new`. Endless ascents must not start from it either.
    fn narrow(&self, old: &Self::Domain, _new: &Self::Domain) -> Self::Domain {
        old.clone()
    }

    /// Adds to what a φ of the view or of the program merges: the meet of its operands is `merged`. For dependences that
    /// are not operands, such as control.
    fn join(&self, _view: &View, _result: Version, merged: Self::Domain) -> Self::Domain {
        merged
    }

    /// A version got a new value. The analysis may now ask for sites to be evaluated again: pseudo-uses that are found
    /// during propagation (property LINK).
    fn changed(
        &mut self,
        _view: &View,
        _version: Version,
        _value: &Self::Domain,
        _wake: &mut Wake,
    ) {
    }
}

/// An edge out of a fork.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The edge.
    pub edge: Edge,
    /// Whether it is known that control can take it.
    pub taken: bool,
    /// The variables that are split and live there.
    pub split: &'a [Split],
}

/// A variable that a fork splits.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The variable.
    pub var: Var,
    /// Its version before the fork.
    pub source: Version,
    /// Its version on the edge.
    pub result: Version,
}

/// What [`Analysis::branch`] yields.
#[derive(Clone, Debug)]
pub struct Out<D> {
    pub(crate) taken: Vec<Edge>,
    pub(crate) given: Vec<(Version, D)>,
}

impl<D> Out<D> {
    pub(crate) fn new() -> Out<D> {
        Out { taken: Vec::new(), given: Vec::new() }
    }

    /// Control can take the edge.
    #[inline]
    pub fn take(&mut self, edge: Edge) {
        self.taken.push(edge);
    }

    /// The value of a variable on the edge that it is split for.
    #[inline]
    pub fn give(&mut self, split: &Split, value: D) {
        self.given.push((split.result, value));
    }
}

/// What a transfer function sees: the program and the values around a node.
pub struct Cx<'a, P: ?Sized, D> {
    /// The program.
    pub program: &'a P,
    /// The program as tables.
    pub code: &'a Code,
    pub(crate) top: &'a D,
    pub(crate) source: Source<'a, D>,
}

pub(crate) enum Source<'a, D> {
    /// By variable.
    Dense(&'a [D]),
    /// The values of versions, as the node at hand sees them.
    Sparse { view: &'a View, values: &'a [D], at: Side },
    /// The same before an instruction: the variables it uses, with their versions. Others must be looked up.
    Uses { vars: &'a [Var], versions: &'a [u32], values: &'a [D], rest: (&'a View, Pos) },
    /// The same before the fork of a block: what it tests, with the versions.
    Fork { tests: &'a [(Var, Test)], versions: &'a [u32], values: &'a [D], rest: (&'a View, Node) },
}

impl<D> Clone for Source<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Source<'_, D> {}

/// One side of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    BeforeInstr(Pos),
    BehindInstr(Pos),
    /// The same, for the sake of a variable whose version is known.
    BehindUse(Pos, Var, u32),
    /// The fork of a block, for the sake of a variable whose version is known.
    BeforeFork(Node, Var, u32),
    /// An edge, for the sake of a variable whose version is known.
    OnEdge(Edge, Var, u32),
    /// A φ of the program, forward, on an edge. What it reads there is probably at this place in the table of uses.
    PhiEdge(Pos, Edge, usize),
    BehindPhi(Pos),
}

impl<'a, P: ?Sized, D> Cx<'a, P, D> {
    /// The value of a variable on the side of the node from which information comes; top if it is undefined there.
    #[inline]
    pub fn of(&self, var: Var) -> &'a D {
        // What an instruction uses is asked for most.
        if let Source::Uses { vars, versions, values, .. } = self.source {
            for (&used, &version) in vars.iter().zip(versions) {
                if used == var && version != NONE {
                    return &values[version as usize];
                }
            }
        }
        self.search(var)
    }

    fn search(&self, var: Var) -> &'a D {
        match self.source {
            Source::Dense(values) => &values[var.index()],
            // Backward these are what is asked for: what the node uses, and what it defines.
            Source::Sparse { values, at: Side::BehindUse(_, known, version), .. }
                if known == var =>
            {
                &values[version as usize]
            }
            Source::Sparse { view, values, at: Side::BehindUse(pos, ..) }
                if view.code.ssa && *view.code.defs(pos) == [var] =>
            {
                &values[view.code.defs.range(pos.index()).start]
            }
            Source::Sparse { view, values, at } => match version(view, at, var) {
                NONE => self.top,
                version => &values[version as usize],
            },
            Source::Fork { tests, versions, values, rest: (view, block) } => {
                let at = tests.iter().position(|&(tested, _)| tested == var);
                let found = match at {
                    Some(at) => versions[at],
                    None => version_at_fork(view, block, var),
                };
                if found == NONE { self.top } else { &values[found as usize] }
            }
            Source::Uses { values, rest, .. } => self.passing(values, rest, var),
        }
    }

    /// The value before an instruction of a variable that it does not use.
    #[cold]
    fn passing(&self, values: &'a [D], (view, pos): (&'a View, Pos), var: Var) -> &'a D {
        match version(view, Side::BeforeInstr(pos), var) {
            NONE => self.top,
            version => &values[version as usize],
        }
    }

    /// The value of a version, in the sparse solver.
    #[inline]
    pub fn version(&self, version: Version) -> &'a D {
        match self.source {
            Source::Sparse { values, .. }
            | Source::Uses { values, .. }
            | Source::Fork { values, .. } => &values[version.index()],
            Source::Dense(_) => self.top,
        }
    }

    /// The same fork, for the sake of a variable whose version before it is known.
    pub(crate) fn seeing(&self, var: Var, version: Version) -> Cx<'a, P, D> {
        let source = match self.source {
            Source::Fork { values, rest: (view, block), .. } => {
                let at = Side::BeforeFork(block, var, version.0);
                Source::Sparse { view, values, at }
            }
            source => source,
        };
        Cx { program: self.program, code: self.code, top: self.top, source }
    }

    /// Backward: what is known of a variable behind a node if the node does not define it; else top.
    #[inline]
    pub fn through(&self, at: At, var: Var) -> &'a D {
        let redefined = match at {
            // An instruction that is no φ does not use what it defines.
            At::Pass(_) if self.code.ssa => false,
            At::Define(_) | At::Phi(..) if self.code.ssa => self.is_definition(at, var),
            At::Define(pos) | At::Pass(pos) => self.code.defs(pos).contains(&var),
            At::Phi(pos, _) => {
                let block = self.code.block(pos);
                self.code.phis(block).any(|phi| self.code.defs(phi).contains(&var))
            }
            At::Branch(_) => false,
        };
        if redefined { self.top } else { self.of(var) }
    }

    /// Whether the only definition of a variable is at a node, or at one of the φs that happen together with it.
    #[inline]
    fn is_definition(&self, at: At, var: Var) -> bool {
        let Some(definition) = self.code.definition(var) else { return false };
        match at {
            At::Define(pos) | At::Pass(pos) => definition == pos,
            At::Phi(pos, _) => self.code.is_phi_of(definition, self.code.block(pos)),
            At::Branch(_) => false,
        }
    }
}

/// The version of a variable that a node sees on one side; [`NONE`] if none.
#[inline]
fn version(view: &View, at: Side, var: Var) -> u32 {
    let code = &*view.code;
    let find = |vars: &[Var], first: usize| vars.iter().position(|&v| v == var).map(|i| first + i);
    match at {
        Side::BeforeInstr(pos) => {
            let range = code.uses.range(pos.index());
            let found = find(code.uses(pos), range.start).map_or(NONE, |i| view.use_version(i));
            if found != NONE {
                return found;
            }
            let copies = view.copies_at(pos).iter().map(|&c| &view.copies[c as usize]);
            copies.filter(|c| c.var == var).map(|c| c.source.0).next().unwrap_or(NONE)
        }
        Side::BehindInstr(pos) => {
            let range = code.defs.range(pos.index());
            let found = find(code.defs(pos), range.start).map_or(NONE, |i| view.def_version(i));
            if found != NONE {
                return found;
            }
            let mut copies = view.copies_at(pos).iter().map(|&c| &view.copies[c as usize]);
            match copies.find(|c| c.var == var) {
                Some(copy) => copy.result.0,
                None => version(view, Side::BeforeInstr(pos), var),
            }
        }
        Side::BehindUse(_, known, version) if known == var => version,
        Side::BehindUse(pos, ..) => version(view, Side::BehindInstr(pos), var),
        Side::BeforeFork(_, known, version) if known == var => version,
        Side::BeforeFork(block, ..) => version_at_fork(view, block, var),
        Side::OnEdge(_, known, version) if known == var => version,
        Side::OnEdge(edge, ..) => {
            let block = code.graph.source(edge);
            let mut sigmas = view.sigmas_at(block).iter();
            let found = sigmas.find(|&&s| view.sigmas[s as usize].var == var);
            found.map_or(NONE, |&s| view.sigma_results.row(s as usize)[code.graph.position(edge)])
        }
        Side::PhiEdge(pos, edge, first) => {
            let range = code.uses.range(pos.index());
            let here = |i: &usize| {
                code.uses.items()[*i] == var && code.use_edge[*i] == edge.index() as u32
            };
            let first = first.min(range.end);
            let at = (first..range.end).find(here).or_else(|| (range.start..first).find(here));
            at.map_or(NONE, |i| view.use_version(i))
        }
        Side::BehindPhi(pos) => {
            let range = code.defs.range(pos.index());
            let found = find(code.defs(pos), range.start).map_or(NONE, |i| view.def_version(i));
            if found != NONE {
                return found;
            }
            let mut phis = view.phis_at(code.block(pos)).iter().map(|&p| &view.phis[p as usize]);
            phis.find(|phi| phi.var == var).map_or(NONE, |phi| phi.result.0)
        }
    }
}

/// The version of a variable before the fork of a block; [`NONE`] if it is neither tested nor split there.
fn version_at_fork(view: &View, block: Node, var: Var) -> u32 {
    let code = &*view.code;
    let tests = code.tests(block).iter().position(|&(v, _)| v == var);
    if let Some(i) = tests {
        return view.test_version(code.tests.range(block.index()).start + i);
    }
    let mut sigmas = view.sigmas_at(block).iter().map(|&s| &view.sigmas[s as usize]);
    sigmas.find(|s| s.var == var).map_or(NONE, |s| s.source.0)
}
