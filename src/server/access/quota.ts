// Quotas of a token that are counted where it is met: requests, and what it keeps open. Who has none pays nothing.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../coordinator/port/principal.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import { burstSeconds } from '../../protocol/quotas.ts';
import { ClientGone, quotaExceeded } from '../refusal.ts';

type Named = Principal & { readonly tokenId: string };

/** When to ask again for what is open: others may close it at any time. */
const openSeconds = 5;

/** What is left of the requests that a token may make at once. */
interface Bucket {
  left: number;
  at: number;
}

export class TokenQuotas {
  private readonly buckets = new Map<string, Bucket>();
  private readonly open = {
    streams: new Map<string, number>(),
    sockets: new Map<string, number>(),
  };
  private readonly now: () => number;
  private sweepAt = 1_000;

  /** `now` only rises, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Counts one request. Throws a `Refusal`. */
  takeRequest({ principal }: Bearer): void {
    const rate = principal.quota?.requests_per_second;
    if (rate === undefined) return;
    const bucket = this.bucketOf(principal.tokenId, rate);
    if (bucket.left >= 1) {
      bucket.left--;
      return;
    }
    const retryAfterSeconds = Math.max(1, Math.ceil((1 - bucket.left) / rate));
    const detail =
      `The token ${principal.tokenId} may make ${rate} requests a second (quota requests_per_second); try again ` +
      `in ${retryAfterSeconds} s.`;
    throw quotaExceeded(detail, { quota: 'requests_per_second', retryAfterSeconds });
  }

  /** Whether `takeRequest` would count one more. */
  hasRequest({ principal }: Bearer): boolean {
    const rate = principal.quota?.requests_per_second;
    return rate === undefined || this.bucketOf(principal.tokenId, rate).left >= 1;
  }

  /** Counts an answer that is a stream until it ends. Throws a `Refusal`, or `ClientGone`. */
  holdStream({ bearer }: FastifyRequest, reply: FastifyReply): void {
    if (bearer?.principal.quota?.streams === undefined) return;
    // A client that has left already would never emit `close`.
    if (reply.raw.destroyed) throw new ClientGone();
    reply.raw.once('close', this.enter('streams', bearer.principal));
  }

  /** Counts a socket until it closes. Throws a `Refusal`. */
  holdSocket({ raw }: FastifyRequest, { principal }: Bearer): void {
    if (principal.quota?.sockets === undefined) return;
    raw.socket.once('close', this.enter('sockets', principal));
  }

  /** How many the token has open. */
  countOpen(what: 'streams' | 'sockets', tokenId: string): number {
    return this.open[what].get(tokenId) ?? 0;
  }

  private enter(what: 'streams' | 'sockets', { tokenId, quota }: Named): () => void {
    const counts = this.open[what];
    const count = counts.get(tokenId) ?? 0;
    const most = quota?.[what] ?? Infinity;
    if (count >= most) {
      const detail =
        `The token ${tokenId} has ${count} ${what} open, and may have ${most} (quota ${what}); ` +
        'close some, or try again later.';
      throw quotaExceeded(detail, { quota: what, retryAfterSeconds: openSeconds });
    }
    counts.set(tokenId, count + 1);
    return () => {
      const left = counts.get(tokenId)! - 1;
      if (left === 0) counts.delete(tokenId);
      else counts.set(tokenId, left);
    };
  }

  private bucketOf(tokenId: string, rate: number): Bucket {
    const at = this.now();
    const most = rate * burstSeconds;
    const bucket = this.buckets.get(tokenId);
    if (bucket === undefined) {
      if (this.buckets.size >= this.sweepAt) this.sweep(at);
      const full = { left: most, at };
      this.buckets.set(tokenId, full);
      return full;
    }
    bucket.left = Math.min(most, bucket.left + ((at - bucket.at) / 1_000) * rate);
    bucket.at = at;
    return bucket;
  }

  /** A bucket that was not asked for as long as it takes to fill is full, and need not be there. */
  private sweep(at: number): void {
    for (const [tokenId, bucket] of this.buckets) {
      if (at - bucket.at >= burstSeconds * 1_000) this.buckets.delete(tokenId);
    }
    this.sweepAt = Math.max(1_000, 2 * this.buckets.size);
  }

  /** For tests: buckets that are there. */
  get size(): number {
    return this.buckets.size;
  }
}
