//! Code as clang writes it, before LLVM's passes: only variables became values.

use crate::common::{plugin, run};

/// Vectorizes all that is marked in a file that no pass of LLVM but `sroa` and `inline` has seen, and makes an object of it; the remarks.
pub(crate) fn vectorize(compiler: &str, file: &str, object: &str, flags: &[&str]) -> String {
    let load = format!("-load-pass-plugin={}", plugin().display());
    let (plain, ssa, vector) =
        (format!("{object}.plain.ll"), format!("{object}.ssa.ll"), format!("{object}.bc"));
    let front = ["-O1", "-Xclang", "-disable-llvm-passes", "-fopenmp-simd", "-ffp-contract=off"];
    let emit = ["-g1", "-S", "-emit-llvm", "-o", &plain, file];
    run(compiler, &[&front[..], flags, &emit].concat());
    run("opt-22", &[&load, "-passes=laneweaver-start,sroa,inline", "-S", "-o", &ssa, &plain]);
    let passes = [&load, "-laneweaver-force", "-passes=laneweaver,verify", "-o", &vector, &ssa];
    let remarks = ["-pass-remarks=laneweaver", "-pass-remarks-missed=laneweaver"];
    let said = run("opt-22", &[&passes[..], &remarks].concat());
    run("llc-22", &["-O2", "-filetype=obj", "-relocation-model=pic", "-o", object, &vector]);
    assert!(!said.contains("not vectorized"), "{file}:\n{said}");
    said
}
