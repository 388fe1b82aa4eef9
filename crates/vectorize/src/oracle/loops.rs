//! Random loops: a random program is an iteration, and its results are summed, compared or kept in all ways that loops do it.

use super::arrays::{Arrays, UPDATED};
use super::asking::Asking;
use super::carried::Carried;
use super::counting::Counting;
use super::lives::allocate_before;
use super::numbered::{Numbered, Second};
use super::places::{self, Places};
use super::{Verdict, difference, fit};
use crate::edit;
use crate::loops::trial::{self, Trial};
use crate::loops::{LoopOptions, Remainder, vectorize_loop};
use crate::pipeline::Statistics;
use crate::worth::Boscc;
use lw_ir::constant::Constant;
use lw_ir::generate::lockstep::STEPS;
use lw_ir::generate::{Inputs, Options, Param, Program, Rng, generate};
use lw_ir::interp::{Run, Val};
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Scalar, Signature, Type};
use lw_ir::{Block, Builder, Function, Global, InsertAt, InstData, Module, Op, Value};
use rustc_hash::FxHashMap;

/// How many iterations there are at most.
const ITERATIONS: usize = 24;

/// How the variable of its trial is called, that of the trial of what is left, and the clock.
const TRIAL: &str = "loop.trial";
const SECOND: &str = "loop.trial.alone";
const CLOCK: &str = "llvm.readcyclecounter";

/// How the header of the loop is called.
const HEADER: &str = "iterations";

/// A random program whose entry is a loop.
pub struct LoopProgram {
    /// The program; its third parameter is the number of iterations.
    pub program: Program,
    /// The header of the loop.
    pub header: Block,
    /// How it is vectorized.
    pub options: LoopOptions,
}

/// What became of a random loop.
pub enum LoopVerdict {
    /// The loop computes the same as before. With the vectorized module, what was done.
    Same(Box<(Module, Statistics)>),
    /// Something else, as for functions.
    Other(Verdict),
}

/// The random loop of a seed.
pub fn loop_program(seed: u64) -> LoopProgram {
    let options = Options {
        threads: ITERATIONS,
        indirect_branches: false,
        calls: !seed.is_multiple_of(4),
        records: true,
        undefined: if seed.is_multiple_of(2) { 0 } else { 8 },
        ..Options::default()
    };
    let mut program = generate(seed, &options);
    let mut rng = Rng::new(seed ^ 0x1005);
    let at = program.module.functions.iter().position(|f| f.name.as_str() == Some(&program.entry));
    let at = at.expect("the program has an entry");
    program.module.functions[at] = looping(&program.module.functions[at], &mut rng);
    program.module.globals.push(places::table(&mut rng));
    LoopProgram::of(program).expect("it is a loop")
}

impl LoopProgram {
    /// A random loop that [`loop_program`] made and that may have been made smaller; `None` for other programs.
    pub fn of(program: Program) -> Option<LoopProgram> {
        let function = program.module.function(&program.entry)?;
        let named = |&&b: &&Block| function.block_name(b).and_then(|n| n.as_str()) == Some(HEADER);
        let header = *function.blocks().iter().find(named)?;
        let mut rng = Rng::new(program.seed ^ 0x2005);
        let width = [2, 3, 4, 7, 8, 16][rng.below(6)];
        let mut options = LoopOptions::new(width, program.module.layout.clone());
        options.boscc = [Boscc::Never, Boscc::Worthwhile, Boscc::Always][rng.below(3)];
        options.remainder = if rng.one_in(2) { Remainder::Scalar } else { Remainder::Masked };
        options.trial =
            rng.one_in(2).then(|| Trial { state: TRIAL.into(), clock: CLOCK, within: None });
        let updated = |value: &Value| {
            function.value_name(*value).and_then(|name| name.as_str()) == Some(UPDATED)
        };
        let results = function.all_insts().filter_map(|(_, inst)| function[inst].result.expand());
        options.in_turn = results.filter(updated).collect();
        Some(LoopProgram { program, header, options })
    }

    /// The inputs for a number of iterations.
    pub fn inputs(&self, iterations: usize) -> Inputs {
        let mut inputs = self.program.inputs.clone();
        for param in &mut inputs.params {
            if *param == Param::Thread {
                *param = Param::Uniform(Type::I64, Val::i64(iterations as i64));
            }
        }
        inputs
    }

    /// The scalar loop behind a trial may be vectorized again, as the plug-in does where lanes may go their own ways.
    fn what_is_left(&self, vector: Function, statistics: &Statistics) -> Function {
        let again = statistics.tried && self.program.seed.is_multiple_of(3);
        let trial = Some(Trial { state: SECOND.into(), clock: CLOCK, within: Some(TRIAL.into()) });
        let options = LoopOptions { alone: true, trial, ..self.options.clone() };
        match again.then(|| vectorize_loop(&vector, self.header, &options)) {
            Some(Ok((both, _))) => both,
            _ => vector,
        }
    }

    /// Vectorizes the loop and compares.
    pub fn check(&self) -> LoopVerdict {
        let Program { module, entry, defined, .. } = &self.program;
        let scalar = module.function(entry).expect("the program has an entry");
        let (vector, statistics) = match vectorize_loop(scalar, self.header, &self.options) {
            Ok(done) => done,
            Err(declined) => return LoopVerdict::Other(Verdict::Declined(declined)),
        };
        if let Err(errors) = lw_ir::verify(&vector) {
            return LoopVerdict::Other(Verdict::Wrong(format!("{}\n{vector}", errors[0])));
        }
        let vector = self.what_is_left(vector, &statistics);
        if let Err(errors) = lw_ir::verify(&vector) {
            return LoopVerdict::Other(Verdict::Wrong(format!("{}\n{vector}", errors[0])));
        }
        let mut vectorized = module.clone();
        for function in &mut vectorized.functions {
            if function.name == vector.name {
                *function = vector.clone();
            }
        }
        if statistics.tried {
            with_trials(&mut vectorized, self.program.seed, &[TRIAL, SECOND]);
        }
        let width = self.options.width as usize;
        for iterations in [0, 1, width - 1, width, width + 1, ITERATIONS] {
            let inputs = self.inputs(iterations.min(ITERATIONS));
            let run = Run { step_limit: STEPS * 8, ..Run::default() };
            let wanted = match inputs.run(module, entry, 0..1, &run) {
                Ok(seen) if seen.open => continue,
                Ok(seen) => seen,
                Err(error) if error.kind.is_limit() || !defined => continue,
                Err(error) => return LoopVerdict::Other(Verdict::Nothing(error.to_string())),
            };
            let run = Run { step_limit: super::plenty(&wanted), ..Run::default() };
            let wrong = match inputs.run(&vectorized, entry, 0..1, &run) {
                Ok(seen) => difference(&wanted, &seen),
                Err(error) => Some(error.to_string()),
            };
            if let Some(wrong) = wrong {
                let wrong =
                    format!("{iterations} iterations, {:?}: {wrong}\n{vector}", self.options);
                return LoopVerdict::Other(Verdict::Wrong(wrong));
            }
        }
        LoopVerdict::Same(Box::new((vectorized, statistics)))
    }
}

/// What trials need, and what they may have found before.
fn with_trials(module: &mut Module, seed: u64, names: &[&str]) {
    let mut rng = Rng::new(seed ^ 0x3005);
    let known = |rng: &mut Rng| u128::from([0.0f32, 1.0, -1.0][rng.below(3)].to_bits());
    let ty = Type::int(8 * trial::STATE_BYTES as u32);
    for &name in names {
        let state = known(&mut rng) | known(&mut rng) << 32 | (rng.below(2) as u128) << 64;
        module.globals.push(Global {
            name: name.into(),
            ty,
            address_space: 0,
            constant: false,
            align_log2: None,
            init: Some(Constant::int(ty, state as i128)),
        });
    }
    module.functions.extend(trial::functions());
}

/// A function that executes another in a loop, for numbers below its third parameter.
fn looping(body: &Function, rng: &mut Rng) -> Function {
    let ty = body.signature.ret;
    // Whether the result is carried over, and whether as a float: few programs return one.
    let (carried, as_float) = match ty {
        Type::Scalar(Scalar::Int(bits)) if bits > 1 => (true, bits <= 64 && rng.one_in(3)),
        Type::Scalar(Scalar::Float(_)) => (true, false),
        _ => (false, false),
    };
    // Some is only done where nothing is written.
    let pure = (carried && rng.one_in(4)).then(|| numbers(body, rng));
    let body = pure.as_ref().unwrap_or(body);
    let ret = match carried {
        true if as_float => Type::DOUBLE,
        true => ty,
        false => Type::I64,
    };
    let mut out = edit::empty_like(body, Signature { ret, ..body.signature.clone() });
    out.attrs.ret.clear();
    let params = out.params().to_vec();
    let entry = out.add_named_block("first");
    let header = out.add_named_block(HEADER);
    let first = out.constant(Constant::int(Type::I64, rng.below(3) as i128));
    let counting = Counting::random(rng);
    let (at_top, bound) = (counting.at_top, params[2]);
    let mut b = Builder::new(&mut out);
    b.switch_to(entry);
    let (start, limit) = counting.ends(&mut b, first, bound);
    let step = counting.step(&mut b, bound);
    let whole = matches!(ret, Type::Scalar(Scalar::Int(_)));
    let arrays = (carried && whole && rng.one_in(3)).then(|| Arrays::random(&mut out, rng, entry));
    let mut b = Builder::new(&mut out);
    b.switch_to(header);
    let i = b.phi(Type::I64, &[(start, entry)]);
    let meeting = counting.meets.then(|| b.phi(Type::I64, &[(limit, entry)]));
    let init = b.constant(match ret {
        Type::DOUBLE => Constant::double(0.7),
        // As good as it gets, in some: nothing that lanes find is better.
        Type::Scalar(Scalar::Int(bits)) if bits <= 64 && rng.one_in(4) => {
            Constant::int(ret, [i128::MIN, i128::MAX][rng.below(2)] >> (128 - bits))
        }
        Type::Scalar(Scalar::Int(_)) => Constant::int(ret, 1 + rng.below(2) as i128),
        _ => Constant::zero(ret),
    });
    let sum = b.phi(ret, &[(init, entry)]);
    let place = b.phi(Type::I64, &[(first, entry)]);
    let last = at_top.then(|| b.phi(ret, &[(init, entry)]));
    // What the iteration before computed, and the one before that.
    let before = (carried && rng.one_in(3)).then(|| {
        let [x, y] = [(); 2].map(|()| b.phi(ret, &[(init, entry)]));
        if rng.one_in(2) { [x, y] } else { [y, x] }
    });
    let numbered = (carried && whole && rng.one_in(4)).then(|| Numbered::random(rng));
    let numbered = numbered.map(|numbered| (numbered, numbered.phi(&mut b, entry)));
    let second = rng.one_in(5).then(|| Second::random(rng));
    let second = second.map(|second| (second, second.phi(&mut b, entry)));
    let asking = (carried && whole && rng.one_in(4)).then(|| Asking::random(rng));
    let asking = asking.map(|asking| (asking, asking.phi(&mut b, entry)));
    let often = if pure.is_some() { 2 } else { 4 };
    let places = (carried && whole && rng.one_in(often)).then(|| Places::random(rng));
    let mut values: FxHashMap<Value, Value> =
        body.params().iter().copied().zip(params.iter().copied()).collect();
    values.insert(body.params()[2], i);
    let blocks = edit::copy_body(body, &mut out, values);
    let inside = blocks[&body.entry().expect("it has a body")];
    let (end, mut latch) = (out.add_named_block("last"), out.add_named_block("again"));
    let mut results = Vec::new();
    for &b in blocks.values() {
        let Some(ret) = out.terminator(b).filter(|&t| out[t].op == Op::Ret) else { continue };
        results.extend(out[ret].args.first().map(|&value| (value, b)));
        out.erase(ret);
        edit::jump(&mut out, b, latch);
    }
    results.sort();
    let (mut answer, mut computed) = (None, None);
    let (next_sum, next_place, next_last) = match carried {
        true => {
            let (values, from): (Vec<Value>, Vec<Block>) = results.iter().copied().unzip();
            let data = InstData::new(Op::Phi, ty, &values).with_targets(&from);
            let result = out.insert(InsertAt::End(latch), data);
            let mut result = out.result(result);
            if as_float {
                let mut b = Builder::new(&mut out);
                b.switch_to(latch);
                let scale = b.constant(Constant::double(0.1));
                let value = b.cast(CastOp::SiToFp, result, ret);
                result = b.binary(BinOp::FMul, value, scale);
            }
            if let Some((_, number)) = numbered {
                let mut b = Builder::new(&mut out);
                b.switch_to(latch);
                let number = fit(&mut b, number, ret);
                result = b.binary(BinOp::Xor, result, number);
            }
            if let Some(arrays) = arrays {
                latch = arrays.touch(&mut out, inside, latch, i, result);
            }
            if let Some((asking, phi)) = asking {
                let (at, next) = asking.ask(&mut out, latch, phi, result);
                (latch, answer) = (at, Some((phi, next)));
            }
            if let Some([first, second]) = before {
                let mut b = Builder::new(&mut out);
                b.switch_to(latch);
                computed = Some(result);
                let (minus, plus) = match ret.float_kind() {
                    Some(_) => (BinOp::FSub, BinOp::FAdd),
                    None => (BinOp::Sub, BinOp::Xor),
                };
                let difference = b.binary(minus, result, first);
                result = b.binary(plus, difference, second);
            }
            // If places are chosen otherwise, nothing is done with those that are chosen here.
            let place = if places.is_some() { first } else { place };
            let carried = Carried { i, sum, place, result, best: sum };
            let (sum, place);
            // Sums of floats in inner loops have no order for lanes to keep; what is written in a loop cannot be read behind it.
            (latch, [sum, place]) = match rng.below(32) {
                0..8 if whole => carried.in_inner_loop(&mut out, latch, rng),
                8 => carried.with_what_is_read(&mut out, latch, rng),
                _ => (latch, carried.next(&mut out, latch, rng)),
            };
            (sum, place, result)
        }
        false => {
            let mut b = Builder::new(&mut out);
            b.switch_to(latch);
            let one = b.int(Type::I64, 3);
            (b.binary(BinOp::Add, sum, one), place, sum)
        }
    };
    if rng.one_in(2) {
        allocate_before(&mut out, rng, entry, inside, latch);
    }
    let (begin, next_place) = match places {
        Some(places) => {
            let begin = out.add_named_block("choose");
            (begin, places.choose(&mut out, begin, inside, [place, i]))
        }
        None => (inside, next_place),
    };
    let mut b = Builder::new(&mut out);
    b.switch_to(latch);
    let next = counting.next(&mut b, i, step);
    for (phi, value) in [(i, next), (sum, next_sum), (place, next_place)] {
        b.add_incoming(phi, value, latch);
    }
    if let Some((numbered, number)) = numbered {
        let next = numbered.next(&mut b, number, i);
        b.add_incoming(number, next, latch);
    }
    let second = second.map(|(second, j)| {
        let next = second.next(&mut b, j);
        b.add_incoming(j, next, latch);
        (second, if at_top { j } else { next })
    });
    if let (Some([first, second]), Some(result)) = (before, computed) {
        b.add_incoming(first, result, latch);
        b.add_incoming(second, first, latch);
    }
    if let Some(last) = last {
        b.add_incoming(last, next_last, latch);
    }
    if let Some((phi, next)) = answer {
        b.add_incoming(phi, next, latch);
    }
    let (tested, limit) = match meeting {
        Some(limit) => {
            let nearer = counting.nearer(&mut b, limit);
            b.add_incoming(limit, nearer, latch);
            if at_top { (i, limit) } else { (next, nearer) }
        }
        None if at_top => (i, limit),
        None => (next, limit),
    };
    b.switch_to(if at_top { header } else { latch });
    let more = counting.goes_on(&mut b, tested, limit);
    let more = match second {
        Some((second, j)) => second.goes_on(&mut b, more, j),
        None => more,
    };
    b.switch_to(end);
    // In some, what there was before the last iteration is wanted.
    let now = at_top || rng.one_in(4);
    let (sum, place) = if now { (sum, place) } else { (next_sum, next_place) };
    let last = match before {
        Some(before) if rng.one_in(3) => before[rng.below(2)],
        _ => last.unwrap_or(next_last),
    };
    // The place matters too, and what was computed last, where there is room for it.
    let both = match ret {
        Type::Scalar(Scalar::Int(_)) => {
            let place = fit(&mut b, place, ret);
            let both = b.binary(BinOp::Xor, sum, place);
            let both = b.binary(BinOp::Sub, both, last);
            let both = match answer {
                Some((phi, next)) => {
                    let answer = if now { phi } else { next };
                    let answer = b.cast(CastOp::ZExt, answer, ret);
                    b.binary(BinOp::Add, both, answer)
                }
                None => both,
            };
            let both = match numbered {
                Some((_, number)) if rng.one_in(3) => {
                    let number = fit(&mut b, number, ret);
                    b.binary(BinOp::Sub, both, number)
                }
                _ => both,
            };
            match arrays {
                Some(arrays) => {
                    let all = arrays.read(&mut b);
                    let all = fit(&mut b, all, ret);
                    b.binary(BinOp::Xor, both, all)
                }
                None => both,
            }
        }
        _ => sum,
    };
    b.ret(Some(both));
    let none = out.add_named_block("none");
    match at_top {
        true => {
            edit::jump(&mut out, entry, header);
            edit::branch(&mut out, header, more, [begin, end]);
            edit::jump(&mut out, latch, header);
            edit::jump(&mut out, none, end);
            out.erase_block(none);
        }
        false => {
            let mut b = Builder::new(&mut out);
            b.switch_to(entry);
            let some = b.icmp(IntPred::Slt, first, bound);
            edit::branch(&mut out, entry, some, [header, none]);
            edit::jump(&mut out, header, begin);
            edit::branch(&mut out, latch, more, [header, end]);
            let mut b = Builder::new(&mut out);
            b.switch_to(none);
            b.ret(Some(init));
        }
    }
    out
}

/// A function of the same signature that computes a number from its third parameter.
fn numbers(like: &Function, rng: &mut Rng) -> Function {
    let mut out = edit::empty_like(like, like.signature.clone());
    let (i, ret) = (out.params()[2], out.signature.ret);
    let entry = out.add_named_block("numbers");
    let mut b = Builder::new(&mut out);
    b.switch_to(entry);
    let (odd, bits) = (b.int(Type::I64, 1 + 2 * rng.below(1 << 20) as i128), b.int(Type::I64, 7));
    let mixed = b.binary(BinOp::Mul, i, odd);
    let high = b.binary(BinOp::LShr, mixed, bits);
    let mut number = b.binary(BinOp::Xor, mixed, high);
    // Few numbers, so that some are equal.
    if rng.one_in(2) {
        number = b.binary(BinOp::And, number, bits);
    }
    let number = match ret.float_kind() {
        Some(_) => {
            let small = b.cast(CastOp::Trunc, number, Type::I8);
            b.cast(CastOp::SiToFp, small, ret)
        }
        None => fit(&mut b, number, ret),
    };
    b.ret(Some(number));
    out
}
