//! Definite reaching definitions (000 §6): since where a variable is unchanged, whichever way control came.
//!
//! [`DefiniteDefinitions`] is the greatest solution of 000 Def. 6.4, and [`uniform_at`] the rule of Def. 6.6 that carries a uniform verdict
//! from a definition to where it definitely reaches. They are here to be looked at and to be compared with: [`analyze`](crate::analyze)
//! yields the same verdicts for programs that are not in loop-closed SSA form without computing any of this, because in SSA form a
//! definition reaches all its uses definitely, and live ranges are split where loops are left.
//!
//! ```
//! use lw_divergence::definite::{DefiniteDefinitions, uniform_at};
//! use lw_divergence::{Basic, Options, Sources, analyze};
//! use lw_graph::Node;
//! use lw_sparse::Program;
//!
//! // 000 Fig. 1b: all threads count alike in the loop, and leave it in different iterations.
//! let f = lw_ir::parse_function(
//!     "func @f(i32 %n) -> i32 {
//!      S:
//!        br label %C
//!      C:
//!        %x = phi i32 [ 0, %S ], [ %next, %C ]
//!        %next = add i32 %x, 1
//!        %more = icmp slt i32 %next, %n
//!        br i1 %more, label %C, label %P
//!      P:
//!        ret i32 %x
//!      }",
//! )
//! .unwrap();
//! let [_, c, p] = f.blocks() else { panic!() };
//! let x = f.result(f.insts(*c)[0]);
//! let definitions = DefiniteDefinitions::of_value(&f, x);
//! // x is defined in C, and unchanged in P since then.
//! assert_eq!(definitions.since(Node::new(2)), [Node::new(1), Node::new(2)]);
//! for (n, same) in [(Basic::Uniform, true), (Basic::Varying, false)] {
//!     let found = analyze(&f, &Sources::params([n]), &Options::default());
//!     assert!(found.is_uniform(x) && uniform_at(&f, &found, x, *c));
//!     assert_eq!(uniform_at(&f, &found, x, *p), same);
//! }
//! ```

use crate::divergence::Divergence;
use crate::lattice::Lattice;
use lw_graph::{DepthFirst, Graph, Node};
use lw_ir::{Block, Function, Value};
use lw_sparse::Program;
use lw_sparse::function::node;

/// For one variable and every block: the blocks since whose beginning it is unchanged at the beginning of this one, on all paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefiniteDefinitions(Vec<Vec<Node>>);

impl DefiniteDefinitions {
    /// For a variable that gets a value at the beginning of some blocks, and nowhere else. In time and space quadratic in the blocks.
    pub fn compute(graph: &Graph, defined: &[Node]) -> DefiniteDefinitions {
        let order = DepthFirst::compute(graph);
        // `None`: all blocks, as long as no path has come by.
        let mut since: Vec<Option<Vec<Node>>> = vec![None; graph.node_count()];
        let mut changed = true;
        while std::mem::replace(&mut changed, false) {
            for p in order.reverse_postorder() {
                let mut all: Option<Vec<Node>> = None;
                let keeps = p != graph.entry() && !defined.contains(&p);
                for q in graph.predecessors(p).filter(|_| keeps) {
                    let Some(before) = &since[q.index()] else { continue };
                    match &mut all {
                        None => all = Some(before.clone()),
                        Some(all) => all.retain(|q| before.contains(q)),
                    }
                }
                let mut all = all.unwrap_or_default();
                if let Err(place) = all.binary_search(&p) {
                    all.insert(place, p);
                }
                if since[p.index()].as_ref() != Some(&all) {
                    since[p.index()] = Some(all);
                    changed = true;
                }
            }
        }
        DefiniteDefinitions(since.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// For a value of a function in SSA form, which is defined once.
    pub fn of_value(function: &Function, value: Value) -> DefiniteDefinitions {
        DefiniteDefinitions::compute(&function.graph(), &[defined_in(function, value)])
    }

    /// rd p x: the blocks, ascending, since which the variable is unchanged at this one, which is one of them. None for a block that
    /// cannot be reached.
    pub fn since(&self, at: Node) -> &[Node] {
        &self.0[at.index()]
    }
}

fn defined_in(function: &Function, value: Value) -> Node {
    let block = function.def_inst(value).and_then(|inst| function.block_of(inst));
    block.map_or_else(|| function.graph().entry(), node)
}

/// Def. 6.6: whether a value is uniform where control enters a block, because it is unchanged since its definition, is uniform there, and
/// threads leave the loops around the definition in the same iteration, as far as they come to the block from there.
pub fn uniform_at<L: Lattice>(
    function: &Function,
    found: &Divergence<L>,
    value: Value,
    at: Block,
) -> bool {
    let (control, graph) = (found.control(), function.graph());
    let (q, p) = (defined_in(function, value), node(at));
    if !found.is_uniform(value)
        || !DefiniteDefinitions::of_value(function, value).since(p).contains(&q)
    {
        return false;
    }
    let left_apart = graph.edges().any(|exit| {
        let outermost = control.divergent_exit(exit).map(|(outermost, _)| outermost);
        outermost.is_some_and(|l| control.loops().contains(l, q) && !control.loops().contains(l, p))
            && reaches_forward(found, &graph, graph.target(exit), p)
    });
    !left_apart
}

/// Whether a path without back edges leads from one block to another.
fn reaches_forward<L: Lattice>(found: &Divergence<L>, graph: &Graph, from: Node, to: Node) -> bool {
    let mut seen = vec![false; graph.node_count()];
    let mut stack = vec![from];
    while let Some(n) = stack.pop() {
        if n == to {
            return true;
        }
        if !std::mem::replace(&mut seen[n.index()], true) {
            let edges = graph.successor_edges(n).filter(|&e| !found.control().is_back_edge(e));
            stack.extend(edges.map(|e| graph.target(e)));
        }
    }
    false
}
