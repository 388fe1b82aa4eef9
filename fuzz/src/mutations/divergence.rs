//! Bugs in the divergence analysis.

use super::Bug;

const FLIGHTS: &str = "crates/graph/src/flights.rs";
const CONTROL: &str = "crates/divergence/src/control.rs";
const MERGE: &str = "crates/divergence/src/merge.rs";
const ANALYSIS: &str = "crates/divergence/src/analysis.rs";
const EQUALITIES: &str = "crates/divergence/src/equalities.rs";
const TRANSFER: &str = "crates/divergence/src/transfer.rs";
const OBJECTS: &str = "crates/divergence/src/objects.rs";
const LAUNCH: &str = "crates/divergence/src/targets/launch.rs";
const TARGETS: &str = "crates/divergence/src/targets/mod.rs";
const SUMMARIES: &str = "crates/divergence/src/summaries.rs";
const PRODUCTS: &str = "crates/divergence/src/products.rs";
const AFFINE: &str = "crates/divergence/src/lattice/affine/mod.rs";
const STRIDE: &str = "crates/divergence/src/lattice/stride/mod.rs";
const STRIDE_TRANSFER: &str = "crates/divergence/src/lattice/stride/transfer.rs";
const STRIDE_COMPARE: &str = "crates/divergence/src/lattice/stride/compare.rs";

const fn bug(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Bug {
    Bug { name, room: "divergence", file, from, to, target: "divergence" }
}

/// All of them.
#[rustfmt::skip]
pub(super) const BUGS: &[Bug] = &[
    bug("joins of branches forgotten", CONTROL,
        "                self.add_join(block, back, branch, news);", "                let _ = block;"),
    bug("divergent exits of loops forgotten", CONTROL,
        "            *known = Some((outermost, branch));\n", ""),
    bug("only the first branch diverges", ANALYSIS,
        "let Some(news) = self.control.diverge(branch) else { continue };",
        "if !self.control.branches().is_empty() {\n                continue;\n            }\n            let Some(news) = self.control.diverge(branch) else { continue };"),
    bug("irreducible: all threads are sent to the same entry", CONTROL,
        "if self.copy.parts(join, back)\n", "if self.copy.parts(join, back) && join.index() == usize::MAX\n"),
    bug("irreducible: threads meet at one of the entries only", CONTROL,
        "self.copy.entries(join).map_or(vec![join], <[Node]>::to_vec)", "self.copy.entries(join).map_or(vec![join], |entries| vec![entries[0]])"),
    bug("irreducible: threads go around together", CONTROL,
        "        if !self.copy.is_same() {\n", "        if !self.copy.is_same() && branch.index() == usize::MAX {\n"),
    bug("irreducible: entries do not know of each other", MERGE,
        "state.control.entered_with(merged.block).unwrap_or(&alone);", "&alone;"),
    bug("different edges do not mix", MERGE,
        "if mixing_branch(state, &operands).is_some() {", "if mixing_branch(state, &operands).is_none() {"),
    bug("what an equality says outlives the join", MERGE,
        "Some(v) if !left_loop(state, view, v, at) => state.own_fact(v),", "Some(v) if !left_loop(state, view, v, at) => fact,"),
    bug("values arrive from a loop as they were in it", MERGE,
        "if !loops.contains(outermost, place(view, version)) {", "if loops.contains(outermost, place(view, version)) {"),
    bug("equalities hold on parallel edges", EQUALITIES,
        "if here.is_uniform() || !alone || ", "if here.is_uniform() || "),
    bug("loads find the same everywhere", TRANSFER,
        "address.is_uniform() && (unwritten || self.at_once(at))", "unwritten || self.at_once(at)"),
    bug("the states of stack objects do not join", OBJECTS,
        "data.varying = at_join.or_else(at_exit);", "data.varying = at_join.filter(|_| false).or_else(at_exit);"),
    bug("insert yields the same on all threads", TRANSFER,
        "Horizontal::Insert | Horizontal::Compact | Horizontal::Lanes => false,", "Horizontal::Insert | Horizontal::Compact | Horizontal::Lanes => facts[0].is_uniform(),"),
    bug("masks are always uniform", TRANSFER,
        "self.activation_varies(at) || self.predicate_varies[at.index()];", "self.activation_varies(at) && self.predicate_varies[at.index()];"),
    bug("a select with a varying condition is a join", STRIDE_TRANSFER,
        "if args[0].shape.is_uniform() { both } else { both.scatter() }", "both"),
    bug("lanes that wrap are extended like others", STRIDE_TRANSFER,
        "Stride::Strided { stride, align, exact: true, .. } => {\n                self.make(stride.into(), align, true)", "Stride::Strided { stride, align, .. } => {\n                self.make(stride.into(), align, true)"),
    bug("comparisons forget which side is steeper", STRIDE_COMPARE,
        "(d > 0) == upward && (g == 0", "((d > 0) || upward || d < 0) && (g == 0"),
    bug("odd alignments survive wrapping", STRIDE,
        "    if !full {\n        align = power_of_two(align);\n    }\n", ""),
    bug("quotients of different lanes are one", STRIDE_TRANSFER,
        ".is_some_and(|spread| spread < c as u128)", ".is_some_and(|spread| spread <= 4 * c as u128)"),
    bug("targets: only the first warp is looked at", LAUNCH,
        "for group in &groups {", "for group in groups.iter().take(1) {"),
    bug("targets: lanes count through a whole block", TARGETS,
        "let lanes = if in_warp {", "let lanes = if in_warp || self.block.is_some() {"),
    bug("targets: the warp's number is the block's", TARGETS,
        "Register::Warp if in_warp =>", "Register::Warp if in_warp || self.block.is_some() =>"),
    bug("targets: a number in the launch is one in the block", TARGETS,
        "number(line, Some((d, Plus::Uniform)))", "number(line, Some((d, Plus::Zero)))"),
    bug("targets: all dimensions are the first", AFFINE,
        "sums[1 + dimension] = 1;", "sums[1] = i128::from(dimension < 9);"),
    bug("targets: the warps of a block run in lock step", TRANSFER,
        "self.options.scope == Scope::Warp && self.control", "self.control"),
    bug("summaries: returns do not mix", SUMMARIES,
        "let mixed = count > 1 &&", "let mixed = count > 9 &&"),
    bug("summaries: recursion is analysed once", SUMMARIES,
        "                    table.stale.push(reader);\n", ""),
    bug("summaries: one for all arguments", SUMMARIES,
        ".find(|&&key| table.entries[key].args == args)", ".find(|_| !args.is_empty())"),
    bug("summaries: what is loaded holds at any time", SUMMARIES,
        "let sees = |at: Inst| match", "let sees = |at: Inst| function.params().is_empty() && match"),
    bug("products: whatever lies on a line did not wrap", STRIDE,
        "if reach.is_some_and(|reach| reach + (hi - lo).unsigned_abs() < turn) {", "if reach.is_some_and(|reach| reach < turn) {"),
    bug("products: ranges hold where threads follow others", PRODUCTS,
        "if !options.ranges || is_lock_step_only(function) {", "if !options.ranges {"),
    bug("products: the least value is all", STRIDE,
        "_ if lo == hi => *self = Stride::constant(bits, lo as u128),", "_ if lo == hi || hi - lo == 1 => *self = Stride::constant(bits, lo as u128),"),
    bug("rules: passive threads have what the others test for", EQUALITIES,
        "if here.is_uniform() || !alone || self.function.predicate(block(from)).is_some() {", "if here.is_uniform() || !alone {"),
    bug("rules: of the loops an edge leaves, the inner counts", FLIGHTS,
        "self.rejoined.filter(|&(at, _)| at > since)", "self.rejoined.filter(|&(at, _)| at < since)"),
    bug("rules: an equality outlives its iteration", EQUALITIES,
        "Arg::Var(other) if self.outlives(cx, from, v, other) => return,", "Arg::Var(other) if self.outlives(cx, from, v, other) && other == v => return,"),
    bug("rules: lanes that wrap are ordered like others", STRIDE_COMPARE,
        "Stride::Strided { stride, align, exact: true, .. } => {", "Stride::Strided { stride, align, .. } => {"),
    bug("latches: threads go around a loop together", CONTROL,
        "let over_latches = self.joins[block.index()][1].is_some();", "let over_latches = false;"),
    bug("latches: threads that left an inner loop early wait", CONTROL,
        "entered_apart || into.iter().any(early) {", "entered_apart || into.iter().any(|e| early(e) && e.index() == usize::MAX) {"),
    bug("rules: calls nobody knows are pure", TRANSFER,
        "if reads_nothing && !convergent { of_arguments() }", "if reads_nothing || !convergent { of_arguments() }"),
];
