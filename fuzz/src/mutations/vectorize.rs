//! Bugs in the stages of the vectorizer.

use super::Bug;

const EDGES: &str = "crates/vectorize/src/canonicalize/edges.rs";
const LOOPS: &str = "crates/vectorize/src/canonicalize/loops.rs";
const REDUCIBLE: &str = "crates/vectorize/src/canonicalize/reducible.rs";
const CANONICAL: &str = "crates/vectorize/src/canonicalize/mod.rs";
const DIVERGENT: &str = "crates/vectorize/src/divergent_loops.rs";
const GADGETS: &str = "crates/vectorize/src/gadgets.rs";
const DEFERRAL: &str = "crates/vectorize/src/linearize/deferral.rs";
const LINES: &str = "crates/vectorize/src/linearize/mod.rs";
const MASKS: &str = "crates/vectorize/src/linearize/masks.rs";
const VARIABLES: &str = "crates/vectorize/src/linearize/variables.rs";
const ADDRESS: &str = "crates/vectorize/src/address.rs";
const ROWS: &str = "crates/vectorize/src/widen/rows.rs";
const RECORDS: &str = "crates/vectorize/src/widen/records.rs";
const INTERLEAVE: &str = "crates/vectorize/src/interleave.rs";
const LIFE: &str = "crates/divergence/src/objects/life.rs";
const PIPELINE: &str = "crates/vectorize/src/pipeline.rs";
const KINDS: &str = "crates/vectorize/src/widen/kinds.rs";
const REP: &str = "crates/vectorize/src/widen/rep.rs";
const WIDEN: &str = "crates/vectorize/src/widen/mod.rs";
const COMPUTE: &str = "crates/vectorize/src/widen/compute.rs";
const MEMORY: &str = "crates/vectorize/src/widen/memory.rs";
const EACH_LANE: &str = "crates/vectorize/src/widen/each_lane.rs";
const HORIZONTAL: &str = "crates/vectorize/src/widen/horizontal.rs";
const VECTOR_CALLS: &str = "crates/vectorize/src/widen/vector_calls.rs";
const REQUESTS: &str = "crates/vectorize/src/calls/requests.rs";
const BEFORE: &str = "crates/vectorize/src/loops/before.rs";
const LOGICAL: &str = "crates/vectorize/src/loops/logical.rs";
const PRIVATE: &str = "crates/vectorize/src/loops/private.rs";
const COUNT: &str = "crates/vectorize/src/loops/count.rs";
const NUMBERED: &str = "crates/vectorize/src/loops/numbered.rs";
const MOVING: &str = "crates/vectorize/src/loops/moving.rs";
const TEST: &str = "crates/vectorize/src/loops/test.rs";
const COMPARISONS: &str = "crates/vectorize/src/loops/comparisons.rs";
const FIRST: &str = "crates/vectorize/src/loops/first.rs";
const GUARDED: &str = "crates/vectorize/src/loops/guarded.rs";
const GROUPS: &str = "crates/vectorize/src/loops/groups.rs";
const LOOKED_UP: &str = "crates/vectorize/src/loops/looked_up.rs";
const POSTPONED: &str = "crates/vectorize/src/loops/postponed.rs";
const REMEMBERED: &str = "crates/vectorize/src/loops/remembered.rs";
const RECURRENCES: &str = "crates/vectorize/src/loops/recurrences.rs";
const SPLICE: &str = "crates/vectorize/src/loops/splice.rs";
const SPMD: &str = "crates/vectorize/src/loops/spmd/mod.rs";
const ITERATION: &str = "crates/vectorize/src/loops/spmd/iteration.rs";
const RESULTS: &str = "crates/vectorize/src/loops/spmd/results.rs";
const TURNS: &str = "crates/vectorize/src/loops/spmd/turns.rs";
const KEPT: &str = "crates/vectorize/src/loops/spmd/kept.rs";
const UPDATES: &str = "crates/vectorize/src/loops/updates/mod.rs";
const CONDITIONS: &str = "crates/vectorize/src/loops/updates/conditions.rs";

const fn bug(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Bug {
    Bug { name, room: "vectorize", file, from, to, target: "vectorize" }
}

/// All of them, stage by stage.
#[rustfmt::skip]
pub(super) const BUGS: &[Bug] = &[
    // Canonical form.
    bug("canonical: the dispatch mixes up entries", REDUCIBLE, "function.constant(number(to))", "function.constant(number(to / 2))"),
    bug("canonical: the dispatch forgets what edges bring", REDUCIBLE, "if to == number {", "if to == number && number == 0 {"),
    bug("canonical: φs of entries keep their users", REDUCIBLE, "            replaced.insert(function.result(phi), function.result(merged));\n", "            replaced.insert(function.result(phi), values[0]);\n            let _ = merged;\n"),
    bug("canonical: cases of the dispatch count from zero", REDUCIBLE, "(1..entries.len()).map(|i| function.constant(number(i)))", "(1..entries.len()).map(|i| function.constant(number(i - 1)))"),
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
    bug("loops: dispatch to where others left to", DIVERGENT, "masks[k], [to, chain[k + 1]]", "masks[k], [chain[k + 1], to]"),
    bug("loops: the guard lets all in", DIVERGENT,
        "edit::branch(self.f, guard, live, [header, new_latch]);",
        "edit::branch(self.f, guard, on, [header, new_latch]);"),
    bug("loops: cases of switches compared with the wrong sign", DIVERGENT, "Op::ICmp(IntPred::Eq)", "Op::ICmp(IntPred::Ne)"),
    // Gadgets.
    bug("gadgets: every loop is taken for masked", GADGETS,
        "    function.phis(header).any(|phi| function[phi].shadow().is_some())", "    function.phis(header).any(|phi| function[phi].shadow().is_some() || header.as_u32() > 0)"),
    bug("gadgets: loops are entered when no thread is active", GADGETS, "[block(header), block(exit)]", "[block(exit), block(header)]"),
    bug("gadgets: any thread in the wrong half", GADGETS, "[split, other]", "[other, split]"),
    bug("gadgets: the condition is not turned around", GADGETS,
        "            0 => condition,\n            _ => {", "            0 | 1 => condition,\n            _ => {"),
    bug("gadgets: other values past the gadget", GADGETS,
        "                edit::add_incoming(function, phi, value, from);",
        "                let zero = Constant::zero(function[phi].ty);\n                let value = if function[phi].ty == Type::I32 { function.constant(zero) } else { value };\n                edit::add_incoming(function, phi, value, from);"),
    bug("gadgets: guarded loops are never entered", GADGETS, "        let on = function.constant(Constant::bool(true));\n        let any = any(", "        let on = function.constant(Constant::bool(false));\n        let any = any("),
    bug("gadgets: the exit does not know the way past the loop", GADGETS, "            edit::add_incoming(function, phi, poison, preheader);\n", "            let _ = poison;\n"),
    bug("gadgets: every active thread must take the edge", GADGETS, "Op::Horizontal(Horizontal::Any)", "Op::Horizontal(Horizontal::All)"),
    bug("gadgets: loops are not guarded", GADGETS, "        if !divergence.activation_varies(block(header)) || is_masked",
        "        if divergence.activation_varies(block(header)) || is_masked"),
    bug("gadgets: the other block does not know the way past", GADGETS, "            edit::add_incoming(function, phi, value, from);\n", "            let _ = value;\n"),
    bug("gadgets: BOSCC tests the other condition", GADGETS, "            0 => condition,\n", "            1 => condition,\n"),
    // Linearization.
    bug("lines: deferred blocks forgotten at divergent branches", DEFERRAL,
        "            deferred[next].extend(&all);\n            continue;", "            continue;"),
    bug("lines: deferred blocks forgotten at uniform branches", DEFERRAL,
        "let mut all = waiting.clone();", "let mut all = if edge == forward[0] { waiting.clone() } else { Numbers::default() };"),
    bug("lines: the last block goes first", DEFERRAL,
        "            let next = all.pop_first().expect(\"it has successors\");",
        "            let mut rest = all.clone();\n            let next = std::iter::from_fn(|| rest.pop_first()).last().expect(\"it has successors\");"),
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
    bug("variables: who enters brings the shadow", VARIABLES, "self.select(last, [mask, value, shadow])", "self.select(last, [mask, shadow, value])"),
    bug("variables: what one path assigned stays on the others", VARIABLES,
        "                    self.now[variable] = value;\n                }", "                    let _ = (variable, value);\n                }"),
    bug("variables: blocks have no predicate", VARIABLES,
        "            self.function.set_predicate(b, Some(mask));", "            let _ = mask;"),
    bug("variables: all come together", LINES, "divergence.join(b).is_none()", "divergence.join(b).is_none() || b.as_u32().is_multiple_of(2)"),
    // Fields of records.
    bug("fields: what was stored in between is not seen", RECORDS,
        "            && self.passed.iter().all(|&passed| self.are_apart((at, self.size), passed))\n", ""),
    bug("fields: stores pass loads", RECORDS, "            (stores || group.stores)\n", "            (stores && group.stores)\n"),
    bug("fields: parts of a field are apart from it", RECORDS, "        behind >= a_size && behind + b_size", "        behind > 0 && behind + b_size"),
    bug("fields: rows begin where the access is", ROWS, "self.offset(base, space, group.start() - group.anchor)", "self.offset(base, space, 0)"),
    bug("fields: gaps are written", ROWS, "            None if group.stores && owners.contains(&None) => {", "            None if !group.stores && owners.contains(&None) => {"),
    bug("fields: gaps are written if the first lane is active", ROWS, "owner.map_or(width, |(lane, _)| lane)", "owner.map_or(0, |(lane, _)| lane)"),
    bug("fields: the last row ends behind the last field", RECORDS, "let last = all - width;", "let last = all - width + 1;"),
    bug("fields: the first row is not sorted", ROWS, "                    _ if fresh => element(lane) as i32,\n", "                    _ if fresh => lane as i32,\n"),
    bug("fields: the first field is that of the first lane", ROWS, "Some((lane, 0)) if other == 1 => lane as i32,", "Some((_, 0)) if other == 1 => 0,"),
    bug("fields: all belong to one lane after the other", RECORDS, "(element / self.step(), element % self.step())", "(element % self.step(), element / self.step())"),
    // Structures of arrays.
    bug("layout: fixed offsets stay", INTERLEAVE, "i128::from(fixed.wrapping_mul(width.into()))", "i128::from(fixed)"),
    bug("layout: indices count as before", INTERLEAVE, "let bytes = bytes.unsigned_abs() * u64::from(width);", "let bytes = bytes.unsigned_abs();"),
    bug("layout: fields begin with their struct", ADDRESS, "Offset::Fixed(i64::try_from(*starts.get(field?)?).ok()?)", "Offset::Fixed(i64::try_from(*starts.get(field?)?).ok()? * 0)"),
    bug("layout: objects are as large as before", INTERLEAVE, "function.types.array(Type::I8, size * u64::from(width))", "function.types.array(Type::I8, size)"),
    bug("layout: threads begin where the object does", INTERLEAVE, "function.types.array(Type::I8, element)", "function.types.array(Type::I8, element * 0)"),
    bug("layout: an address may be stored", INTERLEAVE, "Op::Store(_) if data.args[0] != pointer =>", "Op::Store(_) =>"),
    bug("layout: accesses may be smaller", INTERLEAVE, "is_some_and(|other| other != this)", "is_some_and(|other| other < this)"),
    bug("layout: offsets need not be multiples", INTERLEAVE, "all.iter().all(|o| o.unit() % element as i64 == 0)", "!all.is_empty()"),
    bug("layout: selects may mix", INTERLEAVE, "Op::Select => function[step].args[1..].iter().all(fits),", "Op::Select => true,"),
    bug("layout: φs may mix", INTERLEAVE, "Op::Phi => function[step].args.iter().all(fits),", "Op::Phi => true,"),
    bug("layout: accesses keep their alignment", INTERLEAVE, "access.align_log2.min(object.element.trailing_zeros() as u8)", "access.align_log2"),
    bug("layout: the number of elements is one", INTERLEAVE, "each.checked_mul(u64::try_from(count).ok()?)?", "each.checked_mul(u64::try_from(count.min(1)).ok()?)?"),
    bug("layout: elements are as large as their array", ADDRESS, "layout.alloc_size(&function.types, inner)?", "layout.alloc_size(&function.types, whole)?"),
    bug("layout: lanes share all objects", KINDS, "self.divergence.is_uniform_object(alloca) || self.interleaved.contains(&alloca)", "self.divergence.is_uniform_object(alloca) || self.interleaved.len() < 99"),
    // Stack objects that lanes share as long as they live.
    bug("lives: all objects are dead", LIFE, "self.live.contains(&at)", "self.live.contains(&at) && self.live.is_empty()"),
    bug("lives: all threads parted before it began", LIFE, "!dominators.dominates(self.begin, branch) || around.any(behind)", "!dominators.dominates(branch, self.begin) || around.any(behind)"),
    bug("lives: one exit behind which it is dead is enough", LIFE, "iter().all(|&e| !self.is_live(e))", "iter().any(|&e| !self.is_live(e))"),
    bug("lives: where threads meet in the loop it is over", LIFE, "!loops.contains(l, meet) && loops", "loops"),
    bug("lives: a store empties it", LIFE, "find(|&&d| d != Deed::Store) == Some(&Deed::Load)", "next() == Some(&Deed::Load)"),
    bug("lives: what is found stays found whatever was", PIPELINE, "if divergence.is_uniform_object(inst) {", "if divergence.is_uniform_object(inst) || self.statistics.folded_branches > 0 {"),
    // Widening.
    bug("kinds: all φs are uniform", KINDS, "            _ if data.args[..data.targets.len()].iter().all(fits) => kind,", "            _ if data.args.iter().any(fits) => kind,"),
    bug("kinds: strides survive everything", KINDS, "fact.own.is_empty() && self.full[result.index()] {", "fact.own.is_empty() {"),
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
    // Strip mining.
    bug("strips: the last iteration is forgotten", COUNT, "        if self.pred != IntPred::Ne {", "        if self.pred == IntPred::Ne {"),
    bug("strips: steps are not divided by", COUNT, "            Step::Constant(1 | -1) => {}", "            Step::Constant(1 | -1 | 2 | -2) => {}"),
    bug("strips: a step may lead away from the bound", COUNT, "b.binary(BinOp::And, go_on, ahead)", "b.binary(BinOp::And, go_on, go_on)"),
    bug("strips: a loop that does not begin is begun", COUNT, "b.select(go_on, distance, none)", "b.select(go_on, distance, distance)"),
    bug("strips: a loop with equality counts one less", COUNT, "        let strict = matches!(self.pred, IntPred::Ult", "        let strict = matches!(self.pred, IntPred::Ule | IntPred::Sle | IntPred::Ult"),
    bug("strips: a loop without equality counts one more", COUNT, "IntPred::Ult | IntPred::Ugt | IntPred::Slt | IntPred::Sgt);", "IntPred::Ult | IntPred::Ugt);"),
    bug("strips: a step does not count", RECURRENCES, "Some(step) => total += step,", "Some(step) => total = step,"),
    bug("strips: a difference is a sum", RECURRENCES, "total -= constant(y)?;", "total += constant(y)?;"),
    bug("strips: floats are reordered", RECURRENCES, "|| f[op].flags.contains(Flags::REASSOC)", "|| true || f[op].flags.contains(Flags::REASSOC)"),
    bug("strips: all lanes start with the first value", SPMD, "b.select(first, init, none)", "b.select(first, init, init)"),
    bug("strips: lanes take one step at a time", SPMD, "phis.phis[i], step, width);", "phis.phis[i], step, 1);"),
    bug("strips: lanes start at the same place", SPMD, "let by = b.binary(BinOp::Mul, lane, step);", "let by = b.binary(BinOp::And, lane, step);"),
    bug("strips: sums overflow as before", ITERATION, "if whole && reordered.contains(&inst) { Flags::NONE }", "if whole && false && reordered.contains(&inst) { Flags::NONE }"),
    bug("strips: lanes add in reverse", RESULTS, "for lane in 0..self.plan.width {\n            for step", "for lane in (0..self.plan.width).rev() {\n            for step"),
    bug("strips: what is combined first is combined last", RESULTS, "for step in &order.steps {", "for step in order.steps.iter().rev() {"),
    bug("strips: conditional sums are not", RESULTS, "b.select(taken, new, value)", "b.select(taken, new, new)"),
    bug("strips: the earlier of two is taken", RESULTS, "if later { IntPred::Ugt } else { IntPred::Ult }", "if later { IntPred::Ult } else { IntPred::Ugt }"),
    bug("strips: any of the best is taken", RESULTS, "let tie = b.binary(BinOp::And, equal, take);", "let tie = b.binary(BinOp::And, equal, equal);"),
    bug("strips: the last lane is the first", SPMD, "let last = self.out.constant(Constant::int(Type::I64, (width - 1).into()));", "let last = self.out.constant(Constant::int(Type::I64, (width - width).into()));"),
    bug("strips: one lane too many in the masked rest", SPMD, "b.icmp(IntPred::Ult, mine, total)", "b.icmp(IntPred::Ule, mine, total)"),
    bug("strips: the first lane takes what no lane has", ITERATION, "&[first, last, before]", "&[first, before, before]"),
    bug("strips: the lane before the last hands on", ITERATION, "(self.plan.width - 1).into()));\n        for (phi, value)", "(self.plan.width - 2).into()));\n        for (phi, value)"),
    bug("strips: lanes take from the lane behind", HORIZONTAL, "self.lanes_ahead(x)?.checked_sub(constant(by)?)", "self.lanes_ahead(x)?.checked_add(constant(by)?)"),
    bug("strips: what is needed before it is computed", BEFORE, "f.position(inst) < f.position(user)", "f.position(inst).0 == f.position(user).0"),
    bug("strips: addresses are those of another object", PRIVATE, "self.compute_inside(f, &moved);", "self.compute_inside(f, &moved[..0]);"),
    bug("strips: lanes do the last iteration too", SPLICE, "full = b.binary(BinOp::Sub, total, one);", "full = b.binary(BinOp::Mul, total, one);"),
    bug("strips: the other answer stays", LOGICAL, "_ if stays(0) => ReduceOp::And,", "_ if stays(0) => ReduceOp::Or,"),
    bug("strips: answers stay that do not", LOGICAL, "_ => return None,
        };
        Some(Logical", "_ => ReduceOp::And,
        };
        Some(Logical"),
    bug("strips: equal values are not better", COMPARISONS, "Int(IntPred::Ule) => (Int(IntPred::Ult), true)", "Int(IntPred::Ule) => (Int(IntPred::Ult), false)"),
    bug("strips: what is not the best is taken with it", GROUPS, "(pred, true),\n        Some(other) if fits(other) => (other, false)", "(pred, false),\n        Some(other) if fits(other) => (other, true)"),
    bug("strips: the scalar loop begins again", SPLICE, "&[role.init, end]", "&[role.init, role.init]"),
    bug("strips: whole groups are rounded up", SPLICE, "b.int(Type::I64, -i128::from(self.width));", "b.int(Type::I64, 1 - i128::from(self.width));"),
    bug("strips: what counts ends one step late", SPLICE, "        let times = b.binary(BinOp::Sub, times, one);\n        let last", "        let times = b.binary(BinOp::Mul, times, one);\n        let last"),
    bug("strips: lanes that are off update too", TURNS, "let args = [on, data.args[at], nowhere];", "let args = [on, data.args[at], data.args[at]];"),
    bug("strips: all lanes update what the first does", TURNS, "Constant::int(Type::I64, lane.into()));\n        for arg", "Constant::int(Type::I64, (lane * 0).into()));\n        for arg"),
    bug("strips: of what lanes add to one element one is added", TURNS, "for_each(|arg| *arg = all);", "for_each(|arg| *arg = own);"),
    bug("strips: all lanes update one element", UPDATES, "            && data.args.iter().all(|&arg| self.is_same(loops, arg, seen))\n", ""),
    bug("strips: conditions on elements always hold", CONDITIONS, "Type::PTR, &[condition, yes, no]);", "Type::PTR, &[condition, pointer, [pointer, yes, no][0]]);"),
    bug("strips: what another lane has is kept", KEPT, "&[value, last]", "&[value, k]"),
    bug("strips: an element is not kept", KEPT, "cells.count.into());\n            let more", "(cells.count - 1).into());\n            let more"),
    bug("strips: what is at another place is remembered", REMEMBERED, "other == if value == self.phi { place } else { value }", "true || other == if value == self.phi { place } else { value }"),
    bug("strips: nothing is read at the first place", REMEMBERED, "true => [read, self.preheader],", "true => [self.preheader, read],"),
    bug("strips: what is at a place is not taken with it", REMEMBERED, "f[phi].args[1] = new[&self.next];", "f[phi].args[1] = [new[&self.next], first][1];"),
    bug("strips: sums that begin anew are sums", RECURRENCES, "web.compares.is_empty() && web.is_set_anew(f) => {", "web.compares.is_empty() && false && web.is_set_anew(f) => {"),
    bug("strips: what is compared need not be what is replaced", GROUPS, ".filter(|_| (it.old, it.new) == (old, leaf))", ".filter(|_| it.new == leaf)"),
    bug("strips: a minimum need not be that of what is compared", GROUPS, ".find(|it| (it.old, it.new) == (old, new))", ".find(|it| it.new == new)"),
    bug("strips: what is chosen behind the loop is that of before", POSTPONED, "&[chosen[&it.leaf], it.phi.init]", "&[it.phi.init, it.phi.init]"),
    bug("strips: what is found may be taken for nothing", FIRST, "!constant.can(empty.pred, &r)", "true || !constant.can(empty.pred, &r)"),
    bug("strips: the last is taken for the first", SPMD, "Taken::First => false,", "Taken::First => true,"),
    bug("strips: lanes that found none count", RESULTS, "take = Some(b.binary(BinOp::And, some, better));", "take = Some(better);"),
    bug("strips: where there is none, something else may be asked", GUARDED, "let all = best.web.merges.iter().all(|&merge| {", "let all = true || best.web.merges.iter().all(|&merge| {"),
    bug("strips: what is at another place is looked up", LOOKED_UP, "place.is_same_at(f, shape, value, new, set)", "(set == set || place.is_same_at(f, shape, value, new, set))"),
    bug("strips: a place may be taken for none", LOOKED_UP, "                }) && is_filled(f, root, empty);", "                });"),
    bug("strips: of equals at two places any is taken", GROUPS, "                    && phi.look_up.is_none()\n", ""),
    bug("strips: what is looked up is that of one place", RESULTS, "places.map(|place| self.read_at(read, look_up, place))", "places.map(|_| self.read_at(read, look_up, places[0]))"),
    bug("strips: counters that meet count for one", COUNT, "let nearer = step.checked_sub(other)?;", "let nearer = step.checked_sub(other * 0)?;"),
    bug("strips: what goes by turns begins with the other", NUMBERED, "at.select(odd, once, init)", "at.select(odd, init, once)"),
    bug("strips: bits do not move", NUMBERED, "let shifted = at.binary(op, init, by);", "let shifted = at.binary(BinOp::Or, init, by);"),
    bug("strips: what goes around is inside at first", NUMBERED, "at.select(begins, init, kept)", "at.select(begins, kept, kept)"),
    bug("strips: turns are not counted", NUMBERED, "let by = at.binary(BinOp::Mul, times, data.args[3]);", "let by = at.binary(BinOp::Or, times, data.args[3]);"),
    bug("strips: what grows takes one step too many", NUMBERED, "let half = at.binary(BinOp::LShr, k, one);", "let half = at.binary(BinOp::Sub, k, one);"),
    bug("strips: what is taken away grows", MOVING, "sum(self.step(x, insts)?, times(self.step(y, insts)?, -1)?)", "sum(self.step(x, insts)?, times(self.step(y, insts)?, 1)?)"),
    bug("strips: only the first condition counts", TEST, "b.select(less, count, least)", "b.select(less, least, least)"),
    bug("strips: behind the last group one condition is enough", TEST, "b.select(all, holds, no)", "b.select(all, all, holds)"),
    bug("strips: nothing is kept", PRIVATE, "self.outside && !self.ends", "self.outside && self.ends"),
];
