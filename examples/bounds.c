// Lookups in a table, for `lw analyze examples/bounds.c --analysis bounds` (or null, ranges, constants, bits, classes).
#include <stddef.h>

static int table[16];

struct reading {
  int count;
  int values[8];
  struct reading *next;
};

int lookup(unsigned i) {
  return table[i & 15];
}

int checked(int i) {
  if (i < 0 || i >= 16)
    return -1;
  return table[i];
}

int off_by_one(void) {
  int sum = 0;
  for (int i = 0; i <= 16; i++)
    sum += table[i];
  return sum;
}

int last(void) {
  int local[4] = {1, 2, 3, 4};
  return local[4];
}

int average(struct reading *r) {
  int sum = 0;
  if (r->count == 0)
    return 0;
  for (int i = 0; i < r->count; i++)
    sum += r->values[i];
  if (r->next != NULL)
    sum += r->next->count;
  return sum / r->count;
}
