//! Families of kernels that grow: ladders of early exits, and loops inside of each other that all diverge.

use std::fmt::Write;

/// A family: its name, and its member of size n as LLVM IR for NVPTX.
pub(crate) type Family = (&'static str, fn(usize) -> String);

pub(crate) const FAMILIES: [Family; 4] =
    [("ladder", ladder), ("nest", nest), ("breaks", breaks), ("ifs", ifs)];

const HEAD: &str = "target triple = \"nvptx64-nvidia-cuda\"\n\
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
    define ptx_kernel void @f(i32 %n, ptr addrspace(1) %p) {\n\
    entry:\n  %v = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";

/// `n` rungs; each leaves to the end with a value of its own.
fn ladder(n: usize) -> String {
    let mut text = format!("{HEAD}  br label %b0\n");
    let mut phi = String::new();
    for i in 0..n {
        let next = if i + 1 < n { format!("b{}", i + 1) } else { "last".into() };
        let _ = writeln!(
            text,
            "b{i}:\n  %x{i} = add i32 %v, {i}\n  %c{i} = icmp slt i32 %x{i}, 7\n  br i1 %c{i}, label %end, label %{next}"
        );
        let _ = write!(phi, "[ {i}, %b{i} ], ");
    }
    text + &format!(
        "last:\n  br label %end\nend:\n  %r = phi i32 {phi}[ 0, %last ]\n  store i32 %r, ptr addrspace(1) %p\n  ret void\n}}\n"
    )
}

/// `n` loops inside each other, each left when the thread number says so.
fn nest(n: usize) -> String {
    let mut text = format!("{HEAD}  br label %h0\n");
    for i in 0..n {
        let from = if i == 0 { "entry".into() } else { format!("h{}", i - 1) };
        let inner = if i + 1 < n { format!("h{}", i + 1) } else { format!("t{i}") };
        let _ = writeln!(
            text,
            "h{i}:\n  %i{i} = phi i32 [ 0, %{from} ], [ %n{i}, %t{i} ]\n  br label %{inner}"
        );
    }
    for i in (0..n).rev() {
        let out = if i == 0 { "end".into() } else { format!("t{}", i - 1) };
        let _ = writeln!(
            text,
            "t{i}:\n  %n{i} = add i32 %i{i}, 1\n  %c{i} = icmp slt i32 %n{i}, %v\n  br i1 %c{i}, label %h{i}, label %{out}"
        );
    }
    text + "end:\n  store i32 %n0, ptr addrspace(1) %p\n  ret void\n}\n"
}

/// A loop with `n` ways out of it, to the same block.
fn breaks(n: usize) -> String {
    let mut text = format!(
        "{HEAD}  br label %head\nhead:\n  %i = phi i32 [ 0, %entry ], [ %next, %latch ]\n  br label %b0\n"
    );
    let mut phi = String::new();
    for i in 0..n {
        let next = if i + 1 < n { format!("b{}", i + 1) } else { "latch".into() };
        let _ = writeln!(
            text,
            "b{i}:\n  %x{i} = add i32 %v, {i}\n  %c{i} = icmp slt i32 %x{i}, %i\n  br i1 %c{i}, label %end, label %{next}"
        );
        let _ = write!(phi, "[ {i}, %b{i} ], ");
    }
    text + &format!(
        "latch:\n  %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %n\n  br i1 %more, label %head, label %end\n\
         end:\n  %r = phi i32 {phi}[ 0, %latch ]\n  store i32 %r, ptr addrspace(1) %p\n  ret void\n}}\n"
    )
}

/// `n` branches inside of each other, each with its own end.
fn ifs(n: usize) -> String {
    let mut text = format!("{HEAD}  br label %b0\n");
    for i in 0..n {
        let _ = writeln!(
            text,
            "b{i}:\n  %x{i} = add i32 %v, {i}\n  %c{i} = icmp slt i32 %x{i}, 7\n  br i1 %c{i}, label %b{}, label %e{i}",
            i + 1
        );
    }
    let _ = writeln!(text, "b{n}:\n  br label %e{}", n - 1);
    for i in (0..n).rev() {
        let from = if i + 1 < n { format!("e{}", i + 1) } else { format!("b{n}") };
        let next = if i > 0 { format!("e{}", i - 1) } else { "end".into() };
        let _ = writeln!(
            text,
            "e{i}:\n  %r{i} = phi i32 [ {i}, %b{i} ], [ %v, %{from} ]\n  br label %{next}"
        );
    }
    text + "end:\n  store i32 %r0, ptr addrspace(1) %p\n  ret void\n}\n"
}
