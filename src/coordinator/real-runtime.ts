// The runtime of a real process. Time is the wall clock plus a monotonic clock from then on, so that a
// clock that is set back or forward moves no deadline. When the two have come apart (a person set the
// wall clock, or the machine was suspended, where the monotonic one may stand still), the loop is told.

import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Runtime } from './runtime.ts';

/** Longer timers overflow in Node; the loop wakes after this time and sets another one. */
const longestTimerMs = 2 ** 31 - 1;

/** Smaller differences are everyday corrections of the clock. */
const noticedMs = 1000;

/** `wallClock`: milliseconds since the epoch; by default the clock of this machine. */
export function createRealRuntime(wallClock: () => number = () => Date.now()): Runtime {
  let origin = wallClock() - performance.now();
  const now = () => Math.floor(origin + performance.now());
  return {
    now,
    followClock: () => {
      const byMs = Math.round(wallClock() - performance.now() - origin);
      if (Math.abs(byMs) < noticedMs) return 0;
      origin += byMs;
      return byMs;
    },
    microseconds: () => performance.now() * 1000,
    defer: (fn) => void setImmediate(fn),
    setTimer: (at, fn) => {
      const delay = Math.min(longestTimerMs, Math.max(0, at - now()));
      const timer = setTimeout(fn, delay);
      return () => clearTimeout(timer);
    },
    newId: createIdSource(wallClock),
    newToken: createTokenSource(),
    chance: () => Math.random(),
    hash: (text) => hash('sha256', text, 'hex'),
  };
}

/**
 * UUIDs of version 7, which rise: of the same millisecond too, by a counter that begins at random (RFC 9562, 6.2).
 */
function createIdSource(wallClock: () => number): () => string {
  const randomness = createRandomSource(16);
  let msecs = -Infinity;
  let seq = 0;
  return () => {
    const random = randomness();
    const now = wallClock();
    if (now > msecs) {
      msecs = now;
      // Half of its range, so that there is room to count.
      seq = random.readUInt32BE(6) & 0x7f_ff_ff_ff;
    } else {
      seq = (seq + 1) | 0;
      if (seq === 0) msecs++;
    }
    return v7({ random, msecs, seq });
  };
}

/** 192 random bits as 32 characters of base64url. */
function createTokenSource(): () => string {
  const randomness = createRandomSource(24);
  return () => randomness().toString('base64url');
}

/** So many random bytes each time, drawn in bulk: a draw costs a system call. */
function createRandomSource(bytes: number): () => Buffer {
  let pool = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at + bytes > pool.length) {
      pool = randomBytes(bytes * 512);
      at = 0;
    }
    at += bytes;
    return pool.subarray(at - bytes, at);
  };
}
