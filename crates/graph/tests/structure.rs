//! Orders, dominators, loops and the block index against their definitions.

mod common;

use common::*;
use lw_graph::generate::{self, Rng};
use lw_graph::{BlockIndex, DepthFirst, DominatorTree, Graph, Loop, LoopForest, Node, loop_order};

fn check_orders(graph: &Graph) {
    let dfs = DepthFirst::compute(graph);
    let reachable = reachable(graph);
    for order in [dfs.preorder(), dfs.postorder()] {
        assert_eq!(order.len(), reachable.len());
        assert_eq!(Set::of(order.iter().copied()), reachable);
    }
    // A node is discovered when its parent was the last one with an undiscovered successor.
    let mut path: Vec<Node> = Vec::new();
    let mut seen = Set::default();
    for &node in dfs.preorder() {
        while let Some(&top) = path.last() {
            match graph.successors(top).iter().find(|&&s| !seen.contains(s)) {
                Some(&next) => {
                    assert_eq!(next, node);
                    break;
                }
                None => drop(path.pop()),
            }
        }
        assert_eq!(dfs.parent(node), path.last().copied());
        path.push(node);
        seen.insert(node);
    }
    let ancestors = |node: Node| {
        std::iter::successors(Some(node), |&n| dfs.parent(n)).filter(|&n| reachable.contains(n))
    };
    for a in graph.nodes() {
        assert_eq!(dfs.preorder_number(a), dfs.preorder().iter().position(|&n| n == a));
        assert_eq!(dfs.postorder_number(a), dfs.postorder().iter().position(|&n| n == a));
        for b in graph.nodes() {
            assert_eq!(dfs.is_ancestor(a, b), ancestors(b).any(|n| n == a));
            if a != b && dfs.is_ancestor(a, b) {
                assert!(dfs.postorder_number(b) < dfs.postorder_number(a));
            }
        }
    }
    let order: Vec<Node> = dfs.reverse_postorder().collect();
    let position = |node: Node| order.iter().position(|&n| n == node);
    for edge in live_edges(graph) {
        let forward = position(graph.source(edge)) < position(graph.target(edge));
        assert_eq!(forward, !dfs.is_retreating(graph, edge));
    }
}

fn check_dominators(graph: &Graph, expected: &[Set]) {
    let tree = DominatorTree::compute(graph);
    let reachable = reachable(graph);
    for b in graph.nodes() {
        assert_eq!(tree.is_reachable(b), reachable.contains(b));
        let above = expected[b.index()];
        for a in graph.nodes() {
            assert_eq!(tree.dominates(a, b), above.contains(a), "{a} dominates {b} in {graph:?}");
            assert_eq!(tree.strictly_dominates(a, b), a != b && above.contains(a));
            let common = Set(above.0 & expected[a.index()].0);
            let closest = common.iter().max_by_key(|c| expected[c.index()].len());
            let closest = closest.filter(|_| reachable.contains(a) && reachable.contains(b));
            assert_eq!(tree.common(a, b), closest);
        }
        let strict = without(above, b);
        assert_eq!(tree.immediate(b), strict.iter().max_by_key(|a| expected[a.index()].len()));
        let dominated = Set::of(reachable.iter().filter(|x| expected[x.index()].contains(b)));
        let dominated = if reachable.contains(b) { dominated } else { Set::default() };
        assert_eq!(tree.dominated(b).len(), dominated.len());
        assert_eq!(Set::of(tree.dominated(b).iter().copied()), dominated);
        let children = Set::of(graph.nodes().filter(|&c| tree.immediate(c) == Some(b)));
        assert_eq!(Set::of(tree.children(b)), children);
        assert_eq!(tree.depth(b), reachable.contains(b).then(|| strict.len()));
    }
}

/// Checks the loops among `within`, which must be exactly the given ones and those inside them.
fn check_loops_in(
    graph: &Graph,
    forest: &LoopForest,
    within: Set,
    parent: Option<Loop>,
    found: &mut usize,
) {
    let dfs = DepthFirst::compute(graph);
    for blocks in components(graph, within) {
        let header = blocks.iter().min_by_key(|&n| dfs.preorder_number(n)).unwrap();
        let l = forest
            .headed_by(header)
            .unwrap_or_else(|| panic!("{header} heads a loop in {graph:?}"));
        *found += 1;
        assert_eq!(forest.header(l), header);
        assert_eq!(forest.parent(l), parent);
        assert_eq!(forest.loop_depth(l), parent.map_or(1, |p| forest.loop_depth(p) + 1));
        assert_eq!(forest.blocks(l).len(), blocks.len(), "{graph:?}");
        assert_eq!(Set::of(forest.blocks(l).iter().copied()), blocks);
        assert!(graph.nodes().all(|n| forest.contains(l, n) == blocks.contains(n)));

        let live = live_edges(graph);
        let edges = |inside_source: bool, inside_target: bool| {
            let fits = |&&e: &&lw_graph::Edge| {
                blocks.contains(graph.source(e)) == inside_source
                    && blocks.contains(graph.target(e)) == inside_target
            };
            live.iter().filter(fits).copied().collect::<Vec<_>>()
        };
        let sorted = |mut edges: Vec<lw_graph::Edge>| {
            edges.sort();
            edges
        };
        assert_eq!(sorted(forest.exiting_edges(l)), edges(true, false));
        assert_eq!(sorted(forest.entering_edges(l)), edges(false, true));
        let back: Vec<_> =
            edges(true, true).into_iter().filter(|&e| graph.target(e) == header).collect();
        assert_eq!(forest.back_edges(l), back);
        assert!(back.iter().all(|&e| forest.is_back_edge(e)));
        let set = |edges: Vec<lw_graph::Edge>, of: fn(&Graph, lw_graph::Edge) -> Node| {
            Set::of(edges.into_iter().map(|e| of(graph, e))).iter().collect::<Vec<_>>()
        };
        assert_eq!(forest.latches(l), set(back, Graph::source));
        assert_eq!(forest.exits(l), set(edges(true, false), Graph::target));
        assert_eq!(forest.exiting_blocks(l), set(edges(true, false), Graph::source));
        let mut entries = Set::of(edges(false, true).into_iter().map(|e| graph.target(e)));
        if blocks.contains(graph.entry()) {
            entries.insert(graph.entry());
        }
        assert!(entries.contains(header));
        assert_eq!(forest.entries(l)[0], header);
        assert_eq!(Set::of(forest.entries(l)), entries);
        assert_eq!(forest.entries(l).len(), entries.len());
        assert_eq!(forest.is_loop_reducible(l), entries.len() == 1);
        check_loops_in(graph, forest, without(blocks, header), Some(l), found);
        let children = Set::of(forest.children(l).map(|c| forest.header(c)));
        assert_eq!(
            children,
            Set::of(
                forest.loops().filter(|&c| forest.parent(c) == Some(l)).map(|c| forest.header(c))
            )
        );
    }
}

fn check_loops(graph: &Graph, dominators: &[Set]) {
    let forest = LoopForest::compute(graph);
    let mut found = 0;
    check_loops_in(graph, &forest, reachable(graph), None, &mut found);
    assert_eq!(found, forest.len(), "{graph:?}");
    assert_eq!(forest.is_empty(), found == 0);
    assert_eq!(forest.is_reducible(), is_reducible(graph), "{graph:?}");
    assert_eq!(forest.is_reducible(), forest.irreducible_loops().next().is_none());
    for node in graph.nodes() {
        let around: Vec<Loop> = forest.loops().filter(|&l| forest.contains(l, node)).collect();
        assert_eq!(forest.depth(node), around.len());
        assert_eq!(forest.innermost(node), around.last().copied());
        for other in graph.nodes() {
            let common = around.iter().rev().copied().find(|&l| forest.contains(l, other));
            assert_eq!(forest.common(node, other), common);
        }
    }
    if !forest.is_reducible() {
        return;
    }
    // Where the graph is reducible, these are the natural loops of 001 §2.4.
    for header in reachable(graph).iter() {
        let is_back = |&e: &lw_graph::Edge| {
            graph.target(e) == header && dominators[graph.source(e).index()].contains(header)
        };
        let latches: Vec<Node> =
            live_edges(graph).into_iter().filter(is_back).map(|e| graph.source(e)).collect();
        assert_eq!(forest.headed_by(header).is_some(), !latches.is_empty());
        if let Some(l) = forest.headed_by(header) {
            // All nodes that reach a latch without going through the header.
            let rest = without(reachable(graph), header);
            let reaches =
                |n: Node| latches.iter().any(|&latch| reach(graph, n, rest).contains(latch));
            let natural = Set::of(rest.iter().filter(|&n| reaches(n)).chain([header]));
            assert_eq!(Set::of(forest.blocks(l).iter().copied()), natural);
        }
    }
}

/// Whether the set is an interval of the order.
fn is_compact(order: &[Node], set: Set) -> bool {
    let positions = || order.iter().enumerate().filter(|(_, n)| set.contains(**n)).map(|(i, _)| i);
    match (positions().min(), positions().max()) {
        (Some(min), Some(max)) => max - min + 1 == set.len(),
        _ => true,
    }
}

/// The blocks that `v` dominates and whether the module documentation of `BlockIndex` promises that
/// they are compact.
fn region(graph: &Graph, forest: &LoopForest, dominators: &[Set], v: Node) -> (Set, bool) {
    let region = Set::of(reachable(graph).iter().filter(|b| dominators[b.index()].contains(v)));
    let promised = forest.loops().filter(|&l| forest.contains(l, v)).all(|l| {
        let blocks = Set::of(forest.blocks(l).iter().copied());
        region.is_subset(blocks) || forest.latches(l).iter().all(|latch| region.contains(*latch))
    });
    (region, promised)
}

fn check_block_index(graph: &Graph, dominators: &[Set]) {
    let forest = LoopForest::compute(graph);
    let index = BlockIndex::compute(graph, &DominatorTree::compute(graph), &forest);
    let order = index.order();
    assert_eq!(order.len(), reachable(graph).len());
    for node in graph.nodes() {
        assert_eq!(index.index(node), order.iter().position(|&n| n == node), "{graph:?}");
    }
    for edge in live_edges(graph) {
        let forward = index.index(graph.source(edge)) < index.index(graph.target(edge));
        assert_eq!(forward, !forest.is_back_edge(edge), "{edge:?} {graph:?} {order:?}");
    }
    for l in forest.loops() {
        assert_eq!(order[index.loop_range(l).start], forest.header(l));
        assert_eq!(
            Set::of(order[index.loop_range(l)].iter().copied()),
            Set::of(forest.blocks(l).iter().copied()),
            "{graph:?} {order:?}"
        );
        if let [latch] = forest.latches(l)[..] {
            let own = forest.innermost(latch) == Some(l);
            assert!(
                !own || order[index.loop_range(l).end - 1] == latch,
                "{l:?} in {graph:?}: {order:?}"
            );
        }
    }
    for v in reachable(graph).iter() {
        let (region, promised) = region(graph, &forest, dominators, v);
        let compact = is_compact(order, region);
        assert_eq!(index.dominated_range(v).is_some(), compact);
        if let Some(range) = index.dominated_range(v) {
            assert_eq!(Set::of(order[range].iter().copied()), region);
        }
        if forest.is_reducible() {
            assert!(compact || !promised, "{v} in {graph:?}: {order:?}");
            let inner = forest
                .innermost(v)
                .map_or(all(graph), |l| Set::of(forest.blocks(l).iter().copied()));
            assert!(is_compact(order, Set(region.0 & inner.0)), "{v} in {graph:?}: {order:?}");
        }
    }
}

fn check_loop_order(graph: &Graph) {
    let forest = LoopForest::compute(graph);
    let mut order = Vec::new();
    loop_order(graph, &DepthFirst::compute(graph), &mut order);
    assert_eq!(Set::of(order.iter().copied()), reachable(graph));
    let place = |node: Node| order.iter().position(|&n| n == node);
    if forest.is_reducible() {
        for edge in live_edges(graph) {
            let forward = place(graph.source(edge)) < place(graph.target(edge));
            assert_eq!(forward, !forest.is_back_edge(edge), "{edge:?} {graph:?} {order:?}");
        }
    }
    for l in forest.loops() {
        let blocks = Set::of(forest.blocks(l).iter().copied());
        assert!(is_compact(&order, blocks), "{l:?} in {graph:?}: {order:?}");
        assert_eq!(order.iter().find(|&&n| blocks.contains(n)), Some(&forest.header(l)));
    }
}

fn check(graph: &Graph) {
    let dominators = dominators(graph);
    check_orders(graph);
    check_dominators(graph, &dominators);
    check_loops(graph, &dominators);
    check_block_index(graph, &dominators);
    check_loop_order(graph);
}

#[test]
fn every_graph_up_to_five_nodes() {
    for n in 1..=5 {
        let mut count = 0;
        generate::every_graph(n, |graph| {
            count += 1;
            check(graph);
        });
        println!("{n} nodes: {count} graphs");
    }
}

#[test]
fn every_graph_up_to_three_nodes_with_unreachable_ones() {
    for n in 1..=3 {
        every_numbered_graph(n, check);
    }
}

#[test]
fn random_graphs_with_switches() {
    let mut rng = Rng::new(1);
    for round in 0..3000 {
        check(&generate::random(&mut rng, 1 + round % 40));
    }
    for round in 0..3000 {
        let graph = generate::random_reducible(&mut rng, 1 + round % 40);
        assert!(LoopForest::compute(&graph).is_reducible());
        check(&graph);
    }
}

/// With unique latches, a dominance region the block index leaves scattered is scattered in every
/// topological order in which loops are intervals.
#[test]
fn dominance_regions_are_compact_where_that_is_possible() {
    for n in 1..=4 {
        generate::every_graph(n, |graph| {
            let forest = LoopForest::compute(graph);
            if !forest.is_reducible() || forest.loops().any(|l| forest.latches(l).len() != 1) {
                return;
            }
            let dominators = dominators(graph);
            let index = BlockIndex::compute(graph, &DominatorTree::compute(graph), &forest);
            for v in graph.nodes().filter(|&v| index.dominated_range(v).is_none()) {
                let (region, _) = region(graph, &forest, &dominators, v);
                for_each_topological_order(graph, &forest, &mut Vec::new(), &mut |order| {
                    let loops_compact = forest
                        .loops()
                        .all(|l| is_compact(order, Set::of(forest.blocks(l).iter().copied())));
                    assert!(
                        !loops_compact || !is_compact(order, region),
                        "{v} in {graph:?}: {order:?}"
                    );
                });
            }
        });
    }
}

fn for_each_topological_order(
    graph: &Graph,
    forest: &LoopForest,
    order: &mut Vec<Node>,
    visit: &mut impl FnMut(&[Node]),
) {
    if order.len() == graph.node_count() {
        return visit(order);
    }
    for node in graph.nodes().filter(|n| !order.contains(n)).collect::<Vec<_>>() {
        let ready =
            |&e: &lw_graph::Edge| forest.is_back_edge(e) || order.contains(&graph.source(e));
        if graph.predecessor_edges(node).iter().all(ready) {
            order.push(node);
            for_each_topological_order(graph, forest, order, visit);
            order.pop();
        }
    }
}
