//! The block graph of a function, for the algorithms of `lw-graph`.

use crate::entities::Block;
use crate::function::Function;
use cranelift_entity::SecondaryMap;
use lw_graph::{Graph, Node};

/// The control-flow graph: nodes are blocks in the order they are written, edges the targets of terminators in order.
#[derive(Clone, Debug)]
pub struct Cfg {
    graph: Graph,
    nodes: SecondaryMap<Block, u32>,
    blocks: Vec<Block>,
}

impl Cfg {
    /// The graph of a function; `None` if it has no block.
    pub fn compute(function: &Function) -> Option<Cfg> {
        let blocks = function.blocks().to_vec();
        blocks.first()?;
        let mut nodes = SecondaryMap::with_default(u32::MAX);
        for (index, &block) in blocks.iter().enumerate() {
            nodes[block] = index as u32;
        }
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|&block| function.successors(block).iter().map(|&s| nodes[s] as usize).collect())
            .collect();
        Some(Cfg { graph: Graph::from_successors(&successors), nodes, blocks })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The node of a block.
    ///
    /// # Panics
    /// If the block was not in the function.
    pub fn node(&self, block: Block) -> Node {
        assert_ne!(self.nodes[block], u32::MAX, "{block} is not in the graph");
        Node::new(self.nodes[block] as usize)
    }

    /// The block of a node.
    pub fn block(&self, node: Node) -> Block {
        self.blocks[node.index()]
    }
}
