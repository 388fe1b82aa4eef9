//! The tagged graph of 000 §3.2, unrolled a few times, built straight from the definitions.

use super::StarNodeKey as Key;
use super::flow::two_disjoint_paths;
use lw_graph::{Graph, Loop, LoopForest, Node};
use std::collections::{BTreeMap, BTreeSet};

/// The normalized control-flow graph: nodes, the loop each one is in, and edges.
pub(crate) struct Normalized<'a> {
    loops: &'a LoopForest,
    home: BTreeMap<Key, Option<Loop>>,
    edges: BTreeSet<(Key, Key)>,
}

impl<'a> Normalized<'a> {
    pub(crate) fn new(graph: &Graph, loops: &'a LoopForest, fake_back_edges: bool) -> Self {
        let mut this = Normalized { loops, home: BTreeMap::new(), edges: BTreeSet::new() };
        let mut pairs = BTreeSet::new();
        for edge in graph.edges() {
            let (source, target) = (graph.source(edge), graph.target(edge));
            let (from, to) = (Key::Block(source.index()), Key::Block(target.index()));
            this.home.insert(from, loops.innermost(source));
            this.home.insert(to, loops.innermost(target));
            // `→` is a relation: one edge per pair of nodes.
            if !pairs.insert((source, target)) {
                continue;
            }
            // From the inside out: the loops that contain the source and not the target.
            let mut left: Vec<Loop> = loops.loops().collect();
            left.retain(|&l| loops.contains(l, source) && !loops.contains(l, target));
            left.reverse();
            let mut at = from;
            if source == target {
                at = Key::Latch(edge.index());
                this.home.insert(at, loops.innermost(source));
                this.edges.insert((from, at));
            }
            for &l in &left {
                let exit = Key::Exit(edge.index(), l.index());
                this.home.insert(exit, loops.parent(l));
                this.edges.insert((at, exit));
                let outer = loops.parent(l).filter(|&l| !loops.contains(l, target));
                if let Some(outer) = outer.filter(|_| fake_back_edges) {
                    this.edges.insert((exit, Key::Block(loops.header(outer).index())));
                }
                at = exit;
            }
            this.edges.insert((at, to));
        }
        this
    }

    /// The tag after an edge: 000 Def. 3.1.
    fn step(&self, from: Key, to: Key, tag: &[u8]) -> Vec<u8> {
        let mut tag = tag.to_vec();
        let (inside, outside) = (self.home[&from], self.home[&to]);
        let header = |l: Loop| Key::Block(self.loops.header(l).index());
        match (inside, outside) {
            (Some(a), Some(b)) if a == b && header(b) == to => *tag.last_mut().unwrap() += 1,
            (a, b) if a == b => {}
            (a, Some(b)) if self.loops.parent(b) == a => {
                assert_eq!(header(b), to);
                tag.push(0);
            }
            (Some(a), b) if self.loops.parent(a) == b => drop(tag.pop()),
            _ => panic!("not normalized: {from:?} to {to:?}"),
        }
        tag
    }

    /// The nodes of which some instance can be reached over two disjoint paths from successors of
    /// an instance of the branch (000 Def. 4.5), with up to `rounds` back edges taken in each loop.
    pub(crate) fn joins(&self, branch: Node, rounds: u8) -> BTreeSet<Key> {
        let depth = self.loops.depth(branch);
        let start = (Key::Block(branch.index()), vec![0u8; depth]);
        let mut number: BTreeMap<(Key, Vec<u8>), usize> = BTreeMap::from([(start.clone(), 0)]);
        let mut instances = vec![start];
        let mut edges: Vec<(Node, Node)> = Vec::new();
        let mut next = 0;
        while next < instances.len() {
            let (at, tag) = instances[next].clone();
            let successors =
                self.edges.range((at, Key::Block(0))..).take_while(|(from, _)| *from == at);
            for &(_, to) in successors {
                let tag = self.step(at, to, &tag);
                if tag.iter().any(|&i| i > rounds) {
                    continue;
                }
                let fresh = instances.len();
                let target = *number.entry((to, tag.clone())).or_insert(fresh);
                if target == fresh {
                    instances.push((to, tag));
                }
                edges.push((Node::new(next), Node::new(target)));
            }
            next += 1;
        }
        let graph = Graph::from_edges(instances.len(), Node::new(0), edges);
        let mut sources = graph.successors(Node::new(0)).to_vec();
        sources.sort();
        sources.dedup();
        let mut joins = BTreeSet::new();
        for (i, (key, _)) in instances.iter().enumerate().skip(1) {
            if !joins.contains(key) && two_disjoint_paths(&graph, &sources, Node::new(i)) {
                joins.insert(*key);
            }
        }
        joins
    }
}
