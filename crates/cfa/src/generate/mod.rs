//! Random programs: constraint programs for comparing engines, Scheme programs for the soundness oracle, and the family F(N).

mod scheme;

pub use scheme::scheme;

use crate::flow::{Field, Lambda, Node, Op, Program, Rest, Table, Value};
use crate::prims::{Class, Classes};
use crate::signs::{Constants, NUMBERS};

/// A small generator of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Numbers that belong to a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A random program for the engines: every operation, any shape.
pub fn flow(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let (vars, exprs) = (3 + rng.below(40) as u32, 2 + rng.below(40) as u32);
    let lambdas = 1 + rng.below(100);
    let constants = [Constants::Types, Constants::Signs][rng.below(2)];
    let taste = Taste { constants, odd: !rng.one_in(3), wild: rng.one_in(3) };
    let mut program = flow_of(&mut rng, vars, exprs, lambdas, taste);
    if rng.one_in(2) {
        let objects = |value: &&Value| matches!(value, Value::Object { .. });
        let objects = program.values.iter().filter(objects).count();
        let first = program.values.len() - lambdas - objects;
        enliven(&mut rng, &mut program, vars, |rng| match rng.below(2) {
            0 => first + rng.below(objects),
            _ => first + rng.below(objects + lambdas),
        });
    }
    program
}

/// A random program like those of [`flow`], but with about so many variables, expressions and lambda expressions.
pub fn large_flow(seed: u64, size: u32) -> Program {
    let mut rng = Rng::new(seed);
    let taste = Taste { constants: Constants::Types, odd: false, wild: false };
    let mut program = flow_of(&mut rng, size, size, size as usize, taste);
    let lambdas = program.values.len() - size as usize;
    enliven(&mut rng, &mut program, size, |rng| lambdas + rng.below(size as usize));
    program
}

/// Most programs end at once. In this one each of so many variables has a value from the start and is copied to another, and half
/// of the expressions are reached at once.
fn enliven(
    rng: &mut Rng,
    program: &mut Program,
    vars: u32,
    mut value: impl FnMut(&mut Rng) -> usize,
) {
    program.init.extend((0..vars).map(|var| (var, value(rng) as u32)));
    let exprs = program.exprs();
    for src in 0..vars {
        let dst = rng.below(vars as usize) as u32;
        program.ops.push(Op::Copy { dst, src: Node::Var(src) });
    }
    program.ops.extend((0..exprs).step_by(2).map(|to| Op::Goto { to }));
    program.starts.push(program.ops.len() as u32);
    program.entry = exprs;
}

/// The most fields of a record of a random program.
const RECORD: usize = 3;

/// What a random program has much of.
#[derive(Clone, Copy)]
struct Taste {
    constants: Constants,
    /// Objects that share fields, and many uses of them.
    odd: bool,
    /// Unknown values. They spread far, so they are rare elsewhere.
    wild: bool,
}

fn flow_of(rng: &mut Rng, vars: u32, exprs: u32, lambdas: usize, taste: Taste) -> Program {
    let mut program = Program { vars, ..Program::default() };
    let var = |rng: &mut Rng| rng.below(vars as usize) as u32;
    let expr = |rng: &mut Rng| rng.below(exprs as usize) as u32;
    let known = |class: &&Class| {
        **class < Class::Procedure
            && (taste.constants == Constants::Signs || !NUMBERS.contains(class))
    };
    let classes: Vec<Class> = Class::ALL.iter().filter(known).copied().collect();
    program.basics = vec![None; Class::Unknown as usize + 1];
    for class in &classes {
        program.basics[*class as usize] = Some(program.values.len() as u32);
        program.values.push(Value::Basic(*class));
    }
    let unknown = program.values.len() as u32 - 1;
    for _ in 0..1 + rng.below(5) {
        // Records of one type may have different numbers of fields, as objects of LLVM do.
        let (class, record, fields) = match rng.below(3) {
            0 => (Class::Pair, 0, 2),
            1 => (Class::Vector, 0, 1),
            _ => (Class::Record, rng.below(2) as u32, 1 + rng.below(RECORD) as u32),
        };
        let shared = taste.odd && program.vars > vars + 1 && rng.one_in(3);
        let field = if shared { program.vars - 2 } else { program.vars };
        program.values.push(Value::Object { class, record, field, fields });
        program.vars = program.vars.max(field + fields);
    }
    let objects = program.values.len() as u32 - unknown - 1;
    let pairs: Vec<u32> = (0..program.values.len() as u32)
        .filter(|value| {
            matches!(program.values[*value as usize], Value::Object { class: Class::Pair, .. })
        })
        .collect();
    for _ in 0..lambdas {
        let rest = match rng.below(6) {
            0 => Rest::Ignored,
            1 if !pairs.is_empty() => Rest::List(var(rng), pairs[rng.below(pairs.len())]),
            _ => Rest::None,
        };
        let params = (0..rng.below(4)).map(|_| var(rng)).collect();
        program.values.push(Value::Lambda(Lambda { params, rest, body: expr(rng) }));
    }
    program.escape = rng.one_in(2).then(|| var(rng));
    for _ in 0..2 {
        // Any classes but the unknown one, which is the last.
        let some = |rng: &mut Rng| {
            let bits = rng.below(1 << (classes.len() - 1));
            let chosen = classes.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            chosen.fold(Classes::default(), |all, (_, class)| all.and(Classes::of(&[*class])))
        };
        let images = Class::ALL.iter().map(|_| some(rng)).collect();
        let other_record = rng.one_in(2).then_some((0, Classes(1)));
        program.tables.push(Table { classes: images, other_record });
    }
    let values = program.values.len();
    let value = |rng: &mut Rng| {
        if taste.wild && rng.one_in(12) {
            return unknown;
        }
        if taste.odd && rng.one_in(3) {
            return unknown + 1 + rng.below(objects as usize) as u32;
        }
        match rng.below(values) as u32 {
            value if value == unknown && !rng.one_in(8) => values as u32 - 1,
            value => value,
        }
    };
    let node =
        |rng: &mut Rng| if rng.one_in(3) { Node::Value(value(rng)) } else { Node::Var(var(rng)) };
    let field = |rng: &mut Rng| {
        let (class, count) =
            [(Class::Pair, 2), (Class::Vector, 1), (Class::Record, RECORD)][rng.below(3)];
        let record = if class == Class::Record { rng.below(2) as u32 } else { 0 };
        Field { class, record, index: rng.below(count) as u32 }
    };
    for _ in 0..exprs {
        program.starts.push(program.ops.len() as u32);
        for _ in 0..rng.below(4) {
            program.ops.push(match rng.below(10) {
                0 => Op::Copy { dst: var(rng), src: node(rng) },
                1 => Op::Goto { to: expr(rng) },
                2 => Op::If { test: node(rng), yes: expr(rng), no: expr(rng) },
                3 => Op::Load { dst: var(rng), base: node(rng), field: field(rng) },
                4 => Op::Store { base: node(rng), field: field(rng), src: node(rng) },
                5 => Op::Map { dst: var(rng), src: node(rng), table: rng.below(2) as u32 },
                _ => {
                    let args = (0..rng.below(4)).map(|_| node(rng)).collect();
                    Op::Call { f: node(rng), args, spread: rng.one_in(6).then(|| var(rng)) }
                }
            });
        }
    }
    program.starts.push(program.ops.len() as u32);
    program.init = (0..rng.below(6)).map(|_| (var(rng), value(rng))).collect();
    program
}

/// The same program with `gap` values that nothing uses before each of its own, so that sets are many words of bits.
pub fn spaced(mut program: Program, gap: u32) -> Program {
    let place = |value: &mut u32| *value = (*value + 1) * (gap + 1) - 1;
    let node = |node: &mut Node| {
        if let Node::Value(value) = node {
            place(value);
        }
    };
    let values = std::mem::take(&mut program.values);
    for mut value in values {
        program.values.extend((0..gap).map(|_| Value::Basic(Class::Other)));
        if let Value::Lambda(Lambda { rest: Rest::List(_, pair), .. }) = &mut value {
            place(pair);
        }
        program.values.push(value);
    }
    program.basics.iter_mut().flatten().for_each(place);
    program.init.iter_mut().for_each(|(_, value)| place(value));
    for op in &mut program.ops {
        match op {
            Op::Copy { src, .. } | Op::Map { src, .. } => node(src),
            Op::If { test, .. } => node(test),
            Op::Load { base, .. } => node(base),
            Op::Store { base, src, .. } => [base, src].into_iter().for_each(node),
            Op::Call { f, args, .. } => args.iter_mut().chain([f]).for_each(node),
            Op::Goto { .. } => {}
        }
    }
    program
}

/// The family F(N): N procedures passed through one identity procedure, then applied to one another in turn. In 0-CFA
/// all of them flow to all that the identity yields and to all parameters, and all continuations to all procedures.
pub fn family(n: usize) -> String {
    let mut text = String::from("(define (id x) x)\n");
    for i in 0..n {
        text.push_str(&format!("(define f{i} (id (lambda (x{i}) x{i})))\n"));
    }
    for i in 0..n {
        text.push_str(&format!("(f{i} f{})\n", (i + 1) % n));
    }
    text
}
