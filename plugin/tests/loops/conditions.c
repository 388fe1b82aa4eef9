// Loops that go on while several conditions hold, as iterators that end at different times do.
#include <stdio.h>
#include <string.h>

#define FUNCTION __attribute__((noinline)) static void
enum { N = 160 };

static int in[2 * N], to[N];

FUNCTION indices(int n, int m) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n && i < 2 * m; i++) to[i] = in[i] > 7 ? in[i] * 3 : 1;
}

FUNCTION pointers(int n, int m) {
  int *p = to, *q = in, *end = to + n, *last = in + 2 * m;
#pragma clang loop vectorize(assume_safety)
  for (; p != end && q != last; p++, q += 2) *p = *q + 1;
}

FUNCTION pointers_that_may_miss(int n, int m) {
  int *p = to, *q = in, *end = to + n, *last = in + m;
#pragma clang loop vectorize(assume_safety)
  for (; p < end && q < last; p++, q += 2) *p = *q + 1;
}

FUNCTION towards_nothing(int n, int m) {
  int i = 0, j = m, at = -1;
#pragma clang loop vectorize(assume_safety)
  for (; i < n && j > 3; i++, j--)
    if (in[i] > 30) at = i;
  to[0] = at;
  to[1] = i * 1000 + j;
}

FUNCTION at_least_once(int n, int m) {
  int s = 0, i = 0, j = m;
#pragma clang loop vectorize(assume_safety)
  do {
    s ^= in[i] + j;
    i++;
    j -= 2;
  } while (i < n && j > 0);
  to[0] = s;
  to[1] = i * 1000 + j;
}

FUNCTION in_order(int n, int m) {
  float s = 0;
  int *p = in, *q = in + N, *end = p + n, *last = q + m;
#pragma clang loop vectorize(assume_safety)
  while (p != end && q != last) s += *p++ * 0.37f * *q++;
  memcpy(to, &s, sizeof s);
}

static void (*const all[])(int, int) = {indices, pointers, pointers_that_may_miss, towards_nothing, at_least_once, in_order};

int main(void) {
  for (int i = 0; i < 2 * N; i++) in[i] = i * i % 37;
  for (int n = 0; n < 70; n += n < 18 ? 1 : 13)
    for (int m = 0; m < 70; m += m < 4 ? 1 : 11)
      for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        unsigned hash = 7;
        memset(to, 0, sizeof to);
        all[k](n, m);
        for (int i = 0; i < N; i++) hash = hash * 31 + to[i];
        printf("%d %d %d %08x\n", n, m, (int)k, hash);
      }
}
