//! Holding what programs call against the graph: modules that tell, and what they told.

use super::program::{Program, spot};
use crate::failure::Failure;
use crate::output::{show, write_file};
use crate::{Done, input};
use lw_callgraph::{CallGraph, instrument};
use lw_llvm::Context;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Writes a module that calls the logger before each call through a pointer.
pub(super) fn instrument(inputs: &[PathBuf], output: &Path) -> Done {
    let [path] = inputs else {
        return Err(Failure::cannot(
            "--instrument takes one module; llvm-link-22 makes one of several",
        ));
    };
    if output.extension().is_none_or(|extension| extension != "bc") {
        return Err(Failure::cannot(format!(
            "{}: expected a name that ends in .bc",
            output.display()
        )));
    }
    let context = Context::new();
    let mut module = input::llvm_module(&context, path)?;
    let mut bridge = module.bridge()?;
    let mut next = 0;
    for id in bridge.functions() {
        let mut imported = bridge.import(id);
        let added = instrument::instrument(&mut imported.function, next);
        if added > 0 {
            bridge.replace_body(&imported.function, &imported.origins)?;
        }
        next += added;
    }
    module.verify()?;
    write_file(output, &module.to_bitcode())?;
    show(&format!("{}: {next} calls through pointers\n", output.display()))
}

/// Whether every call that was seen is in the graph. A function that the program does not define may be called where the graph
/// has any function outside.
pub(super) fn check(program: &Program, graph: &CallGraph<'_>, log: &Path) -> Done {
    let bad =
        |line: usize, what: &str| Failure::cannot(format!("{}:{line}: {what}", log.display()));
    let text = std::fs::read_to_string(log)
        .map_err(|error| Failure::cannot(format!("{}: {error}", log.display())))?;
    let numbered = program.numbered(graph);
    let (mut seen, mut missing, mut sites) = (0, Vec::new(), BTreeSet::new());
    for (at, line) in text.lines().enumerate() {
        let Some((number, name)) = line.split_once(' ') else {
            return Err(bad(at + 1, "expected a number and the name of a function"));
        };
        let number: usize = number.parse().map_err(|_| bad(at + 1, "expected a number"))?;
        let Some(&(function, inst)) = numbered.get(number) else {
            return Err(bad(at + 1, &format!("there are only {} calls", numbered.len())));
        };
        seen += 1;
        sites.insert(number);
        let callees = graph.callees(function, inst).unwrap_or_default();
        let target = graph.find(name).filter(|id| graph.function(*id).place.is_some());
        let outside = |id: &lw_callgraph::FuncId| graph.function(*id).place.is_none();
        let there = match target {
            Some(target) => callees.functions.contains(&target),
            None => callees.unknown || callees.functions.iter().any(outside),
        };
        if !there {
            let names = program.names(graph);
            let place = program.call(graph, function, inst).map(spot);
            let place = place.map_or(String::new(), |place| format!("{place}: "));
            let inside = names.get(function.index()).map_or("a replaced function", String::as_str);
            missing
                .push(format!("{place}in {inside}: {name} was called, and is not in the graph\n"));
        }
    }
    show(&missing.concat())?;
    show(&format!(
        "{seen} targets seen at {} of {} calls through pointers, {} not in the graph\n",
        sites.len(),
        numbered.len(),
        missing.len()
    ))?;
    if missing.is_empty() { Ok(()) } else { Err(Failure::No) }
}
