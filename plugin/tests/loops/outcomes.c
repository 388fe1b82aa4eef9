// What a loop finds out is tested behind it: LLVM would make several loops of one, for each outcome. Each loop is vectorized.

#include <stdio.h>

#define N 130
#define FUNCTION static __attribute__((noinline)) void

static int in[N], to[N], done;

FUNCTION any(int n) {
  int found = 0;
#pragma omp simd reduction(|| : found)
  for (int i = 0; i < n; i++) found = found || in[i] == 3;
  if (found) done += 5;
}

FUNCTION all_of_them(int n) {
  int good = 1;
#pragma omp simd reduction(&& : good)
  for (int i = 0; i < n; i++) good = good && in[i] < 60;
  if (good) done += 7;
}

static int copied(int n) {
  int bad = 0;
#pragma omp simd reduction(|| : bad)
  for (int i = 0; i < n; i++)
    if (in[i] > 80) bad = 1;
    else to[i] = in[i];
  if (bad) return -1;
  return 1;
}

FUNCTION copies(int n) { done += copied(n); }

FUNCTION a_few_times(int n) {
  for (int r = 0; r < 3; r++) {
    int changed = 0;
#pragma omp simd reduction(| : changed)
    for (int i = 0; i < n; i++)
      if (in[i] > 10) in[i] -= 10, changed = 1;
    if (!changed) break;
    done++;
  }
}

FUNCTION until_nothing_changes(int n) {
  int changed = 1;
  while (changed) {
    changed = 0;
#pragma omp simd reduction(| : changed)
    for (int i = 0; i < n; i++)
      if (in[i] > 40) in[i] -= 40, changed = 1;
    done++;
  }
}

static void (*const each[])(int) = {any, all_of_them, copies, a_few_times, until_nothing_changes};

int main(void) {
  for (int n = 0; n < N; n += 3)
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < N; i++) in[i] = (i * 37 + round * 11) % (40 + 30 * round), to[i] = done = 0;
      for (size_t k = 0; k < sizeof each / sizeof *each; k++) each[k](n);
      unsigned hash = done;
      for (int i = 0; i < N; i++) hash = hash * 31 + in[i] + to[i];
      printf("%d %d %x\n", n, done, hash);
    }
}
