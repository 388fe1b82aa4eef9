//! Random programs as kernels: what some parameters were, special registers are, for a launch of blocks of some shape; functions
//! that are called return numbers and what lies in globals.
//!
//! A warp has four threads, so that blocks of a few threads show all there is: warps that span rows and planes, rows that span
//! warps, incomplete warps. Claims about a warp are held against a lock-step execution of one of its warps. Claims about a
//! block are held against its warps one after the other on the same memory, by tags: each warp finds what others left.

use super::programs::Verdict;
use super::{Threads, agree, check_run_of};
use crate::divergence::Divergence;
use crate::lattice::{Lattice, Thread};
use crate::sources::Sources;
use crate::summaries::Program as Callees;
use crate::targets::{Gpu, Launch, Target};
use crate::{Affine, Basic, Options, Scope, Stride};
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::generate::{self, Param, Program, Rng, generate};
use lw_ir::inst::{Access, CallInfo, InsertAt, InstData};
use lw_ir::interp::{HostCall, Machine, Run, RunError, Schedule, Tag, Trace, Val};
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::symbols::SymbolKind;
use lw_ir::symbols::SymbolName;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Builder, Function, Module, Op, Value};
use rustc_hash::FxHashMap;
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
    let written = written_global(&program.module);
    for function in &mut program.module.functions {
        if function.name.as_str() != Some(&entry) {
            change_returns(function, gpu, written.as_ref(), &mut rng);
        } else if let Some((global, _)) = written.as_ref().filter(|_| rng.one_in(2)) {
            write_at_end(function, global);
        }
    }
    Kernel { program, target }
}

/// A global that programs may write, and its size.
fn written_global(module: &Module) -> Option<(SymbolName, u64)> {
    let mut written = module.globals.iter().filter(|global| !global.constant);
    written.find_map(|global| {
        Some((global.name.clone(), module.layout.alloc_size(&module.types, global.ty)?))
    })
}

/// Makes a function return numbers of its own, at once on one of the threads; or what it finds in a global.
fn change_returns(
    function: &mut Function,
    gpu: Gpu,
    global: Option<&(SymbolName, u64)>,
    rng: &mut Rng,
) {
    let ty = function.signature.ret;
    let Type::Scalar(Scalar::Int(bits @ ..=64)) = ty else { return };
    let fits = |&&(_, size): &&(SymbolName, u64)| bits % 8 == 0 && size >= u64::from(bits / 8);
    let global = global.filter(fits);
    match (rng.below(7), global) {
        (0, Some((name, _))) => *function = peek(function, name, ty),
        (1 | 2, _) => {
            for block in function.blocks().to_vec() {
                let at = function.terminator(block).filter(|&at| function[at].op == Op::Ret);
                let number = function.constant(Constant::int(ty, rng.below(100) as i128));
                at.into_iter().for_each(|at| function[at].args[0] = number);
            }
            if rng.one_in(2) {
                return_early(function, gpu, ty, rng);
            }
        }
        _ => {}
    }
}

/// A function like this that returns what lies in a global.
fn peek(function: &Function, global: &SymbolName, ty: Type) -> Function {
    let (signature, types) = (function.signature.clone(), function.types.clone());
    let mut new = Function::new(function.name.clone(), signature, types);
    new.convention = function.convention;
    let kind = || SymbolKind::Variable { ty: Type::I8, constant: false };
    let symbol = new.symbols.intern(global.clone(), kind);
    let block = new.add_block();
    let mut builder = Builder::new(&mut new);
    builder.switch_to(block);
    let pointer = builder.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) });
    let found = builder.load(ty, pointer, Access::aligned(1));
    builder.ret(Some(found));
    new
}

/// Makes a function write a global before it returns: who comes later finds something else.
fn write_at_end(function: &mut Function, global: &SymbolName) {
    let kind = || SymbolKind::Variable { ty: Type::I8, constant: false };
    let symbol = function.symbols.intern(global.clone(), kind);
    let kind = ConstantKind::Symbol(symbol);
    let pointer = function.constant(Constant { ty: Type::PTR, kind });
    let number = function.constant(Constant::int(Type::I8, 0x5a));
    for block in function.blocks().to_vec() {
        if let Some(at) = function.terminator(block).filter(|&at| function[at].op == Op::Ret) {
            let op = Op::Store(Access::aligned(1));
            let store = InstData::new(op, Type::Void, &[number, pointer]);
            function.insert(InsertAt::Before(at), store);
        }
    }
}

/// One of the threads returns before it does anything.
fn return_early(function: &mut Function, gpu: Gpu, ty: Type, rng: &mut Rng) {
    let Some(body) = function.entry() else { return };
    let [entry, early] = [0, 1].map(|_| function.add_block());
    let mut order = function.blocks().to_vec();
    order.retain(|&block| block != entry);
    order.insert(0, entry);
    function.reorder_blocks(order);
    let name = match gpu {
        Gpu::Amdgpu => "llvm.amdgcn.workitem.id.x",
        _ => "llvm.nvvm.read.ptx.sreg.tid.x",
    };
    let mut builder = Builder::new(function);
    builder.switch_to(entry);
    let (_, callee_ty, callee) = builder.declare(name, Type::I32, &[]);
    let Some(thread) = builder.call(callee_ty, callee, &[]) else { return };
    let number = builder.int(Type::I32, rng.below(3) as i128);
    let condition = builder.icmp(IntPred::Eq, thread, number);
    builder.cond_br(condition, early, body);
    builder.switch_to(early);
    let number = builder.int(ty, rng.below(100) as i128);
    builder.ret(Some(number));
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
        let (read, from) =
            if matches!(param, Param::Varying(..)) && rng.one_in(4) && gpu == Gpu::Nvptx {
                (global_id(function), 32)
            } else if matches!(param, Param::Varying(..)) && rng.one_in(4) {
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

/// `block * size + thread`, as CUDA programs compute it.
fn global_id(function: &mut Function) -> Value {
    let names = ["ctaid.x", "ntid.x", "tid.x"];
    let [block, size, thread] = names
        .map(|name| call(function, &format!("llvm.nvvm.read.ptx.sreg.{name}"), Type::I32, &[]));
    let mut after = |op: BinOp, at: Value, args: [Value; 2]| {
        let at =
            function.def_inst(at).map_or(InsertAt::Start(function.blocks()[0]), InsertAt::After);
        let inst = function.insert(at, InstData::new(Op::Binary(op), Type::I32, &args));
        function.result(inst)
    };
    // What was inserted first stands last.
    let first = after(BinOp::Mul, block, [block, size]);
    after(BinOp::Add, first, [first, thread])
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
    host("llvm.nvvm.read.ptx.sreg.ntid.x", &|launch, _, _| launch.block[0].into());
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
    for function in &kernel.program.module.functions {
        kernel.target.add_calls(function, &mut sources);
    }
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
        Scope::Block => in_block(program, function, &divergence, launch, &options, seed),
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

/// What each thread of a block had, by instance.
type Instances = FxHashMap<(Value, Tag), Vec<Option<Val>>>;

/// All warps of a block, one after the other.
fn in_block<L: Lattice>(
    program: &Program,
    function: &Function,
    divergence: &Divergence<L>,
    launch: Launch,
    options: &Options,
    seed: u64,
) -> Result<Checked, RunError> {
    let mut instances = Instances::default();
    let (mut machine, memory, table) = program.inputs.machine(&program.module)?;
    let count = launch.threads().unwrap_or(0);
    for warp in (Launch { scope: Scope::Warp, ..launch }).groups() {
        answer(&mut machine, launch, &warp);
        let arguments = |&t: &u32| program.inputs.arguments(t as usize, memory, table);
        let args: Vec<Vec<Val>> = warp.iter().map(arguments).collect();
        let trace = run(&mut machine, &program.entry, &args, seed)?;
        for step in trace.top() {
            for (of, values) in &step.values {
                for t in (0..values.len()).filter(|&t| step.active[t]) {
                    let instance = instances.entry((*of, step.tags[t].clone()));
                    let lanes = instance.or_insert_with(|| vec![None; count as usize]);
                    lanes[warp[t] as usize] = Some(values[t].clone());
                }
            }
        }
    }
    let threads: Vec<Thread> = (0..count).map(|t| launch.thread(t)).collect();
    for ((of, tag), lanes) in &instances {
        let fact = divergence.fact(*of);
        let first = lanes.iter().flatten().find(|value| !value.is_undefined());
        let number = |value: &Val| match value {
            value if value.is_undefined() => None,
            Val::Int(number) => Some(*number),
            Val::Ptr(ptr) => Some(ptr.addr.into()),
            other => first.map(|first| u128::from(!agree(first, other))),
        };
        let seen: Vec<Option<u128>> =
            lanes.iter().map(|value| value.as_ref().and_then(number)).collect();
        let bits = options.bits(function.ty(*of));
        if fact.own.is_empty() && !fact.shape.holds_for(bits, &seen, &threads) {
            let shown = function.def_inst(*of).map(|i| function.display_inst(i).to_string());
            let shown = shown.unwrap_or_default();
            let name = L::NAME;
            return Ok(Err(format!(
                "{name} is wrong: `{}` is {fact} in a block, but {seen:?} at {tag}",
                shown.trim()
            )));
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
