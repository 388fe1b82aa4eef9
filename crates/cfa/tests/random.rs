//! Random programs: engines agree, and runs stay within the solution.

use lw_cfa::flow::{Field, Lambda, Node, Op, Program, Rest, Value, solve};
use lw_cfa::interp::End;
use lw_cfa::oracle::{engines_agree, sound_by_type_and_sign};
use lw_cfa::prims::Class;
use lw_cfa::{Engine, generate};

#[test]
fn engines_agree_on_random_programs() {
    for seed in 0..2_000 {
        let program = generate::spaced(generate::flow(seed), [0, 0, 5, 30][seed as usize % 4]);
        engines_agree(&program)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{program:#?}"));
    }
}

#[test]
fn runs_of_random_scheme_stay_within_the_solution() {
    let mut done = 0;
    for seed in 0..250 {
        let text = generate::scheme(seed);
        match sound_by_type_and_sign(&text, 5_000) {
            Ok(End::Done) => done += 1,
            Ok(_) => {}
            Err(error) => panic!("seed {seed}: {error}\n{text}"),
        }
    }
    assert!(done > 60, "only {done} of the programs come to their end");
}

/// Two objects of different classes share a variable as their field; what one stores the other loads, also later.
#[test]
fn a_field_of_two_objects() {
    let object = |class| Value::Object { class, record: 0, field: 2, fields: 1 };
    let field = |class| Field { class, record: 0, index: 0 };
    for (first, second) in [(Class::Pair, Class::Vector), (Class::Vector, Class::Pair)] {
        let mut basics = vec![None; Class::Unknown as usize + 1];
        basics[Class::Int as usize] = Some(2);
        let program = Program {
            vars: 3,
            values: vec![object(first), object(second), Value::Basic(Class::Int)],
            // The load is there long before anything is stored.
            starts: vec![0, 2, 3, 4, 5],
            ops: vec![
                Op::Load { dst: 1, base: Node::Var(0), field: field(second) },
                Op::Goto { to: 1 },
                Op::If { test: Node::Var(0), yes: 2, no: 2 },
                Op::If { test: Node::Var(0), yes: 3, no: 3 },
                Op::Store { base: Node::Value(0), field: field(first), src: Node::Value(2) },
            ],
            init: vec![(0, 1)],
            basics,
            ..Program::default()
        };
        engines_agree(&program).unwrap();
        let found = solve(&program, Engine::Reference);
        assert!(found.store[1].contains(2), "what is stored is loaded");
    }
}

#[test]
fn the_family() {
    sound_by_type_and_sign(&generate::family(20), 10_000).unwrap();
}

/// Of two records of one type only one has a second field.
#[test]
fn a_field_that_not_all_objects_have() {
    let object = |field, fields| Value::Object { class: Class::Record, record: 0, field, fields };
    let second = Field { class: Class::Record, record: 0, index: 1 };
    let program = Program {
        vars: 5,
        values: vec![object(4, 1), object(2, 2), Value::Basic(Class::Int)],
        starts: vec![0, 2],
        ops: vec![
            Op::Load { dst: 1, base: Node::Var(0), field: second },
            Op::Store { base: Node::Var(0), field: second, src: Node::Value(2) },
        ],
        basics: vec![None; Class::Unknown as usize + 1],
        init: vec![(0, 0), (0, 1)],
        ..Program::default()
    };
    engines_agree(&program).unwrap();
    let found = solve(&program, Engine::Delta);
    assert!(found.store[1].contains(2), "what is stored is loaded");
}

/// A procedure whose parameter is the variable that is called: new arguments are new callees, too.
#[test]
fn a_parameter_that_is_the_operator() {
    const LAMBDAS: u32 = 40;
    let (operator, argument, source) = (0, 1, 2);
    let lambda = |k: u32| {
        let param = if k == 0 { operator } else { 2 + k };
        Value::Lambda(Lambda { params: vec![param], rest: Rest::None, body: 1 })
    };
    let program = Program {
        vars: 3 + LAMBDAS,
        values: (0..LAMBDAS).map(lambda).collect(),
        starts: vec![0, 1, 2],
        ops: vec![
            Op::Call { f: Node::Var(operator), args: vec![Node::Var(argument)], spread: None },
            // When this is reached, some are called already.
            Op::Copy { dst: argument, src: Node::Var(source) },
        ],
        init: (0..6).map(|k| (operator, k)).chain((0..LAMBDAS).map(|k| (source, k))).collect(),
        basics: vec![None; Class::Unknown as usize + 1],
        ..Program::default()
    };
    engines_agree(&program).unwrap();
    let found = solve(&program, Engine::Delta);
    for var in [operator, 3, 2 + LAMBDAS - 1] {
        assert!((0..LAMBDAS).all(|k| found.store[var as usize].contains(k)), "variable {var}");
    }
}
