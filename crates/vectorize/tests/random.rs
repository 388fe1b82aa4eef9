//! Random programs after every stage, against W runs of one thread.

use lw_vectorize::oracle::loops::{LoopVerdict, loop_program};
use lw_vectorize::oracle::{Verdict, check, program, region_of};
use std::collections::BTreeMap;

/// How many programs in all.
const PROGRAMS: u64 = 3000;

fn run(seeds: impl Iterator<Item = u64>) -> BTreeMap<String, u64> {
    let mut tally = BTreeMap::new();
    for seed in seeds {
        let program = program(seed);
        let what = match check(&program, &region_of(&program)) {
            Verdict::Same(pipeline) => {
                let together = pipeline.statistics.widened.together > 0;
                *tally.entry("with vector callees".into()).or_insert(0) += u64::from(together);
                "same".to_string()
            }
            Verdict::Declined(why) => format!("declined: {}", why.reason),
            Verdict::Nothing(_) => "nothing to compare".into(),
            Verdict::Wrong(why) => panic!("seed {seed}: {why}\n{}", program.module),
        };
        *tally.entry(what).or_insert(0) += 1;
    }
    tally
}

#[test]
fn every_stage_computes_the_same() {
    let halves = std::thread::scope(|scope| {
        let half = |odd: u64| scope.spawn(move || run((0..PROGRAMS / 2).map(|i| 2 * i + odd)));
        [half(0), half(1)].map(|half| half.join().expect("a stage is wrong"))
    });
    let sum = |what: &str| -> u64 {
        halves.iter().map(|half| half.get(what).copied().unwrap_or(0)).sum()
    };
    let same = sum("same");
    assert!(sum("with vector callees") * 20 > PROGRAMS, "few calls in vectors: {halves:#?}");
    assert!(same * 10 > PROGRAMS * 9, "few programs are vectorized: {halves:#?}");
}

/// Among random programs few are about fields of records; here all are.
#[test]
fn fields_of_records_are_the_same() {
    let tally = run((0..RECORDS).map(|i| 64 * (i / 2) + 52 + i % 2));
    assert_eq!(tally["same"], RECORDS, "{tally:?}");
}

/// How many programs with records.
const RECORDS: u64 = 4000;

/// How many loops.
const LOOPS: u64 = 1000;

#[test]
fn loops_compute_the_same() {
    let mut tally = BTreeMap::new();
    for seed in 0..LOOPS {
        let program = loop_program(seed);
        let what = match program.check() {
            LoopVerdict::Same(_) => "same".to_string(),
            LoopVerdict::Other(Verdict::Wrong(why)) => {
                panic!("seed {seed}: {why}\n{}", program.program.module)
            }
            LoopVerdict::Other(Verdict::Declined(why)) => format!("declined: {}", why.reason),
            LoopVerdict::Other(_) => "nothing to compare".into(),
        };
        *tally.entry(what).or_insert(0) += 1;
    }
    let same: u64 = tally.get("same").copied().unwrap_or(0);
    assert!(same * 10 > LOOPS * 8, "few loops are vectorized: {tally:#?}");
}
