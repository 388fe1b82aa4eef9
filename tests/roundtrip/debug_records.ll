; RUN: lw roundtrip %s -o %t.ll --stats | FileCheck-22 %s --check-prefix=STATS
; RUN: FileCheck-22 %s < %t.ll
; Debug records follow the values they mention into the new body: declares, values, argument lists, assignments, labels.

; STATS: the same text
; STATS: debug records 5 5
; CHECK: #dbg_declare(ptr %x.addr, ![[X:[0-9]+]], !DIExpression()
; CHECK: #dbg_assign(i32 %x, ![[X]], !DIExpression(), ![[ID:[0-9]+]], ptr %x.addr, !DIExpression()
; CHECK: #dbg_value(!DIArgList(i32 %y, i32 %x), ![[X]], !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value)
; CHECK: #dbg_value(i32 %y
; CHECK: #dbg_label(
define i32 @f(i32 %x) !dbg !5 {
entry:
  %x.addr = alloca i32, align 4, !DIAssignID !20
    #dbg_declare(ptr %x.addr, !9, !DIExpression(), !11)
  store i32 %x, ptr %x.addr, align 4, !dbg !11, !DIAssignID !21
    #dbg_assign(i32 %x, !9, !DIExpression(), !21, ptr %x.addr, !DIExpression(), !11)
  %y = add nsw i32 %x, 1, !dbg !12
    #dbg_value(!DIArgList(i32 %y, i32 %x), !9, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !11)
    #dbg_value(i32 %y, !9, !DIExpression(), !11)
    #dbg_label(!10, !11)
  ret i32 %y, !dbg !12
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "test", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "t.c", directory: "/")
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !22)
!6 = !DISubroutineType(types: !7)
!7 = !{!8, !8}
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DILocalVariable(name: "x", arg: 1, scope: !5, file: !1, line: 1, type: !8)
!10 = !DILabel(scope: !5, name: "top", file: !1, line: 2)
!11 = !DILocation(line: 1, column: 11, scope: !5)
!12 = !DILocation(line: 2, column: 3, scope: !5)
!20 = distinct !DIAssignID()
!21 = distinct !DIAssignID()
!22 = !{!9, !10}
