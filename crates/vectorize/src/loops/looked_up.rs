//! The place of the best so far, looked up where it is compared: `if (c[i] && a[i] < a[best]) best = i;`, and, where there may be none yet,
//! `if (best < 0 || a[i] < a[best]) best = i;`.
//!
//! What is read at the place cannot be remembered beside it, as `remembered` does: perhaps no iteration reads `a[best]` at first, or `a[i]`
//! where it becomes the best. So each lane looks up its own place where the scalar loop looks up that of all, and reads nothing that the scalar loop
//! does not read sooner or later:
//!
//! - where a lane compares, the scalar loop has compared by then, and the first time it read what was there before the loop;
//! - what a lane has chosen in an iteration, the scalar loop compared in that iteration, or it had none before and looks it up when it compares the
//!   next time, which is in the iteration that the lane compares in at the latest.
//!
//! Behind the loop the places of two lanes are only looked up if there are two, and they are different: then there was a comparison, or there is one
//! that looks up what was chosen. Nobody writes what is read.

use super::comparisons::{compared_with, negated, ordered, strictly};
use super::decisions::{Fact, decides_nothing_else, is_known, leaves, leaves_where};
use super::first::{Empty, is_filled, tests};
use super::guarded::either;
use super::plain::may_write;
use super::private::in_order;
use super::recurrences::{Better, Compare, HeaderPhi, Users};
use super::remembered::Place;
use super::shape::LoopShape;
use super::web::{Web, merged};
use lw_ir::{Flags, Function, Inst, Op, Value};
use rustc_hash::FxHashSet;

/// What is read where a place is looked up.
#[derive(Clone, Debug)]
pub(super) struct LookUp {
    /// What is read and computed from the place, each behind what it is computed from.
    pub(super) reads: Vec<Inst>,
    /// The φ.
    pub(super) place: Value,
    /// What comes out, and is compared.
    pub(super) value: Value,
    compare: Inst,
    new: Value,
}

impl LookUp {
    /// `None` if what is read at the place that a φ of the header says is not only compared with the same at the places that it is set to.
    pub(super) fn of(f: &Function, shape: &LoopShape, users: &Users, phi: Inst) -> Option<LookUp> {
        let place = Place::of(f, shape, phi)?;
        let &[value] = &place.compared(f)[..] else { return None };
        let used = |inst: Inst| users.get(&f.result(inst)).into_iter().flatten();
        let mut compares = used(f.def_inst(value)?).filter(|inst| !place.reads.contains(inst));
        let &compare = compares.next()?;
        let known = |inst: &Inst| place.reads.contains(inst) || *inst == compare;
        let new = place.compares(f, value).next()?;
        let only_compared = compares.all(|&other| other == compare)
            && place.reads.iter().all(|&inst| used(inst).all(known))
            && !users.values().flatten().any(|&inst| may_write(f, inst));
        let same = |&merge: &Inst| {
            let mut set = merged(f, merge).iter().filter(|arg| !place.values.contains(arg));
            set.all(|&set| place.is_same_at(f, shape, value, new, set))
        };
        if !only_compared || !place.merges.iter().all(same) {
            return None;
        }
        let (mut left, mut reads) = (place.reads, Vec::new());
        in_order(f, f.def_inst(value)?, &mut left, &mut reads);
        left.is_empty().then_some(LookUp { reads, place: f.result(phi), value, compare, new })
    }

    /// When the place is set, if that is where a better one is found, or where there is none, and nothing else depends on it; the second
    /// says when there is none.
    pub(super) fn better(
        &self,
        f: &Function,
        users: &Users,
        root: &HeaderPhi,
        webs: &[&Web],
        reorder: bool,
    ) -> Option<(Better, Option<Empty>)> {
        if !root.web.once || !root.web.ops.is_empty() {
            return None;
        }
        let pred = compared_with(f, self.compare, self.new)?;
        let flags = if reorder { Flags::NNAN } else { f[self.compare].flags };
        let found = |holds: bool| {
            strictly(if holds { ordered(pred, flags) } else { negated(pred, flags)? })
        };
        if root.web.compares.is_empty() {
            let mut ways =
                root.web.merges.iter().filter(|&&it| leaves(f, &root.web, it).count() > 0);
            let first = leaves_where(f, root, *ways.next()?, self.compare)?;
            let same = ways.all(|&it| leaves_where(f, root, it, self.compare) == Some(first));
            let alone = decides_nothing_else(f, users, self.compare, webs, &|_| false);
            return (same && alone).then_some((found(first)?, None));
        }
        // What is no number would stay the best, if it came first.
        let numbers = !matches!(pred, Compare::Float(_)) || flags.contains(Flags::NNAN);
        if root.web.compares.len() > 1 || !numbers {
            return None;
        }
        let header = f.block_of(f.def_inst(root.value)?)?;
        let compared = self.compared(f);
        [true, false].into_iter().find_map(|way| {
            let (fact, better): (Fact, _) = ((f.result(self.compare), way), found(way)?);
            tests(f, root).find_map(|(empty, none)| {
                let either = either(f, users, none, fact)?;
                let mut merges = root.web.merges.iter();
                let fits = merges.all(|&merge| {
                    leaves(f, &root.web, merge).all(|i| is_known(f, header, merge, i, &either))
                }) && is_filled(f, root, empty);
                let asked = f.def_inst(none.0)?;
                let alone =
                    decides_nothing_else(f, users, asked, webs, &|inst| compared.contains(&inst));
                (fits && alone).then_some((better, Some(empty)))
            })
        })
    }

    /// Whether what is looked up is a float.
    pub(super) fn compares_floats(&self, f: &Function) -> bool {
        f.ty(self.value).float_kind().is_some()
    }

    /// What is only read and computed for the comparison.
    fn compared(&self, f: &Function) -> FxHashSet<Inst> {
        let mut found = FxHashSet::default();
        let mut left = vec![self.compare];
        while let Some(inst) = left.pop() {
            if f[inst].op != Op::Phi && found.insert(inst) {
                left.extend(f[inst].args.iter().filter_map(|&arg| f.def_inst(arg)));
            }
        }
        found
    }
}
