//! The sparse solver against the dense one, wherever a variable is live, on a view that has the SSI property.

use crate::analyses::{
    Anticipability, Availability, Classes, Constants, DemandedBits, Expressions, KnownBits,
    NullPointers, Ranges, ReachingDefinitions, Taint,
};
use crate::analysis::{Analysis, Direction};
use crate::check::{LivePoints, check};
use crate::code::Code;
use crate::dense::solve_dense;
use crate::engine::{Options, solve_on};
use crate::meaning::Meaning;
use crate::program::{Program, Var};
use crate::ssify::Ssify;
use std::sync::Arc;

/// Solves an analysis both ways and compares.
///
/// # Errors
/// Where they differ, or where the view lacks the SSI property.
pub fn compare<P: Program, A: Analysis<P> + Clone>(
    program: &P,
    analysis: &A,
) -> Result<(), String> {
    let code = if A::TESTS { Code::new(program) } else { Code::of(program, analysis) };
    let code = Arc::new(code);
    let strategy = |var| analysis.strategy(program, var);
    let mut ssify = Ssify::new(code.clone());
    let view = ssify.view_each(strategy);
    check(&view, strategy).map_err(|violation| format!("{}: {violation}\n{view}", A::NAME))?;
    let view = ssify.view_for(program, analysis);
    let sparse = solve_on(program, &view, &mut analysis.clone(), Options::default());
    let dense = solve_dense(program, &code, analysis);
    let live = LivePoints::compute(&code);
    let top = analysis.top();
    for point in code.points() {
        let reached = (sparse.reached(&code, point), dense.reached(&code, point));
        if reached.0 != reached.1 {
            return Err(format!("{}: is {point:?} reached? {reached:?}\n{view}", A::NAME));
        }
        if !reached.0 {
            continue;
        }
        for var in (0..code.variable_count()).map(Var::new) {
            if !live.at(&code, var, point) {
                continue;
            }
            let found = match sparse.at(&view, var, point) {
                Some(found) => found,
                // Where no definition reaches there is no version that could be asked for something.
                None if A::DIRECTION == Direction::Backward => continue,
                None => &top,
            };
            let expected = dense.at(var, point);
            if found != expected {
                let what = format!("sparse {found:?}, dense {expected:?}");
                return Err(format!("{}: {var:?} at {point:?}: {what}\n{view}", A::NAME));
            }
        }
    }
    Ok(())
}

/// Compares the analyses that are about memory, or are of finite height however wide integers are.
///
/// # Errors
/// As [`compare`].
pub fn compare_on_memory<P: Meaning>(program: &P) -> Result<(), String> {
    compare(program, &NullPointers)?;
    compare(program, &DemandedBits)?;
    compare(program, &Classes { occurrences: false })?;
    compare(program, &Classes { occurrences: true })
}

/// Compares all analyses of this crate whose lattices are of finite height. Integers should have few bits, since ranges
/// are not widened.
///
/// # Errors
/// As [`compare`].
pub fn compare_all<P: Meaning>(program: &P) -> Result<(), String> {
    let names = |list: &[&str]| list.iter().map(|name| name.to_string()).collect();
    let taint = Taint {
        sources: names(&["source"]),
        sinks: names(&["sink"]),
        sanitizers: names(&["clean"]),
        validators: names(&["is_clean"]),
    };
    compare(program, &Constants)?;
    compare(program, &Ranges)?;
    compare(program, &KnownBits)?;
    compare(program, &DemandedBits)?;
    compare(program, &NullPointers)?;
    compare(program, &ReachingDefinitions)?;
    compare(program, &taint)?;
    compare(program, &Classes { occurrences: false })?;
    compare(program, &Classes { occurrences: true })?;
    compare(&Expressions::new(program), &Availability)?;
    compare(&Expressions::new(program).with_ends(), &Anticipability)
}
