// k-means, the assignment (`km` of 001 §13.1): which of the centres, in a k-d tree, is nearest to each point? The loop is in tree.h.
#define NEAREST
#include "tree.h"

// ----
// variant 9d: -DDIMENSIONS=9
// variant double: -DNUMBER=double
// variant 9d-double: -DDIMENSIONS=9 -DNUMBER=double

enum { COUNT = 1 << 12, CENTRES = 128 };

struct data { Number *queries, *centres; Node *nodes; int *assigned; };

extern "C" const char *const inputs[] = {"random, 128 centres", "Plummer, 128 centres", 0};

data *setup(int input) {
  data *it = ARRAY(data, 1);
  Number *points = scatter(COUNT, input == 1), low[D], high[D];
  bounds(points, COUNT, low, high);
  it->queries = ARRAY(Number, COUNT * D);
  for (int i = 0; i < COUNT * D; i++) it->queries[i % D * COUNT + i / D] = points[i];
  it->centres = ARRAY(Number, CENTRES * D);
  for (int i = 0; i < CENTRES * D; i++) it->centres[i] = random_number(low[i % D], high[i % D]);
  it->nodes = tree(it->centres, CENTRES, 4);
  it->assigned = RESULT(int, COUNT);
  return it;
}

void run(data *it) { nearest(COUNT, it->queries, it->nodes, it->centres, it->assigned); }
