// Calls the variants directly. It must say the same whoever compiled references.cpp.
#include <cstdio>
#include <cstdlib>
#include <exception>

typedef float v4f __attribute__((vector_size(16)));
typedef int v4i __attribute__((vector_size(16)));
typedef long v2l __attribute__((vector_size(16)));

extern "C" {
v4f _ZGVbN4R4v_by_ref(float *, v4f);
v4f _ZGVbM4R4v_by_ref(float *, v4f, v4i);
v4f _ZGVbN4Lv_by_val(v2l, v2l, v4f);
v4f _ZGVbN4U2v_by_uval(const int *, v4f);
v4f _ZGVbM4U2v_by_uval(const int *, v4f, v4i);
v4f _ZGVbN4v_ends(v4f);
float half(float x) {
  if (x > 500) throw x;
  return x / 2;
}
}

static void show(const char *what, v4f r) { std::printf("%s: %g %g %g %g\n", what, r[0], r[1], r[2], r[3]); }

int main() {
  float row[4] = {1, 2, 3, 4};
  v4f y = {1, 10, 100, 1000};
  v4i some = {-1, 0, -1, 0};
  show("ref", _ZGVbN4R4v_by_ref(row, y));
  v4f r = _ZGVbM4R4v_by_ref(row, y, some);
  std::printf("masked ref: %g %g\n", r[0], r[2]);
  std::printf("%g %g %g %g\n", row[0], row[1], row[2], row[3]);
  int far[4] = {7, 2, 9, 4};
  v2l low = {(long)&far[2], (long)&far[0]}, high = {(long)&far[3], (long)&far[1]};
  show("val", _ZGVbN4Lv_by_val(low, high, y));
  show("uval", _ZGVbN4U2v_by_uval(&far[1], y));
  r = _ZGVbM4U2v_by_uval(&far[1], y, some);
  std::printf("masked uval: %g %g\n", r[0], r[2]);
  show("ends", _ZGVbN4v_ends(y / 10));
  // The exception of the last lane goes no further.
  std::set_terminate([] {
    std::puts("ended");
    std::fflush(stdout);
    std::_Exit(0);
  });
  _ZGVbN4v_ends(y);
}
