// k-means, the assignment: which of the centres is nearest to each point?
enum { DIMENSIONS = 9 };

void assign(int n, const float *restrict points, int k, const float *restrict centres, int *restrict nearest) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float best = 1e30f;
    int at = 0;
    for (int c = 0; c < k; c++) {
      float distance = 0;
      for (int d = 0; d < DIMENSIONS; d++) {
        float difference = points[d * n + i] - centres[c * DIMENSIONS + d];
        distance += difference * difference;
      }
      if (distance < best) {
        best = distance;
        at = c;
      }
    }
    nearest[i] = at;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 13, CENTRES = 16 };

struct data { float *points, *centres; int *nearest; };

const char *const inputs[] = {"9-D, 16 centres", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->points = random_floats(DIMENSIONS * COUNT, 0, 1);
  it->centres = random_floats(DIMENSIONS * CENTRES, 0, 1);
  it->nearest = RESULT(int, COUNT);
  return it;
}

void run(struct data *it) { assign(COUNT, it->points, CENTRES, it->centres, it->nearest); }
