// Barnes and Hut in three dimensions (`bh` of 001 §13.1): what do all masses pull at each body? Cells of an octree that are small and
// far away count as one mass. A cell is opened where any lane needs it; the others have counted it by then.
#include "tree.h"

// Its cells stand together; bodies are sorted by leaves, which have no cells.
struct Cell { Number x, y, z, mass, square; int cells, cell_count, first, count; };

struct Pull { Number x, y, z; };

static inline void pulls(Pull &sum, Number mass, Number x, Number y, Number z) {
  Number square = x * x + y * y + z * z + (Number)1e-4f, part = mass / (square * (Number)__builtin_sqrt(square));
  sum.x += part * x;
  sum.y += part * y;
  sum.z += part * z;
}

extern "C" void gravity(int n, Number opening, const Number *__restrict xs, const Number *__restrict ys,
                        const Number *__restrict zs, const Cell *__restrict cells, Number *__restrict fx,
                        Number *__restrict fy, Number *__restrict fz) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Number x = xs[i], y = ys[i], z = zs[i];
    Pull sum = {0, 0, 0};
    // A lane that counted a cell skips what is below it: everything on the stack above where the cell was.
    int stack[256], top = 0, counted = 256;
    stack[top++] = 0;
    while (top > 0) {
      const Cell &cell = cells[stack[--top]];
      if (top < counted) counted = 256;
      bool active = counted == 256;
      Number dx = cell.x - x, dy = cell.y - y, dz = cell.z - z;
      bool far = cell.square < opening * (dx * dx + dy * dy + dz * dz);
      if (active && far) {
        pulls(sum, cell.mass, dx, dy, dz);
        counted = top;
      }
      bool opens = active && !far;
      if (!lw_any(opens)) continue;
      Number mass = opens ? 1 : 0;
      for (int p = cell.first; p < cell.first + cell.count; p++) pulls(sum, mass, xs[p] - x, ys[p] - y, zs[p] - z);
      for (int c = 0; c < cell.cell_count; c++) stack[top++] = cell.cells + c;
    }
    fx[i] = sum.x;
    fy[i] = sum.y;
    fz[i] = sum.z;
  }
}

// ----
// flags: -fno-math-errno -DDIMENSIONS=3
// variant double: -DNUMBER=double

enum { COUNT = 1 << 12, LEAF = 8, DEEPEST = 24 };

struct data { Number *xs, *ys, *zs, *fx, *fy, *fz; Cell *cells; };

extern "C" const char *const inputs[] = {"random", "Plummer", 0};

// Which of the eight parts of a cube a body is in.
static int octant(const Number *body, const Number *middle) {
  return (body[0] > middle[0]) + 2 * (body[1] > middle[1]) + 4 * (body[2] > middle[2]);
}

// Fills the cell of a cube with these bodies, which are sorted by its parts.
static void fill(Cell *cells, int self, int *used, Number *bodies, int first, int count, const Number *middle, Number half, int depth) {
  Cell cell = {};
  Number *own = bodies + (size_t)first * 3;
  cell.first = first;
  cell.mass = (Number)count;
  cell.square = 4 * half * half;
  for (int p = 0; p < count; p++) {
    cell.x += own[3 * p] / cell.mass;
    cell.y += own[3 * p + 1] / cell.mass;
    cell.z += own[3 * p + 2] / cell.mass;
  }
  if (count <= LEAF || depth == DEEPEST) {
    cell.count = count;
    cells[self] = cell;
    return;
  }
  int starts[9] = {0}, sorted = 0;
  for (int part = 0; part < 8; part++) {
    for (int p = sorted; p < count; p++)
      if (octant(own + 3 * p, middle) == part) swap_points(own + 3 * p, own + 3 * sorted++);
    starts[part + 1] = sorted;
    cell.cell_count += starts[part + 1] > starts[part];
  }
  cell.cells = *used;
  *used += cell.cell_count;
  cells[self] = cell;
  for (int part = 0, next = cell.cells; part < 8; part++) {
    if (starts[part + 1] == starts[part]) continue;
    Number inner[3], quarter = half / 2;
    for (int d = 0; d < 3; d++) inner[d] = middle[d] + (part >> d & 1 ? quarter : -quarter);
    fill(cells, next++, used, bodies, first + starts[part], starts[part + 1] - starts[part], inner, quarter, depth + 1);
  }
}

data *setup(int input) {
  data *it = ARRAY(data, 1);
  Number *bodies = scatter(COUNT, input == 1), low[3], high[3], middle[3], half = 0;
  bounds(bodies, COUNT, low, high);
  for (int d = 0; d < 3; d++) {
    middle[d] = (low[d] + high[d]) / 2;
    if ((high[d] - low[d]) / 2 > half) half = (high[d] - low[d]) / 2;
  }
  it->cells = ARRAY(Cell, 8 * COUNT);
  int used = 1;
  fill(it->cells, 0, &used, bodies, 0, COUNT, middle, half, 0);
  Number **coordinates[3] = {&it->xs, &it->ys, &it->zs};
  for (int d = 0; d < 3; d++) {
    *coordinates[d] = ARRAY(Number, COUNT);
    for (int p = 0; p < COUNT; p++) (*coordinates[d])[p] = bodies[3 * p + d];
  }
  it->fx = RESULT(Number, COUNT);
  it->fy = RESULT(Number, COUNT);
  it->fz = RESULT(Number, COUNT);
  return it;
}

void run(data *it) { gravity(COUNT, (Number)0.25, it->xs, it->ys, it->zs, it->cells, it->fx, it->fy, it->fz); }
