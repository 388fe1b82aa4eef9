// Loops in which an iteration may end the program. Behind what they read and write lies a page that must not be touched.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

struct part {
  int *data;
  long length, wanted;
};

// LLVM knows that the iteration before passed the test, and asks for equality.
static void tested(struct part *p) {
  int *data = p->data;
  long length = p->length;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    if (i >= length) abort();
    data[i] = 3 * i;
  }
}

static inline int *at(struct part *p, long i) {
  if (i >= p->length) abort();
  return &p->data[i];
}

static void tested_in_a_function(struct part *p) {
#pragma clang loop vectorize(assume_safety)
  for (long i = 0; i < p->wanted; i++) *at(p, i) = i ^ 5;
}

// The second test says all that the first asks of the iteration behind.
static void tested_twice(struct part *p) {
  int *data = p->data;
  long length = p->length;
  if (length <= 0) return;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    if (i >= length) abort();
    data[i] = i + 1;
    if (i + 1 >= length) abort();
  }
}

static void tested_within(struct part *p) {
  int *data = p->data;
  long length = p->length;
#pragma omp simd
  for (long i = 0; i < p->wanted / 2; i++)
    for (long k = 2 * i; k < 2 * i + 2; k++) {
      if (k >= length) abort();
      data[k] = k - i;
    }
}

static _Noreturn __attribute__((noinline)) void ends(const char *why, long i) {
  fprintf(stderr, "%s: %ld\n", why, i);
  abort();
}

static void tested_with_words(struct part *p) {
  int *data = p->data;
  long length = p->length;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    switch (i < length) {
    case 0: ends("out of bounds", i);
    case 1: data[i] = -i; break;
    default: __builtin_trap();
    }
  }
}

// Clang has code behind the trap.
static void tested_with_a_trap(struct part *p) {
  int *data = p->data;
  long length = p->length;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    if (i >= length) __builtin_trap();
    data[i] = i ^ 3;
  }
}

// Two ends, one behind the other.
static void end(void) { abort(); }

static __attribute__((noinline)) void check(struct part *p, long i) {
  if (i >= p->length) {
    end();
    abort();
  }
}

static void tested_elsewhere(struct part *p) {
  int *data = p->data;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    check(p, i);
    data[i] = i * 7;
  }
}

static void ended_twice(struct part *p) {
  int *data = p->data;
  long length = p->length;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    if (i >= length) {
      end();
      abort();
    }
    data[i] = i - 9;
  }
}

// LLVM knows of an address that it is none of nothing, and that nobody divides by zero.
static inline __attribute__((returns_nonnull)) int *within(struct part *p, long i) {
  if (i >= p->length) abort();
  return &p->data[i];
}

static void tested_twice_in_a_function(struct part *p) {
  if (p->length <= 0) return;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    *within(p, i) = i + 2;
    within(p, i + 1);
  }
}

static inline long behind(struct part *p, long i) {
  if (i < p->length) return p->length - i;
  abort();
}

static void divided(struct part *p) {
  int *data = p->data;
  if (p->length <= 0) return;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    data[i] = 100 / behind(p, i);
    data[i] += 100 / behind(p, i + 1);
  }
}

// A function that never returns gives something back, too.
static int *nowhere(void) { abort(); }

static void tested_elsewhere_for_an_address(struct part *p) {
  int *data = p->data;
  long length = p->length;
  if (length <= 0) return;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    int *to = i < length ? &data[i] : nowhere();
    *to = i - 4;
    if (i + 1 >= length) *nowhere() = 3;
  }
}

// Behind the loop the program ends in any case: that is no end of an iteration.
static void ends_behind_it(struct part *p) {
  int *data = p->data;
  long length = p->length, sum = 0;
#pragma omp simd reduction(+ : sum)
  for (long i = 0; i < p->wanted; i++) {
    if (i >= length) abort();
    data[i] = 5 * i;
    sum += data[i];
  }
  if (sum != 5 * p->wanted * (p->wanted - 1) / 2) ends("another sum", sum);
  exit(0);
}

static void ends_behind_several(struct part *p) {
  int *data = p->data;
  long length = p->length, sum = 0;
#pragma omp simd
  for (long i = 0; i < p->wanted; i++) {
    if (i >= length) abort();
    data[i] = 1;
  }
#pragma clang loop vectorize(assume_safety)
  for (long i = 0; i < p->wanted; i++) sum += data[i];
  exit(sum != p->wanted);
}

// One end is that of iterations and of what is before and behind the loop.
static void ends_in_one_place(struct part *p) {
  int *data = p->data;
  long length = p->length, i;
  if (length < 0) goto fail;
#pragma clang loop vectorize(assume_safety)
  for (i = 0; i < p->wanted; i++) {
    if (i >= length) goto fail;
    data[i] = i - 5;
  }
  if (data[0] != -5) goto fail;
  return;
fail:
  abort();
}

// What is tested behind a loop is not tested in it.
static void tested_behind_it(struct part *p) {
  int *data = p->data;
  long length = p->length, sum = 0, wanted = p->wanted < length ? p->wanted : length;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < wanted; i++) data[i] = i & 3;
#pragma clang loop vectorize(assume_safety)
  for (long i = 0; i < length; i++) sum += data[i] & 4;
  if (sum != 0) abort();
  if (p->wanted > length) abort();
}

static const struct {
  const char *name;
  void (*run)(struct part *);
} loops[] = {{"tested", tested},
             {"tested_in_a_function", tested_in_a_function},
             {"tested_twice", tested_twice},
             {"tested_within", tested_within},
             {"tested_with_words", tested_with_words},
             {"tested_with_a_trap", tested_with_a_trap},
             {"tested_elsewhere", tested_elsewhere},
             {"ended_twice", ended_twice},
             {"tested_twice_in_a_function", tested_twice_in_a_function},
             {"divided", divided},
             {"tested_elsewhere_for_an_address", tested_elsewhere_for_an_address},
             {"ends_behind_it", ends_behind_it},
             {"ends_behind_several", ends_behind_several},
             {"ends_in_one_place", ends_in_one_place},
             {"tested_behind_it", tested_behind_it}};

// Those that end with the last iteration, since there is no next.
static int asks_for_the_next(void (*run)(struct part *)) {
  return run == tested_twice || run == tested_twice_in_a_function || run == divided || run == tested_elsewhere_for_an_address;
}

// How a program ends that wants so many numbers.
static int end_of(unsigned loop, int *data, long length, long wanted) {
  pid_t child = fork();
  if (child == 0) {
    struct part p = {data, length, wanted};
    loops[loop].run(&p);
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int main(void) {
  char *pages = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE)) return 2;
  int failures = 0;
  for (unsigned loop = 0; loop < sizeof loops / sizeof *loops; loop++)
    for (long length = 1; length <= 40; length += 3)
      for (long more = 0; more <= 40; more += 8) {
        int *data = (int *)(pages + PAGE) - length;
        int twice = asks_for_the_next(loops[loop].run);
        int end = loops[loop].run == tested_with_a_trap ? SIGILL : SIGABRT;
        int wanted = more || twice ? end : 0;
        int got = end_of(loop, data, length, length + more);
        if (got != wanted) fprintf(stderr, "%s: %ld of %ld ended with %d\n", loops[loop].name, length + more, length, got);
        failures += got != wanted;
      }
  fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
