//! Bugs in the call graph.

use super::Bug;

const ACCESS: &str = "crates/callgraph/src/access.rs";
const BODY: &str = "crates/callgraph/src/body.rs";
const CALLS: &str = "crates/callgraph/src/calls.rs";
const CONSTANTS: &str = "crates/callgraph/src/constants.rs";
const DISTANCE: &str = "crates/callgraph/src/distance.rs";
const ELEMENTS: &str = "crates/callgraph/src/elements.rs";
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
        "                self.link(first + at, write);\n", ""),
    bug("reads through moved pointers find nothing", OBJECTS,
        "                self.link(read, first + at);\n", ""),
    bug("views do not write", OBJECTS,
        "            self.link(theirs, mine);\n", ""),
    bug("elements do not write", ELEMENTS,
        "                self.link(slot, class + 1);\n", ""),
    bug("elements are empty", ELEMENTS,
        "                self.link(class, slot);\n", ""),
    bug("elements end with their object", ELEMENTS,
        "(total + before).min(MAX_SLOTS)", "total.min(MAX_SLOTS + 0 * before)"),
    bug("elements have the remainder of the first", ELEMENTS,
        "Place::At(at) => self.every(id, at, stride),", "Place::At(at) => self.every(id, 0 * at, stride),"),
    bug("elements forget their stride", ELEMENTS,
        "self.every(id, residue, gcd(stride, had))", "self.every(id, residue, stride.max(had))"),
    bug("elements of the parts of an array are whole", ELEMENTS,
        "if whole.is_some_and(|whole| whole <= by) => start,", "if whole.is_some() => start,"),
    bug("elements by pointers of the engines are the first", ELEMENTS,
        "(Place::At(at), Some(own)) => self.every(id, at, own),", "(Place::At(at), Some(_)) => self.view(id, at as i64),"),
    bug("moved pointers count as inside", CONSTANTS,
        "            _ if !inside => {}\n", ""),
    bug("moved elements count as inside", OBJECTS,
        "Place::Every { residue, stride } if inside || by == 0 => {", "Place::Every { residue, stride } if inside || by != 1 => {"),
    bug("pointers that are moved by constants count as inside", CONSTANTS,
        "self.elements(base, by.unsigned_abs()).filter(|_| inside);", "self.elements(base, by.unsigned_abs()).filter(|_| inside || by != 0);"),
    bug("products do not wrap", DISTANCE,
        "Some(if data.flags.contains(exact) { result } else { result.wrapped(width) })", "Some(if data.flags.contains(exact) { result } else { result.wrapped(width); result })"),
    bug("numbers without sign keep their remainder", DISTANCE,
        "(if plain { inner } else { inner.unsigned(from) }, Flags::NONE)", "(if plain || from > 1 { inner } else { inner.unsigned(from) }, Flags::NONE)"),
    bug("two numbers are the first", DISTANCE,
        "gcd(gcd(self.every, other.every), apart)", "gcd(gcd(self.every, other.every), 0 * apart)"),
    bug("the second operand of a select is forgotten", BODY,
        "let either = self.union(&args[1..]);", "let either = self.union(&args[1..2]);"),
    bug("stores forget the offset", ACCESS,
        "let [exact, every] = [self.build.slot(at), self.build.slot_write(at)];", "let [exact, every] = [self.build.slot(at / 2), self.build.slot_write(at / 2)];"),
    bug("only the first slot is copied", ACCESS,
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
    bug("bytes that are copied are lost", ACCESS,
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
