//! What was found as text.

use super::View;
use crate::findings::{Call, Known};
use std::io::{self, Write};

/// So many values of a variable are shown.
const MOST: usize = 8;

pub(super) fn show(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (found, core) = (&view.found, &view.analysis.core);
    let never_called = found.never_called();
    let (mut reached, mut inlinable, mut errors) = (0, 0, Vec::new());
    for call in found.calls() {
        reached += usize::from(call.reached);
        inlinable += usize::from(call.is_inlinable());
        errors.extend(call.error.map(|error| (call.loc, error)));
    }
    writeln!(
        out,
        "{} calls, {reached} reached, {inlinable} with one callee; {} variables; {} procedures never called",
        found.calls().len(),
        found.variables().len(),
        never_called.len()
    )?;
    if let Some((time, took)) = view.took {
        let program = &view.analysis.lowered.program;
        writeln!(
            out,
            "{:.3} s: {} variables, {} values, {} operations, {} facts",
            time.as_secs_f64(),
            program.vars,
            program.values.len(),
            program.ops.len(),
            view.analysis.solution.facts()
        )?;
        out.write_all(took.text().as_bytes())?;
    }
    if !errors.is_empty() {
        writeln!(out, "\nerrors that must happen where they are reached:")?;
        for (loc, error) in errors {
            writeln!(out, "  {}: {error}", view.spot(loc))?;
        }
    }
    writeln!(out, "\ncalls:")?;
    for call in found.calls() {
        write!(out, "  {}: ", view.spot(call.loc))?;
        let one = if call.is_inlinable() { " (inlinable)" } else { "" };
        writeln!(out, "{}{one}", said(view, &call))?;
    }
    writeln!(out, "\nvariables:")?;
    for (var, values) in found.variables() {
        let info = &core.vars[var.0 as usize];
        let shown: Vec<String> = values.iter().take(MOST).map(|value| known(view, value)).collect();
        let more = match values.len() {
            0 => "never has a value".to_string(),
            n if n > MOST => format!("{}, {} more", shown.join(", "), n - MOST),
            _ => shown.join(", "),
        };
        writeln!(out, "  {}: {}: {more}", view.spot(info.loc), info.name)?;
    }
    if !never_called.is_empty() {
        writeln!(out, "\nnever called:")?;
        for lam in never_called {
            writeln!(out, "  {}: {}", view.spot(core.lambda(lam).loc), view.name(lam))?;
        }
    }
    let never_taken = found.never_taken();
    if !never_taken.is_empty() {
        writeln!(out, "\nnever reached:")?;
        for loc in never_taken {
            writeln!(out, "  {}", view.spot(loc))?;
        }
    }
    Ok(())
}

/// What a call calls.
fn said(view: &View<'_>, call: &Call) -> String {
    let mut callees: Vec<String> = call.callees.iter().map(|lam| view.procedure(*lam)).collect();
    if call.continuation {
        callees.push("a continuation".into());
    }
    if call.unknown {
        callees.push("anything outside".into());
    }
    match (call.reached, callees.is_empty()) {
        (false, _) => "never reached".to_string(),
        (true, true) => "nothing".to_string(),
        (true, false) => callees.join(", "),
    }
}

fn known(view: &View<'_>, value: &Known) -> String {
    match value.loc {
        Some(loc) => format!("{} at {}", value.what, view.spot(loc)),
        None => value.what.clone(),
    }
}
