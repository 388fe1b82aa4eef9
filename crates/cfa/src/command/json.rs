//! What was found as JSON, one line for each call and each variable.

use super::View;
use crate::expand::core::Lam;
use crate::source::Loc;
use lw_report::Object;
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Procedure<'a> {
    name: &'a str,
    place: Place<'a>,
}

#[derive(Serialize)]
struct Call<'a> {
    place: Place<'a>,
    inside: Option<Procedure<'a>>,
    reached: bool,
    callees: Vec<Procedure<'a>>,
    continuation: bool,
    unknown: bool,
    inlinable: bool,
    error: Option<String>,
}

#[derive(Serialize)]
struct Variable<'a> {
    name: &'a str,
    place: Place<'a>,
    values: Vec<Known<'a>>,
}

#[derive(Serialize)]
struct Known<'a> {
    what: &'a str,
    place: Option<Place<'a>>,
}

pub(super) fn show(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (found, core) = (&view.found, &view.analysis.core);
    let place = |loc: Loc| {
        let at = view.spot(loc);
        Place { file: at.file, line: at.line, column: at.column }
    };
    let procedure =
        |lam: Lam| Procedure { name: view.name(lam), place: place(core.lambda(lam).loc) };
    let calls = found.calls().map(|call| Call {
        place: place(call.loc),
        inside: call.inside.map(procedure),
        reached: call.reached,
        callees: call.callees.iter().map(|lam| procedure(*lam)).collect(),
        continuation: call.continuation,
        unknown: call.unknown,
        inlinable: call.is_inlinable(),
        error: call.error,
    });
    let variables = found.variables().map(|(var, values)| {
        let info = &core.vars[var.0 as usize];
        let values =
            values.iter().map(|value| Known { what: &value.what, place: value.loc.map(place) });
        Variable { name: &info.name, place: place(info.loc), values: values.collect() }
    });
    let files: Vec<String> = view.inputs.iter().map(|path| path.display().to_string()).collect();
    let mut all = Object::new(out)?;
    all.key("files", &files)?;
    all.key("engine", &view.engine)?;
    all.list("calls", calls)?;
    all.list("variables", variables)?;
    all.list("never_called", found.never_called().into_iter().map(procedure))?;
    all.list("never_reached", found.never_taken().into_iter().map(place))?;
    if let Some((time, took)) = view.took {
        let program = &view.analysis.lowered.program;
        let stats = json!({
            "seconds": time.as_secs_f64(),
            "variables": program.vars,
            "values": program.values.len(),
            "operations": program.ops.len(),
            "facts": view.analysis.solution.facts(),
            "solve_seconds": took.solve.as_secs_f64(),
            "gpu": took.gpu_json(),
        });
        all.key("stats", &stats)?;
    }
    all.end()
}
