// Lanes that see each other, as C and as C++.
#include "laneweaver.h"

#ifdef __cplusplus
extern "C" {
#endif

// Called by the function below, where its lanes are those of the caller.
__attribute__((noinline)) int odd_ones(int x) { return lw_popcount(x & 1); }

#pragma omp declare simd simdlen(4) notinbranch
int across(int x) {
  int r = lw_reduce_add(x) * 1000 + lw_lane() * 100 + lw_lanes() * 10;
  if (x > 2)
    r += odd_ones(x);
  return r + lw_any(x == 3);
}

#pragma omp declare simd simdlen(4) notinbranch
int bits(int x) {
  int r = (int)lw_ballot(x > 2) + lw_all(x > 0) * 100 + lw_most(x > 1) * 200 + lw_most(x > 2) * 400;
  if (x > 2)
    r += 1000 * (int)lw_ballot(lw_mask()) + lw_most(x < 6) * 10000 + lw_most(x > 3) * 20000;
  return r;
}

#pragma omp declare simd simdlen(4) notinbranch
float moves(float x, int k) {
  float swapped = lw_shuffle(x, lw_lane() ^ 1);
  float first = lw_broadcast(x);
  float last = lw_extract(x, lw_lanes() - 1);
  float with = lw_insert(x, 1, 50.0f);
  float dense = lw_compact(x, k != 1);
  float most = lw_reduce_max(x) - lw_reduce_min(x);
  if (lw_lane() >= lw_popcount(k != 1))
    dense = 0;
  return swapped + 10 * first + 100 * last + with + 1000 * dense + most;
}

#pragma omp declare simd simdlen(2) notinbranch
double wide(double x, unsigned long k) {
  return lw_reduce_mul(x) + (double)(lw_reduce_max(k) - lw_reduce_and(k));
}

#pragma omp declare simd simdlen(2) notinbranch
long combined(unsigned long x, long y) {
  long r = (long)(lw_reduce_or(x) * 100 + lw_reduce_xor(x)) + lw_reduce_min(y) * 10000 + lw_reduce_add(y);
  return lw_shuffle(r, lw_lanes() - 1 - lw_lane()) + lw_extract(y, lw_lanes() - 1);
}

#ifdef __cplusplus
}
#endif
