//! What LLVM's own analyses say of a module, to compare ours with: LazyValueInfo and PredicateInfo.
//!
//! Uses are named by positions, which import keeps: the n-th block, its n-th instruction, and the operand as the
//! lock-step IR numbers it.

use crate::ffi;
use crate::module::Module;
use std::time::Duration;

/// What LazyValueInfo knows at a use of an integer that is no constant. An operand of a φ is used on the edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UseRange {
    /// The position of the block in its function.
    pub block: u32,
    /// The position of the instruction in its block.
    pub inst: u32,
    /// The index of the operand.
    pub arg: u32,
    /// The width, at most 128.
    pub bits: u32,
    /// The first value. `first..=last` goes around where `first` is greater.
    pub first: u128,
    /// The last value.
    pub last: u128,
    /// Whether no value is possible; `first` and `last` say nothing then.
    pub empty: bool,
}

impl UseRange {
    fn new(raw: &ffi::UseRangeDesc) -> UseRange {
        let number = |words: [u64; 2]| u128::from(words[1]) << 64 | u128::from(words[0]);
        let all = u128::MAX >> (128 - raw.bits);
        let (lower, upper) = (number(raw.lower), number(raw.upper));
        // Equal ends are nothing at zero, everything elsewhere.
        let (first, last) =
            if lower == upper { (0, all) } else { (lower, upper.wrapping_sub(1) & all) };
        UseRange {
            block: raw.block,
            inst: raw.inst,
            arg: raw.arg,
            bits: raw.bits,
            first,
            last,
            empty: lower == upper && lower == 0,
        }
    }

    /// Whether nothing is known.
    pub fn is_full(&self) -> bool {
        let all = u128::MAX >> (128 - self.bits);
        !self.empty && self.last.wrapping_add(1) & all == self.first
    }
}

/// What LazyValueInfo knows in a function.
#[derive(Clone, Debug)]
pub struct LazyRanges {
    /// At each use, in order.
    pub uses: Vec<UseRange>,
    /// How long it took to answer.
    pub took: Duration,
}

/// What it took to build PredicateInfo for a function.
#[derive(Clone, Copy, Debug)]
pub struct PredicateCost {
    /// The copies it inserted.
    pub copies: u64,
    /// How long it took, given a dominator tree.
    pub took: Duration,
    /// How long the dominator tree took.
    pub dominators: Duration,
}

impl Module<'_> {
    /// Asks LazyValueInfo for the range of every integer at every use, function by function, in order of those that have a
    /// body. Undefined values are not taken to be in a range, except by LLVM itself on edges.
    pub fn lazy_value_ranges(&self) -> Vec<LazyRanges> {
        let (mut uses, mut functions) = (std::ptr::null(), std::ptr::null());
        // SAFETY: the module is alive and not changed; the answers are copied before they are freed, once.
        unsafe {
            let ranges = ffi::lw_lazy_ranges(self.raw());
            let count = ffi::lw_lazy_uses(ranges, &mut uses);
            let mut uses = ffi::slice(uses, count).iter().map(UseRange::new);
            let count = ffi::lw_lazy_functions(ranges, &mut functions);
            let functions = ffi::slice(functions, count).iter().map(|time| LazyRanges {
                uses: uses.by_ref().take(time.count as usize).collect(),
                took: Duration::from_nanos(time.nanoseconds),
            });
            let answer = functions.collect();
            ffi::lw_lazy_free(ranges);
            answer
        }
    }

    /// How long LazyValueInfo takes for the whole module, and at how many uses it knows something: asked at the same uses, with
    /// the analyses that it needs and what is freed between functions. Nothing is read before the clock starts.
    pub fn lazy_value_time(&self) -> (Duration, usize) {
        let mut known = 0;
        // SAFETY: the module is alive and not changed; the number outlives the call.
        let took = unsafe { ffi::lw_lazy_whole(self.raw(), &mut known) };
        (Duration::from_nanos(took), known)
    }

    /// Builds PredicateInfo for every function that has a body, in order, on a copy of the module.
    pub fn predicate_info_costs(&self) -> Vec<PredicateCost> {
        let mut times = vec![ffi::PeerTime::default(); self.raw_functions().len()];
        // SAFETY: the module is alive; the table is as long as we say.
        let count = unsafe { ffi::lw_predicate_info(self.raw(), times.as_mut_ptr(), times.len()) };
        times.truncate(count);
        let cost = |time: &ffi::PeerTime| PredicateCost {
            copies: time.count,
            took: Duration::from_nanos(time.nanoseconds),
            dominators: Duration::from_nanos(time.extra),
        };
        times.iter().map(cost).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Context;

    #[test]
    fn lazy_value_info_learns_from_branches() {
        let text = b"define i32 @f(i32 %x) {
entry:
  %c = icmp ult i32 %x, 10
  br i1 %c, label %small, label %large
small:
  %y = add i32 %x, 1
  ret i32 %y
large:
  ret i32 10
}
declare void @g()";
        let context = Context::new();
        let module = context.parse_module(text, "test").expect("it is well-formed");
        let functions = module.lazy_value_ranges();
        assert_eq!(functions.len(), 1);
        let at = |block, inst, arg| {
            let uses = functions[0].uses.iter();
            *uses.clone().find(|u| (u.block, u.inst, u.arg) == (block, inst, arg)).expect("a use")
        };
        assert!(at(0, 0, 0).is_full());
        assert_eq!((at(1, 0, 0).first, at(1, 0, 0).last), (0, 9));
        assert_eq!((at(1, 1, 0).first, at(1, 1, 0).last), (1, 10));
        let known = functions[0].uses.iter().filter(|u| !u.is_full()).count();
        assert_eq!(module.lazy_value_time().1, known);
        let costs = module.predicate_info_costs();
        assert_eq!(costs.len(), 1);
        assert_eq!(costs[0].copies, 1);
    }
}
