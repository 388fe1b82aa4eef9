// The place of the best so far, which is read again to be compared: `if (a[i] < a[best]) best = i;`.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 150
#define PRAGMA(x) _Pragma(#x)
#define FUNCTION static __attribute__((noinline)) void

static signed char i8[N];
static unsigned short u16[N];
static int i32[N];
static unsigned long u64[N];
static float f32[N], matrix[N][N];
static double f64[N];
static int order[N], divisor[N];
static int *pointer[N], *behind[N];
static struct { int name; float cost; } record[N];

static void place(long at) { printf(" %ld", at); }

// ---- the first or last, by counters of each kind ----

#define LEAST(name, from, op, counter, marks)                        \
  FUNCTION name(int n) {                                             \
    counter best = 0;                                                \
    PRAGMA(marks)                                                    \
    for (counter i = 1; i < (counter)n; i++)                         \
      if (from[i] op from[best]) best = i;                           \
    place(best);                                                     \
  }

LEAST(first_least_byte, i8, <, int, clang loop vectorize(assume_safety))
LEAST(last_least_byte, i8, <=, long, clang loop vectorize(enable))
LEAST(first_greatest_short, u16, >, unsigned, clang loop vectorize(assume_safety))
LEAST(first_least_int, i32, <, int, clang loop vectorize(enable))
LEAST(last_greatest_int, i32, >=, size_t, clang loop vectorize(assume_safety))
LEAST(first_greatest_long, u64, >, int, clang loop vectorize(assume_safety))
LEAST(first_least_float, f32, <, int, clang loop vectorize(enable))
LEAST(last_least_double, f64, <=, size_t, clang loop vectorize(assume_safety))

// ---- the other way round, in other words ----

FUNCTION kept_unless_greater(int n) {
  int best = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++) best = i32[best] >= i32[i] ? best : i;
  place(best);
}

FUNCTION backwards(int n) {
  int best = n - 1;
#pragma clang loop vectorize(assume_safety)
  for (int i = n - 2; i >= 0; i--)
    if (i32[i] > i32[best]) best = i;
  place(best);
}

FUNCTION by_pointers(int n) {
  const float *best = f32;
#pragma clang loop vectorize(assume_safety)
  for (const float *p = f32 + 1; p < f32 + n; p++)
    if (*p < *best) best = p;
  place(best - f32);
}

// ---- from somewhere else, with something else ----

FUNCTION behind_a_start(int n) {
  int best = n / 2;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (f64[i] > f64[best]) best = i;
  place(best);
}

FUNCTION with_the_least(int n) {
  int best = 0, sum = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++) {
    sum += i32[i];
    if (i32[i] < i32[best]) best = i;
  }
  place(best), place(i32[best]), place(sum);
}

FUNCTION least_and_greatest(int n) {
  int least = 0, greatest = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++) {
    if (i32[i] < i32[least]) least = i;
    if (i32[i] > i32[greatest]) greatest = i;
  }
  place(least), place(greatest);
}

FUNCTION while_something_is_written(int n) {
  int best = 0;
  static int copy[N];
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++) {
    if (i32[i] < i32[best]) best = i;
    copy[i] = i32[i] * 3;
  }
  place(best), place(copy[n > 1 ? n - 1 : 0]);
}

// ---- what is compared is computed ----

FUNCTION pivot(int n) {
  int best = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++)
    if (fabsf(matrix[i][5]) > fabsf(matrix[best][5])) best = i;
  place(best);
}

FUNCTION cheapest(int n) {
  int best = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++)
    if (record[i].cost < record[best].cost) best = i;
  place(record[best].name);
}

FUNCTION farthest(int n) {
  int best = 0;
  float x = f32[3];
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++)
    if ((f32[i] - x) * (f32[i] - x) > (f32[best] - x) * (f32[best] - x)) best = i;
  place(best);
}

FUNCTION in_an_order(int n) {
  int best = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++)
    if (i32[order[i]] < i32[order[best]]) best = i;
  place(best);
}

// ---- in inner loops ----

FUNCTION least_of_a_matrix(int n) {
  float least = 1000;
  int row = -1, column = -1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 7; j++)
      if (matrix[i][j] < least) least = matrix[i][j], row = i, column = j;
  place(row);
  place(column);
}

FUNCTION last_greatest_of_rows(int n) {
  int greatest = -1, at = -1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < order[i] % 6 && i + j < n; j++)
      if (i32[i + j] >= greatest) greatest = i32[i + j], at = 10 * i + j;
  place(greatest);
  place(at);
}

FUNCTION row_of_the_least(int n) {
  int best = 1000, at = -1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    int least = 1000;
    for (int j = 0; j <= i % 4; j++)
      if (i32[i - j] < least) least = i32[i - j];
    if (least < best) best = least, at = i;
  }
  place(at);
}

// ---- what may only be read, or divided by, where something better is found ----

FUNCTION what_the_least_points_to(int n) {
  int least = 1000, name = -1, more = -1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if (i32[i] < least) least = i32[i], name = *pointer[i], more = 1000 / divisor[i] + i;
  place(name);
  place(more);
}

FUNCTION what_the_last_greatest_points_to(int n) {
  int greatest = -1, name = -1;
#pragma clang loop vectorize(enable)
  for (int i = n - 1; i >= 0; i--)
    if (i32[i] >= greatest) greatest = i32[i], name = *behind[i];
  place(name);
}

// ---- the first that is found ----

FUNCTION first_found(int n) {
  int at = -1;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (at < 0 && i32[i] > 80) at = i;
  place(at);
}

FUNCTION first_equal(int n) {
  long at = -1;
#pragma omp simd
  for (long i = 0; i < n; i++)
    if (at == -1 && i8[i] == 7) at = i;
  place(at);
}

FUNCTION first_by_two_conditions(int n) {
  int at = -1;
  float with = 3;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (at < 0 && f32[i] > 5 && i32[i] < 60) at = i, with = f32[i];
  place(at);
  place(with);
}

// Where something was found before the loop, that stays.
FUNCTION first_if_there_is_none(int n) {
  int at = n % 3 - 1;
#pragma omp simd
  for (int i = 5; i < n; i++)
    if (i32[i] > 70 && at < 0) at = i;
  place(at);
}

FUNCTION first_that_is_read_anyway(int n) {
  int at = -1, sum = 0;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    int x = i32[i];
    sum += x;
    if (x > 75 && at < 0) at = i;
  }
  place(at);
  place(sum);
}

// ---- what is only looked up in some iterations ----

// Where nothing is compared, `asked` points nowhere.
static int *asked[N], *alone[N], *rare[N];

FUNCTION least_of_some(int n) {
  int best = n / 3;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if (i8[i] > 0 && *asked[i] < *asked[best]) best = i;
  place(best);
}

FUNCTION last_greatest_of_some(int n) {
  long best = 0, times = 0;
#pragma clang loop vectorize(assume_safety)
  for (long i = n - 1; i >= 0; i--) {
    if (i8[i] <= 0) continue;
    if (f64[i] >= f64[best]) best = i, times = 3 * i;
  }
  place(best), place(times);
}

FUNCTION next_to_visit(int n) {
  int next = -1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if (i8[i] > 0 && (next == -1 || i32[i] < i32[next])) next = i;
  place(next);
}

FUNCTION next_if_there_was_none(int n) {
  int next = n % 3 - 1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if (i8[i] > 100 && (next < 0 || *rare[i] < *rare[next])) next = i;
  place(next);
}

FUNCTION greatest_if_there_is_one(int n) {
  int best = -1;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (best < 0 || *alone[i] > *alone[best]) best = i;
  place(best);
}

FUNCTION cheapest_in_an_order(int n) {
  long best = -1, name = 7;
#pragma omp simd
  for (long i = 0; i < n; i++)
    if (u16[i] % 3 == 0 && (best < 0 || i32[order[i]] <= i32[order[best]])) best = i, name = u16[i];
  place(best), place(name);
}

static void (*const all[])(int) = {first_least_byte, last_least_byte, first_greatest_short, first_least_int, last_greatest_int,
    first_greatest_long, first_least_float, last_least_double, kept_unless_greater, backwards, by_pointers, behind_a_start,
    with_the_least, least_and_greatest, while_something_is_written, pivot, cheapest, farthest, in_an_order,
    least_of_a_matrix, last_greatest_of_rows, row_of_the_least, what_the_least_points_to, what_the_last_greatest_points_to,
    first_found, first_equal, first_by_two_conditions, first_if_there_is_none, first_that_is_read_anyway,
    least_of_some, last_greatest_of_some, next_to_visit, next_if_there_was_none, greatest_if_there_is_one, cheapest_in_an_order};

int main(void) {
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) {
      unsigned x = (i + round * 977 + 1) * 2654435761u >> 7;
      i8[i] = x, u16[i] = x % 61, i32[i] = x % 90, u64[i] = x * 0x9e3779b97f4a7c15ul;
      f32[i] = (int)(x % 43) - 21, f64[i] = x % 77;
      matrix[i][5] = (int)(x % 201) - 100, matrix[i][x % 5] = (int)(x % 19) - 90, order[i] = x % N;
      record[i].name = x % 1000, record[i].cost = x % 51;
      if (round == 2 && x % 5 == 0) f32[i] = i % 2 ? NAN : -0.0f, f64[i] = NAN, matrix[i][5] = NAN;
    }
    for (int n = 1; n <= N; n += n < 40 ? 1 : 13) {
      // Where no iteration looks, there is nothing.
      for (int i = 0, least = 1000; i < N; i++) {
        divisor[i] = i32[i] < least, pointer[i] = divisor[i] ? &order[i] : 0;
        if (divisor[i]) least = i32[i];
      }
      for (int i = n - 1, greatest = -1; i >= 0; i--) {
        behind[i] = i32[i] >= greatest ? &order[i] : 0;
        if (behind[i]) greatest = i32[i];
      }
      int some = 0, few = 0;
      for (int i = 0; i < n; i++) some |= i8[i] > 0, few |= i8[i] > 100;
      for (int i = 0; i < N; i++) {
        asked[i] = i < n && (i8[i] > 0 || (some && i == n / 3)) ? &i32[i] : 0;
        rare[i] = i < n && (i8[i] > 100 || (few && i == n % 3 - 1)) ? &i32[i] : 0;
        alone[i] = 1 < n && i < n ? &i32[i] : 0;
      }
      for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        printf("%d %d", n, (int)k);
        all[k](n);
        printf("\n");
      }
    }
  }
}
