/* A program of calls, for tasks that are short: how many letters of one word must be changed, put in or left out to
   make another? The input is a text, two words with a blank between them.

   clang --target=wasm32-wasi -mexec-model=reactor -Oz -o levenshtein.wasm levenshtein.c */

#include "muster.h"

#define MOST 1000
#define FAIL(text) muster_fail(text, sizeof(text) - 1)

static char input[2 * MOST + 2];
static uint32_t row[MOST + 1];
static char digits[12];

MUSTER_EXPORT("muster_alloc") void *muster_alloc(uint32_t length) {
  if (length > sizeof(input)) FAIL("the words are too long");
  return input;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t distance(const char *a, uint32_t lengthOfA, const char *b, uint32_t lengthOfB) {
  for (uint32_t j = 0; j <= lengthOfB; j++) row[j] = j;
  for (uint32_t i = 1; i <= lengthOfA; i++) {
    uint32_t diagonal = row[0];
    row[0] = i;
    for (uint32_t j = 1; j <= lengthOfB; j++) {
      uint32_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = least(changed, least(row[j], row[j - 1]) + 1);
    }
  }
  return row[lengthOfB];
}

MUSTER_EXPORT("muster_run") uint64_t muster_run(const char *text, uint32_t length) {
  uint32_t blank = 0;
  while (blank < length && text[blank] != ' ') blank++;
  if (blank == length) FAIL("the input must be two words with a blank between them");
  uint32_t rest = length - blank - 1;
  if (blank > MOST || rest > MOST) FAIL("the words are too long");
  uint32_t value = distance(text, blank, text + blank + 1, rest);
  uint32_t at = sizeof(digits);
  do digits[--at] = (char)('0' + value % 10); while ((value /= 10) != 0);
  return muster_bytes(digits + at, sizeof(digits) - at);
}
