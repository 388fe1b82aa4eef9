//! Post-dominance, frontiers and control dependence against their definitions.

mod common;

use common::*;
use lw_graph::generate::{self, Rng};
use lw_graph::{
    ControlDependence, Dependents, DominatorTree, Edge, FrontierScratch, Frontiers, Graph,
    LoopForest, Node, Place, PostDominatorTree, PostFrontiers, StrongControlDependence,
    StrongPostDominators,
};

fn check_post_dominators(graph: &Graph, tree: &PostDominatorTree, expected: &[Set], ends: Set) {
    for b in graph.nodes() {
        let above = expected[b.index()];
        let is_end = |n: Node| graph.successors(n).is_empty() || ends.contains(n);
        let reaches_end = reach(graph, b, all(graph)).iter().any(is_end);
        assert_eq!(tree.reaches_end(b), reaches_end, "{b} in {graph:?}");
        for a in graph.nodes() {
            assert_eq!(tree.post_dominates(a, b), above.contains(a), "{a} {b} in {graph:?}");
            assert_eq!(tree.strictly_post_dominates(a, b), a != b && above.contains(a));
            let common = Set(above.0 & expected[a.index()].0);
            let closest = common.iter().max_by_key(|c| expected[c.index()].len());
            let in_tree = tree.reaches_end(a) && tree.reaches_end(b);
            assert_eq!(tree.common(a, b), closest.filter(|_| in_tree));
        }
        let strict = without(above, b);
        assert_eq!(tree.immediate(b), strict.iter().max_by_key(|a| expected[a.index()].len()));
        let below = graph.nodes().filter(|x| expected[x.index()].contains(b) && reaches_end);
        assert_eq!(Set::of(tree.post_dominated(b).iter().copied()), Set::of(below));
    }
    for edge in graph.edges() {
        let reversed = tree.reversed_edge(edge);
        assert_eq!(tree.original_edge(reversed), Some(edge));
        assert_eq!(tree.reversed().source(reversed), graph.target(edge));
        assert_eq!(tree.reversed().target(reversed), graph.source(edge));
    }
}

fn check_strong(graph: &Graph, strong: &StrongPostDominators, expected: &[Set]) {
    for b in graph.nodes() {
        let above = expected[b.index()];
        for a in graph.nodes() {
            assert_eq!(strong.post_dominates(a, b), above.contains(a), "{a} {b} in {graph:?}");
        }
        match strong.immediate(b) {
            None => assert_eq!(above, Set::of([b])),
            Some(next) => {
                assert!(next != b && above.contains(next));
                let others = without(without(above, b), next);
                assert!(others.is_subset(expected[next.index()]), "{b} in {graph:?}");
            }
        }
        let list: Vec<Node> = strong.post_dominators(b).collect();
        assert_eq!(list.len(), above.len(), "{b} {list:?} in {graph:?}");
        assert_eq!(Set::of(list.iter().copied()), above);
        for (i, &early) in list.iter().enumerate() {
            let late = Set::of(list[i + 1..].iter().copied());
            assert!(late.is_subset(expected[early.index()]), "{b} {list:?} in {graph:?}");
        }
        let below = strong.post_dominated(b);
        assert_eq!(below.len(), Set::of(below.iter().copied()).len());
        let expected = graph.nodes().filter(|x| expected[x.index()].contains(b));
        assert_eq!(Set::of(below.iter().copied()), Set::of(expected));
    }
}

/// The frontier by definition, from a table of dominators.
fn frontier(graph: &Graph, dominators: &[Set], x: Node) -> Set {
    let reachable = reachable(graph);
    let mut frontier = Set::default();
    for edge in live_edges(graph) {
        let (p, y) = (graph.source(edge), graph.target(edge));
        let dominates = reachable.contains(x) && dominators[p.index()].contains(x);
        if dominates && (x == y || !dominators[y.index()].contains(x)) {
            frontier.insert(y);
        }
    }
    frontier
}

/// The graph with a new last node in the middle of the edge.
fn split(graph: &Graph, edge: Edge) -> (Graph, Node) {
    let middle = Node::new(graph.node_count());
    let edges = graph.edges().flat_map(|e| {
        let (from, to) = (graph.source(e), graph.target(e));
        if e == edge { vec![(from, middle), (middle, to)] } else { vec![(from, to)] }
    });
    (Graph::from_edges(graph.node_count() + 1, graph.entry(), edges), middle)
}

fn iterate(graph: &Graph, dominators: &[Set], mut set: Set) -> Set {
    loop {
        let next = set.iter().fold(set, |all, x| Set(all.0 | frontier(graph, dominators, x).0));
        if next == set {
            return set;
        }
        set = next;
    }
}

/// Checks frontiers of all nodes and edges, and iterated ones of some sets. `ask` queries the
/// library.
fn check_frontiers(
    graph: &Graph,
    rng: &mut Rng,
    mut single: impl FnMut(Place) -> Vec<Node>,
    mut iterated: impl FnMut(&[Place]) -> Vec<Node>,
) {
    let set = |nodes: Vec<Node>| {
        let set = Set::of(nodes.iter().copied());
        assert_eq!(set.len(), nodes.len(), "each node once");
        set
    };
    let above = dominators(graph);
    let mut seeds: Vec<(Place, Set)> = Vec::new();
    for x in graph.nodes() {
        seeds.push((Place::Node(x), frontier(graph, &above, x)));
    }
    for edge in graph.edges() {
        let (graph, middle) = split(graph, edge);
        seeds.push((Place::Edge(edge), frontier(&graph, &dominators(&graph), middle)));
    }
    for &(place, expected) in &seeds {
        assert_eq!(set(single(place)), expected, "{place:?} in {graph:?}");
    }
    for round in 0..seeds.len() + 4 {
        let chosen: Vec<(Place, Set)> = if round < seeds.len() {
            vec![seeds[round]]
        } else {
            (0..rng.below(4)).map(|_| seeds[rng.below(seeds.len())]).collect()
        };
        let start = Set(chosen.iter().fold(0, |all, (_, frontier)| all | frontier.0));
        let places: Vec<Place> = chosen.iter().map(|&(place, _)| place).collect();
        assert_eq!(
            set(iterated(&places)),
            iterate(graph, &above, start),
            "{places:?} in {graph:?}"
        );
    }
}

fn check_control_dependence(graph: &Graph, tree: &PostDominatorTree, expected: &[Set]) {
    let dependence = ControlDependence::compute(graph, tree);
    check_dependence(
        graph,
        expected,
        |e| dependence.dependents_of_edge(e).collect(),
        |b| dependence.dependents(b),
        |k| dependence.edges(k),
        |k| dependence.branches(k),
    );
}

fn check_dependence(
    graph: &Graph,
    expected: &[Set],
    of_edge: impl Fn(Edge) -> Vec<Node>,
    dependents: impl Fn(Node) -> Vec<Node>,
    edges: impl Fn(Node) -> Vec<Edge>,
    branches: impl Fn(Node) -> Vec<Node>,
) {
    let depends = |k: Node, e: Edge| {
        expected[graph.target(e).index()].contains(k)
            && !expected[graph.source(e).index()].contains(k)
    };
    for edge in graph.edges() {
        let mut found = of_edge(edge);
        found.sort();
        assert!(found.into_iter().eq(graph.nodes().filter(|&k| depends(k, edge))), "{graph:?}");
    }
    for node in graph.nodes() {
        let cdep: Vec<Edge> = graph.edges().filter(|&e| depends(node, e)).collect();
        assert_eq!(edges(node), cdep, "{node} in {graph:?}");
        let cdep_b = Set::of(cdep.iter().map(|&e| graph.source(e)));
        assert_eq!(branches(node), cdep_b.iter().collect::<Vec<_>>());
        let on = graph.nodes().filter(|&k| graph.successor_edges(node).any(|e| depends(k, e)));
        assert_eq!(dependents(node), on.collect::<Vec<_>>(), "{node} in {graph:?}");
    }
}

/// Branch by branch, what depends on it through others and was not found before.
fn check_dependents(graph: &Graph, dependence: &ControlDependence<'_>) {
    let mut dependents = Dependents::new(graph);
    let mut known = Set::default();
    for branch in graph.nodes() {
        let mut expected = Set::default();
        let mut stack = vec![branch];
        while let Some(at) = stack.pop() {
            for block in dependence.dependents(at) {
                if !expected.contains(block) {
                    expected.insert(block);
                    stack.push(block);
                }
            }
        }
        let found = dependents.of(branch, &[]);
        let new = Set(expected.0 & !known.0);
        assert_eq!(Set::of(found.iter().copied()), new, "{branch} in {graph:?}");
        assert_eq!(found.len(), new.len());
        known = Set(known.0 | expected.0);
    }
}

fn check(graph: &Graph, rng: &mut Rng, scratch: &mut FrontierScratch) {
    let tree = PostDominatorTree::compute(graph);
    let expected = postdominators(graph, Set::default());
    check_post_dominators(graph, &tree, &expected, Set::default());
    check_control_dependence(graph, &tree, &expected);
    check_dependents(graph, &ControlDependence::compute(graph, &tree));

    let loops = LoopForest::compute(graph);
    let total = PostDominatorTree::compute_total(graph, &loops);
    assert!(reachable(graph).iter().all(|node| total.reaches_end(node)));
    let endless = components(graph, reachable(graph)).into_iter().filter(|set| {
        set.iter().all(|n| graph.successors(n).iter().all(|&next| set.contains(next)))
    });
    let headers = endless.map(|set| {
        set.iter().find(|&n| loops.headed_by(n).is_some_and(|l| loops.parent(l).is_none()))
    });
    let ends = Set::of(headers.map(Option::unwrap));
    if !ends.is_empty() {
        let expected = postdominators(graph, ends);
        check_post_dominators(graph, &total, &expected, ends);
        check_control_dependence(graph, &total, &expected);
    }

    let strong = StrongPostDominators::compute(graph);
    let expected = strong_postdominators(graph);
    check_strong(graph, &strong, &expected);
    let dependence = StrongControlDependence::new(graph, &strong);
    check_dependence(
        graph,
        &expected,
        |e| dependence.dependents_of_edge(e).collect(),
        |b| dependence.dependents(b),
        |k| dependence.edges(k),
        |k| dependence.branches(k),
    );

    let frontiers = Frontiers::compute(graph, &DominatorTree::compute(graph));
    let cell = std::cell::RefCell::new(std::mem::take(scratch));
    check_frontiers(
        graph,
        rng,
        |place| frontiers.frontier(place, &mut cell.borrow_mut()),
        |places| frontiers.iterated(places.iter().copied(), &mut cell.borrow_mut()),
    );
    // Post-dominance frontiers are frontiers of the reversed graph: check that the edges are the
    // same ones.
    let post = PostFrontiers::compute(graph, &tree);
    let original = |place: Place| match place {
        Place::Edge(edge) => tree.original_edge(edge).map(Place::Edge),
        Place::Node(node) => (node != tree.exit()).then_some(Place::Node(node)),
    };
    let reversed_frontiers = Frontiers::compute(tree.reversed(), tree.tree());
    check_frontiers(
        tree.reversed(),
        rng,
        |place| match original(place) {
            Some(place) => post.frontier(place, &mut cell.borrow_mut()),
            None => reversed_frontiers.frontier(place, &mut cell.borrow_mut()),
        },
        |places| match places.iter().copied().map(original).collect::<Option<Vec<Place>>>() {
            Some(places) => post.iterated(places, &mut cell.borrow_mut()),
            None => reversed_frontiers.iterated(places.iter().copied(), &mut cell.borrow_mut()),
        },
    );
    *scratch = cell.into_inner();
}

#[test]
fn every_graph_up_to_five_nodes() {
    let (mut rng, mut scratch) = (Rng::new(5), FrontierScratch::new());
    for n in 1..=5 {
        generate::every_unordered_graph(n, |graph| check(graph, &mut rng, &mut scratch));
    }
}

#[test]
fn every_graph_up_to_three_nodes_with_unreachable_ones() {
    let (mut rng, mut scratch) = (Rng::new(6), FrontierScratch::new());
    for n in 1..=3 {
        every_numbered_graph(n, |graph| check(graph, &mut rng, &mut scratch));
    }
}

#[test]
fn random_graphs_with_switches() {
    let (mut rng, mut scratch) = (Rng::new(2), FrontierScratch::new());
    for round in 0..400 {
        let graph = generate::random(&mut rng, 1 + round % 40);
        check(&graph, &mut rng, &mut scratch);
        let graph = generate::random_reducible(&mut rng, 1 + round % 40);
        check(&graph, &mut rng, &mut scratch);
    }
}
