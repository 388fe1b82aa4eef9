//! The graph as text.

use super::program::spot;
use super::{Times, View};
use std::io::{self, Write};

pub(super) fn show(view: &View<'_>, times: Option<&Times>, out: &mut dyn Write) -> io::Result<()> {
    let View { program, graph, inputs } = view;
    let sum = view.summary();
    let files: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    writeln!(out, "call graph of {}", files.join(" "))?;
    writeln!(
        out,
        "{} functions, {} of them never called; {} functions outside",
        sum.functions, sum.never_called, sum.outside
    )?;
    writeln!(
        out,
        "{} calls through pointers, {} of them reached, {} of these may call code of which nothing is known",
        sum.sites, sum.reached, sum.unknown
    )?;
    if sum.reached > 0 {
        writeln!(
            out,
            "{:.1} targets on average; {:.1} functions of the same type have their address taken",
            sum.average(sum.targets),
            sum.average(sum.same_type)
        )?;
    }
    if let Some(Times { read, solved, took }) = times {
        let stats = graph.stats();
        writeln!(
            out,
            "read in {:.3} s, solved in {:.3} s: {} variables, {} values, {} objects, {} operations, {} facts",
            read.as_secs_f64(),
            solved.as_secs_f64(),
            stats.variables,
            stats.values,
            stats.objects,
            stats.operations,
            stats.facts
        )?;
        out.write_all(took.text().as_bytes())?;
    }
    let names = program.names(graph);
    for site in graph.sites() {
        let place = program.call(graph, site.function, site.inst).map(spot);
        let place = place.map_or(String::new(), |place| format!("{place}: "));
        let inside = &names[site.function.index()];
        write!(out, "\n{place}in {inside}: ")?;
        if !graph.is_reached(site.function) {
            writeln!(out, "never reached")?;
            continue;
        }
        let count = site.callees.functions.len();
        let plural = if count == 1 { "target" } else { "targets" };
        writeln!(out, "{count} {plural} (address taken and of this type: {})", site.same_type)?;
        for callee in &site.callees.functions {
            let place = program.place(graph, *callee).map(spot);
            let outside = graph.function(*callee).place.is_none();
            let place = place.unwrap_or(if outside { "outside".into() } else { String::new() });
            row(out, &names[callee.index()], &place)?;
        }
        if site.callees.unknown {
            writeln!(out, "  code of which nothing is known")?;
        }
    }
    let never: Vec<_> = graph.never_called().collect();
    if !never.is_empty() {
        writeln!(out, "\nnever called:")?;
        for id in never {
            let place = program.place(graph, id).map(spot).unwrap_or_default();
            row(out, &names[id.index()], &place)?;
        }
    }
    Ok(())
}

/// A function with its place, if it has one.
fn row(out: &mut dyn Write, name: &str, place: &str) -> io::Result<()> {
    writeln!(out, "{}", format!("  {name:<32} {place}").trim_end())
}
