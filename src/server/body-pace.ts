// How slowly a body may arrive. A sender that is silent for a minute is not waited for; one that sends
// a byte now and then to be waited for must be as fast, on the whole, as a phone with a bad connection.
// Only the time counts in which there was nothing to read.

import { Refusal } from './refusal.ts';

export const bodySilenceMs = 60_000;
/** So much waiting is free: a short body may take its time. */
const graceMs = 60_000;

/** Of a body that is needed as a whole. */
export const leastBodyRate = 512;
/** Of an upload, which a program may make while it sends it: an input now and then. */
export const leastUploadRate = 16;

export class BodyPace {
  private readonly leastBytesPerSecond: number;
  private bytes = 0;
  private waitedMs = 0;

  constructor(leastBytesPerSecond: number) {
    this.leastBytesPerSecond = leastBytesPerSecond;
  }

  /** A piece of so many bytes, after so long. False when that is too slow. */
  arrived(bytes: number, waitedMs: number): boolean {
    this.bytes += bytes;
    this.waitedMs += waitedMs;
    return this.waitedMs <= graceMs + (this.bytes / this.leastBytesPerSecond) * 1000;
  }

  tooSlow(): Refusal {
    const detail = `The body arrives too slowly: fewer than ${this.leastBytesPerSecond} bytes a second.`;
    return new Refusal('request_timeout', detail);
  }
}

export function silent(): Refusal {
  const detail = `Nothing of the body has arrived for ${bodySilenceMs / 1000} seconds.`;
  return new Refusal('request_timeout', detail);
}
