//! Executions of kernels: a claim that a value is uniform is refuted by two threads that are together and have different values.
//!
//! A warp of threads runs a kernel on buffers of small numbers, under some greedy schedules. If a run goes wrong, because the kernel
//! wants other input, what the first block computes can still be seen.

use lw_ir::interp::{HostCall, Machine, Run, Schedule, Step, Trace, Val};
use lw_ir::types::Scalar;
use lw_ir::{Function, Module, Type, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// How many threads run.
const THREADS: usize = 8;

/// The size of the buffers that pointers among the arguments point to.
const BUFFER: usize = 1 << 16;

/// What the executions of a kernel showed.
#[derive(Default)]
pub(crate) struct Seen {
    /// Values that differed between threads which computed them at once.
    differing: HashSet<Value>,
    /// Values that were computed by several threads at once.
    computed: HashSet<Value>,
}

impl Seen {
    /// Runs a kernel.
    pub(crate) fn of(module: &Module, kernel: &Function) -> Result<Seen, String> {
        let name = kernel.name.as_str().ok_or("a kernel without a name")?;
        let mut seen = Seen::default();
        for seed in 0..3 {
            let whole = run(module, kernel, name, Schedule::Greedy { seed });
            let trace = whole.or_else(|_| {
                let first = kernel.entry().into_iter().collect();
                run(module, kernel, name, Schedule::Fixed(first))
            });
            let trace = trace.map_err(|error| format!("{name}: {error}"))?;
            trace.top().for_each(|step| seen.look(step));
        }
        Ok(seen)
    }

    /// Whether an execution shows that a value is not uniform.
    pub(crate) fn refutes(&self, value: Value) -> bool {
        self.differing.contains(&value)
    }

    /// Whether an execution came to a value at all.
    pub(crate) fn reached(&self, value: Value) -> bool {
        self.computed.contains(&value)
    }

    fn look(&mut self, step: &Step) {
        for (of, values) in &step.values {
            let lanes: Vec<usize> = (0..values.len()).filter(|&t| step.active[t]).collect();
            for (i, &s) in lanes.iter().enumerate() {
                let together = |&&t: &&usize| step.tags[s] == step.tags[t];
                for &t in lanes[i + 1..].iter().filter(together) {
                    self.computed.insert(*of);
                    let defined = !values[s].is_undefined() && !values[t].is_undefined();
                    if defined && values[s] != values[t] {
                        self.differing.insert(*of);
                    }
                }
            }
        }
    }
}

fn run(
    module: &Module,
    kernel: &Function,
    name: &str,
    schedule: Schedule,
) -> Result<Trace, String> {
    let mut machine = Machine::new(module);
    answer_registers(&mut machine);
    let mut given = Vec::new();
    for &param in kernel.params() {
        given.push(argument(&mut machine, kernel.ty(param))?);
    }
    let args = vec![given; THREADS];
    let run = Run { threads: THREADS, trace: true, step_limit: 20_000, schedule, ..Run::default() };
    let outcome = machine.run(name, &args, &run).map_err(|e| e.to_string())?;
    Ok(outcome.trace.unwrap_or_default())
}

/// The same for all threads: a buffer of small numbers, or a small number.
fn argument(machine: &mut Machine<'_>, ty: Type) -> Result<Val, String> {
    Ok(match ty {
        Type::Scalar(Scalar::Ptr(_)) => {
            let bytes: Vec<u8> =
                (0..BUFFER).map(|i| if i % 4 == 0 { (i / 4 % 7) as u8 } else { 0 }).collect();
            Val::Ptr(machine.alloc_buffer(&bytes).map_err(|e| e.to_string())?)
        }
        Type::Scalar(Scalar::Float(kind)) => Val::Float(kind, 0),
        _ => Val::Int(16),
    })
}

/// One warp, the first of a block of a launch.
fn answer_registers(machine: &mut Machine<'_>) {
    let mut host = |register: &str, number: fn(usize) -> usize| {
        let answer = move |call: &mut HostCall<'_>| Ok(Val::Int(number(call.thread) as u128));
        machine.host(&format!("llvm.nvvm.read.ptx.sreg.{register}"), Arc::new(answer));
    };
    host("tid.x", |thread| thread);
    host("laneid", |thread| thread);
    host("ntid.x", |_| 128);
    for zero in ["tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z"] {
        host(zero, |_| 0);
    }
    for one in ["ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z"] {
        host(one, |_| 1);
    }
}
