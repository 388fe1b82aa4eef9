//! What one iteration takes from the one before: the φs of the header, each with its role.
//!
//! | role | example | what W lanes do |
//! | --- | --- | --- |
//! | induction | `i += step` | lane *l* starts `l` steps later and makes W steps at once |
//! | reduction | `s += x`, also under a condition or in an inner loop | each lane has its own `s`; combined at the end |
//! | answer | `c = c && x` | each lane asks until it knows; combined at the end (`logical`) |
//! | in order | `s += x` for floats that may not be reordered | the lanes add to one `s`, one after the other |
//! | last | `x = …` in each iteration, for those behind the loop | that of the last lane |
//! | before | `y = a[i]; b[i] = y - x; x = y;` | each lane takes that of the lane before it (`before`) |
//! | chosen | `if (x < m) { m = x; at = i; }`, `if (c) last = x;` | each lane chooses for itself and remembers when; the best is taken |

use super::before::{Known, takes_partial};
use super::first::Empty;
use super::logical::Logical;
use super::looked_up::LookUp;
use super::plain::is_sign;
use super::shape::LoopShape;
use super::web::{Web, combine_of};
use crate::decline::Declined;
use crate::edit;
use lw_graph::{DominatorTree, LoopForest};
use lw_ir::ops::{BinOp, FloatPred, IntPred, ReduceOp};
use lw_ir::types::Type;
use lw_ir::{DataLayout, Flags, Function, Inst, Op, Value};
use rustc_hash::FxHashMap;
use std::collections::HashSet;

/// How much is added in an iteration; for pointers in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Step {
    Constant(i128),
    /// A value that does not change in the loop.
    Value(Value),
}

/// How partial results are combined.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Combine {
    /// By an operation across threads.
    Reduce(ReduceOp),
    /// By calls of this intrinsic, on one lane after the other.
    Call(Value),
}

/// What a header φ is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Role {
    Induction(Step),
    Reduction(Combine),
    /// A condition that decides whether it is asked again.
    Answer(ReduceOp),
    /// Each operation is executed at most once in an iteration.
    InOrder,
    /// A member of this group.
    Chosen(usize),
    /// No iteration looks at what the one before it left.
    Last,
    /// An iteration computes it before it looks at what the one before it left.
    Before,
}

/// A header φ.
#[derive(Clone, Debug)]
pub(super) struct HeaderPhi {
    pub(super) value: Value,
    pub(super) ty: Type,
    pub(super) init: Value,
    pub(super) next: Value,
    pub(super) role: Role,
    pub(super) web: Web,
    /// If it is a place: what is read there.
    pub(super) look_up: Option<LookUp>,
}

/// φs that are set together, in some iterations.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The φs.
    pub(super) members: Vec<usize>,
    /// The one whose merges show when it is set.
    pub(super) shown_by: usize,
    /// Which iteration's values are taken.
    pub(super) taken: Taken,
    pub(super) stamp: Stamp,
}

/// Which values of a group are taken, of those that iterations set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Taken {
    First,
    Last,
    /// Those of which this φ is the best; there may be none yet.
    Best(usize, Better, Option<Guard>),
}

/// A φ of a group says whether it has been set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Guard {
    pub(super) phi: usize,
    pub(super) empty: Empty,
}

/// How is known which of equally good values was set first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stamp {
    /// It does not matter: equal values are the same, or (+0 and −0) the user allows another order.
    None,
    /// Lanes remember when they were set.
    Time,
    /// This φ of the group is set to a counter: where this comparison holds of two, the first of them was set earlier.
    Counter(usize, IntPred),
}

/// When a value is better than another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Better {
    /// The comparison without equality.
    pub(super) strict: Compare,
    /// Whether an equal value takes the place of the old one.
    pub(super) or_equal: bool,
}

/// A comparison of integers or floats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Compare {
    Int(IntPred),
    Float(FloatPred),
}

/// All header φs.
#[derive(Clone, Debug)]
pub(super) struct Recurrences {
    pub(super) phis: Vec<HeaderPhi>,
    pub(super) groups: Vec<Group>,
    /// Whether something is wanted behind the loop that no lane knows, as what a sum was before the last iteration. Then the scalar
    /// loop does that iteration.
    pub(super) keeps_last: bool,
}

impl Recurrences {
    /// The groups for which lanes remember when they were set.
    pub(super) fn stamped(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.stamp == Stamp::Time)
    }

    /// Finds the role of each header φ. With `reorder` sums and extremes of floats may be computed in any order; all of `truths` are 0 or 1.
    pub(super) fn of(
        f: &Function,
        shape: &LoopShape,
        layout: &DataLayout,
        reorder: bool,
        truths: &HashSet<Value>,
    ) -> Result<Recurrences, Declined> {
        let users = users(f, shape);
        let graph = lw_sparse::Program::graph(f);
        let (loops, dominators) = (LoopForest::compute(&graph), DominatorTree::compute(&graph));
        let (loops, dominators, users) = (&loops, &dominators, &users);
        let known = Known { f, shape, loops, dominators, users, truths };
        let live_out: Vec<Value> = shape.live_outs(f).iter().map(|&(_, value)| value).collect();
        let mut all = Recurrences { phis: Vec::new(), groups: Vec::new(), keeps_last: false };
        let mut chosen = Vec::new();
        for inst in f.phis(shape.header) {
            let value = f.result(inst);
            let init = edit::incoming(f, inst, shape.preheader);
            let next = edit::incoming(f, inst, shape.latch);
            let ty = f[inst].ty;
            let web_of = |ignored: &[Inst]| Web::of(f, shape, loops, users, value, ignored);
            let mut web = web_of(&[]);
            let look_up = match &web {
                None => LookUp::of(f, shape, users, inst),
                Some(_) => None,
            };
            if let Some(look_up) = &look_up {
                web = web_of(&look_up.reads);
            }
            let carried = |help: &str| {
                let reason = "an iteration needs what the one before it computed";
                Declined::at(f, inst, reason, help)
            };
            let role = match induction(f, shape, layout, value, next) {
                Some(step) => Role::Induction(step),
                None if !users.contains_key(&value) && shape.tested_first() => Role::Last,
                None if known.in_time(value) => {
                    all.keeps_last |= live_out.contains(&value) && !known.is_told(value);
                    Role::Before
                }
                None if web.as_ref().is_none_or(|web| !web.values.contains(&next))
                    && let Some(Logical { op, told, computes }) = known.logical(inst) =>
                {
                    if !computes && !reorder {
                        return Err(carried("allow it: `#pragma omp simd reduction(&& : …)`"));
                    }
                    all.keeps_last |= !told;
                    Role::Answer(op)
                }
                None => {
                    let web = web.as_ref().ok_or_else(|| {
                        carried(match stored_to(f, users, next) {
                            Some(place) if shape.defines(f, place) => "each iteration needs the sum, or the like, of all before it: compute that in a loop of its own, and the rest in another",
                            Some(_) => "each iteration writes it to memory: compute it in a variable and write that behind the loop, or say by `restrict` that nothing else is there",
                            None => "only sums, products, minima, maxima, bit operations, conditional values and what is computed before it is needed are carried over",
                        })
                    })?;
                    let early = |&v: &Value| v != next && web.values.contains(&v);
                    if !web.values.contains(&next) {
                        return Err(carried("use the value of the same iteration"));
                    }
                    all.keeps_last |= !shape.tested_first() && live_out.iter().any(early);
                    match combine_of(f, web) {
                        Some(_) if web.compares.is_empty() && web.is_set_anew(f) => {
                            return Err(carried("do not set anew what is summed up or the like"));
                        }
                        Some(combine) if web.compares.is_empty() => {
                            let exact = |&op: &Inst| {
                                !is_float(f, op)
                                    || f[op].flags.contains(Flags::REASSOC)
                                    || is_sign(f, op)
                            };
                            match combine {
                                _ if reorder || web.ops.iter().all(exact) => {
                                    Role::Reduction(combine)
                                }
                                Combine::Call(_) => Role::Reduction(combine),
                                _ if web.once => Role::InOrder,
                                _ => {
                                    let help = "allow it: `#pragma omp simd`, -fassociative-math or `#pragma clang fp reassociate(on)`";
                                    return Err(carried(help));
                                }
                            }
                        }
                        _ if !web.ops.is_empty() && web.compares.is_empty() => {
                            return Err(carried("combine values by one operation only"));
                        }
                        _ => {
                            chosen.push(all.phis.len());
                            Role::Chosen(usize::MAX)
                        }
                    }
                }
            };
            let web = web.unwrap_or_default();
            all.phis.push(HeaderPhi { value, ty, init, next, role, web, look_up });
        }
        super::groups::find(f, users, &mut all, &chosen, reorder)?;
        if let Some(phi) = takes_partial(&all.phis).and_then(|phi| f.def_inst(phi)) {
            let reason = "an iteration needs what the one before it computed";
            return Err(Declined::at(f, phi, reason, "use the value of the same iteration"));
        }
        Ok(all)
    }
}

/// Who uses what in the loop.
pub(super) type Users = FxHashMap<Value, Vec<Inst>>;

pub(super) fn users(f: &Function, shape: &LoopShape) -> Users {
    let mut users = Users::default();
    for &b in &shape.blocks {
        for &inst in f.insts(b) {
            for &arg in &f[inst].args {
                users.entry(arg).or_default().push(inst);
            }
        }
    }
    users
}

/// Where the loop writes a value to memory, if it does.
fn stored_to(f: &Function, users: &Users, value: Value) -> Option<Value> {
    let mut users = users.get(&value).into_iter().flatten();
    let writes = |&&inst: &&Inst| matches!(f[inst].op, Op::Store(_)) && f[inst].args[0] == value;
    users.find(writes).map(|&inst| f[inst].args[1])
}

fn is_float(f: &Function, inst: Inst) -> bool {
    f[inst].ty.float_kind().is_some()
}

/// By how much a φ grows in each iteration.
pub(super) fn induction(
    f: &Function,
    shape: &LoopShape,
    layout: &DataLayout,
    phi: Value,
    next: Value,
) -> Option<Step> {
    let bits = match f.ty(phi) {
        Type::Scalar(lw_ir::types::Scalar::Int(bits)) => bits,
        Type::Scalar(lw_ir::types::Scalar::Ptr(_)) => 64,
        _ => return None,
    };
    if bits > 64 {
        return None;
    }
    let mut total: i128 = 0;
    let mut at = next;
    while at != phi {
        let inst = f.def_inst(at).filter(|_| shape.defines(f, at))?;
        let data = &f[inst];
        let constant = |v: Value| f.as_constant(v).and_then(|c| c.as_i128());
        match (&data.op, &data.args[..]) {
            (Op::Binary(BinOp::Add), &[x, y]) => {
                let (x, y) = if shape.defines(f, x) { (x, y) } else { (y, x) };
                match constant(y) {
                    Some(step) => total += step,
                    // One step that does not change is enough.
                    None if x == phi && at == next && !shape.defines(f, y) => {
                        return Some(Step::Value(y));
                    }
                    None => return None,
                }
                at = x;
            }
            (Op::Binary(BinOp::Sub), &[x, y]) => {
                total -= constant(y)?;
                at = x;
            }
            // Bits that the other does not have.
            (Op::Binary(BinOp::Or), &[x, y]) if data.flags.contains(Flags::DISJOINT) => {
                total += constant(y)?;
                at = x;
            }
            (Op::Gep(elem), &[pointer, index]) => {
                let size = layout.alloc_size(&f.types, *elem)?;
                match constant(index) {
                    Some(index) => total += index * i128::from(size),
                    None if size == 1
                        && pointer == phi
                        && at == next
                        && f.ty(index) == Type::I64
                        && !shape.defines(f, index) =>
                    {
                        return Some(Step::Value(index));
                    }
                    None => return None,
                }
                at = pointer;
            }
            _ => return None,
        }
        if f.ty(at) != f.ty(phi) || i64::try_from(total).is_err() {
            return None;
        }
    }
    Some(Step::Constant(total))
}
