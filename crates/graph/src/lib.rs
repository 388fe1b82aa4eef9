//! Block graphs, nothing else: orders, dominators, loops, frontiers, disjoint paths.
//!
//! A client numbers its blocks, hands the edges to [`Graph`], and computes what it wants to know:
//!
//! ```
//! use lw_graph::{BlockIndex, DisjointPaths, DominatorTree, Graph, HeadRewired, LoopForest, Node};
//!
//! // while (c) { if (d) break; }   0 head, 1 body, 2 latch, 3 after the loop, 4 end
//! let graph = Graph::from_successors(&[vec![1, 4], vec![3, 2], vec![0], vec![4], vec![]]);
//! let n = Node::new;
//!
//! // Does the head come before the end on every path?
//! let dominators = DominatorTree::compute(&graph);
//! assert!(dominators.dominates(n(0), n(4)));
//! assert!(!dominators.dominates(n(1), n(4)));
//!
//! // Which loops are there, and where does control leave them?
//! let loops = LoopForest::compute(&graph);
//! let l = loops.innermost(n(2)).unwrap();
//! assert_eq!((loops.header(l), loops.exits(l)), (n(0), vec![n(3), n(4)]));
//!
//! // Threads part in the body. Where do they meet over different edges, and which edges out of the
//! // loop do they take in different iterations?
//! let index = BlockIndex::compute(&graph, &dominators, &loops);
//! let rewired = HeadRewired::compute(&graph, &loops, &index).unwrap();
//! let mut paths = DisjointPaths::new();
//! let labelling = paths.label(&rewired, n(1));
//! assert_eq!(labelling.joins(), [n(4)]);
//! assert_eq!(labelling.divergent_exits()[0].edge, graph.edge(n(1), 0));
//! ```
//!
//! | question | type |
//! | --- | --- |
//! | in which order? | [`DepthFirst`], [`loop_order()`], [`BlockIndex`] |
//! | what comes before, on all paths? | [`DominatorTree`] |
//! | what comes after, on all paths? | [`PostDominatorTree`]; [`StrongPostDominators`] if loops may not end |
//! | where do definitions, or uses, meet? | [`Frontiers`], [`PostFrontiers`] |
//! | which branch decides whether a block runs? | [`ControlDependence`], [`StrongControlDependence`]; through others, [`Dependents`] |
//! | which loops are there, reducible or not? | [`LoopForest`] |
//! | where do threads that part at a branch meet again? | [`HeadRewired`], [`DisjointPaths`] |
//!
//! Every analysis is a value that owns its results and is computed in linear or almost linear time,
//! without recursion: a chain of a million blocks is nothing special. Graphs may be irreducible,
//! have endless loops, parallel edges and unreachable blocks; each type says what it answers for
//! those.
//!
//! "000", "001" and "003" in the documentation are papers: Rosemann, Moll, Hack, *An Abstract
//! Interpretation for SPMD Divergence on Reducible CFGs* (POPL 2021); Moll, *Vectorization System
//! for Unstructured Codes with a Data-parallel Compiler IR* (2021); Tavares, Boissinot, Pereira,
//! Rastello, *Parameterized Construction of Program Representations for Sparse Dataflow Analyses*
//! (2014).
#![forbid(unsafe_code)]

pub mod block_index;
pub mod control_dependence;
mod crossings;
pub mod dependents;
pub mod disjoint_paths;
mod disjoint_sets;
pub mod dominators;
mod dot;
mod flights;
mod forest;
mod forward_dominators;
pub mod frontiers;
pub mod generate;
pub mod graph;
pub mod head_rewired;
pub mod index_queue;
mod loop_nesting;
mod loop_order;
pub mod loops;
pub mod normalized;
pub mod orders;
pub mod postdominators;
mod regions;
pub mod rows;
pub mod strong_postdominators;

pub use block_index::BlockIndex;
pub use control_dependence::{ControlDependence, StrongControlDependence};
pub use dependents::Dependents;
pub use disjoint_paths::{DisjointPaths, DivergentExit, Label, Labelling};
pub use dominators::DominatorTree;
pub use dot::dot;
pub use frontiers::{FrontierScratch, Frontiers, Place, PostFrontiers, Region};
pub use graph::{Edge, Graph, Node};
pub use head_rewired::{HeadRewired, Irreducible};
pub use loop_order::loop_order;
pub use loops::{Loop, LoopForest};
pub use normalized::{Normalized, StarNode};
pub use orders::DepthFirst;
pub use postdominators::PostDominatorTree;
pub use regions::Regions;
pub use strong_postdominators::StrongPostDominators;
