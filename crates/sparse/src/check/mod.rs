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

mod meet;
mod points;
mod sources;

pub use points::LivePoints;

use crate::code::{Code, NONE, Point, Pos};
use crate::program::Var;
use crate::strategy::Strategy;
use crate::view::{Def, View};
use lw_graph::{Edge, Node};
use points::{live_points, number, point_count};
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
        for &block in &self.code.order {
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
                    if var == self.var && reachable && self.view.use_version(i) != self.at(point) {
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
