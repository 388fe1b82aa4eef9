// A vector of several fields is not an access of one of them: LLVM must not take it for apart from stores to the others.
// RUN: clang-22 -O1 -S -emit-llvm %s -o %t.ll
// RUN: lw vectorize %t.ll -f both -s 's8 -> v' -w 8 | FileCheck-22 --check-prefix=BOTH %s
// RUN: lw vectorize %t.ll -f second -s 's8 -> v' -w 8 | FileCheck-22 --check-prefix=SECOND %s
struct pair {
  float x, y;
};
// BOTH-COUNT-2: load <8 x float>, ptr %{{[a-z0-9.]+}}, align 4{{$}}
// BOTH: ret <8 x float>
float both(const struct pair *p) { return p->x - p->y; }
// SECOND-COUNT-2: load <8 x float>, ptr %{{[a-z0-9.]+}}, align 4, !tbaa
// SECOND: ret <8 x float>
float second(const struct pair *p) { return p->y; }
