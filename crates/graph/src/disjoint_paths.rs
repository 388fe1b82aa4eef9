//! Where disjoint paths from a branch meet: 000 Algorithm 1 on the head-rewired graph.
//!
//! Each successor of the branch is labelled with itself. In topological order, a node takes the
//! label of its labelled predecessors if they agree; if not, it is a *join* and its own label. Two
//! nodes with different labels are ends of disjoint paths (000 Thm 5.6), so a join is where threads
//! that parted at the branch can arrive over different predecessors.
//!
//! As printed, the algorithm overwrites the label of a successor of the branch that can also be
//! reached from another one. It must not: such a node is a join. A successor of the branch that
//! nothing else reaches is none.
//!
//! # How
//!
//! Only blocks that are reached are touched: they wait in a queue by rank. Virtual exit nodes are
//! not built. From a loop that does not contain the branch, control comes out of the header by
//! early exits only, so all its exit nodes share the header's label. Edges that leave loops around
//! the branch are in flight (see `flights.rs`) until their target's turn comes. One run takes time
//! proportional to the blocks and edges it reaches, up to a logarithm for finding a loop's exits.
//!
//! Who wants to know the joins only can have them for less: a run may pass [`Regions`] in one step,
//! and end where a single label is left, because from there on nothing can differ. If a single
//! label is left inside of the innermost loop that is still to be left, its header has that label,
//! and the exits of the blocks between are like early exits: the run goes on at the header. There
//! it looks at the blocks to which the loop leads rather than at all of its exits, which may be many.

use crate::flights::{Flights, FromInside};
use crate::graph::{Edge, NONE, Node};
use crate::head_rewired::HeadRewired;
use crate::index_queue::IndexQueue;
use crate::loops::Loop;
use crate::regions::Regions;
use std::ops::Range;

/// Labels graphs from branches. Holds the memory for that, so keep it for the next branch; it may
/// be used with different graphs.
#[derive(Clone, Debug, Default)]
pub struct DisjointPaths {
    queue: IndexQueue,
    /// By node: the label, or [`NONE`] where control has not come. Numbers from `node_count` on are
    /// labels of edges.
    label: Vec<u32>,
    is_join: Vec<bool>,
    /// By node: the first of the flights bound for it; by flight: the next.
    arrivals: Vec<u32>,
    next_arrival: Vec<u32>,
    /// The nodes with a label, and those with arrivals.
    reached: Vec<Node>,
    bound_for: Vec<Node>,
    joins: Vec<Node>,
    flights: Flights,
    divergent_exits: Vec<DivergentExit>,
    divergent_loops: Vec<Loop>,
    node_count: u32,
    /// The positions among all exit edges that early exits have been followed to.
    skipped: Range<usize>,
    /// The least depth of a loop around the branch that some edge leaves.
    outermost_left: u32,
}

/// What a node is labelled with: the place all paths from the branch to it have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A block: a successor of the branch, or a join.
    Block(Node),
    /// An edge, that is, one of the virtual nodes on it (see [`HeadRewired`]).
    Edge(Edge),
}

/// An exit edge over which threads leave a loop in different iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DivergentExit {
    /// The edge. It stands for all edges parallel to it.
    pub edge: Edge,
    /// The outermost loop that is left in different iterations. What is defined in it arrives
    /// varying over this edge; to what is defined outside of it this branch does no harm here.
    pub outermost: Loop,
}

/// The result of one run; it borrows the memory of [`DisjointPaths`].
#[derive(Clone, Copy, Debug)]
pub struct Labelling<'a> {
    paths: &'a DisjointPaths,
}

impl<'a> Labelling<'a> {
    /// The blocks that threads which parted at the branch can enter over different edges: their φs
    /// may be varying. In topological order of the head-rewired graph.
    pub fn joins(&self) -> &'a [Node] {
        &self.paths.joins
    }

    /// The edges over which threads that parted at the branch leave a loop in different iterations:
    /// the operands that arrive over them may be varying. In no particular order.
    pub fn divergent_exits(&self) -> &'a [DivergentExit] {
        &self.paths.divergent_exits
    }

    /// The loops that threads which parted at the branch leave in different iterations, the
    /// innermost first. Each of them has a [divergent exit](Self::divergent_exits).
    pub fn divergent_loops(&self) -> &'a [Loop] {
        &self.paths.divergent_loops
    }

    /// The blocks that were reached and labelled, in no particular order.
    pub fn reached(&self) -> &'a [Node] {
        &self.paths.reached
    }

    /// The label of a block; `None` if the run did not reach it. Blocks with different labels are
    /// ends of disjoint paths that start in successors of the branch.
    pub fn label(&self, node: Node) -> Option<Label> {
        let label = *self.paths.label.get(node.index())?;
        if label == NONE {
            None
        } else if label < self.paths.node_count {
            Some(Label::Block(Node::from_raw(label)))
        } else {
            Some(Label::Edge(Edge::from_raw(label - self.paths.node_count)))
        }
    }
}

impl DisjointPaths {
    /// Empty memory; it grows with the first run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Labels the graph from the successors of a branch. From an unreachable block, or one with a
    /// single successor, nothing joins.
    pub fn label(&mut self, rewired: &HeadRewired, branch: Node) -> Labelling<'_> {
        self.run(rewired, None, branch)
    }

    /// Like [`label`](Self::label), but only the joins, divergent exits and divergent loops of the
    /// result mean something: blocks between which nothing can meet are not labelled.
    pub fn meet(
        &mut self,
        rewired: &HeadRewired,
        regions: &Regions,
        branch: Node,
    ) -> Labelling<'_> {
        self.run(rewired, Some(regions), branch)
    }

    fn run(
        &mut self,
        rewired: &HeadRewired,
        regions: Option<&Regions>,
        branch: Node,
    ) -> Labelling<'_> {
        self.reset(rewired);
        if rewired.is_reachable(branch) {
            let inside = rewired.loops().innermost(branch);
            let mut run = Run { rewired, regions, branch, inside, paths: self };
            run.start();
            while let Some(rank) = run.paths.queue.pop_first() {
                run.visit(rewired.order()[rank]);
            }
        }
        Labelling { paths: self }
    }

    /// Forgets the previous run, in time proportional to what it reached.
    fn reset(&mut self, rewired: &HeadRewired) {
        for node in self.reached.drain(..) {
            self.label[node.index()] = NONE;
            self.is_join[node.index()] = false;
        }
        for node in self.bound_for.drain(..) {
            self.arrivals[node.index()] = NONE;
        }
        self.next_arrival.clear();
        self.joins.clear();
        self.flights.clear();
        self.divergent_exits.clear();
        self.divergent_loops.clear();
        self.skipped = 0..0;
        self.outermost_left = NONE;

        let graph = rewired.graph();
        self.node_count = graph.node_count() as u32;
        self.queue.reserve(graph.node_count());
        self.flights.reserve(graph.edge_count());
        if self.label.len() < graph.node_count() {
            self.label.resize(graph.node_count(), NONE);
            self.is_join.resize(graph.node_count(), false);
            self.arrivals.resize(graph.node_count(), NONE);
        }
    }
}

/// One run.
struct Run<'a> {
    rewired: &'a HeadRewired,
    /// If only the joins matter.
    regions: Option<&'a Regions>,
    branch: Node,
    /// The innermost loop around the branch whose header is still to come.
    inside: Option<Loop>,
    paths: &'a mut DisjointPaths,
}

impl Run<'_> {
    fn start(&mut self) {
        let rewired = self.rewired;
        for edge in rewired.distinct_edges(self.branch) {
            let target = rewired.graph().target(edge);
            if rewired.is_exit(edge) {
                self.fly(edge, self.edge_label(edge), rewired.loops().innermost(self.branch));
            } else if target == self.branch {
                self.arrive(target, self.edge_label(edge));
            } else {
                // If anything else arrives, it will have another label.
                self.arrive(target, target.raw());
            }
        }
    }

    fn edge_label(&self, edge: Edge) -> u32 {
        self.paths.node_count + edge.raw()
    }

    /// A path with this label leads to the node, whose turn is still to come.
    fn arrive(&mut self, node: Node, label: u32) {
        if self.paths.label[node.index()] == NONE {
            self.paths.queue.insert(self.rewired.rank(node));
        }
        self.meet(node, label);
    }

    /// Adds a label to those of the node's predecessors.
    fn meet(&mut self, node: Node, label: u32) {
        let paths = &mut *self.paths;
        let mine = &mut paths.label[node.index()];
        if *mine == NONE {
            *mine = label;
            paths.reached.push(node);
        } else if *mine != label {
            *mine = node.raw();
            paths.is_join[node.index()] = true;
        }
    }

    /// Everything before the node in topological order is done.
    fn visit(&mut self, node: Node) {
        self.land(node);
        let rewired = self.rewired;
        let headed = rewired.loops().headed_by(node);
        let around = headed.filter(|&l| rewired.loops().contains(l, self.branch));
        if let Some(l) = around.filter(|_| rewired.has_fake_back_edges()) {
            self.arrive_from_inside(node, l);
        }
        let label = self.paths.label[node.index()];
        if self.paths.is_join[node.index()] {
            self.paths.joins.push(node);
        }
        if let Some(regions) = self.regions {
            if self.paths.queue.is_empty() {
                // All paths have met here, and no edge is in flight.
                return;
            }
            if around.is_none()
                && let Some(next) = self.header_to_come(node).or_else(|| regions.end(node))
            {
                return self.arrive(next, label);
            }
        }
        match (headed, around) {
            (_, Some(l)) => self.leave_around(l, label),
            (Some(l), None) => self.skip(l, label),
            (None, None) => {
                for edge in rewired.distinct_edges(node) {
                    if rewired.is_exit(edge) {
                        self.fly(edge, label, rewired.loops().innermost(node));
                    } else {
                        self.arrive(rewired.graph().target(edge), label);
                    }
                }
            }
        }
    }

    /// The header of the innermost loop that is still to be left, if this block is in it and no other
    /// block of it waits for its turn.
    fn header_to_come(&mut self, node: Node) -> Option<Node> {
        let rewired = self.rewired;
        let rank = |l: Loop| rewired.rank(rewired.loops().header(l));
        while let Some(l) = self.inside.filter(|&l| rank(l) <= rewired.rank(node)) {
            self.inside = rewired.loops().parent(l);
        }
        let l = self.inside.filter(|_| !rewired.has_fake_back_edges())?;
        // A loop stands together in the order, its header at the end. If that waits too, another
        // label may have come to it.
        let alone = self.paths.queue.first().is_none_or(|first| rank(l) < first);
        alone.then(|| rewired.loops().header(l))
    }

    /// Early exits out of a loop that does not contain the branch.
    fn skip(&mut self, l: Loop, label: u32) {
        let rewired = self.rewired;
        let loops = rewired.loops();
        let depth = loops.loop_depth(l) as u32;
        let exits = loops.exit_table();
        let positions = exits.positions(loops.forest().range(l.raw()));
        exits.visit(positions, depth, |edge| {
            if !rewired.represents(edge) {
                // A parallel edge stands for this one.
            } else if rewired.left(edge) == depth {
                self.arrive(rewired.graph().target(edge), label);
            } else {
                // The exit node of this loop is in the loop around it, which contains the branch.
                self.depart(edge, loops.parent(l), |flights, fake_from| {
                    flights.start(edge, label, fake_from)
                });
            }
        });
    }

    /// The header of a loop around the branch: exit edges cross it, and early exits lead to the
    /// rest.
    fn leave_around(&mut self, l: Loop, label: u32) {
        let rewired = self.rewired;
        let loops = rewired.loops();
        let node_count = self.paths.node_count;
        let own_label = |edge: Edge| node_count + edge.raw();
        if self.paths.flights.cross(l, label, own_label) {
            self.paths.divergent_loops.push(l);
        }
        let depth = loops.loop_depth(l) as u32;
        let exits = loops.exit_table();
        let all = exits.positions(loops.forest().range(l.raw()));
        // What an inner loop has skipped to is in flight, or has ended inside of this loop.
        let done = std::mem::replace(&mut self.paths.skipped, all.clone());
        let parts = if done.is_empty() {
            [all.clone(), 0..0]
        } else {
            [all.start..done.start, done.end..all.end]
        };
        if let Some(regions) = self.regions {
            for (target, edges) in regions.ways_out(l) {
                if self.bound_for(target) < edges {
                    self.arrive(target, label);
                }
            }
        }
        // Then the edges that leave this loop only are done.
        let outermost = if self.regions.is_some() { depth - 1 } else { depth };
        for part in parts {
            exits.visit(part, outermost, |edge| {
                if !rewired.represents(edge) || self.paths.flights.contains(edge) {
                    // A parallel edge stands for this one, or it has just crossed.
                } else if rewired.left(edge) == depth {
                    self.arrive(rewired.graph().target(edge), label);
                } else {
                    self.depart(edge, loops.parent(l), |flights, fake_from| {
                        flights.start_from_header(edge, fake_from)
                    });
                }
            });
        }
        if rewired.has_fake_back_edges() && self.paths.outermost_left < depth {
            self.wake_header(loops.parent(l));
        }
    }

    /// Control takes an exit edge out of the loop `l` and perhaps others.
    fn fly(&mut self, edge: Edge, label: u32, l: Option<Loop>) {
        let outer = l.and_then(|l| self.rewired.loops().parent(l));
        self.depart(edge, outer, |flights, fake_from| flights.start(edge, label, fake_from));
    }

    /// Puts an edge in flight whose first exit node is in the loop `outer`.
    fn depart(
        &mut self,
        edge: Edge,
        outer: Option<Loop>,
        start: impl FnOnce(&mut Flights, u32) -> u32,
    ) {
        let rewired = self.rewired;
        let left = rewired.left(edge);
        let fake_from = outer.map_or(0, |l| rewired.loops().loop_depth(l) as u32);
        let paths = &mut *self.paths;
        let number = start(&mut paths.flights, fake_from);
        let target = rewired.graph().target(edge);
        let first = std::mem::replace(&mut paths.arrivals[target.index()], number);
        if first == NONE {
            paths.bound_for.push(target);
        }
        debug_assert_eq!(paths.next_arrival.len(), number as usize);
        paths.next_arrival.push(first);
        paths.queue.insert(rewired.rank(target));
        paths.outermost_left = paths.outermost_left.min(left);
        if rewired.has_fake_back_edges() && left <= fake_from {
            self.wake_header(outer);
        }
    }

    /// How many edges in flight are bound for a block.
    fn bound_for(&self, target: Node) -> u32 {
        let flight = |number: u32| (number != NONE).then_some(number);
        let first = flight(self.paths.arrivals[target.index()]);
        let all = std::iter::successors(first, |&number| {
            flight(self.paths.next_arrival[number as usize])
        });
        all.count() as u32
    }

    /// A fake back edge leads to the header of this loop.
    fn wake_header(&mut self, l: Option<Loop>) {
        if let Some(l) = l {
            let header = self.rewired.loops().header(l);
            self.paths.queue.insert(self.rewired.rank(header));
        }
    }

    fn arrive_from_inside(&mut self, header: Node, l: Loop) {
        match self.paths.flights.inside_labels(self.rewired.loops().loop_depth(l) as u32) {
            FromInside::Nothing => {}
            FromInside::Label(label) => self.meet(header, label),
            FromInside::DifferentLabels => {
                self.meet(header, header.raw());
                self.paths.label[header.index()] = header.raw();
                self.paths.is_join[header.index()] = true;
            }
        }
    }

    /// Ends the flights bound for this node.
    fn land(&mut self, node: Node) {
        let mut number = self.paths.arrivals[node.index()];
        while number != NONE {
            let (label, joined) = self.paths.flights.land(number);
            self.meet(node, label);
            if let Some(outermost) = joined {
                let edge = self.paths.flights.edge(number);
                self.paths.divergent_exits.push(DivergentExit { edge, outermost });
            }
            number = self.paths.next_arrival[number as usize];
        }
    }
}
