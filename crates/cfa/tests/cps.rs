//! Continuation-passing style: no administrative redexes, continuations are marked, and every expression knows where it comes from.

mod common;
use common::analyze;
use lw_cfa::cps::{Ae, Exp, Var};
use lw_cfa::generate;

const COMPOSE: &str =
    "(define (compose f g) (lambda (x) (f (g x)))) (display ((compose car cdr) '(1 2)))";

/// `((κ (t) …) v)` is written only where the source binds a variable: for `let`. What is in between gets no name if it is atomic.
#[test]
fn no_administrative_redexes() {
    let texts = (0..200).map(generate::scheme).chain([COMPOSE.to_string()]);
    for text in texts {
        let lw_cfa::Analysis { core, cps, .. } = analyze(&text);
        for exp in &cps.exps {
            // A list of arguments is taken apart by a call as well.
            let Exp::Call { f: Ae::Lam(lam), spread: false, .. } = exp else { continue };
            let made_up = |x: &Var| x.0 as usize >= core.vars.len();
            let lambda = cps.lambda(*lam);
            assert!(!lambda.continuation || !lambda.params.iter().any(made_up), "{text}\n{exp:?}");
        }
    }
}

/// A continuation is an argument of calls, and what a procedure is given first; it is no procedure of the source.
#[test]
fn continuations_are_marked() {
    let cps = analyze(COMPOSE).cps;
    let continuations = cps.lambdas.iter().filter(|lambda| lambda.continuation).count();
    assert!(continuations > 0 && continuations < cps.lambdas.len());
    for lambda in &cps.lambdas {
        assert_eq!(lambda.continuation, lambda.source.is_none(), "{lambda:?}");
    }
}

#[test]
fn every_expression_but_the_end_has_a_source() {
    for seed in 0..200 {
        let text = generate::scheme(seed);
        let cps = analyze(&text).cps;
        for (exp, source) in cps.exps.iter().zip(&cps.sources) {
            assert!(source.is_some() || *exp == Exp::Halt, "{text}\n{exp:?}");
        }
    }
}
