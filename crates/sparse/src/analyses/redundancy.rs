//! Partially redundant expressions: which computations repeat one that has been made on some, or on all, paths?
//!
//! [`Expressions`] shows a program once more with its expressions as variables: computing `a + b` *uses* it, writing `a` or
//! `b` *defines* it anew (and makes it unavailable). Availability is then a forward problem about these variables.
//! Lattice: ⊤ above `Yes` and `No` above `Partly`. 003 Fig. 5, second row; Ananian 1999, Singer 2005.

use crate::analysis::{Analysis, At, Cx};
use crate::code::Pos;
use crate::engine::{Options, Solution, solve};
use crate::meaning::{Arg, Expr, Meaning};
use crate::program::{Instr, Operand, Program, Test, Var};
use crate::strategy::Strategy;
use crate::view::View;
use lw_graph::{Graph, Node};
use std::collections::HashMap;

/// A program whose variables are the expressions of another.
#[derive(Clone, Debug)]
pub struct Expressions<'p, P: ?Sized> {
    program: &'p P,
    /// By instruction number: the expression it computes.
    computes: HashMap<Instr, Var>,
    /// The expressions it makes unavailable. What several φs of a block do, the first of them does.
    kills: HashMap<Instr, Vec<Var>>,
    count: usize,
}

impl<'p, P: Meaning + ?Sized> Expressions<'p, P> {
    /// Collects the expressions of a program: operators, conversions and comparisons, by the letter.
    pub fn new(program: &'p P) -> Self {
        let mut known: HashMap<String, Var> = HashMap::new();
        let mut this =
            Expressions { program, computes: HashMap::new(), kills: HashMap::new(), count: 0 };
        let mut mentions = vec![Vec::new(); program.variable_count()];
        let graph = program.graph();
        for block in graph.nodes() {
            for instr in program.instructions(block) {
                let expr = program.expr(instr);
                let args = match &expr {
                    Expr::Binary { args, .. } | Expr::Compare { args, .. } => args.to_vec(),
                    Expr::Cast { arg, .. } => vec![*arg],
                    _ => continue,
                };
                if args.contains(&Arg::Other) {
                    continue;
                }
                let next = Var::new(known.len());
                let var = *known.entry(format!("{expr:?}")).or_insert(next);
                this.computes.insert(instr, var);
                if var == next {
                    for (i, arg) in args.iter().enumerate() {
                        if let Arg::Var(operand) = arg
                            && !args[..i].contains(arg)
                        {
                            mentions[operand.index()].push(var);
                        }
                    }
                }
            }
        }
        this.count = known.len();
        for block in graph.nodes() {
            let mut by_phis: Vec<Var> = Vec::new();
            for instr in program.instructions(block) {
                let mut kills: Vec<Var> = Vec::new();
                program.operands(instr, |operand| {
                    if let Operand::Def(var) = operand {
                        kills.extend(&mentions[var.index()]);
                    }
                });
                kills.sort_unstable();
                kills.dedup();
                if program.is_phi(instr) {
                    kills.retain(|var| !by_phis.contains(var));
                    by_phis.extend(&kills);
                }
                if !kills.is_empty() {
                    this.kills.insert(instr, kills);
                }
            }
        }
        this
    }

    /// The expression an instruction computes.
    pub fn computed_by(&self, instr: Instr) -> Option<Var> {
        self.computes.get(&instr).copied()
    }
}

impl<P: Meaning + ?Sized> Program for Expressions<'_, P> {
    fn graph(&self) -> Graph {
        self.program.graph()
    }

    fn variable_count(&self) -> usize {
        self.count
    }

    /// Every expression has a value on entry: it is not available.
    fn parameters(&self, visit: impl FnMut(Var)) {
        (0..self.count).map(Var::new).for_each(visit);
    }

    fn instructions(&self, block: Node) -> impl Iterator<Item = Instr> + '_ {
        self.program.instructions(block)
    }

    fn is_phi(&self, instr: Instr) -> bool {
        self.program.is_phi(instr)
    }

    fn operands(&self, instr: Instr, mut visit: impl FnMut(Operand)) {
        if let Some(var) = self.computed_by(instr) {
            visit(Operand::Use(var));
        }
        let kills = self.kills.get(&instr).into_iter().flatten();
        kills.for_each(|&var| visit(Operand::Def(var)));
    }

    fn tests(&self, _: Node, _: impl FnMut(Var, Test)) {}
}

/// Whether an expression has been computed since its operands were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Available {
    /// Control cannot be here.
    Top,
    /// On all paths.
    Yes,
    /// On no path.
    No,
    /// On some paths.
    Partly,
}

/// The analysis, on [`Expressions`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Availability;

impl<P: Program + ?Sized> Analysis<P> for Availability {
    type Domain = Available;
    const NAME: &'static str = "partially redundant expressions";

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        Strategy::SSI | Strategy::USES_DOWN
    }

    fn top(&self) -> Available {
        Available::Top
    }

    fn meet(&self, into: &mut Available, with: &Available) {
        *into = match (*into, *with) {
            (Available::Top, other) | (other, Available::Top) => other,
            (a, b) if a == b => a,
            _ => Available::Partly,
        };
    }

    fn entry(&self, _: &P, _: Var) -> Available {
        Available::No
    }

    fn transfer(&self, cx: &Cx<'_, P, Available>, at: At, var: Var) -> Available {
        match at {
            At::Define(_) | At::Phi(..) => Available::No,
            At::Pass(_) => Available::Yes,
            At::Branch(_) => *cx.of(var),
        }
    }
}

/// A computation that repeats another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Redundancy {
    /// The computation.
    pub pos: Pos,
    /// Whether it repeats one on all paths.
    pub fully: bool,
}

impl Availability {
    /// The computations of a program that are redundant, fully or partially.
    pub fn redundancies<P: Meaning + ?Sized>(program: &P) -> Vec<Redundancy> {
        let expressions = Expressions::new(program);
        let (view, solution) = solve(&expressions, &mut Availability, Options::default());
        Self::read(&view, &solution)
    }

    fn read(view: &View, solution: &Solution<Available>) -> Vec<Redundancy> {
        let code = view.code();
        let mut found = Vec::new();
        for &block in code.block_index().order() {
            for pos in code.body(block) {
                for (_, version) in view.uses(pos) {
                    match version.map(|v| *solution.of(v)) {
                        Some(Available::Yes) => found.push(Redundancy { pos, fully: true }),
                        Some(Available::Partly) => found.push(Redundancy { pos, fully: false }),
                        _ => {}
                    }
                }
            }
        }
        found
    }
}
