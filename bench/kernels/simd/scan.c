// Where do fields end? From each start, look for the next comma or line end.
void scan(int n, const char *restrict text, const int *restrict starts, int *restrict ends) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int at = starts[i];
    while (text[at] != ',' && text[at] != '\n') at++;
    ends[i] = at;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 14 };

struct data { char *text; int *starts, *ends; };

const char *const inputs[] = {"fields of 1 to 8", "fields of 1 to 100", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  uint32_t longest = input ? 100 : 8;
  it->text = ARRAY(char, COUNT * (longest + 1));
  it->starts = ARRAY(int, COUNT);
  for (int i = 0, end = 0; i < COUNT; i++) {
    it->starts[i] = end;
    for (uint32_t left = 1 + random_below(longest); left; left--) it->text[end++] = (char)('a' + random_below(26));
    it->text[end++] = i % 8 == 7 ? '\n' : ',';
  }
  it->ends = RESULT(int, COUNT);
  return it;
}

void run(struct data *it) { scan(COUNT, it->text, it->starts, it->ends); }
