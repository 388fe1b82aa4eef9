//! `lw run`.

mod args;
mod show;

use crate::failure::Failure;
use crate::output;
use crate::{Done, input};
pub(crate) use args::show_type;
use lw_ir::interp::{Machine, Run, Schedule, Semantics};
use std::path::PathBuf;

/// Runs a function with many threads in lock step and prints what each thread returns.
#[derive(clap::Args)]
#[command(after_help = "Arguments, one for each parameter:
  7  -1.5  true              the same number for all threads
  lane  lane*4+1             the number of the thread, from 0
  [3,1,4,1]                  one number for each thread
  <1,2,3,4>                  a vector, the same for all threads
  i32:[1,2,3]  f64:[0.5]     a pointer to a buffer with this content
  i32*16                     a pointer to a buffer of 16 zeros
  i32*16@lane                each thread gets the address of its own element
Buffers are shown after the run. Types: i8 i16 i32 i64 f32 f64.

Examples:
  clang-22 -O1 -g -S -emit-llvm examples/escape.c -o escape.ll
  lw run escape.ll -f escape -t 8 'lane*0.1' 0.5 100
  lw run tests/run/buffers.ll -f saxpy -t 4 2.0 f32:[1,2,3,4]@lane f32:[5,6,7,8]@lane
  lw run tests/run/divergent_loop.lw -f f -t 2 --trace '[2,1]'

Exit code 1 means that the program went wrong: undefined behaviour, an access out of bounds, too many steps.")]
pub(crate) struct Args {
    /// A program: .ll, .bc or .lw
    input: PathBuf,
    /// The function to run
    #[arg(short, long, value_name = "NAME")]
    function: String,
    /// How many threads
    #[arg(short, long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// What passive execution does to variables: they keep their values, or lose them
    #[arg(long, value_enum, default_value_t = Meaning::Freezing)]
    semantics: Meaning,
    /// How blocks are scheduled
    #[arg(long, value_enum, default_value_t = Scheduler::Greedy)]
    schedule: Scheduler,
    /// Chooses among the greedy schedules
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Gives up after so many instructions
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    steps: u64,
    /// Prints every block that is scheduled: which threads are active, and in which iteration
    #[arg(long)]
    trace: bool,
    /// What the parameters are
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    args: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Meaning {
    Freezing,
    Oblivious,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Scheduler {
    /// As early together as possible (001 ch. 5)
    Greedy,
    /// Together at the immediate post-dominator, as on a GPU (002 §3.1)
    Stack,
}

pub(crate) fn main(args: Args) -> Done {
    let module = input::program(&args.input)?;
    let function = input::function(&module, &args.function, &args.input)?;
    let threads = args.threads as usize;
    let mut machine = Machine::new(&module);
    let (values, buffers) = args::bind(&mut machine, function, threads, &args.args)?;
    let run = Run {
        threads,
        semantics: match args.semantics {
            Meaning::Freezing => Semantics::Freezing,
            Meaning::Oblivious => Semantics::Oblivious,
        },
        schedule: match args.schedule {
            Scheduler::Greedy => Schedule::Greedy { seed: args.seed },
            Scheduler::Stack => Schedule::ReconvergenceStack,
        },
        step_limit: args.steps,
        trace: args.trace,
        ..Run::default()
    };
    match machine.run(&args.function, &values, &run) {
        Ok(outcome) => {
            let mut text = String::new();
            if let Some(trace) = &outcome.trace {
                text += &show::trace(&module, trace);
            }
            text += &show::results(function, &outcome);
            for buffer in &buffers {
                text += &show::buffer(&machine, buffer)?;
            }
            output::show(&text)
        }
        Err(error) => {
            output::show(&format!("{error}\n"))?;
            Err(Failure::No)
        }
    }
}
