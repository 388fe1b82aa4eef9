// RUN: clang-22 -O0 -c -emit-llvm %s -o %t.0.bc
// RUN: lw callgraph %t.0.bc --entry main | FileCheck-22 %s
// RUN: clang-22 -O2 -fno-inline -c -emit-llvm %s -o %t.2.bc
// RUN: lw callgraph %t.2.bc --entry main | FileCheck-22 %s
// A table of structs, read at an index that nobody knows: what is in one field is not in another.

typedef int (*handler)(int);
struct ops {
  handler start, stop;
};
struct device {
  const char *name;
  handler open, close;
  struct ops ops;
};

#define HANDLER(name)                                                                                                          \
  static int name(int n) { return n + __LINE__; }
HANDLER(open_disk)
HANDLER(open_tape)
HANDLER(close_disk)
HANDLER(close_tape)
HANDLER(start_disk)
HANDLER(start_tape)
HANDLER(stop_disk)
HANDLER(stop_tape)
HANDLER(close_late)

static struct device devices[] = {
    {"disk", open_disk, close_disk, {start_disk, stop_disk}},
    {"tape", open_tape, close_tape, {start_tape, stop_tape}},
    {0},
};
static struct {
  int count;
  struct device all[100];
} registry;

__attribute__((noinline)) int by_number(int i, int n) { return devices[i].open(n); }
__attribute__((noinline)) int nested(unsigned i, int n) { return devices[i].ops.stop(n); }
__attribute__((noinline)) int by_pointer(struct device *d, int n) { return d->close(n); }
__attribute__((noinline)) int given(struct device *all, long i, int n) { return all[i].ops.start(n); }
__attribute__((noinline)) int each(int n) {
  int sum = 0;
  for (struct device *d = devices; d->name; d++) sum += d->open(n);
  return sum;
}
__attribute__((noinline)) int large(int i, int n) { return registry.all[i].close(n); }

int main(int argc, char **argv) {
  (void)argv;
  devices[argc].close = close_late;
  registry.all[argc].open = open_tape;
  registry.all[argc].close = close_late;
  return by_number(argc, 1) + nested(argc, 2) + by_pointer(&devices[argc], 3) + given(devices, argc, 4) + each(5) + large(argc, 6);
}

// CHECK: in by_number: 2 targets
// CHECK-NEXT: open_
// CHECK-NEXT: open_
// CHECK: in nested: 2 targets
// CHECK-NEXT: stop_
// CHECK-NEXT: stop_
// CHECK: in by_pointer: 3 targets
// CHECK-NEXT: close_
// CHECK-NEXT: close_
// CHECK-NEXT: close_
// CHECK: in given: 2 targets
// CHECK-NEXT: start_
// CHECK-NEXT: start_
// CHECK: in each: 2 targets
// CHECK-NEXT: open_
// CHECK-NEXT: open_
// CHECK: in large: 1 target
// CHECK-NEXT: close_late
