//! On random programs, SSA and not, the sparse solver yields what the dense one does, wherever a variable is live.

mod common;

use common::{random_registers, to_function};
use lw_sparse::analyses::*;
use lw_sparse::check::{LivePoints, check};
use lw_sparse::dense::solve_dense;
use lw_sparse::generate::Options;
use lw_sparse::meaning::Meaning;
use lw_sparse::{Analysis, Code, Direction, Program, Ssify, Var, solve_on};
use std::fmt::Display;
use std::sync::Arc;

fn agree<P: Program, A: Analysis<P> + Clone>(program: &P, text: &dyn Display, analysis: &A) {
    let code = Arc::new(Code::new(program));
    let strategy = |var| analysis.strategy(program, var);
    let view = Ssify::new(code.clone()).view_each(strategy);
    if let Err(violation) = check(&view, strategy) {
        panic!("{}: {violation}\n{text}\n{view}", A::NAME);
    }
    let sparse = solve_on(program, &view, &mut analysis.clone(), Default::default());
    let dense = solve_dense(program, &code, analysis);
    let live = LivePoints::compute(&code);
    for point in code.points() {
        assert_eq!(
            sparse.reached(&code, point),
            dense.reached(&code, point),
            "{}: is {point:?} reached?\n{text}\n{view}",
            A::NAME
        );
        if !sparse.reached(&code, point) {
            continue;
        }
        for var in (0..code.variable_count()).map(Var::new) {
            if !live.at(&code, var, point) {
                continue;
            }
            let top = analysis.top();
            let found = match sparse.at(&view, var, point) {
                Some(found) => found,
                // Where no definition reaches there is no version that could be asked for something.
                None if A::DIRECTION == Direction::Backward => continue,
                None => &top,
            };
            let expected = dense.at(var, point);
            assert_eq!(found, expected, "{}: {var:?} at {point:?}\n{text}\n{view}", A::NAME);
        }
    }
}

fn taint() -> Taint {
    let names = |list: &[&str]| list.iter().map(|n| n.to_string()).collect();
    Taint {
        sources: names(&["source"]),
        sinks: names(&["sink"]),
        sanitizers: names(&["clean"]),
        validators: names(&["is_clean"]),
    }
}

fn all<P: Meaning>(program: &P, text: &dyn Display) {
    agree(program, text, &Constants);
    agree(program, text, &Ranges);
    agree(program, text, &KnownBits);
    agree(program, text, &DemandedBits);
    agree(program, text, &NullPointers);
    agree(program, text, &ReachingDefinitions);
    agree(program, text, &taint());
    agree(program, text, &Classes { occurrences: false });
    agree(program, text, &Classes { occurrences: true });
    agree(&Expressions::new(program), text, &Availability);
    agree(&Expressions::new(program).with_ends(), text, &Anticipability);
}

#[test]
fn on_random_register_programs() {
    for seed in 0..300 {
        let program = random_registers(seed, &Options::default());
        all(&program, &format!("seed {seed}\n{program}"));
    }
}

#[test]
fn on_random_ssa_functions_of_few_bits() {
    for seed in 0..300 {
        let options = Options { bits: 4, objects: false, ..Options::default() };
        let function = to_function(&random_registers(seed, &options), 4);
        all(&function, &format!("seed {seed}\n{function}"));
    }
}
