#include "functions.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };

static float x[N], y[N], from_loop[N], alone[N];
static int n[N], m[N], m_alone[N];
static int failures;

static int distance(float a, float b) {
  int i, j;
  memcpy(&i, &a, 4);
  memcpy(&j, &b, 4);
  return a == b ? 0 : abs(i - j);
}

static void same(const char *what, int ulps) {
  for (int i = 0; i < N; ++i)
    if (distance(from_loop[i], alone[i]) > ulps) {
      printf("%s: %a and alone %a at %d\n", what, from_loop[i], alone[i], i);
      ++failures;
    }
}

int main(int argc, char **argv) {
  float (*volatile ours_alone)(float, int) = ours;
  int (*volatile recursive_alone)(int) = recursive;
  float (*volatile waves_alone)(float, float) = waves;
  float (*volatile calls_alone)(const float *, int, float) = calls_theirs;
  int ulps = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < N; ++i) {
    x[i] = (float)(i * 37 % 50) / 3 - 2;
    y[i] = (float)(i % 5) - 1.5f;
    n[i] = i * 7 % 13;
  }
#pragma omp simd
  for (int i = 0; i < N; ++i)
    from_loop[i] = ours(x[i], n[i]);
  for (int i = 0; i < N; ++i)
    alone[i] = ours_alone(x[i], n[i]);
  same("ours", 0);
#pragma omp simd
  for (int i = 0; i < N; ++i)
    m[i] = recursive(n[i]);
  for (int i = 0; i < N; ++i)
    m_alone[i] = recursive_alone(n[i]);
  failures += memcmp(m, m_alone, sizeof m) != 0;
#pragma omp simd
  for (int i = 0; i < N; ++i)
    from_loop[i] = waves(x[i], y[i]);
  for (int i = 0; i < N; ++i)
    alone[i] = waves_alone(x[i], y[i]);
  same("waves", ulps);
#pragma omp simd
  for (int i = 0; i < N; ++i)
    from_loop[i] = calls_theirs(x, i, 2.5f);
  for (int i = 0; i < N; ++i)
    alone[i] = calls_alone(x, i, 2.5f);
  same("calls_theirs", 0);
  printf("%d failures\n", failures);
  return failures != 0;
}
