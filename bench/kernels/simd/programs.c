// An interpreter of a register machine in which every element has a program of its own: lanes part at each instruction.
#include <stdint.h>

enum opcode { ADD, SUB, MUL, XOR, SHIFT, JUMP_IF, HALT };

struct instruction { uint32_t opcode, number; };

void interpret(int n, const struct instruction *restrict code, const int *restrict entries, const uint32_t *restrict in,
               uint32_t *restrict out) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int at = entries[i], left = 64;
    uint32_t x = in[i], going = 1;
    while (going) {
      uint32_t opcode = code[at].opcode, number = code[at].number;
      at++;
      switch (opcode) {
      case ADD: x += number; break;
      case SUB: x -= number; break;
      case MUL: x *= number; break;
      case XOR: x ^= number; break;
      case SHIFT: x = x << 7 | x >> 25; break;
      case JUMP_IF: if (--left > 0 && (x & 1)) at -= (int)number; break;
      default: going = 0;
      }
    }
    out[i] = x;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 12, PROGRAMS = 64, LENGTH = 24 };

struct data { struct instruction *code; int *entries; uint32_t *in, *out; };

const char *const inputs[] = {"one program", "64 programs", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->code = ARRAY(struct instruction, PROGRAMS * LENGTH);
  for (int i = 0; i < PROGRAMS * LENGTH; i++) {
    int at = i % LENGTH;
    uint32_t opcode = at == LENGTH - 1 ? HALT : at % 6 == 5 ? JUMP_IF : random_below(5);
    it->code[i] = (struct instruction){opcode, opcode == JUMP_IF ? 1 + random_below(4) : random_bits() | 1};
  }
  it->entries = ARRAY(int, COUNT);
  it->in = ARRAY(uint32_t, COUNT);
  for (int i = 0; i < COUNT; i++) {
    it->entries[i] = input ? (int)random_below(PROGRAMS) * LENGTH : 0;
    it->in[i] = random_bits();
  }
  it->out = RESULT(uint32_t, COUNT);
  return it;
}

void run(struct data *it) { interpret(COUNT, it->code, it->entries, it->in, it->out); }
