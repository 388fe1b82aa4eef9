//! What must hold of every program: a run calls only what the graph has.

use lw_ir::Module;
use lw_ir::interp::{Machine, Run, Val};
use std::sync::{Arc, Mutex};

use crate::generate::parts;
use crate::instrument::{self, LOGGER};
use crate::{CallGraph, Engine, Part, Roots, engines_agree};

/// Engines agree on a program that starts at `@main` with a number, and what runs of it call is in the graph. Yields how many calls
/// through pointers were seen. What the program calls outside of it runs, but is not analysed.
pub fn sound(text: &str) -> Result<usize, String> {
    let parse = |text: &str| {
        let module = lw_ir::parse_module(text).map_err(|error| format!("bad text: {error}"))?;
        match lw_ir::verify_module(&module) {
            Ok(()) => Ok(module),
            Err(errors) => Err(format!("bad text: {errors:?}")),
        }
    };
    let (inside, whole) = parts(text);
    let (module, whole) = (parse(&inside)?, parse(&whole)?);
    let linkages = Default::default();
    let parts = [Part { module: &module, linkages: &linkages }];
    let mut runs = Vec::new();
    for number in 0..6 {
        runs.push(observe(&whole, number)?);
    }
    for roots in [Roots::Exported, Roots::Named(vec!["main".into()])] {
        engines_agree(&parts, &roots)?;
        let graph = CallGraph::new(&parts, &roots, Engine::Delta);
        for (site, callee) in runs.iter().flatten() {
            check(&graph, &module, *site, callee)?;
        }
    }
    Ok(runs.iter().map(Vec::len).sum())
}

/// The calls through pointers that a run makes: their numbers, and what they call.
fn observe(module: &Module, number: u128) -> Result<Vec<(u32, String)>, String> {
    let mut told = module.clone();
    let mut next = 0;
    for function in &mut told.functions {
        next += instrument::instrument(function, next);
    }
    let names: Vec<String> =
        told.functions.iter().filter_map(|f| f.name.as_str()).map(String::from).collect();
    let mut machine = Machine::new(&told);
    let log = Arc::new(Mutex::new(Vec::new()));
    let into = log.clone();
    machine.host(
        LOGGER,
        Arc::new(move |call| {
            if let (Val::Int(site), Val::Ptr(callee)) = (&call.args[0], &call.args[1])
                && let Ok(mut log) = into.lock()
            {
                log.push((*site as u32, callee.addr));
            }
            Ok(Val::Unit)
        }),
    );
    let places: Vec<(u64, String)> = names
        .into_iter()
        .filter_map(|name| Some((machine.address_of(&name)?.addr, name)))
        .collect();
    let run = Run { step_limit: 20_000, depth_limit: 40, ..Run::default() };
    // Whether it ends well or not: what it called, it called.
    let _ = machine.run("main", &[vec![Val::Int(number)]], &run);
    let log = log.lock().map_err(|_| "the log is broken")?;
    let name =
        |addr: &u64| places.iter().find(|(place, _)| place == addr).map(|(_, name)| name.clone());
    Ok(log.iter().filter_map(|(site, addr)| Some((*site, name(addr)?))).collect())
}

fn check(graph: &CallGraph<'_>, module: &Module, number: u32, callee: &str) -> Result<(), String> {
    let target = graph.find(callee);
    let mut left = number as usize;
    for function in &module.functions {
        let calls = instrument::indirect_calls(function);
        if left >= calls.len() {
            left -= calls.len();
            continue;
        }
        let name = function.name.as_str().unwrap_or_default();
        let Some(inside) = graph.find(name) else { break };
        let callees = graph.callees(inside, calls[left]).unwrap_or_default();
        let known = match target {
            Some(target) => callees.functions.contains(&target) && graph.is_reached(target),
            // It is outside, and the program has no name for it.
            None => callees.unknown,
        };
        return match known {
            true => Ok(()),
            false => {
                Err(format!("call {left} of {name} calls {callee}, which is not in the graph"))
            }
        };
    }
    // Code outside calls.
    match target.filter(|target| graph.function(*target).place.is_some()) {
        Some(target) if !graph.is_seen_outside(target) || !graph.is_reached(target) => {
            Err(format!("code outside calls {callee}, which is not seen outside"))
        }
        _ => Ok(()),
    }
}
