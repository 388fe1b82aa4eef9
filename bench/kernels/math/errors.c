// The errors of the loops, in units of the last place of the exact result: of floats by functions of doubles, of doubles by those of
// libquadmath. A line for each function: its name, the type, the largest error among normal results, the argument it belongs to,
// among subnormal results, and how many special arguments have another result than the scalar function.
#define _GNU_SOURCE
#include "functions.h"
#include <float.h>
#include <math.h>
#include <quadmath.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 18, BATCH = 1024 };

static __float128 exp10q(__float128 x) { return powq(10, x); }

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static double between(double low, double high) { return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53; }

static const double special[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, INFINITY, -INFINITY, NAN, FLT_MIN, -FLT_MIN, FLT_MAX, -FLT_MAX, 0x1p-149, -0x1p-149,
                                 DBL_MIN, -DBL_MIN, DBL_MAX, -DBL_MAX, 0x1p-1074, -0x1p-1074, 88.7228, -103.97, 709.78, -745.13, 1e10, -1e10};
enum { SPECIAL = sizeof special / sizeof *special };

struct worst {
  double normal, at, with, subnormal;
  int special;
};

// Functions of one argument are compared as if they had two.
#define EXACT1(name, low, high) \
  static double d_##name(double x, double y) { return (void)y, name(x); } \
  static __float128 q_##name(__float128 x, __float128 y) { return (void)y, name##q(x); } \
  static float sf_##name(float x, float y) { return (void)y, name##f(x); } \
  static double sd_##name(double x, double y) { return (void)y, name(x); }
#define EXACT2(name, low, high) \
  static double d_##name(double x, double y) { return name(x, y); } \
  static __float128 q_##name(__float128 x, __float128 y) { return name##q(x, y); } \
  static float sf_##name(float x, float y) { return name##f(x, y); } \
  static double sd_##name(double x, double y) { return name(x, y); }
ONE(EXACT1)
TWO(EXACT2)

#define MEASURE(type, wide, bits, uint, smallest, largest, places, absolute, floor_log, scale) \
  static struct worst measure_##type(void (*loop)(int, const type *, const type *, type *), wide (*exact)(wide, wide), \
                                     type (*scalar)(type, type), double low, double high) { \
    static type x[BATCH], y[BATCH], to[BATCH]; \
    struct worst worst = {0, 0, 0, 0, 0}; \
    for (int done = 0; done < COUNT; done += BATCH) { \
      for (int i = 0; i < BATCH; i++) { \
        uint a = (uint)(random_bits() >> (64 - bits)), b = (uint)(random_bits() >> (64 - bits)); \
        int usual = i % 4 != 0; \
        if (usual) x[i] = (type)between(low, high), y[i] = (type)between(-10, 10); \
        else memcpy(&x[i], &a, sizeof a), memcpy(&y[i], &b, sizeof b); \
      } \
      loop(BATCH, x, y, to); \
      for (int i = 0; i < BATCH; i++) { \
        wide right = exact(x[i], y[i]); \
        if (!(absolute(right) <= largest) || right == 0 || isnan(to[i])) { \
          if (isnan(to[i]) != (right != right)) worst.special++; \
          continue; \
        } \
        int exponent = floor_log(right); \
        int normal = absolute(right) >= smallest; \
        wide unit = scale((wide)1, (normal ? exponent : floor_log((wide)smallest)) - places); \
        double error = isinf(to[i]) ? INFINITY : (double)(absolute(to[i] - right) / unit); \
        if (!normal) worst.subnormal = fmax(worst.subnormal, error); \
        else if (error > worst.normal) worst.normal = error, worst.at = x[i], worst.with = y[i]; \
      } \
    } \
    for (int i = 0; i < SPECIAL; i++) { \
      for (int j = 0; j < BATCH; j++) x[j] = (type)special[i], y[j] = (type)special[j % SPECIAL]; \
      loop(SPECIAL, x, y, to); \
      for (int j = 0; j < SPECIAL; j++) { \
        type wanted = scalar(x[j], y[j]); \
        int same = isnan(wanted) ? isnan(to[j]) : to[j] == wanted && !signbit(to[j]) == !signbit(wanted); \
        int ordinary = isfinite(wanted) && wanted != 0; \
        worst.special += !same && !ordinary; \
      } \
    } \
    return worst; \
  }
MEASURE(float, double, 32, uint32_t, FLT_MIN, FLT_MAX, 23, fabs, ilogb, scalbn)
MEASURE(double, __float128, 64, uint64_t, DBL_MIN, DBL_MAX, 52, fabsq, ilogbq, scalbnq)

static void say(const char *name, const char *type, struct worst worst) {
  printf("%s %s %.3f %a %a %.3f %d\n", name, type, worst.normal, worst.at, worst.with, worst.subnormal, worst.special);
}

#define SAY(name, low, high) \
  void floats_##name(int, const float *, const float *, float *); \
  void doubles_##name(int, const double *, const double *, double *); \
  static void say_##name(void) { \
    say(#name, "float", measure_float(floats_##name, d_##name, sf_##name, low, high)); \
    say(#name, "double", measure_double(doubles_##name, q_##name, sd_##name, low, high)); \
  }
ONE(SAY)
TWO(SAY)

int main(void) {
#define CALL(name, low, high) say_##name();
  ONE(CALL)
  TWO(CALL)
  return 0;
}
