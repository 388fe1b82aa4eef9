// Hashes of keys of all lengths, in words of 32 bits (the mixing is MurmurHash3's).
#include <stdint.h>

static inline uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

void hash(int n, const uint32_t *restrict words, const int *restrict starts, const int *restrict lengths,
          uint32_t *restrict hashes) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    uint32_t h = 0;
    for (int at = 0; at < lengths[i]; at++) {
      h ^= rotate(words[starts[i] + at] * 0xcc9e2d51u, 15) * 0x1b873593u;
      h = rotate(h, 13) * 5 + 0xe6546b64u;
    }
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    hashes[i] = h ^ h >> 16;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 14 };

struct data { uint32_t *words, *hashes; int *starts, *lengths; };

const char *const inputs[] = {"up to 8 words", "up to 64 words", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  uint32_t longest = input ? 64 : 8;
  it->words = ARRAY(uint32_t, COUNT * longest);
  it->starts = ARRAY(int, COUNT);
  it->lengths = ARRAY(int, COUNT);
  for (int i = 0, end = 0; i < COUNT; i++) {
    it->starts[i] = end;
    it->lengths[i] = 1 + (int)random_below(longest);
    for (int at = 0; at < it->lengths[i]; at++) it->words[end++] = random_bits();
  }
  it->hashes = RESULT(uint32_t, COUNT);
  return it;
}

void run(struct data *it) { hash(COUNT, it->words, it->starts, it->lengths, it->hashes); }
