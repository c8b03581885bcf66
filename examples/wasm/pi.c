/* A program in steps: pi, from random points in a square. It has not a line about checkpoints: between two steps its
   memory is one.

   clang --target=wasm32-wasi -mexec-model=reactor -O2 -o pi.wasm pi.c */

#include "muster.h"
#include <stdio.h>
#include <stdlib.h>

static long points, done, inside;
static char result[32];

MUSTER_EXPORT("muster_alloc") void *muster_alloc(uint32_t length) {
  /* One more, for the zero behind a text. */
  return calloc(length + 1, 1);
}

MUSTER_EXPORT("muster_begin") void muster_begin(char *input, uint32_t length) {
  (void)length;
  points = atol(input);
  if (points < 1) muster_fail("the input must be a number from 1 on", 36);
}

/* Some milliseconds of work; not 0 when all is done. */
MUSTER_EXPORT("muster_step") int muster_step(void) {
  for (long i = 0; i < 10000 && done < points; i++, done++) {
    double x = muster_random(), y = muster_random();
    inside += x * x + y * y < 1;
  }
  muster_progress((double)done / points);
  return done == points;
}

MUSTER_EXPORT("muster_result") uint64_t muster_result(void) {
  int length = snprintf(result, sizeof(result), "%.6f", 4.0 * inside / points);
  return muster_bytes(result, length);
}
