//! What was found as text.

use super::View;
use crate::findings::Known;
use std::fmt::Write;

/// So many values of a variable are shown.
const MOST: usize = 8;

pub(super) fn show(view: &View<'_>) -> String {
    let mut out = String::new();
    let (found, core) = (&view.found, &view.analysis.core);
    let reached = found.calls.iter().filter(|call| call.reached).count();
    let inlinable = found.calls.iter().filter(|call| call.is_inlinable()).count();
    let _ = writeln!(
        out,
        "{} calls, {reached} reached, {inlinable} with one callee; {} variables; {} procedures never called",
        found.calls.len(),
        found.variables.len(),
        found.never_called.len()
    );
    if let Some((time, took)) = &view.took {
        let program = &view.analysis.lowered.program;
        let _ = writeln!(
            out,
            "{:.3} s: {} variables, {} values, {} operations, {} facts",
            time.as_secs_f64(),
            program.vars,
            program.values.len(),
            program.ops.len(),
            view.analysis.solution.facts()
        );
        out.push_str(&took.text());
    }
    let errors: Vec<_> = found.calls.iter().filter(|call| call.error.is_some()).collect();
    if !errors.is_empty() {
        out.push_str("\nerrors that must happen where they are reached:\n");
        for call in errors {
            let what = call.error.as_deref().unwrap_or_default();
            let _ = writeln!(out, "  {}: {what}", view.spot(call.loc));
        }
    }
    out.push_str("\ncalls:\n");
    for call in &found.calls {
        let mut callees: Vec<String> =
            call.callees.iter().map(|lam| view.procedure(*lam)).collect();
        if call.continuation {
            callees.push("a continuation".into());
        }
        if call.unknown {
            callees.push("anything outside".into());
        }
        let said = match (call.reached, callees.is_empty()) {
            (false, _) => "never reached".to_string(),
            (true, true) => "nothing".to_string(),
            (true, false) => callees.join(", "),
        };
        let one = if call.is_inlinable() { " (inlinable)" } else { "" };
        let _ = writeln!(out, "  {}: {said}{one}", view.spot(call.loc));
    }
    out.push_str("\nvariables:\n");
    for (var, values) in &found.variables {
        let info = &core.vars[var.0 as usize];
        let shown: Vec<String> = values.iter().take(MOST).map(|value| known(view, value)).collect();
        let more = match values.len() {
            0 => "never has a value".to_string(),
            n if n > MOST => format!("{}, {} more", shown.join(", "), n - MOST),
            _ => shown.join(", "),
        };
        let _ = writeln!(out, "  {}: {}: {more}", view.spot(info.loc), info.name);
    }
    if !found.never_called.is_empty() {
        out.push_str("\nnever called:\n");
        for lam in &found.never_called {
            let _ = writeln!(out, "  {}: {}", view.spot(core.lambda(*lam).loc), view.name(*lam));
        }
    }
    if !found.never_taken.is_empty() {
        out.push_str("\nnever reached:\n");
        for loc in &found.never_taken {
            let _ = writeln!(out, "  {}", view.spot(*loc));
        }
    }
    out
}

pub(super) fn known(view: &View<'_>, value: &Known) -> String {
    match value.loc {
        Some(loc) => format!("{} at {}", value.what, view.spot(loc)),
        None => value.what.clone(),
    }
}
