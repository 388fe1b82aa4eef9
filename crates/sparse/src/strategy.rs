//! Live-range splitting strategies as data: `P_v = I↓ ∪ I↑` of 003 §3.
//!
//! A strategy names the control flow nodes that produce information about a variable, each with the direction in which
//! the information flows: ↓ forward, ↑ backward. The eight rows of 003 Fig. 5 have names here.
//!
//! ```
//! use lw_sparse::Strategy;
//! assert_eq!(Strategy::ABCD, Strategy::DEFS_DOWN | Strategy::CONDS_DOWN);
//! assert_eq!(Strategy::ABCD.to_string(), "Defs↓ ∪ Out(Conds)↓");
//! ```

use crate::program::Test;
use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// The nodes where information about a variable arises, with directions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Strategy(u16);

impl Strategy {
    /// Nothing is split. (Definitions are always kept apart: the result is in SSA form.)
    pub const NONE: Strategy = Strategy(0);
    /// Instructions that define the variable, forward.
    pub const DEFS_DOWN: Strategy = Strategy(1);
    /// Instructions that define the variable, backward.
    pub const DEFS_UP: Strategy = Strategy(1 << 1);
    /// Instructions that use the variable, forward.
    pub const USES_DOWN: Strategy = Strategy(1 << 2);
    /// Instructions that use the variable, backward.
    pub const USES_UP: Strategy = Strategy(1 << 3);
    /// Instructions that use the variable and behind which it is dead, forward.
    pub const LAST_USES_DOWN: Strategy = Strategy(1 << 4);
    /// Instructions that use the variable and behind which it is dead, backward.
    pub const LAST_USES_UP: Strategy = Strategy(1 << 5);
    /// Forks of blocks whose branch tests the variable, forward.
    pub const CONDS_DOWN: Strategy = Strategy(1 << 6);
    /// Forks of blocks whose branch tests the variable, backward.
    pub const CONDS_UP: Strategy = Strategy(1 << 7);
    /// Like [`CONDS_DOWN`](Self::CONDS_DOWN), but only tests for equality (003 §5).
    pub const EQ_CONDS_DOWN: Strategy = Strategy(1 << 8);
    /// Joins where control leaves a loop in which the variable is defined, forward: loop-closed form, for divergence.
    pub const LOOP_EXITS_DOWN: Strategy = Strategy(1 << 9);

    /// Forks of blocks whose branch tests a value that was computed from the variable, forward.
    pub const THROUGH_CONDS_DOWN: Strategy = Strategy(1 << 10);

    /// Alias analysis, reaching definitions, conditional constants: SSA form.
    pub const SSA: Strategy = Strategy::DEFS_DOWN;
    /// Reaching definitions.
    pub const REACHING_DEFINITIONS: Strategy = Strategy::SSA;
    /// Partial redundancy elimination: static single information form.
    pub const SSI: Strategy = Strategy(1 | 1 << 5);
    /// Array bounds, taint, ranges: extended SSA form.
    pub const ABCD: Strategy = Strategy(1 | 1 << 6);
    /// Conditional constants that also learn from tests for equality (003 §5).
    pub const CCP: Strategy = Strategy(1 | 1 << 8);
    /// Stephenson's bit widths.
    pub const STEPHENSON: Strategy = Strategy(1 | 1 << 6 | 1 << 3);
    /// Mahlke's bit widths.
    pub const MAHLKE: Strategy = Strategy(1 | 1 << 3);
    /// Class inference, An's type inference: static single use form.
    pub const CLASS_INFERENCE: Strategy = Strategy::USES_UP;
    /// Hochstadt's type inference: occurrence typing.
    pub const OCCURRENCE_TYPING: Strategy = Strategy(1 << 3 | 1 << 7);
    /// Null pointers.
    pub const NULL_POINTERS: Strategy = Strategy(1 | 1 << 2);
    /// Divergence: values change their shape at loop exits.
    pub const DIVERGENCE: Strategy = Strategy(1 | 1 << 9);

    /// The rows of 003 Fig. 5 in order, then the others of this module, by name.
    pub const NAMED: [(&'static str, Strategy); 10] = [
        ("ssa", Strategy::SSA),
        ("ssi", Strategy::SSI),
        ("abcd", Strategy::ABCD),
        ("stephenson", Strategy::STEPHENSON),
        ("mahlke", Strategy::MAHLKE),
        ("class-inference", Strategy::CLASS_INFERENCE),
        ("occurrence-typing", Strategy::OCCURRENCE_TYPING),
        ("null-pointers", Strategy::NULL_POINTERS),
        ("ccp", Strategy::CCP),
        ("divergence", Strategy::DIVERGENCE),
    ];

    const PARTS: [(Strategy, &'static str); 11] = [
        (Strategy::DEFS_DOWN, "Defs↓"),
        (Strategy::DEFS_UP, "Defs↑"),
        (Strategy::CONDS_DOWN, "Out(Conds)↓"),
        (Strategy::EQ_CONDS_DOWN, "Out(Conds=)↓"),
        (Strategy::THROUGH_CONDS_DOWN, "Out(Conds∘)↓"),
        (Strategy::LOOP_EXITS_DOWN, "In(LoopExits)↓"),
        (Strategy::USES_DOWN, "Uses↓"),
        (Strategy::LAST_USES_DOWN, "LastUses↓"),
        (Strategy::USES_UP, "Uses↑"),
        (Strategy::LAST_USES_UP, "LastUses↑"),
        (Strategy::CONDS_UP, "Out(Conds)↑"),
    ];

    /// The strategy with this name.
    pub fn from_name(name: &str) -> Option<Strategy> {
        Strategy::NAMED.iter().find(|(n, _)| *n == name).map(|&(_, s)| s)
    }

    /// The strategies that name one kind of node in one direction; all others are unions of them.
    pub fn single() -> impl Iterator<Item = Strategy> {
        Strategy::PARTS.iter().map(|&(part, _)| part)
    }

    /// Whether all nodes of `other` are also named by this.
    pub const fn contains(self, other: Strategy) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether some node of `other` is also named by this.
    pub const fn intersects(self, other: Strategy) -> bool {
        self.0 & other.0 != 0
    }

    /// The part that flows forward.
    pub const fn down(self) -> Strategy {
        Strategy(self.0 & (1 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 10))
    }

    /// The part that flows backward.
    pub const fn up(self) -> Strategy {
        Strategy(self.0 & (1 << 1 | 1 << 3 | 1 << 5 | 1 << 7))
    }

    /// The nodes of both; `|` for constants.
    pub(crate) const fn or(self, other: Strategy) -> Strategy {
        Strategy(self.0 | other.0)
    }

    pub(crate) const ANY_USES: Strategy = Strategy(1 << 2 | 1 << 3 | 1 << 4 | 1 << 5);

    /// Whether a fork whose branch does this test of a variable is named.
    #[inline]
    pub(crate) fn names(self, test: Test) -> bool {
        match test {
            Test::Equality => self.intersects(Strategy(1 << 6 | 1 << 7 | 1 << 8)),
            Test::Other => self.intersects(Strategy(1 << 6 | 1 << 7)),
            Test::Through => self.intersects(Strategy::THROUGH_CONDS_DOWN),
        }
    }
}

impl BitOr for Strategy {
    type Output = Strategy;
    fn bitor(self, rhs: Strategy) -> Strategy {
        Strategy(self.0 | rhs.0)
    }
}

impl BitOrAssign for Strategy {
    fn bitor_assign(&mut self, rhs: Strategy) {
        self.0 |= rhs.0;
    }
}

/// As 003 writes it: `Defs↓ ∪ LastUses↑`.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = Strategy::PARTS.iter().filter(|(part, _)| self.contains(*part));
        let text: Vec<&str> = parts.map(|&(_, text)| text).collect();
        f.write_str(if text.is_empty() { "∅" } else { "" })?;
        f.write_str(&text.join(" ∪ "))
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
