//! Thread ids, launches, scopes, address spaces.

use super::{module, value};
use lw_divergence::targets::{Gpu, Target, is_kernel, required_block};
use lw_divergence::{Affine, Basic, Divergence, Lattice, Scope, Stride, analyze};
use lw_ir::{Function, Module};

const IDS: &str = "func @f(ptr %p) -> i32 cc 71 {
entry:
  %x = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 () @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 () @llvm.nvvm.read.ptx.sreg.tid.z()
  %lane = call i32 () @llvm.nvvm.read.ptx.sreg.laneid()
  %warp = call i32 () @llvm.nvvm.read.ptx.sreg.warpid()
  %b = call i32 () @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %clock = call i32 () @llvm.nvvm.read.ptx.sreg.clock()
  %w = lshr i32 %x, 5
  %s = and i32 %x, 31
  ret i32 %w
}";

fn found<L: Lattice>(module: &Module, target: &Target) -> Divergence<L> {
    let f = module.function("f").unwrap();
    analyze(f, &target.sources::<L>(f), &target.options(None))
}

fn uniform<L: Lattice>(f: &Function, found: &Divergence<L>) -> Vec<&'static str> {
    let names = ["p", "x", "y", "z", "lane", "warp", "b", "clock", "w", "s"];
    names.into_iter().filter(|name| found.is_uniform(value(f, name))).collect()
}

#[test]
fn without_a_launch_every_thread_number_differs_in_a_warp() {
    let ids = module(IDS);
    let f = ids.function("f").unwrap();
    assert!(is_kernel(f));
    let target = Target::new(Gpu::Nvptx);
    for found in
        [uniform(f, &found::<Basic>(&ids, &target)), uniform(f, &found::<Stride>(&ids, &target))]
    {
        assert_eq!(found, ["p", "warp", "b"]);
    }
    let affine = found::<Affine<1>>(&ids, &target);
    assert_eq!(affine.shape(value(f, "y")), Affine::thread(1));
}

#[test]
fn rows_that_fill_warps_have_one_y_and_z_for_each_warp() {
    let ids = module(IDS);
    let f = ids.function("f").unwrap();
    let target = Target::new(Gpu::Nvptx).with_block([64, 4, 2]);
    let stride = found::<Stride>(&ids, &target);
    assert_eq!(uniform(f, &stride), ["p", "y", "z", "warp", "b", "w"]);
    assert_eq!(stride.shape(value(f, "x")), Stride::exact(32, 1, 32));
    assert_eq!(stride.shape(value(f, "s")).stride(), Some(1));
    assert_eq!(uniform(f, &found::<Basic>(&ids, &target)), ["p", "y", "z", "warp", "b"]);
}

#[test]
fn rows_shorter_than_a_warp_do_not() {
    let ids = module(IDS);
    let f = ids.function("f").unwrap();
    let target = Target::new(Gpu::Nvptx).with_block([16, 16, 1]);
    let stride = found::<Stride>(&ids, &target);
    assert_eq!(uniform(f, &stride), ["p", "z", "warp", "b"]);
    assert_eq!(stride.shape(value(f, "x")).stride(), None);
    let affine = found::<Affine<1>>(&ids, &target);
    assert_eq!(affine.shape(value(f, "x")), Affine::thread(0));
}

#[test]
fn one_row_is_contiguous_whatever_its_length() {
    let ids = module(IDS);
    let f = ids.function("f").unwrap();
    let target = Target::new(Gpu::Nvptx).with_block([100, 1, 1]);
    assert_eq!(found::<Stride>(&ids, &target).shape(value(f, "x")), Stride::exact(32, 1, 32));
}

#[test]
fn a_whole_block_has_many_warps() {
    let ids = module(IDS);
    let f = ids.function("f").unwrap();
    let target = Target::new(Gpu::Nvptx).with_block([64, 4, 2]).with_scope(Scope::Block);
    assert_eq!(uniform(f, &found::<Stride>(&ids, &target)), ["p", "b"]);
    let line = target.with_block([64, 1, 1]);
    let stride = found::<Stride>(&ids, &line);
    assert_eq!(uniform(f, &stride), ["p", "y", "z", "b"]);
    assert_eq!(stride.shape(value(f, "x")), Stride::exact(32, 1, 0));
}

#[test]
fn waves_of_amd_have_sixty_four_threads() {
    let ids = module(
        "func @f() -> i32 {
entry:
  %x = call i32 () @llvm.amdgcn.workitem.id.x()
  %w = lshr i32 %x, 6
  %first = call i32 (i32) @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %odd = call i32 (i32, i32) @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  ret i32 %w
}",
    );
    let f = ids.function("f").unwrap();
    let target = Target::new(Gpu::Amdgpu).with_block([256, 1, 1]);
    let stride = found::<Stride>(&ids, &target);
    let is = |name: &str| stride.is_uniform(value(f, name));
    assert!(is("w") && is("first") && !is("x") && !is("odd"));
}

/// Loads at the same address: from constant memory, from memory that is written, from the thread's own.
#[test]
fn address_spaces() {
    let spaces = module(
        "func @f(ptr addrspace(1) %g, ptr addrspace(4) %c, ptr addrspace(5) %l) -> void cc 71 {
entry:
  %a = load i32, ptr addrspace(1) %g, align 4
  %b = load i32, ptr addrspace(4) %c, align 4
  %d = load i32, ptr addrspace(5) %l, align 4
  store i32 %a, ptr addrspace(1) %g, align 4
  ret void
}",
    );
    let f = spaces.function("f").unwrap();
    let warp = Target::new(Gpu::Nvptx);
    let block = warp.clone().with_scope(Scope::Block);
    let loads = |target: &Target| {
        let found = found::<Basic>(&spaces, target);
        ["a", "b", "d"].map(|name| found.is_uniform(value(f, name)))
    };
    assert_eq!(loads(&warp), [true, true, false]);
    assert_eq!(loads(&block), [false, true, false]);
}

#[test]
fn votes_are_the_same_in_a_warp_if_all_agree_who_votes() {
    let votes = module(
        "func @f(i32 %m) -> i1 cc 71 {
entry:
  %x = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %x, 7
  %any = call i1 (i32, i1) @llvm.nvvm.vote.any.sync(i32 %m, i1 %c)
  %some = call i1 (i32, i1) @llvm.nvvm.vote.any.sync(i32 %x, i1 %c)
  ret i1 %any
}",
    );
    let f = votes.function("f").unwrap();
    let warp = found::<Basic>(&votes, &Target::new(Gpu::Nvptx));
    assert!(warp.is_uniform(value(f, "any")) && !warp.is_uniform(value(f, "some")));
    let block = found::<Basic>(&votes, &Target::new(Gpu::Nvptx).with_scope(Scope::Block));
    assert!(!block.is_uniform(value(f, "any")));
}

#[test]
fn opencl_names_its_dimension() {
    let kernel = module(
        "func @f(i32 %d) -> i64 {
entry:
  %x = call i64 (i32) @_Z13get_global_idj(i32 0)
  %y = call i64 (i32) @_Z12get_local_idj(i32 1)
  %g = call i64 (i32) @_Z12get_group_idj(i32 1)
  %unknown = call i64 (i32) @_Z12get_group_idj(i32 %d)
  ret i64 %x
}",
    );
    let f = kernel.function("f").unwrap();
    let target = Target::new(Gpu::OpenCl).with_block([32, 2, 1]);
    let stride = found::<Stride>(&kernel, &target);
    let is = |name: &str| stride.is_uniform(value(f, name));
    assert!(!is("x") && is("y") && is("g") && !is("unknown"));
    assert_eq!(stride.shape(value(f, "x")).stride(), Some(1));
}

#[test]
fn kernels_may_say_how_they_are_launched() {
    let mut f = module("func @f() -> void {\nentry:\n  ret void\n}").functions.remove(0);
    let mut with = |text: &str| {
        let key = b"nvvm.reqntid".as_slice();
        f.attrs.function = vec![lw_ir::attrs::Attr::Text(key.into(), text.as_bytes().into())];
        required_block(&f)
    };
    assert_eq!(with("16,8"), Some([16, 8, 1]));
    assert_eq!(with("256"), Some([256, 1, 1]));
    assert_eq!(with("0,1,1"), None);
    assert_eq!(with("1,2,3,4"), None);
    assert_eq!(with("x"), None);
}
