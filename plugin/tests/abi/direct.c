// Calls variants as the ABI passes arguments: masks, vectors in several registers, small vectors. Compiled by gcc for AVX-512, it
// must say the same whoever compiled functions.c.
#include <stdio.h>
#include <string.h>

typedef signed char v16c __attribute__((vector_size(16)));
typedef short v8s __attribute__((vector_size(16)));
typedef int v4i __attribute__((vector_size(16)));
typedef int v8i __attribute__((vector_size(32)));
typedef long v2l __attribute__((vector_size(16)));
typedef long v4l __attribute__((vector_size(32)));
typedef long v8l __attribute__((vector_size(64)));
typedef float v4f __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
typedef float v16f __attribute__((vector_size(64)));
typedef double v2d __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef double v8d __attribute__((vector_size(64)));
typedef int v16i __attribute__((vector_size(64)));

struct d8_sse { v2d part[4]; };
struct d8_avx { v4d part[2]; };
struct f16_sse { v4f part[4]; };
struct f16_avx { v8f part[2]; };

#define IN_SSE
#define IN_AVX __attribute__((target("avx")))
#define IN_AVX2 __attribute__((target("avx2")))
#define IN_AVX512 __attribute__((target("avx512f")))

v4f _ZGVbM4vv_select_float(v4f, v4f, v4i);
IN_AVX v8f _ZGVcM8vv_select_float(v8f, v8f, v8i);
IN_AVX2 v8f _ZGVdM8vv_select_float(v8f, v8f, v8i);
IN_AVX512 v16f _ZGVeM16vv_select_float(v16f, v16f, unsigned);
v4i _ZGVbM4vv_iterations(v4f, v4f, v4i);
IN_AVX2 v8i _ZGVdM8vv_iterations(v8f, v8f, v8i);
IN_AVX512 v16i _ZGVeM16vv_iterations(v16f, v16f, unsigned);
v4i _ZGVbM4ls1uv_stepped(int, int, v4i, v4i);
IN_AVX2 v8i _ZGVdN8ls1uv_stepped(int, int, v8i);
struct d8_sse _ZGVbN8v_wide_double(v2d, v2d, v2d, v2d);
struct d8_sse _ZGVbM8v_wide_double(v2d, v2d, v2d, v2d, v2l, v2l, v2l, v2l);
IN_AVX struct d8_avx _ZGVcN8v_wide_double(v4d, v4d);
IN_AVX2 struct d8_avx _ZGVdM8v_wide_double(v4d, v4d, v4l, v4l);
IN_AVX512 v8d _ZGVeM8v_wide_double(v8d, unsigned);
struct f16_sse _ZGVbN16vv_wide_float(v4f, v4f, v4f, v4f, v4i, v4i, v4i, v4i);
IN_AVX struct f16_avx _ZGVcN16vv_wide_float(v8f, v8f, v4i, v4i, v4i, v4i);
IN_AVX512 v16f _ZGVeM16vv_wide_float(v16f, v16i, unsigned);
v16c _ZGVbM16vv_bytes(v16c, v16c, v16c);
v8s _ZGVbM8vv_shorts(v8s, v8s, v8s);
v4i _ZGVbM4vv_quotient(v4i, v4i, v4i);
IN_AVX512 v16i _ZGVeM16vv_quotient(v16i, v16i, unsigned);
void _ZGVbM4l4v_put(float *, v4f, v4i);
IN_AVX512 void _ZGVeM16l4v_put(float *, v16f, unsigned);
IN_AVX2 v4l _ZGVdM4vv_follow(v4l, v4l, v4l);
IN_AVX512 v8l _ZGVeM8vv_follow(v8l, v8l, unsigned);

static void show(const char *name, const void *data, int size, const void *active, int element) {
  printf("%s:", name);
  for (int i = 0; i < size; ++i)
    if (!active || ((const char *)active)[i / element])
      printf(" %02x", ((const unsigned char *)data)[i]);
  printf("\n");
}

static const char some[16] = {1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1};
static const unsigned bits = 0xA74D;

#define SHOW(name, value, element) show(name, &(value), sizeof(value), 0, element)
#define SHOW_SOME(name, value, element) show(name, &(value), sizeof(value), some, element)

static float f[16];
static double d[8];
static int k[16];
static long places[4] = {11, -22, 33, -44};

#define FILL(to, from) memcpy(&to, from, sizeof to)

static void sse(void) {
  v4f x, y;
  FILL(x, f), FILL(y, f + 4);
  v4i mask = {-1, 0, -1, -1}, i = {3, 1, 0, -5}, j = {2, 0, 7, 3};
  v4f r = _ZGVbM4vv_select_float(x, y, mask);
  SHOW_SOME("b select_float", r, 4);
  v4i n = _ZGVbM4vv_iterations(x, y, mask);
  SHOW_SOME("b iterations", n, 4);
  n = _ZGVbM4ls1uv_stepped(2, 5, i, mask);
  SHOW_SOME("b stepped", n, 4);
  n = _ZGVbM4vv_quotient(i, j, mask);
  SHOW_SOME("b quotient", n, 4);
  v2d p[4];
  FILL(p, d);
  struct d8_sse w = _ZGVbN8v_wide_double(p[0], p[1], p[2], p[3]);
  SHOW("b wide_double", w, 8);
  v2l m[4] = {{-1, 0}, {-1, -1}, {0, 0}, {-1, 0}};
  w = _ZGVbM8v_wide_double(p[0], p[1], p[2], p[3], m[0], m[1], m[2], m[3]);
  SHOW_SOME("b wide_double masked", w, 8);
  v4f q[4];
  v4i l[4];
  FILL(q, f), FILL(l, k);
  struct f16_sse z = _ZGVbN16vv_wide_float(q[0], q[1], q[2], q[3], l[0], l[1], l[2], l[3]);
  SHOW("b wide_float", z, 4);
  v16c a, b, byte_mask;
  v8s s, t, short_mask;
  FILL(a, f), FILL(b, k), FILL(s, f), FILL(t, k);
  for (int lane = 0; lane < 16; ++lane)
    byte_mask[lane] = -some[lane];
  for (int lane = 0; lane < 8; ++lane)
    short_mask[lane] = -some[lane];
  a = _ZGVbM16vv_bytes(a, b, byte_mask);
  SHOW_SOME("b bytes", a, 1);
  s = _ZGVbM8vv_shorts(s, t, short_mask);
  SHOW_SOME("b shorts", s, 2);
  float to[4] = {0};
  _ZGVbM4l4v_put(to, x, mask);
  SHOW("b put", to, 4);
}

IN_AVX static void avx(void) {
  v8f x, y;
  FILL(x, f), FILL(y, f + 8);
  v8i mask = {-1, 0, -1, -1, 0, 0, -1, 0};
  v8f r = _ZGVcM8vv_select_float(x, y, mask);
  SHOW_SOME("c select_float", r, 4);
  v4d p[2];
  FILL(p, d);
  struct d8_avx w = _ZGVcN8v_wide_double(p[0], p[1]);
  SHOW("c wide_double", w, 8);
  v4i l[4];
  FILL(l, k);
  struct f16_avx z = _ZGVcN16vv_wide_float(x, y, l[0], l[1], l[2], l[3]);
  SHOW("c wide_float", z, 4);
}

IN_AVX2 static void avx2(void) {
  v8f x, y;
  FILL(x, f), FILL(y, f + 8);
  v8i mask = {-1, 0, -1, -1, 0, 0, -1, 0}, i;
  FILL(i, k);
  v8f r = _ZGVdM8vv_select_float(x, y, mask);
  SHOW_SOME("d select_float", r, 4);
  v8i n = _ZGVdM8vv_iterations(x, y, mask);
  SHOW_SOME("d iterations", n, 4);
  n = _ZGVdN8ls1uv_stepped(2, -3, i);
  SHOW("d stepped", n, 4);
  v4d p[2];
  FILL(p, d);
  v4l m[2] = {{-1, 0, -1, -1}, {0, 0, -1, 0}};
  struct d8_avx w = _ZGVdM8v_wide_double(p[0], p[1], m[0], m[1]);
  SHOW_SOME("d wide_double", w, 8);
  v4l from = {(long)places, 0, (long)places, (long)places}, at = {1, 2, 3, 4};
  v4l g = _ZGVdM4vv_follow(from, at, m[0]);
  SHOW_SOME("d follow", g, 8);
}

IN_AVX512 static void avx512(void) {
  v16f x, y;
  v16i i, j;
  v8d p;
  FILL(x, f), FILL(i, k), FILL(p, d);
  y = x * x, j = i & 1;
  v16f r = _ZGVeM16vv_select_float(x, y, bits);
  SHOW_SOME("e select_float", r, 4);
  v16i n = _ZGVeM16vv_iterations(x, y, bits);
  SHOW_SOME("e iterations", n, 4);
  for (int lane = 0; lane < 16; ++lane)
    j[lane] = some[lane] ? lane + 1 : 0;
  n = _ZGVeM16vv_quotient(i, j, bits);
  SHOW_SOME("e quotient", n, 4);
  p = _ZGVeM8v_wide_double(p, bits & 255);
  SHOW_SOME("e wide_double", p, 8);
  r = _ZGVeM16vv_wide_float(x, i, bits);
  SHOW_SOME("e wide_float", r, 4);
  float to[16] = {0};
  _ZGVeM16l4v_put(to, x, bits);
  SHOW("e put", to, 4);
  v8l from, at;
  for (int lane = 0; lane < 8; ++lane)
    from[lane] = some[lane] ? (long)places : 0, at[lane] = lane;
  v8l g = _ZGVeM8vv_follow(from, at, bits & 255);
  SHOW_SOME("e follow", g, 8);
}

int main(int argc, char **argv) {
  for (int i = 0; i < 16; ++i)
    f[i] = i * 0.37f - 2, k[i] = i * 7 - 20;
  for (int i = 0; i < 8; ++i)
    d[i] = i * 0.3;
  sse();
  if (__builtin_cpu_supports("avx"))
    avx();
  if (__builtin_cpu_supports("avx2"))
    avx2();
  if (__builtin_cpu_supports("avx512f"))
    avx512();
  return 0;
}
