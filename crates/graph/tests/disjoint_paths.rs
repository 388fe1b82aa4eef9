//! Disjoint-path labelling against the definitions of 000: paths in the head-rewired graph (Def.
//! 4.18) by enumeration, and paths in the tagged graph (Defs 3.3 and 4.5), which knows nothing of
//! rewiring.

mod common;

use common::flow::two_disjoint_paths;
use common::tagged;
use common::*;
use lw_graph::generate::{self, Rng};
use lw_graph::{
    BlockIndex, DepthFirst, DisjointPaths, DominatorTree, Graph, HeadRewired, Label, Labelling,
    Loop, LoopForest, Node, Regions, StarNode,
};
use std::collections::BTreeSet;

/// The graph without and with fake back edges, or nothing if it is irreducible.
fn rewire(graph: &Graph) -> Option<[HeadRewired; 2]> {
    let loops = LoopForest::compute(graph);
    let index = BlockIndex::compute(graph, &DominatorTree::compute(graph), &loops);
    // Any depth-first order does.
    let other = HeadRewired::compute_with(graph, &loops, &DepthFirst::compute(graph));
    match HeadRewired::compute(graph, &loops, &index) {
        Ok(rewired) => {
            assert!(loops.is_reducible());
            same_joins(&rewired, &other.expect("it does not depend on the order"));
            let fake = HeadRewired::with_fake_back_edges(graph, &loops, &index);
            Some([rewired, fake.expect("it does not depend on the fake edges")])
        }
        Err(irreducible) => {
            let cycles: Vec<Loop> = irreducible.cycles.iter().map(|&(l, _)| l).collect();
            assert!(!cycles.is_empty());
            assert_eq!(cycles, loops.irreducible_loops().collect::<Vec<_>>());
            assert!(irreducible.cycles.iter().all(|(l, entries)| *entries == loops.entries(*l)));
            None
        }
    }
}

/// Two head-rewired forms of a graph that differ in the order only.
fn same_joins(a: &HeadRewired, b: &HeadRewired) {
    let found = |rewired: &HeadRewired, branch: Node| {
        let (mut paths, regions) = (DisjointPaths::new(), Regions::compute(rewired));
        let labelling = paths.meet(rewired, &regions, branch);
        let joins: BTreeSet<Node> = labelling.joins().iter().copied().collect();
        let exits: BTreeSet<(usize, usize)> = labelling
            .divergent_exits()
            .iter()
            .map(|exit| (exit.edge.index(), exit.outermost.index()))
            .collect();
        (joins, exits, labelling.divergent_loops().to_vec())
    };
    for branch in a.graph().nodes() {
        assert_eq!(found(a, branch), found(b, branch), "{:?}", a.graph());
    }
}

/// All paths from a source to `to`, as sets of nodes without `to`.
fn paths(graph: &Graph, sources: &[Node], to: Node) -> Vec<Set> {
    let mut found = Vec::new();
    let mut stack: Vec<(Node, Set)> = sources.iter().map(|&s| (s, Set::default())).collect();
    while let Some((at, mut path)) = stack.pop() {
        if at == to {
            found.push(path);
        } else {
            path.insert(at);
            stack.extend(graph.successors(at).iter().map(|&next| (next, path)));
        }
    }
    found
}

/// Whether two paths are disjoint apart from where they end; they are different paths.
fn disjoint(paths_to: &[Set]) -> bool {
    let pairs = paths_to.iter().enumerate();
    pairs.clone().any(|(i, a)| pairs.clone().any(|(j, b)| i < j && a.0 & b.0 == 0))
}

/// The distinct successors of the branch in the normalized graph.
fn sources(graph: &Graph, branch: Node) -> Vec<Node> {
    let mut sources = graph.successors(branch).to_vec();
    sources.sort();
    sources.dedup();
    sources
}

/// Compares a labelling with a set of joins in the normalized graph.
fn compare(
    rewired: &HeadRewired,
    labelling: Labelling<'_>,
    expected: &BTreeSet<StarNodeKey>,
    what: &str,
) {
    let graph = rewired.graph();
    let loops = rewired.loops();
    let joins: Vec<Node> = labelling.joins().to_vec();
    let expected_joins: Vec<Node> =
        graph.nodes().filter(|n| expected.contains(&StarNodeKey::Block(n.index()))).collect();
    let mut sorted = joins.clone();
    sorted.sort();
    assert_eq!(sorted, expected_joins, "joins, {what}: {graph:?}");
    let position = |n: &Node| rewired.order().iter().position(|o| o == n);
    assert!(joins.windows(2).all(|pair| position(&pair[0]) < position(&pair[1])));

    let mut exits: Vec<(usize, usize)> = labelling
        .divergent_exits()
        .iter()
        .map(|exit| (exit.edge.index(), exit.outermost.index()))
        .collect();
    exits.sort_unstable();
    // Outer loops have smaller numbers.
    let mut expected_exits: Vec<(usize, usize)> = Vec::new();
    let mut expected_loops: BTreeSet<Loop> = BTreeSet::new();
    for key in expected {
        if let StarNodeKey::Exit(edge, l) = *key {
            let outer = expected_exits.last().is_some_and(|&(last, _)| last == edge);
            if !outer {
                expected_exits.push((edge, l));
            }
            expected_loops.extend(loops.loops().nth(l));
        }
    }
    assert_eq!(exits, expected_exits, "exits, {what}: {graph:?}");
    let divergent: Vec<Loop> = labelling.divergent_loops().to_vec();
    assert!(divergent.windows(2).all(|pair| loops.encloses(pair[1], pair[0])));
    assert_eq!(divergent.into_iter().collect::<BTreeSet<_>>(), expected_loops, "{what} {graph:?}");
}

fn key(node: StarNode) -> StarNodeKey {
    match node {
        StarNode::Block(node) => StarNodeKey::Block(node.index()),
        StarNode::Exit(edge, l) => StarNodeKey::Exit(edge.index(), l.index()),
        StarNode::Latch(edge) => StarNodeKey::Latch(edge.index()),
    }
}

/// Joins of disjoint paths in the head-rewired graph, by enumeration of all paths or, for larger
/// graphs, by flow.
fn check_against_paths(rewired: &HeadRewired, scratch: &mut DisjointPaths, enumerate: bool) {
    let normalized = rewired.normalized();
    let (cfg, star) = (&normalized.graph, &normalized.rewired);
    let regions = Regions::compute(rewired);
    assert!(LoopForest::compute(star).is_empty(), "000 Lemma 4.17: {star:?}");
    for branch in rewired.graph().nodes() {
        let labelling = scratch.label(rewired, branch);
        if !rewired.order().contains(&branch) {
            assert!(labelling.reached().is_empty());
            continue;
        }
        let from = sources(cfg, branch);
        let mut expected = BTreeSet::new();
        for (i, &node) in normalized.nodes.iter().enumerate() {
            let join = if enumerate {
                let join = disjoint(&paths(star, &from, Node::new(i)));
                assert_eq!(join, two_disjoint_paths(star, &from, Node::new(i)));
                join
            } else {
                two_disjoint_paths(star, &from, Node::new(i))
            };
            if join {
                expected.insert(key(node));
            }
        }
        compare(rewired, labelling, &expected, &format!("from {branch}"));
        if enumerate {
            check_labels(rewired, labelling, star, &from);
        }
        let short = scratch.meet(rewired, &regions, branch);
        compare(rewired, short, &expected, &format!("shorter from {branch}"));
    }
}

/// 000 Thm 5.6 and its converse: labels differ iff the nodes are ends of disjoint paths.
fn check_labels(rewired: &HeadRewired, labelling: Labelling<'_>, star: &Graph, from: &[Node]) {
    let with_end = |node: Node| -> Vec<Set> {
        let add = |mut path: Set| {
            path.insert(node);
            path
        };
        paths(star, from, node).into_iter().map(add).collect()
    };
    for a in rewired.graph().nodes() {
        let to_a = with_end(a);
        assert_eq!(labelling.label(a).is_some(), !to_a.is_empty());
        assert_eq!(labelling.reached().contains(&a), !to_a.is_empty());
        if labelling.joins().contains(&a) {
            assert_eq!(labelling.label(a), Some(Label::Block(a)));
        }
        for b in rewired.graph().nodes().filter(|&b| a != b && !to_a.is_empty()) {
            let to_b = with_end(b);
            let ends = to_a.iter().any(|p| to_b.iter().any(|q| p.0 & q.0 == 0));
            let differ = labelling.label(b).is_some() && labelling.label(a) != labelling.label(b);
            assert_eq!(differ, ends, "{a} {b} {:?}", rewired.graph());
        }
    }
}

/// Joins of instance-disjoint paths in the tagged graph, loops unrolled a few times.
fn check_against_tags(rewired: &HeadRewired, scratch: &mut DisjointPaths, rounds: u8) {
    let normalized =
        tagged::Normalized::new(rewired.graph(), rewired.loops(), rewired.has_fake_back_edges());
    for &branch in rewired.order() {
        let labelling = scratch.label(rewired, branch);
        let expected = normalized.joins(branch, rounds);
        compare(rewired, labelling, &expected, &format!("tags from {branch}"));
    }
}

#[test]
fn every_graph_up_to_five_nodes() {
    let mut scratch = DisjointPaths::new();
    let mut reducible = 0;
    for n in 1..=5 {
        generate::every_unordered_graph(n, |graph| {
            for rewired in rewire(graph).into_iter().flatten() {
                reducible += 1;
                check_against_paths(&rewired, &mut scratch, true);
            }
        });
    }
    println!("{reducible} graphs, half of them with fake back edges");
}

#[test]
fn the_tagged_graph_says_the_same() {
    let mut scratch = DisjointPaths::new();
    for n in 1..=5 {
        generate::every_unordered_graph(n, |graph| {
            for rewired in rewire(graph).into_iter().flatten() {
                check_against_tags(&rewired, &mut scratch, 2);
            }
        });
    }
    let mut rng = Rng::new(9);
    for round in 0..60 {
        let graph = generate::random_reducible(&mut rng, 4 + round % 6);
        for rewired in rewire(&graph).into_iter().flatten() {
            check_against_tags(&rewired, &mut scratch, 2);
        }
    }
}

#[test]
fn random_graphs_with_switches() {
    let mut scratch = DisjointPaths::new();
    let mut rng = Rng::new(4);
    for round in 0..400 {
        let graph = generate::random_reducible(&mut rng, 1 + round % 40);
        for rewired in rewire(&graph).into_iter().flatten() {
            check_against_paths(&rewired, &mut scratch, false);
        }
        // Few of these are reducible, but all have unreachable parts.
        let graph = generate::random(&mut rng, 1 + round % 12);
        for rewired in rewire(&graph).into_iter().flatten() {
            check_against_paths(&rewired, &mut scratch, false);
        }
    }
}

/// Joins and (source, target) of divergent exits, from one branch.
fn joins(rewired: &HeadRewired, branch: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut scratch = DisjointPaths::new();
    let labelling = scratch.label(rewired, Node::new(branch));
    let graph = rewired.graph();
    let ends = |e| (graph.source(e).index(), graph.target(e).index());
    let mut exits: Vec<_> = labelling.divergent_exits().iter().map(|x| ends(x.edge)).collect();
    exits.sort_unstable();
    (labelling.joins().iter().map(|n| n.index()).collect(), exits)
}

/// The erratum to Algorithm 1: with s → t, s → j and t → j, the successor j is a join.
#[test]
fn a_successor_reached_from_another_one_is_a_join() {
    let [rewired, _] = rewire(&Graph::from_successors(&[vec![1, 2], vec![2], vec![]])).unwrap();
    assert_eq!(joins(&rewired, 0), (vec![2], vec![]));
}

/// 000 Fig. 1b: A → B → C → S, S → B, S → P. The only predecessor of P is S, but of several
/// iterations.
#[test]
fn figure_1b_the_loop_is_left_in_different_iterations() {
    let graph = Graph::from_successors(&[vec![1], vec![2], vec![3], vec![1, 4], vec![]]);
    let [rewired, _] = rewire(&graph).unwrap();
    assert_eq!(joins(&rewired, 3), (vec![], vec![(3, 4)]));
}

/// 001 Fig. 7.9a (000 Fig. 5d): the exit at H depends on H only, the exit at C on B and C only.
#[test]
fn figure_7_9a_each_exit_has_its_own_reasons() {
    // H = 0, B = 1, C = 2, Q = 3 (the latch), D = 4 (from H), E = 5 (from C).
    let graph =
        Graph::from_successors(&[vec![4, 1], vec![2, 3], vec![5, 3], vec![0], vec![], vec![]]);
    let [rewired, _] = rewire(&graph).unwrap();
    assert_eq!(joins(&rewired, 0), (vec![], vec![(0, 4)]));
    assert_eq!(joins(&rewired, 1), (vec![3], vec![(2, 5)]));
    assert_eq!(joins(&rewired, 2), (vec![], vec![(2, 5)]));
}

/// Two ways out of two loops. The fake back edges of 000 §3.1 would make the outer header a join.
#[test]
fn returns_from_an_inner_loop_leave_the_outer_header_alone() {
    // 0 outer header, 1 inner header (exit 5 on a condition), 2 (exit 6), 3 inner latch, 4 outer
    // latch.
    let graph = Graph::from_successors(&[
        vec![1],
        vec![5, 2],
        vec![6, 3],
        vec![1, 4],
        vec![0],
        vec![],
        vec![],
    ]);
    let [rewired, fake] = rewire(&graph).unwrap();
    assert_eq!(joins(&rewired, 2), (vec![], vec![(2, 6)]));
    assert_eq!(joins(&fake, 2), (vec![0], vec![(1, 5), (2, 6)]));
}

/// Control goes the same way on parallel edges, so they neither part nor join anything.
#[test]
fn parallel_edges_are_one() {
    let [rewired, _] =
        rewire(&Graph::from_successors(&[vec![1, 1], vec![2, 2, 1], vec![]])).unwrap();
    assert_eq!(joins(&rewired, 0), (vec![], vec![]));
    assert_eq!(joins(&rewired, 1), (vec![], vec![(1, 2)]));
    let graph = rewired.graph();
    let second = graph.edge(Node::new(1), 1);
    assert_eq!(rewired.representative(second), graph.edge(Node::new(1), 0));
}

#[test]
fn an_irreducible_graph_is_refused_with_its_cycles() {
    let graph = Graph::from_successors(&[vec![1, 2], vec![2], vec![1]]);
    let loops = LoopForest::compute(&graph);
    let index = BlockIndex::compute(&graph, &DominatorTree::compute(&graph), &loops);
    let error = HeadRewired::compute(&graph, &loops, &index).unwrap_err();
    let text = "the control flow is irreducible: a cycle can be entered at n1, n2";
    assert_eq!(error.to_string(), text);
}
