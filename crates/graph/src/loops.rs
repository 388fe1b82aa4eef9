//! The loop forest, of reducible and irreducible graphs alike.
//!
//! A *loop* is a maximal strongly connected set of nodes (with at least one edge inside). Its
//! *header* is the node a depth-first search reaches first. Taking the header away leaves the inner
//! loops: the maximal strongly connected sets of what remains, and so on. Where the graph is
//! reducible these are exactly the natural loops of 001 §2.4, those with the same header taken as
//! one. An *entry* is a node of the loop that can be reached from outside without passing another
//! node of the loop; the header is one. A loop with a second entry is *irreducible*: its header
//! does not dominate it, and which of the entries is called the header depends on the order of
//! successors.

use crate::crossings::Crossings;
use crate::disjoint_sets::DisjointSets;
use crate::forest::Forest;
use crate::graph::{Edge, Graph, NONE, Node};
use crate::loop_nesting::collapse;
use crate::orders::DepthFirst;
use crate::rows::Rows;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A loop of a [`LoopForest`]. Outer loops have smaller indices than the loops inside them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loop(u32);

impl Loop {
    /// The index of this loop, `0..forest.len()`.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn raw(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// All loops of a graph and how they nest.
///
/// Unreachable nodes are in no loop, and edges from them count for nothing. Clones share the
/// memory.
#[derive(Clone, Debug)]
pub struct LoopForest {
    graph: Graph,
    tables: Arc<Tables>,
}

#[derive(Debug)]
struct Tables {
    /// Over loops. A root has depth 0 here and depth 1 in the interface.
    forest: Forest,
    header: Vec<Node>,
    /// By node: the innermost loop or [`NONE`].
    innermost: Vec<u32>,
    /// Row `i`: the nodes whose innermost loop has preorder number `i`. A loop with all inner ones
    /// is an interval.
    blocks: Rows<Node>,
    /// By node, if some node cannot be reached: whether it can.
    reachable: Option<Vec<bool>>,
    /// Made when it is asked for.
    boundaries: OnceLock<Boundaries>,
}

/// The edges at the boundaries of loops.
#[derive(Debug)]
struct Boundaries {
    reducible: Vec<bool>,
    back_edges: Rows<Edge>,
    exits: Crossings,
    entries: Crossings,
}

impl LoopForest {
    /// Finds all loops.
    pub fn compute(graph: &Graph) -> Self {
        Self::compute_with(graph, &DepthFirst::compute(graph))
    }

    /// Finds all loops, given a depth-first order of the graph.
    pub fn compute_with(graph: &Graph, dfs: &DepthFirst) -> Self {
        if dfs.is_acyclic() {
            return Self::none(graph, dfs);
        }
        let (is_header, enclosing) = collapse(graph, dfs);

        // Loops are numbered in reverse postorder of their headers: outer before inner, and in
        // program order.
        let mut header = Vec::new();
        let mut own = vec![NONE; graph.node_count()];
        for node in dfs.reverse_postorder() {
            if is_header[dfs.numbers()[node.index()] as usize] {
                own[node.index()] = header.len() as u32;
                header.push(node);
            }
        }
        let loop_above = |node: Node| {
            let above = enclosing[dfs.numbers()[node.index()] as usize];
            if above == NONE { NONE } else { own[dfs.preorder()[above as usize].index()] }
        };
        let parent: Vec<u32> = header.iter().map(|&h| loop_above(h)).collect();
        let forest = Forest::new(&parent, 0..header.len() as u32);

        let mut innermost = own.clone();
        for &node in dfs.preorder() {
            if innermost[node.index()] == NONE {
                innermost[node.index()] = loop_above(node);
            }
        }
        let in_loops = dfs.reverse_postorder().filter(|node| innermost[node.index()] != NONE);
        let number = |node: Node| forest.number(innermost[node.index()]);
        let blocks = Rows::group(header.len(), in_loops.map(|node| (number(node) as usize, node)));

        let boundaries = OnceLock::new();
        let reachable = reachable(graph, dfs);
        let tables = Tables { forest, header, innermost, blocks, reachable, boundaries };
        LoopForest { graph: graph.clone(), tables: Arc::new(tables) }
    }

    /// The forest of a graph without cycles that can be reached.
    fn none(graph: &Graph, dfs: &DepthFirst) -> Self {
        let tables = Tables {
            forest: Forest::new(&[], 0..0),
            header: Vec::new(),
            innermost: vec![NONE; graph.node_count()],
            blocks: Rows::default(),
            reachable: reachable(graph, dfs),
            boundaries: OnceLock::new(),
        };
        LoopForest { graph: graph.clone(), tables: Arc::new(tables) }
    }

    fn boundaries(&self) -> &Boundaries {
        let Tables { forest, header, innermost, reachable, boundaries, .. } = &*self.tables;
        boundaries.get_or_init(|| {
            let mut found = Search::new(forest, header.len());
            let can_be_left =
                |source: Node| reachable.as_ref().is_none_or(|reachable| reachable[source.index()]);
            for edge in self.graph.edges() {
                let (source, target) = (self.graph.source(edge), self.graph.target(edge));
                if can_be_left(source) {
                    found.add(edge, source, target, innermost, header);
                }
            }
            Boundaries {
                back_edges: Rows::group(header.len(), found.back_edges.iter().copied()),
                exits: Crossings::new(header.len(), &found.exits),
                entries: Crossings::new(header.len(), &found.entries),
                reducible: found.reducible,
            }
        })
    }

    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.tables.header.len()
    }

    /// Whether the graph has no cycle that can be reached.
    pub fn is_empty(&self) -> bool {
        self.tables.header.is_empty()
    }

    /// All loops, outer before inner.
    pub fn loops(
        &self,
    ) -> impl DoubleEndedIterator<Item = Loop> + ExactSizeIterator + Clone + use<> {
        (0..self.len() as u32).map(Loop)
    }

    /// The innermost loop that contains the node; `None` outside of loops and for unreachable
    /// nodes.
    pub fn innermost(&self, node: Node) -> Option<Loop> {
        let innermost = self.tables.innermost[node.index()];
        (innermost != NONE).then_some(Loop(innermost))
    }

    /// How many loops contain the node.
    pub fn depth(&self, node: Node) -> usize {
        self.innermost(node).map_or(0, |l| self.loop_depth(l))
    }

    /// The depth of a loop in the forest; an outermost loop has depth 1.
    pub fn loop_depth(&self, l: Loop) -> usize {
        self.tables.forest.depth(l.0) as usize + 1
    }

    /// The loop directly around this one.
    pub fn parent(&self, l: Loop) -> Option<Loop> {
        self.tables.forest.parent(l.0).map(Loop)
    }

    /// The loops directly inside this one, in no particular order.
    pub fn children(&self, l: Loop) -> impl Iterator<Item = Loop> + '_ {
        self.tables.forest.children(l.0).map(Loop)
    }

    /// Whether the node is in the loop or in one inside it. Constant time.
    pub fn contains(&self, l: Loop, node: Node) -> bool {
        self.innermost(node).is_some_and(|inner| self.encloses(l, inner))
    }

    /// Whether `inner` is `outer` or lies inside it. Constant time.
    pub fn encloses(&self, outer: Loop, inner: Loop) -> bool {
        self.tables.forest.is_ancestor(outer.0, inner.0)
    }

    /// The innermost loop that contains both nodes.
    pub fn common(&self, a: Node, b: Node) -> Option<Loop> {
        let (a, b) = (self.innermost(a)?, self.innermost(b)?);
        self.tables.forest.common(a.0, b.0).map(Loop)
    }

    /// The header: the entry of the loop that a depth-first search meets first. In a reducible
    /// loop, the only entry.
    pub fn header(&self, l: Loop) -> Node {
        self.tables.header[l.index()]
    }

    /// The loop this node is the header of.
    pub fn headed_by(&self, node: Node) -> Option<Loop> {
        self.innermost(node).filter(|&l| self.header(l) == node)
    }

    /// The nodes of the loop, those of inner loops included, in no particular order.
    pub fn blocks(&self, l: Loop) -> &[Node] {
        let numbers = self.tables.forest.range(l.0);
        let range = self.tables.blocks.range(numbers.start).start
            ..self.tables.blocks.range(numbers.end - 1).end;
        &self.tables.blocks.items()[range]
    }

    /// The nodes of the loop that are in no loop inside it, in no particular order.
    pub fn own_blocks(&self, l: Loop) -> &[Node] {
        self.tables.blocks.row(self.tables.forest.number(l.0) as usize)
    }

    /// The edges from the loop to its header.
    pub fn back_edges(&self, l: Loop) -> &[Edge] {
        self.boundaries().back_edges.row(l.index())
    }

    /// Whether the edge leads from a loop to its header. For any graph, the edges that are not back
    /// edges form no cycle among reachable nodes.
    pub fn is_back_edge(&self, edge: Edge) -> bool {
        let target = self.graph.target(edge);
        self.headed_by(target).is_some_and(|l| self.contains(l, self.graph.source(edge)))
    }

    /// The nodes with a back edge, each once, by index.
    pub fn latches(&self, l: Loop) -> Vec<Node> {
        distinct(self.back_edges(l).iter().map(|edge| self.graph.source(*edge)))
    }

    /// The edges from inside the loop to the outside. Time is proportional to their number (times a
    /// logarithm).
    pub fn exiting_edges(&self, l: Loop) -> Vec<Edge> {
        self.crossing(&self.boundaries().exits, l)
    }

    /// The nodes outside of the loop that an exiting edge leads to (001 §2.4), each once, by index.
    pub fn exits(&self, l: Loop) -> Vec<Node> {
        distinct(self.exiting_edges(l).iter().map(|edge| self.graph.target(*edge)))
    }

    /// The nodes of the loop that an exiting edge leaves from, each once, by index.
    pub fn exiting_blocks(&self, l: Loop) -> Vec<Node> {
        distinct(self.exiting_edges(l).iter().map(|edge| self.graph.source(*edge)))
    }

    /// The edges from outside into the loop. Time is proportional to their number (times a
    /// logarithm).
    pub fn entering_edges(&self, l: Loop) -> Vec<Edge> {
        self.crossing(&self.boundaries().entries, l)
    }

    /// The nodes of the loop where control can enter it, each once: the header, then the others by
    /// index. A reducible loop has one entry.
    pub fn entries(&self, l: Loop) -> Vec<Node> {
        let header = self.header(l);
        let others = distinct(self.entering_edges(l).iter().map(|edge| self.graph.target(*edge)));
        std::iter::once(header).chain(others.into_iter().filter(|&node| node != header)).collect()
    }

    /// Whether the header is the only entry of the loop (loops inside it may still be irreducible).
    pub fn is_loop_reducible(&self, l: Loop) -> bool {
        self.boundaries().reducible[l.index()]
    }

    /// Whether every loop has a single entry (001 §2.4).
    pub fn is_reducible(&self) -> bool {
        self.is_empty() || self.boundaries().reducible.iter().all(|&reducible| reducible)
    }

    /// The loops with more than one entry.
    pub fn irreducible_loops(&self) -> impl Iterator<Item = Loop> + '_ {
        self.loops().filter(|&l| !self.is_loop_reducible(l))
    }

    /// The exit edges, for those who look at part of a loop.
    pub(crate) fn exit_table(&self) -> &Crossings {
        &self.boundaries().exits
    }

    /// The tree over loop indices.
    pub(crate) fn forest(&self) -> &Forest {
        &self.tables.forest
    }

    fn crossing(&self, table: &Crossings, l: Loop) -> Vec<Edge> {
        let mut edges = Vec::new();
        let positions = table.positions(self.tables.forest.range(l.0));
        table.visit(positions, self.loop_depth(l) as u32, |edge| edges.push(edge));
        edges
    }
}

fn reachable(graph: &Graph, dfs: &DepthFirst) -> Option<Vec<bool>> {
    let all = dfs.preorder().len() == graph.node_count();
    (!all).then(|| graph.nodes().map(|node| dfs.is_reachable(node)).collect())
}

fn distinct(nodes: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Sorts edges by the loop boundaries they cross.
struct Search<'a> {
    forest: &'a Forest,
    back_edges: Vec<(usize, Edge)>,
    exits: Vec<(u32, Edge, u32)>,
    entries: Vec<(u32, Edge, u32)>,
    reducible: Vec<bool>,
    /// The closest loop around each loop (or itself) not yet known to be irreducible; `len` is
    /// "none".
    unmarked: DisjointSets,
}

impl<'a> Search<'a> {
    fn new(forest: &'a Forest, len: usize) -> Self {
        Search {
            forest,
            back_edges: Vec::new(),
            exits: Vec::new(),
            entries: Vec::new(),
            reducible: vec![true; len],
            unmarked: DisjointSets::new(len + 1),
        }
    }

    fn add(&mut self, edge: Edge, source: Node, target: Node, innermost: &[u32], header: &[Node]) {
        let (from, to) = (innermost[source.index()], innermost[target.index()]);
        let common = if from == NONE || to == NONE { None } else { self.forest.common(from, to) };
        // Depths count from 1, so the outermost loop crossed has the depth of the common one plus
        // 1.
        let outermost = common.map_or(1, |l| self.forest.depth(l) + 2);
        if from != NONE && Some(from) != common {
            self.exits.push((self.forest.number(from), edge, outermost));
        }
        if to != NONE && Some(to) != common {
            self.entries.push((self.forest.number(to), edge, outermost));
            self.mark_irreducible(to, outermost, target, header);
        }
        if to != NONE && Some(to) == common && header[to as usize] == target {
            self.back_edges.push((to as usize, edge));
        }
    }

    /// `target` is an entry of all loops around it from `inner` to the depth `outermost`. Each loop
    /// is marked once.
    fn mark_irreducible(&mut self, inner: u32, outermost: u32, target: Node, header: &[Node]) {
        let none = header.len() as u32;
        let up = |l: u32| self.forest.parent(l).unwrap_or(none);
        let first = if header[inner as usize] == target { up(inner) } else { inner };
        let mut l = self.unmarked.find(first);
        while l != none && self.forest.depth(l) + 1 >= outermost {
            self.reducible[l as usize] = false;
            self.unmarked.merge(l, up(l));
            l = self.unmarked.find(l);
        }
    }
}
