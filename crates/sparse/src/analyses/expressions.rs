//! A program whose variables are the expressions of another.
//!
//! Computing `a + b` *uses* the variable `a + b`; writing `a` or `b` *defines* it anew. Problems about expressions, such as
//! which of them are redundant, are then problems about variables, and the engine solves them like any other.

use crate::meaning::{Arg, Expr, Meaning};
use crate::program::{Instr, Operand, Program, Test, Var};
use lw_graph::{Graph, Node};
use std::collections::{HashMap, HashSet};

/// A program whose variables are the expressions of another.
#[derive(Clone, Debug)]
pub struct Expressions<'p, P: ?Sized> {
    program: &'p P,
    /// For problems that ask what comes later: by instruction, what it ends, and by φ the predecessors of its block.
    ends: Option<Ends>,
    /// By instruction number: the expression it computes.
    computes: HashMap<Instr, Var>,
    /// The expressions it makes unavailable. What several φs of a block do, the first of them does.
    kills: HashMap<Instr, Vec<Var>>,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Ends {
    exits: HashSet<Instr>,
    predecessors: HashMap<Instr, Vec<Node>>,
}

impl<'p, P: Meaning + ?Sized> Expressions<'p, P> {
    /// Collects the expressions of a program: operators, conversions and comparisons, by the letter.
    pub fn new(program: &'p P) -> Self {
        let mut known: HashMap<String, Var> = HashMap::new();
        let mut this = Expressions {
            program,
            ends: None,
            computes: HashMap::new(),
            kills: HashMap::new(),
            count: 0,
        };
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

    /// Shows the ends of the program, and the writes of operands, as uses: there it is known that an expression is not
    /// computed next.
    pub fn with_ends(mut self) -> Self {
        let graph = self.program.graph();
        let mut ends = Ends::default();
        for block in graph.nodes() {
            let mut last = None;
            for instr in self.program.instructions(block) {
                last = Some(instr);
                if self.program.is_phi(instr) {
                    let mut from: Vec<Node> = graph.predecessors(block).collect();
                    from.sort_unstable();
                    from.dedup();
                    ends.predecessors.insert(instr, from);
                }
            }
            if graph.successors(block).is_empty() {
                ends.exits.extend(last);
            }
        }
        self.ends = Some(ends);
        self
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
        let computed = self.computed_by(instr);
        if let Some(var) = computed {
            visit(Operand::Use(var));
        }
        let kills = self.kills.get(&instr).map_or(&[][..], |kills| kills);
        if let Some(ends) = &self.ends {
            let others = |var: &Var| Some(*var) != computed;
            if ends.exits.contains(&instr) {
                (0..self.count).map(Var::new).filter(others).for_each(|v| visit(Operand::Use(v)));
            } else if let Some(from) = ends.predecessors.get(&instr) {
                let all = kills.iter().flat_map(|&var| from.iter().map(move |&from| (var, from)));
                all.for_each(|(var, from)| visit(Operand::UseFrom(var, from)));
            } else {
                kills.iter().copied().filter(others).for_each(|v| visit(Operand::Use(v)));
            }
        }
        kills.iter().for_each(|&var| visit(Operand::Def(var)));
    }

    fn tests(&self, _: Node, _: impl FnMut(Var, Test)) {}
}
