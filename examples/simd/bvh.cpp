// Rays against a tree of boxes: which sphere does each ray hit first? Lanes walk the tree together, wherever any of them has to
// go (`lw_any`), so they share one stack. For other compilers a lane is alone, and its own condition counts.
#include <cmath>
#include <laneweaver.h>

struct Box { float low[3], high[3]; };
struct Node { Box box; int left, right, first, count; };
struct Sphere { float x, y, z, radius; };
struct Ray { float x, y, z, dx, dy, dz; };

static inline bool hits(const Box &box, const Ray &ray, float nearest) {
  float x0 = (box.low[0] - ray.x) / ray.dx, x1 = (box.high[0] - ray.x) / ray.dx;
  float y0 = (box.low[1] - ray.y) / ray.dy, y1 = (box.high[1] - ray.y) / ray.dy;
  float z0 = (box.low[2] - ray.z) / ray.dz, z1 = (box.high[2] - ray.z) / ray.dz;
  float in = std::fmax(std::fmax(std::fmin(x0, x1), std::fmin(y0, y1)), std::fmin(z0, z1));
  float out = std::fmin(std::fmin(std::fmax(x0, x1), std::fmax(y0, y1)), std::fmax(z0, z1));
  return in <= out && out > 0 && in < nearest;
}

static inline float distance(const Sphere &sphere, const Ray &ray) {
  float x = sphere.x - ray.x, y = sphere.y - ray.y, z = sphere.z - ray.z;
  float along = x * ray.dx + y * ray.dy + z * ray.dz;
  float under = along * along - (x * x + y * y + z * z - sphere.radius * sphere.radius);
  if (under < 0) return 1e30f;
  float near = along - std::sqrt(under);
  return near > 0 ? near : 1e30f;
}

extern "C" void trace(int n, const Ray *__restrict rays, const Node *__restrict nodes,
                      const Sphere *__restrict spheres, int *__restrict hit) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Ray ray = rays[i];
    float nearest = 1e30f;
    int found = -1, stack[32], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node &node = nodes[stack[--top]];
      bool inside = hits(node.box, ray, nearest);
      if (!lw_any(inside)) continue;
      float reach = inside ? nearest : 0;
      for (int s = node.first; s < node.first + node.count; s++) {
        float d = distance(spheres[s], ray);
        if (d < reach) {
          reach = d;
          found = s;
        }
      }
      if (inside) nearest = reach;
      if (node.count == 0) {
        stack[top++] = node.right;
        stack[top++] = node.left;
      }
    }
    hit[i] = found;
  }
}

// ----
// flags: -fno-math-errno
#include "kernel.h"

enum { SPHERES = 1024, SIDE = 128 };

struct data { Ray *rays; Node *nodes; Sphere *spheres; int *hit; };

extern "C" const char *const inputs[] = {"a camera", "random rays", 0};

static int made;

static float along(const Sphere &sphere, int axis) { return axis == 0 ? sphere.x : axis == 1 ? sphere.y : sphere.z; }

static int build(Node *nodes, Sphere *spheres, int first, int count, int axis) {
  int self = made++;
  Node node = {{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}}, 0, 0, first, count};
  for (int s = first; s < first + count; s++)
    for (int a = 0; a < 3; a++) {
      float middle = along(spheres[s], a), radius = spheres[s].radius;
      node.box.low[a] = std::fmin(node.box.low[a], middle - radius);
      node.box.high[a] = std::fmax(node.box.high[a], middle + radius);
    }
  if (count > 4) {
    for (int s = first + 1; s < first + count; s++)
      for (int t = s; t > first && along(spheres[t], axis) < along(spheres[t - 1], axis); t--) {
        Sphere swap = spheres[t];
        spheres[t] = spheres[t - 1];
        spheres[t - 1] = swap;
      }
    node.left = build(nodes, spheres, first, count / 2, (axis + 1) % 3);
    node.right = build(nodes, spheres, first + count / 2, count - count / 2, (axis + 1) % 3);
    node.count = 0;
  }
  nodes[self] = node;
  return self;
}

data *setup(int input) {
  data *it = ARRAY(data, 1);
  it->spheres = ARRAY(Sphere, SPHERES);
  for (int s = 0; s < SPHERES; s++)
    it->spheres[s] = {random_float(-10, 10), random_float(-10, 10), random_float(-10, 10), random_float(0.1f, 0.6f)};
  it->nodes = ARRAY(Node, 2 * SPHERES);
  made = 0;
  build(it->nodes, it->spheres, 0, SPHERES, 0);
  it->rays = ARRAY(Ray, SIDE * SIDE);
  for (int i = 0; i < SIDE * SIDE; i++) {
    float dx = (float)(i % SIDE) / SIDE - 0.5f, dy = (float)(i / SIDE) / SIDE - 0.5f, dz = 1;
    float x = 0.1f, y = 0.2f, z = -20;
    if (input) {
      x = random_float(-10, 10), y = random_float(-10, 10), z = random_float(-10, 10);
      dx = random_float(-1, 1), dy = random_float(-1, 1), dz = random_float(-1, 1);
    }
    float length = std::sqrt(dx * dx + dy * dy + dz * dz);
    it->rays[i] = {x, y, z, dx / length, dy / length, dz / length};
  }
  it->hit = RESULT(int, SIDE * SIDE);
  return it;
}

void run(data *it) { trace(SIDE * SIDE, it->rays, it->nodes, it->spheres, it->hit); }
