/* An ordinary program: which number up to the given one takes the most steps to 1, halved if it is even, else tripled
   and one more? It has checkpoints and can be stopped, without any library.

   clang --target=wasm32-wasi -O2 -o collatz.wasm collatz.c */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int exists(const char *path) {
  struct stat known;
  return stat(path, &known) == 0;
}

static void save(long next, long best, long most) {
  FILE *state = fopen("/muster/state.new", "w");
  fprintf(state, "[%ld,%ld,%ld]", next, best, most);
  fclose(state);
  rename("/muster/state.new", "/muster/state");
}

static void report(double share, long best) {
  FILE *progress = fopen("/muster/progress", "w");
  fprintf(progress, "%f\nthe best is %ld\n", share, best);
  fclose(progress);
}

static long steps_from(long long number) {
  long steps = 0;
  for (; number != 1; steps++) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

int main(void) {
  long last, next = 1, best = 1, most = 0;
  if (scanf("%ld", &last) != 1 || last < 1) {
    fprintf(stderr, "the input must be a number from 1 on\n");
    return 2;
  }
  FILE *state = fopen("/muster/state", "r");
  if (state != NULL) {
    if (fscanf(state, "[%ld,%ld,%ld]", &next, &best, &most) != 3) return 3;
    fclose(state);
  }
  for (; next <= last; next++) {
    if (next % 1000 == 0) {
      report((double)next / last, best);
      if (exists("/muster/due") || exists("/muster/stop")) save(next, best, most);
      if (exists("/muster/stop")) return 85;
    }
    long steps = steps_from(next);
    if (steps > most) best = next, most = steps;
  }
  printf("{\"number\":%ld,\"steps\":%ld}\n", best, most);
  return 0;
}
