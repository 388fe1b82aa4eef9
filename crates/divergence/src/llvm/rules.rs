//! What LLVM's targets take for divergent, or for uniform, whatever the operands are.

use crate::known;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Function, Inst, Op, Value};

/// A target of LLVM on which threads can diverge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gpu {
    /// NVIDIA's.
    Nvptx,
    /// AMD's.
    Amdgpu,
}

/// What a target says of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Varying,
    Uniform,
    /// Uniform if the operands are.
    OfOperands,
}

/// Calling conventions by LLVM's numbers.
mod convention {
    pub(super) const SPIR_KERNEL: u32 = 76;
    pub(super) const AMDGPU_KERNEL: u32 = 91;
    pub(super) const PTX_KERNEL: u32 = 71;
}

impl Gpu {
    /// The target of a triple, if threads can diverge on it.
    pub fn of_triple(triple: &str) -> Option<Gpu> {
        match triple.split('-').next()? {
            "nvptx" | "nvptx64" => Some(Gpu::Nvptx),
            "amdgcn" => Some(Gpu::Amdgpu),
            _ => None,
        }
    }

    /// Whether the target takes a parameter to be different for each thread.
    pub(crate) fn is_varying_param(self, function: &Function, index: usize) -> bool {
        let kernels: &[u32] = match self {
            Gpu::Nvptx => &[convention::PTX_KERNEL],
            Gpu::Amdgpu => &[convention::AMDGPU_KERNEL, convention::SPIR_KERNEL],
        };
        let in_scalar_register = || {
            let attrs = function.attrs.param(index).iter();
            attrs.filter_map(|attr| attr.name()).any(|name| name == "inreg")
        };
        let kernel = kernels.contains(&function.convention);
        !kernel && (self == Gpu::Nvptx || !in_scalar_register())
    }

    /// What the target says of an instruction.
    #[inline]
    pub(crate) fn rule(self, function: &Function, this: Inst) -> Rule {
        let data = &function[this];
        match &data.op {
            Op::Load(_) => {
                // Generic addresses may be private ones.
                let private = matches!(address_space(function, data.args[0]), Some(0 | 5));
                if private { Rule::Varying } else { Rule::OfOperands }
            }
            Op::AtomicRmw(..) | Op::CmpXchg(_) => Rule::Varying,
            Op::Fence(_) if self == Gpu::Nvptx => Rule::Varying,
            Op::Call(_) | Op::Invoke(_) if self == Gpu::Nvptx => Rule::Varying,
            Op::Call(_) => match known::callee(function, this) {
                Some(name) if name.starts_with("llvm.") => of_amd_intrinsic(name),
                _ => Rule::Varying,
            },
            Op::Invoke(_) => Rule::Varying,
            Op::Opaque(_) if data.op.is_terminator() => Rule::OfOperands,
            Op::Opaque(_) => Rule::Varying,
            _ => Rule::OfOperands,
        }
    }
}

fn address_space(function: &Function, pointer: Value) -> Option<u32> {
    match function.ty(pointer) {
        Type::Scalar(Scalar::Ptr(space)) => Some(space),
        _ => None,
    }
}

/// The intrinsics of AMDGPU that LLVM takes to be divergent: those that number threads, move values between them, or
/// change memory and return what was there.
const AMD_VARYING: &[&str] = &[
    "workitem.id.",
    "mbcnt.",
    "interp.",
    "ds.swizzle",
    "ds.ordered.",
    "ds.append",
    "ds.consume",
    "ds.fadd",
    "ds.fmin",
    "ds.fmax",
    "mov.dpp",
    "update.dpp",
    "permlane",
    "set.inactive",
    "live.mask",
    "ps.live",
    "global.atomic.",
    "flat.atomic.",
    "raw.buffer.atomic.",
    "raw.ptr.buffer.atomic.",
    "struct.buffer.atomic.",
    "struct.ptr.buffer.atomic.",
    "image.atomic.",
    "image.sample.",
];

/// Those that are the same for all threads whatever the operands are.
const AMD_UNIFORM: &[&str] = &[
    "readfirstlane",
    "readlane",
    "icmp.",
    "fcmp.",
    "ballot.",
    "if.break",
    "wave.reduce.",
    "s.getpc",
    "s.getreg",
];

fn of_amd_intrinsic(name: &str) -> Rule {
    let Some(name) = name.strip_prefix("llvm.amdgcn.") else { return Rule::OfOperands };
    let among = |list: &[&str]| list.iter().any(|prefix| name.starts_with(prefix));
    if among(AMD_UNIFORM) {
        Rule::Uniform
    } else if among(AMD_VARYING) {
        Rule::Varying
    } else {
        Rule::OfOperands
    }
}
