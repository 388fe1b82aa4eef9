// Barnes and Hut (`bh` of 001 §13.1): what do all masses pull at each point? Cells that are small and far away count as one mass. A cell is
// opened where any lane needs it; the others have counted it by then.
#include <cmath>
#include <laneweaver.h>

struct Node { float low[2], high[2]; int left, right, first, count; float x, y, mass, size; };

extern "C" void gravity(int n, float opening, const float *__restrict xs, const float *__restrict ys,
                        const Node *__restrict nodes, float *__restrict pulls) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float x = xs[i], y = ys[i], pull = 0;
    // A lane that counted a cell skips what is below it: everything on the stack above where the cell was.
    int stack[64], top = 0, counted = 64;
    stack[top++] = 0;
    while (top > 0) {
      const Node &node = nodes[stack[--top]];
      if (top < counted) counted = 64;
      bool active = counted == 64;
      float dx = node.x - x, dy = node.y - y, square = dx * dx + dy * dy + 1e-4f;
      bool far = node.size * node.size < opening * square;
      if (active && far) {
        pull += node.mass / (square * std::sqrt(square));
        counted = top;
      }
      bool opens = active && !far;
      if (!lw_any(opens)) continue;
      float mass = opens ? 1 : 0;
      for (int p = node.first; p < node.first + node.count; p++) {
        float px = xs[p] - x, py = ys[p] - y, r = px * px + py * py + 1e-4f;
        pull += mass / (r * std::sqrt(r));
      }
      if (node.count == 0) {
        stack[top++] = node.right;
        stack[top++] = node.left;
      }
    }
    pulls[i] = pull;
  }
}

// ----
// flags: -fno-math-errno
#include "tree.h"

enum { POINTS = 1 << 12 };

struct data { float *xs, *ys, *pulls; Node *nodes; };

extern "C" const char *const inputs[] = {"2-D, 4096 points", 0};

data *setup(int) {
  data *it = ARRAY(data, 1);
  std::vector<Point> points = random_points(POINTS);
  std::vector<Node> nodes;
  build(nodes, points, 0, POINTS, 8, false);
  for (size_t i = nodes.size(); i-- > 0;) {
    Node &node = nodes[i];
    node.size = std::max(node.high[0] - node.low[0], node.high[1] - node.low[1]);
    if (node.count == 0) {
      const Node &left = nodes[(size_t)node.left], &right = nodes[(size_t)node.right];
      node.mass = left.mass + right.mass;
      node.x = (left.x * left.mass + right.x * right.mass) / node.mass;
      node.y = (left.y * left.mass + right.y * right.mass) / node.mass;
      continue;
    }
    node.mass = (float)node.count;
    for (int p = node.first; p < node.first + node.count; p++) {
      node.x += points[(size_t)p].first / node.mass;
      node.y += points[(size_t)p].second / node.mass;
    }
  }
  it->nodes = as_array(nodes);
  coordinates(points, &it->xs, &it->ys);
  it->pulls = RESULT(float, POINTS);
  return it;
}

void run(data *it) { gravity(POINTS, 0.25f, it->xs, it->ys, it->nodes, it->pulls); }
