//! Lanes that ask each other where to go, and go their own ways all the same.

use super::common::{check_with, header, module};
use lw_vectorize::loops::trial::Trial;
use lw_vectorize::loops::{LoopOptions, LoopPipeline, Remainder, vectorize_loop};

/// How often is a number halved until it is below one? Lanes that go along where others go would halve theirs more often. The functions
/// are what they are in scalar code.
fn halves(question: &str) -> String {
    format!(
        "func @f(ptr %a, i64 %n) -> i64 {{
         entry:
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %latch ]
           %sum = phi i64 [ 0, %entry ], [ %sum.next, %latch ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           %p = getelementptr float, ptr %a, i64 %i
           %first = load float, ptr %p, align 4
           br label %inner
         inner:
           %x = phi float [ %first, %body ], [ %half, %step ]
           %steps = phi i64 [ 0, %body ], [ %steps.next, %step ]
           %large = fcmp oge float %x, 1.0
           %go = call i1 (i1) {question}(i1 %large)
           br i1 %go, label %step, label %latch
         step:
           %half = fmul float %x, 0.5
           %steps.next = add i64 %steps, 1
           br label %inner
         latch:
           store float %x, ptr %p, align 4
           %sum.next = add i64 %sum, %steps
           %next = add i64 %i, 1
           br label %loop
         end:
           ret i64 %sum
         }}
         func {question}(i1 %c) -> i1 {{
         entry:
           ret i1 %c
         }}"
    )
}

const QUESTIONS: [&str; 3] = ["@__lw_any", "@__lw_all", "@__lw_most"];

#[test]
fn each_lane_goes_as_far_as_it_does_alone() {
    for question in QUESTIONS {
        let done = check_with(&halves(question), |_, options| options.alone = true);
        assert!(done.iter().all(|statistics| statistics.divergent_loops > 0), "{question}");
    }
}

/// Together they go farther, so that both are not the same program.
#[test]
fn together_they_ask_each_other() {
    for question in QUESTIONS {
        let module = module(&halves(question));
        let f = module.function("f").expect("it is there");
        let options = LoopOptions::new(4, module.layout.clone());
        let mut it = LoopPipeline::new(f, header(f), &options).expect("it is a loop");
        it.run().expect("it is vectorized");
        assert!(it.asks_where_to_go());
        assert_eq!(it.finish().1.divergent_loops, 0, "{question}");
    }
}

/// What is left of a loop that is tried is a loop like any other, and is tried once more.
#[test]
fn what_is_left_is_vectorized_again() {
    let module = module(&halves("@__lw_any"));
    let f = module.function("f").expect("it is there");
    for remainder in [Remainder::Scalar, Remainder::Masked] {
        let mut options = LoopOptions::new(4, module.layout.clone());
        options.remainder = remainder;
        let mut vector = f.clone();
        for (alone, state) in [(false, "together"), (true, "alone")] {
            options.alone = alone;
            let within = alone.then(|| "together".into());
            options.trial =
                Some(Trial { state: state.into(), clock: "llvm.readcyclecounter", within });
            let statistics;
            (vector, statistics) =
                vectorize_loop(&vector, header(&vector), &options).expect("it is vectorized");
            assert!(statistics.tried, "{state}");
            lw_ir::verify(&vector).unwrap_or_else(|errors| panic!("{}\n{vector}", errors[0]));
        }
        let text = vector.to_string();
        assert_eq!(text.matches("@laneweaver.choose(").count(), 2, "{text}");
        assert!(text.contains("@laneweaver.doubt(ptr @alone, ptr @together)"), "{text}");
        assert!(!text.contains("call i1 (i1) @__lw_any"), "{text}");
    }
}
