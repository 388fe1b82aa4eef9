// RUN: lw analyze %s --analysis taint --source input --sink run --sanitizer clean --validator is_clean | FileCheck-22 %s
// RUN: lw analyze %s --analysis taint --source input --sink run --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis taint --source input --sink run --format html | FileCheck-22 %s --check-prefix=HTML
// RUN: lw analyze %s --analysis taint --source imput --sink run | FileCheck-22 %s --check-prefix=TYPO
// RUN: not --exit 2 lw analyze %s --analysis taint --source input 2>&1 | FileCheck-22 %s --check-prefix=NEEDS
// RUN: not --exit 2 lw analyze %s --analysis null --source input 2>&1 | FileCheck-22 %s --check-prefix=ONLY
// The way of input to a sink, past sanitizers and validators.

// CHECK: 4 calls of sinks: 1 may get input, 3 get no input
// CHECK: {{[0-9]+}} |   int x = input();
// CHECK-NEXT: · 11: x is input
// CHECK: {{[0-9]+}} |   int y = x * 2;
// CHECK-NEXT: · 13: y is input
// CHECK: {{[0-9]+}} |   run(y);
// CHECK-NEXT: ? 3: run(…) may get input: y
// CHECK-NEXT: input yields x (line {{[0-9]+}})
// CHECK-NEXT: flows into y (line {{[0-9]+}})
// CHECK: {{[0-9]+}} |   run(clean(input()));
// CHECK-NEXT: ✓ 3: run(…) gets no input
// CHECK: ✓ 5: run(…) gets no input

// JSON: "text": "input yields x"
// JSON: "line": {{[0-9]+}}
// HTML: <code>run(…)</code> may get input: y<ol><li>input yields x <a href="#f0l{{[0-9]+}}">
// TYPO: note: there is no call of imput in what was analysed
// NEEDS: lw: --analysis taint wants the names of functions: at least one --source and one --sink
// ONLY: lw: --source, --sink, --sanitizer and --validator go with --analysis taint
extern int input(void);
extern void run(int);
extern int clean(int);
extern _Bool is_clean(int);

void direct(void) {
  int x = input();
  int y = x * 2;
  run(y);
}

void sanitized(void) {
  run(clean(input()));
}

void validated(void) {
  int x = input();
  if (is_clean(x))
    run(x);
  run(3);
}
