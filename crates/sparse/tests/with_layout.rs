//! Functions with the layout of their module: what accesses say about the pointers their addresses are computed from.

use lw_ir::DataLayout;
use lw_ir::generate::{Options as Programs, generate};
use lw_ir::interp::{Run, Val};
use lw_sparse::analyses::{NullPointers, Nullness};
use lw_sparse::meaning::Meaning;
use lw_sparse::oracle::executions::replay;
use lw_sparse::oracle::reference::compare;
use lw_sparse::{Options, WithLayout, function, solve};

#[test]
fn what_was_followed_by_its_field_is_not_null_behind_that() {
    let f = lw_ir::parse_function(
        "func @f(ptr %p) -> i32 {
         b:
           %q = getelementptr inbounds { i32, ptr }, ptr %p, i64 0, i32 1
           %x = load ptr, ptr %q, align 8
           %y = load i32, ptr %p, align 4
           ret i32 %y
         }",
    )
    .unwrap();
    let program = WithLayout { function: &f, layout: &DataLayout::default() };
    let loads: Vec<_> = f.all_insts().map(|(_, inst)| function::instr(inst)).collect();
    let p = function::var(f.params()[0]);
    assert_eq!(program.root(loads[1]), Some(p));
    assert_eq!(program.root(loads[2]), None); // It is dereferenced itself.
    let (view, nullness) = solve(&program, &mut NullPointers, Options::default());
    let second = view.code().body(view.code().graph().entry()).nth(2).unwrap();
    let (_, used) = view.uses(second).find(|&(var, _)| var == p).unwrap();
    assert_eq!(*nullness.of(used.unwrap()), Nullness::NonNull);
    assert_eq!(*nullness.of(view.param(0).unwrap()), Nullness::Maybe);
}

#[test]
fn on_random_programs_claims_hold_and_sparse_is_dense() {
    let layout = DataLayout::default();
    let (mut checked, mut roots) = (0, 0);
    for seed in 0..200u64 {
        let random = generate(seed, &Programs::default());
        let f = random.module.function(&random.entry).unwrap();
        let program = WithLayout { function: f, layout: &layout };
        roots += f.all_insts().filter_map(|(_, i)| program.root(function::instr(i))).count();
        compare(&program, &NullPointers).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{f}"));
        let Ok(observed) = random.run(1, &Run { trace: true, ..Run::default() }) else { continue };
        let (view, nullness) = solve(&program, &mut NullPointers, Options::default());
        let trace = observed.outcome.trace.unwrap();
        replay(f, &view, &trace, &mut |_| {}, &mut |version, seen| {
            if let (Nullness::NonNull, Val::Ptr(pointer)) = (nullness.of(version), seen) {
                checked += 1;
                assert_ne!(pointer.addr, 0, "seed {seed}: {version:?}\n{f}\n{view}");
            }
        });
    }
    assert!(checked > 100 && roots > 100, "{checked} pointers, {roots} roots");
}
