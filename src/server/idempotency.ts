// `Idempotency-Key`: the same key with the same submission gives the same job. Submissions are
// compared by the type and the bytes of their bodies, which are hashed while they are read; short ones at once, which
// costs a third.

import { createHash, hash, type Hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Idempotency } from '../coordinator/port/jobs.ts';
import type { Limits } from '../protocol/limits.ts';
import { mediaType } from './request-body.ts';
import { Refusal, shown } from './refusal.ts';

/** A longer body is hashed piece by piece. */
const mostAtOnce = 16 * 1024;

export class IdempotencyKey {
  private readonly key: string;
  private readonly kind: string;
  /** The only piece until now. */
  private first: Buffer | undefined;
  private hash: Hash | undefined;

  /** Null when the request has no key. Throws a `Refusal`. */
  static of(request: FastifyRequest, limits: Limits): IdempotencyKey | null {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return null;
    const most = limits.idempotencyKeyCharacters;
    if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) && key.length <= most) {
      return new IdempotencyKey(key, mediaType(request));
    }
    const message =
      `must be 1 to ${most} visible ASCII characters without spaces ` +
      '(limit idempotency_key_characters)';
    const given = `${shown(key)} was given`;
    throw new Refusal('validation_failed', `Idempotency-Key ${message}; ${given}.`, [
      { path: 'idempotency-key', message },
    ]);
  }

  private constructor(key: string, kind: string) {
    this.key = key;
    this.kind = kind;
  }

  /** The next bytes of the body. */
  take(bytes: Buffer): void {
    if (this.hash === undefined && this.first === undefined && bytes.length <= mostAtOnce) {
      // A copy, with what is hashed before it: the memory of the piece belongs to whoever has read it.
      this.first = Buffer.concat([Buffer.from(`${this.kind}\n`), bytes]);
      return;
    }
    this.hash ??= createHash('sha256').update(this.first ?? `${this.kind}\n`);
    this.first = undefined;
    this.hash.update(bytes);
  }

  /** The same with the hash of a body that another member of the cluster has read. */
  finishAs(bodyHash: string): Idempotency {
    return { key: this.key, bodyHash };
  }

  /** Call once, at the end of the body. */
  finish(): Idempotency {
    const bodyHash = this.hash?.digest('hex') ?? hash('sha256', this.first ?? `${this.kind}\n`);
    return { key: this.key, bodyHash };
  }
}
