//! The cycles of a function as LLVM names them: depth, entries, and the other blocks in the order in which LLVM finds them.

use super::print::Words;
use lw_graph::{Graph, Loop, LoopForest, Node};

/// The loops of a function.
pub(super) struct Cycles<'a> {
    graph: &'a Graph,
    loops: &'a LoopForest,
    words: &'a Words,
}

impl<'a> Cycles<'a> {
    pub(super) fn new(graph: &'a Graph, loops: &'a LoopForest, words: &'a Words) -> Cycles<'a> {
        Cycles { graph, loops, words }
    }

    /// How LLVM prints a cycle.
    pub(super) fn name(&self, l: Loop) -> String {
        let word = |block: Node| self.words.blocks[block.index()].name.as_str();
        let header = self.loops.header(l);
        let others = self.loops.entries(l).into_iter().filter(|&entry| entry != header);
        let entries: Vec<Node> = std::iter::once(header).chain(others).collect();
        let mut name = format!("depth={}: entries(", self.loops.loop_depth(l));
        let listed: Vec<&str> = entries.iter().map(|&entry| word(entry)).collect();
        name.push_str(&listed.join(" "));
        name.push(')');
        for block in self.blocks(l).into_iter().filter(|block| !entries.contains(block)) {
            name.push(' ');
            name.push_str(word(block));
        }
        name
    }

    /// The blocks of a loop: backwards from its latches, the last pushed first; an inner loop as a whole, once it is met.
    pub(super) fn blocks(&self, l: Loop) -> Vec<Node> {
        let header = self.loops.header(l);
        let mut found = vec![header];
        let mut seen = vec![false; self.graph.node_count()];
        seen[header.index()] = true;
        let mut stack = self.predecessors(header, l);
        while let Some(block) = stack.pop() {
            if seen[block.index()] {
                continue;
            }
            let around =
                std::iter::successors(self.loops.innermost(block), |&l| self.loops.parent(l));
            let child = around.take_while(|&inner| inner != l).last();
            let (entry, blocks) = match child {
                Some(child) => (self.loops.header(child), self.blocks(child)),
                None => (block, vec![block]),
            };
            for &block in &blocks {
                seen[block.index()] = true;
            }
            found.extend(blocks);
            stack.extend(self.predecessors(entry, l));
        }
        found
    }

    /// The predecessors in a loop in LLVM's order, in which what was written last comes first.
    fn predecessors(&self, block: Node, l: Loop) -> Vec<Node> {
        let mut list: Vec<Node> = self.graph.predecessors(block).collect();
        list.retain(|&from| self.loops.contains(l, from));
        list.sort_unstable();
        list.dedup();
        list.reverse();
        list
    }
}
