//! What the special registers and built-in functions of targets say about threads. What is not in the tables is varying.

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    /// The same for all threads of a block: the number of the block, the sizes of the launch.
    Uniform,
    /// The size of a block, in a dimension.
    Size(usize),
    /// The number of the thread in its block, in a dimension.
    Thread(usize),
    /// The number of the thread in the whole launch, in a dimension.
    Global(usize),
    /// The number of the thread in its warp.
    Lane,
    /// The same for all threads of a warp only.
    Warp,
    /// Something of each thread's own.
    Varying,
}

/// What a call of a built-in function yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// A register.
    Register(Register),
    /// A register, in the dimension that the argument names.
    Dimension([Register; 3]),
    /// Something computed from the arguments.
    Arguments,
    /// The same for all threads of a warp that take part, if they agree on who does.
    Vote {
        /// The argument that says who takes part; `None`: the active threads do.
        mask: Option<usize>,
    },
    /// Nothing is known.
    Varying,
}

const X: [Register; 3] = [Register::Thread(0), Register::Thread(1), Register::Thread(2)];
const GLOBAL: [Register; 3] = [Register::Global(0), Register::Global(1), Register::Global(2)];
const SIZE: [Register; 3] = [Register::Size(0), Register::Size(1), Register::Size(2)];
const UNIFORM: [Register; 3] = [Register::Uniform; 3];

/// PTX: `llvm.nvvm.read.ptx.sreg.*`.
const PTX_REGISTERS: &[(&str, Register)] = &[
    ("tid.x", Register::Thread(0)),
    ("tid.y", Register::Thread(1)),
    ("tid.z", Register::Thread(2)),
    ("laneid", Register::Lane),
    ("warpid", Register::Warp),
    ("warpsize", Register::Uniform),
    ("nwarpid", Register::Uniform),
    ("ntid.x", Register::Size(0)),
    ("ntid.y", Register::Size(1)),
    ("ntid.z", Register::Size(2)),
    ("ctaid.x", Register::Uniform),
    ("ctaid.y", Register::Uniform),
    ("ctaid.z", Register::Uniform),
    ("nctaid.x", Register::Uniform),
    ("nctaid.y", Register::Uniform),
    ("nctaid.z", Register::Uniform),
    ("clusterid.x", Register::Uniform),
    ("clusterid.y", Register::Uniform),
    ("clusterid.z", Register::Uniform),
    ("cluster.ctaid.x", Register::Uniform),
    ("cluster.ctaid.y", Register::Uniform),
    ("cluster.ctaid.z", Register::Uniform),
    ("cluster.ctarank", Register::Uniform),
    ("smid", Register::Uniform),
    ("nsmid", Register::Uniform),
    ("gridid", Register::Uniform),
    ("dynamic.smem.size", Register::Uniform),
    ("total.smem.size", Register::Uniform),
    ("aggr.smem.size", Register::Uniform),
];

/// PTX: operations that depend on their arguments only; the word behind `llvm.nvvm.`.
const PTX_ARITHMETIC: &[&str] = &[
    "abs", "add", "bfe", "bfi", "bitcast", "brev", "ceil", "clz", "cos", "d2f", "d2i", "d2ll",
    "d2ui", "d2ull", "div", "ex2", "f2h", "f2i", "f2ll", "f2ui", "f2ull", "fabs", "floor", "fma",
    "fmax", "fmin", "fns", "h2f", "i2d", "i2f", "idp2a", "idp4a", "lg2", "ll2d", "ll2f", "lohi",
    "max", "min", "mul", "mul24", "mulhi", "neg", "popc", "prmt", "rcp", "rotate", "round",
    "rsqrt", "sad", "saturate", "sin", "sqrt", "tanh", "trunc", "ui2d", "ui2f", "ull2d", "ull2f",
];

/// PTX: what all members of the mask in the first argument get alike.
const PTX_VOTES: &[&str] = &["vote.all.sync", "vote.any.sync", "vote.uni.sync", "vote.ballot.sync"];

/// AMDGPU: `llvm.amdgcn.*`.
const AMD_REGISTERS: &[(&str, Register)] = &[
    ("workitem.id.x", Register::Thread(0)),
    ("workitem.id.y", Register::Thread(1)),
    ("workitem.id.z", Register::Thread(2)),
    ("workgroup.id.x", Register::Uniform),
    ("workgroup.id.y", Register::Uniform),
    ("workgroup.id.z", Register::Uniform),
    ("dispatch.ptr", Register::Uniform),
    ("dispatch.id", Register::Uniform),
    ("queue.ptr", Register::Uniform),
    ("kernarg.segment.ptr", Register::Uniform),
    ("implicitarg.ptr", Register::Uniform),
    ("groupstaticsize", Register::Uniform),
    ("wavefrontsize", Register::Uniform),
];

/// AMDGPU: the same for all threads of a wave.
const AMD_SCALARS: &[&str] = &["readfirstlane", "readlane", "ballot", "icmp", "fcmp"];

/// OpenCL C, by the name in the source.
const OPENCL: &[(&str, Call)] = &[
    ("get_local_id", Call::Dimension(X)),
    ("get_global_id", Call::Dimension(GLOBAL)),
    ("get_group_id", Call::Dimension(UNIFORM)),
    ("get_local_size", Call::Dimension(SIZE)),
    ("get_enqueued_local_size", Call::Dimension(UNIFORM)),
    ("get_global_size", Call::Dimension(UNIFORM)),
    ("get_global_offset", Call::Dimension(UNIFORM)),
    ("get_num_groups", Call::Dimension(UNIFORM)),
    ("get_work_dim", Call::Register(Register::Uniform)),
];

/// What a call of a function of this name yields; `None` if it is none of a target's.
pub fn call(name: &str) -> Option<Call> {
    if let Some(name) = name.strip_prefix("llvm.nvvm.") {
        return Some(ptx(name));
    }
    if let Some(name) = name.strip_prefix("llvm.amdgcn.") {
        return Some(amd(name));
    }
    let plain = source_name(name);
    OPENCL.iter().find(|(known, _)| *known == plain).map(|(_, call)| *call)
}

fn find(table: &[(&str, Register)], name: &str) -> Call {
    let known = table.iter().find(|(known, _)| *known == name);
    known.map_or(Call::Varying, |(_, register)| Call::Register(*register))
}

fn ptx(name: &str) -> Call {
    if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
        return find(PTX_REGISTERS, register);
    }
    if PTX_VOTES.contains(&name) {
        return Call::Vote { mask: Some(0) };
    }
    let word = name.split('.').next().unwrap_or_default();
    if PTX_ARITHMETIC.contains(&word) { Call::Arguments } else { Call::Varying }
}

fn amd(name: &str) -> Call {
    let scalar = |known: &&str| {
        name == *known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'))
    };
    if AMD_SCALARS.iter().any(scalar) {
        return Call::Vote { mask: None };
    }
    find(AMD_REGISTERS, name)
}

/// The name in the source of a function whose name was mangled as C++ mangles it; other names as they are.
fn source_name(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("_Z") else { return name };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + length).unwrap_or(name)
}

/// Barriers that all threads of a block must reach.
pub fn is_barrier(name: &str) -> bool {
    let ptx = name.strip_prefix("llvm.nvvm.").is_some_and(|name| {
        name.starts_with("barrier.cta.")
            || name.starts_with("barrier0")
            || name == "barrier"
            || name == "barrier.n"
            || name == "barrier.sync"
    });
    let amd = name.starts_with("llvm.amdgcn.s.barrier");
    ptx || amd || matches!(source_name(name), "barrier" | "work_group_barrier" | "__syncthreads")
}

#[cfg(test)]
mod tests {
    use super::{Call, Register, call, is_barrier};

    #[test]
    fn names_are_found() {
        let thread = |d| Some(Call::Register(Register::Thread(d)));
        assert_eq!(call("llvm.nvvm.read.ptx.sreg.tid.y"), thread(1));
        assert_eq!(call("llvm.amdgcn.workitem.id.z"), thread(2));
        assert_eq!(call("llvm.nvvm.read.ptx.sreg.clock"), Some(Call::Varying));
        assert_eq!(call("llvm.nvvm.shfl.sync.idx.i32"), Some(Call::Varying));
        assert_eq!(call("llvm.nvvm.fma.rn.f"), Some(Call::Arguments));
        assert_eq!(call("llvm.amdgcn.readfirstlane.i32"), Some(Call::Vote { mask: None }));
        assert_eq!(call("llvm.amdgcn.readfirstlanes"), Some(Call::Varying));
        assert!(matches!(call("_Z13get_global_idj"), Some(Call::Dimension(_))));
        assert!(matches!(call("get_local_id"), Some(Call::Dimension(_))));
        assert_eq!(call("sinf"), None);
        assert_eq!(call("_Z999x"), None);
        assert!(is_barrier("llvm.nvvm.barrier.cta.sync.aligned.all") && is_barrier("_Z7barrierj"));
        assert!(!is_barrier("llvm.nvvm.bar.warp.sync"));
    }
}
