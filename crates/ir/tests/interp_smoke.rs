//! The interpreter on small programs.

use lw_ir::interp::{Machine, Run, Schedule, Semantics, Val};
use lw_ir::parse_module;

#[test]
fn loops_and_memory() {
    let module = parse_module(
        "func @sum(ptr %p, i32 %n) -> i32 {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %t, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %done
body:
  %at = getelementptr inbounds i32, ptr %p, i32 %i
  %x = load i32, ptr %at, align 4
  %t = add i32 %s, %x
  %next = add i32 %i, 1
  br label %head
done:
  ret i32 %s
}
",
    )
    .unwrap();
    let mut machine = Machine::new(&module);
    let bytes: Vec<u8> = (1..=10i32).flat_map(i32::to_le_bytes).collect();
    let buffer = machine.alloc_buffer(&bytes).unwrap();
    for schedule in [Schedule::Greedy { seed: 1 }, Schedule::ReconvergenceStack] {
        for semantics in [Semantics::Freezing] {
            let run = Run {
                threads: 4,
                schedule: schedule.clone(),
                semantics,
                trace: true,
                ..Run::default()
            };
            let args: Vec<Vec<Val>> =
                [3, 10, 0, 5].map(|n| vec![Val::Ptr(buffer), Val::i32(n)]).to_vec();
            let outcome = machine.run("sum", &args, &run).unwrap();
            assert_eq!(outcome.values(), [6, 55, 0, 15].map(Val::i32));
            println!("{}", outcome.trace.unwrap().table(&module.functions[0]));
        }
    }
}
