/* What a WebAssembly program may import from Muster. All of it is optional, and an ordinary program needs none: it has
   its standard streams and the folder /muster. */

#ifndef MUSTER_H
#define MUSTER_H

#include <stdint.h>

#define MUSTER_IMPORT(name) __attribute__((import_module("muster"), import_name(name)))
#define MUSTER_EXPORT(name) __attribute__((export_name(name)))

/* How far the task is, from 0 to 1. */
MUSTER_IMPORT("progress") void muster_progress(double share);
/* Not 0: the attempt shall stop. Who has asked has two seconds to leave a last state. */
MUSTER_IMPORT("cancelled") int muster_cancelled(void);

/* Not 0: a state that is offered now would be saved. */
MUSTER_IMPORT("checkpoint_due") int muster_checkpoint_due(void);
MUSTER_IMPORT("checkpoint") void muster_checkpoint(const void *state, uint32_t length);
/* The state that the attempt goes on from; its length is -1 if there is none. */
MUSTER_IMPORT("state_length") int muster_state_length(void);
MUSTER_IMPORT("state_read") void muster_state_read(void *into);

/* The value that all tasks of the job share; its length is -1 if there is none. */
MUSTER_IMPORT("shared_length") int muster_shared_length(void);
MUSTER_IMPORT("shared_read") void muster_shared_read(void *into);

/* From 0 to 1, the same for a task wherever and whenever it runs. */
MUSTER_IMPORT("random") double muster_random(void);
/* Prints a line. */
MUSTER_IMPORT("log") void muster_log(const char *text, uint32_t length);
/* Ends the attempt with this message. */
MUSTER_IMPORT("fail") _Noreturn void muster_fail(const char *text, uint32_t length);

/* A result: where it lies, and how long it is. */
static inline uint64_t muster_bytes(const void *at, uint32_t length) {
  return (uint64_t)(uintptr_t)at << 32 | length;
}

#endif
