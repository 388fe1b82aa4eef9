//! Targets: where divergence starts on a GPU, as tables.
//!
//! A [`Target`] knows which threads a verdict is about (its [`Scope`]: a warp, or a whole block), how blocks are launched if
//! that is known, and what the special registers and built-in functions of NVPTX, AMDGPU and OpenCL C say about a thread
//! ([`table`]). From that come [`Sources`] for a function and [`Options`].
//!
//! ```
//! use lw_divergence::targets::{Gpu, Target};
//! use lw_divergence::{Stride, analyze};
//!
//! let module = lw_ir::parse_module(
//!     "declare @llvm.nvvm.read.ptx.sreg.tid.x : i32 ()
//!      func @f() -> i32 {
//!      entry:
//!        %t = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
//!        %w = lshr i32 %t, 5
//!        ret i32 %w
//!      }",
//! )
//! .unwrap();
//! let f = module.function("f").unwrap();
//! let target = Target::new(Gpu::Nvptx).with_block([256, 1, 1]);
//! let found = analyze(f, &target.sources::<Stride>(f), &target.options(None));
//! let warp = f.result(f.insts(f.blocks()[0])[1]);
//! assert!(found.is_uniform(warp)); // tid.x / 32 is the same for all threads of a warp
//! ```
//!
//! # Launches
//!
//! A launch is taken to have fewer than 2³¹ − 1024 threads along each dimension, so that `blockIdx.x * blockDim.x + threadIdx.x` does not
//! wrap.
//!
//! # Scopes
//!
//! Branches cost time where the threads of a *warp* part; barriers hang where the threads of a *block* do. The threads of a warp
//! run in lock step, those of a block do not: what they load from memory that is written may be different even at the same
//! address, and operations across the lanes of a warp say nothing about other warps ([`Options::scope`]).

mod launch;
pub mod table;

pub use launch::Launch;

use crate::known;
use crate::lattice::Lattice;
use crate::sources::{CallShape, Sources};
use crate::{Options, Scope};
use launch::Line;
use lw_ir::attrs::Attr;
use lw_ir::ops::BinOp;
use lw_ir::{DataLayout, Function, Op, Value};
use table::{Call, Register};

/// A family of GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gpu {
    /// NVIDIA's, as LLVM's NVPTX knows them.
    Nvptx,
    /// AMD's, as LLVM's AMDGPU knows them.
    Amdgpu,
    /// Any other that runs OpenCL C.
    OpenCl,
}

impl Gpu {
    /// The family that a target triple names.
    pub fn from_triple(triple: &str) -> Option<Gpu> {
        let family = |prefixes: &[&str]| prefixes.iter().any(|p| triple.starts_with(p));
        match () {
            () if family(&["nvptx"]) => Some(Gpu::Nvptx),
            () if family(&["amdgcn", "amdgpu", "r600"]) => Some(Gpu::Amdgpu),
            () if family(&["spir", "spirv"]) => Some(Gpu::OpenCl),
            () => None,
        }
    }

    /// How many threads run in lock step.
    pub fn warp(self) -> u32 {
        match self {
            Gpu::Nvptx | Gpu::OpenCl => 32,
            Gpu::Amdgpu => 64,
        }
    }
}

/// What is known of the number of a thread that a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Number {
    /// Lane *t* holds a multiple of the second number plus the first times *t*, without wrapping.
    pub line: Option<(i64, u64)>,
    /// It is the number of the thread in this dimension, or that plus something uniform.
    pub along: Option<(usize, Plus)>,
}

/// What is added to the number of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plus {
    /// Nothing.
    Zero,
    /// Something that is the same for all threads.
    Uniform,
}

/// A GPU, how it is launched, and for which threads verdicts hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The family.
    pub gpu: Gpu,
    /// How many threads run in lock step.
    pub warp: u32,
    /// The size of a block in three dimensions, if it is known.
    pub block: Option<[u32; 3]>,
    /// The threads that verdicts are about.
    pub scope: Scope,
}

impl Target {
    /// Verdicts about warps of blocks of unknown size.
    pub fn new(gpu: Gpu) -> Target {
        Target { gpu, warp: gpu.warp(), block: None, scope: Scope::Warp }
    }

    /// The same for blocks of a size.
    #[must_use]
    pub fn with_block(self, block: [u32; 3]) -> Target {
        Target { block: Some(block), ..self }
    }

    /// The same for other threads.
    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Target {
        Target { scope, ..self }
    }

    /// How blocks are launched, if that is known.
    pub fn launch(&self) -> Option<Launch> {
        self.block.map(|block| Launch { block, warp: self.warp, scope: self.scope })
    }

    /// The most threads that a verdict is about.
    pub fn threads(&self) -> Option<u32> {
        match self.scope {
            Scope::Warp => Some(self.warp),
            Scope::Block => self.block.map(|block| block.iter().product()),
        }
    }

    /// How functions are analysed for this target.
    pub fn options(&self, layout: Option<DataLayout>) -> Options {
        Options {
            threads: self.threads(),
            layout,
            scope: self.scope,
            constant_spaces: vec![4, 101],
            ..Options::default()
        }
    }

    /// Where divergence starts in a function: its parameters, if it is no kernel, and what calls yield.
    pub fn sources<L: Lattice>(&self, function: &Function) -> Sources<L> {
        let params = (0..function.params().len()).map(|i| {
            if is_kernel(function) { uniform(function.attrs.param(i)) } else { L::varying() }
        });
        let mut sources = Sources::params(params);
        sources.lane = Some(self.shape::<L>(32, Register::Lane));
        self.add_calls(function, &mut sources);
        for (value, dimension) in global_ids(function) {
            let bits = function.ty(value).int_bits().unwrap_or(32);
            sources.values.insert(value, self.shape(bits, Register::Global(dimension)));
            sources.nonnegative.insert(value);
        }
        for (_, at) in function.all_insts() {
            let number = known::callee(function, at).and_then(table::call).is_some_and(|call| {
                matches!(
                    call,
                    Call::Register(Register::Thread(_) | Register::Size(_) | Register::Lane)
                )
            });
            sources.nonnegative.extend(function[at].result.expand().filter(|_| number));
        }
        sources
    }

    /// Adds what the built-in functions yield that a function mentions.
    pub fn add_calls<L: Lattice>(&self, function: &Function, sources: &mut Sources<L>) {
        for symbol in function.symbols.iter().filter_map(|(_, symbol)| symbol.name.as_str()) {
            if !sources.calls.contains_key(symbol)
                && let Some(shape) = self.call(symbol)
            {
                sources.calls.insert(symbol.into(), shape);
            }
        }
    }

    /// What a call of a function yields; `None` if it is none of the target's.
    pub fn call<L: Lattice>(&self, name: &str) -> Option<CallShape<L>> {
        Some(match table::call(name)? {
            Call::Register(register) => CallShape::Fixed(self.shape(32, register)),
            Call::Dimension(registers) => {
                CallShape::OfDimension(registers.map(|register| self.shape(64, register)))
            }
            Call::Arguments => CallShape::OfArguments,
            Call::Vote { mask } if self.scope == Scope::Warp => CallShape::OfMask(mask),
            Call::Varying | Call::Vote { .. } => CallShape::Fixed(L::varying()),
        })
    }

    /// The shape of a register of so many bits.
    pub fn shape<L: Lattice>(&self, bits: u32, register: Register) -> L {
        if let (Register::Size(dimension), Some(block)) = (register, self.block) {
            return L::constant(bits, block[dimension].into());
        }
        match self.number(register) {
            Some(Number { line: Some((0, 0)), .. }) => L::constant(bits, 0),
            Some(Number { line: Some((0, align)), .. }) => L::strided(bits, 0, align, true, None),
            Some(number) => L::number(bits, &number),
            None => L::varying(),
        }
    }

    /// What is known of a register; `None`: nothing.
    pub fn number(&self, register: Register) -> Option<Number> {
        let line = |of: &dyn Fn(u32) -> u64| self.launch().and_then(|launch| launch.line(of));
        let thread = |dimension: usize| {
            let launch = self.launch();
            line(&|t| launch.map_or(0, |launch| launch.thread(t)[dimension].into()))
        };
        let number = |line: Option<Line>, along| {
            Some(Number { line: line.map(|line| (line.stride, line.align)), along })
        };
        let in_warp = self.scope == Scope::Warp;
        match register {
            Register::Uniform | Register::Size(_) => {
                number(Some(Line { stride: 0, align: 1 }), None)
            }
            Register::Thread(d) => number(thread(d), Some((d, Plus::Zero))),
            Register::Global(d) => {
                let line = thread(d).map(|line| Line { align: 1, ..line });
                number(line, Some((d, Plus::Uniform)))
            }
            Register::Lane => {
                let along = thread(0).filter(|line| line.stride == 1 && in_warp);
                let lanes = if in_warp { Some(Line { stride: 1, align: 0 }) } else { None };
                let warp = u64::from(self.warp.max(1));
                let lanes = lanes.or_else(|| line(&|t| u64::from(t) % warp));
                number(lanes, along.map(|_| (0, Plus::Uniform)))
            }
            Register::Warp if in_warp => number(Some(Line { stride: 0, align: 1 }), None),
            Register::Warp | Register::Varying => None,
        }
    }

    /// Whether a call of this function is a barrier that all threads of a block must reach.
    pub fn is_barrier(name: &str) -> bool {
        table::is_barrier(name)
    }
}

/// Sums `block · size + thread`, with the dimension of the thread. Where all three are in one dimension, this is a number in the
/// launch, which has fewer than 2³¹ − 1024 threads along each.
fn global_ids(function: &Function) -> Vec<(Value, usize)> {
    let register = |value: Value| {
        let name = known::callee(function, function.def_inst(value)?)?;
        name.strip_prefix("llvm.nvvm.read.ptx.sreg.")
    };
    let binary = |value: Value, op: BinOp| {
        let data = &function[function.def_inst(value)?];
        (data.op == Op::Binary(op)).then(|| [data.args[0], data.args[1]])
    };
    let either = |[a, b]: [Value; 2], test: &dyn Fn(Value, Value) -> bool| test(a, b) || test(b, a);
    let mut found = Vec::new();
    for (_, at) in function.all_insts() {
        let Some(sum) = function[at].result.expand() else { continue };
        let Some(terms) = binary(sum, BinOp::Add) else { continue };
        for (dimension, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let is = |value: Value, name: &str, letter: &str| {
                register(value).and_then(|r| r.strip_suffix(letter)).is_some_and(|r| r == name)
            };
            let along = |value: Value, letter: &str| {
                binary(value, BinOp::Mul).is_some_and(|factors| {
                    either(factors, &|a, b| is(a, "ctaid.", letter) && is(b, "ntid.", letter))
                })
            };
            let first = |value: Value| ["x", "y", "z"].iter().any(|letter| along(value, letter));
            if either(terms, &|a, b| first(a) && is(b, "tid.", letter)) {
                found.push((sum, dimension));
            }
        }
    }
    found
}

/// Whether a function is started from the host: all threads get the same arguments.
pub fn is_kernel(function: &Function) -> bool {
    // ptx_kernel, spir_kernel, amdgpu_kernel
    matches!(function.convention, 71 | 76 | 91)
}

/// The size of blocks that a kernel demands of those who launch it.
pub fn required_block(function: &Function) -> Option<[u32; 3]> {
    let text = function.attrs.function.iter().find_map(|attr| match attr {
        Attr::Text(key, value) if &**key == b"nvvm.reqntid" => std::str::from_utf8(value).ok(),
        _ => None,
    })?;
    let mut sizes = text.split(',').map(|size| size.trim().parse::<u32>().ok());
    let block =
        [sizes.next()??, sizes.next().unwrap_or(Some(1))?, sizes.next().unwrap_or(Some(1))?];
    (block.iter().all(|&size| size > 0) && sizes.next().is_none()).then_some(block)
}

/// An argument that is the same for all threads, with the alignment its attributes promise.
fn uniform<L: Lattice>(attrs: &[Attr]) -> L {
    let align = attrs.iter().find_map(|attr| match attr {
        Attr::Int(name, align) if &**name == "align" => Some(*align),
        _ => None,
    });
    align.map_or_else(L::uniform, |align| L::strided(64, 0, align.max(1), true, None))
}
