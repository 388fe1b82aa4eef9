//! Bugs in the stages of the vectorizer.

use super::Bug;

const EDGES: &str = "crates/vectorize/src/canonicalize/edges.rs";
const LOOPS: &str = "crates/vectorize/src/canonicalize/loops.rs";
const CANONICAL: &str = "crates/vectorize/src/canonicalize/mod.rs";
const DIVERGENT: &str = "crates/vectorize/src/divergent_loops.rs";
const GADGETS: &str = "crates/vectorize/src/gadgets.rs";
const DEFERRAL: &str = "crates/vectorize/src/linearize/deferral.rs";
const LINES: &str = "crates/vectorize/src/linearize/mod.rs";
const MASKS: &str = "crates/vectorize/src/linearize/masks.rs";
const VARIABLES: &str = "crates/vectorize/src/linearize/variables.rs";
const KINDS: &str = "crates/vectorize/src/widen/kinds.rs";
const REP: &str = "crates/vectorize/src/widen/rep.rs";
const WIDEN: &str = "crates/vectorize/src/widen/mod.rs";
const COMPUTE: &str = "crates/vectorize/src/widen/compute.rs";
const MEMORY: &str = "crates/vectorize/src/widen/memory.rs";
const EACH_LANE: &str = "crates/vectorize/src/widen/each_lane.rs";
const HORIZONTAL: &str = "crates/vectorize/src/widen/horizontal.rs";
const VECTOR_CALLS: &str = "crates/vectorize/src/widen/vector_calls.rs";
const REQUESTS: &str = "crates/vectorize/src/calls/requests.rs";

const fn bug(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Bug {
    Bug { name, room: "vectorize", file, from, to, target: "vectorize" }
}

/// All of them, stage by stage.
#[rustfmt::skip]
pub(super) const BUGS: &[Bug] = &[
    // Canonical form.
    bug("canonical: parallel edges stay", CANONICAL, "    edges::no_parallel_edges(&mut f);\n", ""),
    bug("canonical: no LCSSA", CANONICAL, "view(Strategy::DIVERGENCE)", "view(Strategy::SSA)"),
    bug("canonical: a block of the same targets keeps φ entries", EDGES,
        "        edit::remove_incoming(function, phi, b);\n    }\n}", "        let _ = phi;\n    }\n}"),
    bug("canonical: returns forget all but one value", EDGES,
        "            Some(&value) if function[terminator].op == Op::Ret => Some(value),",
        "            Some(&value) if function[terminator].op == Op::Ret && b == ends[0] => Some(value),"),
    bug("canonical: several latches stay", LOOPS, "        if latches.len() != 1 {", "        if latches.is_empty() {"),
    bug("canonical: no preheaders", LOOPS,
        "        if outside.len() != 1 || function.successors(outside[0]).len() != 1 {",
        "        if outside.is_empty() {"),
    bug("canonical: exits are shared", LOOPS, "    dedicate_exits(function);\n    Ok(())", "    Ok(())"),
    bug("canonical: a gathered φ takes the first value", LOOPS,
        "[first, ..] if values.iter().all(|&v| v == first) => first,", "[first, ..] => first,"),
    // Divergent loops.
    bug("loops: threads that leave stay live", DIVERGENT,
        "        updates.extend(exits.iter().map(|e| (off, e.on_edge)));",
        "        updates.extend(exits.iter().map(|e| (on, e.on_edge)));"),
    bug("loops: threads that have left come back", DIVERGENT,
        "        let mut updates = vec![(on, latch), (off, guard)];",
        "        let mut updates = vec![(on, latch), (on, guard)];"),
    bug("loops: no shadow for live", DIVERGENT, "        self.f[live].args.push(off);\n", ""),
    bug("loops: trackers forget", DIVERGENT,
        "        let mut updates = vec![(start, latch), (kept, guard)];",
        "        let mut updates = vec![(start, latch), (start, guard)];"),
    bug("loops: exit masks mixed up", DIVERGENT,
        "            let of = |exit: &Exit| if exit.to == to { on } else { off };",
        "            let of = |exit: &Exit| if exit.to != to { on } else { off };"),
    bug("loops: one tracker for all φs of a type", DIVERGENT,
        "slots.types[s] == ty && !used[s]", "slots.types[s] == ty"),
    bug("loops: outer loops first", DIVERGENT,
        "    divergent.sort_by_key(|&l| std::cmp::Reverse(loops.loop_depth(l)));",
        "    divergent.sort_by_key(|&l| loops.loop_depth(l));"),
    bug("loops: dispatch in any order", DIVERGENT, "        targets.sort_by_key(depth);\n", "        let _ = depth;\n"),
    bug("loops: the guard lets all in", DIVERGENT,
        "edit::branch(self.f, guard, live, [header, new_latch]);",
        "edit::branch(self.f, guard, on, [header, new_latch]);"),
    bug("loops: cases of switches compared with the wrong sign", DIVERGENT, "Op::ICmp(IntPred::Eq)", "Op::ICmp(IntPred::Ne)"),
    // Gadgets.
    bug("gadgets: loops are not guarded", GADGETS, "        if !divergence.activation_varies(block(header)) || is_masked",
        "        if divergence.activation_varies(block(header)) || is_masked"),
    bug("gadgets: BOSCC skips when a thread is active", GADGETS,
        "edit::branch(function, from, test, [split, other]);",
        "edit::branch(function, from, test, [other, split]);"),
    bug("gadgets: BOSCC tests the other condition", GADGETS, "            0 => condition,\n", "            1 => condition,\n"),
    // Linearization.
    bug("lines: deferred blocks forgotten at divergent branches", DEFERRAL,
        "            defer(&mut deferred, next, all);\n            continue;", "            let _ = all;\n            continue;"),
    bug("lines: deferred blocks forgotten at uniform branches", DEFERRAL,
        "if i == last { std::mem::take(&mut waiting) } else { waiting.clone() }", "std::mem::take(&mut waiting)"),
    bug("lines: the last block goes first", DEFERRAL,
        "            let next = all.pop_first().expect(\"it has successors\");",
        "            let next = all.pop_last().expect(\"it has successors\");"),
    bug("lines: edges of switches share blocks", LINES, "taken.contains(&next) {", "false {"),
    bug("lines: switches are folded", LINES, " || function[terminator].op == Op::Switch;", ";"),
    bug("masks: false edges have the true condition", MASKS, "            0 => condition,\n            _ =>", "            0 | 1 => condition,\n            _ =>"),
    bug("masks: edges forget the mask of their block", MASKS, "        let edge = if mask == self.on {", "        let edge = if mask != self.off {"),
    bug("masks: the last edge wins", MASKS,
        "        self.insert(function, before, Op::Binary(BinOp::Or), &[a, b])",
        "        self.insert(function, before, Op::Binary(BinOp::And), &[a, b])"),
    bug("masks: loops have no mask", MASKS,
        "            same.insert(block(shape.loops.header(l)), block(shape.graph.source(entering)));\n", "            let _ = entering;\n"),
    bug("variables: φs take the last edge", VARIABLES,
        "                let value = self.select(before, [edge, value, old]);", "                let value = { let _ = edge; value };"),
    bug("variables: shadows forgotten at headers", VARIABLES, "        self.header_shadows(b, last);\n", ""),
    bug("variables: what one path assigned stays on the others", VARIABLES,
        "                    self.now[variable] = value;\n                }", "                    let _ = (variable, value);\n                }"),
    bug("variables: blocks have no predicate", VARIABLES,
        "            self.function.set_predicate(b, Some(mask));", "            let _ = mask;"),
    bug("variables: all come together", LINES, "divergence.join(b).is_none()", "divergence.join(b).is_none() || b.as_u32().is_multiple_of(2)"),
    // Widening.
    bug("kinds: all φs are uniform", KINDS, "            _ if data.args[..data.targets.len()].iter().all(fits) => kind,", "            _ if data.args.iter().any(fits) => kind,"),
    bug("kinds: varying loads of uniform addresses", KINDS, "                if once && self.is_one(result) {", "                if all_one() {"),
    bug("kinds: strides survive everything", KINDS, "self.stride(a).is_some() && self.full[a.index()]", "self.stride(a).is_some()"),
    bug("kinds: products forget the factor", KINDS, "(Some(factor), _) => of(1)?.checked_mul(factor),", "(Some(_), _) => of(1),"),
    bug("kinds: narrow indices keep their stride", KINDS, "step if self.width(index) == Some(64) => {", "step if step != 0 => {"),
    bug("kinds: one stack slot for all", KINDS, "                false => Kind::Strided(self.slot(inst)),", "                false => Kind::Uniform,"),
    bug("rep: all lanes have the value of lane 0", REP, "        let each = |t: u32| Constant::int(Type::int(bits), i128::from(t) * i128::from(stride));",
        "        let each = |_: u32| Constant::int(Type::int(bits), i128::from(stride));"),
    bug("rep: the first lane instead of the first active", REP, "let lane = if self.mask.is_none() { Some(0) } else { None };", "let (at, lane) = (self.int(Type::I64, 0), Some(0));\n                let _ = at;"),
    bug("widen: branches on what no lane computed", WIDEN, "                if self.mask.is_some() {\n                    value = self.op(Op::Freeze", "                if false {\n                    value = self.op(Op::Freeze"),
    bug("compute: lanes that are off divide", COMPUTE, "                args[1] = self.op(Op::Select, self.vector(ty), &[mask, args[1], ones]);", "                let _ = (mask, ones);"),
    bug("compute: scalars divide when no lane is active", COMPUTE, "                args[1] = self.safe_scalar_divisor(op, args[1]);", "                let _ = op;"),
    bug("compute: promises of lane 0", COMPUTE, "                flags = Flags::NONE;", "                flags = data.flags;"),
    bug("compute: extract counts from one", COMPUTE, "        for (i, part) in parts.iter().enumerate().skip(1) {\n            let is = self.equals(&reps[1], self.src.ty(args[1]), i);", "        for (i, part) in parts.iter().enumerate().skip(1) {\n            let is = self.equals(&reps[1], self.src.ty(args[1]), i - 1);"),
    bug("memory: stores of lanes that are off", MEMORY, "        match self.mask {\n            Some(mask) => mask,\n            None => {", "        match None::<Value> {\n            Some(mask) => mask,\n            None => {"),
    bug("memory: reversed rows are not", MEMORY, "                if reversed { self.reverse(value) } else { value }\n            }\n            Pattern::Apart", "                value\n            }\n            Pattern::Apart"),
    bug("memory: any stride is a row", MEMORY, "            && size.abs() == stride.abs()", "            && size.abs() <= stride.abs()"),
    bug("memory: fields at the start", MEMORY, "        let pointers = match offset {\n            0 => pointers,", "        let pointers = match offset {\n            0..=8 => pointers,"),
    bug("memory: uniform accesses when no lane is active", MEMORY, "        if self.mask.is_none() || !plain {", "        if true || !plain {"),
    bug("each lane: also those that are off", EACH_LANE, "            let Some(mask) = self.mask else {", "            let Some(mask) = None::<Value> else {"),
    bug("each lane: results of the lane before", EACH_LANE, "            .map(|(&arg, rep)| self.lane(rep, self.src.ty(arg), lane))", "            .map(|(&arg, rep)| self.lane(rep, self.src.ty(arg), lane & !1))"),
    bug("horizontal: all lanes take part", HORIZONTAL, "        let Some(mask) = self.mask else { return lanes };", "        let Some(mask) = None::<Value> else { return lanes };"),
    bug("horizontal: the neutral element of all is false", HORIZONTAL, "                let on = self.taking_part(&reps[0], true);", "                let on = self.taking_part(&reps[0], false);"),
    bug("horizontal: reductions count lanes that are off", HORIZONTAL, "            lanes = self.op(Op::Select, vector, &[mask, lanes, neutral]);", "            let _ = (mask, neutral);"),
    // Calls of vector functions.
    bug("calls: only without an active lane", VECTOR_CALLS,
        "self.push(branch.with_targets(&[active, next]));", "self.push(branch.with_targets(&[next, active]));"),
    bug("calls: callees are asked to do without a mask", VECTOR_CALLS, "masked: self.mask.is_some(),", "masked: false,"),
    bug("calls: callees take other strides", REQUESTS,
        "Stride::strided(layout.scalar_bits(scalar), step, 1, wanted.lanes)",
        "Stride::strided(layout.scalar_bits(scalar), step + 1, 1, wanted.lanes)"),
    bug("calls: lanes are passed in reverse", VECTOR_CALLS,
        "                _ => self.packed(rep, self.src.ty(arg)),\n            });\n        }\n        args.extend(self.mask);",
        "                _ => {\n                    let all = self.packed(rep, self.src.ty(arg));\n                    if matches!(rep, Rep::Lanes(_)) { let ty = self.out.ty(all); let back = (0..self.region.width as i32).rev().collect(); let none = self.poison(ty); self.op(Op::ShuffleVector(back), ty, &[all, none]) } else { all }\n                }\n            });\n        }\n        args.extend(self.mask);"),
    // Strides that survive.
    bug("strides: what may wrap is exact", KINDS,
        "Stride::Strided { stride, exact: true, partial: false, .. }", "Stride::Strided { stride, partial: false, .. }"),
];
