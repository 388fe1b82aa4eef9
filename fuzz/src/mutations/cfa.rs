//! Bugs in 0-CFA: in its engines, in the kernels of the GPU, and in what operations stand for.

use super::Bug;

const DELTA: &str = "crates/cfa/src/flow/delta.rs";
const REFERENCE: &str = "crates/cfa/src/flow/reference.rs";
const FLOW: &str = "crates/cfa/src/flow/mod.rs";
const SET: &str = "crates/cfa/src/flow/set.rs";
const FLATTEN: &str = "crates/cfa/src/flow/flatten.rs";
const IMAGE: &str = "crates/cfa/src/flow/image.rs";
const MATRIX: &str = "crates/cfa/src/flow/matrix/mod.rs";
const MATRIX_FORMS: &str = "crates/cfa/src/flow/matrix/forms.rs";
const TILE: &str = "crates/cfa/src/flow/matrix/tile.rs";
const FORMS: &str = "crates/cfa/src/flow/cuda/kernels/forms.h";
const ROWS: &str = "crates/cfa/src/flow/cuda/kernels/rows.h";
const KERNELS: &str = "crates/cfa/src/flow/cuda/kernels/kernels.cu";
const ROUNDS: &str = "crates/cfa/src/flow/cuda/rounds.rs";
const LOWER: &str = "crates/cfa/src/flow/lower.rs";
const CONSTANTS: &str = "crates/cfa/src/flow/constants.rs";
const NUMBERS: &str = "crates/cfa/src/flow/numbers.rs";
const ARITHMETIC: &str = "crates/cfa/src/signs/arithmetic.rs";
const ORDER: &str = "crates/cfa/src/signs/order.rs";
const PRIMS: &str = "crates/cfa/src/prims.rs";
const CONVERT: &str = "crates/cfa/src/cps/convert.rs";

const fn bug(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Bug {
    Bug { name, room: "cfa", file, from, to, target: "cfa" }
}

/// All of them.
#[rustfmt::skip]
pub(super) const BUGS: &[Bug] = &[
    // Engines on the CPU.
    bug("delta: new arguments reach no parameters", DELTA,
        "                Role::Arg => self.more_arguments(op, var, &new),", "                Role::Arg => {}"),
    bug("delta: an operator that is a parameter gets no new arguments", DELTA,
        "        if to_itself {", "        if to_itself && args.is_empty() {"),
    bug("delta: what subscribes late sees nothing", DELTA,
        "self.see_all(at, &values);", "self.see_all(at, &values.iter().take(1).collect());"),
    bug("delta: new callees get the first argument only", DELTA,
        "for (index, arg) in args.iter().enumerate() {", "for (index, arg) in args.iter().enumerate().take(1) {"),
    bug("delta: an unknown test takes one branch", DELTA,
        "                if falsy || unknown {", "                if falsy {"),
    bug("delta: an unknown callee sees no arguments", DELTA,
        "                    args.iter().for_each(|arg| self.edge(escape, *arg));", "                    let _ = args;"),
    bug("delta: fields that get outside are not seen", DELTA,
        "        seen.into_iter().for_each(|var| self.edge(escape, Node::Var(var)));", "        drop((seen, escape));"),
    bug("reference: code outside acts once", REFERENCE,
        "        if !state.outside() {\n            break;\n        }", "        state.outside();\n        break;"),
    bug("a rest argument keeps only pairs", FLOW,
        "            if given <= wanted\n                && let", "            if given < wanted\n                && let"),
    bug("a list of arguments fills no parameters", FLOW,
        "            lambda.params.iter().skip(given).for_each(|param| flow(*param, Node::Var(spread)));", "            let _ = spread;"),
    bug("sets lose a number as they become bits", SET,
        "for value in all.iter().chain([&value]) {", "for value in all.iter().skip(1).chain([&value]) {"),
    bug("sets lose a number as many are added", SET,
        "            all.iter().for_each(|value| {\n                set_bit(&mut bits, *value);", "            all.iter().skip(1).for_each(|value| {\n                set_bit(&mut bits, *value);"),
    bug("image: a constant test goes one way", FLATTEN,
        "                if falsy || program.is_unknown(*value) {", "                if falsy {"),
    bug("image: many arguments fit everything", IMAGE,
        "Rest::None if wanted < arities => self.plain[words * wanted + word] |= bit,", "Rest::None => (0..arities).for_each(|arity| self.plain[words * arity + word] |= bit),"),
    bug("matrix: a started operation sees news only", MATRIX_FORMS,
        "let (new, old) = if fresh { (new | old, 0) } else { (new, old) };", "let (new, old) = if fresh { (new, 0) } else { (new, old) };"),
    bug("matrix: old callees get no new arguments", MATRIX_FORMS,
        "bits(plain_old).for_each(|bit| solver.emit(var(first + bit), *arg, false));", "let _ = plain_old;"),
    bug("matrix: fields are loaded once", MATRIX_FORMS,
        "self.scan(op, base, true, |solver, first, new, old| {", "self.scan(op, base, false, |solver, first, new, old| {"),
    bug("matrix: records of other types count as this one", MATRIX_FORMS,
        "let is_other = expected != NONE && record != NONE && record != expected;", "let is_other = false;"),
    bug("matrix: objects have all fields of their kind", MATRIX_FORMS,
        "(has == kind && index < fields)", "(has == kind && fields > 0)"),
    bug("matrix: what is new is not", TILE,
        "            self.delta_range[var] = range;", "            self.delta_range[var] = Range::default();"),
    bug("matrix: rows end too early", TILE,
        "            *self = Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) };", "            *self = Range { lo: self.lo.min(other.lo), hi: self.hi };"),
    bug("matrix: jumps are taken one at a time", MATRIX,
        "                if !std::mem::replace(&mut self.reached[*to as usize], true) {\n                    self.found.fresh.push(*to);", "                if !std::mem::replace(&mut self.reached[*to as usize], true) && image.gotos.of(expr).len() == 1 {\n                    self.found.fresh.push(*to);"),
    // The kernels.
    bug("kernels: old callees get no new arguments", FORMS,
        "some = is_new(s, round, arg) ? old : 0;", "some = 0;"),
    bug("kernels: a constant argument is not passed", FORMS,
        "BITS(fresh, first, value) put(s, round, i < DENSE ? s.var[i][value] : s.params[s.param_start[value] + i], arg & ~FLAG);\n", "\n"),
    bug("kernels: rest arguments beyond the first are lost", FORMS,
        "for (u32 i = wanted; i < given; i++) emit(s, round, car, args[i], all);", "if (wanted < given) emit(s, round, car, args[wanted], all);"),
    bug("kernels: an unknown test takes one branch", FORMS,
        "if (fresh & (falsy | unknown)) reach(s, round, s.c[op]);", "if (fresh & falsy) reach(s, round, s.c[op]);\n        (void)unknown;"),
    bug("kernels: records of other types count as this one", FORMS,
        "image |= table[other ? s.classes + 1 : s.value_class[value]];", "image |= table[s.value_class[value]];\n            (void)other;"),
    bug("kernels: what is stored later is lost", FORMS,
        "scan(s, round, op, s.a[op], is_new(s, round, src), team, [&](u32 first, u32 fresh, u32 old) {", "scan(s, round, op, s.a[op], false, team, [&](u32 first, u32 fresh, u32 old) {"),
    bug("kernels: fields are loaded once", FORMS,
        "u32 kind = s.field_of_kind[s.c[op]], index = s.field_index[s.c[op]], dst = s.b[op];\n    scan(s, round, op, s.a[op], true, team,", "u32 kind = s.field_of_kind[s.c[op]], index = s.field_index[s.c[op]], dst = s.b[op];\n    scan(s, round, op, s.a[op], false, team,"),
    bug("kernels: objects have all fields of their kind", FORMS,
        "index < s.object_fields[value]", "index + s.object_fields[value] > 0"),
    bug("kernels: code outside calls with nothing", FORMS,
        "put(s, round, s.params[i], s.unknown);", "{}"),
    bug("kernels: a full list drops what flows", FORMS,
        "    else unite_alone(s, round, dst, source);", "    else if (dst == NONE) unite_alone(s, round, dst, source);"),
    bug("kernels: the last threads of a team do nothing", FORMS,
        "Team{rank % share * lanes + lane, share * lanes}", "Team{rank % share * lanes + lane, share * lanes + 1}"),
    bug("kernels: rows begin too late", ROWS,
        "if (load(lo) < ~quad) fetch_max(lo, ~quad);", "if (!load(lo)) fetch_max(lo, ~quad);"),
    bug("kernels: the upper half of four words is lost", ROWS,
        "grow(s, round, var, quad, q.x | (u64)q.y << 32, q.z | (u64)q.w << 32);", "grow(s, round, var, quad, q.x | (u64)q.y << 32, q.z);"),
    bug("kernels: values beyond a tile are put into it", ROWS,
        "if (value == NONE || value - s.first >= s.columns) return;", "if (value == NONE || value < s.first) return;\n    value = s.first + (value - s.first) % s.columns;"),
    bug("kernels: rows do not grow at their end", KERNELS,
        "        if (s.sigma_hi[var] < range.hi) s.sigma_hi[var] = range.hi;\n", ""),
    bug("kernels: news are those of an earlier round", KERNELS,
        "        delta[quad] = now;\n", "        if (!any(delta[quad])) delta[quad] = now;\n"),
    bug("kernels: loads do not hear of fields", KERNELS,
        "    if (kind == NONE) return;", "    if (kind != NONE) return;"),
    bug("kernels: an expression goes on with one jump", KERNELS,
        "for (u32 i = from + 1; i < to; i++) reach(s, next_round(round), s.goto_list[i]);", ""),
    bug("kernels: entries that go to one row lose the last", KERNELS,
        "            if (quad >= ranges[i].lo && quad < ranges[i].hi) more |= from[i][quad];", "            if (quad >= ranges[i].lo && quad + 1 < ranges[i].hi) more |= from[i][quad];"),
    bug("tiles: keys of other tiles are not looked at", ROUNDS,
        "let (key, tile) = (pair / tiles, pair % tiles);", "let (key, tile) = (pair % tiles, pair % tiles);"),
    bug("tiles: what is reached starts no new visit", ROUNDS,
        "            host.reach_version += 1;", "            host.reach_version += 0;"),
    // What operations stand for.
    bug("cons forgets its second argument", PRIMS,
        "(Effect::Makes(Pair, &[0, 1]), \"cons/2\")", "(Effect::Makes(Pair, &[0, NOWHERE]), \"cons/2\")"),
    bug("set-cdr! changes the first field", PRIMS,
        "(Effect::Stores(Pair, &[(1, 1)]), \"set-cdr!/2\")", "(Effect::Stores(Pair, &[(0, 1)]), \"set-cdr!/2\")"),
    bug("vector-set! forgets", PRIMS,
        "(Effect::Stores(Vector, &[(0, 2)]), \"vector-set!/3\")", "(Effect::Stores(Vector, &[]), \"vector-set!/3\")"),
    bug("tests always hold", LOWER,
        "            class if classes.has(class) => yes,\n            _ => no,", "            class if classes.has(class) => yes,\n            _ => yes,"),
    bug("hash tables forget keys", PRIMS,
        "(Effect::Stores(Table, &[(0, 1), (1, 2)]), \"hash-table-set!/3\")", "(Effect::Stores(Table, &[(1, 2)]), \"hash-table-set!/3\")"),
    bug("products are sums", PRIMS,
        "(number(Arith::Product), \"*/0+\")", "(number(Arith::Sum), \"*/0+\")"),
    bug("division yields integers", PRIMS,
        "(Effect::Number(Arith::Ratio, Classes::of(&[Ratio])), \"//1+\")", "(number(Arith::Ratio), \"//1+\")"),
    bug("lists have some elements", PRIMS,
        "const COUNT: Effect = yields(&[ZeroInt, PosInt]);", "const COUNT: Effect = yields(&[PosInt]);"),
    bug("records forget all fields but the first", LOWER,
        "                args.iter().enumerate().for_each(|(at, src)| {", "                args.iter().take(1).enumerate().for_each(|(at, src)| {"),
    bug("set! does not assign", LOWER,
        "                self.push(Op::Copy { dst: x.0, src });\n                let void", "                let _ = (x, src);\n                let void"),
    bug("lists of arguments have one element", LOWER,
        "        self.push(Op::Load { dst: tails, base: Node::Var(tails), field: part(1) });\n", ""),
    bug("the lists of rest arguments have one element", LOWER,
        "self.out.program.init.extend([(cdr, null), (cdr, pair)]);", "self.out.program.init.extend([(cdr, null)]);"),
    bug("constants end after one pair", CONSTANTS,
        "                if value == pair || value == vector {", "                if value == vector {"),
    bug("signs: cases are told apart by the wrong number", NUMBERS,
        "                    self.cases.push(Op::Map { dst, src: b, table });", "                    self.cases.push(Op::Map { dst, src: a, table });"),
    bug("signs: a list of numbers has one element", NUMBERS,
        "            self.both(rule, all, Node::Var(all), items);\n", ""),
    bug("signs: assigned variables are one number", NUMBERS,
        "Node::Var(x) if a == b && !self.assigned.contains(&x) => {", "Node::Var(_) if a == b => {"),
    bug("signs: the sum of nothing is nothing", NUMBERS,
        "                none.into_iter().for_each(|src| self.push(Op::Copy { dst, src }));\n                self.one(rule, dst, *items);", "                let _ = none;\n                self.one(rule, dst, *items);"),
    bug("signs: sums of opposite signs are not zero", ARITHMETIC,
        "        _ if x == y => x,\n        _ => ALL,", "        _ if x == y => x,\n        _ => NEG | POS,"),
    bug("signs: inexact products never vanish", ARITHMETIC,
        "        _ => product(x, y) | ZERO,\n    }\n}\n\nfn inexact_ratio", "        _ => product(x, y),\n    }\n}\n\nfn inexact_ratio"),
    bug("signs: infinities cancel to a number", ARITHMETIC,
        "(NEG, POS) | (POS, NEG) => ALL | NAN,", "(NEG, POS) | (POS, NEG) => ALL,"),
    bug("signs: modulo has the sign of the first", ARITHMETIC,
        "            Arith::Modulo => ZERO | y,", "            Arith::Modulo => ZERO | x,"),
    bug("signs: quotients are not zero", ARITHMETIC,
        "            Arith::Quotient => ZERO | product(x, y),", "            Arith::Quotient => product(x, y),"),
    bug("signs: floor and ceiling change places", ARITHMETIC,
        "let up = if self == Arith::Floor { NEG } else { POS };", "let up = if self == Arith::Ceiling { NEG } else { POS };"),
    bug("signs: the largest is the smallest", ARITHMETIC,
        "        let rank = |sign: Signs| if self == Arith::Min { flip(sign) } else { sign };\n        let mut all", "        let rank = |sign: Signs| if self == Arith::Max { flip(sign) } else { sign };\n        let mut all"),
    bug("signs: numbers of one sign are equal", ORDER,
        "        _ if x == y => BELOW | SAME | ABOVE,", "        _ if x == y => SAME,"),
    bug("signs: zero is below zero", ORDER,
        "        (ZERO, ZERO) => SAME,", "        (ZERO, ZERO) => BELOW,"),
    bug("continuation-passing style forgets rest arguments", CONVERT,
        "let rest = source.formals.rest.map_or(Rest::None, |x| Rest::List(var(x)));", "let rest = source.formals.rest.map_or(Rest::None, |_| Rest::Ignored);"),
];
