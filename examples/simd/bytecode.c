// An interpreter of a little stack machine: one program, run for each element of an array. Which instruction comes next is the
// same for all lanes, so the switch stays a switch.
enum opcode { PUSH, LOAD, ADD, SUB, MUL, MAX, DUP, SWAP, LOOP, HALT };

struct instruction { enum opcode opcode; float number; };

void interpret(const struct instruction *restrict program, int n, const float *restrict in, float *restrict out) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float stack[16], t;
    int top = 0, at = 0, rounds = 0;
    for (;;) {
      struct instruction now = program[at++];
      switch (now.opcode) {
      case PUSH: stack[top++] = now.number; break;
      case LOAD: stack[top++] = in[i]; break;
      case ADD: top--; stack[top - 1] += stack[top]; break;
      case SUB: top--; stack[top - 1] -= stack[top]; break;
      case MUL: top--; stack[top - 1] *= stack[top]; break;
      case MAX: top--; stack[top - 1] = stack[top] > stack[top - 1] ? stack[top] : stack[top - 1]; break;
      case DUP: stack[top] = stack[top - 1]; top++; break;
      case SWAP: t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break;
      case LOOP: if (++rounds < (int)now.number) at = 1; break;
      case HALT: goto done;
      }
    }
  done:
    out[i] = stack[0];
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 11 };

// Ten rounds of x = max(x * (1.5 - x * x * input), 0.01), a bit like Newton's method.
static const struct instruction program[] = {
    {PUSH, 0.25f}, {DUP, 0}, {DUP, 0}, {MUL, 0}, {LOAD, 0}, {MUL, 0}, {PUSH, 1.5f}, {SWAP, 0}, {SUB, 0},
    {MUL, 0}, {PUSH, 0.01f}, {MAX, 0}, {LOOP, 10}, {HALT, 0},
};

struct data { float *in, *out; };

const char *const inputs[] = {"one program, 2048 numbers", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->in = random_floats(COUNT, 0, 2);
  it->out = RESULT(float, COUNT);
  return it;
}

void run(struct data *it) { interpret(program, COUNT, it->in, it->out); }
