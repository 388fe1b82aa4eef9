//! Mathematical functions, and their vector variants in libmvec and SLEEF.
//!
//! libmvec is part of glibc on x86-64 and AArch64. Its functions have an error of up to 4 ULP. Of SLEEF, a library of its own, those with
//! an error of about 1 ULP are taken. They set no `errno`, and have no masks.

use crate::abi::Isa;
use crate::callee;
use lw_ir::types::{FloatKind, Scalar, Type};
use lw_ir::{Flags, Function, Inst, Op};

/// Which mathematical functions may be taken from a library of vector functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Math {
    /// None: results are those of the scalar functions.
    #[default]
    Scalar,
    /// Those of calls that may be approximate (`afn`), from libmvec.
    Approximate,
    /// All, from libmvec.
    Libmvec,
    /// All, from SLEEF.
    Sleef,
}

/// The functions that libmvec has had since glibc 2.22, then those since 2.35, with the number of their arguments.
const FUNCTIONS: [(&str, usize); 26] = [
    ("sin", 1),
    ("cos", 1),
    ("exp", 1),
    ("log", 1),
    ("pow", 2),
    ("tan", 1),
    ("exp2", 1),
    ("exp10", 1),
    ("expm1", 1),
    ("log2", 1),
    ("log10", 1),
    ("log1p", 1),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("asinh", 1),
    ("acosh", 1),
    ("atanh", 1),
    ("cbrt", 1),
    ("erf", 1),
    ("erfc", 1),
    ("atan2", 2),
    ("hypot", 2),
];

/// A mathematical function that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    base: &'static str,
    pub(crate) arguments: usize,
    double: bool,
}

impl Known {
    /// How libmvec calls it.
    pub(crate) fn symbol(&self) -> String {
        format!("{}{}", self.base, if self.double { "" } else { "f" })
    }

    /// How SLEEF calls the variant for these registers.
    pub(crate) fn sleef(&self, isa: Isa) -> Option<String> {
        let (ty, lanes) = (if self.double { 'd' } else { 'f' }, self.lanes(isa)?);
        // The largest error in tenths of a ULP.
        let error = match self.base {
            "hypot" => "05",
            "erfc" => "15",
            _ => "10",
        };
        let registers = match isa {
            Isa::Sse => "sse2",
            Isa::Avx => "avx",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512f",
            Isa::Neon => "advsimd",
            Isa::Sve => return None,
        };
        Some(format!("Sleef_{}{ty}{lanes}_u{error}{registers}", self.base))
    }

    /// The number of lanes of a variant.
    pub(crate) fn lanes(&self, isa: Isa) -> Option<u32> {
        let bits = match isa {
            Isa::Sse | Isa::Neon => 128,
            Isa::Avx | Isa::Avx2 => 256,
            Isa::Avx512 => 512,
            Isa::Sve => return None,
        };
        Some(bits / if self.double { 64 } else { 32 })
    }

    /// An argument that does no harm.
    pub(crate) fn harmless(&self) -> u128 {
        match (self.base, self.double) {
            ("acosh", false) => 0x3f80_0000,
            ("acosh", true) => 0x3ff0 << 48,
            (_, false) => 0x3f00_0000,
            (_, true) => 0x3fe0 << 48,
        }
    }
}

/// The mathematical function that a call names, by its name in C or as an intrinsic.
pub(crate) fn known(function: &Function, call: Inst) -> Option<Known> {
    let data = &function[call];
    let Op::Call(info) = &data.op else { return None };
    let name = crate::callee::name(function, call)?;
    let double = match data.ty {
        Type::Scalar(Scalar::Float(FloatKind::Float)) => false,
        Type::Scalar(Scalar::Float(FloatKind::Double)) => true,
        _ => return None,
    };
    let base = match name.strip_prefix("llvm.") {
        Some(intrinsic) => intrinsic.split('.').next()?,
        None if function.call_attrs(info.attrs).has("nobuiltin") => return None,
        None if double => name,
        None => name.strip_suffix('f')?,
    };
    let &(base, arguments) = FUNCTIONS.iter().find(|(known, _)| *known == base)?;
    let fits = data.args.len() == arguments + 1
        && data.args[1..].iter().all(|&arg| function.ty(arg) == data.ty);
    fits.then_some(Known { base, arguments, double })
}

/// Whether a call may leave something in `errno`, which vector functions do not: compilers say of calls that touch no memory that they
/// do not (`-fno-math-errno`).
pub(crate) fn sets_errno(function: &Function, call: Inst) -> bool {
    let intrinsic = callee::name(function, call).is_some_and(|name| name.starts_with("llvm."));
    !intrinsic && function.call_memory(call).writes
}

/// Whether a call may be less precise than the scalar one.
pub(crate) fn is_allowed(function: &Function, call: Inst, math: Math) -> bool {
    match math {
        Math::Scalar => false,
        Math::Approximate => function[call].flags.contains(Flags::AFN),
        Math::Libmvec | Math::Sleef => true,
    }
}
