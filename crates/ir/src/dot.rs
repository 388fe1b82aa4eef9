//! A function as a picture: the control-flow graph in Graphviz's language, one box for each block.

use crate::function::Function;
use std::fmt::Write;

impl Function {
    /// The control-flow graph in Graphviz's language. Predicates stand in the lower part of a box.
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph {\n  node [shape=box, fontname=monospace];\n");
        let title = self.name.to_string();
        let _ = writeln!(text, "  label=\"{}\"; labelloc=t; fontname=monospace;", escape(&title));
        for &block in self.blocks() {
            let mut label = format!("{}:\\l", escape(&self.display_block(block)));
            for &inst in self.insts(block) {
                let _ = write!(label, "  {}\\l", escape(&self.display_inst(inst)));
            }
            if let Some(predicate) = self.predicate(block) {
                let _ = write!(label, "when {}\\r", escape(&self.display_value(predicate)));
            }
            let _ = writeln!(text, "  {block} [label=\"{label}\"];");
            let successors = self.successors(block);
            for (index, successor) in successors.iter().enumerate() {
                let label = match (successors.len(), index) {
                    (1, _) => String::new(),
                    (2, 0) => " [label=\"T\"]".into(),
                    (2, _) => " [label=\"F\"]".into(),
                    (_, index) => format!(" [label=\"{index}\"]"),
                };
                let _ = writeln!(text, "  {block} -> {successor}{label};");
            }
        }
        text.push_str("}\n");
        text
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
