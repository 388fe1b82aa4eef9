// Point correlation (`pc` of 001 §13.1): how many points of a k-d tree lie within a radius of each query? Lanes share a stack.
#include "tree.h"

extern "C" void correlation(int n, Number radius, const Number *__restrict queries, const Node *__restrict nodes,
                            const Number *__restrict points, int *__restrict counts) {
  Number square = radius * radius;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    counts[i] = within(square, Query(queries, n, i), nodes, points);
  }
}

// ----
// variant 9d: -DDIMENSIONS=9
// variant double: -DNUMBER=double
// variant 9d-double: -DDIMENSIONS=9 -DNUMBER=double

struct data { Number *points, *queries, radius; Node *nodes; int *counts; };

// As in 001, queries that are farther apart have a smaller radius, which would be zero with a spread factor of one.
extern "C" const char *const inputs[] = {SPREADS("Plummer, spread 0.9"), 0};

data *setup(int input) {
  data *it = ARRAY(data, 1);
  it->points = scatter(POINTS, is_plummer(input));
  it->radius = (Number)((1 - spread(input)) * diameter(it->points, POINTS));
  it->nodes = tree(it->points, POINTS, 4);
  it->queries = queries_for(it->points, spread(input));
  it->counts = RESULT(int, QUERIES);
  return it;
}

void run(data *it) { correlation(QUERIES, it->radius, it->queries, it->nodes, it->points, it->counts); }
