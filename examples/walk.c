// Walks through a tree of numbers, for `lw divergence examples/walk.c`: what happens if neighbouring searches run in lock step?

struct node {
  int key;
  int left, right;
};

// How deep is a key? Threads leave the loop when they have found theirs.
int walk(const struct node *tree, int key, int limit) {
  int at = 0, depth = 0;
  while (at >= 0 && depth < limit) {
    if (tree[at].key == key)
      return depth;
    at = key < tree[at].key ? tree[at].left : tree[at].right;
    depth++;
  }
  return -1;
}

// Many searches at once: the iterations of the outer loop are the threads.
void all_walks(int *restrict depths, const struct node *tree, const int *keys, int n, int limit) {
  int scale = limit > 16 ? 2 : 1;
  for (int i = 0; i < n; i++) {
    if (limit > 1000)
      depths[i] = 0;
    int at = 0, depth = 0;
    while (at >= 0 && depth < limit) {
      if (tree[at].key == keys[i])
        break;
      at = keys[i] < tree[at].key ? tree[at].left : tree[at].right;
      depth += scale;
    }
    depths[i] = depth;
  }
}
