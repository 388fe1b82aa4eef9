// Traversals of trees, with a stack of nodes still to be seen, in lock step and not.
#include "opencl.h"
static inline int thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }

struct Node { float lo, hi, value; int left, right; };

// All threads see the same nodes: the stack is the same for all.
KERNEL void tree_sum_all(GLOBAL float *out, GLOBAL const struct Node *nodes, float scale) {
  int stack[32], top = 0;
  float sum = 0, x = thread() * scale;
  stack[top++] = 0;
  while (top > 0) {
    int n = stack[--top];
    sum += nodes[n].value * x;
    if (nodes[n].left >= 0) {
      stack[top++] = nodes[n].left;
      stack[top++] = nodes[n].right;
    }
  }
  out[thread()] = sum;
}

// Each thread goes its own way.
KERNEL void tree_find(GLOBAL float *out, GLOBAL const struct Node *nodes, GLOBAL const float *keys) {
  float key = keys[thread()];
  int n = 0;
  while (nodes[n].left >= 0) n = key < nodes[n].hi ? nodes[n].left : nodes[n].right;
  out[thread()] = nodes[n].value;
}

KERNEL void tree_range(GLOBAL float *out, GLOBAL const struct Node *nodes, GLOBAL const float *keys, float radius) {
  int stack[64], top = 0;
  float key = keys[thread()], sum = 0;
  stack[top++] = 0;
  while (top > 0) {
    int n = stack[--top];
    if (nodes[n].hi < key - radius || nodes[n].lo > key + radius) continue;
    if (nodes[n].left < 0) {
      sum += nodes[n].value;
    } else {
      stack[top++] = nodes[n].left;
      stack[top++] = nodes[n].right;
    }
  }
  out[thread()] = sum;
}

// Barnes and Hut: open a node if it is near.
KERNEL void tree_force(GLOBAL float *out, GLOBAL const struct Node *nodes, GLOBAL const float *at, float theta) {
  int stack[64], top = 0;
  float x = at[thread()], force = 0;
  stack[top++] = 0;
  while (top > 0) {
    int n = stack[--top];
    float d = nodes[n].value - x;
    if (nodes[n].left < 0 || nodes[n].hi - nodes[n].lo < theta * d) {
      force += 1 / (d * d + 0.01f);
    } else {
      stack[top++] = nodes[n].right;
      stack[top++] = nodes[n].left;
    }
  }
  out[thread()] = force;
}

KERNEL void tree_depth(GLOBAL int *out, GLOBAL const struct Node *nodes) {
  int stack[32], depth[32], top = 0, deepest = 0;
  stack[top] = 0;
  depth[top++] = 1;
  while (top > 0) {
    int n = stack[--top], d = depth[top];
    if (d > deepest) deepest = d;
    if (nodes[n].left >= 0) {
      stack[top] = nodes[n].left;
      depth[top++] = d + 1;
      stack[top] = nodes[n].right;
      depth[top++] = d + 1;
    }
  }
  out[thread()] = deepest;
}

KERNEL void tree_nearest(GLOBAL float *out, GLOBAL const struct Node *nodes, GLOBAL const float *keys) {
  int stack[64], top = 0;
  float key = keys[thread()], best = 1e30f;
  stack[top++] = 0;
  while (top > 0) {
    int n = stack[--top];
    float gap = key < nodes[n].lo ? nodes[n].lo - key : key > nodes[n].hi ? key - nodes[n].hi : 0;
    if (gap > best) continue;
    float d = nodes[n].value - key;
    d = d < 0 ? -d : d;
    if (d < best) best = d;
    if (nodes[n].left >= 0) {
      int near = key < nodes[nodes[n].left].hi;
      stack[top++] = near ? nodes[n].right : nodes[n].left;
      stack[top++] = near ? nodes[n].left : nodes[n].right;
    }
  }
  out[thread()] = best;
}

KERNEL void tree_trim(GLOBAL int *marks, GLOBAL const struct Node *nodes, int limit) {
  int stack[32], top = 0, seen = 0;
  stack[top++] = 0;
  while (top > 0 && seen < limit) {
    int n = stack[--top];
    seen++;
    if (nodes[n].value < thread()) marks[n * 32 + thread()] = 1;
    if (nodes[n].left >= 0) {
      stack[top++] = nodes[n].left;
      stack[top++] = nodes[n].right;
    }
  }
  marks[0] = seen;
}

KERNEL void tree_paths(GLOBAL int *out, GLOBAL const struct Node *nodes, int bits) {
  int n = 0, path = thread(), length = 0;
  for (int i = 0; i < bits; i++) {
    if (nodes[n].left < 0) break;
    n = path & 1 ? nodes[n].left : nodes[n].right;
    path >>= 1;
    length++;
  }
  out[thread()] = length * 64 + n;
}
