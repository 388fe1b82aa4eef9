// Nearest neighbours in a tree (`kd` of 001 §13.1): which other point is nearest to each point? Lanes share a stack.
#include <laneweaver.h>

struct Node { float low[2], high[2]; int left, right, first, count; };

extern "C" void nearest(int n, const float *__restrict xs, const float *__restrict ys, const Node *__restrict nodes,
                        int *__restrict neighbours) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float x = xs[i], y = ys[i], best = 1e30f;
    int found = -1, stack[64], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node &node = nodes[stack[--top]];
      float dx = x < node.low[0] ? node.low[0] - x : x > node.high[0] ? x - node.high[0] : 0;
      float dy = y < node.low[1] ? node.low[1] - y : y > node.high[1] ? y - node.high[1] : 0;
      bool near = dx * dx + dy * dy < best;
      if (!lw_any(near)) continue;
      float reach = near ? best : 0;
      for (int p = node.first; p < node.first + node.count; p++) {
        float px = xs[p] - x, py = ys[p] - y, square = px * px + py * py;
        if (square < reach && p != i) {
          reach = square;
          found = p;
        }
      }
      if (near) best = reach;
      if (node.count == 0) {
        stack[top++] = node.right;
        stack[top++] = node.left;
      }
    }
    neighbours[i] = found;
  }
}

// ----
#include "tree.h"

enum { POINTS = 1 << 12 };

struct data { float *xs, *ys; Node *nodes; int *neighbours; };

extern "C" const char *const inputs[] = {"2-D, 4096 points", 0};

data *setup(int) {
  data *it = ARRAY(data, 1);
  std::vector<Point> points = random_points(POINTS);
  std::vector<Node> nodes;
  build(nodes, points, 0, POINTS, 8, false);
  it->nodes = as_array(nodes);
  coordinates(points, &it->xs, &it->ys);
  it->neighbours = RESULT(int, POINTS);
  return it;
}

void run(data *it) { nearest(POINTS, it->xs, it->ys, it->nodes, it->neighbours); }
