// Search in a binary tree (`bt` of 001 §13.1): in which node is each number? Lanes share a stack, and go along where others search. With
// -DBREAK it is the loop of 001 Fig. 13.2: lanes leave it one by one, and those that go along have a say where it goes.
#include "tree.h"

struct Branch { Number label; int left, right; };

extern "C" void bintree(int n, const Number *__restrict numbers, const Branch *__restrict nodes, int *__restrict places) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Number number = numbers[i];
#ifndef BREAK
    int next = 0;
#endif
    int place = -1, stack[128], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      int at = stack[--top];
      Number label = nodes[at].label;
      int left = nodes[at].left, right = nodes[at].right;
#ifdef BREAK
      if (label == number) {
        place = at;
        break;
      }
      bool seeks = true;
#else
      bool seeks = at == next && label != number;
      if (at == next && label == number) place = at;
      if (at == next) next = number < label ? left : right;
#endif
      if (lw_any(seeks && number < label) && left > 0) stack[top++] = left;
      if (lw_any(seeks && label < number) && right > 0) stack[top++] = right;
    }
    places[i] = place;
  }
}

// ----
// variant double: -DNUMBER=double
// variant break: -DBREAK

enum { ELEMENTS = 1 << 16, SEARCHES = 1 << 12 };

struct data { Number *numbers; Branch *nodes; int *places; };

extern "C" const char *const inputs[] = {"65536 elements, sorted",
#ifndef BREAK
                                         "65536 elements, shuffled",
#endif
                                         0};

static int by_size(const void *a, const void *b) {
  Number x = *(const Number *)a, y = *(const Number *)b;
  return (x > y) - (x < y);
}

// Half of the numbers are in the tree.
data *setup(int input) {
  data *it = ARRAY(data, 1);
  it->nodes = ARRAY(Branch, ELEMENTS);
  for (int e = 0; e < ELEMENTS; e++) {
    it->nodes[e].label = random_number(0, 1);
    for (int at = 0; at != e;) {
      int *child = it->nodes[e].label < it->nodes[at].label ? &it->nodes[at].left : &it->nodes[at].right;
      at = *child ? *child : (*child = e);
    }
  }
  it->numbers = ARRAY(Number, SEARCHES);
  for (int i = 0; i < SEARCHES; i++)
    it->numbers[i] = i % 2 ? random_number(0, 1) : it->nodes[random_below(ELEMENTS)].label;
  if (input == 0) qsort(it->numbers, SEARCHES, sizeof(Number), by_size);
  it->places = RESULT(int, SEARCHES);
  return it;
}

void run(data *it) { bintree(SEARCHES, it->numbers, it->nodes, it->places); }
