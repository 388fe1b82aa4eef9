; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Loads by address space; atomics; the stack.
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: UniformityInfo for function 'loads':
; CHECK: DIVERGENT: %generic = load
; CHECK: {{^ +}}%global = load
; CHECK: {{^ +}}%shared = load
; CHECK: {{^ +}}%constant = load
; CHECK: DIVERGENT: %local = load
; CHECK: {{^ +}}%ordered = load atomic
define ptx_kernel void @loads(ptr %g, ptr addrspace(1) %p, ptr addrspace(3) %s, ptr addrspace(4) %c, ptr addrspace(5) %l) {
entry:
  %generic = load i32, ptr %g
  %global = load i32, ptr addrspace(1) %p
  %shared = load i32, ptr addrspace(3) %s
  %constant = load i32, ptr addrspace(4) %c
  %local = load i32, ptr addrspace(5) %l
  %ordered = load atomic i32, ptr addrspace(1) %p seq_cst, align 4
  ret void
}

; CHECK-LABEL: UniformityInfo for function 'atomics':
; CHECK: DIVERGENT: %old = atomicrmw add
; CHECK: DIVERGENT: %pair = cmpxchg
; CHECK: DIVERGENT: %value = extractvalue
; CHECK: DIVERGENT: fence seq_cst
define ptx_kernel void @atomics(ptr addrspace(1) %p, i32 %n) {
entry:
  %old = atomicrmw add ptr addrspace(1) %p, i32 %n seq_cst
  %pair = cmpxchg ptr addrspace(1) %p, i32 %n, i32 1 seq_cst seq_cst
  %value = extractvalue { i32, i1 } %pair, 0
  fence seq_cst
  ret void
}

; CHECK-LABEL: UniformityInfo for function 'stack':
; CHECK: {{^ +}}%a = alloca
; CHECK: DIVERGENT: %x = load i32, ptr %a
define ptx_kernel void @stack(i32 %n) {
entry:
  %a = alloca i32
  store i32 %n, ptr %a
  %x = load i32, ptr %a
  ret void
}
