//! What a round of a loop costs, from what its instructions cost.
//!
//! How often blocks are executed is guessed: inner loops go round ten times, branches are taken as often as not, unless
//! someone knows better. What does not change in a loop is computed before it.

use crate::edit::{self, Shape};
use crate::worth::MISS;
use lw_graph::{Edge, Loop, Node};
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// How often inner loops go round.
const ROUNDS: f64 = 10.0;
/// Loops within this many count as if they went round once.
const DEEPEST: usize = 3;

/// How many of the branches are predicted wrong of which nobody knows where they go.
const WRONG: f64 = 1.0 / 6.0;

/// How often loops go round that are so deep in each other.
pub(crate) fn rounds(depth: usize) -> f64 {
    ROUNDS.powi(depth.min(DEEPEST) as i32)
}

/// The header of the first loop of a function that is in no other loop.
pub fn first_loop(function: &Function) -> Option<Block> {
    let shape = Shape::of(function);
    let outer = |&&n: &&Node| shape.loops.headed_by(n).is_some() && shape.loops.depth(n) == 1;
    shape.index.order().iter().find(outer).map(|&n| block(n))
}

/// What one round of the loop with this header costs. `likely` says of a branch how likely it goes to its first target, if that is known.
pub fn cost_of_round(
    function: &Function,
    header: Block,
    likely: impl Fn(Inst) -> Option<f64>,
    cost: impl Fn(Inst) -> f64,
) -> f64 {
    let shape = Shape::of(function);
    let Some(around) = shape.loops.headed_by(node(header)) else { return 0.0 };
    let outside = shape.loops.loop_depth(around) - 1;
    let often = Often { function, shape: &shape, around, likely }.compute();
    // By value: how many of the loops change it.
    let mut levels: FxHashMap<Value, usize> = FxHashMap::default();
    let mut sum = 0.0;
    for &n in shape.index.order().iter().filter(|&&n| shape.loops.contains(around, n)) {
        let depth = shape.loops.depth(n) - outside;
        for &inst in function.insts(block(n)) {
            let args = function[inst].args.iter().filter_map(|arg| levels.get(arg).copied());
            let level = match may_move(function, inst) {
                true => args.max().unwrap_or(0).min(depth),
                false => depth,
            };
            if let Some(value) = function[inst].result.expand() {
                levels.insert(value, level);
            }
            if level > 0 {
                sum += often[&n] * rounds(level - 1) / rounds(depth - 1) * cost(inst);
            }
        }
    }
    sum
}

/// What branches of a round cost that are predicted wrong. Those that end a loop or begin its next round are not counted.
pub fn cost_of_misses(
    function: &Function,
    header: Block,
    likely: impl Fn(Inst) -> Option<f64>,
) -> f64 {
    let shape = Shape::of(function);
    let Some(around) = shape.loops.headed_by(node(header)) else { return 0.0 };
    let often = Often { function, shape: &shape, around, likely: &likely }.compute();
    let miss = |(&n, &often): (&Node, &f64)| {
        let Some(branch) = function.terminator(block(n)) else { return 0.0 };
        let inner = shape.loops.innermost(n);
        let stays = |e: Edge| {
            let to = shape.graph.target(e);
            !shape.loops.is_back_edge(e) && inner.is_some_and(|l| shape.loops.contains(l, to))
        };
        let ways = shape.graph.successor_edges(n).filter(|&e| stays(e)).count();
        if ways < 2 {
            return 0.0;
        }
        // A switch is as many branches as it takes to find the way.
        let wrong = match likely(branch) {
            Some(first) if function[branch].op == Op::CondBr => first.min(1.0 - first),
            _ => WRONG * (ways as f64).log2(),
        };
        often * MISS * wrong
    };
    often.iter().map(miss).sum()
}

/// Whether an instruction only depends on its operands, and may be executed where it was not.
fn may_move(function: &Function, inst: Inst) -> bool {
    edit::computes(function, inst)
        || matches!(
            function[inst].op,
            Op::ExtractElement
                | Op::InsertElement
                | Op::ShuffleVector(_)
                | Op::ExtractValue(_)
                | Op::InsertValue(_)
        )
}

/// How often blocks are executed in a round of a loop.
struct Often<'a, L> {
    function: &'a Function,
    shape: &'a Shape,
    around: Loop,
    likely: L,
}

impl<L: Fn(Inst) -> Option<f64>> Often<'_, L> {
    fn compute(&self) -> FxHashMap<Node, f64> {
        let Shape { graph, loops, index } = self.shape;
        let mut often: FxHashMap<Node, f64> = FxHashMap::default();
        often.insert(loops.header(self.around), 1.0);
        // How often loops are entered.
        let mut entered: FxHashMap<Loop, f64> = FxHashMap::default();
        for &n in index.order().iter().filter(|&&n| loops.contains(self.around, n)) {
            let mut here = often.get(&n).copied().unwrap_or(0.0);
            if let Some(inner) = loops.headed_by(n).filter(|&l| l != self.around) {
                entered.insert(inner, here);
                let depth = loops.loop_depth(inner) - loops.loop_depth(self.around);
                here *= rounds(depth) / rounds(depth - 1);
            }
            often.insert(n, here);
            for (edge, share) in self.shares(n) {
                let to = graph.target(edge);
                let comes = match self.left(edge) {
                    Some(l) => {
                        let exits = loops.exiting_edges(l).len() as f64;
                        entered.get(&l).copied().unwrap_or(0.0) / exits
                    }
                    None => here * share,
                };
                if !loops.is_back_edge(edge) && loops.contains(self.around, to) {
                    *often.entry(to).or_default() += comes;
                }
            }
        }
        often
    }

    /// The outermost inner loop that an edge leaves.
    fn left(&self, edge: Edge) -> Option<Loop> {
        let Shape { graph, loops, .. } = self.shape;
        let (mut at, mut left) = (loops.innermost(graph.source(edge)), None);
        while let Some(l) = at.filter(|&l| l != self.around) {
            if !loops.contains(l, graph.target(edge)) {
                left = Some(l);
            }
            at = loops.parent(l);
        }
        left
    }

    /// The edges of a block, and which share of those who stay in its loop goes along each.
    fn shares(&self, n: Node) -> Vec<(Edge, f64)> {
        let Shape { graph, loops, .. } = self.shape;
        let edges: Vec<Edge> = graph.successor_edges(n).collect();
        let branch = self.function.terminator(block(n));
        let known = branch.filter(|&b| self.function[b].op == Op::CondBr).and_then(&self.likely);
        let share = |at: usize| match (known, edges.len()) {
            (Some(first), 2) => [first, 1.0 - first][at],
            _ => 1.0 / edges.len() as f64,
        };
        let inside = loops.innermost(n);
        let stays = |edge: Edge| inside.is_none_or(|l| loops.contains(l, graph.target(edge)));
        let all: f64 =
            edges.iter().enumerate().filter(|&(_, &e)| stays(e)).map(|(at, _)| share(at)).sum();
        let scaled = |(at, &edge): (usize, &Edge)| match stays(edge) {
            true if all > 0.0 => (edge, share(at) / all),
            _ => (edge, share(at)),
        };
        edges.iter().enumerate().map(scaled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEST: &str = "func @f(ptr %p, i64 %n, i64 %m, i1 %c) -> void {
        entry:
          br label %outer
        outer:
          %i = phi i64 [ 0, %entry ], [ %next, %latch ]
          %k = mul i64 %n, %m
          br i1 %c, label %inner, label %latch
        inner:
          %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
          %a = add i64 %i, %k
          %b = add i64 %a, %j
          %q = getelementptr i64, ptr %p, i64 %b
          store i64 %b, ptr %q, align 8
          %j1 = add i64 %j, 1
          %d = icmp slt i64 %j1, %m
          br i1 %d, label %inner, label %latch
        latch:
          %next = add i64 %i, 1
          %e = icmp slt i64 %next, %n
          br i1 %e, label %outer, label %end
        end:
          ret void
        }";

    fn cost(likely: Option<f64>, of: impl Fn(&Op) -> bool) -> f64 {
        let module = lw_ir::parse_module(NEST).expect("it parses");
        let f = &module.functions[0];
        let header = first_loop(f).expect("there is one");
        let first = f.blocks()[1];
        assert_eq!(header, first);
        let of_first = |inst| likely.filter(|_| f.block_of(inst) == Some(first));
        cost_of_round(f, header, of_first, |inst| f64::from(u8::from(of(&f[inst].op))))
    }

    #[test]
    fn blocks_count_as_often_as_they_are_executed() {
        let store = |op: &Op| matches!(op, Op::Store(_));
        assert_eq!(cost(None, store), 5.0);
        assert_eq!(cost(Some(0.1), store), 1.0);
        let compare = |op: &Op| matches!(op, Op::ICmp(_));
        assert_eq!(cost(None, compare), 6.0);
    }

    #[test]
    fn branches_between_iterations_are_predicted() {
        let module = lw_ir::parse_module(NEST).expect("it parses");
        let f = &module.functions[0];
        let header = f.blocks()[1];
        // The only other branch leads into the inner loop or past it.
        assert!((cost_of_misses(f, header, |_| None) - MISS * WRONG).abs() < 1e-9);
        let first = |inst| (f.block_of(inst) == Some(header)).then_some(0.1);
        assert!((cost_of_misses(f, header, first) - MISS * 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_switch_is_predicted_wrong_as_several_branches_are() {
        let text = "func @f(ptr %p, i64 %n) -> void {
            entry:
              br label %loop
            loop:
              %i = phi i64 [ 0, %entry ], [ %next, %latch ]
              switch i64 %i, label %never [0: label %latch, 1: label %a, 2: label %b, 3: label %c]
            a:
              br label %latch
            b:
              br label %latch
            c:
              br label %latch
            latch:
              %next = add i64 %i, 1
              %e = icmp slt i64 %next, %n
              br i1 %e, label %loop, label %end
            never:
              unreachable
            end:
              ret void
            }";
        let module = lw_ir::parse_module(text).expect("it parses");
        let f = &module.functions[0];
        let misses = cost_of_misses(f, f.blocks()[1], |_| None);
        assert!((misses - 2.0 * MISS * WRONG).abs() < 1e-9, "{misses}");
    }

    #[test]
    fn what_does_not_change_is_computed_before_the_loop() {
        let multiply = |op: &Op| *op == Op::Binary(lw_ir::ops::BinOp::Mul);
        assert_eq!(cost(None, multiply), 0.0);
        // %a once, %b and %j1 ten times each time the inner loop is entered, %next always.
        let add = |op: &Op| *op == Op::Binary(lw_ir::ops::BinOp::Add);
        assert_eq!(cost(None, add), 0.5 * (1.0 + 20.0) + 1.0);
    }
}
