//! Targets, summaries of calls, and the product with ranges, on small programs.

mod calls;
mod explain;
mod gpu;
mod ranges;

use lw_divergence::{Divergence, Lattice, Options, Program, Sources};
use lw_ir::{Function, Module, Value};

/// A module, checked. What is called and not defined is declared as it is called.
fn module(text: &str) -> Module {
    let mut declarations = Vec::new();
    for call in text.lines().filter_map(|line| line.split(" call ").nth(1)) {
        let (ty, name) = call.split_once(" @").unwrap();
        let name = name.split('(').next().unwrap();
        let line = format!("declare @{name} : {ty}");
        if !text.contains(&format!("func @{name}(")) && !declarations.contains(&line) {
            declarations.push(line);
        }
    }
    let text = &format!("{}\n{text}", declarations.join("\n"));
    let module = lw_ir::parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    lw_ir::verify_module(&module).unwrap_or_else(|errors| panic!("{errors:?}"));
    module
}

/// The value of this name.
fn value(function: &Function, name: &str) -> Value {
    let wanted = |v: &Value| function.value_name(*v).is_some_and(|n| n.to_string() == name);
    let results = function.all_insts().filter_map(|(_, inst)| function[inst].result.expand());
    results
        .chain(function.params().iter().copied())
        .find(wanted)
        .unwrap_or_else(|| panic!("no %{name}"))
}

/// Analyses `@f` of a module with its callees.
fn analyze<L: Lattice>(module: &Module, params: &[L], options: &Options) -> Divergence<L> {
    let sources = Sources::params(params.to_vec());
    let program = Program::new(&module.functions, sources.clone(), options.clone());
    program.analyze(module.function("f").unwrap(), &sources)
}
