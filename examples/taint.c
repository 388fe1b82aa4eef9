// Input on its way to a sensitive function, for
//   lw analyze examples/taint.c --analysis taint --source read_number --sink run --sanitizer clamp --validator is_safe
extern int read_number(void);
extern void run(int command);
extern int clamp(int value);
extern _Bool is_safe(int value);

void direct(void) {
  int command = read_number();
  run(command + 1);
}

void cleaned(void) {
  int command = clamp(read_number());
  run(command);
}

void tested(void) {
  int command = read_number();
  if (is_safe(command))
    run(command);
  run(7);
}

void in_a_loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += read_number();
  if (sum > 100)
    sum = 100;
  run(sum);
}
