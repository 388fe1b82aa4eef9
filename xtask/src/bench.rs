//! The benchmarks, as a table: adding one is one line.

use crate::args::Args;
use crate::corpus;
use crate::place;
use crate::run::{self, During, Failure, Result};
use crate::setup::{self, Need};

pub(crate) const HELP: &str = "\
Sets up, builds and runs one benchmark; without a name, lists them. Results go to target/bench/NAME.json.

Usage: cargo xtask bench [NAME] [-- ARGUMENTS OF THE BENCHMARK]

Example: cargo xtask bench graph
";

struct Bench {
    name: &'static str,
    about: &'static str,
    /// What cargo runs, in release mode.
    target: &'static [&'static str],
    /// The configurations of the real programs whose bitcode it reads.
    corpus: &'static [&'static str],
    /// What it is told besides.
    arguments: &'static [&'static str],
    /// The packages it runs, beside its own.
    builds: &'static [&'static str],
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "graph",
        about: "how the graph algorithms scale",
        target: &["-p", "lw-graph", "--example", "graph_scaling"],
        corpus: &[],
        arguments: &[],
        builds: &[],
    },
    Bench {
        name: "roundtrip",
        about: "import and emission of the real programs",
        target: &["-p", "lw-bench", "--bin", "bench-roundtrip"],
        corpus: &["O0g", "O2g", "O3native"],
        arguments: &[],
        builds: &[],
    },
    Bench {
        name: "sparse",
        about: "splitting and the sparse analyses beside LazyValueInfo, PredicateInfo and dense solving",
        target: &["-p", "lw-bench", "--bin", "bench-sparse"],
        corpus: &["O0", "O1"],
        arguments: &[],
        builds: &[],
    },
    Bench {
        name: "cfa",
        about: "the engines of 0-CFA beside Ascent, as programs grow, on SLIB, and on a GPU",
        target: &["-p", "lw-bench", "--no-default-features", "--bin", "bench-cfa"],
        corpus: &[],
        arguments: &["--program", "/usr/share/slib"],
        builds: &[],
    },
    Bench {
        name: "divergence",
        about: "what the divergence analysis, its baselines and LLVM find uniform, and how long it takes",
        target: &["-p", "lw-bench", "--bin", "bench-divergence"],
        corpus: &["O2g"],
        arguments: &[],
        builds: &[],
    },
    Bench {
        name: "vectorize",
        about: "loops with a pragma, by lw cc, clang, gcc and, if ISPC names one, ISPC",
        target: &["-p", "lw-bench", "--no-default-features", "--bin", "bench-vectorize"],
        corpus: &[],
        arguments: &[],
        builds: &["lw", "laneweaver"],
    },
    Bench {
        name: "compile",
        about: "how the time of the vectorizer grows, and what the plug-in costs where nothing is marked",
        target: &["-p", "lw-bench", "--bin", "bench-compile"],
        corpus: &["O0"],
        arguments: &[],
        builds: &["laneweaver"],
    },
    Bench {
        name: "math",
        about: "errors of the vector functions of libmvec and SLEEF, called by lw cc",
        target: &["-p", "lw-bench", "--no-default-features", "--bin", "bench-math"],
        corpus: &[],
        arguments: &[],
        builds: &["lw", "laneweaver"],
    },
];

pub(crate) fn main(arguments: Vec<String>) -> Result {
    let mut args = Args::new(arguments);
    let for_bench = std::mem::take(&mut args.after);
    let names = args.names()?;
    let [name] = names.as_slice() else {
        list();
        return if names.is_empty() {
            Ok(())
        } else {
            Err(Failure::usage("one benchmark at a time"))
        };
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        list();
        return Err(Failure::usage(format!("no benchmark `{name}`")));
    };
    setup::ensure(Need::Bench)?;
    let folder = place::target().join("bench");
    std::fs::create_dir_all(&folder).during(folder.display())?;
    let json = folder.join(format!("{name}.json"));
    if !bench.builds.is_empty() {
        let packages = bench.builds.iter().flat_map(|package| ["-p", package]);
        run::echo(place::cargo().args(["build", "--release"]).args(packages))?;
    }
    let mut command = place::cargo();
    command.args(["run", "--release"]).args(bench.target).arg("--").arg("--json").arg(&json);
    if !bench.corpus.is_empty() {
        corpus::build_configs(bench.corpus)?;
        command.arg("--corpus").arg(corpus::folder());
    }
    run::echo(command.args(bench.arguments).args(for_bench))?;
    println!("results: {}", json.display());
    Ok(())
}

fn list() {
    for Bench { name, about, .. } in BENCHES {
        println!("{name:<12} {about}");
    }
}
