//! Partial linearization (001 ch. 8): divergent branches go, block predicates and selects take their place.
//!
//! Control flow: [`linearize_graph`]. Data flow: a block that not all threads reach has a *mask*, a φ that lost its edges has a
//! *value*, and both are variables that the blocks control came from assign as it passes them:
//!
//! ```text
//! at the end of A, for an edge A → B under the condition c     E = m_A ∧ c      m_B := m_B ∨ E     x := select(E, v, x)
//! on the edge itself, if the branch is uniform and stays       E = m_A          m_B := m_B ∨ E     x := select(E, v, x)
//! ```
//!
//! Masks start as false, values as poison; at a φ with a shadow, threads that are not in m_B get the shadow. `variables` turns the
//! variables into SSA. Where all threads come over the same edge (the block is no join), `any(E)` selects, so that what was
//! uniform or strided stays so.
//!
//! The header of a uniform loop keeps its φs, and its mask is that of the preheader: threads leave together.
//!
//! What holds afterwards: no branch is divergent; a block that has no predicate is reached exactly if all threads of the region
//! execute it (001 Thm 4); uniform branches stay as 001 Thm 5 says.

pub mod deferral;
mod masks;
mod numbers;
mod variables;

pub use deferral::{Linearized, linearize_graph};

use crate::decline::Declined;
use crate::edit::{self, Entries, Shape};
use lw_divergence::{Divergence, Stride};
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::function::block;
use masks::Masks;
use rustc_hash::FxHashMap;
use variables::{Update, Variables};

/// Where a variable is read, and what becomes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// The mask of a block.
    Mask(Block),
    /// The value of a φ; `together`: all threads come over the same edge.
    Phi { phi: Inst, together: bool },
}

/// Linearizes a canonical function whose loops are uniform. Returns values whose shape later analyses cannot find again.
///
/// # Errors
/// If a loop is divergent or a divergent branch has more than two targets: earlier stages were left out.
pub fn linearize(
    function: &mut Function,
    divergence: &Divergence<Stride>,
) -> Result<Vec<(Value, Stride)>, Declined> {
    if let Some((header, _)) = divergence.divergent_loops().next() {
        let header = function.display_block(header);
        let help = "transform divergent loops first";
        return Err(Declined::region(format!("the loop at {header} is divergent"), help));
    }
    for b in divergence.divergent_branches() {
        let terminator = function.terminator(b).expect("a branch is a terminator");
        if function[terminator].op != Op::CondBr {
            let help = "lower divergent switches first";
            return Err(Declined::at(function, terminator, "a divergent switch", help));
        }
    }
    let shape = Shape::of(function);
    let Shape { graph, loops, index, .. } = &shape;
    let lines = linearize_graph(graph, loops, index, |n| divergence.is_divergent(block(n)));
    let entries = Entries::of(function);

    let mut masks = Masks::new(function, divergence, &shape);
    let mut variables = Variables::new(function.block_count());
    let mut roles: Vec<Role> = Vec::new();
    // Which variables an edge of the program assigns: those of its target.
    let mut of_block: FxHashMap<Block, Vec<usize>> = FxHashMap::default();
    for &n in index.order() {
        let b = block(n);
        if loops.headed_by(n).is_some() || n == graph.entry() {
            continue;
        }
        let mine = of_block.entry(b).or_default();
        if masks.varies(b) {
            mine.push(roles.len());
            roles.push(Role::Mask(b));
        }
        let together = divergence.join(b).is_none();
        for phi in function.phis(b) {
            mine.push(roles.len());
            roles.push(Role::Phi { phi, together });
        }
    }

    // New targets. Uniform branches of which some edges, but not all, lead to the same block get blocks on those.
    let mut on_edge: FxHashMap<Block, Vec<Update>> = FxHashMap::default();
    for &n in index.order() {
        let b = block(n);
        let edges: Vec<_> = graph.successor_edges(n).collect();
        let terminator = function.terminator(b).expect("blocks end in terminators");
        let keeps = !lines.folded[n.index()] || function[terminator].op == Op::Switch;
        let mut taken: Vec<Block> = Vec::new();
        for &edge in &edges {
            let to = block(graph.target(edge));
            let mut next = block(lines.target[edge.index()]);
            let position = graph.position(edge);
            let assigned: Vec<usize> = match loops.headed_by(graph.target(edge)) {
                Some(_) => Vec::new(),
                None => of_block.get(&to).cloned().unwrap_or_default(),
            };
            let assigned: Vec<usize> = assigned
                .into_iter()
                .filter(|&variable| match roles[variable] {
                    Role::Mask(_) => true,
                    Role::Phi { phi, .. } => {
                        !edit::is_poison(function, entries.incoming(function, phi, b))
                    }
                })
                .collect();
            if keeps && edges.len() > 1 && taken.contains(&next) {
                let middle = edit::block_beside(function, b, "edge");
                edit::jump(function, middle, next);
                masks.same(middle, b);
                on_edge.entry(middle).or_default().extend(
                    assigned.iter().map(|&variable| Update { variable, from: b, position }),
                );
                next = middle;
            } else if keeps && edges.len() > 1 {
                for &variable in &assigned {
                    variables.on_edge(b, position, Update { variable, from: b, position });
                }
            } else {
                for &variable in &assigned {
                    variables.at_end(b, Update { variable, from: b, position });
                }
            }
            taken.push(next);
        }
        masks.remember_branch(function, b, terminator, keeps);
        if edges.is_empty() {
            continue;
        }
        if keeps {
            function[terminator].targets = taken.into();
        } else {
            edit::jump_instead(function, terminator, taken[0]);
        }
    }
    for (middle, updates) in on_edge {
        updates.into_iter().for_each(|update| variables.at_start(middle, update));
    }
    let pins =
        variables::rename(function, divergence, &shape, &mut masks, &roles, &variables, &entries);
    edit::remove_unused(function);
    edit::order_blocks(function);
    debug_assert!(index.order().iter().all(|&n| function.terminator(block(n)).is_some()));
    Ok(pins)
}
