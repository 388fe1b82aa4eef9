// Calls the variants directly and checks what lanes saw of each other; then the functions alone. VARIANTS is how their names begin.
#include <stdio.h>

typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef long longs __attribute__((vector_size(16)));

int across(int), bits(int);
float moves(float, int);
double wide(double, unsigned long);
long combined(unsigned long, long);
#ifdef VARIANTS
#define JOINED(begin, end) begin##end
#define NAME(begin, end) JOINED(begin, end)
#define VARIANT(end) NAME(VARIANTS, end)
ints VARIANT(N4v_across)(ints), VARIANT(N4v_bits)(ints);
floats VARIANT(N4vv_moves)(floats, ints);
doubles VARIANT(N2vv_wide)(doubles, longs);
longs VARIANT(N2vv_combined)(longs, longs);
#endif

static int failures;

static void check(const char *what, double seen, double wanted) {
  if (seen != wanted) {
    printf("%s: %g, not %g\n", what, seen, wanted);
    ++failures;
  }
}

int main(void) {
#ifdef VARIANTS
  ints x = {1, 3, 5, 2}, r = VARIANT(N4v_across)(x);
  for (int t = 0; t < 4; ++t)
    check("across", r[t], 11 * 1000 + t * 100 + 40 + (x[t] > 2 ? 2 : 0) + 1);
  r = VARIANT(N4v_bits)(x);
  for (int t = 0; t < 4; ++t)
    check("bits", r[t], 6 + 100 + 200 + (x[t] > 2 ? 16000 : 0));
  floats f = {1, 2, 4, 8}, m = VARIANT(N4vv_moves)(f, x);
  float dense[4] = {2, 4, 8, 0};
  for (int t = 0; t < 4; ++t)
    check("moves", m[t], f[t ^ 1] + 10 + 800 + (t == 1 ? 50 : f[t]) + 1000 * dense[t] + 7);
  doubles w = VARIANT(N2vv_wide)((doubles){3, 5}, (longs){6, 12});
  check("wide", w[0], 15 + 12 - 4);
  check("wide", w[1], 15 + 12 - 4);
  longs c = VARIANT(N2vv_combined)((longs){6, 12}, (longs){-3, 5});
  check("combined", c[0], 14 * 100 + 10 - 30000 + 2 + 5);
  check("combined", c[1], 14 * 100 + 10 - 30000 + 2 + 5);
#endif
  check("across alone", across(3), 3000 + 10 + 1 + 1);
  check("bits alone", bits(3), 1 + 100 + 200 + 400 + 1000 + 10000);
  check("moves alone", moves(2, 0), 2 + 20 + 200 + 2 + 2000 + 0);
  check("wide alone", wide(3, 6), 3 + 0);
  check("combined alone", combined(6, -3), 6 * 100 + 6 - 30000 - 3 - 3);
  printf("%d failures\n", failures);
  return failures != 0;
}
