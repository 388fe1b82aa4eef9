// RUN: clang-22 -g -O1 -c -emit-llvm -DONE %s -o %t.one.bc
// RUN: clang-22 -g -O1 -c -emit-llvm %s -o %t.two.bc
// RUN: lw callgraph %t.one.bc %t.two.bc --entry main | FileCheck-22 %s
// RUN: lw callgraph %t.two.bc | FileCheck-22 %s --check-prefix=ALONE
// Two modules are one program: a strong definition counts instead of a weak one, and each has its own static functions.

typedef int (*handler)(int);
extern handler chosen;
int run(int n);

#ifdef ONE
static int local(int n) { return n + 1; }
__attribute__((weak)) int twice(int n) { return n; }
handler chosen = local;
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 3) chosen = twice;
  return run(argc);
}
#else
static int local(int n) { return n - 1; }
int twice(int n) { return 2 * n; }
handler unused = local;
int run(int n) { return chosen(n); }
#endif

// CHECK: 5 functions, 1 of them never called
// CHECK: two_files.c:24:25: in run: 2 targets
// CHECK-NEXT: local ({{.*}}.one.bc) {{.*}}two_files.c:12
// CHECK-NEXT: twice {{.*}}two_files.c:22
// CHECK: never called:
// CHECK-NEXT: local ({{.*}}.two.bc)

// ALONE: 3 functions, 0 of them never called
// ALONE: in run: 3 targets
// ALONE-NEXT: twice
// ALONE-NEXT: local
// ALONE-NEXT: run
// ALONE-NEXT: code of which nothing is known
