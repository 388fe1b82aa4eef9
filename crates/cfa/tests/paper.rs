//! The example of 004 §6: `add5` in continuation-passing style, its matrices, and the store updates of Examples 1 and 2.

use lw_cfa::Engine;
use lw_cfa::flow::linear::{Matrices, outer, plus, store_matrix, times, unit};
use lw_cfa::flow::{Lambda, Node, Op, Program, Rest, Solution, Value, solve};
use lw_cfa::oracle::engines_agree;
use lw_cfa::prims::Class;

// ((lambda (add5⁰) (add5⁰ 10³ (lambda (result³) (halt)₃)²)₁)⁰
//  (lambda (a¹ add5k²) (prim + a¹ 5³ add5k²)₂)¹)₀
const ADD5: u32 = 0;
const A: u32 = 1;
const ADD5K: u32 = 2;
const RESULT: u32 = 3;
const INT: u32 = 3;

fn add5() -> Program {
    let lambda = |params: &[u32], body| {
        Value::Lambda(Lambda { params: params.into(), rest: Rest::None, body })
    };
    let call = |f, args: &[Node]| Op::Call { f, args: args.into(), spread: None };
    let mut basics = vec![None; Class::ALL.len()];
    basics[Class::Int as usize] = Some(INT);
    Program {
        vars: 4,
        values: vec![
            lambda(&[ADD5], 1),
            lambda(&[A, ADD5K], 2),
            lambda(&[RESULT], 3),
            Value::Basic(Class::Int),
        ],
        ops: vec![
            call(Node::Value(0), &[Node::Value(1)]),
            call(Node::Var(ADD5), &[Node::Value(INT), Node::Value(2)]),
            // δ̂(+, …) = {INT}, handed to the continuation.
            call(Node::Var(ADD5K), &[Node::Value(INT)]),
        ],
        starts: vec![0, 1, 2, 3, 3],
        basics,
        ..Program::default()
    }
}

fn solved() -> (Program, Solution) {
    let program = add5();
    engines_agree(&program).unwrap();
    let solution = solve(&program, Engine::Reference);
    (program, solution)
}

#[test]
fn the_solution() {
    let (_, solution) = solved();
    let sets: Vec<Vec<u32>> = solution.store.iter().map(|set| set.iter().collect()).collect();
    assert_eq!(sets, [vec![1], vec![INT], vec![2], vec![INT]]);
    assert_eq!(solution.reached.len(), 4);
}

#[test]
fn example_1_looks_up_a() {
    let (program, solution) = solved();
    let store = store_matrix(&program, &solution);
    let row = |bits: [u8; 4]| bits.map(|bit| bit == 1).to_vec();
    let rows = [
        [0, 1, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        // The identity below.
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ];
    assert_eq!(store, rows.map(row));
    assert_eq!(times(&unit(8, A), &store), row([0, 0, 0, 1]));
    // A value stands for itself.
    assert_eq!(times(&unit(8, 4 + 2), &store), row([0, 0, 1, 0]));
}

#[test]
fn example_2_binds_add5k() {
    let update = outer(&unit(8, ADD5K), &unit(4, 2));
    let mut expected = vec![vec![false; 4]; 8];
    expected[ADD5K as usize][2] = true;
    assert_eq!(update, expected);
}

#[test]
fn the_matrices_of_the_syntax() {
    let matrices = Matrices::of(&add5());
    let value = |value: u32| Some(4 + value);
    assert_eq!(matrices.fun.column, [value(0), Some(ADD5), Some(ADD5K), None]);
    assert_eq!(matrices.args[0].column, [value(1), value(INT), value(INT), None]);
    assert_eq!(matrices.args[1].column, [None, value(2), None, None]);
    assert_eq!(matrices.vars[0].column, [Some(ADD5), Some(A), Some(RESULT), None]);
    assert_eq!(matrices.vars[1].column, [None, Some(ADD5K), None, None]);
    assert_eq!(matrices.body.column, [Some(1), Some(2), Some(3), None]);
    // ⟨⟨(λ (a add5k) …)⟩⟩ × Var₂ = ⟨⟨add5k⟩⟩
    assert_eq!(matrices.vars[1].times(&unit(4, 1)), unit(8, ADD5K));
}

/// f_call of 004 §6, with the mask of the arity, repeated until nothing changes, is the solution.
#[test]
fn the_equations_reach_the_solution() {
    let (program, solution) = solved();
    let matrices = Matrices::of(&program);
    let empty = Solution { reached: [0].into_iter().collect(), store: vec![Default::default(); 4] };
    let (mut store, mut reached) = (store_matrix(&program, &empty), unit(4, 0));
    for _ in 0..4 {
        for label in 0..4u32 {
            let count =
                matrices.args.iter().filter(|arg| arg.column[label as usize].is_some()).count();
            if !reached[label as usize] || count == 0 {
                continue;
            }
            let s = unit(4, label);
            let f = matrices.accepting(&times(&matrices.fun.times(&s), &store), count);
            for (arg, var) in matrices.args.iter().zip(&matrices.vars).take(count) {
                let v = times(&arg.times(&s), &store);
                store = plus(&store, &outer(&var.times(&f), &v));
            }
            let bodies = matrices.body.times(&f);
            reached.iter_mut().zip(bodies).for_each(|(r, body)| *r |= body);
        }
    }
    assert_eq!(store, store_matrix(&program, &solution));
    assert_eq!(reached, [true; 4]);
}

/// 004 §1: f, g and h are unreachable, which r shows and EigenCFA cannot.
#[test]
fn what_reachability_gains() {
    let text = "(define (h a b) a) (define (f x) (h x 0)) (define (g) (h 0 0)) (display 1)";
    let mut sources = lw_cfa::Sources::new();
    let file = sources.add("t.scm", text).unwrap();
    let analysis =
        lw_cfa::Analysis::run(&mut sources, &[file], Default::default(), Engine::Delta).unwrap();
    let a = analysis.core.vars.iter().position(|var| &*var.name == "a").unwrap();
    assert!(analysis.solution.store[a].is_empty());
    assert!(!solve(&analysis.lowered.program, Engine::Eigen).store[a].is_empty());
}
