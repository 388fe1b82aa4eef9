//! Taint: can input reach a sensitive function without being sanitized?
//!
//! Lattice: ⊤ (no value yet) above `Clean` above `Tainted`. The user names the functions: *sources* yield tainted values,
//! *sanitizers* clean ones, *validators* tell whether their argument is clean (on the edge where they said yes it is),
//! *sinks* must not be given tainted arguments. Everything else passes taint from operands to results. 003 Fig. 3.

use crate::analysis::{Analysis, At, Cx};
use crate::code::Pos;
use crate::engine::Solution;
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::Var;
use crate::strategy::Strategy;
use crate::view::View;

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tainted {
    /// No value yet: not executed, or undefined.
    Top,
    /// Not influenced by input.
    Clean,
    /// Perhaps input.
    Tainted,
}

/// The analysis: names of functions.
#[derive(Clone, Debug, Default)]
pub struct Taint {
    /// Functions that yield input.
    pub sources: Vec<String>,
    /// Functions whose arguments must be clean.
    pub sinks: Vec<String>,
    /// Functions that yield clean values.
    pub sanitizers: Vec<String>,
    /// Functions that yield true only if their argument is clean.
    pub validators: Vec<String>,
}

fn named(list: &[String], name: &str) -> bool {
    list.iter().any(|n| n == name)
}

impl Taint {
    /// The calls of sinks that may get tainted arguments, with the argument.
    pub fn alarms<P: Meaning + ?Sized>(
        &self,
        program: &P,
        view: &View,
        solution: &Solution<Tainted>,
    ) -> Vec<(Pos, Var)> {
        let code = view.code();
        let mut alarms = Vec::new();
        for &block in code.block_index().order() {
            for pos in code.body(block) {
                let Expr::Call { callee: Some(name), .. } = program.expr(code.instr(pos)) else {
                    continue;
                };
                if !named(&self.sinks, name) {
                    continue;
                }
                for (var, version) in view.uses(pos) {
                    if version.is_some_and(|v| *solution.of(v) == Tainted::Tainted) {
                        alarms.push((pos, var));
                    }
                }
            }
        }
        alarms
    }
}

impl<P: Meaning + ?Sized> Analysis<P> for Taint {
    type Domain = Tainted;
    const NAME: &'static str = "taint";
    const ONLY_TESTS: bool = true;

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        Strategy::ABCD
    }

    fn top(&self) -> Tainted {
        Tainted::Top
    }

    fn meet(&self, into: &mut Tainted, with: &Tainted) {
        *into = (*into).max(*with);
    }

    fn entry(&self, _: &P, _: Var) -> Tainted {
        Tainted::Clean
    }

    fn transfer(&self, cx: &Cx<'_, P, Tainted>, at: At, var: Var) -> Tainted {
        match at {
            At::Define(pos) => match cx.program.expr(cx.code.instr(pos)) {
                Expr::Call { callee: Some(name), .. } if named(&self.sources, name) => {
                    Tainted::Tainted
                }
                Expr::Call { callee: Some(name), .. } if named(&self.sanitizers, name) => {
                    Tainted::Clean
                }
                _ => {
                    let uses = cx.code.uses(pos).iter().map(|&v| *cx.of(v));
                    uses.max().unwrap_or(Tainted::Clean).max(Tainted::Clean)
                }
            },
            At::Phi(pos, edge) => {
                let uses = cx.code.phi_uses(pos).filter(|&(_, e)| e == edge);
                uses.map(|(v, _)| *cx.of(v)).max().unwrap_or(Tainted::Clean)
            }
            At::Pass(_) => *cx.of(var),
            At::Branch(edge) => {
                let mut value = *cx.of(var);
                let (block, position) =
                    (cx.code.graph().source(edge), cx.code.graph().position(edge));
                cx.program.facts(block, position, &mut |fact| {
                    if let Fact::Checked(name, arg, true) = fact
                        && arg == Arg::Var(var)
                        && named(&self.validators, name)
                    {
                        value = value.min(Tainted::Clean);
                    }
                });
                value
            }
        }
    }
}
