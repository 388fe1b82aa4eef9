// How many steps does z -> z*z + c take to leave the circle of radius 2?
//
// Neighbouring points leave the loop after different numbers of steps, which is why loops over
// points are hard to vectorize: threads that run in lock step have to wait for each other.

int escape(float cx, float cy, int limit) {
  float x = 0, y = 0;
  int steps = 0;
  while (steps < limit && x * x + y * y < 4) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    steps++;
  }
  return steps;
}

#ifdef WITH_MAIN
#include <stdio.h>
#include <stdlib.h>

// escape LIMIT CX CY CX CY ...: one line for each point.
int main(int argc, char **argv) {
  for (int i = 2; i + 1 < argc; i += 2)
    printf("%d\n", escape(strtof(argv[i], 0), strtof(argv[i + 1], 0), atoi(argv[1])));
  return 0;
}
#endif
