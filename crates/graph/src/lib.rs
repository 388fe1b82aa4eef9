//! Block graphs, nothing else: orders, dominators, loops, frontiers, disjoint paths.
#![forbid(unsafe_code)]

mod block_index;
mod control_dependence;
mod crossings;
mod dominators;
mod forest;
mod frontiers;
pub mod generate;
mod graph;
mod index_queue;
mod loops;
mod orders;
mod postdominators;
mod rows;
mod strong_postdominators;

pub use block_index::BlockIndex;
pub use control_dependence::{ControlDependence, StrongControlDependence};
pub use dominators::DominatorTree;
pub use frontiers::{FrontierScratch, Frontiers, Place, PostFrontiers};
pub use graph::{Edge, Graph, Node};
pub use loops::{Loop, LoopForest};
pub use orders::DepthFirst;
pub use postdominators::PostDominatorTree;
pub use strong_postdominators::StrongPostDominators;
