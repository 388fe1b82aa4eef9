//! LLVM's intrinsics that work lane by lane, and so have a vector form.

/// Those with operands and result of one type, which their name ends in.
const LANEWISE: [&str; 47] = [
    "fabs",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "canonicalize",
    "fma",
    "fmuladd",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "minimumnum",
    "maximumnum",
    "copysign",
    "sin",
    "cos",
    "tan",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "pow",
    "smin",
    "smax",
    "umin",
    "umax",
    "ctpop",
    "bswap",
    "bitreverse",
    "fshl",
    "fshr",
    "sadd.sat",
    "uadd.sat",
    "ssub.sat",
    "usub.sat",
    "sshl.sat",
    "ushl.sat",
    "abs",
    "ctlz",
    "cttz",
];

/// Those that also say whether they overflowed.
const WITH_OVERFLOW: [&str; 6] = ["sadd", "uadd", "ssub", "usub", "smul", "umul"];

/// The name without `llvm.` and the type at its end.
pub(super) fn base(name: &str) -> Option<&str> {
    Some(name.strip_prefix("llvm.")?.rsplit_once('.')?.0)
}

/// Whether an intrinsic works lane by lane.
pub(crate) fn is_lanewise(name: &str) -> bool {
    let Some(base) = base(name) else { return false };
    LANEWISE.contains(&base)
        || base.strip_suffix(".with.overflow").is_some_and(|op| WITH_OVERFLOW.contains(&op))
}

/// Whether the operand at this position is part of the operation and stays scalar.
pub(super) fn is_immediate(name: &str, position: usize) -> bool {
    position == 1 && matches!(base(name), Some("abs" | "ctlz" | "cttz"))
}

/// Whether the result is the first operand and the rest is a hint.
pub(super) fn copies_first(name: &str) -> bool {
    name.starts_with("llvm.expect.")
}
