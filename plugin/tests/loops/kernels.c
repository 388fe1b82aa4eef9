// One marked loop for each construct. The file is compiled twice: by clang alone, without pragmas, and with the plug-in.
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#ifdef SCALAR
#define KERNEL(name) void scalar_##name(int n, const struct in *restrict in, struct out *restrict out)
#define SIMD
#define SIMD_WITH(clauses)
#define LOOP(clauses)
#else
#define KERNEL(name) void vector_##name(int n, const struct in *restrict in, struct out *restrict out)
#define PRAGMA(text) _Pragma(#text)
#define SIMD PRAGMA(omp simd)
#define SIMD_WITH(clauses) PRAGMA(omp simd clauses)
#define LOOP(clauses) PRAGMA(clang loop clauses)
#endif

#include "kernels.h"

#define NOINLINE __attribute__((noinline))

// ---- control flow ----

KERNEL(straight) {
  SIMD
  for (int i = 0; i < n; i++) out->f[i] = in->f[i] * 3.0f + in->g[i];
}

KERNEL(condition) {
  SIMD
  for (int i = 0; i < n; i++) {
    if (in->i[i] > 3) out->i[i] = in->i[i] / (in->i[i] - 2);
    else if (in->i[i] & 1) out->f[i] = in->f[i];
  }
}

KERNEL(divergent_loop) {
  SIMD
  for (int i = 0; i < n; i++) {
    int x = in->i[i], steps = 0;
    while (x > 1) {
      x = x & 1 ? 3 * x + 1 : x / 2;
      steps++;
    }
    out->i[i] = steps;
  }
}

KERNEL(nested_divergent_loops) {
  SIMD
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < (in->i[i] & 7); j++)
      for (int k = j; k < (in->b[i] & 15); k += 1 + (j & 1)) sum += in->i[(k + i) & 63] ^ j;
    out->i[i] = sum;
  }
}

KERNEL(several_exits) {
  SIMD
  for (int i = 0; i < n; i++) {
    int j = 0, how = 0;
    for (;; j++) {
      if (in->b[(i + j) & 63] == 7) { how = 1; break; }
      if (j > in->i[i]) { how = 2; break; }
      if (j == 40) goto enough;
    }
    how += 10;
  enough:
    out->i[i] = j * 100 + how;
  }
}

KERNEL(breaks_two_loops) {
  SIMD
  for (int i = 0; i < n; i++) {
    int found = -1;
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 8; k++)
        if (in->b[(i + 8 * j + k) & 63] == (in->b[i] ^ 1)) { found = j * 8 + k; goto out; }
  out:
    out->i[i] = found;
  }
}

KERNEL(continues) {
  SIMD
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < 20; j++) {
      if ((in->i[i] >> (j & 7)) & 1) continue;
      sum += j;
      if (sum > 60) continue;
      sum ^= in->b[j];
    }
    if (sum == 3) continue;
    out->i[i] = sum;
  }
}

KERNEL(continues_of_the_loop_itself) {
  int i = 0, sum = 0;
  LOOP(vectorize(assume_safety))
  while (i < n) {
    int x = in->i[i++];
    if (x % 3 == 0) continue;
    out->i[i - 1] = x;
    if (x & 1) continue;
    sum += x;
  }
  out->l[0] = sum;
}

KERNEL(continues_with_a_pointer) {
  const int *p = in->i, *end = in->i + n;
  int sum = 0;
  LOOP(vectorize(assume_safety))
  while (p != end) {
    int x = *p++;
    if (x % 3 == 0) continue;
    sum += x;
  }
  out->l[0] = sum;
}

static inline int early(const struct in *in, int i) {
  if (in->i[i] < 2) return -1;
  for (int j = 0; j < 10; j++) {
    if (in->b[j] == in->b[i]) return j;
    if (in->i[j] > 100) return j + 100;
  }
  return -2;
}

KERNEL(early_return) {
  SIMD
  for (int i = 0; i < n; i++) out->i[i] = early(in, i);
}

KERNEL(jumps) {
  SIMD
  for (int i = 0; i < n; i++) {
    int x = in->i[i];
    if (x & 1) goto odd;
    x += 5;
    if (x > 20) goto end;
  odd:
    x *= 3;
  end:
    out->i[i] = x;
  }
}

KERNEL(divergent_switch) {
  SIMD
  for (int i = 0; i < n; i++) {
    int x = in->i[i];
    switch (in->b[i] & 7) {
    case 0: x += 1; break;
    case 1: x *= 7;
    case 2: x ^= 0x55; break;
    case 5: x = in->i[x & 63]; break;
    default: x = -x;
    }
    out->i[i] = x;
  }
}

KERNEL(uniform_switch) {
  int which = in->i[1] & 3;
  SIMD
  for (int i = 0; i < n; i++) {
    switch (which) {
    case 0: out->i[i] = in->i[i] + 1; break;
    case 1: out->i[i] = in->i[i] * in->i[i]; break;
    case 2: out->f[i] = in->f[i]; break;
    default: out->i[i] = 9;
    }
  }
}

KERNEL(cannot_happen) {
  SIMD
  for (int i = 0; i < n; i++) {
    int x = in->b[i] & 3;
    switch (x) {
    case 0: x = 5; break;
    case 1: x = 11; break;
    case 2: x = 3; break;
    case 3: x = in->i[i]; break;
    default: __builtin_unreachable();
    }
    out->i[i] = x;
  }
}

KERNEL(endless_with_break) {
  SIMD
  for (int i = 0; i < n; i++) {
    unsigned x = in->i[i] + 1;
    for (;;) {
      x = x * 1103515245u + 12345u;
      if ((x >> 16) % 7 == 3) break;
    }
    out->i[i] = (int)x;
  }
}

KERNEL(irreducible) {
  SIMD
  for (int i = 0; i < n; i++) {
    int x = in->i[i], steps = 0;
    if (x & 1) goto middle;
  top:
    x -= 3;
    steps++;
  middle:
    x -= in->b[i] & 3;
    steps += 10;
    if (x > 0 && steps < 300) goto top;
    out->i[i] = x + steps;
  }
}

KERNEL(irreducible_switch) {
  SIMD
  for (int i = 0; i < n; i++) {
    int x = in->i[i], steps = 0;
    switch (x & 3) {
      do {
      case 0: x += 5;
      case 1: x ^= 9;
      case 2: steps++;
      default: x -= 11;
      } while (x > 0 && steps < 20);
    }
    out->i[i] = x * 32 + steps;
  }
}

_Noreturn void failed(int);

KERNEL(assertion) {
  SIMD
  for (int i = 0; i < n; i++) {
    if (in->i[i] < 0) failed(i);
    out->i[i] = in->i[i] * 2;
  }
}

// ---- reductions ----

KERNEL(sum) {
  int s = 3;
  SIMD_WITH(reduction(+ : s))
  for (int i = 0; i < n; i++) s += in->i[i];
  out->i[0] = s;
}

KERNEL(product) {
  unsigned s = 3;
  SIMD_WITH(reduction(* : s))
  for (int i = 0; i < n; i++) s *= in->i[i] | 1;
  out->i[0] = (int)s;
}

KERNEL(bits) {
  int a = -1, o = 0, x = 5;
  SIMD_WITH(reduction(& : a) reduction(| : o) reduction(^ : x))
  for (int i = 0; i < n; i++) {
    a &= in->i[i] | 0xf0;
    o |= in->i[i] & 0x3c;
    x ^= in->i[i];
  }
  out->i[0] = a;
  out->i[1] = o;
  out->i[2] = x;
}

KERNEL(extremes) {
  int lo = 1000, hi = -1000;
  float flo = 1000, fhi = -1000;
  SIMD_WITH(reduction(min : lo, flo) reduction(max : hi, fhi))
  for (int i = 0; i < n; i++) {
    int x = in->i[i];
    float y = in->f[i];
    lo = x < lo ? x : lo;
    hi = x > hi ? x : hi;
    flo = y < flo ? y : flo;
    fhi = y > fhi ? y : fhi;
  }
  out->i[0] = lo;
  out->i[1] = hi;
  out->f[0] = flo;
  out->f[1] = fhi;
}

// Small whole numbers: the order does not matter.
KERNEL(float_sum) {
  float s = 2;
  SIMD_WITH(reduction(+ : s))
  for (int i = 0; i < n; i++) s += in->w[i];
  out->f[0] = s;
}

KERNEL(float_sum_in_order) {
  float s = 2, t = 1;
  LOOP(vectorize(assume_safety) vectorize_width(4))
  for (int i = 0; i < n; i++) {
    s += in->f[i];
    if (in->i[i] & 1) t *= in->g[i];
  }
  out->f[0] = s;
  out->f[1] = t;
}

KERNEL(conditional_sum) {
  int s = 0, c = 0;
  SIMD_WITH(reduction(+ : s, c))
  for (int i = 0; i < n; i++)
    if (in->f[i] > 0) {
      s += in->i[i];
      c++;
    }
  out->i[0] = s;
  out->i[1] = c;
}

KERNEL(sum_of_inner_loops) {
  int s = 0;
  SIMD_WITH(reduction(+ : s))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < (in->i[i] & 7); j++) s += in->b[(i * j) & 63];
  out->i[0] = s;
}

KERNEL(place_of_minimum) {
  float best = 1e30f;
  int at = -1;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    float x = in->w[i];
    if (x < best) {
      best = x;
      at = i;
    }
  }
  out->f[0] = best;
  out->i[0] = at;
}

KERNEL(place_of_last_maximum) {
  int best = -1000000, at = -1;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    int x = in->i[i];
    if (x >= best) {
      best = x;
      at = i;
    }
  }
  out->i[0] = best;
  out->i[1] = at;
}

KERNEL(by_turns) {
  int sign = 1, odd = 0;
  double scale = 0.5;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    out->i[i] = sign * in->i[i] + odd;
    out->d[i] = scale * in->d[i];
    sign = -sign;
    odd ^= 1;
    scale = -scale;
  }
  out->l[0] = sign + odd;
  out->f[0] = (float)scale;
}

KERNEL(moving_bits) {
  unsigned up = 3, down = 0xf0000000u;
  SIMD
  for (int i = 0; i < n; i++) {
    out->i[i] = in->i[i] & (int)(up | down);
    up <<= 1;
    down >>= 3;
  }
  out->l[0] = up;
  out->l[1] = down;
}

KERNEL(ring) {
  unsigned at = (unsigned)in->i[0] & 255, other = 5;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    out->i[i] = in->i[at & 63] + in->b[other];
    at = (at + 1) & 31;
    other = (other - 3) & 63;
  }
  out->l[0] = at;
  out->l[1] = other;
}

KERNEL(triangle) {
  long at = 5, back = 900;
  LOOP(vectorize(assume_safety))
  for (long i = 0; i < n; i++) {
    out->i[i] = in->i[at & 63] + in->b[back & 63];
    at += i;
    back -= 2 * i;
  }
  out->l[0] = at;
  out->l[1] = back;
}

// ---- iterations ----

KERNEL(steps) {
  SIMD
  for (int i = n - 1; i >= 0; i -= 3) out->i[i] = in->i[i] + i;
}

KERNEL(long_counter) {
  SIMD
  for (long long i = 5; i <= n; i += 2) out->d[i] = in->d[i] * 2;
}

KERNEL(unsigned_counter) {
  LOOP(vectorize(assume_safety) vectorize_width(4))
  for (unsigned i = 0; i < (unsigned)n; i++) out->i[i] = in->i[i] - (int)i;
}

KERNEL(pointers) {
  const float *p = in->f, *q = in->g;
  float *r = out->f;
  LOOP(vectorize(assume_safety) vectorize_width(8))
  for (const float *end = in->f + n; p != end; p++, q++, r++) *r = *p - *q;
}

KERNEL(several_inductions) {
  int j = 7, k = 1000;
  LOOP(vectorize(assume_safety) vectorize_width(4))
  for (int i = 0; i < n; i++) {
    out->i[i] = in->i[i] + j * k;
    j += 3;
    k -= 11;
  }
  out->i[70] = j - k;
}

KERNEL(linear_clause) {
  int j = 2, step = in->i[2] & 3;
  SIMD_WITH(linear(j : 2) linear(step : 1))
  for (int i = 0; i < n; i++) {
    out->i[i] = in->i[j & 63] + step;
    j += 2;
    step += 1;
  }
  out->i[70] = j + step;
}

KERNEL(variable_step) {
  int step = (in->i[2] & 3) + 1, j = 0;
  LOOP(vectorize(assume_safety) vectorize_width(4))
  for (int i = 0; i < n; i++) {
    out->i[i] = in->i[j & 63];
    j += step;
  }
}

KERNEL(simdlen) {
  SIMD_WITH(simdlen(4))
  for (int i = 0; i < n; i++) out->f[i] = in->f[i] + 1;
}

KERNEL(safelen) {
  SIMD_WITH(safelen(4))
  for (int i = 4; i < n + 4; i++) out->i[i] = out->i[i - 4] + 1;
}

KERNEL(private_and_lastprivate) {
  int t, last = -5;
  SIMD_WITH(private(t) lastprivate(last))
  for (int i = 0; i < n; i++) {
    t = in->i[i] * 2;
    out->i[i] = t;
    last = t + i;
  }
  out->i[71] = n > 0 ? last : -5;
}

KERNEL(aligned_clause) {
  const float *p = in->f;
  float *q = out->f;
  SIMD_WITH(aligned(p, q : 64))
  for (int i = 0; i < n; i++) q[i] = p[i] * 2;
}

KERNEL(if_clause) {
  SIMD_WITH(if (n > 20))
  for (int i = 0; i < n; i++) out->i[i] = in->i[i] - 1;
}

KERNEL(nontemporal_clause) {
  float *q = out->f;
  SIMD_WITH(nontemporal(q))
  for (int i = 0; i < n; i++) q[i] = in->f[i] * 5;
}

KERNEL(collapsed) {
  SIMD_WITH(collapse(2))
  for (int i = 0; i < n / 8; i++)
    for (int j = 0; j < 8; j++) out->i[i * 8 + j] = in->i[i * 8 + j] + i * j;
}

KERNEL(checked) {
  LOOP(vectorize(enable) vectorize_width(8))
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < (in->b[i] & 3); j++) s += in->i[j];
    out->i[i] = s;
  }
}

struct list {
  int length;
  int *elements;
};

static NOINLINE void each_of(const struct list *list, const int *from) {
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < list->length; i++) list->elements[i] = from[i] - 7;
}

KERNEL(bound_in_memory) {
  struct list list = {n, out->i};
  each_of(&list, in->i);
}

// ---- memory ----

// Accesses that nobody promised anything about.

static NOINLINE void add(int n, int *to, const int *from, const unsigned char *flags) {
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++)
    if (flags[i] & 1) to[i] = to[i] + from[i];
}

KERNEL(perhaps_overlapping) {
  add(n, out->i, in->i, in->b);
  add(n, out->i + 3, out->i, in->b);
  add(n, out->i, out->i + 5, in->b);
  add(n, out->i, out->i, in->b);
  add(n, out->i + 64, out->i, in->b);
}

static NOINLINE void rows(long n, long width, float *to, const float *from) {
  LOOP(vectorize(enable))
  for (long i = 0; i < n; i++) {
    float sum = 0;
    for (long j = 0; j < width; j++) sum += from[4 * i + j] * 2;
    to[i] += sum;
  }
}

KERNEL(perhaps_overlapping_rows) {
  rows(n / 4, n & 3, out->f, in->f);
  rows(n / 4, 3, out->f, out->f + 64);
  rows(n / 4, 3, out->f + 1, out->f);
}

static NOINLINE void backwards(int n, short *to, const short *from) {
  LOOP(vectorize(enable))
  for (long i = n - 1; i >= 0; i--) to[i] = from[2 * i] - 1;
}

KERNEL(perhaps_overlapping_backwards) {
  backwards(n, out->s, (const short *)in->l);
  backwards(n, out->s + 1, out->s);
  backwards(n, out->s, out->s + 1);
}

static NOINLINE void two_loops(int n, int *to, const int *from) {
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++) to[i] = from[i] + 1;
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++) to[i] = from[n - i] ^ to[i];
}

KERNEL(perhaps_overlapping_twice) {
  two_loops(n - (n == 64), out->i, in->i);
  two_loops(n / 2, out->i + 30, out->i);
  two_loops(n / 2, out->i, out->i + 3);
}

// Two outputs of each input, of which LLVM only sees that its place grows.
static NOINLINE void halves(long n, unsigned char *to, const unsigned char *from) {
  LOOP(vectorize(enable))
  for (unsigned long i = 0; i < (unsigned long)n; i++) {
    unsigned x = from[i / 2];
    to[i] = i & 1 ? x >> 4 : x & 15;
  }
}

static NOINLINE void thirds(long n, int *to, const int *from) {
  LOOP(vectorize(enable))
  for (unsigned long i = 0; i < (unsigned long)n; i++) to[i] = from[i / 3 + 1] - from[i / 3];
}

KERNEL(perhaps_overlapping_parts) {
  halves(n, out->b, in->b);
  halves(n, out->b, out->b + 40);
  halves(n, out->b + n / 2, out->b);
  halves(n, out->b, out->b + n - 1);
  thirds(n, out->i, in->i);
  thirds(n, out->i + 2 + n / 3, out->i);
  thirds(n, out->i + 1 + n / 3, out->i);
}

static NOINLINE void looked_up(int n, unsigned char *to, const unsigned char *from) {
  static const unsigned char table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++) to[i] = table[from[i] & 15] + 1;
}

KERNEL(perhaps_overlapping_but_for_a_table) {
  looked_up(n, out->b, in->b);
  looked_up(n, out->b + 1, out->b);
  looked_up(n, out->b, out->b);
}

KERNEL(read_before_it_is_written) {
  LOOP(vectorize(enable))
  for (long i = 0; i < n; i++) {
    int next = out->i[i + 1];
    out->i[i] = next + in->i[i];
  }
}

KERNEL(written_again_and_again) {
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++) {
    out->i[in->b[i]] = i;
    if (in->i[i] > 40) out->l[100] = in->i[i];
  }
}

struct element {
  int a;
  short b, c;
  double d;
};

static NOINLINE void fields(int n, struct element *all) {
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++) {
    all[i].a += all[i].b;
    if (all[i].c & 1) all[i].d = all[i].a;
  }
}

KERNEL(fields_of_elements) { fields(n / 2, (struct element *)out->d); }

KERNEL(prefetched) {
  LOOP(vectorize(enable))
  for (int i = 0; i < n; i++) {
    __builtin_prefetch(&in->i[i] + 32);
    out->i[i] = in->i[i] * 5;
  }
}

KERNEL(filled) {
  int half = n / 2;
  LOOP(vectorize(enable))
  for (int i = 0; i < half; i++) memset(&out->b[i], in->b[i], 1 + (in->b[i] & 7));
}

KERNEL(behind_a_computed_goto) {
  static void *const ways[] = {&&once, &&done};
  int *o = out->i, again = 0;
  goto *ways[n & 1];
once:
  SIMD
  for (int i = 0; i < n; i++) o[i] = in->i[i] + 1;
  goto *ways[again++ > 0 || (n & 2)];
done:
  out->i[127] = n;
}

KERNEL(reversed) {
  SIMD
  for (int i = 0; i < n; i++) out->i[63 - i] = in->i[63 - i] + 1;
}

// Fields of records: some, all, under a condition, what was just written.
struct record { int a, b, c; };

KERNEL(fields_of_records) {
  const struct record *from = (const struct record *)in->i;
  struct record *to = (struct record *)out->i;
  SIMD
  for (int i = 0; i < n / 3; i++) {
    to[i].b = from[i].a + from[i].c;
    if (from[i].b & 1) {
      to[i].a = from[i].b * 2;
      to[i].c = to[i].b - from[i].a;
    }
  }
}

KERNEL(bytes_of_pixels) {
  SIMD
  for (int i = 0; i < n / 3; i++) {
    out->b[3 * i + 1] = (77 * in->b[3 * i] + 150 * in->b[3 * i + 1] + 29 * in->b[3 * i + 2]) >> 8;
    out->b[3 * i + 2] = in->b[3 * i];
    out->b[3 * i] = in->b[3 * i + 2];
  }
}

KERNEL(complex_numbers) {
  SIMD
  for (int i = 0; i < n / 2; i++) {
    out->f[2 * i] = in->f[2 * i] * in->g[2 * i] - in->f[2 * i + 1] * in->g[2 * i + 1];
    out->f[2 * i + 1] = in->f[2 * i] * in->g[2 * i + 1] + in->f[2 * i + 1] * in->g[2 * i];
  }
}

KERNEL(strided) {
  SIMD
  for (int i = 0; i < n / 2; i++) out->i[2 * i] = in->i[2 * i + 1];
}

KERNEL(gather_scatter) {
  SIMD
  for (int i = 0; i < n; i++) out->i[in->p[i]] = in->i[in->b[i] & 63];
}

KERNEL(uniform_address) {
  SIMD
  for (int i = 0; i < n; i++) out->i[i] = in->i[i] > 5 ? in->i[3] : in->i[4];
}

KERNEL(bytes) {
  SIMD
  for (int i = 0; i < n; i++) out->b[i] = (unsigned char)((in->b[i] * 3 + in->b[63 - i]) >> 1);
}

KERNEL(shorts) {
  SIMD
  for (int i = 0; i < n; i++) out->s[i] = (short)(in->s[i] > 0 ? in->s[i] * in->s[63 - i] : -in->s[i]);
}

KERNEL(longs) {
  SIMD
  for (int i = 0; i < n; i++) out->l[i] = in->l[i] * in->l[63 - i] + (in->l[i] >> 3);
}

KERNEL(wide) {
  SIMD
  for (int i = 0; i < n; i++) {
    __int128 x = in->l[i];
    x *= in->l[63 - i];
    out->l[i] = (int64_t)(x >> 40);
  }
}

KERNEL(flags) {
  SIMD
  for (int i = 0; i < n; i++) out->t[i] = in->f[i] > in->g[i];
}

KERNEL(addresses) {
  SIMD
  for (int i = 0; i < n; i++) {
    const int *p = in->f[i] > 0 ? &in->i[i] : &in->i[63 - i];
    out->i[i] = *p;
  }
}

typedef float float4 __attribute__((ext_vector_type(4)));

KERNEL(short_vectors) {
  SIMD
  for (int i = 0; i < n / 4; i++) {
    float4 v;
    memcpy(&v, &in->f[4 * i], sizeof v);
    v = v * v + (float4){1, 2, 3, 4};
    out->f[i] = v.x + v.y * v.z - v.w;
  }
}

struct pair { int key; float value; };

KERNEL(structs) {
  SIMD
  for (int i = 0; i < n; i++) {
    struct pair p = {in->i[i], in->f[i]};
    if (p.key < 4) p = (struct pair){in->i[63 - i], 2};
    out->i[i] = p.key;
    out->f[i] = p.value;
  }
}

KERNEL(stack_of_each_lane) {
  SIMD
  for (int i = 0; i < n; i++) {
    int stack[16], top = 0, x = in->i[i] & 255;
    while (x) {
      stack[top++] = x & 15;
      x >>= 2;
    }
    int sum = 0;
    while (top) sum = sum * 3 + stack[--top];
    out->i[i] = sum;
  }
}

KERNEL(stack_of_all_lanes) {
  SIMD
  for (int i = 0; i < n; i++) {
    int stack[16], top = 0;
    float sum = 0;
    stack[top++] = 0;
    while (top) {
      int node = stack[--top];
      sum += in->f[(node + i) & 63];
      if (node < 7) {
        stack[top++] = 2 * node + 2;
        stack[top++] = 2 * node + 1;
      }
    }
    out->f[i] = sum;
  }
}

KERNEL(addresses_before_the_loop) {
  SIMD
  for (int i = 0; i < n; i++) {
    int t[4] = {in->i[i], i, 3, in->b[i]};
    t[in->i[i] & 3] += 5;
    out->i[i] = t[1] * t[2] + t[3] * t[(i >> 1) & 3];
  }
}

KERNEL(private_array) {
  float t[4];
  SIMD_WITH(private(t))
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) t[k] = in->f[i] + k;
    t[in->i[i] & 3] += 5;
    out->f[i] = t[1] * t[2] + t[3] * t[(i >> 1) & 3];
  }
}

KERNEL(volatile_accesses) {
  volatile int *v = out->i;
  SIMD
  for (int i = 0; i < n; i++)
    if (in->i[i] & 1) v[i] = v[i] + in->i[i];
}

KERNEL(atomics) {
  SIMD
  for (int i = 0; i < n; i++) {
    __atomic_fetch_add(&out->i[in->b[i] & 63], 1, __ATOMIC_RELAXED);
  }
}

// ---- conditions that decide whether they are asked again ----

KERNEL(all_of) {
  int all = 1, small = 1;
  SIMD_WITH(reduction(&& : all, small))
  for (int i = 0; i < n; i++) {
    all = all && in->i[i] != 60;
    small = small && in->b[i] < 20 && (in->s[i] & 255) != 7;
  }
  out->i[0] = all;
  out->i[1] = small;
}

// Whether there is a least number is known together with where it is.
KERNEL(place_if_there_is_one) {
  float least = 3;
  int some = 0, place = 0;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    float x = in->f[i];
    if (x < least) {
      least = x;
      some = 1;
      place = i;
    }
  }
  out->i[0] = some;
  out->i[1] = place;
}

KERNEL(any_of) {
  _Bool any = 0;
  SIMD_WITH(reduction(|| : any))
  for (int i = 0; i < n; i++) any = any || fabsf(in->f[i]) > 9.8f;
  out->t[0] = any;
}

KERNEL(all_of_what_is_read) {
  _Bool all = 1;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    int x = in->i[i];
    out->i[i] = x;
    all = all && x != 60;
  }
  out->t[0] = all;
}

// ---- steps that are known when the program runs ----

static NOINLINE void every(int n, int by, const int *restrict in, int *restrict to) {
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i += by) to[i] = in[i] * 3;
}

KERNEL(steps_up) { every(n, 1 + n % 3, in->i, out->i); }

static NOINLINE void every_down(int n, int by, const int *restrict in, int *restrict to) {
  LOOP(vectorize(assume_safety))
  for (int i = n - 1; i >= 0; i -= by) to[i] = in[i] * 5;
}

KERNEL(steps_down) { every_down(n, 1 + n % 4, in->i, out->i); }

static NOINLINE void every_element(float *at, const float *end, long by) {
  LOOP(vectorize(assume_safety))
  for (; at < end; at += by) *at = *at * 2;
}

KERNEL(counted_down) {
  LOOP(vectorize(assume_safety))
  for (unsigned i = n; i-- > 0;) out->i[i] = in->i[i] + 1;
}

KERNEL(steps_of_pointers) {
  for (int i = 0; i < 64; i++) out->f[i] = in->f[i];
  every_element(out->f, out->f + n, 1 + n % 5);
}

// ---- values of the iterations before ----

static NOINLINE void three(int n, const float *restrict from, float *restrict to) {
  SIMD
  for (int i = 1; i < n - 1; i++) to[i] = from[i - 1] + 2 * from[i] + from[i + 1];
}

KERNEL(stencil) { three(n, in->f, out->f); }

static NOINLINE void middles(int n, const int *restrict from, int *restrict to) {
  SIMD
  for (int i = 0; i < n - 2; i++) {
    int window[3] = {from[i], from[i + 1], from[i + 2]};
    to[i] = window[from[i] % 3u];
  }
}

KERNEL(neighbours_in_an_array) { middles(n, in->i, out->i); }

KERNEL(differences) {
  float x = 0.5f;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    float y = in->f[i];
    out->f[i] = y - x;
    x = y;
  }
  out->f[n] = x;
}

static NOINLINE void ranges(int n, const unsigned char *restrict row, const int *restrict in, int *restrict to) {
  SIMD
  for (int i = 0; i < n - 1; i++) {
    int s = 0;
    for (int j = row[i]; j < row[i + 1]; j++) s += in[j & 63];
    to[i] = s;
  }
}

KERNEL(row_starts) { ranges(n, in->b, in->i, out->i); }

KERNEL(neighbours_under_conditions) {
  int before = 7, earlier = -3;
  LOOP(vectorize(assume_safety))
  for (int i = 0; i < n; i++) {
    int now = in->i[i] ^ 5;
    if (now > before) out->i[i] = now - earlier;
    earlier = before;
    before = now;
  }
  out->i[n] = before + earlier;
}

// ---- calls ----

KERNEL(intrinsics) {
  SIMD
  for (int i = 0; i < n; i++) {
    out->f[i] = __builtin_sqrtf(__builtin_fabsf(in->f[i])) + __builtin_floorf(in->g[i]);
    out->i[i] = __builtin_popcount(in->i[i]) + __builtin_clz(in->i[i] | 1);
  }
}

KERNEL(math) {
  SIMD
  for (int i = 0; i < n; i++) out->d[i] = in->i[i] > 2 ? sin(in->d[i]) : exp(in->d[i] * 0.01);
}

static NOINLINE int callee(int x, int y) {
  int s = x;
  while (s > y) s = (s - y) / 2;
  return s;
}

KERNEL(calls) {
  SIMD
  for (int i = 0; i < n; i++) out->i[i] = in->i[i] & 1 ? callee(in->i[i], 5) : 1;
}

static NOINLINE int recursive(int x) { return x < 3 ? x : recursive(x - 1) + recursive(x - 2) % 5; }

KERNEL(recursion) {
  SIMD
  for (int i = 0; i < n; i++) out->i[i] = recursive(in->i[i] & 15);
}

static NOINLINE int sum_of(int n, ...) {
  va_list all;
  int s = 0;
  va_start(all, n);
  while (n--) s += va_arg(all, int);
  va_end(all);
  return s;
}

KERNEL(any_number_of_arguments) {
  SIMD
  for (int i = 0; i < n; i++)
    if (in->b[i] & 1) out->i[i] = sum_of(3, in->i[i], i, 5);
}

KERNEL(copies) {
  SIMD
  for (int i = 0; i < n / 4; i++) {
    memcpy(&out->i[4 * i], &in->i[in->p[i] & 31], (in->b[i] & 3) * 4);
    if (in->b[i] & 4) memset(&out->b[4 * i], in->b[i], 3);
  }
}

// Inlining leaves a mark in the loop that pointers do not overlap; it is no access.
static int total(const int *restrict next, const int *restrict weight, int *restrict seen, int at, int own) {
  int s = 0;
  for (int k = 0; k < 4; k++) {
    s += weight[at & 63];
    at = next[at & 63];
  }
  seen[own] = at;
  return s;
}

static NOINLINE void totals(int n, const int *next, const int *weight, int *seen, int *to) {
  SIMD
  for (int i = 0; i < n; i++) to[next[i]] = total(next, weight, seen, i, next[i]);
}

KERNEL(restrict_helper) { totals(n, in->p, in->i, out->i, out->i + 64); }
