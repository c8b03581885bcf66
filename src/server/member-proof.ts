// How a request shows that a member of the cluster passes it on: by a secret that only members know, in a header
// of its own, or as the token of a trunk. Without the secret the header is nothing but text.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { proofHeader } from '../cluster/trunk.ts';

/** Beside the secret: the id of the member that was asked. */
export const memberHeader = 'x-muster-by';
/** Beside it: a proxy that the member believes has told who asks. */
export const proxiedHeader = 'x-muster-proxied';
/** In an answer to a member: whoever asked has shown a good token. */
export const knownHeader = 'x-muster-known';
/** What begins so is between members: it is taken from what clients send, and from what they are sent. */
export const membersOnly = 'x-muster-';

const bearer = /^bearer +(\S+) *$/i;

export class MemberProof {
  readonly #secret: () => string;
  #known: { readonly secret: string; readonly digest: Buffer } | null = null;

  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** Beside a request that is passed on. */
  isShown(headers: IncomingHttpHeaders): boolean {
    const given = headers[proofHeader];
    return typeof given === 'string' && this.#is(given);
  }

  /** As the token of whoever opens a trunk. */
  isToken({ authorization = '' }: IncomingHttpHeaders): boolean {
    const [, given] = bearer.exec(authorization) ?? [];
    return given !== undefined && this.#is(given);
  }

  #is(given: string): boolean {
    const secret = this.#secret();
    // A member that has not read it yet knows nobody.
    if (secret === '') return false;
    if (this.#known?.secret !== secret) this.#known = { secret, digest: digest(secret) };
    return timingSafeEqual(digest(given), this.#known.digest);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
