//! A function with the versions of its variables, and with the φs, σs and copies that splitting added.

use super::form::Form;
use lw_graph::Node;
use lw_ir::{Block, Function, Inst, Printer, Value};
use lw_sparse::{Pos, Var, Version, View, function};
use std::fmt::Write;

pub(super) struct Writer<'a> {
    function: &'a Function,
    view: &'a View,
    printer: Printer<'a>,
    /// By version: the how manieth of its variable it is, in the order they are printed.
    number: Vec<u32>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(function: &'a Function, view: &'a View) -> Writer<'a> {
        let number = numbers(function, view);
        Writer { function, view, printer: Printer::new(function), number }
    }

    /// `%x`, or `%x#2` if the variable was split.
    fn version(&self, version: Version) -> String {
        let var = self.view.var(version);
        let name = self.printer.value(function::value(var));
        match self.view.versions_of(var).count() {
            1 => name,
            _ => format!("{name}#{}", self.number[version.index()]),
        }
    }

    fn or_dead(&self, version: Option<Version>) -> String {
        version.map_or("_".into(), |version| self.version(version))
    }

    /// An instruction that reads and writes versions.
    fn inst(&self, pos: Pos, inst: Inst) -> String {
        let code = self.view.code();
        let rename = |value: Value, from: Option<Block>| {
            let var = function::var(value);
            let written = self.view.defs(pos).find(|&(v, _)| v == var);
            let version = match (written, from) {
                (Some((_, version)), _) => version?,
                (None, Some(from)) => self.incoming(pos, var, from)?,
                (None, None) => self.view.uses(pos).find(|&(v, _)| v == var)?.1?,
            };
            Some(self.version(version))
        };
        debug_assert_eq!(function::inst(code.instr(pos)), inst);
        self.printer.inst_with(inst, &rename)
    }

    /// The version a φ of the program reads if control comes from a block.
    fn incoming(&self, phi: Pos, var: Var, from: Block) -> Option<Version> {
        let code = self.view.code();
        let edges = code.phi_uses(phi).map(|(_, edge)| code.graph().source(edge));
        let mut uses = self.view.uses(phi).zip(edges);
        uses.find(|&((v, _), source)| v == var && source == function::node(from))?.0.1
    }

    /// The lines of a block.
    fn lines(&self, block: Node) -> Vec<String> {
        let (view, code) = (self.view, self.view.code());
        let graph = code.graph();
        let mut lines = Vec::new();
        for &phi in view.phis_at(block) {
            let sources = graph.predecessor_edges(block).iter().map(|&e| graph.source(e));
            let args = view.phi_args(phi).zip(sources).map(|(version, from)| {
                format!(
                    "{} from {}",
                    self.or_dead(version),
                    self.printer.block(function::block(from))
                )
            });
            let args: Vec<String> = args.collect();
            let result = self.version(view.phis()[phi as usize].result);
            lines.push(format!("{result} = φ({})", args.join(", ")));
        }
        for pos in code.positions(block) {
            let mut line = self.inst(pos, function::inst(code.instr(pos)));
            for &copy in view.copies_at(pos) {
                let copy = view.copies()[copy as usize];
                let (to, from) = (self.version(copy.result), self.version(copy.source));
                let _ = write!(line, " ∥ {to} = {from}");
            }
            lines.push(line);
        }
        for &sigma in view.sigmas_at(block) {
            let targets = graph.successors(block);
            let results = view.sigma_results(sigma).zip(targets).map(|(version, &to)| {
                format!("{} to {}", self.or_dead(version), self.printer.block(function::block(to)))
            });
            let results: Vec<String> = results.collect();
            let source = self.version(view.sigmas()[sigma as usize].source);
            lines.push(format!("({}) = σ({source})", results.join(", ")));
        }
        lines
    }

    /// `@f(%x#0): essa, Defs↓ ∪ Out(Conds)↓`.
    fn title(&self, form: Form) -> String {
        let params = (0..self.view.code().params().len()).map(|i| self.or_dead(self.view.param(i)));
        let params: Vec<String> = params.collect();
        let name = &self.function.name;
        format!("{name}({}): {}, {}", params.join(", "), form.name, form.strategy)
    }

    pub(super) fn print(&self, out: &mut String, form: Form) {
        let _ = writeln!(out, "func {}", self.title(form));
        for &block in self.function.blocks() {
            let node = function::node(block);
            let dead = if self.view.code().is_reachable(node) { "" } else { "  ; never reached" };
            let _ = writeln!(out, "{}:{dead}", self.printer.label(block));
            for line in self.lines(node) {
                let _ = writeln!(out, "  {line}");
            }
        }
        out.push('\n');
    }

    pub(super) fn dot(&self, out: &mut String, form: Form) {
        out.push_str("digraph {\n  node [shape=box, fontname=monospace];\n");
        let title = escape(&self.title(form));
        let _ = writeln!(out, "  label=\"{title}\"; labelloc=t; fontname=monospace;");
        for &block in self.function.blocks() {
            let mut label = format!("{}:\\l", escape(&self.printer.label(block)));
            for line in self.lines(function::node(block)) {
                let _ = write!(label, "  {}\\l", escape(&line));
            }
            let _ = writeln!(out, "  {block} [label=\"{label}\"];");
            for target in self.function.successors(block) {
                let _ = writeln!(out, "  {block} -> {target};");
            }
        }
        out.push_str("}\n");
    }
}

/// Numbers the versions of each variable in the order in which they are printed.
fn numbers(function: &Function, view: &View) -> Vec<u32> {
    let code = view.code();
    let mut next = vec![0; code.variable_count()];
    let mut number = vec![0; view.version_count()];
    let mut give = |version: Option<Version>| {
        if let Some(version) = version {
            let next = &mut next[view.var(version).index()];
            number[version.index()] = *next;
            *next += 1;
        }
    };
    (0..code.params().len()).for_each(|index| give(view.param(index)));
    for block in function.blocks().iter().map(|&block| function::node(block)) {
        view.phis_at(block).iter().for_each(|&phi| give(Some(view.phis()[phi as usize].result)));
        for pos in code.positions(block) {
            view.defs(pos).for_each(|(_, version)| give(version));
            let copies = view.copies_at(pos).iter();
            copies.for_each(|&copy| give(Some(view.copies()[copy as usize].result)));
        }
        view.sigmas_at(block).iter().for_each(|&s| view.sigma_results(s).for_each(&mut give));
    }
    number
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
