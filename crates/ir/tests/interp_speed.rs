//! How fast the interpreter is: `cargo test --release -p lw-ir --test interp_speed -- --ignored --nocapture`.

use lw_ir::interp::{Machine, Run, Val};
use lw_ir::parse_module;
use std::time::Instant;

const COLLATZ: &str = "func @f(i32 %n) -> i32 {
entry:
  br label %head
head:
  %x = phi i32 [ %n, %entry ], [ %y, %latch ]
  %steps = phi i32 [ 0, %entry ], [ %more, %latch ]
  %done = icmp ule i32 %x, 1
  br i1 %done, label %exit, label %body
body:
  %odd = trunc i32 %x to i1
  br i1 %odd, label %up, label %down
up:
  %t = mul i32 %x, 3
  %u = add i32 %t, 1
  br label %latch
down:
  %h = lshr i32 %x, 1
  br label %latch
latch:
  %y = phi i32 [ %u, %up ], [ %h, %down ]
  %more = add i32 %steps, 1
  br label %head
exit:
  ret i32 %steps
}
";

#[test]
#[ignore = "measures time"]
fn instructions_per_second() {
    let module = parse_module(COLLATZ).unwrap();
    for threads in [1, 8, 32] {
        let mut machine = Machine::new(&module);
        let run = Run { threads, ..Run::default() };
        let start = Instant::now();
        let mut steps = 0;
        for first in (1..4000).step_by(threads) {
            let args: Vec<Vec<Val>> =
                (0..threads).map(|t| vec![Val::i32((first + t) as i32)]).collect();
            steps += machine.run("f", &args, &run).unwrap().steps;
        }
        let time = start.elapsed();
        println!(
            "W = {threads}: {steps} instructions, {:.1} ns each",
            time.as_nanos() as f64 / steps as f64
        );
    }
    let start = Instant::now();
    for _ in 0..10_000 {
        let mut machine = Machine::new(&module);
        machine.run("f", &[vec![Val::i32(3)]], &Run::default()).unwrap();
    }
    println!("a machine and a short run: {:.1} µs", start.elapsed().as_micros() as f64 / 10_000.0);
}
