; RUN: lw roundtrip %s -o %t.ll --stats | FileCheck-22 %s --check-prefix=STATS
; RUN: FileCheck-22 %s < %t.ll
; RUN: lw print %s -f asm | FileCheck-22 %s --check-prefix=IR
; What the IR does not model is copied, with its operands and targets bound to the new values.

; STATS: the same text
; STATS: opaque 3
; STATS: call 2
; STATS: callbr 1
; IR: %y = opaque "call" "{{r?w?t?}}" i32 (i32 %x2)
; IR: opaque "callbr" {{.*}} (i32 %y) to [label %next, label %out]
; CHECK: %y = call i32 asm "bswap $0", "=r,0,~{dirflag},~{fpsr},~{flags}"(i32 %x2)
; CHECK: callbr void asm sideeffect "", "r,!i"(i32 %y)
; CHECK-NEXT: to label %next [label %out]
define i32 @asm(i32 %x) {
entry:
  %x2 = mul i32 %x, 3
  %y = call i32 asm "bswap $0", "=r,0,~{dirflag},~{fpsr},~{flags}"(i32 %x2)
  callbr void asm sideeffect "", "r,!i"(i32 %y) to label %next [label %out]
next:
  call void asm sideeffect "nop", ""()
  ret i32 %y
out:
  ret i32 0
}
