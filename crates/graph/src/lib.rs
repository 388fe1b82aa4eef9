//! Block graphs, nothing else: orders, dominators, loops, frontiers, disjoint paths.
#![forbid(unsafe_code)]

mod block_index;
mod crossings;
mod dominators;
mod forest;
pub mod generate;
mod graph;
mod loops;
mod orders;
mod rows;

pub use block_index::BlockIndex;
pub use dominators::DominatorTree;
pub use graph::{Edge, Graph, Node};
pub use loops::{Loop, LoopForest};
pub use orders::DepthFirst;
