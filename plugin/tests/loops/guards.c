// Runs each loop on arrays that begin behind, or end before, a page that may not be touched.
#include "guarded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

typedef int kernel(int, int *, const int *, const int *);
#define DECLARE(name) kernel scalar_##name, vector_##name;
GUARDED(DECLARE)

static const struct {
  const char *name;
  kernel *scalar, *vector;
} kernels[] = {
#define ENTRY(name) {#name, scalar_##name, vector_##name},
    GUARDED(ENTRY)};

// A page between two that must not be touched.
static char *page(void) {
  char *all = mmap(0, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + PAGE, PAGE, PROT_READ | PROT_WRITE)) abort();
  return all + PAGE;
}

int main(void) {
  char *pages[4] = {page(), page(), page(), page()};
  int failures = 0;
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    for (int n = 0; n <= 70; n++) {
      for (int end = 0; end < 2; end++) {
        int *at[4];
        for (int i = 0; i < 4; i++) at[i] = (int *)(end ? pages[i] + PAGE - n * sizeof(int) : pages[i]);
        for (int i = 0; i < n; i++) {
          at[0][i] = at[1][i] = -1;
          at[2][i] = i * 7 % 19;
          at[3][i] = i * 5 % 23 - 6;
        }
        int wanted = kernels[k].scalar(n, at[0], at[2], at[3]);
        // Says which loop it was if it touches what it must not.
        fprintf(stderr, "%s %d\n", kernels[k].name, n);
        int got = kernels[k].vector(n, at[1], at[2], at[3]);
        failures += wanted != got || memcmp(at[0], at[1], n * sizeof(int));
      }
    }
  }
  fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
