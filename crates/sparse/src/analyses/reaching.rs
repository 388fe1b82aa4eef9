//! Reaching definitions: which definitions of a variable may a use see?
//!
//! Lattice: sets of definitions, larger ones lower; ⊤ is the empty set. `None` in a set is the value on entry.

use crate::analysis::{Analysis, At, Cx};
use crate::code::Pos;
use crate::program::{Program, Var};
use crate::strategy::Strategy;

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReachingDefinitions;

impl<P: Program + ?Sized> Analysis<P> for ReachingDefinitions {
    /// Sorted.
    type Domain = Vec<Option<Pos>>;
    const NAME: &'static str = "reaching definitions";
    const ONLY_TESTS: bool = true;

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        Strategy::REACHING_DEFINITIONS
    }

    fn top(&self) -> Self::Domain {
        Vec::new()
    }

    fn meet(&self, into: &mut Self::Domain, with: &Self::Domain) {
        for def in with {
            if let Err(at) = into.binary_search(def) {
                into.insert(at, *def);
            }
        }
    }

    fn entry(&self, _: &P, _: Var) -> Self::Domain {
        vec![None]
    }

    fn transfer(&self, cx: &Cx<'_, P, Self::Domain>, at: At, var: Var) -> Self::Domain {
        match at {
            At::Define(pos) | At::Phi(pos, _) => vec![Some(pos)],
            At::Pass(_) | At::Branch(_) => cx.of(var).clone(),
        }
    }
}
