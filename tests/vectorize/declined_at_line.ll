; A region that is declined: the line of the source, the reason, and what would help.
; RUN: not --exit 1 lw vectorize %s -f f 2>&1 | FileCheck-22 %s
; CHECK: lw: {{.*}}f.c:7:3: not vectorized: `%p = alloca i32, i32 %n, align 4`: stack memory of unknown size; use an array of fixed size

define i32 @f(i32 %n) !dbg !4 {
  %p = alloca i32, i32 %n, align 4, !dbg !7
  ret i32 %n, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 7, column: 3, scope: !4)
