// Forces of particles on each other within a cut-off, as in molecular dynamics: most pairs are too far apart.
#include <math.h>

void forces(int n, float cutoff, const float *restrict xs, const float *restrict ys, const float *restrict zs,
            const float *restrict charges, float *restrict energies) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float energy = 0;
    for (int j = 0; j < n; j++) {
      float x = xs[i] - xs[j], y = ys[i] - ys[j], z = zs[i] - zs[j], square = x * x + y * y + z * z;
      if (square > cutoff || square == 0) continue;
      float r = sqrtf(square), close = 1 / (square * square * square);
      energy += charges[i] * charges[j] / r + close * close - close;
    }
    energies[i] = energy;
  }
}

// ----
// flags: -fno-math-errno
#include "kernel.h"

enum { COUNT = 1 << 10 };

struct data { float *xs, *ys, *zs, *charges, *energies, cutoff; };

const char *const inputs[] = {"1 % within", "50 % within", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->xs = random_floats(COUNT, 0, 20);
  it->ys = random_floats(COUNT, 0, 20);
  it->zs = random_floats(COUNT, 0, 20);
  it->charges = random_floats(COUNT, -1, 1);
  it->energies = RESULT(float, COUNT);
  it->cutoff = input ? 165 : 8;
  return it;
}

void run(struct data *it) { forces(COUNT, it->cutoff, it->xs, it->ys, it->zs, it->charges, it->energies); }
