//! Singer's iterative construction of static single information form: the baseline SSIfy is measured against.
//!
//! φs are placed for definitions, σs for uses; but φs use and σs define, so the two steps are repeated until neither adds
//! anything (Singer, *Static Program Analysis based on Virtual Register Renaming*, 2005; 003 §4). Frontiers, renaming and
//! cleaning are those of SSIfy.

use crate::code::NONE;
use crate::split::Pruning;
use crate::ssify::Ssify;
use crate::view::View;
use lw_graph::{Edge, Node, Place};

/// Builds static single information form by iteration.
pub fn singer(ssify: &mut Ssify) -> View {
    let mut view = View::new(ssify.parts().0.clone());
    ssify.build(&mut view, &ssify.variables(), |ssify, _, var| {
        ssify.enter(var);
        let (code, live, places, collisions, pruning) = ssify.parts();
        let early = pruning == Pruning::Early;
        let block_of = |pos: u32| Node::new(code.block_of[pos as usize] as usize);
        let mut defs: Vec<Place> = Vec::new();
        if code.param_of(var).is_some() {
            defs.push(Place::Node(code.graph.entry()));
        }
        let rows = code.defs_of(var).iter();
        defs.extend(rows.map(|&d| Place::Node(block_of(code.def_pos[d as usize]))));
        let mut uses: Vec<Place> = Vec::new();
        for &at in code.uses_of.row(var.index()) {
            uses.push(match code.use_edge[at as usize] {
                NONE => Place::Node(block_of(code.use_pos[at as usize])),
                edge => Place::Edge(Edge::new(edge as usize)),
            });
        }
        for &test in code.tests_of(var) {
            uses.push(Place::Node(Node::new(code.test_block[test as usize] as usize)));
        }
        places.clear();
        loop {
            let before = (places.phis.len(), places.sigmas.len());
            let edges = places.sigmas.iter().flat_map(|&b| code.graph.successor_edges(b));
            let all: Vec<Place> = defs.iter().copied().chain(edges.map(Place::Edge)).collect();
            places.phis.clear();
            collisions.joins(code, &all, early.then_some(live), &mut places.phis);
            places.phis.retain(|&b| code.is_reachable(b) && (!early || live.at_start(b)));
            let edges = places.phis.iter().flat_map(|&b| code.graph.predecessor_edges(b));
            let all: Vec<Place> =
                uses.iter().copied().chain(edges.map(|&e| Place::Edge(e))).collect();
            places.sigmas.clear();
            collisions.forks(code, &all, early.then_some(live), &mut places.sigmas);
            places.sigmas.retain(|&b| {
                code.is_reachable(b)
                    && code.graph.successors(b).len() > 1
                    && (!early || live.leaves(code, b))
            });
            if before == (places.phis.len(), places.sigmas.len()) {
                break;
            }
        }
        let defined = |b: Node| code.phis(b).any(|phi| code.defs(phi).contains(&var));
        places.phis.retain(|&b| !defined(b));
        true
    });
    view
}
