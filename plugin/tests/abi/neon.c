// Calls NEON variants as the ABI of AArch64 passes arguments. Compiled by gcc, it must say the same whoever compiled functions.c.
#include <stdio.h>
#include <string.h>

typedef signed char v8c __attribute__((vector_size(8)));
typedef signed char v16c __attribute__((vector_size(16)));
typedef short v4s __attribute__((vector_size(8)));
typedef short v8s __attribute__((vector_size(16)));
typedef int v2i __attribute__((vector_size(8)));
typedef int v4i __attribute__((vector_size(16)));
typedef long v2l __attribute__((vector_size(16)));
typedef float v2f __attribute__((vector_size(8)));
typedef float v4f __attribute__((vector_size(16)));

#define PCS __attribute__((aarch64_vector_pcs))

PCS v2f _ZGVnN2vv_select_float(v2f, v2f);
PCS v4f _ZGVnN4vv_select_float(v4f, v4f);
PCS v2f _ZGVnM2vv_select_float(v2f, v2f, v2i);
PCS v4f _ZGVnM4vv_select_float(v4f, v4f, v4i);
PCS v4i _ZGVnN4vv_iterations(v4f, v4f);
PCS v2i _ZGVnM2vv_iterations(v2f, v2f, v2i);
PCS v4i _ZGVnM4vv_iterations(v4f, v4f, v4i);
PCS v2i _ZGVnN2ls1uv_stepped(int, int, v2i);
PCS v4i _ZGVnM4ls1uv_stepped(int, int, v4i, v4i);
PCS v8c _ZGVnN8vv_bytes(v8c, v8c);
PCS v16c _ZGVnM16vv_bytes(v16c, v16c, v16c);
PCS v4s _ZGVnM4vv_shorts(v4s, v4s, v4s);
PCS v8s _ZGVnN8vv_shorts(v8s, v8s);
PCS v4i _ZGVnM4vv_quotient(v4i, v4i, v4i);
PCS v2l _ZGVnN2vv_follow(v2l, v2l);
PCS v2f _ZGVnN2vu_scaled(v2f, unsigned char);
PCS v4f _ZGVnM4vu_scaled(v4f, unsigned char, v4i);
PCS v2l _ZGVnM2vv_follow(v2l, v2l, v2l);

// The elements that are active: those in which a bit of the mask is set.
static void show(const char *name, const void *data, int size, const void *active, int element) {
  printf("%s:", name);
  for (int i = 0; i < size; ++i)
    if (!active || ((const char *)active)[i / element * element])
      printf(" %02x", ((const unsigned char *)data)[i]);
  printf("\n");
}

#define SHOW(name, value, mask, element) \
  do { \
    __typeof__(value) v_ = value; \
    show(#name, &v_, sizeof v_, mask, element); \
  } while (0)

int main(void) {
  v4f x = {1.5f, -2, 0.25f, 3}, y = {4, 0.5f, -1, 2};
  v2f p = {1.5f, -2}, q = {4, 0.5f};
  v4i some = {-1, 0, -1, -1};
  v2i one = {0, -1};
  SHOW(_ZGVnN2vv_select_float, _ZGVnN2vv_select_float(p, q), 0, 4);
  SHOW(_ZGVnN4vv_select_float, _ZGVnN4vv_select_float(x, y), 0, 4);
  SHOW(_ZGVnM2vv_select_float, _ZGVnM2vv_select_float(p, q, one), &one, 4);
  SHOW(_ZGVnM4vv_select_float, _ZGVnM4vv_select_float(x, y, some), &some, 4);
  v4f re = {-0.5f, 0.3f, 0.1f, 1}, im = {0.5f, 0.1f, -0.7f, 1};
  v2f re2 = {-0.5f, 0.4f}, im2 = {0.5f, 0.4f};
  SHOW(_ZGVnN4vv_iterations, _ZGVnN4vv_iterations(re, im), 0, 4);
  SHOW(_ZGVnM2vv_iterations, _ZGVnM2vv_iterations(re2, im2, one), &one, 4);
  SHOW(_ZGVnM4vv_iterations, _ZGVnM4vv_iterations(re, im, some), &some, 4);
  v4i k = {3, 30, 7, -5};
  v2i k2 = {3, 30};
  SHOW(_ZGVnN2ls1uv_stepped, _ZGVnN2ls1uv_stepped(5, 3, k2), 0, 4);
  SHOW(_ZGVnM4ls1uv_stepped, _ZGVnM4ls1uv_stepped(5, 3, k, some), &some, 4);
  v8c c = {1, 2, 3, 4, 5, 6, 7, 8}, d = {5, 4, 3, 2, 1, 0, -1, -2};
  v16c cc = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, dd, on;
  for (int i = 0; i < 16; ++i) {
    dd[i] = 9 - i;
    on[i] = i % 3 ? -1 : 0;
  }
  SHOW(_ZGVnN8vv_bytes, _ZGVnN8vv_bytes(c, d), 0, 1);
  SHOW(_ZGVnM16vv_bytes, _ZGVnM16vv_bytes(cc, dd, on), &on, 1);
  v4s s = {1, 300, -3, 4}, t = {5, -4, 3, 2}, half = {-1, -1, 0, -1};
  v8s ss = {1, 300, -3, 4, 5, 6, 7, 8}, tt = {5, -4, 3, 2, 1, 0, -1, -2};
  SHOW(_ZGVnM4vv_shorts, _ZGVnM4vv_shorts(s, t, half), &half, 2);
  SHOW(_ZGVnN8vv_shorts, _ZGVnN8vv_shorts(ss, tt), 0, 2);
  v4i zero = {4, 0, -3, 9};
  SHOW(_ZGVnM4vv_quotient, _ZGVnM4vv_quotient(k, zero, some), &some, 4);
  long table[2][4] = {{1, 2, 3, 4}, {50, 60, 70, 80}};
  v2l from = {(long)table[0], (long)table[1]}, at = {6, 9}, last = {0, -1};
  SHOW(_ZGVnN2vv_follow, _ZGVnN2vv_follow(from, at), 0, 8);
  from[0] = 0;
  SHOW(_ZGVnM2vv_follow, _ZGVnM2vv_follow(from, at, last), &last, 8);
  SHOW(_ZGVnN2vu_scaled, _ZGVnN2vu_scaled(p, 3), 0, 4);
  SHOW(_ZGVnM4vu_scaled, _ZGVnM4vu_scaled(x, 5, some), &some, 4);
  return 0;
}
