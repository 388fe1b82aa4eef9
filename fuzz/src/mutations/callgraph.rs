//! Bugs in the call graph.

use super::Bug;

const BODY: &str = "crates/callgraph/src/body.rs";
const CALLS: &str = "crates/callgraph/src/calls.rs";
const CONSTANTS: &str = "crates/callgraph/src/constants.rs";
const OBJECTS: &str = "crates/callgraph/src/objects.rs";
const TAME: &str = "crates/callgraph/src/tame.rs";
const GRAPH: &str = "crates/callgraph/src/graph.rs";

const fn bug(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Bug {
    Bug { name, room: "callgraph", file, from, to, target: "callgraph" }
}

/// All of them.
#[rustfmt::skip]
pub(super) const BUGS: &[Bug] = &[
    bug("writes through moved pointers are lost", OBJECTS,
        "                self.link(fields + 1 + at, write);\n", ""),
    bug("reads through moved pointers find nothing", OBJECTS,
        "                self.link(read, fields + 1 + at);\n", ""),
    bug("views do not write", OBJECTS,
        "            self.link(theirs, mine);\n", ""),
    bug("the second operand of a select is forgotten", BODY,
        "let either = self.union(&args[1..]);", "let either = self.union(&args[1..2]);"),
    bug("stores forget the offset", BODY,
        "self.build.push(FlowOp::Store { base, field: slot(at), src });", "self.build.push(FlowOp::Store { base, field: slot(at / 2), src });"),
    bug("only the first slot is copied", BODY,
        "for at in 0..bytes / word {", "for at in 0..(bytes / word).min(1) {"),
    bug("results of calls through pointers are dropped", CALLS,
        "                self.set(inst, Val::Node(Node::Var(var)));\n                Node::Value", "                Node::Value"),
    bug("calls by name bind no parameters", CALLS,
        "(Some(param), _) => self.copy(*param, src),", "(Some(_), _) => {}"),
    bug("initializers end after the first field", CONSTANTS,
        "for (index, part) in parts.iter().enumerate() {", "for (index, part) in parts.iter().enumerate().take(1) {"),
    bug("stored objects stay closed", TAME,
        "                ops.extend(wild.drain(..).map(|src| Op::Copy { dst: escape, src }));", "                wild.clear();\n                let _ = escape;"),
    bug("what is not followed is not called", GRAPH,
        "callees.unknown && self.escaped[*f]", "callees.unknown && !self.escaped[*f]"),
];
