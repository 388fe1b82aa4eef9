; RUN: lw sparse %s --form ssa | FileCheck-22 %s --check-prefix=SSA
; RUN: lw sparse %s --form essa | FileCheck-22 %s --check-prefix=ESSA
; RUN: lw sparse %s --form abcd --print | FileCheck-22 %s --check-prefix=ESSA
; RUN: lw sparse %s --form ssi | FileCheck-22 %s --check-prefix=SSI
; RUN: lw sparse %s --form ssu | FileCheck-22 %s --check-prefix=SSU
; RUN: lw sparse %s --form stephenson | FileCheck-22 %s --check-prefix=STEPHENSON
; RUN: lw sparse %s --form mahlke | FileCheck-22 %s --check-prefix=MAHLKE
; RUN: lw sparse %s --form occurrence-typing | FileCheck-22 %s --check-prefix=OCCURRENCE
; RUN: lw sparse %s --form null-pointers | FileCheck-22 %s --check-prefix=NULL
; RUN: lw sparse %s --form ccp | FileCheck-22 %s --check-prefix=CCP
; RUN: lw sparse %s --form divergence | FileCheck-22 %s --check-prefix=DIVERGENCE
; RUN: not --exit 2 lw sparse %s --form essi 2>&1 | FileCheck-22 %s --check-prefix=WRONG
; The forms of 003 Fig. 5: where versions begin.

; SSA: func @f(%x): ssa, Defs↓
; SSA-NOT: {{φ|σ|∥}}

; ESSA: func @f(%x#0): essa, Defs↓ ∪ Out(Conds)↓
; ESSA: %c = icmp slt i32 %x#0, 10
; ESSA-NEXT: br i1 %c, label %small, label %end
; ESSA: (%x#1 to %small, %x#2 to %end) = σ(%x#0)
; ESSA: small:
; ESSA-NEXT: %y = add i32 %x#1, 1
; ESSA: end:
; ESSA: %x#3 = φ(%x#2 from %entry, %x#1 from %small)
; ESSA-NEXT: %z = phi i32 [ 0, %entry ], [ %y, %small ]
; ESSA-NEXT: %s = add i32 %z, %x#3

; SSI: Defs↓ ∪ LastUses↑
; SSI: (%x#1 to %small, %x#2 to %end) = σ(%x#0)

; SSU: Uses↑
; SSU: icmp slt i32 %x#0, 10 ∥ %x#1 = %x#0

; STEPHENSON: Defs↓ ∪ Out(Conds)↓ ∪ Uses↑
; STEPHENSON: ∥
; STEPHENSON: σ

; MAHLKE: Defs↓ ∪ Uses↑
; MAHLKE: ∥

; OCCURRENCE: Uses↑ ∪ Out(Conds)↑
; OCCURRENCE: σ(

; NULL: Defs↓ ∪ Uses↓
; NULL: %y = add i32 %x{{.*}} ∥ %x

; CCP: Defs↓ ∪ Out(Conds=)↓
; CCP-NOT: %x#

; DIVERGENCE: Defs↓ ∪ In(LoopExits)↓

; WRONG: invalid value 'essi' for '--form <FORM>'
; WRONG: ssa, ssi, essa, stephenson, mahlke, ssu, occurrence-typing, null-pointers, ccp, divergence
define i32 @f(i32 %x) {
entry:
  %c = icmp slt i32 %x, 10
  br i1 %c, label %small, label %end
small:
  %y = add i32 %x, 1
  br label %end
end:
  %z = phi i32 [ 0, %entry ], [ %y, %small ]
  %s = add i32 %z, %x
  ret i32 %s
}
