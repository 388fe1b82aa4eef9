//! Random programs: they are well formed, mostly defined, varied; failures shrink; damaged text is survived.

use lw_ir::generate::{
    Coverage, Options, Rng, ShrinkOptions, comparable, damage::damage, generate, lockstep, shrink,
};
use lw_ir::interp::{Machine, Run};
use lw_ir::{Module, Op, ops::BinOp, parse_module, verify};

fn all_options() -> [Options; 4] {
    [Options::default(), Options::single_thread(), Options::lockstep(), Options::everything()]
}

#[test]
fn programs_are_well_formed_and_read_back() {
    for options in all_options() {
        for seed in 0..150 {
            let program = generate(seed, &options);
            for function in &program.module.functions {
                if let Err(errors) = verify(function) {
                    panic!("seed {seed}: {}\n{}", errors[0], program.module);
                }
            }
            let text = program.module.to_string();
            let again = parse_module(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            assert_eq!(comparable(&program.module), comparable(&again), "seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_program() {
    let options = Options::everything();
    let (a, b) = (generate(3, &options), generate(3, &options));
    assert_eq!(a.module.to_string(), b.module.to_string());
    assert_eq!(a.inputs, b.inputs);
    assert_ne!(a.module.to_string(), generate(4, &options).module.to_string());
}

#[test]
fn threads_in_lock_step_do_what_they_do_alone() {
    let mut coverage = Coverage::default();
    for seed in 0..300 {
        let program = generate(seed, &Options::lockstep());
        coverage.add_module(&program.module);
        let run = Run { trace: true, step_limit: lockstep::STEPS, ..Run::default() };
        coverage.add_run(&program.module, &program.run(4, &run));
        if let lockstep::Verdict::Different(why) = lockstep::compare(&program, 4) {
            panic!("seed {seed}: {why}\n{}", program.module);
        }
    }
    println!("{coverage}");
    assert!(coverage.undefined_share() < 0.15, "{coverage}");
    let (divergent, all) = coverage.divergent_branches();
    assert!(divergent * 10 > all, "{divergent} of {all} branches diverge");
    assert!(coverage.loops_by_exits().len() > 4, "{coverage}");
}

/// Addresses that are kept in memory or may be one or another stay in bounds.
#[test]
fn addresses_that_come_from_elsewhere_are_defined() {
    let options = Options { records: true, undefined: 0, ..Options::lockstep() };
    let (mut kept, mut phis) = (0, 0);
    for seed in 0..300 {
        let program = generate(seed, &options);
        for f in &program.module.functions {
            for (_, inst) in f.all_insts() {
                let data = &f[inst];
                kept += usize::from(matches!(data.op, Op::Store(_)) && f.ty(data.args[0]).is_ptr());
                phis += usize::from(data.op == Op::Phi && data.ty.is_ptr());
            }
        }
        let run = Run { step_limit: lockstep::STEPS, ..Run::default() };
        if let Err(error) = program.run(4, &run)
            && !error.kind.is_limit()
        {
            panic!("seed {seed}: {error}\n{}", program.module);
        }
        if let lockstep::Verdict::Different(why) = lockstep::compare(&program, 4) {
            panic!("seed {seed}: {why}\n{}", program.module);
        }
    }
    assert!(kept > 30 && phis > 30, "{kept} addresses are stored, {phis} are φs");
}

#[test]
fn operations_across_threads_do_what_they_say() {
    for seed in 0..300 {
        let program = generate(seed, &Options::everything());
        if let Ok(Some(wrong)) = lockstep::check_horizontal(&program, 4, seed) {
            panic!("seed {seed}: {wrong}\n{}", program.module);
        }
    }
}

#[test]
fn every_kind_of_instruction_occurs() {
    let mut coverage = Coverage::default();
    for seed in 0..1500 {
        coverage.add_module(&generate(seed, &Options::everything()).module);
    }
    let known = coverage.operations();
    let binary = BinOp::ALL.iter().map(|op| op.name());
    let casts = lw_ir::ops::CastOp::ALL.iter().map(|op| op.name());
    let others = "fneg icmp fcmp select freeze phi extractelement insertelement shufflevector \
                  extractvalue insertvalue alloca load store getelementptr cmpxchg fence call br \
                  switch indirectbr ret unreachable mask any all ballot popcount lane lanes \
                  broadcast extract insert shuffle compact reduce_add reduce_fmax";
    for name in binary.chain(casts).chain(others.split_whitespace()) {
        assert!(name == "addrspacecast" || known.contains_key(name), "no {name}: {coverage}");
    }
}

/// Whether a signed division stands in a loop.
fn divides_in_a_loop(module: &Module) -> bool {
    module.functions.iter().any(|f| {
        let Some(cfg) = lw_ir::Cfg::compute(f) else { return false };
        let loops = lw_graph::LoopForest::compute(cfg.graph());
        f.all_insts().any(|(block, inst)| {
            f[inst].op == Op::Binary(BinOp::SDiv) && loops.depth(cfg.node(block)) > 0
        })
    })
}

#[test]
fn failures_shrink_to_what_matters() {
    let mut found = 0;
    for seed in 0..2000 {
        let program = generate(seed, &Options::single_thread());
        if !divides_in_a_loop(&program.module) {
            continue;
        }
        let small = shrink(&program.module, ShrinkOptions::default(), divides_in_a_loop);
        let count: usize = small.functions.iter().map(|f| f.inst_count()).sum();
        assert!(divides_in_a_loop(&small) && count <= 6, "seed {seed}: {small}");
        found += 1;
        if found == 5 {
            return;
        }
    }
    panic!("only {found} programs divide in a loop");
}

#[test]
fn damaged_text_is_survived() {
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for seed in 0..2000 {
        let program = generate(seed % 100, &Options::everything());
        let text = damage(&mut rng, &program.module.to_string());
        let Ok(module) = parse_module(&text) else { continue };
        accepted += 1;
        let once = module.to_string();
        let again = parse_module(&once).unwrap_or_else(|e| panic!("{e}\n{once}\nfrom\n{text}"));
        assert_eq!(once, again.to_string(), "from\n{text}");
        if module.functions.iter().all(|f| verify(f).is_ok()) {
            let run = Run { step_limit: 20_000, threads: 2, ..Run::default() };
            let (_, memory, table) = program.inputs.machine(&module).unwrap();
            let args: Vec<_> = (0..2).map(|t| program.inputs.arguments(t, memory, table)).collect();
            let _ = Machine::new(&module).run(&program.entry, &args, &run);
        }
    }
    assert!(accepted > 100, "only {accepted} of the damaged texts are accepted");
}
