//! Trials take the faster of two loops, whatever it is, and lose little time on the other.

use lw_ir::Module;
use lw_ir::interp::{Machine, Ptr, Run, Val};
use lw_vectorize::loops::trial::{self, STATE_BYTES, Trial};
use lw_vectorize::loops::{LoopOptions, Remainder, vectorize_loop};

/// The functions that trials call, and the state of one loop.
struct Simulation<'m> {
    machine: Machine<'m>,
    state: Ptr,
    /// The state of the trial of what is not done together, if that is tried itself.
    alone: Ptr,
    entries: u64,
}

fn module_of_trials() -> Module {
    Module { functions: trial::functions(), ..Module::default() }
}

impl<'m> Simulation<'m> {
    fn new(module: &'m Module) -> Self {
        let mut machine = Machine::new(module);
        let mut state = || machine.alloc_buffer(&[0; STATE_BYTES as usize]).expect("memory");
        let (state, alone) = (state(), state());
        Simulation { machine, state, alone, entries: 0 }
    }

    fn call(&mut self, name: &str, args: Vec<Val>) -> Vec<Val> {
        let outcome = self.machine.run(name, &[args], &Run::default());
        outcome.unwrap_or_else(|error| panic!("{name}: {error}")).values()
    }

    /// Enters the loop once: the time it takes.
    fn enter(&mut self, times: [u64; 2], iterations: u64) -> u64 {
        self.enter_state(self.state, times, iterations)
    }

    fn enter_state(&mut self, state: Ptr, [alone, together]: [u64; 2], iterations: u64) -> u64 {
        let take = |_: &mut Self, chosen| iterations * if chosen { together } else { alone };
        self.enter_with(state, iterations, take)
    }

    /// Enters a loop that is done together, or else in two ways of which the faster is to be found.
    fn enter_nested(&mut self, [scalar, own, together]: [u64; 3], iterations: u64) -> u64 {
        self.enter_with(self.state, iterations, |this, chosen| {
            if chosen {
                return iterations * together;
            }
            let taken = this.enter_state(this.alone, [scalar, own], iterations);
            let states = vec![Val::Ptr(this.alone), Val::Ptr(this.state)];
            this.call("laneweaver.doubt", states);
            taken
        })
    }

    /// Enters the loop once, which takes a time by what is chosen.
    fn enter_with(
        &mut self,
        state: Ptr,
        iterations: u64,
        take: impl FnOnce(&mut Self, bool) -> u64,
    ) -> u64 {
        let choice = self.call("laneweaver.choose", vec![Val::Ptr(state)]).remove(0);
        let taken = take(self, choice == Val::bool(true));
        // No clock is exact.
        self.entries += 1;
        let time = taken + self.entries * 7919 % 61;
        let (time, n) = (Val::i64(time as i64), Val::i64(iterations as i64));
        self.call("laneweaver.note", vec![Val::Ptr(state), time, n, choice]);
        taken
    }
}

#[test]
fn trials_lose_little() {
    let module = module_of_trials();
    for times in [[100, 10], [100, 90], [100, 100], [100, 110], [100, 300], [100, 1500]] {
        let mut loops = Simulation::new(&module);
        let best = times[0].min(times[1]);
        let mut lost = |entries: u64| {
            let sum: u64 = (0..entries).map(|_| loops.enter(times, 64)).sum();
            sum as f64 / (best * 64 * entries) as f64
        };
        let (begin, then) = (lost(500), lost(10000));
        assert!(begin < 1.2, "{times:?}: {begin} at first");
        assert!(then < 1.015, "{times:?}: {then}");
        assert!(times[0] == times[1] || then > 1.0, "{times:?}: the other is never tried again");
    }
}

#[test]
fn trials_notice_that_the_data_changed() {
    let module = module_of_trials();
    for (before, after) in [([100, 20], [100, 400]), ([100, 300], [100, 40])] {
        let mut loops = Simulation::new(&module);
        for _ in 0..1000 {
            loops.enter(before, 64);
        }
        let entries = (0..1000).position(|_| loops.enter(after, 64) == 64 * after[0].min(after[1]));
        assert!(entries.is_some_and(|n| n < 600), "{before:?} to {after:?}: {entries:?}");
        let then: u64 = (0..2000).map(|_| loops.enter(after, 64)).sum();
        assert!((then as f64) < 128e3 * after[0].min(after[1]) as f64 * 1.15, "{after:?}: {then}");
    }
}

#[test]
fn entries_may_have_more_to_do_than_others() {
    let module = module_of_trials();
    for (times, slower) in [([100, 130], 1), ([130, 100], 0), ([100, 400], 1)] {
        let mut loops = Simulation::new(&module);
        let mut wrong = 0;
        for i in 0..4000usize {
            let more = [2, 5, 3, 4, 6, 3, 5, 2, 2, 6][i % 10];
            let time = loops.enter(times.map(|time| time * more), 64);
            wrong += usize::from(i >= 400 && time == 64 * more * times[slower]);
        }
        assert!(wrong < 800, "{times:?}: {wrong} of 3600");
    }
}

/// Two trials in each other: lanes together, or else each on its own, or else the scalar loop.
#[test]
fn the_best_of_three_is_found() {
    let module = module_of_trials();
    for times in [[100, 30, 20], [100, 30, 400], [100, 20, 30], [100, 300, 400], [100, 90, 130]] {
        let mut loops = Simulation::new(&module);
        let mut lost = |entries: u64| {
            let sum: u64 = (0..entries).map(|_| loops.enter_nested(times, 64)).sum();
            sum as f64 / (times.into_iter().min().unwrap() * 64 * entries) as f64
        };
        let (begin, then) = (lost(500), lost(10000));
        assert!(begin < 1.4, "{times:?}: {begin} at first");
        assert!(then < 1.03, "{times:?}: {then}");
    }
}

/// That lanes alone are tried in the slower way, too, is nothing against lanes alone.
#[test]
fn what_the_inner_trial_loses_does_not_count() {
    let module = module_of_trials();
    let mut loops = Simulation::new(&module);
    let sum: u64 = (0..100).map(|_| loops.enter_nested([100, 20, 30], 64)).sum();
    assert!(sum < 100 * 64 * 20 * 13 / 10, "{sum}");
}

/// The rows of a picture: some are empty, and both ways are the same to them.
#[test]
fn neighbours_have_much_in_common() {
    let module = module_of_trials();
    let mut loops = Simulation::new(&module);
    let (mut sum, mut best) = (0, 0);
    for i in 0..4000u64 {
        let times = if i % 64 < 32 { [20, 20] } else { [1000, 200] };
        sum += loops.enter(times, 64);
        best += 64 * times[1];
    }
    assert!(sum as f64 / (best as f64) < 1.1, "{sum} instead of {best}");
}

#[test]
fn what_comes_between_changes_nothing() {
    let module = module_of_trials();
    let mut loops = Simulation::new(&module);
    let mut wrong = 0;
    for i in 0..2000 {
        // The system takes the processor away now and then.
        let pause = if i % 97 == 5 { 50 } else { 1 };
        wrong += usize::from(loops.enter([100 * pause, 80 * pause], 64) >= 100 * 64 * pause);
    }
    assert!(wrong < 200, "{wrong} of 2000");
}

/// How many digits do numbers have?
const DIGITS: &str = "func @f(ptr %a, i64 %n) -> i64 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %p = getelementptr i64, ptr %a, i64 %i
  %first = load i64, ptr %p, align 8
  br label %inner
inner:
  %x = phi i64 [ %first, %body ], [ %half, %inner ]
  %steps = phi i64 [ 0, %body ], [ %steps.next, %inner ]
  %half = lshr i64 %x, 1
  %steps.next = add i64 %steps, 1
  %again = icmp ne i64 %half, 0
  br i1 %again, label %inner, label %latch
latch:
  store i64 %steps.next, ptr %p, align 8
  %sum.next = add i64 %sum, %steps.next
  %next = add i64 %i, 1
  br label %loop
end:
  ret i64 %sum
}
";

#[test]
fn both_loops_compute_the_same() {
    let scalar = lw_ir::parse_module(DIGITS).expect("it is correct");
    let f = &scalar.functions[0];
    for remainder in [Remainder::Scalar, Remainder::Masked] {
        let mut options = LoopOptions::new(4, scalar.layout.clone());
        options.remainder = remainder;
        options.trial =
            Some(Trial { state: "trial".into(), clock: "llvm.readcyclecounter", within: None });
        let (vector, statistics) =
            vectorize_loop(f, f.blocks()[1], &options).expect("it is vectorized");
        assert!(statistics.tried);
        lw_ir::verify(&vector).unwrap_or_else(|errors| panic!("{}\n{vector}", errors[0]));
        // What is known: nothing, that one is faster, that the other is.
        for known in ["float 0.0, float 0.0", "float 1.0, float 2.0", "float -1.0, float 2.0"] {
            let state = format!(
                "@trial = global {{ float, float, i32, i32, i32 }} {{ {known}, i32 3, i32 3, i32 0 }}"
            );
            let mut module = lw_ir::parse_module(&state).expect("it is correct");
            module.functions = trial::functions();
            module.functions.push(vector.clone());
            for n in [0, 1, 3, 4, 5, 16, 17] {
                assert_eq!(run(&scalar, n), run(&module, n), "{remainder:?}, {n}\n{module}");
            }
        }
    }
}

fn run(module: &Module, n: i64) -> (Vec<Val>, Vec<Option<u8>>) {
    let mut machine = Machine::new(module);
    let data: Vec<u8> = (0..17u64).flat_map(|i| (i * i * i).to_le_bytes()).collect();
    let memory = machine.alloc_buffer(&data).expect("memory");
    let outcome = machine.run("f", &[vec![Val::Ptr(memory), Val::i64(n)]], &Run::default());
    let values = outcome.unwrap_or_else(|error| panic!("{error}\n{module}")).values();
    (values, machine.read_bytes(memory, data.len() as u64).expect("memory"))
}
