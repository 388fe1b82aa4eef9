// Runs the libraries that compilers made of one example, in turn, and says how long each took and whether all agree.
//
//   driver SECONDS [-o FILE] LIBRARY...
//
// With no seconds each runs once more, for its results only.
//
// One line for each input and library: its number, the name of the input, the median of CPU seconds per run, how many runs there
// were, and how the results compare with those of the first library: `same`, `within X` or `DIFFERENT`. With -o the first result of the last library is written to FILE.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct data;

enum { LIBRARIES = 16, RESULTS = 16, RUNS = 2000, FEWEST = 7 };

struct library {
  void *handle;
  struct data *(*setup)(int);
  void (*run)(struct data *);
  const char *const *inputs;
  double times[RUNS];
  int runs;
  float difference;
};

struct results {
  void *memory, *expected;
  size_t bytes;
  float difference;
};

static struct library libraries[LIBRARIES];
static struct results results[RESULTS];
static int result_count;

static _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "driver: %s: %s\n", what, why);
  exit(2);
}

void *array(size_t bytes) {
  size_t whole = (bytes + 127) / 64 * 64;
  void *memory = aligned_alloc(64, whole);
  if (!memory) fail("array", "no memory");
  return memset(memory, 0, whole);
}

static void *add_result(size_t bytes, float difference) {
  if (result_count == RESULTS) fail("result", "too many");
  struct results *it = &results[result_count++];
  *it = (struct results){array(bytes), array(bytes), bytes, difference};
  return it->memory;
}

void *result(size_t bytes) { return add_result(bytes, 0); }
float *close_result(size_t count, float difference) { return add_result(count * sizeof(float), difference); }

// The largest difference of two numbers, relative to the larger of them and one; infinite if one of them is none.
static float largest_difference(const float *a, const float *b, size_t count) {
  float largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (!memcmp(&a[i], &b[i], sizeof *a)) continue;
    float difference = fabsf(a[i] - b[i]) / fmaxf(1, fmaxf(fabsf(a[i]), fabsf(b[i])));
    if (!(difference <= largest)) largest = isnan(difference) ? INFINITY : difference;
  }
  return largest;
}

// How far results are from those of the first library; infinite if farther than they may be.
static float difference(void) {
  float largest = 0;
  for (int i = 0; i < result_count; i++) {
    struct results *it = &results[i];
    if (!memcmp(it->memory, it->expected, it->bytes)) continue;
    if (it->difference == 0) return INFINITY;
    float far = largest_difference(it->memory, it->expected, it->bytes / sizeof(float));
    if (far > it->difference) return INFINITY;
    largest = fmaxf(largest, far);
  }
  return largest;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// What a run leaves depends on nothing that was there before it.
static void once(struct library *it, struct data *data, int number) {
  for (int i = 0; i < result_count; i++) memset(results[i].memory, 0x5a, results[i].bytes);
  it->run(data);
  for (int i = 0; i < result_count && number == 0; i++)
    memcpy(results[i].expected, results[i].memory, results[i].bytes);
  it->difference = difference();
}

// Loads a library as it was at first: it may remember which of its loops were fast with the data before.
static void load(const char *path, struct library *it) {
  if (it->handle) dlclose(it->handle);
  it->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!it->handle) fail(path, dlerror());
  *(void **)&it->setup = dlsym(it->handle, "setup");
  *(void **)&it->run = dlsym(it->handle, "run");
  it->inputs = dlsym(it->handle, "inputs");
  if (!it->setup || !it->run || !it->inputs) fail(path, "`setup`, `run` or `inputs` is missing");
}

static void pin(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((unsigned)sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void write_result(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(results[0].memory, 1, results[0].bytes, file) != results[0].bytes || fclose(file))
    fail(path, "cannot be written");
}

int main(int argc, char **argv) {
  char *end = "none";
  double seconds = argc > 1 ? strtod(argv[1], &end) : 0;
  const char *picture = argc > 3 && !strcmp(argv[2], "-o") ? argv[3] : 0;
  int first = picture ? 4 : 2, count = argc - first;
  if (count < 1 || count > LIBRARIES || !(seconds >= 0) || *end) fail("usage", "driver SECONDS [-o FILE] LIBRARY...");
  pin();
  for (int input = 0;; input++) {
    for (int i = 0; i < count; i++) load(argv[first + i], &libraries[i]);
    if (!libraries[0].inputs[input]) return 0;
    result_count = 0;
    struct data *data = libraries[0].setup(input);
    for (int i = 0; i < count; i++) once(&libraries[i], data, i);
    if (picture && input == 0) write_result(picture);
    double spent = 0;
    for (int turn = 0; turn < RUNS && (spent < seconds || turn < (seconds > 0 ? FEWEST : 1)); turn++) {
      for (int i = 0; i < count; i++) {
        double start = now();
        libraries[i].run(data);
        spent += libraries[i].times[turn] = now() - start;
        libraries[i].runs = turn + 1;
      }
    }
    for (int i = 0; i < count; i++) {
      struct library *it = &libraries[i];
      qsort(it->times, (size_t)it->runs, sizeof *it->times, by_size);
      printf("%d\t%s\t%.9f\t%d\t", i, libraries[0].inputs[input], it->times[it->runs / 2], it->runs);
      if (it->difference == 0) puts("same");
      else if (isinf(it->difference)) puts("DIFFERENT");
      else printf("within %.1e\n", (double)it->difference);
    }
    fflush(stdout);
  }
}
