//! LLVM's cost tables: what instructions cost, and what a function would cost that is not there.

use lw_ir::{Function, Op};
use lw_llvm::{Context, CostTables, Module, OptLevel, TargetMachine};

const MODULE: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
define <16 x float> @f(<16 x float> %x, float %y, ptr %p) #0 {
  %s = fadd float %y, 1.0
  %d = fdiv float %s, 3.0
  %v = fadd <16 x float> %x, %x
  store float %d, ptr %p, align 4
  ret <16 x float> %v
}
attributes #0 = { "target-cpu"="CPU" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
"#;

fn machine() -> TargetMachine {
    TargetMachine::new("x86_64-unknown-linux-gnu", "x86-64", "", OptLevel::Default)
        .expect("LLVM has the target")
}

fn module<'c>(context: &'c Context, cpu: &str) -> Module<'c> {
    let text = MODULE.replace("CPU", cpu);
    context.parse_module(text.as_bytes(), "costs").expect("it is well-formed")
}

/// What the instructions cost of the function as it is.
fn costs(cpu: &str) -> Vec<f64> {
    let (context, machine) = (Context::new(), machine());
    let tables = CostTables::of(&machine);
    let mut module = module(&context, cpu);
    let mut bridge = module.bridge().expect("a bridge");
    let f = bridge.find("f").expect("it is there");
    let imported = bridge.import(f);
    let costs = bridge.costs(&tables, &imported.origins).expect("it is as it was");
    costs.into_iter().map(|cost| cost.expect("the target can do it")).collect()
}

#[test]
fn costs_are_those_of_the_registers_a_function_may_use() {
    let wide = costs("x86-64-v4");
    assert!(wide[1] > wide[0], "a division costs more than an addition: {wide:?}");
    assert_eq!(wide[0], wide[2], "one register: {wide:?}");
    let narrow = costs("x86-64");
    assert!(narrow[2] >= 4.0 * narrow[0], "four registers: {narrow:?}");
}

/// A function that computes the same twice, calls what is declared nowhere, and goes to its first target with some likelihood.
fn tried() -> Function {
    let text = "declare @nowhere : void (i32)
        func @f(i32 %x, i1 %c) -> i32 {
        entry:
          %a = add i32 %x, 1
          %b = add i32 %x, 1
          br i1 %c, label %then, label %else
        then:
          call void (i32) @nowhere(i32 %a)
          br label %end
        else:
          call void (i32) @nowhere(i32 3)
          br label %end
        end:
          %r = mul i32 %a, %b
          ret i32 %r
        }";
    let module = lw_ir::parse_module(text).expect("it parses");
    module.functions.into_iter().next().expect("there is one")
}

#[test]
fn a_function_is_looked_at_and_gone() {
    let (context, machine) = (Context::new(), machine());
    let tables = CostTables::of(&machine);
    let mut module = module(&context, "x86-64-v3");
    let before = module.to_text();
    let mut bridge = module.bridge().expect("a bridge");
    let function = tried();
    let branch = |inst| (function[inst].op == Op::CondBr).then_some(0.25);
    for _ in 0..2 {
        let costed = bridge.costs_of(&tables, &function, branch).expect("it is built");
        let f = &costed.function;
        let adds = f.all_insts().filter(|&(_, inst)| matches!(f[inst].op, Op::Binary(_))).count();
        assert_eq!(adds, 2, "one addition and one product are left: {f}");
        assert_eq!(costed.costs.len(), f.inst_count());
        let [(_, likely)] = costed.likelihoods[..] else { panic!("{:?}", costed.likelihoods) };
        assert!((likely - 0.25).abs() < 0.01, "{likely}");
    }
    // Nor is anything left of one that cannot be built.
    let bad = "func @f(i32 %x) -> i1 {\nentry:\n  %m = mask\n  ret i1 %m\n}";
    let bad = lw_ir::parse_function(bad).expect("it parses");
    assert!(bridge.costs_of(&tables, &bad, |_| None).is_err());
    assert_eq!(module.to_text(), before);
}
