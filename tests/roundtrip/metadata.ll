; RUN: lw roundtrip %s -o %t.ll
; RUN: FileCheck-22 %s < %t.ll
; TBAA, alias scopes, access groups, loop ids, profile data, ranges and metadata operands stay where they are.

; CHECK: load i32, ptr %p, align 4, !tbaa ![[TBAA:[0-9]+]], !range ![[RANGE:[0-9]+]], !alias.scope ![[SCOPE:[0-9]+]], !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK: call void @llvm.experimental.noalias.scope.decl(metadata ![[SCOPE]])
; CHECK: br i1 %c, label %loop, label %end, !prof ![[PROF:[0-9]+]], !llvm.loop ![[LOOP:[0-9]+]]
; CHECK-DAG: ![[PROF]] = !{!"branch_weights", i32 99, i32 1}
; CHECK-DAG: ![[LOOP]] = distinct !{![[LOOP]], ![[UNROLL:[0-9]+]]}
define void @f(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %v = load i32, ptr %p, align 4, !tbaa !0, !range !3, !alias.scope !5, !llvm.access.group !7
  call void @llvm.experimental.noalias.scope.decl(metadata !5)
  %n = add i32 %i, %v
  %c = icmp ult i32 %n, 100
  br i1 %c, label %loop, label %end, !prof !8, !llvm.loop !9
end:
  ret void
}
declare void @llvm.experimental.noalias.scope.decl(metadata)
!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2, i64 0}
!2 = !{!"root"}
!3 = !{i32 1, i32 10}
!4 = distinct !{!4, !"domain"}
!5 = !{!6}
!6 = distinct !{!6, !4, !"scope"}
!7 = distinct !{}
!8 = !{!"branch_weights", i32 99, i32 1}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.unroll.disable"}
