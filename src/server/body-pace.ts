// How slowly a body may arrive. A sender that is silent for a minute is cut off. So that a byte now
// and then is not enough, the mean rate must be that of a phone with a bad connection. Only the
// time counts in which the server waited for the sender.

import { Refusal } from './refusal.ts';

export const bodySilenceMs = 60_000;
/** Waiting that does not count: a short body may take its time. */
const graceMs = 60_000;

/** Bytes a second, for a body that is needed as a whole. */
export const leastBodyRate = 512;
/** Bytes a second, for an upload: a program may compute its inputs while it sends them. */
export const leastUploadRate = 16;

export class BodyPace {
  private readonly leastBytesPerSecond: number;
  private bytes = 0;
  private waitedMs = 0;

  constructor(leastBytesPerSecond: number) {
    this.leastBytesPerSecond = leastBytesPerSecond;
  }

  /** A piece has arrived after so much waiting. False when the body is too slow. */
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
