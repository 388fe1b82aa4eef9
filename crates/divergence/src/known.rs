//! Functions that are known by name.

use crate::objects::Objects;
use lw_ir::{Function, Inst, Op};

/// Intrinsics of LLVM, and functions of the C library, whose result depends on their arguments only. A `*` matches the types
/// behind the name.
const PURE: &[&str] = &[
    "llvm.abs.*",
    "llvm.smax.*",
    "llvm.smin.*",
    "llvm.umax.*",
    "llvm.umin.*",
    "llvm.scmp.*",
    "llvm.ucmp.*",
    "llvm.bswap.*",
    "llvm.bitreverse.*",
    "llvm.ctpop.*",
    "llvm.ctlz.*",
    "llvm.cttz.*",
    "llvm.fshl.*",
    "llvm.fshr.*",
    "llvm.sadd.*",
    "llvm.uadd.*",
    "llvm.ssub.*",
    "llvm.usub.*",
    "llvm.smul.*",
    "llvm.umul.*",
    "llvm.sshl.*",
    "llvm.ushl.*",
    "llvm.fabs.*",
    "llvm.fma.*",
    "llvm.fmuladd.*",
    "llvm.sqrt.*",
    "llvm.sin.*",
    "llvm.cos.*",
    "llvm.pow.*",
    "llvm.powi.*",
    "llvm.exp.*",
    "llvm.exp2.*",
    "llvm.log.*",
    "llvm.log2.*",
    "llvm.log10.*",
    "llvm.floor.*",
    "llvm.ceil.*",
    "llvm.trunc.*",
    "llvm.rint.*",
    "llvm.nearbyint.*",
    "llvm.round.*",
    "llvm.roundeven.*",
    "llvm.copysign.*",
    "llvm.minnum.*",
    "llvm.maxnum.*",
    "llvm.minimum.*",
    "llvm.maximum.*",
    "llvm.canonicalize.*",
    "llvm.is.fpclass.*",
    "llvm.fptoui.sat.*",
    "llvm.fptosi.sat.*",
    "llvm.vector.reduce.*",
    "llvm.expect.*",
    "llvm.ptrmask.*",
];

/// Functions of the C library whose result depends on their arguments only; an `f` or `l` may follow. That some of them set `errno`
/// is seen by the thread alone. CUDA's and AMD's libraries have them under longer names.
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nearbyint",
    "nextafter",
    "pow",
    "powi",
    "remainder",
    "rint",
    "round",
    "rsqrt",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// Integer functions of the C library.
const INTEGERS: &[&str] = &["abs", "labs", "llabs", "ffs", "ffsl", "ffsll"];

/// Whether the result of a function of this name depends on its arguments only, and it has no effects.
pub(crate) fn is_pure(name: &str) -> bool {
    PURE.iter().any(|pattern| name.starts_with(&pattern[..pattern.len() - 1])) || is_math(name)
}

fn is_math(name: &str) -> bool {
    let plain = name.strip_prefix("__nv_").or_else(|| name.strip_prefix("__ocml_")).unwrap_or(name);
    let plain = plain.strip_suffix("_f32").or_else(|| plain.strip_suffix("_f64")).unwrap_or(plain);
    let known = |name: &str| MATH.binary_search(&name).is_ok();
    known(plain) || plain.strip_suffix(['f', 'l']).is_some_and(known) || INTEGERS.contains(&plain)
}

/// Names of intrinsics that tell threads apart, or let them see each other, whatever their attributes say.
pub(crate) fn is_of_target(name: &str) -> bool {
    ["llvm.nvvm.", "llvm.amdgcn.", "llvm.spv.", "llvm.r600."].iter().any(|p| name.starts_with(p))
}

/// The name of the function a call names.
pub(crate) fn callee(function: &Function, call: Inst) -> Option<&str> {
    let symbol = function.as_symbol(*function[call].args.first()?)?;
    function.symbols.get(symbol).name.as_str()
}

/// Whether an instruction may write memory that other threads read.
pub(crate) fn writes_shared(function: &Function, objects: &Objects, at: Inst) -> bool {
    let data = &function[at];
    match &data.op {
        Op::Store(_) => objects.pointees(data.args[1]).is_empty(),
        Op::AtomicRmw(..) | Op::CmpXchg(_) | Op::VaArg => true,
        Op::Call(_) | Op::Invoke(_) => {
            function.call_memory(at).writes && !is_pure(callee(function, at).unwrap_or_default())
        }
        Op::Opaque(info) => info.effects.writes,
        _ => false,
    }
}
