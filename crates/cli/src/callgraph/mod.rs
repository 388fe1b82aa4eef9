//! `lw callgraph`: which functions calls through pointers may call.

mod dot;
mod html;
mod json;
mod observed;
mod program;
mod text;

use crate::Done;
use crate::failure::Failure;
use lw_callgraph::{CallGraph, Roots};
use lw_cfa::command::{EngineArgs, Took};
use program::Program;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Finds out which functions calls through pointers may call.
///
/// All files together are one program. What they do not define is outside: it may call what it gets to see, and may yield anything.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  clang-22 -O1 -g -c -emit-llvm prog.c -o prog.bc
  lw callgraph prog.bc
  lw callgraph prog.bc --entry main --format json
  lw callgraph a.bc b.bc --format dot | dot -Tsvg > calls.svg

Without --entry every function that other modules can name counts as called from outside, as in a library.
docs/callgraph.md tells how to read the results, and what is assumed.")]
pub(crate) struct Args {
    /// The modules of the program: .bc, .ll or .lw
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Only this function is called from outside, beside those whose address gets there; repeat it for more
    #[arg(long, value_name = "NAME")]
    entry: Vec<String>,
    #[command(flatten)]
    engine: EngineArgs,
    /// How to show the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How large the problem was and how long it took
    #[arg(long)]
    stats: bool,
    /// Writes the module with a call of `lw_indirect_call(i32 number, ptr callee)` before each call through a pointer, and nothing
    /// else
    #[arg(long, value_name = "OUT.bc", conflicts_with_all = ["format", "stats", "observed"])]
    instrument: Option<PathBuf>,
    /// Holds calls that were seen, lines of `NUMBER FUNCTION`, against the graph; exit code 1 if one is not in it
    #[arg(long, value_name = "FILE")]
    observed: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Calls through pointers with their targets, then functions that are never called
    Text,
    /// For other programs; docs/callgraph.md describes the keys
    Json,
    /// The call graph for graphviz
    Dot,
    /// One page that needs nothing else: the source with the targets of calls, and the call graph drawn
    Html,
}

pub(crate) fn main(args: Args) -> Done {
    if let Some(output) = &args.instrument {
        return observed::instrument(&args.inputs, output);
    }
    // Whether there is a GPU is known before long work begins.
    let engine = args.engine.open()?;
    let start = Instant::now();
    let program = Program::read(&args.inputs)?;
    let read = start.elapsed();
    let roots = match args.entry.as_slice() {
        [] => Roots::Exported,
        names => {
            let plain = |name: &String| name.trim_start_matches('@').to_string();
            Roots::Named(names.iter().map(plain).collect())
        }
    };
    let mut took = None;
    let graph = CallGraph::solved_by(&program.parts(), &roots, |constraints| {
        let solved = engine.solve(constraints)?;
        took = Some(solved.took);
        Ok::<_, Failure>(solved.solution)
    })?;
    let solved = start.elapsed() - read;
    if let Roots::Named(names) = &roots
        && let Some(unknown) = names
            .iter()
            .find(|name| graph.find(name).is_none_or(|id| graph.function(id).place.is_none()))
    {
        return Err(Failure::cannot(format!("--entry {unknown}: no module defines this function")));
    }
    if let Some(log) = &args.observed {
        return observed::check(&program, &graph, log);
    }
    let view = View { program: &program, graph: &graph, inputs: &args.inputs };
    let times = took.filter(|_| args.stats).map(|took| Times { read, solved, took });
    let (times, engine) = (times.as_ref(), args.engine.name());
    Ok(lw_report::write(args.output.as_deref(), |out| match args.format {
        Format::Text => text::show(&view, times, out),
        Format::Json => json::show(&view, engine, times, out),
        Format::Dot => dot::show(&view, out),
        Format::Html => out.write_all(html::show(&view).as_bytes()),
    })?)
}

/// How long it took.
struct Times {
    read: Duration,
    /// From the modules to the graph.
    solved: Duration,
    /// The engine's part of it.
    took: Took,
}

/// What is shown.
struct View<'a> {
    program: &'a Program,
    graph: &'a CallGraph<'a>,
    inputs: &'a [PathBuf],
}

/// The numbers on top of a report.
struct Summary {
    functions: usize,
    outside: usize,
    never_called: usize,
    sites: usize,
    unknown: usize,
    /// Over the sites that are reached: how many targets, and how many functions of their type have their address taken.
    reached: usize,
    targets: usize,
    same_type: usize,
}

impl View<'_> {
    fn summary(&self) -> Summary {
        let graph = self.graph;
        let functions = graph.functions().filter(|(_, data)| !data.replaced);
        let (inside, outside): (Vec<_>, Vec<_>) =
            functions.partition(|(_, data)| data.place.is_some());
        let reached = || graph.sites().iter().filter(|site| graph.is_reached(site.function));
        Summary {
            functions: inside.len(),
            outside: outside.len(),
            never_called: graph.never_called().count(),
            sites: graph.sites().len(),
            unknown: reached().filter(|site| site.callees.unknown).count(),
            reached: reached().count(),
            targets: reached().map(|site| site.callees.functions.len()).sum(),
            same_type: reached().map(|site| site.same_type).sum(),
        }
    }
}

impl Summary {
    fn average(&self, of: usize) -> f64 {
        of as f64 / self.reached.max(1) as f64
    }
}
