// Points, queries and trees for the tree codes of 001 §13.1. Compiled with -DDIMENSIONS=9 or -DNUMBER=double for the other variants.
//
// Coordinates of points stand together, those of queries apart: all lanes look at the same point, each has a query of its own.
#ifndef TREE_H
#define TREE_H

#include "kernel.h"
#include <laneweaver.h>

#ifndef DIMENSIONS
#define DIMENSIONS 2
#endif
#ifndef NUMBER
#define NUMBER float
#endif

typedef NUMBER Number;
static const int D = DIMENSIONS;
static const Number FAR = (Number)1e30f;

// A box of a k-d tree. Inner nodes have a count of zero.
struct Node { Number low[D], high[D], split; int axis, left, right, first, count; };

// Coordinates of query i.
struct Query {
  Number at[D];
  Query(const Number *__restrict queries, int n, int i) {
    for (int d = 0; d < D; d++) at[d] = queries[d * n + i];
  }
};

// Whether the box is within a distance, of which this is the square, of a query.
static inline bool touches(const Node &node, Number square, const Query &query) {
  Number sum = 0;
  for (int d = 0; d < D; d++) {
    Number x = query.at[d], below = node.low[d] - x, above = x - node.high[d];
    Number out = below > 0 ? below : above > 0 ? above : 0;
    sum += out * out;
    if (!(sum < square)) return false;
  }
  return true;
}

// The square of the distance of a point and a query.
static inline Number distance(const Number *__restrict point, const Query &query) {
  Number sum = 0;
  for (int d = 0; d < D; d++) {
    Number x = query.at[d] - point[d];
    sum += x * x;
  }
  return sum;
}

// How many points lie within a distance, of which this is the square, of a query? Lanes share a stack.
static inline int within(Number square, const Query &query, const Node *nodes, const Number *points) {
  int found = 0, stack[64], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node &node = nodes[stack[--top]];
    if (!lw_any(touches(node, square, query))) continue;
    for (int p = node.first; p < node.first + node.count; p++) found += distance(points + p * D, query) < square;
    if (node.count == 0) {
      stack[top++] = node.right;
      stack[top++] = node.left;
    }
  }
  return found;
}

// Which point is nearest to each query? Lanes share a stack.
#ifdef NEAREST
static void nearest(int n, const Number *__restrict queries, const Node *__restrict nodes,
                    const Number *__restrict points, int *__restrict neighbours) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Query query(queries, n, i);
    Number best = FAR;
    int found = -1, stack[64], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node &node = nodes[stack[--top]];
      bool near = touches(node, best, query);
      if (!lw_any(near)) continue;
      Number reach = near ? best : 0;
      for (int p = node.first; p < node.first + node.count; p++) {
        Number square = distance(points + p * D, query);
        if (square < reach) {
          reach = square;
          found = p;
        }
      }
      if (near) best = reach;
      if (node.count == 0) {
        // Where most lanes are comes first.
        bool left = lw_most((queries + node.axis * n)[i] < node.split);
        stack[top++] = left ? node.right : node.left;
        stack[top++] = left ? node.left : node.right;
      }
    }
    neighbours[i] = found;
  }
}
#endif

// ---- What follows makes data.

static inline Number random_number(Number low, Number high) {
  return low + (high - low) * (Number)((double)random_bits() * 0x1p-32);
}

static inline void swap_points(Number *a, Number *b) {
  for (int d = 0; d < D; d++) {
    Number x = a[d];
    a[d] = b[d];
    b[d] = x;
  }
}

// Moves the smaller half of points along an axis to the front.
static void halve(Number *points, int count, int axis) {
  int low = 0, high = count - 1, middle = count / 2;
  while (low < high) {
    Number pivot = points[(low + high) / 2 * D + axis];
    int a = low, b = high;
    while (a <= b) {
      while (points[a * D + axis] < pivot) a++;
      while (points[b * D + axis] > pivot) b--;
      if (a <= b) swap_points(points + a++ * D, points + b-- * D);
    }
    if (middle <= b) high = b;
    else if (middle >= a) low = a;
    else break;
  }
}

static void bounds(const Number *points, int count, Number *low, Number *high) {
  for (int d = 0; d < D; d++) low[d] = FAR, high[d] = -FAR;
  for (int p = 0; p < count; p++)
    for (int d = 0; d < D; d++) {
      Number x = points[p * D + d];
      if (x < low[d]) low[d] = x;
      if (x > high[d]) high[d] = x;
    }
}

// The tree over some points, which are sorted by its leaves; boxes are halved across their longest side. Returns the number of its root.
static int build(Node *nodes, int *used, Number *points, int first, int count, int leaf) {
  int self = (*used)++, axis = 0;
  Node node = {};
  Number *own = points + (size_t)first * D;
  bounds(own, count, node.low, node.high);
  node.first = first;
  node.count = count;
  if (count > leaf) {
    for (int d = 1; d < D; d++)
      if (node.high[d] - node.low[d] > node.high[axis] - node.low[axis]) axis = d;
    halve(own, count, axis);
    node.axis = axis;
    node.split = own[count / 2 * D + axis];
    node.left = build(nodes, used, points, first, count / 2, leaf);
    node.right = build(nodes, used, points, first + count / 2, count - count / 2, leaf);
    node.count = 0;
  }
  nodes[self] = node;
  return self;
}

static inline Node *tree(Number *points, int count, int leaf) {
  Node *nodes = ARRAY(Node, 2 * count);
  int used = 0;
  build(nodes, &used, points, 0, count, leaf);
  return nodes;
}

// Points in the unit cube, or by Plummer's model: dense in the middle, a few far out.
static inline Number *scatter(int count, bool plummer) {
  Number *points = ARRAY(Number, count * D);
  for (int p = 0; p < count; p++) {
    Number *point = points + p * D;
    if (!plummer) {
      for (int d = 0; d < D; d++) point[d] = random_number(0, 1);
      continue;
    }
    double square, way[D], radius = 11;
    while (radius > 10) radius = 1 / sqrt(pow(random_number((Number)0.001, 1), -2.0 / 3) - 1 + 1e-9);
    square = 0;
    for (int d = 0; d < D; d++) {
      way[d] = -6;
      for (int i = 0; i < 12; i++) way[d] += random_number(0, 1);
      square += way[d] * way[d];
    }
    for (int d = 0; d < D; d++) point[d] = (Number)(radius * way[d] / sqrt(square));
  }
  return points;
}

static inline double diameter(const Number *points, int count) {
  Number low[D], high[D];
  double square = 0;
  bounds(points, count, low, high);
  for (int d = 0; d < D; d++) square += (double)(high[d] - low[d]) * (double)(high[d] - low[d]);
  return sqrt(square);
}

// The inputs of codes with a spread factor: how much of the data's box in each dimension a group of queries is drawn from.
enum { POINTS = 1 << 12, GROUPS = 64, GROUP = 32, QUERIES = GROUPS * GROUP };

#define SPREADS(last) \
  "random, spread 0.1", "random, spread 0.2", "random, spread 0.3", "random, spread 0.4", "random, spread 0.5", \
  "random, spread 0.6", "random, spread 0.7", "random, spread 0.8", "random, spread 0.9", "Plummer, spread 0.1", \
  "Plummer, spread 0.5", last

static inline bool is_plummer(int input) { return inputs[input][0] == 'P'; }
static inline double spread(int input) { return atof(strrchr(inputs[input], ' ')); }

// Groups of queries, each from a box somewhere in that of the data.
static inline Number *queries_for(const Number *points, double factor) {
  Number low[D], high[D], *queries = ARRAY(Number, QUERIES * D);
  bounds(points, POINTS, low, high);
  for (int group = 0; group < GROUPS; group++)
    for (int d = 0; d < D; d++) {
      Number side = (high[d] - low[d]) * (Number)factor, start = random_number(low[d], high[d] - side);
      for (int i = 0; i < GROUP; i++) queries[d * QUERIES + group * GROUP + i] = random_number(start, start + side);
    }
  return queries;
}

#endif
