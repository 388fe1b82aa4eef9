//! Random programs as kernels: what some parameters were, special registers are, for a launch of blocks of some shape.
//!
//! A warp has four threads, so that blocks of a few threads show all there is: warps that span rows and planes, rows that span
//! warps, incomplete warps. Claims about a warp are held against a lock-step execution of one of its warps. Claims about a
//! block are held against its warps one after the other on the same memory, by tags: each warp finds what others left.

use super::programs::{Instances, Verdict};
use super::{Threads, check_run_of};
use crate::divergence::Divergence;
use crate::lattice::{Lattice, Thread};
use crate::sources::Sources;
use crate::summaries::Program as Callees;
use crate::targets::{Gpu, Launch, Target};
use crate::{Affine, Basic, Options, Scope, Stride};
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::generate::{self, Param, Program, Rng, generate};
use lw_ir::inst::{CallInfo, InsertAt, InstData};
use lw_ir::interp::{HostCall, Machine, Run, RunError, Schedule, Trace, Val};
use lw_ir::ops::CastOp;
use lw_ir::symbols::SymbolKind;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Function, Op, Value};
use std::sync::Arc;

/// How many threads a warp has here; generated programs have memory for so many.
const WARP: u32 = 4;

const BLOCKS: &[[u32; 3]] = &[
    [4, 1, 1],
    [8, 2, 1],
    [2, 2, 2],
    [6, 1, 1],
    [2, 3, 1],
    [1, 4, 2],
    [12, 1, 2],
    [3, 3, 1],
    [1, 1, 5],
    [4, 3, 1],
];

/// Blocks of no more threads than there is memory for, in warps of two.
const SMALL_BLOCKS: &[[u32; 3]] = &[[4, 1, 1], [2, 2, 1], [1, 4, 1], [1, 2, 2], [3, 1, 1]];

/// A random program as a kernel, and the target it is for.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The program.
    pub program: Program,
    /// The target, with a launch that is known.
    pub target: Target,
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed ^ 0x6b65_726e);
    let block_scope = rng.one_in(3);
    let plain = generate::Options::default();
    let options = if block_scope {
        generate::Options { shared_writes: true, horizontal: true, ..plain }
    } else {
        generate::Options { shared_writes: rng.one_in(2), ..plain }
    };
    let mut program = generate(seed, &options);
    let gpu = if rng.one_in(2) { Gpu::Nvptx } else { Gpu::Amdgpu };
    let target = Target { warp: WARP, ..Target::new(gpu) };
    let target = if block_scope {
        let block = SMALL_BLOCKS[rng.below(SMALL_BLOCKS.len())];
        Target { warp: 2, ..target }.with_block(block).with_scope(Scope::Block)
    } else {
        target.with_block(BLOCKS[rng.below(BLOCKS.len())])
    };
    let entry = program.entry.clone();
    let params = program.inputs.params.clone();
    if let Some(function) =
        program.module.functions.iter_mut().find(|f| f.name.as_str() == Some(&entry))
    {
        read_registers(function, &params, gpu, &mut rng);
    }
    Kernel { program, target }
}

/// Makes integers that were parameters the values of special registers.
fn read_registers(function: &mut Function, params: &[Param], gpu: Gpu, rng: &mut Rng) {
    let varying: &[&str] = match gpu {
        Gpu::Amdgpu => {
            &["llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y", "llvm.amdgcn.workitem.id.z"]
        }
        _ => &[
            "llvm.nvvm.read.ptx.sreg.tid.x",
            "llvm.nvvm.read.ptx.sreg.tid.y",
            "llvm.nvvm.read.ptx.sreg.tid.z",
            "llvm.nvvm.read.ptx.sreg.laneid",
        ],
    };
    let uniform: &[&str] = match gpu {
        Gpu::Amdgpu => &["llvm.amdgcn.workgroup.id.x"],
        _ => &[
            "llvm.nvvm.read.ptx.sreg.ctaid.x",
            "llvm.nvvm.read.ptx.sreg.ntid.y",
            "llvm.nvvm.read.ptx.sreg.warpid",
        ],
    };
    for (position, param) in params.iter().enumerate() {
        let (ty, names) = match param {
            Param::Varying(ty, _) => (*ty, varying),
            Param::Uniform(ty, _) => (*ty, uniform),
            _ => continue,
        };
        let Type::Scalar(Scalar::Int(bits @ ..=64)) = ty else { continue };
        let old = function.params()[position];
        let (read, from) = if matches!(param, Param::Varying(..)) && rng.one_in(4) {
            let dimension = function.constant(Constant::int(Type::I32, rng.below(3) as i128));
            (call(function, "get_global_id", Type::I64, &[dimension]), 64)
        } else {
            (call(function, names[rng.below(names.len())], Type::I32, &[]), 32)
        };
        let new = match from {
            _ if bits == from => read,
            _ => {
                let op = if bits < from { CastOp::Trunc } else { CastOp::ZExt };
                // Behind the call: what was inserted last stands first.
                let at = function.def_inst(read).map(InsertAt::After);
                let Some(at) = at else { continue };
                let cast = function.insert(at, InstData::new(Op::Cast(op), ty, &[read]));
                function.result(cast)
            }
        };
        function.replace_uses(old, new);
    }
}

/// A call at the start of a function.
fn call(function: &mut Function, name: &str, ret: Type, args: &[Value]) -> Value {
    let types: Vec<Type> = args.iter().map(|&arg| function.ty(arg)).collect();
    let ty = function.types.function(ret, &types, false);
    let kind = || SymbolKind::Function { ty, attrs: Default::default() };
    let symbol = function.symbols.intern(name.into(), kind);
    let callee = function.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) });
    let attrs = function.attr_lists.empty();
    let mut operands = vec![callee];
    operands.extend_from_slice(args);
    let op = Op::Call(Box::new(CallInfo::new(ty, attrs)));
    let entry = function.blocks()[0];
    let inst = function.insert(InsertAt::Start(entry), InstData::new(op, ret, &operands));
    function.result(inst)
}

/// Lets a machine answer for the special registers of the threads of a group.
fn answer(machine: &mut Machine<'_>, launch: Launch, group: &[u32]) {
    let group: Arc<[u32]> = group.into();
    let mut host = |name: &str, of: &'static (dyn Fn(Launch, u32, usize) -> u64 + Send + Sync)| {
        let group = group.clone();
        let answer = move |call: &mut HostCall<'_>| {
            let linear = group.get(call.thread).copied().unwrap_or(0);
            let dimension = if call.args.is_empty() { 0 } else { call.size(0)? as usize };
            Ok(Val::Int(of(launch, linear, dimension).into()))
        };
        machine.host(name, Arc::new(answer));
    };
    host("llvm.nvvm.read.ptx.sreg.tid.x", &|launch, t, _| launch.thread(t)[0].into());
    host("llvm.nvvm.read.ptx.sreg.tid.y", &|launch, t, _| launch.thread(t)[1].into());
    host("llvm.nvvm.read.ptx.sreg.tid.z", &|launch, t, _| launch.thread(t)[2].into());
    host("llvm.amdgcn.workitem.id.x", &|launch, t, _| launch.thread(t)[0].into());
    host("llvm.amdgcn.workitem.id.y", &|launch, t, _| launch.thread(t)[1].into());
    host("llvm.amdgcn.workitem.id.z", &|launch, t, _| launch.thread(t)[2].into());
    host("llvm.nvvm.read.ptx.sreg.laneid", &|launch, t, _| (t % launch.warp).into());
    host("llvm.nvvm.read.ptx.sreg.warpid", &|launch, t, _| (t / launch.warp).into());
    host("llvm.nvvm.read.ptx.sreg.ctaid.x", &|_, _, _| 3);
    host("llvm.amdgcn.workgroup.id.x", &|_, _, _| 3);
    host("llvm.nvvm.read.ptx.sreg.ntid.y", &|launch, _, _| launch.block[1].into());
    host("get_global_id", &|launch, t, d| {
        let d = d.min(2);
        u64::from(launch.block[d]) * 7 + u64::from(launch.thread(t)[d])
    });
}

/// All that must hold of a kernel.
pub fn check(kernel: &Kernel) -> Verdict {
    let seed = kernel.program.seed;
    let one = |verdict: Verdict| match verdict {
        Verdict::Holds(seen) => Ok(seen),
        other => Err(other),
    };
    let all = || -> Result<usize, Verdict> {
        Ok(one(check_kernel::<Basic>(kernel, seed))?
            + one(check_kernel::<Stride>(kernel, seed))?
            + one(check_kernel::<Affine<1>>(kernel, seed))?
            + one(check_kernel::<Affine<2>>(kernel, seed))?)
    };
    all().map_or_else(|verdict| verdict, Verdict::Holds)
}

/// The sources of a kernel: its registers, and the parameters that are left.
fn sources<L: Lattice>(kernel: &Kernel, function: &Function) -> Sources<L> {
    let mut sources = kernel.target.sources::<L>(function);
    let uniform =
        |param: &Param| matches!(param, Param::Memory | Param::Table | Param::Uniform(..));
    let params = kernel.program.inputs.params.iter();
    sources.params = params.map(|p| if uniform(p) { L::uniform() } else { L::varying() }).collect();
    sources
}

fn check_kernel<L: Lattice>(kernel: &Kernel, seed: u64) -> Verdict {
    let program = &kernel.program;
    let Some(function) = program.module.function(&program.entry) else { return Verdict::Holds(0) };
    let Some(launch) = kernel.target.launch() else { return Verdict::Holds(0) };
    let options = Options {
        ranges: seed.is_multiple_of(2),
        ..kernel.target.options(Some(program.module.layout.clone()))
    };
    let sources = sources::<L>(kernel, function);
    let callees = Callees::new(&program.module.functions, sources.clone(), options.clone());
    let divergence = callees.analyze(function, &sources);
    let checked = match launch.scope {
        Scope::Block => in_block(program, function, &divergence, launch, seed),
        Scope::Warp => in_warp(program, function, &divergence, launch, &options, seed),
    };
    match checked {
        Ok(Ok(seen)) => Verdict::Holds(seen),
        Ok(Err(wrong)) => Verdict::Wrong(format!("{wrong}, for {:?}", kernel.target)),
        Err(error) => Verdict::Nothing(error),
    }
}

/// How many claims were looked at, or what is wrong.
type Checked = Result<usize, String>;

/// One of the warps, in lock step.
fn in_warp<L: Lattice>(
    program: &Program,
    function: &Function,
    divergence: &Divergence<L>,
    launch: Launch,
    options: &Options,
    seed: u64,
) -> Result<Checked, RunError> {
    let groups = launch.groups();
    let group = &groups[seed as usize / 7 % groups.len()];
    let (mut machine, memory, table) = program.inputs.machine(&program.module)?;
    answer(&mut machine, launch, group);
    let args: Vec<Vec<Val>> =
        (0..group.len()).map(|t| program.inputs.arguments(t, memory, table)).collect();
    let trace = run(&mut machine, &program.entry, &args, seed)?;
    let numbers: Vec<Thread> = group.iter().map(|&t| launch.thread(t)).collect();
    let threads = Threads { args: &args, numbers: Some(&numbers) };
    Ok(check_run_of(function, divergence, options, &threads, &trace))
}

/// All warps of a block, one after the other.
fn in_block<L: Lattice>(
    program: &Program,
    function: &Function,
    divergence: &Divergence<L>,
    launch: Launch,
    seed: u64,
) -> Result<Checked, RunError> {
    let mut instances = Instances::default();
    let (mut machine, memory, table) = program.inputs.machine(&program.module)?;
    for warp in (Launch { scope: Scope::Warp, ..launch }).groups() {
        answer(&mut machine, launch, &warp);
        let arguments = |&t: &u32| program.inputs.arguments(t as usize, memory, table);
        let args: Vec<Vec<Val>> = warp.iter().map(arguments).collect();
        let trace = run(&mut machine, &program.entry, &args, seed)?;
        if let Err(wrong) = instances.add(function, divergence, &trace) {
            return Ok(Err(wrong));
        }
    }
    Ok(Ok(instances.len()))
}

fn run(
    machine: &mut Machine<'_>,
    entry: &str,
    args: &[Vec<Val>],
    seed: u64,
) -> Result<Trace, RunError> {
    let schedule = Schedule::Greedy { seed };
    let step_limit = lw_ir::generate::lockstep::STEPS;
    let run = Run { threads: args.len(), trace: true, step_limit, schedule, ..Run::default() };
    Ok(machine.run(entry, args, &run)?.trace.unwrap_or_default())
}
