// RUN: lw analyze %s --analysis bounds | FileCheck-22 %s
// RUN: lw analyze %s --analysis null --function find | FileCheck-22 %s --check-prefix=NULL
// What several conditions of a loop say is known in it.

// CHECK: 4 accesses: 2 not proved, 2 proved in bounds
// CHECK: {{[0-9]+}} |     sum += table[i];
// CHECK-NEXT: ✓ 12: table[i] (load) is in bounds
// CHECK-NEXT: 4 bytes at offset 0 to 28 of table, which has 32 bytes
// CHECK: {{[0-9]+}} |   return table[i];
// CHECK-NEXT: ✓ 10: table[i] (load) is in bounds
// CHECK-NEXT: 4 bytes at offset 16 to 28 of table
// CHECK: {{[0-9]+}} |   while (p && p->key != key)

// NULL: 2 accesses: 2 proved not null
int table[8];
int first(int n, int stop) {
  int sum = 0;
  for (int i = 0; i < n && i < 8 && sum < stop; i++)
    sum += table[i];
  return sum;
}

int skip(unsigned i) {
  while (i < 4 || i >= 8)
    i = i * 5 + 3;
  return table[i];
}

struct node { int key; struct node *next; };
struct node *find(struct node *p, int key) {
  while (p && p->key != key)
    p = p->next;
  return p;
}
