//! `split` of 003 Fig. 7: where φs, σs and copies of one variable go.
//!
//! First backward: information from the nodes of I↑ collides at the iterated post-dominance frontier, which gets σs. Then
//! forward: information from definitions, from I↓ and from those σs collides at the iterated dominance frontier, which
//! gets φs. There is no third step: φs create no new need for σs.
//!
//! Some things go beyond the figure.
//! * Places where the variable is dead are left out right away ([`Pruning::Early`]), which `clean` would have to find out
//!   later. Frontiers are not even searched there, so that a variable costs what its live range does.
//! * The copies at nodes of I↑, and the φs that split a variable where one of the program reads it, count as definitions in the
//!   second step (line 11 of the figure leaves them out): in a loop without an end, whose forks post-dominance cannot see, the
//!   result would not be in SSA form otherwise.
//! * As line 11 adds all definitions to I↓, the first step adds all uses to I↑ ([`Seeds::Complete`]). Where a variable is
//!   live but no source lies ahead the backward information is ⊤, and a fork between such a region and a source is a meet
//!   node, although it need not be in the frontier of the source. A use in a loop, for instance, is not a last use if it
//!   may come again; so `LastUses↑` names no node for it.
//! * For an analysis that only flows backward, forks at which nothing meets are left out: those that the variable leaves over
//!   one edge, and those with a use ahead on each edge that settles all ([`settles`](crate::Analysis::settles)).

use crate::code::{Code, NONE};
use crate::liveness::Liveness;
use crate::program::{Instr, Var};
use crate::settled::{drop_settled, drop_settled_ahead, flows_backward, flows_forward};
use crate::strategy::Strategy;
use lw_graph::{
    Edge, FrontierScratch, Frontiers, Node, Place, PostDominatorTree, PostFrontiers, Region,
};

/// When places at which a variable is dead are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pruning {
    /// Before anything is inserted there.
    #[default]
    Early,
    /// By `clean`, as the figures have it.
    Late,
}

/// From which nodes the first step looks for forks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Seeds {
    /// From those of I↑, and from all uses if there is any I↑.
    #[default]
    Complete,
    /// From those of I↑ only, as Fig. 7 has it. Some meet nodes get no σ.
    Figure,
}

/// Whether the use of a variable by an instruction is a source of information, if the strategy names uses.
pub(crate) type Informs<'a> = dyn Fn(Instr, Var) -> bool + 'a;

/// The frontiers of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collisions {
    pub(crate) forward: Option<Frontiers>,
    pub(crate) backward: Option<PostFrontiers>,
    pub(crate) scratch: FrontierScratch,
    pub(crate) backward_scratch: FrontierScratch,
}

impl Collisions {
    /// Adds DF⁺, as far as the variable is live there if a live range is given.
    pub(crate) fn joins(
        &mut self,
        code: &Code,
        of: &[Place],
        live: Option<&Liveness>,
        found: &mut Vec<Node>,
    ) {
        let forward =
            self.forward.get_or_insert_with(|| Frontiers::compute(&code.graph, code.dominators()));
        let (of, scratch) = (of.iter().copied(), &mut self.scratch);
        match live {
            Some(live) => forward.add_iterated_within(of, scratch, found, &LiveAtJoins(live)),
            None => forward.add_iterated(of, scratch, found),
        }
    }

    /// Adds pDF⁺, as far as the variable is live there if a live range is given.
    pub(crate) fn forks(
        &mut self,
        code: &Code,
        of: &[Place],
        live: Option<&Liveness>,
        found: &mut Vec<Node>,
    ) {
        let backward = self.backward.get_or_insert_with(|| {
            let tree = if code.is_acyclic() {
                PostDominatorTree::compute(&code.graph)
            } else {
                PostDominatorTree::compute_total(&code.graph, code.loops())
            };
            PostFrontiers::compute(&code.graph, &tree)
        });
        let (of, scratch) = (of.iter().copied(), &mut self.backward_scratch);
        match live {
            Some(live) => backward.add_iterated_within(of, scratch, found, &LiveAtForks(live)),
            None => backward.add_iterated(of, scratch, found),
        }
    }
}

/// Where φs of a variable may be. What a block dominates at whose start it is dead, it is dead as well, up to its next
/// definition; and definitions are among the nodes whose frontiers are wanted.
struct LiveAtJoins<'a>(&'a Liveness);

impl Region for LiveAtJoins<'_> {
    #[inline]
    fn enters(&self, node: Node, given: bool) -> bool {
        given || self.0.at_start(node)
    }

    #[inline]
    fn holds(&self, node: Node) -> bool {
        self.0.at_start(node)
    }
}

/// Where σs of a variable may be: a fork is found from a successor at whose start it is live.
struct LiveAtForks<'a>(&'a Liveness);

impl Region for LiveAtForks<'_> {
    #[inline]
    fn enters(&self, node: Node, _: bool) -> bool {
        self.0.at_start(node)
    }

    #[inline]
    fn holds(&self, _: Node) -> bool {
        true
    }
}

/// Where a variable is to be split: the set S of the figure, by kind of node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Joins, each once.
    pub(crate) phis: Vec<Node>,
    /// Forks, each once.
    pub(crate) sigmas: Vec<Node>,
    /// Interior nodes, each once, ascending.
    pub(crate) copies: Vec<u32>,
    up: Vec<Place>,
    down: Vec<Place>,
}

impl Places {
    pub(crate) fn is_empty(&self) -> bool {
        self.phis.is_empty() && self.sigmas.is_empty() && self.copies.is_empty()
    }

    /// No places.
    pub(crate) fn clear(&mut self) {
        self.phis.clear();
        self.sigmas.clear();
        self.copies.clear();
        self.up.clear();
        self.down.clear();
    }

    /// Computes the places for a variable whose live range `live` holds. `meets`: only forks where something
    /// can meet are wanted; the variable is tested nowhere.
    pub(crate) fn split(
        &mut self,
        code: &Code,
        var: Var,
        (strategy, informs, settles): (Strategy, &Informs<'_>, &Informs<'_>),
        live: &Liveness,
        (pruning, seeds, meets): (Pruning, Seeds, bool),
        collisions: &mut Collisions,
    ) {
        self.clear();
        let early = pruning == Pruning::Early;
        let backward = strategy.up() != Strategy::NONE && seeds == Seeds::Complete;
        self.uses(code, var, (strategy, informs), live, (early, backward));
        if early && flows_forward(code, strategy) {
            drop_settled(code, var, &mut self.copies, settles);
        } else if early && flows_backward(code, strategy) {
            drop_settled_ahead(code, var, &mut self.copies, settles, live);
        }
        let block = |&pos: &u32| Place::Node(Node::new(code.block_of[pos as usize] as usize));
        self.down.extend(self.copies.iter().map(block));
        self.defs_and_exits(code, var, strategy, live, early);
        if early && live.blocks().is_empty() && !self.leaves(code, var, live) {
            return; // Nothing crosses a block boundary.
        }
        self.conditions(code, var, strategy, live, (early, backward));
        // Most live ranges are short: no join or fork in them, no search.
        let before = self.sigmas.len();
        let forks = || {
            passes_fork(code, var, live, |fork| if meets { meet(code, fork, live) } else { true })
        };
        if !self.up.is_empty() && (!early || forks()) {
            collisions.forks(code, &self.up, early.then_some(live), &mut self.sigmas);
        }
        dedup(&mut self.sigmas, before);
        if meets {
            self.sigmas.retain(|&fork| meet(code, fork, live));
        }
        self.leave_forks(code, live, early);
        let passes_join =
            || live.blocks().iter().any(|&b| code.graph.predecessor_edges(b).len() > 1);
        let before = self.phis.len();
        if !self.down.is_empty() && (!early || passes_join()) {
            collisions.joins(code, &self.down, early.then_some(live), &mut self.phis);
        }
        // What was found is reachable, and if places are left out early, the variable is live there.
        if before > 0 {
            dedup(&mut self.phis, before);
            self.phis.retain(|&b| code.is_reachable(b) && (!early || live.at_start(b)));
        }
        // A join that already holds a definition of the variable needs no other.
        if !code.ssa {
            self.phis.retain(|&block| !code.phis(block).any(|phi| code.defs(phi).contains(&var)));
        }
    }

    /// Keeps the forks that split something, and adds the edges on which the variable leaves them.
    fn leave_forks(&mut self, code: &Code, live: &Liveness, early: bool) {
        let mut kept = 0;
        for at in 0..self.sigmas.len() {
            let block = self.sigmas[at];
            let targets = code.graph.successors(block);
            if targets.len() < 2 || !code.is_reachable(block) {
                continue;
            }
            let before = self.down.len();
            for (edge, &target) in code.graph.successor_edges(block).zip(targets) {
                if !early || live.on_edge_to(edge, target) {
                    self.down.push(Place::Edge(edge));
                }
            }
            if self.down.len() > before {
                self.sigmas[kept] = block;
                kept += 1;
            }
        }
        self.sigmas.truncate(kept);
    }

    /// Adds a block that the variable is used in to the nodes of I↑. If it is dead at the start of the block, nothing gets
    /// from there to a fork.
    #[inline]
    fn add_up(&mut self, block: Node, live: &Liveness, early: bool) {
        let place = Place::Node(block);
        if (!early || live.at_start(block)) && self.up.last() != Some(&place) {
            self.up.push(place);
        }
    }

    /// Whether a φ of a successor is all that keeps the variable live.
    fn leaves(&self, code: &Code, var: Var, live: &Liveness) -> bool {
        let uses = code.uses_of.row(var.index());
        uses.iter().any(|&u| {
            let edge = code.use_edge[u as usize];
            edge != NONE && live.on_edge(code, Edge::new(edge as usize))
        })
    }

    fn uses(
        &mut self,
        code: &Code,
        var: Var,
        (strategy, informs): (Strategy, &Informs<'_>),
        live: &Liveness,
        (early, backward): (bool, bool),
    ) {
        if !backward && !strategy.intersects(Strategy::ANY_USES) {
            return;
        }
        let all_up = strategy.contains(Strategy::USES_UP);
        let all_down = strategy.contains(Strategy::USES_DOWN);
        let last_up = strategy.contains(Strategy::LAST_USES_UP);
        let last_down = strategy.contains(Strategy::LAST_USES_DOWN);
        if early && backward && !all_up && !all_down && !last_down {
            self.all_uses_up(code, var, live);
            return;
        }
        for (number, &at) in code.uses_of.row(var.index()).iter().enumerate() {
            let at = at as usize;
            if code.use_edge[at] != NONE {
                let edge = Edge::new(code.use_edge[at] as usize);
                let target = code.graph.target(edge);
                let last = !live.at_start(target);
                if all_up || backward || last_up && last {
                    self.up.push(Place::Edge(edge));
                }
                let says = informs(code.instrs[code.use_pos[at] as usize], var);
                if (all_down || last_down && last) && says {
                    self.down.push(Place::Node(target));
                }
                if (all_up || all_down && says) && !last && !live.is_settled(target) {
                    // A definition as any other.
                    self.phis.push(target);
                    self.down.push(Place::Node(target));
                }
                continue;
            }
            let pos = code.use_pos[at];
            let block = Node::new(code.block_of[pos as usize] as usize);
            if !code.is_reachable(block) {
                continue;
            }
            if !informs(code.instrs[pos as usize], var) {
                if backward {
                    self.add_up(block, live, early);
                }
                continue;
            }
            let redefined = !code.ssa && code.defs.row(pos as usize).contains(&var);
            let after = !redefined && live.after(code, var, pos, number);
            if all_up || backward || last_up && !after {
                self.add_up(block, live, early);
            }
            let splits = all_up || all_down || (last_up || last_down) && !after;
            if splits && !redefined && (after || !early) && self.copies.last() != Some(&pos) {
                self.copies.push(pos);
            }
        }
    }

    /// Adds all uses to the nodes of I↑. Behind a last use the variable is dead: a copy there would go at once.
    fn all_uses_up(&mut self, code: &Code, var: Var, live: &Liveness) {
        for &at in code.uses_of.row(var.index()) {
            let at = at as usize;
            match code.use_edge[at] {
                NONE => {
                    let block = Node::new(code.block_of[code.use_pos[at] as usize] as usize);
                    self.add_up(block, live, true);
                }
                edge => self.up.push(Place::Edge(Edge::new(edge as usize))),
            }
        }
    }

    fn defs_and_exits(
        &mut self,
        code: &Code,
        var: Var,
        strategy: Strategy,
        live: &Liveness,
        early: bool,
    ) {
        // The one definition of a variable of an SSA program dominates its live range: none of it is in its frontier.
        let alone = code.ssa && early;
        if alone && !strategy.intersects(Strategy::DEFS_UP | Strategy::LOOP_EXITS_DOWN) {
            return;
        }
        if code.param_of(var).is_some() && !alone {
            self.down.push(Place::Node(code.graph.entry()));
        }
        for &def in code.defs_of(var) {
            let pos = code.def_pos[def as usize];
            let block = Node::new(code.block_of[pos as usize] as usize);
            if !alone {
                self.down.push(Place::Node(block));
            }
            if strategy.contains(Strategy::DEFS_UP) {
                if pos < code.body_range(block).start {
                    let edges = code.graph.predecessor_edges(block);
                    self.up.extend(edges.iter().map(|&e| Place::Edge(e)));
                } else {
                    self.up.push(Place::Node(block));
                }
            }
        }
        if strategy.contains(Strategy::LOOP_EXITS_DOWN) {
            for &def in code.defs_of(var) {
                let block = code.block_of[code.def_pos[def as usize] as usize];
                let exits = code.exits_around(Node::new(block as usize));
                for exit in exits.filter(|&exit| live.at_start(exit)) {
                    self.phis.push(exit);
                    self.down.push(Place::Node(exit));
                }
            }
        }
    }

    fn conditions(
        &mut self,
        code: &Code,
        var: Var,
        strategy: Strategy,
        live: &Liveness,
        (early, backward): (bool, bool),
    ) {
        if backward {
            for &test in code.tests_of(var) {
                self.add_up(Node::new(code.test_block[test as usize] as usize), live, early);
            }
        }
        for &test in code.tests_of(var) {
            let (_, kind) = code.tests.items()[test as usize];
            let block = Node::new(code.test_block[test as usize] as usize);
            if strategy.names(kind) {
                self.sigmas.push(block);
                if strategy.contains(Strategy::CONDS_UP) {
                    self.add_up(block, live, early);
                }
            }
        }
    }
}

/// Whether different information can meet at a fork: the variable is live on two edges, and not settled ahead on all.
#[inline]
fn meet(code: &Code, fork: Node, live: &Liveness) -> bool {
    let targets = code.graph.successors(fork);
    let mut edges = code.graph.successor_edges(fork);
    // Most forks have two edges.
    if let (&[a, b], Some(to_a), Some(to_b)) = (targets, edges.next(), edges.next()) {
        return live.on_edge_to(to_a, a)
            && live.on_edge_to(to_b, b)
            && !(live.is_settled(a) && live.is_settled(b));
    }
    let (mut count, mut settled) = (0, true);
    for (edge, &target) in code.graph.successor_edges(fork).zip(targets) {
        let here = live.on_edge_to(edge, target);
        count += u32::from(here);
        settled &= !here || live.is_settled(target);
    }
    count > 1 && !settled
}

/// Whether the variable is live on an edge out of a fork that counts.
fn passes_fork(code: &Code, var: Var, live: &Liveness, counts: impl Fn(Node) -> bool) -> bool {
    let fork = |edge: Edge| {
        let source = code.graph.source(edge);
        code.graph.successors(source).len() > 1 && counts(source)
    };
    let edges = |&b: &Node| code.graph.predecessor_edges(b).iter().any(|&e| fork(e));
    live.blocks().iter().any(edges)
        || code.uses_of.row(var.index()).iter().any(|&at| {
            let edge = code.use_edge[at as usize];
            edge != NONE && fork(Edge::new(edge as usize))
        })
}

/// Leaves each block once. Those behind the first `before` are different already.
fn dedup(blocks: &mut Vec<Node>, before: usize) {
    if before > 0 && blocks.len() > 1 {
        blocks.sort_unstable();
        blocks.dedup();
    }
}
