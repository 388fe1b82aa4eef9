//! Code outside of the program: what it gets it may keep, change, call and give back.
//!
//! It runs, but the analysis sees its declarations only.

/// What the program knows of it.
pub(super) const DECLARATIONS: &str = "\
declare @out_apply : i64 (ptr, i64)
declare @out_keep : void (ptr)
declare @out_recall : ptr ()
declare @out_poke : void (ptr)
declare @out_peek : i64 (ptr, i64)
declare @out_lend : void (ptr)
declare @out_touch : i64 (i64)
declare @out_each : i64 (ptr, ptr, i64)
@out_slot = external global ptr
";

/// Whether a line is one of these.
pub(super) fn declares(line: &str) -> bool {
    line.starts_with("declare @out_") || line.starts_with("@out_slot = external")
}

/// What it does: calls what it is given; keeps a function, and gives it back; puts one into memory; calls what is in memory; keeps
/// memory, and changes it later; calls back for each part of memory.
pub(super) const CODE: &str = "
@out_slot = global ptr @out_leaf
@out_kept = global ptr @out_leaf
@out_spare = global [4 x ptr] [ptr @out_leaf, ptr @out_leaf, ptr @out_leaf, ptr @out_leaf]
@out_lent = global ptr @out_spare

func @out_leaf(i64 %x) -> i64 {
entry:
  ret i64 99
}

func @out_apply(ptr %f, i64 %n) -> i64 {
entry:
  %r = call i64 (i64) %f(i64 %n)
  ret i64 %r
}

func @out_keep(ptr %f) -> void {
entry:
  store ptr %f, ptr @out_kept, align 8
  ret void
}

func @out_recall() -> ptr {
entry:
  %f = load ptr, ptr @out_kept, align 8
  ret ptr %f
}

func @out_poke(ptr %cell) -> void {
entry:
  %f = load ptr, ptr @out_kept, align 8
  store ptr %f, ptr %cell, align 8
  ret void
}

func @out_peek(ptr %cell, i64 %n) -> i64 {
entry:
  %f = load ptr, ptr %cell, align 8
  store ptr %f, ptr @out_slot, align 8
  %r = call i64 (i64) %f(i64 %n)
  ret i64 %r
}

func @out_lend(ptr %row) -> void {
entry:
  store ptr %row, ptr @out_lent, align 8
  ret void
}

func @out_touch(i64 %n) -> i64 {
entry:
  %row = load ptr, ptr @out_lent, align 8
  %third = getelementptr ptr, ptr %row, i64 3
  %f = load ptr, ptr @out_kept, align 8
  store ptr %f, ptr %third, align 8
  %second = getelementptr ptr, ptr %row, i64 1
  %g = load ptr, ptr %second, align 8
  %r = call i64 (i64) %g(i64 %n)
  ret i64 %r
}

func @out_each(ptr %row, ptr %visit, i64 %n) -> i64 {
entry:
  %a = call i64 (ptr, i64) %visit(ptr %row, i64 %n)
  %next = getelementptr ptr, ptr %row, i64 1
  %b = call i64 (ptr, i64) %visit(ptr %next, i64 %n)
  %sum = add i64 %a, %b
  ret i64 %sum
}
";
