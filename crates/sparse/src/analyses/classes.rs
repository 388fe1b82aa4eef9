//! Class inference: what must the object behind a variable support, judging by how it is used?
//!
//! Lattice: sets of [`Need`]s, larger ones lower; ⊤ is the empty set. Information comes from uses and flows backward: a
//! method call needs the method, a load or store the field at its offset, an indirect call something to call. 003 Fig. 1;
//! Chambers and Ungar 1989.
//!
//! With [`Classes::occurrences`] conditions count as well (occurrence typing, Hochstadt and Felleisen): behind a test that a
//! pointer is not null, what it needs is needed only *if* it is not null.

use crate::analysis::{Analysis, At, Cx, Direction};
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::Var;
use crate::strategy::Strategy;
use lw_graph::Edge;
use lw_ir::ops::IntPred;

/// Something an object must support.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// Bytes at an offset.
    Field {
        /// Where.
        offset: i64,
        /// How many, if that is known.
        bytes: Option<u64>,
    },
    /// Being called.
    Call,
    /// A method of this name.
    Method(String),
}

/// What an object must support.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// In any case. Sorted.
    pub always: Vec<Need>,
    /// If it is not null. Sorted; what is needed in any case may be listed as well.
    pub if_not_null: Vec<Need>,
}

impl Needs {
    fn add(&mut self, need: Need) {
        insert(&mut self.always, need);
    }

    fn union(&mut self, other: &Needs) {
        other.always.iter().for_each(|n| insert(&mut self.always, n.clone()));
        other.if_not_null.iter().for_each(|n| insert(&mut self.if_not_null, n.clone()));
    }

    /// The needs of a base, given those of the address `offset` bytes behind it.
    fn moved(&self, by: i128) -> Needs {
        let one = |need: &Need| match need {
            Need::Field { offset, bytes } => {
                let offset = i64::try_from(i128::from(*offset).checked_add(by)?).ok()?;
                (offset.abs() < REACH).then_some(Need::Field { offset, bytes: *bytes })
            }
            _ => None,
        };
        let mut moved = Needs {
            always: self.always.iter().filter_map(one).collect(),
            if_not_null: self.if_not_null.iter().filter_map(one).collect(),
        };
        moved.always.sort();
        moved.if_not_null.sort();
        moved
    }
}

/// Fields further away are not followed, so that pointers that walk in loops have finitely many needs.
const REACH: i64 = 1 << 12;

fn insert(set: &mut Vec<Need>, need: Need) {
    if let Err(at) = set.binary_search(&need) {
        set.insert(at, need);
    }
}

/// Whether a variable takes a pointer around a loop that may have moved in it. What it needs there is what elements of an
/// array need, not fields of one object; followed, there would be one for each iteration up to [`REACH`].
fn walks<P: Meaning + ?Sized>(cx: &Cx<'_, P, Needs>, edge: Edge, var: Var) -> bool {
    let (graph, index) = (cx.code.graph(), cx.code.block_index());
    index.index(graph.source(edge)) >= index.index(graph.target(edge))
        && cx.code.definition(var).is_some_and(|pos| {
            let expr = cx.program.expr(cx.code.instr(pos));
            !matches!(expr, Expr::Load { .. } | Expr::Call { .. } | Expr::Method { .. })
        })
}

/// The analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Classes {
    /// Whether conditions count.
    pub occurrences: bool,
}

impl<P: Meaning + ?Sized> Analysis<P> for Classes {
    type Domain = Needs;
    const NAME: &'static str = "classes";
    const DIRECTION: Direction = Direction::Backward;

    fn strategy(&self, _: &P, _: Var) -> Strategy {
        if self.occurrences { Strategy::OCCURRENCE_TYPING } else { Strategy::CLASS_INFERENCE }
    }

    fn top(&self) -> Needs {
        Needs::default()
    }

    fn meet(&self, into: &mut Needs, with: &Needs) {
        into.union(with);
    }

    fn transfer(&self, cx: &Cx<'_, P, Needs>, at: At, var: Var) -> Needs {
        let mut needs = cx.through(at, var).clone();
        let me = Arg::Var(var);
        match at {
            At::Define(_) => {}
            At::Pass(pos) => {
                let result = cx.code.defs(pos).first().map(|&def| cx.of(def));
                match cx.program.expr(cx.code.instr(pos)) {
                    Expr::Method { object, name } if object == me => {
                        needs.add(Need::Method(name.into()));
                    }
                    Expr::Load { pointer, bytes } | Expr::Store { pointer, bytes, .. }
                        if pointer == me =>
                    {
                        needs.add(Need::Field { offset: 0, bytes });
                    }
                    Expr::Call { target, .. } if target == Some(me) => needs.add(Need::Call),
                    Expr::Copy(arg) if arg == me => result.into_iter().for_each(|r| needs.union(r)),
                    Expr::Select { args, .. } if args.contains(&me) => {
                        result.into_iter().for_each(|r| needs.union(r));
                    }
                    Expr::Address { base, offset, indices, .. } if base == me => {
                        if let Some(result) = result.filter(|_| indices.is_empty()) {
                            needs.union(&result.moved(offset));
                        }
                    }
                    _ => {}
                }
            }
            At::Phi(pos, edge) => {
                let phi = cx.code.instr(pos);
                if matches!(cx.program.expr(phi), Expr::Phi) && !walks(cx, edge, var) {
                    cx.code.defs(pos).iter().for_each(|&def| needs.union(cx.of(def)));
                }
            }
            At::Branch(edge) if self.occurrences => {
                let (block, position) =
                    (cx.code.graph().source(edge), cx.code.graph().position(edge));
                cx.program.facts(block, position, &mut |fact| {
                    let Fact::Compare(pred, _, args) = fact else { return };
                    if args != [me, Arg::Null] && args != [Arg::Null, me] {
                        return;
                    }
                    match pred {
                        IntPred::Ne => {
                            let always = std::mem::take(&mut needs.always);
                            always.into_iter().for_each(|n| insert(&mut needs.if_not_null, n));
                        }
                        // What is asked of null here says nothing about other objects.
                        IntPred::Eq => needs = Needs::default(),
                        _ => {}
                    }
                });
            }
            At::Branch(_) => {}
        }
        needs
    }
}
