// `Idempotency-Key`: the same key with the same submission gives the same job. Submissions are
// compared by the type and the bytes of their bodies, which are hashed while they are read.

import { createHash, type Hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Idempotency } from '../coordinator/port/jobs.ts';
import type { Limits } from '../protocol/limits.ts';
import { mediaType } from './request-body.ts';
import { Refusal, shown } from './refusal.ts';

export class IdempotencyKey {
  private readonly key: string;
  private readonly hash: Hash;

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
    this.hash = createHash('sha256').update(`${kind}\n`);
  }

  /** The next bytes of the body. */
  take(bytes: Buffer): void {
    this.hash.update(bytes);
  }

  /** Call once, at the end of the body. */
  finish(): Idempotency {
    return { key: this.key, bodyHash: this.hash.digest('hex') };
  }
}
