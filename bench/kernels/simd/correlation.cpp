// Point correlation (`pc` of 001 §13.1): how many points of a tree lie within a radius of each point? Lanes share a stack.
#include <laneweaver.h>

struct Node { float low[2], high[2]; int left, right, first, count; };

extern "C" void correlation(int n, float radius, const float *__restrict xs, const float *__restrict ys,
                            const Node *__restrict nodes, int *__restrict counts) {
  float square = radius * radius;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float x = xs[i], y = ys[i];
    int found = 0, stack[64], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node &node = nodes[stack[--top]];
      float dx = x < node.low[0] ? node.low[0] - x : x > node.high[0] ? x - node.high[0] : 0;
      float dy = y < node.low[1] ? node.low[1] - y : y > node.high[1] ? y - node.high[1] : 0;
      bool near = dx * dx + dy * dy <= square;
      if (!lw_any(near)) continue;
      for (int p = node.first; p < node.first + node.count; p++) {
        float px = xs[p] - x, py = ys[p] - y;
        found += px * px + py * py <= square;
      }
      if (node.count == 0) {
        stack[top++] = node.right;
        stack[top++] = node.left;
      }
    }
    counts[i] = found;
  }
}

// ----
#include "tree.h"

enum { POINTS = 1 << 12 };

struct data { float *xs, *ys, radius; Node *nodes; int *counts; };

extern "C" const char *const inputs[] = {"radius 0.01", "radius 0.1", 0};

data *setup(int input) {
  data *it = ARRAY(data, 1);
  std::vector<Point> points = random_points(POINTS);
  std::vector<Node> nodes;
  build(nodes, points, 0, POINTS, 8, false);
  it->nodes = as_array(nodes);
  coordinates(points, &it->xs, &it->ys);
  it->radius = input ? 0.1f : 0.01f;
  it->counts = RESULT(int, POINTS);
  return it;
}

void run(data *it) { correlation(POINTS, it->radius, it->xs, it->ys, it->nodes, it->counts); }
