//! What must hold of every program; tests and fuzz targets call these.

use crate::flow::{Program, solve};
use crate::interp::{self, End};
use crate::{Analysis, Engine, Options, Sources};

/// All engines find the same (r, σ), and `eigen` a larger one.
pub fn engines_agree(program: &Program) -> Result<(), String> {
    let reference = solve(program, Engine::Reference);
    for engine in [Engine::Delta, Engine::Matrix(1), Engine::Matrix(3)] {
        let solution = solve(program, engine);
        if solution.reached != reference.reached {
            return Err(format!("{engine:?}: other expressions are reached"));
        }
        let differs = |var: &usize| solution.store[*var] != reference.store[*var];
        if let Some(var) = (0..reference.store.len()).find(differs) {
            let sets = [&solution, &reference]
                .map(|solution| solution.store[var].iter().collect::<Vec<_>>());
            return Err(format!(
                "{engine:?}: variable {var} has {:?} instead of {:?}",
                sets[0], sets[1]
            ));
        }
    }
    if !solve(program, Engine::Eigen).includes(&reference) {
        return Err("Eigen: something is missing".into());
    }
    Ok(())
}

/// Engines agree on a Scheme program, and what a run of it does is in the solution. Yields how the run ended.
pub fn sound(text: &str, steps: usize) -> Result<End, String> {
    let mut sources = Sources::new();
    let file = sources.add("random.scm", text).map_err(|error| error.message)?;
    let analysis = Analysis::run(&mut sources, &[file], Options::default(), Engine::Delta)
        .map_err(|error| error.show(&sources))?;
    engines_agree(&analysis.lowered.program)?;
    interp::run(&analysis, steps).map(|run| run.end)
}
