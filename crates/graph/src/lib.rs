//! Block graphs, nothing else: orders, dominators, loops, frontiers, disjoint paths.
#![forbid(unsafe_code)]
