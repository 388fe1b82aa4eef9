//! Bugs in the call graph.

use super::Bug;

const BODY: &str = "crates/callgraph/src/body.rs";
const CALLS: &str = "crates/callgraph/src/calls.rs";
const CONSTANTS: &str = "crates/callgraph/src/constants.rs";
const OBJECTS: &str = "crates/callgraph/src/objects.rs";
const TAME: &str = "crates/callgraph/src/tame.rs";
const SIGNATURES: &str = "crates/callgraph/src/signatures.rs";
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
    bug("φs forget an operand", BODY,
        "        for arg in &data.args {\n            if let Some(src) = self.node(*arg) {", "        for arg in &data.args[..1] {\n            if let Some(src) = self.node(*arg) {"),
    bug("atomic exchanges store nothing", BODY,
        "                self.store(args[1], args[0]);\n", ""),
    bug("compare and exchange stores nothing", BODY,
        "                self.store(args[2], args[0]);\n", ""),
    bug("aggregates forget what is inserted", BODY,
        "                    let all = self.union(args);", "                    let all = self.union(&args[..1]);"),
    bug("numbers made of pointers are lost", BODY,
        "        let joined = self.join(&nodes);\n        self.set(inst, joined);\n    }\n\n    /// What code outside", "        self.set(inst, Val::Nothing);\n    }\n\n    /// What code outside"),
    bug("bytes that are copied are lost", BODY,
        "                self.copied.insert(*value);\n", ""),
    bug("aliases stand for nothing", CONSTANTS,
        "                scope.value(build, world.alias(part, index))", "                let _ = (scope, index);\n                Val::Nothing"),
    bug("variables outside hold nothing", CONSTANTS,
        "Target::Outside => Val::Node(Node::Value(build.unknown)),", "Target::Outside => Val::Nothing,"),
    bug("constants that are distances are lost", CONSTANTS,
        "Op::Binary(BinOp::Sub) => self.value(build, &expr.args[0]),", "Op::Binary(BinOp::Sub) => Val::Nothing,"),
    bug("variable arguments are lost in calls by name", CALLS,
        "(None, Some((_, collected, _))) => self.copy(collected, src),", "(None, Some(_)) => {}"),
    bug("variable arguments are lost where they are read", CALLS,
        "            self.store_to(list, Node::Value(start), word);\n", ""),
    bug("code outside sees no arguments", CALLS,
        "        args.iter().for_each(|arg| self.escape(*arg));\n        self.set(inst, Val::Node(Node::Value(self.build.unknown)));", "        self.set(inst, Val::Node(Node::Value(self.build.unknown)));"),
    bug("code outside yields nothing", CALLS,
        "        args.iter().for_each(|arg| self.escape(*arg));\n        self.set(inst, Val::Node(Node::Value(self.build.unknown)));", "        args.iter().for_each(|arg| self.escape(*arg));\n        self.set(inst, Val::Nothing);"),
    bug("memory that grows forgets", CALLS,
        "                args.first().into_iter().for_each(|arg| self.escape(*arg));\n", ""),
    bug("results may not be dropped", SIGNATURES,
        "(call.ret == Type::Void || call.ret == function.ret)", "(call.ret == function.ret)"),
];
