// Point correlation with many radii (`mpc` of 001 §13.1): how many points of a k-d tree lie within each radius of one place?
#include "tree.h"

extern "C" void radii(int n, const Number *__restrict radii, const Number *__restrict queries, int number,
                      const Node *__restrict nodes, const Number *__restrict points, int *__restrict counts) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Number square = radii[i] * radii[i];
    counts[i] = within(square, Query(queries, QUERIES, number), nodes, points);
  }
}

// ----
// variant 9d: -DDIMENSIONS=9
// variant double: -DNUMBER=double
// variant 9d-double: -DDIMENSIONS=9 -DNUMBER=double

struct data { Number *points, *queries, *radii; Node *nodes; int *counts; };

extern "C" const char *const inputs[] = {SPREADS("random, spread 1.0"), "Plummer, spread 1.0", 0};

// The spread factor is how much of the data's diameter the largest radius may be.
data *setup(int input) {
  data *it = ARRAY(data, 1);
  it->points = scatter(POINTS, is_plummer(input));
  double largest = spread(input) * diameter(it->points, POINTS);
  it->nodes = tree(it->points, POINTS, 4);
  it->queries = queries_for(it->points, 1);
  it->radii = ARRAY(Number, GROUP);
  for (int i = 0; i < GROUP; i++) it->radii[i] = random_number(0, (Number)largest);
  it->counts = RESULT(int, QUERIES);
  return it;
}

void run(data *it) {
  for (int group = 0; group < GROUPS; group++)
    radii(GROUP, it->radii, it->queries, group * GROUP, it->nodes, it->points, it->counts + group * GROUP);
}
