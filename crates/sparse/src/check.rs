//! Does a view keep its promises? Checks the Static Single Information property (003 Def. 6) from scratch.
//!
//! Nothing of the construction is trusted: live ranges, reaching versions and meeting information are found again by
//! iterating over all points, for one variable at a time.
//!
//! ```text
//! live(p)      a path from p uses the variable before any definition (tests count at the fork)
//! reach(p)     { versions written last on some path to p }; a path without a definition contributes ⊥
//! tokens↓(p)   { nodes of I↓ ∪ Defs crossed last on some path to p }
//! tokens↑(p)   { nodes of I↑ crossed first on some path from p }
//!
//! one version  live(p) ⇒ |reach(p)| = 1, and every use is of that version               Lemmas 2, 3, Theorem 1
//! SPLIT-DEF    crossing a node of I↓ or I↑ at which the variable stays live changes the version
//! SPLIT-MEET   a join whose edges carry different tokens↓ has a φ; a fork, different tokens↑, a σ
//! INFO         nothing is defined where the variable is dead
//! LINK         what a branch tests is linked to the version that reaches its fork
//! VERSION      the points of a version are connected to its definition
//! ```
//!
//! The free sets of tokens stand for every analysis with this strategy: where tokens agree, values do.

use crate::code::{Code, NONE, Point, Pos};
use crate::program::{Test, Var};
use crate::split::leaves_loop_of_def;
use crate::strategy::Strategy;
use crate::view::{Def, View};
use lw_graph::{Edge, Node};
use std::collections::BTreeSet;
use std::fmt;

/// A rule that is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// A live variable has one version at each point, and uses are of that version.
    OneVersion,
    /// Information arises at definitions or behind last uses.
    SplitDef,
    /// Information meets in φs or σs.
    SplitMeet,
    /// Dead variables carry no information.
    Info,
    /// Dependences are uses.
    Link,
    /// A version lives in one piece.
    Version,
}

/// Where a rule is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The variable.
    pub var: Var,
    /// The place.
    pub point: Point,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is broken for {:?} at {:?}", self.rule, self.var, self.point)
    }
}

impl std::error::Error for Violation {}

/// Checks a view that was built with these strategies.
///
/// # Errors
/// The first violation that is found.
pub fn check(view: &View, strategy: impl Fn(Var) -> Strategy) -> Result<(), Violation> {
    for var in (0..view.code.variables).map(Var::new) {
        Checker::new(view, var, strategy(var)).check()?;
    }
    Ok(())
}

/// Where each variable is live, found by iteration: by variable, by point.
#[derive(Clone, Debug)]
pub struct LivePoints {
    points: usize,
    live: Vec<bool>,
}

impl LivePoints {
    /// Finds all live ranges.
    pub fn compute(code: &Code) -> LivePoints {
        let points = point_count(code);
        let mut live = Vec::with_capacity(points * code.variables);
        for var in (0..code.variables).map(Var::new) {
            live.extend(live_points(code, var));
        }
        LivePoints { points, live }
    }

    /// Whether a variable is live at a point.
    pub fn at(&self, code: &Code, var: Var, point: Point) -> bool {
        self.live[var.index() * self.points + number(code, point)]
    }
}

fn point_count(code: &Code) -> usize {
    code.len() + code.graph.node_count() + code.graph.edge_count()
}

fn number(code: &Code, point: Point) -> usize {
    match point {
        Point::Before(pos) => pos.index(),
        Point::End(block) => code.len() + block.index(),
        Point::Edge(edge) => code.len() + code.graph.node_count() + edge.index(),
    }
}

fn live_points(code: &Code, var: Var) -> Vec<bool> {
    let mut live = vec![false; point_count(code)];
    loop {
        let mut changed = false;
        let mut set = |live: &mut Vec<bool>, point: Point, value: bool| {
            let at = &mut live[number(code, point)];
            changed |= value && !*at;
            *at |= value;
        };
        for &block in code.index.order().iter().rev() {
            let tested = code.tests(block).iter().any(|&(v, _)| v == var);
            let mut edges = code.graph.successor_edges(block);
            let leaves = edges.any(|e| live[number(code, Point::Edge(e))]);
            set(&mut live, Point::End(block), tested || leaves);
            for pos in code.body(block).rev() {
                let after = live[number(code, code.after(pos))];
                let value =
                    code.uses(pos).contains(&var) || after && !code.defs(pos).contains(&var);
                set(&mut live, Point::Before(pos), value);
            }
            let start = live[number(code, code.start(block))];
            let defined = code.phis(block).any(|phi| code.defs(phi).contains(&var));
            for &edge in code.graph.predecessor_edges(block) {
                let used = code
                    .phis(block)
                    .any(|phi| code.phi_uses(phi).any(|(v, e)| v == var && e == edge));
                set(&mut live, Point::Edge(edge), used || start && !defined);
            }
        }
        if !changed {
            return live;
        }
    }
}

struct Checker<'v> {
    view: &'v View,
    code: &'v Code,
    var: Var,
    strategy: Strategy,
    live: Vec<bool>,
    /// By point: the versions that reach it, `NONE` for a path without definition.
    reach: Vec<BTreeSet<u32>>,
}

impl<'v> Checker<'v> {
    fn new(view: &'v View, var: Var, strategy: Strategy) -> Checker<'v> {
        let code = &*view.code;
        let mut checker =
            Checker { view, code, var, strategy, live: live_points(code, var), reach: Vec::new() };
        checker.reach = checker.reaching();
        checker
    }

    fn live(&self, point: Point) -> bool {
        self.live[number(self.code, point)]
    }

    fn fail(&self, rule: Rule, point: Point) -> Result<(), Violation> {
        Err(Violation { rule, var: self.var, point })
    }

    fn phi_at(&self, block: Node) -> Option<u32> {
        let mut phis = self.view.phis_at(block).iter().copied();
        phis.find(|&phi| self.view.phis()[phi as usize].var == self.var)
    }

    fn sigma_at(&self, block: Node) -> Option<u32> {
        let mut sigmas = self.view.sigmas_at(block).iter().copied();
        sigmas.find(|&sigma| self.view.sigmas()[sigma as usize].var == self.var)
    }

    /// The version an instruction leaves behind, if it writes one.
    fn written(&self, pos: Pos) -> Option<u32> {
        if let Some((_, version)) = self.view.defs(pos).find(|&(v, _)| v == self.var) {
            return Some(version.map_or(NONE, |v| v.0));
        }
        let mut copies = self.view.copies_at(pos).iter().map(|&c| self.view.copies()[c as usize]);
        copies.find(|copy| copy.var == self.var).map(|copy| copy.result.0)
    }

    fn sigma_result(&self, edge: Edge) -> Option<u32> {
        let sigma = self.sigma_at(self.code.graph.source(edge))?;
        let position = self.code.graph.position(edge);
        self.view.sigma_results(sigma).nth(position).flatten().map(|version| version.0)
    }

    /// Forward iteration of sets over points. `cross` maps the set before an instruction or fork, `enter` that on the
    /// edges to that behind the join.
    fn iterate_forward(
        &self,
        first: u32,
        instr: impl Fn(Pos) -> Option<u32>,
        fork: impl Fn(Edge) -> Option<u32>,
        join: impl Fn(Node) -> Option<u32>,
    ) -> Vec<BTreeSet<u32>> {
        let code = self.code;
        let mut sets = vec![BTreeSet::new(); point_count(code)];
        loop {
            let mut changed = false;
            let mut add = |sets: &mut Vec<BTreeSet<u32>>, point: Point, set: BTreeSet<u32>| {
                let at = &mut sets[number(code, point)];
                let before = at.len();
                at.extend(set);
                changed |= at.len() != before;
            };
            for &block in code.index.order() {
                let start = match join(block) {
                    Some(token) => [token].into(),
                    None if block == code.graph.entry() => [first].into(),
                    None => {
                        let edges = code.graph.predecessor_edges(block).iter();
                        edges.flat_map(|&e| sets[number(code, Point::Edge(e))].clone()).collect()
                    }
                };
                add(&mut sets, code.start(block), start);
                for pos in code.body(block) {
                    let set = match instr(pos) {
                        Some(token) => [token].into(),
                        None => sets[pos.index()].clone(),
                    };
                    add(&mut sets, code.after(pos), set);
                }
                for edge in code.graph.successor_edges(block) {
                    let set = match fork(edge) {
                        Some(token) => [token].into(),
                        None => sets[number(code, Point::End(block))].clone(),
                    };
                    add(&mut sets, Point::Edge(edge), set);
                }
            }
            if !changed {
                return sets;
            }
        }
    }

    fn reaching(&self) -> Vec<BTreeSet<u32>> {
        let param = self.code.params().iter().position(|&v| v == self.var);
        let first = param.and_then(|i| self.view.param(i)).map_or(NONE, |v| v.0);
        self.iterate_forward(
            first,
            |pos| self.written(pos),
            |edge| self.sigma_result(edge),
            |block| {
                if let Some(phi) = self.phi_at(block) {
                    return Some(self.view.phis()[phi as usize].result.0);
                }
                self.code.phis(block).find_map(|pos| self.written(pos))
            },
        )
    }

    fn check(&self) -> Result<(), Violation> {
        self.one_version()?;
        self.split_def()?;
        self.split_meet()?;
        self.info()?;
        self.version()
    }

    /// The only version that reaches a point.
    fn at(&self, point: Point) -> u32 {
        self.reach[number(self.code, point)].first().copied().unwrap_or(NONE)
    }

    fn one_version(&self) -> Result<(), Violation> {
        for point in self.code.points() {
            if self.live(point) && self.reach[number(self.code, point)].len() != 1 {
                return self.fail(Rule::OneVersion, point);
            }
        }
        for &block in self.code.index.order() {
            for pos in self.code.body(block) {
                for (var, version) in self.view.uses(pos) {
                    let point = Point::Before(pos);
                    if var == self.var && version.map_or(NONE, |v| v.0) != self.at(point) {
                        return self.fail(Rule::OneVersion, point);
                    }
                }
                for &copy in self.view.copies_at(pos) {
                    let copy = self.view.copies()[copy as usize];
                    if copy.var == self.var && copy.source.0 != self.at(Point::Before(pos)) {
                        return self.fail(Rule::OneVersion, Point::Before(pos));
                    }
                }
            }
            for phi in self.code.phis(block) {
                let range = self.code.uses.range(phi.index());
                for ((var, edge), i) in self.code.phi_uses(phi).zip(range) {
                    let point = Point::Edge(edge);
                    let reachable = self.code.is_reachable(self.code.graph.source(edge));
                    if var == self.var && reachable && self.view.use_version[i] != self.at(point) {
                        return self.fail(Rule::OneVersion, point);
                    }
                }
            }
            if let Some(phi) = self.phi_at(block) {
                let edges = self.code.graph.predecessor_edges(block).iter();
                for (arg, &edge) in self.view.phi_args(phi).zip(edges) {
                    let point = Point::Edge(edge);
                    let reachable = self.code.is_reachable(self.code.graph.source(edge));
                    if reachable && arg.map_or(NONE, |v| v.0) != self.at(point) {
                        return self.fail(Rule::OneVersion, point);
                    }
                }
            }
            let end = Point::End(block);
            if let Some(sigma) = self.sigma_at(block)
                && self.view.sigmas()[sigma as usize].source.0 != self.at(end)
            {
                return self.fail(Rule::OneVersion, end);
            }
            for (var, version) in self.view.tests(block) {
                if var == self.var && version.map_or(NONE, |v| v.0) != self.at(end) {
                    return self.fail(Rule::Link, end);
                }
            }
        }
        Ok(())
    }

    // ---- the strategy, read off the program ----

    fn is_source_instr(&self, pos: Pos, strategy: Strategy) -> bool {
        let defines = self.code.defs(pos).contains(&self.var);
        let uses = self.code.uses(pos).contains(&self.var);
        let last = uses && (defines || !self.live(self.code.after(pos)));
        let any = |a: Strategy| strategy.intersects(a);
        defines && any(Strategy::DEFS_DOWN | Strategy::DEFS_UP)
            || uses && any(Strategy::USES_DOWN | Strategy::USES_UP)
            || last && any(Strategy::LAST_USES_DOWN | Strategy::LAST_USES_UP)
    }

    fn is_source_fork(&self, block: Node, strategy: Strategy) -> bool {
        self.code.tests(block).iter().any(|&(var, test)| {
            var == self.var
                && (strategy.intersects(Strategy::CONDS_DOWN | Strategy::CONDS_UP)
                    || test == Test::Equality && strategy.intersects(Strategy::EQ_CONDS_DOWN))
        })
    }

    fn defined_at_join(&self, block: Node) -> bool {
        self.code.phis(block).any(|phi| self.code.defs(phi).contains(&self.var))
    }

    fn used_on(&self, edge: Edge) -> bool {
        let block = self.code.graph.target(edge);
        let mut phis = self.code.phis(block);
        phis.any(|phi| self.code.phi_uses(phi).any(|(v, e)| v == self.var && e == edge))
    }

    fn is_source_join(&self, block: Node, strategy: Strategy) -> bool {
        let exits = strategy.intersects(Strategy::LOOP_EXITS_DOWN)
            && leaves_loop_of_def(self.code, self.var, block);
        let mut edges = self.code.graph.predecessor_edges(block).iter();
        let uses = strategy.intersects(Strategy::USES_DOWN | Strategy::USES_UP)
            && edges.any(|&edge| {
                self.used_on(edge) && self.code.is_reachable(self.code.graph.source(edge))
            });
        exits || uses
    }

    fn split_def(&self) -> Result<(), Violation> {
        let code = self.code;
        for &block in code.index.order() {
            if self.live(code.start(block))
                && !self.defined_at_join(block)
                && self.is_source_join(block, self.strategy)
                && self.phi_at(block).is_none()
                && self.at(code.start(block)) != NONE
            {
                return self.fail(Rule::SplitDef, code.start(block));
            }
            for pos in code.body(block) {
                let (before, after) = (Point::Before(pos), code.after(pos));
                if self.live(before)
                    && self.live(after)
                    && self.is_source_instr(pos, self.strategy)
                    && self.at(before) == self.at(after)
                    && self.at(before) != NONE
                {
                    return self.fail(Rule::SplitDef, before);
                }
            }
            for edge in code.graph.successor_edges(block) {
                if self.live(Point::Edge(edge))
                    && code.graph.successors(block).len() > 1
                    && self.is_source_fork(block, self.strategy)
                    && self.at(Point::End(block)) == self.at(Point::Edge(edge))
                    && self.at(Point::End(block)) != NONE
                {
                    return self.fail(Rule::SplitDef, Point::Edge(edge));
                }
            }
        }
        Ok(())
    }

    fn split_meet(&self) -> Result<(), Violation> {
        let code = self.code;
        let down = self.strategy.down();
        let base = code.len() as u32;
        let blocks = code.graph.node_count() as u32;
        let tokens = self.iterate_forward(
            NONE,
            |pos| {
                let defines = code.defs(pos).contains(&self.var);
                (defines || self.is_source_instr(pos, down)).then_some(pos.0)
            },
            |edge| {
                let block = code.graph.source(edge);
                let token = base + blocks + edge.index() as u32;
                self.is_source_fork(block, down).then_some(token)
            },
            |block| {
                let source = self.defined_at_join(block) || self.is_source_join(block, down);
                source.then_some(base + block.index() as u32)
            },
        );
        for &block in code.index.order() {
            let start = code.start(block);
            if !self.live(start) || self.defined_at_join(block) || self.at(start) == NONE {
                continue;
            }
            let edges = code.graph.predecessor_edges(block).iter();
            let mut edges = edges.filter(|&&e| code.is_reachable(code.graph.source(e)));
            let Some(first) = edges.next() else { continue };
            let set = |edge: &Edge| &tokens[number(code, Point::Edge(*edge))];
            if edges.any(|edge| set(edge) != set(first)) && self.phi_at(block).is_none() {
                return self.fail(Rule::SplitMeet, start);
            }
        }
        let tokens = self.backward_tokens();
        for &block in code.index.order() {
            let end = Point::End(block);
            if !self.live(end) || self.at(end) == NONE {
                continue;
            }
            // An edge on which the variable is dead carries ⊤, which meets with anything without a trace.
            let edges = code.graph.successor_edges(block);
            let mut edges = edges.filter(|&e| self.live(Point::Edge(e)));
            let Some(first) = edges.next() else { continue };
            let set = |edge: Edge| &tokens[number(code, Point::Edge(edge))];
            if edges.any(|edge| set(edge) != set(first)) && self.sigma_at(block).is_none() {
                return self.fail(Rule::SplitMeet, end);
            }
        }
        Ok(())
    }

    fn backward_tokens(&self) -> Vec<BTreeSet<u32>> {
        let code = self.code;
        let up = self.strategy.up();
        let base = code.len() as u32;
        let mut sets: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); point_count(code)];
        loop {
            let mut changed = false;
            let mut add = |sets: &mut Vec<BTreeSet<u32>>, point: Point, set: BTreeSet<u32>| {
                let at = &mut sets[number(code, point)];
                let before = at.len();
                at.extend(set);
                changed |= at.len() != before;
            };
            for &block in code.index.order().iter().rev() {
                let end = if self.is_source_fork(block, up) {
                    [base + block.index() as u32].into()
                } else {
                    let edges = code.graph.successor_edges(block);
                    edges.flat_map(|e| sets[number(code, Point::Edge(e))].clone()).collect()
                };
                add(&mut sets, Point::End(block), end);
                for pos in code.body(block).rev() {
                    let defines = code.defs(pos).contains(&self.var);
                    let set = if self.is_source_instr(pos, up) && code.uses(pos).contains(&self.var)
                    {
                        [pos.0].into()
                    } else if defines {
                        BTreeSet::new()
                    } else {
                        sets[number(code, code.after(pos))].clone()
                    };
                    add(&mut sets, Point::Before(pos), set);
                }
                let start = sets[number(code, code.start(block))].clone();
                let defined = self.defined_at_join(block);
                for &edge in code.graph.predecessor_edges(block) {
                    let used = self.used_on(edge);
                    let last = used && (defined || !self.live(code.start(block)));
                    let source = used && up.contains(Strategy::USES_UP)
                        || last && up.contains(Strategy::LAST_USES_UP);
                    let set = if source {
                        [base + code.graph.node_count() as u32 + edge.index() as u32].into()
                    } else if defined {
                        BTreeSet::new()
                    } else {
                        start.clone()
                    };
                    add(&mut sets, Point::Edge(edge), set);
                }
            }
            if !changed {
                return sets;
            }
        }
    }

    fn info(&self) -> Result<(), Violation> {
        for (i, phi) in self.view.phis().iter().enumerate() {
            let start = self.code.start(phi.block);
            if phi.var == self.var
                && (!self.live(start) || self.view.phi_args(i as u32).all(|a| a.is_none()))
            {
                return self.fail(Rule::Info, start);
            }
        }
        for (i, sigma) in self.view.sigmas().iter().enumerate() {
            let edges = self.code.graph.successor_edges(sigma.block);
            let mut some = false;
            for (result, edge) in self.view.sigma_results(i as u32).zip(edges) {
                if sigma.var == self.var && result.is_some() && !self.live(Point::Edge(edge)) {
                    return self.fail(Rule::Info, Point::Edge(edge));
                }
                some |= result.is_some();
            }
            if sigma.var == self.var && !some {
                return self.fail(Rule::Info, Point::End(sigma.block));
            }
        }
        for copy in self.view.copies() {
            let after = self.code.after(copy.pos);
            if copy.var == self.var && !self.live(after) {
                return self.fail(Rule::Info, after);
            }
        }
        Ok(())
    }

    fn version(&self) -> Result<(), Violation> {
        let code = self.code;
        for version in self.view.versions_of(self.var) {
            let start = match self.view.def(version) {
                Def::Param => code.start(code.graph.entry()),
                Def::Instr(pos) if code.is_phi(pos) => code.start(code.block(pos)),
                Def::Instr(pos) => code.after(pos),
                Def::Phi(phi) => code.start(self.view.phis()[phi as usize].block),
                Def::Sigma(_, edge) => Point::Edge(edge),
                Def::Copy(copy) => code.after(self.view.copies()[copy as usize].pos),
            };
            let mut seen = vec![false; point_count(code)];
            let mut worklist = vec![start];
            while let Some(point) = worklist.pop() {
                let here = self.live(point) && self.at(point) == version.0;
                if !here || std::mem::replace(&mut seen[number(code, point)], true) {
                    continue;
                }
                match point {
                    Point::Before(pos) => worklist.push(code.after(pos)),
                    Point::End(block) => {
                        worklist.extend(code.graph.successor_edges(block).map(Point::Edge));
                    }
                    Point::Edge(edge) => worklist.push(code.start(code.graph.target(edge))),
                }
            }
            for point in code.points() {
                let here = self.live(point) && self.at(point) == version.0;
                if here && !seen[number(code, point)] {
                    return self.fail(Rule::Version, point);
                }
            }
        }
        Ok(())
    }
}
