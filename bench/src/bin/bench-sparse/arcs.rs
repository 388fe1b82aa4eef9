//! Sets of integers as lists of unsigned intervals, to compare ranges of different kinds.

use lw_llvm::UseRange;
use lw_sparse::analyses::Intervals;

/// Disjoint closed intervals, ascending, none touching the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Arcs(Vec<(u128, u128)>);

/// How two sets relate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Order {
    Equal,
    Tighter,
    Weaker,
    Incomparable,
}

impl Arcs {
    fn new(mut arcs: Vec<(u128, u128)>) -> Arcs {
        arcs.sort_unstable();
        let mut out: Vec<(u128, u128)> = Vec::new();
        for (lo, hi) in arcs {
            match out.last_mut() {
                Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
                _ => out.push((lo, hi)),
            }
        }
        Arcs(out)
    }

    /// What LazyValueInfo says.
    pub(crate) fn of_llvm(range: &UseRange) -> Arcs {
        let all = u128::MAX >> (128 - range.bits);
        if range.empty {
            Arcs(Vec::new())
        } else if range.first <= range.last {
            Arcs(vec![(range.first, range.last)])
        } else {
            Arcs::new(vec![(0, range.last), (range.first, all)])
        }
    }

    /// What the range analysis says; `None`: control does not come here.
    pub(crate) fn of_ours(range: Option<&Intervals>) -> Arcs {
        let Some(range) = range else { return Arcs(Vec::new()) };
        if range.bits > 64 {
            return Arcs(vec![(0, u128::MAX >> (128 - range.bits))]);
        }
        let pieces = range.pieces().iter().map(|&(lo, hi)| (lo.into(), hi.into()));
        Arcs::new(pieces.collect())
    }

    fn contains(&self, other: &Arcs) -> bool {
        other.0.iter().all(|&(lo, hi)| self.0.iter().any(|&(l, h)| l <= lo && hi <= h))
    }

    /// How this set relates to another.
    pub(crate) fn compare(&self, other: &Arcs) -> Order {
        match (other.contains(self), self.contains(other)) {
            (true, true) => Order::Equal,
            (true, false) => Order::Tighter,
            (false, true) => Order::Weaker,
            (false, false) => Order::Incomparable,
        }
    }

    /// What kind of set it is, in a width.
    pub(crate) fn shape(&self, bits: u32) -> &'static str {
        let all = u128::MAX >> (128 - bits);
        match self.0[..] {
            [] => "empty",
            [(lo, hi)] if lo == hi => "single",
            [(0, hi)] if hi == all => "full",
            [(0, hi)] if hi == all - 1 => "all but one",
            [(1, hi)] if hi == all => "all but one",
            [_] => "interval",
            [(_, a), (b, _)] if b - a == 2 => "all but one",
            _ => "around",
        }
    }
}

impl std::fmt::Display for Arcs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let one = |&(lo, hi): &(u128, u128)| format!("{lo:#x}..{hi:#x}");
        write!(f, "{{{}}}", self.0.iter().map(one).collect::<Vec<_>>().join(" "))
    }
}
