//! A function run by eight threads in lock step, by the interpreter, beside eight runs of its machine code.

use super::build::run;
use super::lockstep_picture;
use crate::failure::Failure;
use crate::input;
use crate::output::write_file;
use lw_ir::interp::{Machine, Run, Trace, Val};
use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("../../../../examples/escape.c");
const LIMIT: i32 = 20;
const THREADS: usize = 8;

/// What happened.
pub(super) struct Lockstep {
    /// Which threads worked and which waited, as SVG.
    pub(super) picture: String,
    /// How many of a hundred lanes did work.
    pub(super) share: f64,
    /// Whether both computed the same.
    pub(super) same: bool,
}

/// Runs the example in a folder.
pub(super) fn lockstep(dir: &Path) -> Result<Lockstep, Failure> {
    let source = dir.join("escape.c");
    write_file(&source, SOURCE.as_bytes())?;
    let (ir, native) = (dir.join("escape.ll"), dir.join("escape"));
    clang(&["-g", "-S", "-emit-llvm"], &source, &ir)?;
    clang(&["-DWITH_MAIN"], &source, &native)?;
    let module = input::program(&ir)?;
    let function = input::function(&module, "escape", &ir)?;
    let points: Vec<(f32, f32)> =
        (0..THREADS).map(|t| (0.28125 + 0.03125 * t as f32, 0.5)).collect();
    let scalar = run_natively(&native, &points)?;
    let (lockstep, trace) = run_in_lockstep(&module, &points)?;
    let title = "Eight threads run the loop of the Mandelbrot set in lock step";
    let steps: Vec<_> = trace.top().collect();
    let active: usize = steps.iter().map(|s| s.active.iter().filter(|&&a| a).count()).sum();
    Ok(Lockstep {
        picture: lockstep_picture::draw(function, &trace, title),
        share: 100.0 * active as f64 / (steps.len() * points.len()).max(1) as f64,
        same: scalar == lockstep,
    })
}

fn clang(more: &[&str], source: &Path, output: &Path) -> Result<(), Failure> {
    // Contraction would round differently in the two programs.
    let flags = ["-O1", "-ffp-contract=off", "-fno-discard-value-names"];
    let mut command = Command::new("clang-22");
    run(command.args(flags).args(more).arg(source).arg("-o").arg(output))?;
    Ok(())
}

/// One run of the compiled program with all points, one after the other.
fn run_natively(program: &Path, points: &[(f32, f32)]) -> Result<Vec<i32>, Failure> {
    let mut command = Command::new(std::path::absolute(program)?);
    command.arg(LIMIT.to_string());
    for (x, y) in points {
        command.arg(x.to_string()).arg(y.to_string());
    }
    let done = run(&mut command)?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let results: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    match results.len() == points.len() {
        true => Ok(results),
        false => Err(Failure::cannot(format!("{} did not print its results", program.display()))),
    }
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
