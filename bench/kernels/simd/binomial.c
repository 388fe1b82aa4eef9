// What American put options are worth, by a binomial tree for each: an option may be exercised at any step.
enum { STEPS = 63 };

void binomial(int n, float rate, const float *restrict spot, const float *restrict strike, const float *restrict up,
              float *restrict put) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float value[STEPS + 1], price[STEPS + 1];
    float u = up[i], d = 1 / u, p = (1 + rate - d) / (u - d), discount = 1 / (1 + rate);
    float lowest = spot[i];
    for (int j = 0; j < STEPS; j++) lowest *= d;
    for (int j = 0; j <= STEPS; j++) {
      price[j] = lowest;
      value[j] = strike[i] > lowest ? strike[i] - lowest : 0;
      lowest *= u * u;
    }
    for (int step = STEPS; step > 0; step--)
      for (int j = 0; j < step; j++) {
        price[j] *= u;
        float wait = discount * (p * value[j + 1] + (1 - p) * value[j]), now = strike[i] - price[j];
        value[j] = now > wait ? now : wait;
      }
    put[i] = value[0];
  }
}

// ----
#include "kernel.h"

enum { COUNT = 512 };

struct data { float *spot, *strike, *up, *put; };

const char *const inputs[] = {"512 options", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->spot = random_floats(COUNT, 20, 120);
  it->strike = random_floats(COUNT, 20, 120);
  it->up = random_floats(COUNT, 1.01f, 1.06f);
  it->put = RESULT(float, COUNT);
  return it;
}

void run(struct data *it) { binomial(COUNT, 0.0005f, it->spot, it->strike, it->up, it->put); }
