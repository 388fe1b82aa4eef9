//! The graph as text.

use super::program::spot;
use super::{Times, View};
use std::fmt::Write;

pub(super) fn show(view: &View<'_>, times: Option<&Times>) -> String {
    let View { program, graph, inputs } = view;
    let mut out = String::new();
    let sum = view.summary();
    let files: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    let _ = writeln!(out, "call graph of {}", files.join(" "));
    let _ = writeln!(
        out,
        "{} functions, {} of them never called; {} functions outside",
        sum.functions, sum.never_called, sum.outside
    );
    let _ = writeln!(
        out,
        "{} calls through pointers, {} of them reached, {} of these may call code of which nothing is known",
        sum.sites, sum.reached, sum.unknown
    );
    if sum.reached > 0 {
        let _ = writeln!(
            out,
            "{:.1} targets on average; {:.1} functions of the same type have their address taken",
            sum.average(sum.targets),
            sum.average(sum.same_type)
        );
    }
    if let Some(Times { read, solved, took }) = times {
        let stats = graph.stats();
        let _ = writeln!(
            out,
            "read in {:.3} s, solved in {:.3} s: {} variables, {} values, {} objects, {} operations, {} facts",
            read.as_secs_f64(),
            solved.as_secs_f64(),
            stats.variables,
            stats.values,
            stats.objects,
            stats.operations,
            stats.facts
        );
        out.push_str(&took.text());
    }
    let names = program.names(graph);
    for site in graph.sites() {
        let place = program.call(graph, site.function, site.inst).map(spot);
        let place = place.map_or(String::new(), |place| format!("{place}: "));
        let inside = &names[site.function.index()];
        let _ = write!(out, "\n{place}in {inside}: ");
        if !graph.is_reached(site.function) {
            out.push_str("never reached\n");
            continue;
        }
        let count = site.callees.functions.len();
        let plural = if count == 1 { "target" } else { "targets" };
        let _ =
            writeln!(out, "{count} {plural} (address taken and of this type: {})", site.same_type);
        for callee in &site.callees.functions {
            let place = program.place(graph, *callee).map(spot);
            let outside = graph.function(*callee).place.is_none();
            let place = place.unwrap_or(if outside { "outside".into() } else { String::new() });
            let _ = writeln!(out, "  {:<32} {place}", names[callee.index()]);
        }
        if site.callees.unknown {
            out.push_str("  code of which nothing is known\n");
        }
    }
    let never: Vec<_> = graph.never_called().collect();
    if !never.is_empty() {
        out.push_str("\nnever called:\n");
        for id in never {
            let place = program.place(graph, id).map(spot).unwrap_or_default();
            let _ = writeln!(out, "  {:<32} {place}", names[id.index()]);
        }
    }
    // Names without a place leave blanks behind.
    out.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}
