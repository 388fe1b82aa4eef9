// Marked loops that are declined although the first pass prepared them: they go back from one block, arrays have another life in them, and
// LLVM is not told that a call does not return.

#include <stdlib.h>

int with_continue(const int *a, int n) {
  int i = 0, s = 1;
#pragma clang loop vectorize(assume_safety)
  while (i < n) {
    i++;
    if (a[i] < 0) continue;
    s = s * 31 + a[i];
  }
  return s;
}

int last_of_an_array(const int *a, int n, int *out) {
  int own[8], s = 1;
#pragma omp simd lastprivate(own)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++) own[(k + i) % 8] = a[i] + k;
    s = s * 31 + own[a[i] & 7];
  }
  for (int k = 0; k < 8; k++) out[k] = own[k];
  return s;
}

int array_of_each(const int *a, int n) {
  int own[8], s = 1;
#pragma omp simd private(own)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++) own[(k + i) % 8] = a[i] + k;
    s = s * 31 + own[a[i] & 7];
  }
  return s;
}

int outside_array(const int *a, int n) {
  int own[8], s = 1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++) own[(k + i) % 8] = a[i] + k;
    s = s * 31 + own[a[i] & 7];
  }
  return s;
}

int may_end(const int *a, int n) {
  int s = 1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) abort();
    s = s * 31 + a[i];
  }
  return s;
}
