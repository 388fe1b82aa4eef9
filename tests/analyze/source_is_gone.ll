; RUN: lw analyze %s --analysis ranges | FileCheck-22 %s
; RUN: lw analyze %s --analysis ranges --format html | FileCheck-22 %s --check-prefix=HTML
; If the source cannot be read, line numbers are shown.

; CHECK: /nowhere/gone.c (the file cannot be read)
; CHECK-NEXT: 7 |
; CHECK-NEXT: · 3: y in [0, 15]
; HTML: The file cannot be read
define i32 @f(i32 %x) !dbg !4 {
  %y = and i32 %x, 15, !dbg !8
  #dbg_value(i32 %y, !7, !DIExpression(), !8)
  ret i32 %y, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "gone.c", directory: "/nowhere")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 6, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DILocalVariable(name: "y", scope: !4, file: !1, line: 7, type: !6)
!8 = !DILocation(line: 7, column: 3, scope: !4)
