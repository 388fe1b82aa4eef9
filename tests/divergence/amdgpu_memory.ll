; RUN: lw divergence %s --format llvm | FileCheck-22 %s --check-prefixes=CHECK,OURS --allow-unused-prefixes
; Loads by address space; atomics; fences.
target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: UniformityInfo for function 'loads':
; CHECK: DIVERGENT: %flat = load
; CHECK: {{^ +}}%global = load
; CHECK: {{^ +}}%shared = load
; CHECK: {{^ +}}%constant = load
; CHECK: DIVERGENT: %private = load
define amdgpu_kernel void @loads(ptr %g, ptr addrspace(1) %p, ptr addrspace(3) %s, ptr addrspace(4) %c, ptr addrspace(5) %l) {
entry:
  %flat = load i32, ptr %g
  %global = load i32, ptr addrspace(1) %p
  %shared = load i32, ptr addrspace(3) %s
  %constant = load i32, ptr addrspace(4) %c
  %private = load i32, ptr addrspace(5) %l
  ret void
}

; CHECK-LABEL: UniformityInfo for function 'atomics':
; CHECK: DIVERGENT: %old = atomicrmw add
; CHECK: DIVERGENT: %pair = cmpxchg
; CHECK: DIVERGENT: %value = extractvalue
; CHECK: {{^ +}}fence
define amdgpu_kernel void @atomics(ptr addrspace(1) %p, i32 %n) {
entry:
  %old = atomicrmw add ptr addrspace(1) %p, i32 %n seq_cst
  %pair = cmpxchg ptr addrspace(1) %p, i32 %n, i32 1 seq_cst seq_cst
  %value = extractvalue { i32, i1 } %pair, 0
  fence seq_cst
  ret void
}
