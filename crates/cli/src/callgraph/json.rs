//! The graph as JSON, one line for each call through a pointer and each function.

use super::{Times, View};
use lw_report::Object;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn show(
    view: &View<'_>,
    engine: &str,
    times: Option<&Times>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let View { program, graph, inputs } = view;
    let names = program.names(graph);
    let place = |at: Option<&lw_llvm::Location>| match at {
        Some(at) => {
            json!({ "file": at.file.display().to_string(), "line": at.line, "column": at.column })
        }
        None => Value::Null,
    };
    let list = |ids: &[lw_callgraph::FuncId]| -> Vec<&str> {
        ids.iter().map(|id| names[id.index()].as_str()).collect()
    };
    let functions = graph.functions().filter(|(_, data)| !data.replaced).map(|(id, data)| {
        json!({
            "name": names[id.index()],
            "place": place(program.place(graph, id)),
            "defined": data.place.is_some(),
            "called": graph.is_reached(id),
            "seen_outside": graph.is_seen_outside(id),
            "address_taken": graph.is_address_taken(id),
            "calls": list(graph.called_by(id)),
        })
    });
    let sites = graph.sites().iter().map(|site| {
        json!({
            "function": names[site.function.index()],
            "place": place(program.call(graph, site.function, site.inst)),
            "reached": graph.is_reached(site.function),
            "targets": list(&site.callees.functions),
            "unknown": site.callees.unknown,
            "same_type": site.same_type,
        })
    });
    let sum = view.summary();
    let files: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    let never: Vec<_> = graph.never_called().collect();
    let mut all = Object::new(out)?;
    all.key("files", &files)?;
    all.key("engine", &engine)?;
    let summary = json!({
        "functions": sum.functions,
        "outside": sum.outside,
        "never_called": sum.never_called,
        "sites": sum.sites,
        "sites_reached": sum.reached,
        "sites_unknown": sum.unknown,
        "average_targets": sum.average(sum.targets),
        "average_same_type": sum.average(sum.same_type),
    });
    all.key("summary", &summary)?;
    all.list("sites", sites)?;
    all.key("never_called", &list(&never))?;
    all.list("functions", functions)?;
    if let Some(Times { read, solved, took }) = times {
        let size = graph.stats();
        let stats = json!({
            "read_seconds": read.as_secs_f64(),
            "solve_seconds": solved.as_secs_f64(),
            "variables": size.variables,
            "values": size.values,
            "objects": size.objects,
            "operations": size.operations,
            "facts": size.facts,
            "engine_seconds": took.solve.as_secs_f64(),
            "gpu": took.gpu_json(),
        });
        all.key("stats", &stats)?;
    }
    all.end()
}
