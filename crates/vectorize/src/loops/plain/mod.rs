//! Loops as LLVM's passes would leave them.
//!
//! In code that was not optimized a value is read as often as it is named, and numbers narrower than `int` are computed as `int`. That hides
//! what iterations hand on to each other. So where they seem to depend on each other, the copy of the function that is worked on is made plain:
//!
//! | | |
//! | --- | --- |
//! | `once` | what is computed or read again is what it was: the second `a[i]` of `if (a[i] < least) least = a[i];` |
//! | `narrow`, `low_part` | a number that is widened, computed with and cut again has its own width throughout |
//! | `choices` | `max(x, best)` is chosen by a comparison where `x` is taken anyway on another way; carried conditions are compared |
//! | `equals` | what is carried stands for constants that it is known to be equal to |
//! | `signs` | a change of sign is a product with −1, which can be combined |
//! | `truths` | truth values that are compared as numbers are combined by `xor` |

mod choices;
mod equals;
mod low_part;
mod narrow;
mod once;
mod signs;
mod truths;

use super::shape::LoopShape;
use crate::edit;
use lw_ir::{Function, Value};
pub(super) use once::may_write;
pub(super) use signs::is_sign;
use std::collections::HashSet;

impl LoopShape {
    /// Computes in the loop as LLVM's passes would. All of `truths` are 0 or 1.
    pub(super) fn make_plain(&self, f: &mut Function, truths: &HashSet<Value>) {
        self.compute_truths(f, truths);
        self.compute_once(f);
        self.compute_narrow(f);
        self.compute_choices(f);
        self.name_equals(f);
        self.compute_signs(f);
        // What was not the same before may be now.
        self.compute_once(f);
        edit::remove_unused_in(f, |b| self.contains(b));
    }
}
