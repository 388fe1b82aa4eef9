//! Times the engines on the family F(N) of `lw_cfa::generate::family`: N procedures passed through one identity procedure and then
//! applied to one another.
//!
//! `cargo run --release -p lw-cfa --example family -- ENGINE N …`, where ENGINE is `reference`, `delta`, `matrix`, `matrix-THREADS` or
//! `eigen`; or `-- FILE.scm …` with files that end in `.scm`, for all engines on one program.

use lw_cfa::flow::solve;
use lw_cfa::{Analysis, Engine, Options, Sources};
use std::time::Instant;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = || "usage: family ENGINE N … | family FILE.scm …".to_string();
    let first = args.first().ok_or_else(usage)?;
    if first.ends_with(".scm") {
        return files(&args);
    }
    let engine = engine(first).ok_or_else(usage)?;
    for n in &args[1..] {
        let n: usize = n.parse().map_err(|_| usage())?;
        let text = lw_cfa::generate::family(n);
        report(&format!("F({n})"), &[("family.scm".into(), text)], &[engine])?;
    }
    Ok(())
}

fn engine(name: &str) -> Option<Engine> {
    match name {
        "reference" => Some(Engine::Reference),
        "delta" => Some(Engine::Delta),
        "eigen" => Some(Engine::Eigen),
        "matrix" => Some(Engine::Matrix(1)),
        _ => name
            .strip_prefix("matrix-")
            .and_then(|threads| threads.parse().ok())
            .map(Engine::Matrix),
    }
}

fn files(names: &[String]) -> Result<(), String> {
    let read = |name: &String| match std::fs::read(name) {
        Ok(bytes) => Ok((name.clone(), String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) => Err(format!("{name}: {error}")),
    };
    let texts = names.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    report(
        "program",
        &texts,
        &[Engine::Delta, Engine::Matrix(1), Engine::Matrix(2), Engine::Reference],
    )
}

fn report(what: &str, texts: &[(String, String)], engines: &[Engine]) -> Result<(), String> {
    let mut sources = Sources::new();
    let mut files = Vec::new();
    for (name, text) in texts {
        files.push(sources.add(name, text.as_str()).map_err(|error| error.message)?);
    }
    let start = Instant::now();
    let options = Options { assume_unknown: true, ..Options::default() };
    let analysis = Analysis::run(&mut sources, &files, options, Engine::Delta)
        .map_err(|error| error.show(&sources))?;
    let whole = start.elapsed();
    let program = &analysis.lowered.program;
    println!(
        "{what}: {} variables, {} values, {} expressions, {} facts; text to solution {whole:.2?}",
        program.vars,
        program.values.len(),
        program.exprs(),
        analysis.solution.facts()
    );
    for engine in engines {
        let start = Instant::now();
        let solution = solve(program, *engine);
        let took = start.elapsed();
        let same = solution == analysis.solution || *engine == Engine::Eigen;
        println!("  {engine:?}: {took:.2?}{}", if same { "" } else { "  DIFFERS" });
    }
    Ok(())
}
