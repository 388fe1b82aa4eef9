//! What must hold of every program; tests and fuzz targets call these.

use crate::flow::{Program, Solution, solve};
use crate::interp::{self, End};
use crate::{Analysis, Constants, Engine, Options, Sources};

/// All engines find the same (r, σ), and `eigen` a larger one. With the feature `emulator` the kernels of `cuda` take part.
pub fn engines_agree(program: &Program) -> Result<(), String> {
    let reference = solve(program, Engine::Reference);
    for engine in [Engine::Delta, Engine::Matrix(1), Engine::Matrix(3)] {
        same(&solve(program, engine), &reference, &format!("{engine:?}"))?;
    }
    #[cfg(emulator)]
    kernels_agree(program, &reference)?;
    if !solve(program, Engine::Eigen).includes(&reference) {
        return Err("Eigen: something is missing".into());
    }
    Ok(())
}

fn same(solution: &Solution, reference: &Solution, engine: &str) -> Result<(), String> {
    if solution.reached != reference.reached {
        return Err(format!("{engine}: other expressions are reached"));
    }
    let differs = |var: &usize| solution.store[*var] != reference.store[*var];
    if let Some(var) = (0..reference.store.len()).find(differs) {
        let sets =
            [solution, reference].map(|solution| solution.store[var].iter().collect::<Vec<_>>());
        return Err(format!("{engine}: variable {var} has {:?} instead of {:?}", sets[0], sets[1]));
    }
    Ok(())
}

/// The kernels on the CPU, in a variant that depends on the program: one list or one for each form, how many threads share
/// an operation and in which order they run, tiles or not.
#[cfg(emulator)]
fn kernels_agree(program: &Program, reference: &Solution) -> Result<(), String> {
    use crate::flow::cuda::{Options, emulate};
    let kind = program.ops.len() + program.values.len();
    let options = Options {
        unpartitioned: kind.is_multiple_of(3),
        lanes: [1, 8, 32][kind % 3],
        blocks: 1,
        batch: 6,
        items: [3, 100][kind % 2],
        ..Options::default()
    };
    let run = |options: &Options| emulate(program, options, kind as u32).map_err(|e| e.to_string());
    let (solution, stats) = run(&options)?;
    same(&solution, reference, "the kernels")?;
    let memory = Some(stats.bytes * 7 / 8);
    match emulate(program, &Options { memory, ..options }, kind as u32) {
        Ok((solution, _)) => same(&solution, reference, "the kernels, tiled"),
        // One tile is the least.
        Err(_) => Ok(()),
    }
}

/// Engines agree on a Scheme program, and what a run of it does is in the solution. Yields how the run ended.
pub fn sound(text: &str, steps: usize, constants: Constants) -> Result<End, String> {
    let mut sources = Sources::new();
    let file = sources.add("random.scm", text).map_err(|error| error.message)?;
    let options = Options { constants, ..Options::default() };
    let analysis = Analysis::run(&mut sources, &[file], options, Engine::Delta)
        .map_err(|error| error.show(&sources))?;
    engines_agree(&analysis.lowered.program)?;
    interp::run(&analysis, steps).map(|run| run.end)
}

/// What [`sound`] says with numbers by type and by sign; a run ends the same way, however numbers are abstracted.
pub fn sound_by_type_and_sign(text: &str, steps: usize) -> Result<End, String> {
    let end = sound(text, steps, Constants::Types)?;
    let signed = sound(text, steps, Constants::Signs).map_err(|why| format!("signs: {why}"))?;
    if end != signed {
        return Err(format!("a run ends in two ways: {end:?} and {signed:?}"));
    }
    Ok(end)
}
