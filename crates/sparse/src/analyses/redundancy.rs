//! Partially redundant expressions: which computations repeat one that has been made on some, or on all, paths? And where
//! would a computation have to be added to make them fully redundant?
//!
//! Two problems about [`Expressions`], both on the static single information form (003 Fig. 5, second row; Ananian 1999, Singer
//! 2005). [`Availability`], forward: has it been computed since its operands were written? [`Anticipability`], backward: will it
//! be computed before they are? Lattice of both: ⊤ above `Yes` and `No` above `Partly`.

use super::expressions::Expressions;
use crate::analysis::{Analysis, At, Cx, Direction};
use crate::code::{Point, Pos};
use crate::engine::{Options, Solution, solve};
use crate::meaning::Meaning;
use crate::program::{Program, Var};
use crate::strategy::Strategy;
use crate::view::{Def, Version, View};
use lw_graph::Edge;

/// On which paths something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    /// There is no path.
    Top,
    /// On all paths.
    All,
    /// On no path.
    None,
    /// On some paths.
    Some,
}

fn meet(a: Paths, b: Paths) -> Paths {
    match (a, b) {
        (Paths::Top, other) | (other, Paths::Top) => other,
        (a, b) if a == b => a,
        _ => Paths::Some,
    }
}

/// Whether an expression has been computed since its operands were written; on [`Expressions`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Availability;

impl<P: Program + ?Sized> Analysis<P> for Availability {
    type Domain = Paths;
    const NAME: &'static str = "availability";

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        Strategy::SSI | Strategy::USES_DOWN
    }

    fn top(&self) -> Paths {
        Paths::Top
    }

    fn meet(&self, into: &mut Paths, with: &Paths) {
        *into = meet(*into, *with);
    }

    fn entry(&self, _: &P, _: Var) -> Paths {
        Paths::None
    }

    fn transfer(&self, cx: &Cx<'_, P, Paths>, at: At, var: Var) -> Paths {
        match at {
            At::Define(_) | At::Phi(..) => Paths::None,
            At::Pass(_) => Paths::All,
            At::Branch(_) => *cx.of(var),
        }
    }
}

/// Whether an expression will be computed before its operands are written; on [`Expressions::with_ends`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Anticipability;

impl<P: Meaning + ?Sized> Analysis<Expressions<'_, P>> for Anticipability {
    type Domain = Paths;
    const NAME: &'static str = "anticipability";
    const DIRECTION: Direction = Direction::Backward;

    fn strategy(&self, _: &Expressions<'_, P>, _: Var) -> Strategy {
        Strategy::SSI | Strategy::USES_UP
    }

    fn top(&self) -> Paths {
        Paths::Top
    }

    fn meet(&self, into: &mut Paths, with: &Paths) {
        *into = meet(*into, *with);
    }

    fn transfer(&self, cx: &Cx<'_, Expressions<'_, P>, Paths>, at: At, var: Var) -> Paths {
        match at {
            At::Pass(pos) if cx.program.computed_by(cx.code.instr(pos)) == Some(var) => Paths::All,
            At::Pass(_) | At::Phi(..) => Paths::None,
            At::Define(_) | At::Branch(_) => *cx.through(at, var),
        }
    }
}

/// A computation that repeats another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redundancy {
    /// The computation.
    pub pos: Pos,
    /// Whether it repeats one on all paths.
    pub fully: bool,
    /// The edges on which the expression would have to be computed to make it so, if that adds a computation to no path:
    /// partial redundancy elimination. Empty if it is fully redundant.
    pub insert: Option<Vec<Edge>>,
}

impl Redundancy {
    /// The computations of a program that are redundant, fully or partially.
    pub fn all<P: Meaning + ?Sized>(program: &P) -> Vec<Redundancy> {
        let before = Expressions::new(program);
        let (view, available) = solve(&before, &mut Availability, Options::default());
        let after = Expressions::new(program).with_ends();
        let (ahead, anticipated) = solve(&after, &mut Anticipability, Options::default());
        let code = view.code();
        let mut found = Vec::new();
        for &block in code.block_index().order() {
            for pos in code.body(block) {
                for (var, version) in view.uses(pos) {
                    let Some(version) = version else { continue };
                    let fully = match available.of(version) {
                        Paths::All => true,
                        Paths::Some => false,
                        _ => continue,
                    };
                    let safe = |edge| {
                        let at = anticipated.at(&ahead, var, Point::Edge(edge));
                        at == Some(&Paths::All)
                    };
                    let edges = missing(&view, &available, version);
                    let insert = edges.iter().all(|&edge| safe(edge)).then_some(edges);
                    found.push(Redundancy { pos, fully, insert });
                }
            }
        }
        found
    }
}

/// The edges on which a version that is available on some paths only comes from one on which it is not.
fn missing(view: &View, available: &Solution<Paths>, version: Version) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut seen = vec![version];
    let mut worklist = vec![version];
    let visit = |version: Version, seen: &mut Vec<Version>, worklist: &mut Vec<Version>| {
        if *available.of(version) == Paths::Some && !seen.contains(&version) {
            seen.push(version);
            worklist.push(version);
        }
    };
    while let Some(version) = worklist.pop() {
        match view.def(version) {
            Def::Phi(phi) => {
                let block = view.phis()[phi as usize].block;
                let from = view.code().graph().predecessor_edges(block);
                for (arg, &edge) in view.phi_args(phi).zip(from) {
                    match arg.map_or(Paths::Top, |arg| *available.of(arg)) {
                        Paths::None => edges.push(edge),
                        _ => arg.into_iter().for_each(|arg| visit(arg, &mut seen, &mut worklist)),
                    }
                }
            }
            Def::Sigma(sigma, _) => {
                visit(view.sigmas()[sigma as usize].source, &mut seen, &mut worklist);
            }
            Def::Copy(copy) => {
                visit(view.copies()[copy as usize].source, &mut seen, &mut worklist);
            }
            Def::Param | Def::Instr(_) => {}
        }
    }
    edges.sort_unstable();
    edges
}
