// A tree over points in the plane, for kernels that walk one: boxes are halved along their axes by turns.
#ifndef TREE_H
#define TREE_H

#include "kernel.h"
#include <algorithm>
#include <utility>
#include <vector>

typedef std::pair<float, float> Point;

// `Node` has low[2], high[2], left, right, first and count; inner nodes have a count of zero. Points are sorted by leaves.
template <class Node>
static int build(std::vector<Node> &nodes, std::vector<Point> &points, int first, int count, int leaf, bool by_y) {
  auto begin = points.begin() + first, end = begin + count;
  Node node = {};
  node.low[0] = node.low[1] = 1e30f;
  node.high[0] = node.high[1] = -1e30f;
  node.first = first;
  node.count = count;
  for (auto point = begin; point != end; ++point) {
    node.low[0] = std::min(node.low[0], point->first);
    node.low[1] = std::min(node.low[1], point->second);
    node.high[0] = std::max(node.high[0], point->first);
    node.high[1] = std::max(node.high[1], point->second);
  }
  int self = (int)nodes.size();
  nodes.push_back(node);
  if (count > leaf) {
    std::sort(begin, end, [by_y](const Point &a, const Point &b) {
      return by_y ? a.second < b.second : a.first < b.first;
    });
    node.left = build(nodes, points, first, count / 2, leaf, !by_y);
    node.right = build(nodes, points, first + count / 2, count - count / 2, leaf, !by_y);
    node.count = 0;
    nodes[(size_t)self] = node;
  }
  return self;
}

static inline std::vector<Point> random_points(int count) {
  std::vector<Point> points;
  for (int p = 0; p < count; p++) {
    float x = random_float(0, 1);
    points.emplace_back(x, random_float(0, 1));
  }
  return points;
}

template <class Node>
static Node *as_array(const std::vector<Node> &nodes) {
  Node *copy = ARRAY(Node, nodes.size());
  std::copy(nodes.begin(), nodes.end(), copy);
  return copy;
}

static inline void coordinates(const std::vector<Point> &points, float **xs, float **ys) {
  *xs = ARRAY(float, points.size());
  *ys = ARRAY(float, points.size());
  for (size_t p = 0; p < points.size(); p++) {
    (*xs)[p] = points[p].first;
    (*ys)[p] = points[p].second;
  }
}

#endif
