// The three hot loops of 644.nab_s (001 §13.2), in shape: neighbours of an atom, by a list. The first and the third have the cascade of 001
// Fig. 9.4, of which most atoms take the first cases. They are one loop for each atom; LOOP says which.
#include <math.h>

#ifndef LOOP
#define LOOP 1
#endif

#define REACH 20.0

#if LOOP == 1
// How much of the space around an atom its neighbours take: the integrals of Hawkins, Cramer and Truhlar.
double neighbours(int n, const int *restrict list, int i, const double *restrict at, const double *restrict radii,
                  const double *restrict sizes) {
  double xi = at[3 * i], yi = at[3 * i + 1], zi = at[3 * i + 2], ri = radii[i], sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int k = 0; k < n; k++) {
    int j = list[k];
    double x = xi - at[3 * j], y = yi - at[3 * j + 1], z = zi - at[3 * j + 2], square = x * x + y * y + z * z;
    if (square > 4 * REACH * REACH) continue;
    double d = sqrt(square), s = sizes[j];
    if (d > REACH + s) continue;
    if (d > REACH - s) {
      double m = 1 / REACH;
      sum -= 0.125 / d * (1 + 2 * d / (d - s) + m * m * (square - 4 * REACH * d - s * s) + 2 * log((d - s) * m));
    } else if (d > 4 * s) {
      double t = s * s / square;
      sum -= s * t / square * (1.0 / 3 + t * (2.0 / 5 + t * (3.0 / 7 + t * (4.0 / 9 + t * (5.0 / 11)))));
    } else if (d > ri + s) {
      sum -= 0.5 * (s / (square - s * s) + 0.5 / d * log((d - s) / (d + s)));
    } else if (d > fabs(ri - s)) {
      double theta = 0.5 * (square + ri * ri - s * s) / (ri * d);
      sum -= 0.25 * ((2 - theta) / ri - 1 / (d + s) + log(ri / (d + s)) / d);
    } else if (ri < s) {
      sum -= 0.5 * (s / (square - s * s) + 2 / ri + 0.5 / d * log((s - d) / (s + d)));
    }
  }
  return sum;
}

#elif LOOP == 2
// Energies of pairs in a solvent, and what they pull at the neighbours; some pairs are bonded and have no part of it.
double neighbours(int n, const int *restrict list, int i, const double *restrict at, const double *restrict charges,
                  const double *restrict sizes, const int *restrict bonded, double *restrict pulls) {
  double xi = at[3 * i], yi = at[3 * i + 1], zi = at[3 * i + 2], qi = charges[i], bi = sizes[i] + 1, sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int k = 0; k < n; k++) {
    int j = list[k];
    double x = xi - at[3 * j], y = yi - at[3 * j + 1], z = zi - at[3 * j + 2], square = x * x + y * y + z * z;
    double born = bi * (sizes[j] + 1), decay = exp(-square / (4 * born)), part = 1 / sqrt(square + born * decay);
    double energy = -qi * charges[j] * part, pull = energy * part * part * (1 - 0.25 * decay);
    if (bonded[j] != i) {
      double close = 1 / square, six = close * close * close;
      if (square < REACH * REACH) {
        energy += qi * charges[j] * sqrt(close) + six * six - six;
        pull += (12 * six * six - 6 * six) * close;
      }
    }
    sum += energy;
    pulls[3 * j] -= pull * x;
    pulls[3 * j + 1] -= pull * y;
    pulls[3 * j + 2] -= pull * z;
  }
  return sum;
}

#else
// How the integrals of the first loop change with distances, and what that pulls at the neighbours.
double neighbours(int n, const int *restrict list, int i, const double *restrict at, const double *restrict radii,
                  const double *restrict sizes, double *restrict pulls) {
  double xi = at[3 * i], yi = at[3 * i + 1], zi = at[3 * i + 2], ri = radii[i], sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int k = 0; k < n; k++) {
    int j = list[k];
    double x = xi - at[3 * j], y = yi - at[3 * j + 1], z = zi - at[3 * j + 2], square = x * x + y * y + z * z;
    if (square > 4 * REACH * REACH) continue;
    double d = sqrt(square), s = sizes[j], change = 0;
    if (d > REACH + s) continue;
    if (d > REACH - s) {
      double m = 1 / REACH, in = 1 / (d - s), whole = 1 + 2 * d * in + m * m * (square - 4 * REACH * d - s * s) + 2 * log((d - s) * m);
      change = 0.125 / d * (4 * in - 2 * d * in * in + m * m * (2 * d - 4 * REACH) - whole / d);
    } else if (d > 4 * s) {
      double t = s * s / square;
      change = -s * t / (square * d) * (4.0 / 3 + t * (12.0 / 5 + t * (24.0 / 7 + t * (40.0 / 9))));
    } else if (d > ri + s) {
      double out = 1 / (square - s * s);
      change = 0.5 * (s * out / d - 2 * d * s * out * out - 0.5 / square * log((d - s) / (d + s)));
    } else if (d > fabs(ri - s)) {
      double rim = 1 / (d + s), turn = 0.5 / ri * (1 - (ri * ri - s * s) / square);
      change = 0.25 * (rim * rim - turn / ri - log(ri * rim) / square - rim / d);
    } else if (ri < s) {
      double out = 1 / (square - s * s);
      change = 0.5 * (s * out / d - 2 * d * s * out * out - 0.5 / square * log((s - d) / (s + d)));
    }
    change /= d;
    sum += change;
    pulls[3 * j] += change * x;
    pulls[3 * j + 1] += change * y;
    pulls[3 * j + 2] += change * z;
  }
  return sum;
}
#endif

// ----
// flags: -fno-math-errno
// vector flags: -fveclib=libmvec
// without boscc too
// variant 2: -DLOOP=2
// variant 3: -DLOOP=3
#include "kernel.h"

enum { ATOMS = 2048, CENTRES = 48, LISTED = 512, CASES = 4 };

struct data {
  double *at, *radii, *sizes, *charges, *pulls;
  int *bonded, *lists;
  float *sums, *sum_of_pulls;
};

// Of neighbours that are listed together, most take the same case; or none know of another.
const char *const inputs[] = {"by distance", "shuffled", 0};

static double random_double(double low, double high) { return low + (high - low) * ((double)random_bits() * 0x1p-32); }

static int case_of(const struct data *it, int i, int j) {
  double square = 0, s = it->sizes[j], r = it->radii[i];
  for (int c = 0; c < 3; c++) square += (it->at[3 * i + c] - it->at[3 * j + c]) * (it->at[3 * i + c] - it->at[3 * j + c]);
  double d = sqrt(square);
  return d > REACH + s ? CASES : d > REACH - s ? 0 : d > 4 * s ? 1 : d > r + s ? 2 : d > fabs(r - s) ? 3 : CASES;
}

// As often as 001 Fig. 9.4 says: of 100 neighbours 35.1 take the first case, 91.3 % of the others the second, 75 % of the rest the third.
static int draw_case(void) {
  double drawn = random_double(0, 100);
  return drawn < 35.1 ? 0 : drawn < 35.1 + 64.9 * 0.913 ? 1 : drawn < 100 - 64.9 * 0.087 * 0.25 ? 2 : 3;
}

// Which atoms are next to atom i: each once, since the loops write to them.
static void list_neighbours(const struct data *it, int i, int *list, int shuffled) {
  static int taken[ATOMS];
  int listed = 0, counts[CASES] = {0};
  memset(taken, 0, sizeof taken);
  for (int k = 0; k < LISTED; k++) counts[draw_case()]++;
  for (int c = 0; c < CASES; c++)
    for (int tries = 0; counts[c] > 0 && tries < 100 * ATOMS; tries++) {
      int j = (int)random_below(ATOMS);
      if (j == i || taken[j] || case_of(it, i, j) != c) continue;
      taken[j] = 1;
      list[listed++] = j;
      counts[c]--;
    }
  for (int j = 0; listed < LISTED; j++)
    if (j != i && !taken[j] && case_of(it, i, j) == 1) list[listed++] = j;
  for (int k = LISTED - 1; k > 0 && shuffled; k--) {
    int other = (int)random_below((uint32_t)k + 1), j = list[k];
    list[k] = list[other];
    list[other] = j;
  }
}

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->at = ARRAY(double, 3 * ATOMS);
  it->radii = ARRAY(double, ATOMS);
  it->sizes = ARRAY(double, ATOMS);
  it->charges = ARRAY(double, ATOMS);
  it->pulls = ARRAY(double, 3 * ATOMS);
  it->bonded = ARRAY(int, ATOMS);
  it->lists = ARRAY(int, CENTRES * LISTED);
  it->sums = close_result(CENTRES, 1e-4f);
  it->sum_of_pulls = close_result(3 * ATOMS, 1e-4f);
  for (int j = 0; j < ATOMS; j++) {
    // Far ones on a shell near the reach, where the first case is.
    double way[3], square = 0, far = j < CENTRES ? 0.2 : j % 3 ? random_double(1.5, REACH - 2.5) : random_double(REACH - 1.2, REACH + 0.8);
    for (int c = 0; c < 3; c++) square += (way[c] = random_double(-1, 1)) * way[c];
    for (int c = 0; c < 3; c++) it->at[3 * j + c] = far * way[c] / sqrt(square);
    it->radii[j] = random_double(1.2, 1.7);
    it->sizes[j] = random_double(0.9, 1.4);
    it->charges[j] = random_double(-0.5, 0.5);
    it->bonded[j] = (int)random_below(CENTRES);
  }
  for (int i = 0; i < CENTRES; i++) list_neighbours(it, i, it->lists + i * LISTED, input);
  return it;
}

void run(struct data *it) {
  memset(it->pulls, 0, 3 * ATOMS * sizeof(double));
  for (int i = 0; i < CENTRES; i++) {
    const int *list = it->lists + i * LISTED;
#if LOOP == 1
    it->sums[i] = (float)neighbours(LISTED, list, i, it->at, it->radii, it->sizes);
#elif LOOP == 2
    it->sums[i] = (float)neighbours(LISTED, list, i, it->at, it->charges, it->sizes, it->bonded, it->pulls);
#else
    it->sums[i] = (float)neighbours(LISTED, list, i, it->at, it->radii, it->sizes, it->pulls);
#endif
  }
  for (int p = 0; p < 3 * ATOMS; p++) it->sum_of_pulls[p] = (float)it->pulls[p];
}
