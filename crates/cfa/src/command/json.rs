//! What was found as JSON.

use super::View;
use crate::source::Loc;
use serde_json::{Value, json};

pub(super) fn show(view: &View<'_>) -> String {
    let (found, core) = (&view.found, &view.analysis.core);
    let place = |loc: Loc| {
        let at = view.spot(loc);
        json!({ "file": at.file, "line": at.line, "column": at.column })
    };
    let procedure = |lam: crate::expand::core::Lam| json!({ "name": view.name(lam), "place": place(core.lambda(lam).loc) });
    let calls = found.calls.iter().map(|call| {
        json!({
            "place": place(call.loc),
            "inside": call.inside.map(procedure),
            "reached": call.reached,
            "callees": call.callees.iter().map(|lam| procedure(*lam)).collect::<Vec<_>>(),
            "continuation": call.continuation,
            "unknown": call.unknown,
            "inlinable": call.is_inlinable(),
            "error": call.error,
        })
    });
    let variables = found.variables.iter().map(|(var, values)| {
        let info = &core.vars[var.0 as usize];
        let values =
            values.iter().map(|value| json!({ "what": value.what, "place": value.loc.map(place) }));
        json!({
            "name": info.name,
            "place": place(info.loc),
            "values": values.collect::<Vec<Value>>(),
        })
    });
    let files: Vec<String> = view.inputs.iter().map(|path| path.display().to_string()).collect();
    let mut all = json!({
        "files": files,
        "engine": view.engine,
        "calls": calls.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
        "never_called": found.never_called.iter().map(|lam| procedure(*lam)).collect::<Vec<_>>(),
        "never_reached": found.never_taken.iter().map(|loc| place(*loc)).collect::<Vec<_>>(),
    });
    if let Some((time, took)) = &view.took {
        let program = &view.analysis.lowered.program;
        all["stats"] = json!({
            "seconds": time.as_secs_f64(),
            "variables": program.vars,
            "values": program.values.len(),
            "operations": program.ops.len(),
            "facts": view.analysis.solution.facts(),
            "solve_seconds": took.solve.as_secs_f64(),
            "gpu": took.gpu_json(),
        });
    }
    format!("{all:#}\n")
}
