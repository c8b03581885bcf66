// Whether the coordinator asks for tokens, in some worlds: devices come by links there, which somebody makes, hands
// over and takes back. They draw from a source of chance of their own, so that the other worlds go as they went before
// there were any.

import { createHash } from 'node:crypto';
import { TokensAtRest } from '../coordinator/access/tokens-at-rest.ts';
import type { TokenAsked } from '../coordinator/port/tokens.ts';
import type { MemoryDisk } from '../store/memory/memory-disk.ts';
import { createMemoryStore } from '../store/memory/memory-store.ts';
import { Prng } from './prng.ts';

const worldsWithLinks = 0.4;

export class Links {
  readonly isThere: boolean;
  readonly prng: Prng;

  constructor(seed: number) {
    this.prng = new Prng(seed * 23 + 11);
    this.isThere = this.prng.chance(worldsWithLinks);
  }

  /** Before the first start: from then on nobody is served without a token. */
  async begin(disk: MemoryDisk, now: () => number): Promise<void> {
    if (!this.isThere) return;
    const newToken = () => this.prng.hex(32);
    const store = createMemoryStore(disk);
    await new TokensAtRest(store, { now, hash: sha256, newToken }).create({ kind: 'admin' });
  }

  /** What somebody asks for who makes a link: for one device or several, for long or too short. */
  draw(): TokenAsked {
    const { prng } = this;
    return {
      kind: 'join',
      needsApproval: prng.chance(0.6),
      expiresInMs: Math.round(prng.spread(500, 120_000)),
      ...(prng.chance(0.8) ? { uses: prng.integer(1, 3) } : {}),
    };
  }
}

/** Ids of tokens are made of it, so it has to be hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
