//! Values that are computed in the same way.

use super::remembered::is_computed;
use lw_ir::{Function, Op, Value};

/// Whether two values are read and computed alike, from what `known` says is the same, or is not.
pub(super) fn alike(
    f: &Function,
    a: Value,
    b: Value,
    known: &impl Fn(Value, Value) -> Option<bool>,
) -> bool {
    if let Some(known) = known(a, b) {
        return known;
    }
    let (Some(x), Some(y)) = (f.def_inst(a), f.def_inst(b)) else { return false };
    let (x, y) = ((x, &f[x]), (y, &f[y]));
    let same = match (&x.1.op, &y.1.op) {
        (Op::Load(one), Op::Load(other)) => one.is_simple() && other.is_simple(),
        (one, other) => one == other && *one != Op::Freeze && is_computed(f, x.0),
    };
    same && (x.1.ty, x.1.args.len()) == (y.1.ty, y.1.args.len())
        && x.1.args.iter().zip(&y.1.args).all(|(&x, &y)| alike(f, x, y, known))
}
