// FNV-1a hashes of strings of all lengths.
#include <stdint.h>

void hash(int n, const char *restrict text, const int *restrict starts, uint32_t *restrict hashes) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    uint32_t h = 2166136261u;
    for (const char *c = text + starts[i]; *c; c++) h = (h ^ (uint8_t)*c) * 16777619u;
    hashes[i] = h;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 14 };

struct data { char *text; int *starts; uint32_t *hashes; };

const char *const inputs[] = {"up to 20 letters", "up to 200 letters", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  uint32_t longest = input ? 200 : 20;
  it->text = ARRAY(char, COUNT * (longest + 1));
  it->starts = ARRAY(int, COUNT);
  for (int i = 0, end = 0; i < COUNT; i++, end++) {
    it->starts[i] = end;
    for (uint32_t left = 1 + random_below(longest); left; left--) it->text[end++] = (char)('a' + random_below(26));
  }
  it->hashes = RESULT(uint32_t, COUNT);
  return it;
}

void run(struct data *it) { hash(COUNT, it->text, it->starts, it->hashes); }
