; RUN: lw roundtrip %s
; Everything that C, C++, Rust and CUDA compilers rarely write survives: exact text is required by the command.

%union = type { [3 x i24], <{ i8, half }> }
%named.opaque = type opaque
@0 = private constant [2 x i8] c"a\00"
@far = external addrspace(3) global [64 x float]
@alias = alias i32 (i32), ptr @exotic
@tls = thread_local(initialexec) global i32 4, align 8
@vtable = constant { [2 x ptr] } { [2 x ptr] [ptr @exotic, ptr @0] }
@inrange = constant ptr getelementptr inbounds inrange(-8, 8) ({ [2 x ptr] }, ptr @vtable, i32 0, i32 0, i32 1)

define i32 @exotic(i32 signext range(i32 -5, 7) %x) #0 personality ptr @personality {
  %wide = add i257 231584178474632390847141970017375815706539969331281128078915168015826259279872, 1
  %f80 = fadd x86_fp80 0xK3FFF8000000000000000, 0xK7FFF8000000000000000
  %f128 = fmul fp128 0xL00000000000000003FFF000000000000, 0xL00000000000000000000000000000001
  %half = fadd half 0xH3C00, 0xH7E01
  %bf = fneg bfloat 0xR7FC1
  %nan = fadd float 0x7FF4000000000000, 0x36A0000000000000
  %sel = select nnan i1 true, <2 x float> <float 1.0, float undef>, <2 x float> poison
  %cast = addrspacecast ptr addrspace(3) @far to ptr
  %addr = ptrtoaddr ptr %cast to i64
  %gep = getelementptr nusw nuw i8, ptr %cast, i64 4
  %vgep = getelementptr i32, ptr %cast, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
  %splat = shufflevector <vscale x 4 x i32> insertelement (<vscale x 4 x i32> poison, i32 1, i64 0), <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %agg = insertvalue %union undef, half 0xH3C00, 1, 1
  %ext = extractvalue %union %agg, 0, 2
  %t = trunc nuw nsw i32 %x to i8
  %u = uitofp nneg i32 %x to float
  %cmp = icmp samesign ugt i32 %x, 4
  %old = atomicrmw volatile uinc_wrap ptr %cast, i32 %x syncscope("agent") acq_rel, align 4
  %cx = cmpxchg weak volatile ptr %cast, i32 0, i32 1 syncscope("singlethread") seq_cst acquire, align 4
  fence syncscope("workgroup") release
  %dyn = alloca inalloca i32, i32 %x, align 64
  %save = call ptr @llvm.stacksave.p0()
  call void @llvm.assume(i1 true) [ "align"(ptr %cast, i64 16), "nonnull"(ptr %cast) ]
  %bits = call i32 @llvm.read_register.i32(metadata !0)
  %m = call i32 @callee(ptr byval(%union) align 8 %cast, i32 inreg %x) #1
  %va = va_arg ptr %cast, double
  %r = invoke fastcc i32 @callee(ptr null, i32 0)
          to label %ok unwind label %pad
ok:
  call void @noreturn(i32 %x)
  ret i32 %r
pad:
  %lp = landingpad { ptr, i32 }
          cleanup
          catch ptr @0
          filter [1 x ptr] [ptr @0]
  resume { ptr, i32 } %lp
}
declare void @noreturn(i32)
declare i32 @personality(...)
declare i32 @callee(ptr, i32)
declare ptr @llvm.stacksave.p0()
declare void @llvm.assume(i1)
declare i32 @llvm.read_register.i32(metadata)
attributes #0 = { nounwind memory(argmem: readwrite, inaccessiblemem: write) vscale_range(1,16) "target-cpu"="znver4" uwtable(sync) }
attributes #1 = { convergent nomerge }
!0 = !{!"rsp"}
