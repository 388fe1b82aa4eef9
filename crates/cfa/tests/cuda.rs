//! The kernels of the engine `cuda`: on the CPU always, on a GPU where there is one.
#![cfg(emulator)]

mod common;

use lw_cfa::flow::cuda::{self, Error, Gpu, Options, emulate};
use lw_cfa::flow::{Program, Solution, solve};
use lw_cfa::{Engine, generate};

/// Small lists, so that they overflow; few threads.
fn small() -> Options {
    Options { blocks: 1, batch: 3, items: 4, ..Options::default() }
}

fn lowered(text: &str) -> Program {
    common::analyze(text).lowered.program
}

#[track_caller]
fn same(found: &Solution, expected: &Solution, what: &str) {
    assert_eq!(found.reached, expected.reached, "{what}: reached");
    for (var, (mine, theirs)) in found.store.iter().zip(&expected.store).enumerate() {
        let show = |set: &lw_cfa::flow::Set| set.iter().collect::<Vec<_>>();
        assert_eq!(show(mine), show(theirs), "{what}: variable {var}");
    }
    assert_eq!(found, expected, "{what}");
}

#[test]
fn kernels_agree_with_the_reference_on_random_programs() {
    for seed in 0..1_500 {
        let program = generate::spaced(generate::flow(seed), [0, 12, 40][seed as usize % 3]);
        let expected = solve(&program, Engine::Reference);
        let variants = [
            small(),
            Options { unpartitioned: true, lanes: [1, 32][seed as usize / 2 % 2], ..small() },
            Options { lanes: [1, 4, 16][seed as usize / 3 % 3], items: 1 << 10, ..small() },
        ];
        for options in variants {
            let (found, stats) = emulate(&program, &options, 2 * seed as u32 + 1).unwrap();
            assert_eq!(stats.tiles, 1);
            same(&found, &expected, &format!("seed {seed}, {options:?}"));
        }
    }
}

#[test]
fn kernels_agree_with_the_reference_on_tiles() {
    let mut tiled = 0;
    for seed in 0..150 {
        let program = generate::spaced(generate::flow(seed), 9);
        let expected = solve(&program, Engine::Reference);
        // What one tile takes, less than that, and so on until nothing fits.
        let (_, stats) = emulate(&program, &small(), 1).unwrap();
        let mut memory = stats.bytes;
        while let Ok((found, stats)) =
            emulate(&program, &Options { memory: Some(memory), ..small() }, seed as u32)
        {
            assert!(stats.bytes <= memory, "seed {seed}: {} of {memory} bytes", stats.bytes);
            tiled += (stats.tiles > 1) as u32;
            same(&found, &expected, &format!("seed {seed}, {} tiles", stats.tiles));
            memory = memory.min(stats.bytes) - 256;
        }
    }
    assert!(tiled > 300, "only {tiled} programs were tiled");
}

#[test]
fn too_little_memory_is_an_error_with_numbers() {
    let options = Options { memory: Some(1000), ..small() };
    let error = emulate(&generate::flow(1), &options, 1).unwrap_err();
    assert!(matches!(error, Error::Memory { free: 1000, .. }), "{error:?}");
    assert!(error.to_string().contains("use another engine"), "{error}");
}

#[test]
fn the_family_and_many_tiles() {
    let program = lowered(&generate::family(80));
    let expected = solve(&program, Engine::Delta);
    let (found, whole) =
        emulate(&program, &Options { blocks: 2, measure: true, ..small() }, 7).unwrap();
    same(&found, &expected, "F(80)");
    // Two rounds for each of the 80 definitions and 80 calls, and a few more.
    assert!((320..380).contains(&whole.rounds), "{} rounds", whole.rounds);
    assert!(whole.traffic > 0);
    let memory = Some(whole.bytes * 9 / 10);
    let (found, stats) = emulate(&program, &Options { memory, ..small() }, 5).unwrap();
    assert!(stats.tiles > 1);
    same(&found, &expected, "F(80), tiled");
}

#[test]
fn a_large_program_with_all_forms() {
    let program = generate::large_flow(1, 300);
    let expected = solve(&program, Engine::Reference);
    assert!(expected.facts() > 10_000, "{} facts", expected.facts());
    for options in [small(), Options { unpartitioned: true, items: 1000, ..small() }] {
        same(&emulate(&program, &options, 3).unwrap().0, &expected, &format!("{options:?}"));
    }
}

#[test]
fn scheme_programs() {
    for seed in 0..60 {
        let text = generate::scheme(seed);
        let program = lowered(&text);
        let expected = solve(&program, Engine::Delta);
        let (found, _) = emulate(&program, &small(), seed as u32).unwrap();
        same(&found, &expected, &format!("seed {seed}\n{text}"));
    }
}

#[test]
fn the_gpu_agrees_or_says_why_not() {
    let options = Options::default();
    let mut gpu = match Gpu::open(&options) {
        Ok(gpu) => gpu,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains("use another engine"), "{text}");
            assert_eq!(cuda::solve(&Program::default(), &options), Err(error));
            eprintln!("no test on a GPU: {text}");
            return;
        }
    };
    for seed in 0..300 {
        let program = generate::flow(seed);
        let expected = solve(&program, Engine::Reference);
        for options in [
            Options { streams: 1, ..small() },
            Options { streams: 4, ..small() },
            Options { unpartitioned: true, graph: false, ..small() },
        ] {
            let (found, _) = gpu.solve(&program, &options, &mut |_| {}).unwrap();
            same(&found, &expected, &format!("seed {seed}, {options:?}"));
        }
    }
}
