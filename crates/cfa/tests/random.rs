//! Random programs: engines agree, and runs stay within the solution.

use lw_cfa::generate;
use lw_cfa::interp::End;
use lw_cfa::oracle::{engines_agree, sound_by_type_and_sign};

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

#[test]
fn the_family() {
    sound_by_type_and_sign(&generate::family(20), 10_000).unwrap();
}
