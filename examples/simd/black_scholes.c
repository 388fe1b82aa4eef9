// What European options are worth. Exponentials and logarithms are those of libmvec (-fveclib=libmvec), and so is the error function
// by which the normal distribution is defined; with -DPOLYNOMIAL that is a polynomial and one more exponential, as in older programs.
#include <math.h>

#ifdef POLYNOMIAL
static inline float normal(float x) {
  float k = 1 / (1 + 0.2316419f * fabsf(x));
  float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.3989422804f * expf(-0.5f * x * x) * p;
  return x < 0 ? tail : 1 - tail;
}
#else
static inline float normal(float x) { return 0.5f + 0.5f * erff(0.7071067812f * x); }
#endif

void black_scholes(int n, float rate, const float *restrict spot, const float *restrict strike,
                   const float *restrict years, const float *restrict volatility, float *restrict call) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float spread = volatility[i] * sqrtf(years[i]);
    float d = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility[i] * volatility[i]) * years[i]) / spread;
    call[i] = spot[i] * normal(d) - strike[i] * expf(-rate * years[i]) * normal(d - spread);
  }
}

// ----
// flags: -fno-math-errno
// vector flags: -fveclib=libmvec
// variant polynomial: -DPOLYNOMIAL
#include "kernel.h"

enum { COUNT = 1 << 15 };

struct data { float *spot, *strike, *years, *volatility, *call; };

const char *const inputs[] = {"32768 options", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->spot = random_floats(COUNT, 20, 120);
  it->strike = random_floats(COUNT, 20, 120);
  it->years = random_floats(COUNT, 0.1f, 5);
  it->volatility = random_floats(COUNT, 0.1f, 0.6f);
  it->call = close_result(COUNT, 3e-5f);
  return it;
}

void run(struct data *it) {
  black_scholes(COUNT, 0.03f, it->spot, it->strike, it->years, it->volatility, it->call);
}
