// Nearest neighbours in a tree of vantage points (`vp` of 001 §13.1): half of what is below a node is within a radius of its point.
#include "tree.h"

struct Vantage { Number point[D], radius; int inside, outside; };

extern "C" void vantage(int n, const Number *__restrict queries, const Vantage *__restrict nodes,
                        Number *__restrict distances) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Query query(queries, n, i);
    Number best = FAR;
    int stack[64], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Vantage &node = nodes[stack[--top]];
      Number far = (Number)__builtin_sqrt(distance(node.point, query));
      best = far < best ? far : best;
      // A little more than needed, so that rounding excludes nothing.
      Number reach = best * (Number)1.0001;
      bool inside = node.inside && lw_any(far - reach <= node.radius);
      bool outside = node.outside && lw_any(far + reach >= node.radius);
      if (lw_most(far < node.radius)) {
        if (outside) stack[top++] = node.outside;
        if (inside) stack[top++] = node.inside;
      } else {
        if (inside) stack[top++] = node.inside;
        if (outside) stack[top++] = node.outside;
      }
    }
    distances[i] = best;
  }
}

// ----
// flags: -fno-math-errno
// variant 9d: -DDIMENSIONS=9
// variant double: -DNUMBER=double
// variant 9d-double: -DDIMENSIONS=9 -DNUMBER=double

struct data { Number *queries, *distances; Vantage *nodes; };

extern "C" const char *const inputs[] = {SPREADS("random, spread 1.0"), "Plummer, spread 1.0", 0};

// A row of numbers: the distance from the vantage point, and the point.
typedef Number Row[D + 1];

static void swap_rows(Row a, Row b) {
  for (int d = 0; d <= D; d++) {
    Number x = a[d];
    a[d] = b[d];
    b[d] = x;
  }
}

// Moves the nearer half to the front.
static void halve_rows(Row *rows, int count) {
  int low = 0, high = count - 1, middle = count / 2;
  while (low < high) {
    Number pivot = rows[(low + high) / 2][0];
    int a = low, b = high;
    while (a <= b) {
      while (rows[a][0] < pivot) a++;
      while (rows[b][0] > pivot) b--;
      if (a <= b) swap_rows(rows[a++], rows[b--]);
    }
    if (middle <= b) high = b;
    else if (middle >= a) low = a;
    else break;
  }
}

// The tree over some rows; 0 if there are none, which is no node's child.
static int plant(Vantage *nodes, int *used, Row *rows, int count) {
  if (count == 0) return 0;
  int self = (*used)++;
  Vantage node = {};
  swap_rows(rows[0], rows[random_below((uint32_t)count)]);
  for (int d = 0; d < D; d++) node.point[d] = rows[0][d + 1];
  Row *rest = rows + 1;
  count--;
  for (int p = 0; p < count; p++) rest[p][0] = (Number)__builtin_sqrt(distance(node.point, Query(&rest[p][1], 1, 0)));
  if (count > 0) {
    halve_rows(rest, count);
    node.radius = rest[count / 2][0];
    node.inside = plant(nodes, used, rest, count / 2);
    node.outside = plant(nodes, used, rest + count / 2, count - count / 2);
  }
  nodes[self] = node;
  return self;
}

data *setup(int input) {
  data *it = ARRAY(data, 1);
  Number *points = scatter(POINTS, is_plummer(input));
  Row *rows = ARRAY(Row, POINTS);
  for (int p = 0; p < POINTS; p++)
    for (int d = 0; d < D; d++) rows[p][d + 1] = points[p * D + d];
  it->nodes = ARRAY(Vantage, POINTS);
  int used = 0;
  plant(it->nodes, &used, rows, POINTS);
  it->queries = queries_for(points, spread(input));
  it->distances = RESULT(Number, QUERIES);
  return it;
}

void run(data *it) { vantage(QUERIES, it->queries, it->nodes, it->distances); }
