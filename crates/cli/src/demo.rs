//! `lw demo`: an example, step by step.

use crate::failure::Failure;
use crate::output::{show, write_file};
use crate::{Done, input, lockstep_picture};
use lw_ir::interp::{Machine, Run, Trace, Val};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles an example in C, runs it in lock step and beside it thread by thread, and shows that both agree.
#[derive(clap::Args)]
#[command(after_help = "Example:
  lw demo --output target/demo")]
pub(crate) struct Args {
    /// Where the files of the demo are written
    #[arg(short, long, value_name = "DIR", default_value = "target/demo")]
    output: PathBuf,
}

const SOURCE: &str = include_str!("../../../examples/escape.c");
const LIMIT: i32 = 20;
const THREADS: usize = 8;

pub(crate) fn main(args: Args) -> Done {
    let dir = &args.output;
    std::fs::create_dir_all(dir)
        .map_err(|error| Failure::cannot(format!("{}: {error}", dir.display())))?;
    let source = dir.join("escape.c");
    write_file(&source, SOURCE.as_bytes())?;

    // Contraction would round differently in the two programs.
    let flags = ["-O1", "-ffp-contract=off", "-fno-discard-value-names"];
    let ir = dir.join("escape.ll");
    let native = dir.join("escape");
    clang(&flags, &["-g", "-S", "-emit-llvm"], &source, &ir)?;
    clang(&flags, &["-DWITH_MAIN"], &source, &native)?;

    let module = input::program(&ir)?;
    let function = input::function(&module, "escape", &ir)?;
    let points: Vec<(f32, f32)> =
        (0..THREADS).map(|t| (0.28125 + 0.03125 * t as f32, 0.5)).collect();
    let scalar = run_natively(&native, &points)?;
    let (lockstep, trace) = run_in_lockstep(&module, &points)?;

    let picture = dir.join("lockstep.svg");
    let svg = lockstep_picture::draw(function, &trace, "escape(c, 20) by 8 threads in lock step");
    write_file(&picture, svg.as_bytes())?;

    let agree = scalar == lockstep;
    show(&report(&args.output, &points, &scalar, &lockstep, &trace))?;
    if agree { Ok(()) } else { Err(Failure::No) }
}

fn clang(flags: &[&str], more: &[&str], source: &Path, output: &Path) -> Done {
    let mut command = Command::new("clang-22");
    command.args(flags).args(more).arg(source).arg("-o").arg(output);
    let done = command
        .output()
        .map_err(|error| Failure::cannot(format!("clang-22: {error}; see `lw doctor`")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(Failure::cannot(format!("clang-22 failed on {}:\n{said}", source.display())))
}

/// One run of the compiled program with all points, one after the other.
fn run_natively(program: &Path, points: &[(f32, f32)]) -> Result<Vec<i32>, Failure> {
    let mut command = Command::new(std::path::absolute(program)?);
    command.arg(LIMIT.to_string());
    for (x, y) in points {
        command.arg(x.to_string()).arg(y.to_string());
    }
    let done = command.output()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let results: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    if !done.status.success() || results.len() != points.len() {
        return Err(Failure::cannot(format!("{} did not print its results", program.display())));
    }
    Ok(results)
}

fn run_in_lockstep(
    module: &lw_ir::Module,
    points: &[(f32, f32)],
) -> Result<(Vec<i32>, Trace), Failure> {
    let args: Vec<Vec<Val>> =
        points.iter().map(|&(x, y)| vec![Val::f32(x), Val::f32(y), Val::i32(LIMIT)]).collect();
    let run = Run { threads: points.len(), trace: true, ..Run::default() };
    let outcome = Machine::new(module).run("escape", &args, &run).map_err(Failure::cannot)?;
    let result =
        |value: &Option<Val>| value.as_ref().and_then(|v| v.as_signed(32)).unwrap_or(-1) as i32;
    let results = outcome.results.iter().map(result).collect();
    outcome
        .trace
        .map(|trace| (results, trace))
        .ok_or_else(|| Failure::cannot("the run was not recorded"))
}

fn report(
    dir: &Path,
    points: &[(f32, f32)],
    scalar: &[i32],
    lockstep: &[i32],
    trace: &Trace,
) -> String {
    let mut text = format!(
        "How many steps does z -> z*z + c take to leave the circle? ({}/escape.c)\n\n\
         clang compiled the function. It ran once for each point as machine code, and once for\n\
         all {} points by {} threads in lock step, on the imported code.\n\n\
         thread  c                  one by one  lock step\n",
        dir.display(),
        points.len(),
        points.len(),
    );
    for (thread, (x, y)) in points.iter().enumerate() {
        let (a, b) = (scalar[thread], lockstep[thread]);
        let bar = "=".repeat(b.max(0) as usize);
        let verdict = if a == b { "same" } else { "DIFFERENT" };
        let c = format!("{x:.5} + {y}i");
        let _ = writeln!(text, "{thread:>6}  {c:<17}  {a:>10}  {b:>9}  {verdict}  {bar}");
    }
    let steps: Vec<_> = trace.top().collect();
    let active: usize = steps.iter().map(|s| s.active.iter().filter(|&&a| a).count()).sum();
    let share = 100.0 * active as f64 / (steps.len() * points.len()).max(1) as f64;
    let _ = writeln!(
        text,
        "\nIn lock step all threads went through {} blocks; {share:.0} % of the lanes did work, the others waited.\n\
         {}/lockstep.svg shows which.",
        steps.len(),
        dir.display(),
    );
    text
}
