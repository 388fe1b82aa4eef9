// Counts what differs from what is wanted on lane `i`.
#include <stdio.h>

static int checks, failures;

#define CHECK(what, have, want) \
  do { \
    ++checks; \
    if ((have) != (want)) { \
      ++failures; \
      printf("%s, lane %d: %g, not %g\n", what, i, (double)(have), (double)(want)); \
    } \
  } while (0)
