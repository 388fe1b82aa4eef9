//! What the tests share.
#![allow(dead_code)]

use lw_cfa::interp::{self, End};
use lw_cfa::{Analysis, Engine, Options, Sources};

/// Analyses a program; an error as people see it.
pub(crate) fn analyze_with(text: &str, options: Options) -> Result<Analysis, String> {
    let mut sources = Sources::new();
    let file = sources.add("t.scm", text).map_err(|error| error.message)?;
    Analysis::run(&mut sources, &[file], options, Engine::Delta)
        .map_err(|error| error.show(&sources))
}

/// Analyses a program that is right.
pub(crate) fn analyze(text: &str) -> Analysis {
    analyze_with(text, Options::default()).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// All engines agree on it.
pub(crate) fn engines_agree(analysis: &Analysis) {
    lw_cfa::oracle::engines_agree(&analysis.lowered.program).unwrap();
}

/// What a program displays, after all engines agreed on it and the run was held against the solution.
pub(crate) fn output(text: &str) -> String {
    let analysis = analyze(text);
    engines_agree(&analysis);
    let run = interp::run(&analysis, 1_000_000)
        .unwrap_or_else(|error| panic!("{text}\nunsound: {error}"));
    assert_eq!(run.end, End::Done, "{text}\n{}", run.output);
    run.output
}
