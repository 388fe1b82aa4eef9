//! Work grows like the program: each analysis on the way looks at an instruction a bounded number of times.

use lw_ir::{Module, parse_module};
use lw_vectorize::loops::{LoopOptions, LoopPipeline, Remainder};
use lw_vectorize::{Boscc, Stage};
use std::fmt::Write;

/// A loop over `n` small loops, each of which threads leave in different iterations.
fn small_loops(n: usize) -> Module {
    let mut text = String::from(
        "func @f(ptr %a, i64 %n) -> void {
         entry:
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %p = getelementptr i32, ptr %a, i64 %i
           %x = load i32, ptr %p, align 4
           br label %b0
",
    );
    let mut last = "%x".to_string();
    for i in 0..n {
        let _ = writeln!(
            text,
            "b{i}:\n br label %w{i}\n\
             w{i}:\n %k{i} = phi i32 [ {last}, %b{i} ], [ %d{i}, %t{i} ]\n %c{i} = icmp sgt i32 %k{i}, {i}\n br i1 %c{i}, label %t{i}, label %e{i}\n\
             t{i}:\n %d{i} = sub i32 %k{i}, 3\n br label %w{i}\n\
             e{i}:\n %r{i} = add i32 %k{i}, %x\n br label %b{}",
            i + 1
        );
        last = format!("%r{i}");
    }
    let _ = write!(
        text,
        "b{n}:\n store i32 {last}, ptr %p, align 4\n br label %latch\n\
         latch:\n %next = add i64 %i, 1\n %more = icmp slt i64 %next, %n\n br i1 %more, label %loop, label %end\n\
         end:\n ret void\n}}\n"
    );
    parse_module(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// How often the analysis of each stage looks at an instruction, on average.
fn evaluations(module: &Module) -> Vec<f64> {
    let function = &module.functions[0];
    let mut options = LoopOptions::new(8, module.layout.clone());
    options.remainder = Remainder::Masked;
    options.boscc = Boscc::Always;
    let mut it = LoopPipeline::new(function, function.blocks()[1], &options).unwrap();
    let mut all = Vec::new();
    for stage in Stage::ALL {
        it.pipeline.run(stage).unwrap();
        if stage != Stage::Widen {
            let count = it.pipeline.function.inst_count() as f64;
            all.push(it.pipeline.analyze().evaluations as f64 / count);
        }
    }
    all
}

#[test]
fn the_analyses_of_all_stages_grow_like_the_program() {
    let (small, large) = (evaluations(&small_loops(8)), evaluations(&small_loops(128)));
    for (stage, (small, large)) in Stage::ALL.iter().zip(small.iter().zip(&large)) {
        assert!(*large < 1.5 * small, "after {}: {small} became {large}", stage.name());
    }
}
