//! Equalities: the reduced product with what branches prove (000 §6.2). On the edge where `x == u` holds, `x` is what `u` is.

use crate::analysis::State;
use crate::fact::Fact;
use crate::lattice::Lattice;
use lw_graph::{Edge, Node};
use lw_ir::Function;
use lw_ir::ops::IntPred;
use lw_sparse::function::block;
use lw_sparse::meaning::{Arg, Fact as Known, Meaning};
use lw_sparse::{Cx, Var};

impl<L: Lattice> State<'_, L> {
    /// What an edge says about a variable: `x == u` makes `x` what `u` is, for as long as `u` stays the same.
    pub(crate) fn on_edge(&self, cx: &Cx<'_, Function, Fact<L>>, edge: Edge, v: Var) -> Fact<L> {
        let here = cx.of(v);
        let graph = cx.code.graph();
        let (from, to) = (graph.source(edge), graph.target(edge));
        // Threads that execute the branch passively follow others, whatever the condition says. And threads on parallel
        // edges go together, with different values.
        let alone = graph.successors(from).iter().filter(|&&other| other == to).count() == 1;
        if here.is_uniform() || !alone || self.function.predicate(block(from)).is_some() {
            return here.clone();
        }
        let mut found: Option<Fact<L>> = None;
        let position = graph.position(edge);
        self.function.facts(from, position, &mut |known| {
            let Known::Compare(IntPred::Eq, bits, args) = known else { return };
            let other = match args {
                [Arg::Var(x), other] if x == v => other,
                [other, Arg::Var(x)] if x == v => other,
                _ => return,
            };
            let fact = match other {
                Arg::Var(other) if self.outlives(cx, from, v, other) => return,
                Arg::Var(other) => cx.of(other).clone(),
                Arg::Int(constant) if (1..=64).contains(&bits) => {
                    Fact::plain(L::constant(bits, constant))
                }
                Arg::Int(_) | Arg::Null | Arg::Global(_) => Fact::plain(L::uniform()),
                Arg::Other => return,
            };
            if fact.is_uniform() && found.is_none() {
                found = Some(fact);
            }
        });
        found.unwrap_or_else(|| here.clone())
    }

    /// Whether `x` can leave a loop around a branch in which `u` is another value in each iteration. Live ranges are split at the
    /// exits of loops in which `x` is defined, so that is where knowledge from inside may end.
    fn outlives(&self, cx: &Cx<'_, Function, Fact<L>>, branch: Node, x: Var, u: Var) -> bool {
        let loops = cx.code.loops();
        let place = |v: Var| cx.code.definition(v).map(|pos| cx.code.block(pos));
        let around = place(u).and_then(|at| loops.common(at, branch));
        around.is_some_and(|l| place(x).is_none_or(|at| !loops.contains(l, at)))
    }
}
