// What was vectorized has the lines of the source, and says of its accesses only what still holds.
// RUN: clang-22 -O1 -g -S -emit-llvm %s -o %t.ll
// RUN: lw vectorize %t.ll -f shade -s 'v, u, u -> v' -w 4 -o %t.v.ll
// RUN: opt-22 -passes=verify -disable-output %t.v.ll
// RUN: FileCheck-22 %s < %t.v.ll
// RUN: llc-22 -filetype=obj %t.v.ll -o %t.o
// RUN: llvm-dwarfdump-22 --debug-line %t.o | FileCheck-22 --check-prefix=LINES %s
// RUN: llvm-dwarfdump-22 --debug-info %t.o | FileCheck-22 --check-prefix=INFO %s
// RUN: lw vectorize %t.ll -f shade -s 'v, u, u -> v' -w 4 --stop-after linearize --emit lw | FileCheck-22 --check-prefix=STAGE %s
static float half(float x) {
  return x * 0.5f; // line 11
}

float shade(int i, const float *table, _Bool *seen) {
  float x = 0;
  if (i > 7) {            // line 16
    x = half(table[i]);   // line 17
    if (*seen) x += 1;
  }
  return x;
}
// CHECK: define {{.*}}@shade_v4({{.*}} !dbg ![[SHADE:[0-9]+]]
// CHECK: icmp sgt <4 x i32> {{.*}} !dbg ![[BRANCH:[0-9]+]]
// CHECK: call <4 x float> @llvm.masked.gather{{.*}}, !dbg ![[GATHER:[0-9]+]], !tbaa
// CHECK: fmul <4 x float> {{.*}} !dbg ![[INLINED:[0-9]+]]
// The byte behind `seen` is loaded from elsewhere if no lane is active: nothing is known of what is found there.
// CHECK: load i8, ptr
// CHECK-NOT: !range
// CHECK-NOT: !noundef
// CHECK: ret <4 x float>
// CHECK: ![[SHADE]] = distinct !DISubprogram(name: "shade", linkageName: "shade_v4"
// CHECK-DAG: ![[BRANCH]] = !DILocation(line: 16,
// CHECK-DAG: ![[GATHER]] = !DILocation(line: 17,
// CHECK-DAG: ![[INLINED]] = !DILocation(line: 11, {{.*}} inlinedAt: ![[AT:[0-9]+]]
// CHECK-DAG: ![[AT]] = distinct !DILocation(line: 17, 
// LINES: prologue_end
// LINES: prologue_end
// LINES: {{ }}11 {{.*}}is_stmt
// LINES: {{ }}18 {{.*}}is_stmt
// LINES: {{ }}20 {{.*}}end_sequence
// INFO: DW_AT_linkage_name{{.*}}"shade_v4"
// INFO: DW_TAG_inlined_subroutine
// INFO: DW_AT_call_line{{.*}}17
// STAGE: select {{.*}} from !
