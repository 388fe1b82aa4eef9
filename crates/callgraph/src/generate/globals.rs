//! What is there from the start: tables, structs, aliases, and functions with bodies of their own.

use super::{Gen, ROW, outside, tables};
use std::fmt::Write;

const HEAD: &str = "\
layout \"e-i64:64-f80:128-n8:16:32:64-S128\"
%box = type { ptr, ptr }
%pack = type { i64, %box, [2 x ptr], ptr }
%entry = type { i64, ptr, ptr }
%tagged = type { i64, ptr }
%device = type { i64, ptr, ptr }
declare @malloc : ptr (i64)
declare @calloc : ptr (i64, i64)
declare @realloc : ptr (ptr, i64)
declare @llvm.memcpy.p0.p0.i64 : void (ptr, ptr, i64, i1)
declare @llvm.memmove.p0.p0.i64 : void (ptr, ptr, i64, i1)
declare @llvm.va_start.p0 : void (ptr)
declare @llvm.va_copy.p0 : void (ptr, ptr)
declare @llvm.load.relative.i64 : ptr (ptr, i64)
";

/// Functions that are always the same: what they call depends on what they are given.
const FIXED: &str = "\
func @act0(i64 %x) -> void {
entry:
  ret void
}

func @act1(i64 %x) -> void {
entry:
  %f = load ptr, ptr @lone, align 8
  %r = call i64 (i64) %f(i64 %x)
  ret void
}

func @visit0(ptr %cell, i64 %n) -> i64 {
entry:
  %f = load ptr, ptr %cell, align 8
  %r = call i64 (i64) %f(i64 %n)
  ret i64 %r
}

func @visit1(ptr %cell, i64 %n) -> i64 {
entry:
  %old = load ptr, ptr @lone, align 8
  %new = load ptr, ptr %cell, align 8
  store ptr %new, ptr @lone, align 8
  store ptr %old, ptr %cell, align 8
  %r = call i64 (i64) %old(i64 %n)
  ret i64 %r
}

func @put(ptr %cell, ptr %f, i64 %n) -> i64 {
entry:
  %old = load ptr, ptr %cell, align 8
  store ptr %f, ptr %cell, align 8
  %r = call i64 (i64) %old(i64 %n)
  ret i64 %r
}

func @choose(ptr %a, ptr %b, i64 %n) -> ptr {
entry:
  %odd = and i64 %n, 1
  %test = icmp eq i64 %odd, 0
  %chosen = select i1 %test, ptr %a, ptr %b
  ret ptr %chosen
}

func @vary(i64 %n, ...) -> ptr {
entry:
  %list = alloca [24 x i8], i32 1, align 16
  %copy = alloca [24 x i8], i32 1, align 16
  call void (ptr) @llvm.va_start.p0(ptr %list)
  call void (ptr, ptr) @llvm.va_copy.p0(ptr %copy, ptr %list)
  %at = getelementptr i8, ptr %copy, i64 8
  %area = load ptr, ptr %at, align 8
  %which = urem i64 %n, 3
  %place = getelementptr ptr, ptr %area, i64 %which
  %f = load ptr, ptr %place, align 8
  ret ptr %f
}

func @trade(%box %b, ptr %f, i64 %n) -> %box {
entry:
  %old = extractvalue %box %b, 1
  %r = call i64 (i64) %old(i64 %n)
  %new = insertvalue %box %b, ptr %f, 1
  ret %box %new
}

";

impl Gen {
    fn device(&mut self) -> String {
        let [f, g] = [(); 2].map(|()| self.leaf());
        format!("%device {{i64 1, ptr {f}, ptr {g}}}")
    }

    fn devices(&mut self, length: usize) -> String {
        let all: Vec<String> = (0..length).map(|_| self.device()).collect();
        format!("[{length} x %device] [{}]", all.join(", "))
    }

    pub(super) fn globals(&mut self) {
        self.out.push_str(HEAD);
        self.out.push_str(outside::DECLARATIONS);
        for row in 0..3 {
            let all: Vec<String> = (0..ROW).map(|_| format!("ptr {}", self.leaf())).collect();
            let kind = ["constant", "global", "global"][row];
            let _ = writeln!(self.out, "@row{row} = {kind} [4 x ptr] [{}]", all.join(", "));
        }
        let entries: Vec<String> = (0..3)
            .map(|number| {
                let worker = self.rng.below(self.hands);
                let leaf = self.leaf();
                format!("%entry {{i64 {number}, ptr {leaf}, ptr @work{worker}}}")
            })
            .collect();
        let _ = writeln!(self.out, "@table = constant [3 x %entry] [{}]", entries.join(", "));
        let rows = "@rows = constant [2 x ptr] [ptr @row1, ptr @row2]";
        let middle = "@middle = global ptr getelementptr (ptr, ptr @row2, i64 1)";
        let _ = writeln!(self.out, "{rows}\n{middle}");
        let relative: Vec<String> = (0..3)
            .map(|_| {
                let leaf = format!("i64 ptrtoint (ptr {} to i64)", self.leaf());
                let here = "i64 ptrtoint (ptr @relative to i64)";
                format!("i32 trunc (i64 sub ({leaf}, {here}) to i32)")
            })
            .collect();
        let _ = writeln!(self.out, "@relative = constant [3 x i32] [{}]", relative.join(", "));
        let [a, b, c, d, e] = [(); 5].map(|()| self.leaf());
        let worker = self.rng.below(self.hands);
        let _ = writeln!(self.out, "@box = global %box {{ptr @row1, ptr {a}}}");
        let _ = writeln!(
            self.out,
            "@pack = global %pack {{i64 7, %box {{ptr @row2, ptr {b}}}, [2 x ptr] [ptr {c}, ptr {d}], ptr @work{worker}}}"
        );
        let act = self.rng.below(2);
        let _ = writeln!(self.out, "@tagged0 = global %tagged {{i64 0, ptr {e}}}");
        let _ = writeln!(self.out, "@tagged1 = global %tagged {{i64 1, ptr @act{act}}}");
        let device = self.device();
        let [few, more] = [tables::LENGTH, 4].map(|length| self.devices(length));
        let _ = writeln!(self.out, "@device = global {device}\n@devices = global {few}");
        let _ = writeln!(self.out, "@registry = global {{ i64, [4 x %device] }} {{i64 4, {more}}}");
        // Too large for each slot to be told apart.
        let many = self.devices(60);
        let _ = writeln!(self.out, "@many = global {many}");
        let lone = self.leaf();
        let _ = writeln!(self.out, "@lone = global ptr {lone}");
        let _ = writeln!(self.out, "@hand = global ptr @work{}", self.rng.below(self.hands));
        self.out.push_str(
            "@chooser = global ptr @choose\n@varies = global ptr @vary\n\
             @leaf_a = alias fn i64 (i64), ptr @leaf2\n@leaf_b = alias fn i64 (i64), ptr @leaf_a\n\
             @row_a = alias [4 x ptr], ptr @row2\n\
             @cell_a = alias ptr, ptr getelementptr (ptr, ptr @row1, i64 2)\n\n",
        );
        for leaf in 0..self.leaves {
            let head = format!("func @leaf{leaf}(i64 %x) -> i64");
            let _ = writeln!(self.out, "{head} {{\nentry:\n  ret i64 {leaf}\n}}\n");
        }
        self.out.push_str(FIXED);
        self.out.push_str(tables::FIXED);
    }
}
