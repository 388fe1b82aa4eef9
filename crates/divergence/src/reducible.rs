//! The reducible copy of a graph, by which cycles with several entries are analysed.
//!
//! ```text
//! a → x, b → y, p → x, q → y        a, b, p, q → each a block of its own → D → x or y
//! ```
//!
//! All edges to entries of such a cycle, from outside and from inside, go through one block D that sends control on: its *dispatch
//! block*. In the copy the cycle is a loop with the header D, and an iteration of it begins whenever a thread comes to one of the
//! entries. Taking D away leaves the cycles inside, in which the same is done again.
//!
//! Blocks keep their numbers. The blocks that are new are numbered behind them.

use lw_graph::{Edge, Graph, LoopForest, Node};
use rustc_hash::FxHashMap;

/// A graph, and what it looks like with a dispatch block for each cycle with several entries. A graph without such cycles is its own
/// copy.
#[derive(Clone, Debug)]
pub(crate) struct Reducible {
    /// The copy.
    pub(crate) graph: Graph,
    /// Its loops.
    pub(crate) loops: LoopForest,
    /// How many blocks the graph itself has.
    blocks: usize,
    /// By block: the dispatch block before it; empty if there is none.
    dispatch: Vec<Option<Node>>,
    /// By block that is new.
    new: Vec<New>,
}

/// A block of the copy that is not in the graph.
#[derive(Clone, Debug)]
enum New {
    /// The place on the edges from a block to this entry.
    OnTheWay(Node),
    Dispatch(Dispatch),
}

/// What a dispatch block does.
#[derive(Clone, Debug)]
struct Dispatch {
    /// Where it sends control.
    entries: Vec<Node>,
    /// Whether edges from outside the cycle lead to several entries, and whether those from inside do.
    parts: [bool; 2],
}

impl Reducible {
    /// The graph itself, reducible or not.
    pub(crate) fn uncopied(graph: &Graph, loops: &LoopForest) -> Reducible {
        Reducible {
            graph: graph.clone(),
            loops: loops.clone(),
            blocks: graph.node_count(),
            dispatch: Vec::new(),
            new: Vec::new(),
        }
    }

    /// The copy of a graph with these loops.
    pub(crate) fn compute(graph: &Graph, loops: &LoopForest) -> Reducible {
        let mut copy = Reducible::uncopied(graph, loops);
        while !copy.loops.is_reducible() {
            copy.dispatch.resize(copy.blocks, None);
            copy.open_outermost();
        }
        copy
    }

    /// Gives all irreducible cycles that are in no other one a dispatch block.
    fn open_outermost(&mut self) {
        let loops = self.loops.clone();
        let mut targets: Vec<Vec<Node>> =
            self.graph.nodes().map(|n| self.graph.successors(n).to_vec()).collect();
        for l in loops.irreducible_loops() {
            let mut around = std::iter::successors(loops.parent(l), |&l| loops.parent(l));
            if around.any(|outer| !loops.is_loop_reducible(outer)) {
                continue;
            }
            let entries = loops.entries(l);
            let dispatch = Node::new(targets.len());
            targets.push(entries.clone());
            let place = self.new.len();
            self.new.push(New::Dispatch(Dispatch { entries: entries.clone(), parts: [false; 2] }));
            let mut first: [Option<Node>; 2] = [None; 2];
            let mut parts = [false; 2];
            let mut on_the_way: FxHashMap<(Node, Node), Node> = FxHashMap::default();
            for &entry in &entries {
                self.dispatch[entry.index()] = Some(dispatch);
                for &edge in self.graph.predecessor_edges(entry) {
                    let source = self.graph.source(edge);
                    let class = usize::from(loops.contains(l, source));
                    parts[class] |= *first[class].get_or_insert(entry) != entry;
                    let between = *on_the_way.entry((source, entry)).or_insert_with(|| {
                        self.new.push(New::OnTheWay(entry));
                        targets.push(vec![dispatch]);
                        Node::new(targets.len() - 1)
                    });
                    targets[source.index()][self.graph.position(edge)] = between;
                }
            }
            if let New::Dispatch(made) = &mut self.new[place] {
                made.parts = parts;
            }
        }
        let edges = targets.iter().enumerate();
        let edges = edges.flat_map(|(from, to)| to.iter().map(move |&to| (Node::new(from), to)));
        self.graph = Graph::from_edges(targets.len(), self.graph.entry(), edges);
        self.loops = LoopForest::compute(&self.graph);
    }

    /// Whether the graph is its own copy.
    pub(crate) fn is_same(&self) -> bool {
        self.new.is_empty()
    }

    /// Whether a block of the copy is one of the graph.
    pub(crate) fn is_block(&self, node: Node) -> bool {
        node.index() < self.blocks
    }

    /// The block that edges to this one lead to in the copy: a dispatch block, or itself.
    pub(crate) fn gate(&self, block: Node) -> Node {
        self.dispatch.get(block.index()).copied().flatten().unwrap_or(block)
    }

    /// The block of the graph that a block of the copy leads to, or is. A dispatch block leads to several, of which this is one.
    pub(crate) fn block(&self, node: Node) -> Node {
        match node.index().checked_sub(self.blocks).map(|i| &self.new[i]) {
            None => node,
            Some(New::OnTheWay(entry)) => *entry,
            Some(New::Dispatch(dispatch)) => dispatch.entries[0],
        }
    }

    /// Where a dispatch block sends control; `None` for others.
    pub(crate) fn entries(&self, node: Node) -> Option<&[Node]> {
        Some(&self.dispatch_at(node)?.entries)
    }

    /// The blocks behind the same dispatch block as this one, which is one of them; `None` if there is none before it.
    pub(crate) fn entered_with(&self, block: Node) -> Option<&[Node]> {
        self.entries(self.gate(block))
    }

    /// Whether threads part in a dispatch block if they come to it over different edges, all from outside, or all `back`.
    pub(crate) fn parts(&self, node: Node, back: bool) -> bool {
        self.dispatch_at(node).is_some_and(|dispatch| dispatch.parts[usize::from(back)])
    }

    fn dispatch_at(&self, node: Node) -> Option<&Dispatch> {
        match self.new.get(node.index().checked_sub(self.blocks)?) {
            Some(New::Dispatch(dispatch)) => Some(dispatch),
            _ => None,
        }
    }

    /// The blocks of the copy that control passes on an edge of the graph, both ends included.
    pub(crate) fn path(&self, from: Node, to: Node) -> impl Iterator<Item = Node> {
        let gate = self.gate(to);
        let between = (gate != to)
            .then(|| {
                let mut next = self.graph.successors(from).iter();
                next.find(|&&next| !self.is_block(next) && self.block(next) == to).copied()
            })
            .flatten();
        let gate = (gate != to).then_some(gate);
        [Some(from), between, gate, Some(to)].into_iter().flatten()
    }

    /// Whether an edge of the graph goes back to where an iteration of a loop begins.
    pub(crate) fn is_back_edge(&self, graph: &Graph, edge: Edge) -> bool {
        let begins = self.loops.headed_by(self.gate(graph.target(edge)));
        begins.is_some_and(|l| self.loops.contains(l, graph.source(edge)))
    }
}

#[cfg(test)]
mod tests {
    use super::Reducible;
    use lw_graph::{Graph, LoopForest, Node, generate};

    fn copy(graph: &Graph) -> Reducible {
        Reducible::compute(graph, &LoopForest::compute(graph))
    }

    #[test]
    fn a_cycle_with_two_entries_gets_one_header() {
        // 0 → 1, 2; 1 ⇄ 2; 2 → 3.
        let graph = Graph::from_successors(&[vec![1, 2], vec![2], vec![1, 3], vec![]]);
        let copy = copy(&graph);
        let n = Node::new;
        assert!(copy.loops.is_reducible() && copy.loops.len() == 1 && !copy.is_same());
        let gate = copy.gate(n(1));
        assert_eq!((copy.gate(n(2)), copy.gate(n(3))), (gate, n(3)));
        assert_eq!(copy.entries(gate).map(<[Node]>::len), Some(2));
        // From 0 to either entry; from 1 to 2 and from 2 to 1.
        assert!(copy.parts(gate, false) && copy.parts(gate, true));
        assert_eq!(copy.path(n(1), n(2)).count(), 4);
        assert_eq!(copy.path(n(2), n(3)).collect::<Vec<_>>(), [n(2), n(3)]);
    }

    /// Every walk through a graph is one through its copy.
    #[test]
    fn copies_of_all_small_graphs_are_reducible_and_have_their_paths() {
        let mut several = 0;
        for n in 1..=5 {
            generate::every_unordered_graph(n, |graph| {
                let loops = LoopForest::compute(graph);
                let copy = Reducible::compute(graph, &loops);
                assert!(copy.loops.is_reducible(), "{graph:?}");
                assert_eq!(copy.is_same(), loops.is_reducible());
                several += usize::from(!copy.is_same());
                for edge in graph.edges() {
                    let path: Vec<Node> =
                        copy.path(graph.source(edge), graph.target(edge)).collect();
                    let follows = |pair: &[Node]| copy.graph.successors(pair[0]).contains(&pair[1]);
                    assert!(path.windows(2).all(follows), "{graph:?} {edge:?} {path:?}");
                    assert!(path[1..path.len() - 1].iter().all(|&new| !copy.is_block(new)));
                }
            });
        }
        assert!(several > 1000, "{several}");
    }
}
