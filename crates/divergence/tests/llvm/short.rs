//! The short way to LLVM's verdicts beside the sparse engine.

use lw_divergence::llvm::{self, Gpu, Solver, Uniformity};
use lw_divergence::{analyze, oracle};
use lw_ir::Function;

/// Values, uses, branches and loops.
pub(crate) fn same_as_the_engine(function: &Function, gpu: Gpu, found: &Uniformity) {
    let long = analyze(function, &llvm::sources(function, gpu), &llvm::options(gpu));
    let about = |what: &dyn std::fmt::Display| format!("{what} in\n{function}");
    for &param in function.params() {
        assert_eq!(found.is_uniform(param), long.is_uniform(param), "{}", about(&param));
    }
    for &block in function.blocks() {
        assert_eq!(found.is_divergent(block), long.is_divergent(block), "{}", about(&block));
        for &inst in function.insts(block) {
            let data = &function[inst];
            if let Some(result) = data.result.expand() {
                let name = function.display_value(result);
                assert_eq!(found.is_uniform(result), long.is_uniform(result), "{}", about(&name));
            }
            if matches!(data.op, lw_ir::Op::Phi) || !found.is_reachable(block) {
                continue;
            }
            for &arg in data.args.iter().filter(|&&arg| function.as_constant(arg).is_none()) {
                let fact = long.fact_at_use(function, inst, arg);
                let uniform = fact.is_none_or(|fact| fact.is_uniform());
                let name =
                    format!("{} in {}", function.display_value(arg), function.display_inst(inst));
                assert_eq!(found.is_uniform_at(function, inst, arg), uniform, "{}", about(&name));
            }
        }
    }
}

#[test]
fn same_verdicts_on_random_programs() {
    let mut solver = Solver::new();
    let (mut branches, mut values) = (0, 0);
    for seed in 0..1500 {
        let program = oracle::programs::program(seed);
        for function in &program.module.functions {
            if function.entry().is_none() {
                continue;
            }
            for gpu in [Gpu::Nvptx, Gpu::Amdgpu] {
                let found = solver.solve(function, gpu);
                same_as_the_engine(function, gpu, &found);
                let blocks = function.blocks().iter();
                branches += blocks.filter(|&&block| found.is_divergent(block)).count();
                values += function.params().iter().filter(|&&p| !found.is_uniform(p)).count();
            }
        }
    }
    assert!(branches > 2000 && values > 2000, "{branches} branches, {values} parameters");
}
