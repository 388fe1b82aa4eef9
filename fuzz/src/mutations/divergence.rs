//! Bugs in the divergence analysis.

use super::Bug;

const CONTROL: &str = "crates/divergence/src/control.rs";
const MERGE: &str = "crates/divergence/src/merge.rs";
const ANALYSIS: &str = "crates/divergence/src/analysis.rs";
const EQUALITIES: &str = "crates/divergence/src/equalities.rs";
const TRANSFER: &str = "crates/divergence/src/transfer.rs";
const OBJECTS: &str = "crates/divergence/src/objects.rs";
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
        "            self.add_join(join, branch, news);", "            let _ = join;"),
    bug("divergent exits of loops forgotten", CONTROL,
        "            *known = Some((outermost, branch));\n", ""),
    bug("only the first branch diverges", ANALYSIS,
        "let Some(news) = self.control.diverge(branch) else { continue };",
        "if !self.control.branches().is_empty() {\n                continue;\n            }\n            let Some(news) = self.control.diverge(branch) else { continue };"),
    bug("irreducible cycles taken for others", CONTROL,
        "if self.reaches_cycle.get(branch.index()) == Some(&true) {", "if self.reaches_cycle.get(branch.index()).is_none() && branch.index() == usize::MAX {"),
    bug("different edges do not mix", MERGE,
        "if mixing_branch(state, &operands).is_some() {", "if mixing_branch(state, &operands).is_none() {"),
    bug("what an equality says outlives the join", MERGE,
        "Some(v) if !left_loop(state, view, v, at) => state.own_fact(v),", "Some(v) if !left_loop(state, view, v, at) => fact,"),
    bug("values arrive from a loop as they were in it", MERGE,
        "if !loops.contains(outermost, place(view, version)) {", "if loops.contains(outermost, place(view, version)) {"),
    bug("equalities hold on parallel edges", EQUALITIES,
        "if here.is_uniform() || !alone || ", "if here.is_uniform() || "),
    bug("loads find the same everywhere", TRANSFER,
        "address.is_uniform() && at_once", "at_once"),
    bug("the states of stack objects do not join", OBJECTS,
        "data.varying = at_join.or_else(at_exit).or_else(scrambled);", "data.varying = at_join.filter(|_| false).or_else(at_exit).or_else(scrambled);"),
    bug("insert yields the same on all threads", TRANSFER,
        "Horizontal::Insert | Horizontal::Compact => false,", "Horizontal::Insert | Horizontal::Compact => facts[0].is_uniform(),"),
    bug("masks are always uniform", TRANSFER,
        "self.activation.varies(at).is_some() || self.predicate_varies[at.index()];", "self.activation.varies(at).is_some() && self.predicate_varies[at.index()];"),
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
];
