// Nearest neighbours in a k-d tree (`kd` of 001 §13.1): which point is nearest to each query? The loop is in tree.h, since `clusters` has the same.
#define NEAREST
#include "tree.h"

// ----
// variant 9d: -DDIMENSIONS=9
// variant double: -DNUMBER=double
// variant 9d-double: -DDIMENSIONS=9 -DNUMBER=double

struct data { Number *points, *queries; Node *nodes; int *neighbours; };

extern "C" const char *const inputs[] = {SPREADS("random, spread 1.0"), "Plummer, spread 1.0", 0};

data *setup(int input) {
  data *it = ARRAY(data, 1);
  it->points = scatter(POINTS, is_plummer(input));
  it->nodes = tree(it->points, POINTS, 4);
  it->queries = queries_for(it->points, spread(input));
  it->neighbours = RESULT(int, QUERIES);
  return it;
}

void run(data *it) { nearest(QUERIES, it->queries, it->nodes, it->points, it->neighbours); }
